/* Private to l2*.c: what a slice is made of. */
#ifndef MEM_L2_INT_H
#define MEM_L2_INT_H

#include "mem/cache_shape.h"
#include "mem/l2.h"
#include "mem/mshr.h"
#include "mem/req_ring.h"
#include "mem/tags.h"

/* What a request to the memory controller was sent for (mem_req.what). */
enum l2_what {
    L2_FETCH, /* token = the MSHR's number */
    L2_WRITE_BACK,
    L2_EVICT_FETCH, /* owner = the write-back that waits for it */
};

struct l2 {
    struct req_ring in;      /* latency and queue before the lookup */
    struct req_ring replies; /* to the interconnect */
    struct req_ring later;   /* replies that leave when no other is due */
    struct req_ring alu;     /* atomics that are being executed */
    struct req_ring memory;  /* to the memory controller; due unused */
    /* Write-backs whose fetch came back. Not in the bounded queue: an answer must always be taken,
     * or the slice and the memory controller could wait for each other. No new work for memory is
     * begun while there are any. */
    struct mem_req *backs, **backs_end;
    /* Reads that the packet policy has absorbed and given back, and that are to be looked up. */
    struct mem_req *again, **again_end;
    uint64_t absorbed; /* and not given back */
    uint32_t followed; /* bytes of answers behind the last one that was made */
    bool is_asked;     /* the packet policy has something to say of requests and answers */
    struct port *from_noc, *to_noc, *to_mc, *from_mc;
    cycle_t data_free, fill_free, alu_free;
    cycle_t last;  /* the cycle after the last lookup */
    bool failing;  /* the oldest request was tried in vain */
    bool blocked;  /* ... and nothing changed since */
    bool noc_full; /* the oldest reply found no room; the port wakes the slice */
    uint32_t line_shift, sector_shift, line_bytes, port_bytes;
    uint16_t all;         /* mask of a line's sectors */
    uint64_t outstanding; /* requests to the memory controller without answer */
    struct tags tags;
    struct mshr mshr;
    struct interleave il;
    struct mem_req_pool pool;
    const struct packet_policy *packets;
    const struct storage_policy *storage;
    const struct capacity_policy *capacity;
    struct breach *breach;
    const struct form_policy *forms;
    uint32_t *victims; /* what the last l2_room_find() found */
    uint32_t nvictims, need;
    struct l2_cfg cfg;
    struct l2_stats stats;
};

/* l2_lookup.c: serves the oldest request, or returns false and has changed nothing but a
 * statistic. */
bool l2_lookup(struct l2 *l, cycle_t now, struct mem_req *r);
/* The answer to `r` is about to be made, and brings data of its line. */
static inline bool l2_answers_line(const struct mem_req *r)
{
    return r->refused || r->kind == MEM_READ;
}
void l2_answer_form(struct l2 *l, struct mem_req *r);
/* The line at `index` has been read. */
void l2_used(struct l2 *l, uint32_t index);
/* The answer to `r` is ready at `there`, now or later; there is room for it. */
void l2_reply(struct l2 *l, cycle_t now, cycle_t there, struct mem_req *r);
/* Its bytes on the wire, and when it may leave. */
cycle_t l2_make_packet(struct l2 *l, cycle_t now, struct mem_req *r);
/* The request's sectors as this cache looks at them: all of the line where it is not sectored. */
static inline uint16_t l2_sectors_of(const struct l2 *l, const struct mem_req *r)
{
    return l->cfg.sectored ? mem_req_sectors_in(r, r->sectors, l->line_bytes, l->sector_shift)
                           : l->all;
}
void l2_execute_atomic(struct l2 *l, cycle_t now, struct mem_req *r, uint32_t index,
                       uint16_t sectors);
uint32_t l2_set_of(const struct l2 *l, addr_t line);

/* l2_packets.c: whether the policy says anything of requests and answers that the null object does
 * not; `r` has come, true: the policy has absorbed it; the answer to `r` is about to be made; the
 * first of l->again (not empty) is taken from there. */
bool l2_is_asked(const struct packet_policy *p);
bool l2_absorb(struct l2 *l, struct mem_req *r, cycle_t now);
/* What it returns has answers of its own: l2_follow() makes them when that to `r` is made. What is
 * before the answer is counted now: of later cycles the other side of the port may know more or
 * less, by its host thread. */
struct mem_req *l2_ask_answer(struct l2 *l, cycle_t now, cycle_t there, struct mem_req *r);
void l2_follow(struct l2 *l, cycle_t now, struct mem_req *followers);
struct mem_req *l2_take_again(struct l2 *l);

/* The lines that go so that `line` (at `index` or TAGS_NONE), which lies in this form, fits, and
 * what it needs, into l->victims and l->need. False: reserved lines are in the way. */
bool l2_room_find(struct l2 *l, addr_t line, uint32_t set, uint32_t index,
                  const struct line_form *form);
/* Those have gone: the line's place. */
uint32_t l2_room_take(struct l2 *l, addr_t line, uint32_t set, uint32_t index);

static inline uint32_t l2_port_cycles(const struct l2 *l, uint32_t bytes)
{
    return bytes ? (bytes + l->port_bytes - 1) / l->port_bytes : 1;
}

#endif
