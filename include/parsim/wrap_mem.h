/* Policies of the memory system that wrap others (TAKE_WRAP): a technique puts its own functions
 * into some members and leaves the rest to what was bound before.
 *
 *   struct mine { struct packet_policy inner; ... };   the wrapped policy first
 *   m->inner = bound[i];
 *   bound[i] = packet_policy_wrap(&m->inner);          does what inner does; self is `m`
 *   bound[i].send_latency = my_latency;                adds to m->inner.send_latency(m->inner.self,
 *                                                      ...) */
#ifndef PARSIM_WRAP_MEM_H
#define PARSIM_WRAP_MEM_H

#include "parsim/seams_mem.h"

/* --- packet_policy: latencies add up, bytes go through both, a request that one of them absorbs
 *     the other does not see --- */

static inline uint32_t packet_wrap_wire_bytes(void *self, const struct mem_req *r, bool reply,
                                              uint32_t payload)
{
    const struct packet_policy *in = (const struct packet_policy *)self;
    return in->wire_bytes(in->self, r, reply, payload);
}

static inline uint32_t packet_wrap_send_latency(void *self, const struct mem_req *r, cycle_t now)
{
    const struct packet_policy *in = (const struct packet_policy *)self;
    return in->send_latency(in->self, r, now);
}

static inline uint32_t packet_wrap_fill_latency(void *self, const struct mem_req *r, cycle_t now)
{
    const struct packet_policy *in = (const struct packet_policy *)self;
    return in->fill_latency(in->self, r, now);
}

static inline void packet_wrap_request(void *self, struct mem_req *r, cycle_t now)
{
    const struct packet_policy *in = (const struct packet_policy *)self;
    in->request(in->self, r, now);
}

static inline bool packet_wrap_arrive(void *self, struct mem_req *r, cycle_t now)
{
    const struct packet_policy *in = (const struct packet_policy *)self;
    return in->arrive(in->self, r, now);
}

static inline void packet_wrap_answer(void *self, struct mem_req *r, cycle_t now)
{
    const struct packet_policy *in = (const struct packet_policy *)self;
    in->answer(in->self, r, now);
}

static inline struct packet_policy packet_policy_wrap(struct packet_policy *inner)
{
    const struct packet_policy p = {packet_wrap_wire_bytes,
                                    packet_wrap_send_latency,
                                    packet_wrap_fill_latency,
                                    packet_wrap_request,
                                    packet_wrap_arrive,
                                    packet_wrap_answer,
                                    inner};
    return p;
}

/* --- request_policy: the outer one starts from what the inner one asks for --- */

static inline uint16_t request_wrap_ask(const void *self, const struct line_view *v)
{
    const struct request_policy *in = (const struct request_policy *)self;
    return in->ask(in->self, v);
}

static inline void request_wrap_sent(void *self, const struct line_view *v, uint16_t asked,
                                     cycle_t now)
{
    const struct request_policy *in = (const struct request_policy *)self;
    in->sent(in->self, v, asked, now);
}

static inline uint16_t request_wrap_valid(void *self, const struct mem_req *reply)
{
    const struct request_policy *in = (const struct request_policy *)self;
    return in->valid(in->self, reply);
}

static inline void request_wrap_settled(void *self, addr_t line, const struct line_life *life,
                                        cycle_t now)
{
    const struct request_policy *in = (const struct request_policy *)self;
    in->settled(in->self, line, life, now);
}

static inline void request_wrap_left(void *self, addr_t line, const struct line_life *life,
                                     cycle_t now)
{
    const struct request_policy *in = (const struct request_policy *)self;
    in->left(in->self, line, life, now);
}

static inline struct request_policy request_policy_wrap(struct request_policy *inner)
{
    const struct request_policy p = {request_wrap_ask,   request_wrap_sent,
                                     request_wrap_valid, request_wrap_settled,
                                     request_wrap_left,  inner->wakes_together,
                                     inner->replaces,    inner->splits,
                                     inner->reads,       inner};
    return p;
}

#endif
