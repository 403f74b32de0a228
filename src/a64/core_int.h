/* The parts of the core. */
#ifndef A64_CORE_INT_H
#define A64_CORE_INT_H

#include "a64/bpred.h"
#include "a64/core.h"
#include "a64/frames.h"
#include "a64/stride.h"
#include "memo/memo_time.h"

enum {
    CORE_SLICES = 16,
    CORE_WINDOW = 64,  /* records between fetch and issue, at most */
    CORE_LOADS = 64,   /* loads on their way, at most */
    CORE_QUEUE = 8,    /* accesses that wait for the data cache */
    CORE_AHEAD = 64,   /* cycles that issue may be before the clock */
    CORE_PREFETCH = 64 /* lines that wait to be prefetched, at most */
};

#define CORE_UNKNOWN UINT64_MAX

/* An instruction between fetch and issue. */
struct core_record {
    _Alignas(64) const struct a64_op *op;
    uint64_t pc;
    cycle_t arrives;
    uint64_t lines[2]; /* physical, of its access */
    uint8_t nlines;
    uint8_t answer; /* of a lookup: enum memo_answer */
    uint8_t steps;  /* of a division */
    bool was_wrong; /* it arrives behind a wrong prediction */
    bool is_off;    /* of a memo instruction: the unit does nothing */
    /* these only of what is eventful (a64/ops.h): */
    bool is_redirect; /* the front waits for its issue */
    bool is_memo_branch;
};

struct core_front {
    const struct a64_inst *next; /* to be fetched; NULL: a64_next() knows */
    struct core_record window[CORE_WINDOW];
    uint64_t fetched, issued;    /* of all instructions */
    cycle_t issues[CORE_WINDOW]; /* of the last instructions */
    cycle_t arrivals[2];         /* of the last two that were fetched */
    cycle_t bound;               /* the next does not arrive before */
    uint64_t line;               /* of the last instruction; CORE_UNKNOWN: none */
    cycle_t line_bound;          /* the line that was waited for */
    uint64_t line_at;            /* its physical address */
    cycle_t line_asked;          /* + 1; 0: no line is waited for */
    bool is_line_due;            /* and the cache has not seen it yet */
    bool is_waiting;             /* for a redirect to issue */
    bool was_wrong;
    bool is_ended;
    bool was_lookup; /* the last one */
    uint64_t limit;
};

/* A load on its way. */
struct core_load {
    const struct a64_op *op;
    cycle_t due;    /* when its last access is looked up */
    uint64_t input; /* of the memoization unit, + 1 */
    uint8_t left;   /* accesses that are not done */
    bool is_miss;
};

struct core_access {
    uint64_t line;
    uint8_t load;  /* of which it is; CORE_LOADS: a store */
    bool is_whole; /* a store of all the line */
};

struct core_lsu {
    struct l1 *l1d;
    struct core_load loads[CORE_LOADS];
    uint64_t used;                     /* loads, a bit each */
    unsigned nloads, nmisses, nstores; /* on their way */
    struct core_access queue[CORE_QUEUE];
    unsigned head, len;
    struct stride stride;
    uint64_t ahead[CORE_PREFETCH]; /* lines to prefetch */
    unsigned nahead;
    bool was_full;   /* the instruction that is next has found no room */
    cycle_t due;     /* the cache has nothing to do before */
    bool is_stirred; /* but something has changed since */
};

/* A lookup whose inputs are on their way. */
struct core_lookup {
    const struct a64_op *op;
    cycle_t issue;
    uint8_t answer;
    bool is_used;
};

/* What is known of a register. */
struct core_value {
    cycle_t ready;
    uint8_t maker;
    uint8_t owner; /* the load that will write it, + 1 */
};

struct core_issue {
    cycle_t behind; /* the cycle behind that of the last issue; 0: there was none */
    unsigned slots; /* taken in that one */
    struct core_value values[A64_USED];
    cycle_t unit[A64_UNITS];
    cycle_t held; /* nothing issues before: an invalidation */
    struct core_lookup lookup;
    uint64_t is_late; /* number of the load or store, + 1, that will issue at late_until */
    cycle_t late_until;
};

struct a64_core {
    struct a64_core_cfg cfg;
    struct a64_timing_cfg timing;
    struct a64_process *process;
    struct memo_unit *memo;
    struct memo_time memo_time;
    struct a64_ops ops;
    struct frames frames;
    struct bpred bpred;
    struct mem_req_pool pool;
    struct interleave map;
    struct l1 *l1i;
    struct core_front front;
    struct core_lsu lsu;
    struct core_issue issue;
    struct port *to[CORE_SLICES], *from[CORE_SLICES];
    unsigned nslices, l1i_latency, l1d_latency, line_bytes;
    struct sim *sim;
    const struct component *self; /* of which it is */
    cycle_t alone_until;          /* 0: not known */
    cycle_t reply_at;             /* the next one of the L2 */
    cycle_t now, wake;            /* wake: of an instruction that issues later */
    bool is_done;
    void (*watch)(void *ctx, bool is_begin);
    void *watch_ctx;
    void (*observe)(void *ctx, uint64_t pc, cycle_t issue, const struct a64_op *op);
    void *observe_ctx;
    struct a64_core_stats stats;
};

static inline cycle_t core_later(cycle_t a, cycle_t b)
{
    return a > b ? a : b;
}

/* front.c: fetches and executes instructions until one cannot be now. False: none. */
bool core_fetch(struct a64_core *c);
/* The line that is waited for; when the instruction cache has something to do for it. */
void core_line_collect(struct a64_core *c, cycle_t now);
cycle_t core_line_next(const struct a64_core *c, cycle_t now);
/* A redirect has issued. */
void core_redirect(struct a64_core *c, const struct core_record *r, cycle_t issue);

/* issue.c: issues instructions, as long as all that the next one waits for is known; c->wake: it
 * will be later. False: none. */
bool core_issue(struct a64_core *c);
/* What a load brings is ready; inputs that were on their way may let a lookup start. */
void core_loaded(struct a64_core *c, unsigned load, cycle_t ready);

/* lsu.c */
bool core_lsu_has_room(const struct a64_core *c);
void core_lsu_issue(struct a64_core *c, const struct core_record *r);
/* What the data cache has done; then what waits for it is submitted; when it has something to do.
 */
void core_lsu_collect(struct a64_core *c, cycle_t now);
void core_lsu_submit(struct a64_core *c, cycle_t now);
cycle_t core_lsu_next(struct a64_core *c, cycle_t now);

#endif
