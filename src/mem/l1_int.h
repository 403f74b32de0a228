/* Private to l1*.c: what an L1 is made of. */
#ifndef MEM_L1_INT_H
#define MEM_L1_INT_H

#include "mem/cache_shape.h"
#include "mem/l1.h"
#include "mem/mshr.h"
#include "mem/req_ring.h"
#include "mem/tags.h"

struct l1_waiting {
    struct l1_access a;
    cycle_t due;
};

/* The delay queue of a bank; at most one access enters and one leaves in a cycle. */
struct l1_bank {
    struct l1_waiting *ring;
    uint32_t head, len;
    cycle_t last;  /* the cycle of the last submission, + 1 */
    cycle_t since; /* the head's first try, while it fails */
    bool failing;  /* the head was tried in vain */
    bool blocked;  /* ... and nothing changed since */
};

/* Grows: completions have no bound of their own. */
struct token_ring {
    uint32_t *at;
    uint32_t head, tail, mask;
};

/* Hits and when they are done, in order; at most one for each access that a bank can take in the
 * time that an engine needs, which has no bound: grows. */
struct late_ring {
    struct late_hit {
        cycle_t due;
        uint32_t token;
    } * at;
    uint32_t head, len, cap;
};

/* Work for the engine. Its address is the token, so that caches can share an engine. */
struct l1_job {
    struct codec_job job;
    struct l1 *owner;
    uint32_t token;             /* of a hit: the access's */
    cycle_t since;              /* it has been here */
    struct mem_req *req;        /* a reply, or a write; NULL: a hit, or a write that did not wait */
    struct l1_job *next, *made; /* in a queue or free; all that were ever made */
    bool is_parked;             /* its line's miss register serves others */
    cycle_t joined;             /* of a store: when a write joined it last, and 1 */
};

/* Jobs that found the engine busy, or requests that found the miss queue full. */
struct l1_jobs {
    struct l1_job *first, **end;
};
struct l1_reqs {
    struct mem_req *first, **end;
};

/* Everything between the cache and its engine. */
struct l1_code {
    const struct codec_engine *engine;
    struct codec_client client; /* this cache, for the engine */
    struct encoding_cfg cfg;
    struct encoding_counts *counts, own_counts;
    struct l1_jobs reads, writes; /* not taken yet */
    cycle_t retry;                /* when the engine may take them: it has woken the cache */
    uint32_t taken;               /* jobs in the engine */
    struct l1_job *free, *made;   /* recycled; all of them */
    struct l1_job **stores;       /* the store buffer, by age */
    addr_t *store_lines;          /* of those */
    uint32_t nstores;
    struct l1_reqs leaving;
};

enum { L1_WAITS = UINT32_MAX };

/* What an L1 does with lines, by enum encoding_mode: all that its lookup knows of encoded ones.
 * Plain lines are the null object. (l1_lines.c) */
struct l1_lines {
    /* An access to `line` is about to send a request: a write of it that waits to be encoded goes
     * first, raw. False: it cannot. */
    bool (*yield)(struct l1 *l, cycle_t now, addr_t line);
    /* The write `r` of a whole line is about to leave. True: it waits to be encoded. */
    bool (*store)(struct l1 *l, cycle_t now, struct mem_req *r);
    /* A write of global memory. True: it has joined one of its line that waits to be encoded, or,
     * if all of its line `is_here`, the line waits now. */
    bool (*join)(struct l1 *l, cycle_t now, const struct l1_access *a, bool is_here);
    /* A read has hit line `i`, a reply has come: cycles until it can be used. L1_WAITS: the engine
     * says. */
    uint32_t (*hit)(struct l1 *l, cycle_t now, uint32_t i, const struct l1_access *a);
    uint32_t (*fill)(struct l1 *l, cycle_t now, struct mem_req *reply);
    /* What the reply has brought for line `i` beyond its sectors, those `pending` among them; it
     * lies there from now on. */
    uint16_t (*arrive)(struct l1 *l, uint32_t i, const struct mem_req *reply, uint16_t pending);
};
extern const struct l1_lines *const l1_lines_by_mode[];
/* The room that line `i` takes follows its form: new in l->forms, or raw and written anew. */
void l1_lines_fit(struct l1 *l, uint32_t i);

/* What a request was sent for (mem_req.what). */
enum l1_what {
    L1_FETCH,  /* token = the MSHR's number */
    L1_DIRECT, /* read or atomic past the tags */
    L1_STORE,
    L1_WRITE_BACK,
    L1_RESTORE, /* a line that an atomic met encoded, raw */
    L1_OFFER,   /* a line as it is, in its other form: encoded, or raw */
};

/* A waiter's flags: it is a write; there is none (a prefetch). */
enum { L1_WAITER_WRITE = 1, L1_WAITER_NONE = 2 };

struct l1 {
    cycle_t due; /* the next lookup; CYCLE_NEVER if none can succeed before something changes */
    cycle_t engine_due; /* of what an engine works on: the first in `fills` or `late` */
    struct token_ring done, acks;
    struct mem_req **reqs; /* the miss queue */
    cycle_t *req_ready;    /* when each may leave */
    struct req_ring fills; /* replies that an engine works on */
    struct late_ring late; /* hits that an engine works on */
    uint32_t req_head, req_len, req_cap;
    struct l1_bank *banks;
    uint32_t nbanks, bank_cap;
    uint32_t line_shift, sector_shift;
    addr_t line_mask;
    uint16_t all; /* mask of a line's sectors */
    uint16_t node;
    bool flushing;
    bool is_coded;                         /* lines may be encoded: `code` may have work */
    bool has_lines;                        /* one has been allocated since all left */
    bool wakes_together, replaces, splits; /* the request policy's */
    bool by_sector; /* the capacity policy's, where lines share a set's bytes */
    uint32_t flush_at;
    uint64_t *reads, own_reads; /* where reads are counted: the request policy's, or here */
    uint64_t outstanding;       /* requests without reply, those in the miss queue among them */
    struct tags tags;
    struct mshr mshr;
    struct mem_req_pool *pool;
    const struct request_policy *requests;
    const struct packet_policy *packets;
    const struct capacity_policy *capacity;
    struct breach *breach;
    const struct l1_lines *lines;
    struct line_form *forms; /* by line index: how it lies */
    struct line_life *lives; /* by line index */
    uint32_t *victims;       /* what the last way_find() found */
    uint32_t nvictims, need;
    bool *ahead; /* by line index: a prefetch has fetched it, nobody has read it */
    struct l1_code code;
    const struct probe *probe, *miss_probe;
    struct l1_cfg cfg;
    struct l1_stats stats;
};

/* l1_lookup.c: serves the access, or returns false and has changed nothing but a statistic. */
bool l1_lookup(struct l1 *l, cycle_t now, const struct l1_access *a);
void token_push(struct token_ring *r, uint32_t token);
void late_push(struct l1 *l, cycle_t due, uint32_t token);
/* Writes the dirty sectors of line `i` back and invalidates it; the queue has room. */
void l1_evict(struct l1 *l, cycle_t now, uint32_t i);

/* l1.c: what the reply brings is there. */
/* What the line takes of the data array, as the capacity policy says. */
uint32_t l1_line_bytes(struct l1 *l, addr_t line, const struct line_form *form);
/* Line `i` takes so many from now on. */
void l1_line_fit(struct l1 *l, uint32_t i, uint32_t bytes);
/* Of what a reply brings for line `i`: those sectors that have room. */
uint16_t l1_line_admit(struct l1 *l, uint32_t i, uint16_t sectors);
void l1_fill_finish(struct l1 *l, cycle_t now, struct mem_req *reply);
/* l1_lookup.c: into the miss queue, which has room. */
void l1_request_send(struct l1 *l, cycle_t now, struct mem_req *r);
struct mem_req *l1_request_new(struct l1 *l, cycle_t now, addr_t line, uint16_t sectors,
                               enum l1_what what);

/* l1_codec.c */
void l1_code_init(struct l1_code *c, const struct codec_engine *engine,
                  const struct encoding_cfg *cfg);
void l1_code_free(struct l1_code *c);
/* Something changed that a blocked access may have waited for. */
void l1_unblock(struct l1 *l, cycle_t at);
/* The line that `reply` brings is decoded. True: it waits for the engine. */
bool l1_code_fill(struct l1 *l, cycle_t now, struct mem_req *reply);
/* A refused request's line is there, decoded: it is sent again. */
void l1_code_retry(struct l1 *l, cycle_t now, struct mem_req *reply);
/* Line `i` is decoded for a read that has hit it. True: it waits for the engine. */
bool l1_code_hit(struct l1 *l, cycle_t now, uint32_t i, const struct l1_access *a);
/* A line that lies raw below has come, and may go there encoded. */
void l1_code_offer(struct l1 *l, cycle_t now, addr_t line);
/* Those of struct l1_lines. */
bool l1_code_store(struct l1 *l, cycle_t now, struct mem_req *r);
bool l1_code_join(struct l1 *l, cycle_t now, const struct l1_access *a, bool is_here);
bool l1_code_yield(struct l1 *l, cycle_t now, addr_t line);
void l1_code_tick(struct l1 *l, cycle_t now);
cycle_t l1_code_next(const struct l1 *l, cycle_t now);

static inline bool l1_code_idle(const struct l1 *l)
{
    const struct l1_code *c = &l->code;
    return !l->is_coded || (!c->taken && !c->reads.first && !c->writes.first && !c->leaving.first);
}

/* Who waits in a miss register: the SM's token, and the warp's slot above it. */
static inline uint64_t l1_waiter(const struct l1_access *a)
{
    return a->token | (uint64_t)a->slot << 32;
}

static inline uint32_t l1_room(const struct l1 *l)
{
    return l->req_cap - l->req_len;
}

#endif
