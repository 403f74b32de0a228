/* An L2 slice between an interconnect and a memory controller that are not there. A request given
 * at t is taken by the slice at t + 1; memory answers a request it sees at m so that the slice has
 * it at m + memory_latency. */
#ifndef TESTS_MEM_SUPPORT_L2_RIG_H
#define TESTS_MEM_SUPPORT_L2_RIG_H

#include "mem/l2.h"

enum { L2_RIG_REQS = 1 << 15, L2_RIG_FLIGHT = 1024 };

struct l2_rig {
    struct conf *conf;
    struct l2_cfg cfg;
    struct interleave il;
    struct l2 *l2;
    struct port *from_noc, *to_noc, *to_mc, *from_mc;
    cycle_t now; /* the next cycle to run */
    cycle_t memory_latency;
    bool hold_noc, hold_memory; /* nothing is taken from the slice */
    struct {
        struct mem_req *req;
        cycle_t at;
    } flight[L2_RIG_FLIGHT];
    uint32_t nflight;
    struct mem_req reqs[L2_RIG_REQS]; /* by token */
    cycle_t back[L2_RIG_REQS];        /* when the answer left the slice; 0 = not yet */
    struct mem_req sent[64];          /* the first requests to memory */
    cycle_t sent_at[64];              /* when they left the slice */
    uint32_t nsent;
    void (*on_answer)(void *ctx, const struct mem_req *reply); /* memory gives it; may be NULL */
    void (*on_tick)(void *ctx);                                /* after the slice; may be NULL */
    void *ctx;
};

/* The default configuration with `sets` (NULL-terminated, section "l2") changed, one channel. */
struct l2_rig *l2_rig_new(const char *const *sets);
struct l2_rig *l2_rig_with(const char *const *sets, const struct slice_seams *seams);
void l2_rig_free(struct l2_rig *r);
void l2_rig_cycle(struct l2_rig *r);
void l2_rig_run(struct l2_rig *r, cycle_t until);
/* Gives request `token` so that the slice takes it at cycle `at`. */
void l2_rig_give(struct l2_rig *r, cycle_t at, uint32_t token, enum mem_kind kind, addr_t addr,
                 uint16_t sectors, uint16_t full);

#endif
