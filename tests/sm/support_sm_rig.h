/* One SM between a mock memory and a mock of the CTA scheduler.
 *
 * The memory answers every request `memory` cycles after the SM sent it. Every instruction issued
 * is noted with its cycle; so is every request. Each run happens twice, once with an SM that is
 * ticked when it asked to be and once with one that is ticked in every cycle, and both must do the
 * same to the last statistic. */
#ifndef TESTS_SM_SUPPORT_SM_RIG_H
#define TESTS_SM_SUPPORT_SM_RIG_H

#include "exec/fixture.h"
#include "parsim/wrap.h"
#include "sm/sm_int.h"
#include "sm/sm_policy.h"

/* RIG_EXTRA + slot: the slot in the notes of an extra warp's instructions. */
enum { RIG_ISSUES = 16384, RIG_REQUESTS = 4096, RIG_EXTRA = 100, RIG_MOVE = 5000 };

/* A kernel with a pointer parameter `p`; its first instruction is number 0. */
#define RIG_KERNEL(body)                                                                    \
    PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n"                                        \
             ".reg .pred %p<10>; .reg .b16 %rs<20>; .reg .b32 %r<64>; .reg .b64 %rd<40>;\n" \
             ".reg .f32 %f<40>; .reg .f64 %fd<20>; .shared .align 16 .b8 sh[8192];\n" body "}\n"

struct rig_issue {
    cycle_t cycle;
    uint32_t slot, pc, mask; /* pc: RIG_MOVE of one that a technique put in */
    const struct xfunc *fn;
};

struct rig_request {
    cycle_t cycle;
    struct mem_req req;
};

struct sm_rig {
    bool is_unwatched; /* issues are not noted, so that nobody is bound where they would be */
    struct fixture f;
    struct kernel *kernel;
    struct sm_cfg cfg;
    struct l1_cfg data, konst, tex, inst;
    struct interleave_cfg map;
    struct interleave il;
    struct conf *conf;
    cycle_t memory;  /* cycles from a request to its answer, at least 3 */
    cycle_t meet;    /* cycles between points where effects are applied */
    cycle_t stagger; /* cycles between the beginnings of blocks placed at once */
    uint32_t registers;
    uint32_t shared;   /* dynamic, of a block */
    uint64_t param[4]; /* behind the pointer */
    /* what techniques may change */
    const struct warp_source *warps;
    const struct rf_policy *rf;
    const struct issue_policy *issue;
    const struct value_policy *values;
    const struct sched_policy *schedulers;
    struct l1_seams l1;
    uint16_t coded;       /* bytes that a constant line has in the memory; 0: it is raw */
    struct breach breach; /* that they have made, noted */
    atomic_bool is_breached;
    const struct decoded *code; /* of the kernel, from prepare on */
    void (*prepare)(void *ctx); /* before each of the two runs, or NULL */
    void *prepare_ctx;
    struct kernel *extra;     /* what the extra warps run */
    uint32_t more_initiation; /* cycles */
    /* of the last run */
    struct sm *sm;
    struct sim *sim;
    struct rig_issue issues[RIG_ISSUES];
    uint32_t nissues;
    uint32_t njoined; /* issues that were a follower's, in its leader's slot */
    struct rig_request requests[RIG_REQUESTS];
    uint32_t nrequests;
    uint32_t most_ctas, most_warps;
    cycle_t end;
    struct sm_stats stats;
    struct l1_stats caches[SM_CACHES];
    struct fault fault;
};

/* `sets`: NULL-terminated "section.field=value" for sm, l1, l1c, l1t, l1i. */
struct sm_rig *sm_rig_new(const char *ptx, const char *const *sets);
void sm_rig_free(struct sm_rig *r);
/* Runs the kernel; what it did is in the rig. False: a fault stopped it. */
bool sm_rig_try(struct sm_rig *r, uint32_t grid, uint32_t block);
void sm_rig_run(struct sm_rig *r, uint32_t grid, uint32_t block);

/* The cycle in which the slot issued instruction `pc` for the n-th time (from 0). */
cycle_t rig_nth(const struct sm_rig *r, uint32_t slot, uint32_t pc, uint32_t n);
/* Cycles from instruction `a` to `b` of warp slot 0. */
int64_t rig_gap(const struct sm_rig *r, uint32_t a, uint32_t b);
/* How often the slot issued the instruction. */
uint32_t rig_count(const struct sm_rig *r, uint32_t slot, uint32_t pc);
/* Requests of a space. */
uint32_t rig_requests(const struct sm_rig *r, enum mem_space space);
const struct rig_request *rig_request(const struct sm_rig *r, enum mem_space space, uint32_t n);

#endif
