/* A bounded FIFO of requests, each with the cycle from which it may leave. */
#ifndef MEM_REQ_RING_H
#define MEM_REQ_RING_H

#include "mem/mem_req.h"
#include "sim/sim.h"

struct req_slot {
    struct mem_req *req;
    cycle_t due;
    uint32_t aux; /* the user's */
};

struct req_ring {
    struct req_slot *at;
    uint32_t head, len, cap, mask;
};

void req_ring_init(struct req_ring *r, uint32_t cap);
void req_ring_free(struct req_ring *r);

static inline uint32_t req_ring_room(const struct req_ring *r)
{
    return r->cap - r->len;
}

/* Only when there is room. */
static inline void req_ring_push(struct req_ring *r, struct mem_req *req, cycle_t due, uint32_t aux)
{
    assert_often(r->len < r->cap);
    r->at[(r->head + r->len++) & r->mask] = (struct req_slot){req, due, aux};
}

/* Behind those that are due no later; only when there is room. */
void req_ring_insert(struct req_ring *r, struct mem_req *req, cycle_t due, uint32_t aux);

/* The oldest, or NULL. */
static inline struct req_slot *req_ring_head(const struct req_ring *r)
{
    return r->len ? &r->at[r->head & r->mask] : NULL;
}

static inline struct mem_req *req_ring_pop(struct req_ring *r)
{
    r->len--;
    return r->at[r->head++ & r->mask].req;
}

static inline cycle_t req_ring_next(const struct req_ring *r)
{
    return r->len ? r->at[r->head & r->mask].due : CYCLE_NEVER;
}

#endif
