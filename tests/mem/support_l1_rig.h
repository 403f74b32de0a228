/* An L1 between an SM and a memory that are not there: what is submitted and when, what comes back
 * and when. */
#ifndef TESTS_MEM_SUPPORT_L1_RIG_H
#define TESTS_MEM_SUPPORT_L1_RIG_H

#include "mem/l1.h"

enum { RIG_TOKENS = 1 << 16, RIG_FLIGHT = 4096 };

struct l1_rig {
    struct conf *conf;
    struct l1_cfg cfg;
    struct mem_req_pool pool;
    struct l1 *l1;
    cycle_t now;            /* the next cycle to run */
    cycle_t memory_latency; /* a request popped at t is answered at t + this */
    bool hold;              /* the interconnect takes nothing */
    bool sleeps;            /* ticks only when the cache wants to */
    struct {
        struct mem_req *req;
        cycle_t at;
    } flight[RIG_FLIGHT];
    uint32_t nflight;
    cycle_t done[RIG_TOKENS], acked[RIG_TOKENS]; /* 0 = not yet */
    struct mem_req sent[64];                     /* the first requests that left */
    cycle_t sent_at[64];
    uint32_t nsent;
    void (*on_fill)(void *ctx, const struct mem_req *reply); /* may be NULL */
    void (*on_tick)(void *ctx);                              /* after the lookups; may be NULL */
    void *ctx;
};

/* The default configuration with `sets` (NULL-terminated, section "l1") changed. */
struct l1_rig *l1_rig_new(const char *const *sets);
/* Another cache, of the same configuration, with these policies. */
void l1_rig_bind(struct l1_rig *r, const struct l1_seams *seams);
void l1_rig_free(struct l1_rig *r);
/* Runs all of cycle `now` but the submission. */
void l1_rig_cycle(struct l1_rig *r);
void l1_rig_run(struct l1_rig *r, cycle_t until);
/* Submits at cycle `at` (not yet run): returns after that cycle. */
void l1_rig_submit(struct l1_rig *r, cycle_t at, const struct l1_access *a);

#endif
