/* Speculative precomputation on assist warps, of one SM. Private to its files and their tests.
 *
 * In a loop whose addresses follow from what was loaded before (a list, a tree) a warp waits for
 * one access after the other. A helper executes only what leads to addresses and to branches, the
 * slice of the loop, on registers of its own that no block has, some iterations ahead of the warp
 * and in issue slots that the program leaves: what it loads is in the cache when the warp comes.
 * Nothing that it does can be seen but in time. */
#ifndef TECH_PRECOMPUTE_INT_H
#define TECH_PRECOMPUTE_INT_H

#include "base/vec.h"
#include "exec/step.h"
#include "exec/warp.h"
#include "parsim/tech.h"
#include "sm/sm_extra.h"
#include "stats/stats.h"

enum { PRE_SLOTS = 64, PRE_SCHEDULERS = 16 };

struct precompute_cfg {
#define ROWS_FILE "tech/precompute/precompute_cfg.def"
#include "parsim/rows_members.h"
};
struct precompute_stats {
#define ROWS_FILE "tech/precompute/precompute_stats.def"
#include "parsim/rows_members.h"
};

/* A loop: from its first instruction to the branch back to it, with its slice. */
struct pre_slice {
    uint32_t from, to;
    bool *has;                 /* by pc - from */
    uint32_t ninst;            /* that it has */
    uint32_t *inputs, ninputs; /* registers that it reads */
    uint32_t words;            /* of a thread's registers */
};

/* The loops of a function that have one. */
struct pre_slices {
    struct pre_slice *at;
    uint32_t n;
};

/* pre_slice.c: loops in which an address depends on a load of the same loop, and whose branches and
 * addresses can be had by arithmetic and loads; the innermost of those. */
void pre_slices_find(const struct dfunc *fn, const struct precompute_cfg *cfg, uint32_t inst_bytes,
                     struct pre_slices *to);
void pre_slices_free(struct pre_slices *s);

/* pre_trial.c: whether a loop has helpers, by trial. */
enum pre_phase { PRE_WITHOUT, PRE_BEGINS, PRE_WITH, PRE_ON, PRE_REST };
/* `stalled`: cycles until then in which the SM's load/store unit could not go on. */
struct pre_moment {
    cycle_t cycle;
    uint64_t stalled;
};
struct pre_trial {
    enum pre_phase phase;
    struct pre_moment since;
    uint64_t iterations, left; /* of the phase: so far; still to come */
    uint64_t rest;             /* of the last rest, in trials */
    double without;            /* cycles that an iteration took */
};
/* A warp has come to the loop's begin again. True: it may have a helper. */
bool pre_trial_step(struct pre_trial *t, const struct precompute_cfg *cfg,
                    struct precompute_stats *stats, struct pre_moment now);

/* A kernel begins again: no time is taken across launches. */
void pre_trial_resume(struct pre_trial *t, const struct precompute_cfg *cfg);

/* What is known of a function. */
struct pre_code {
    const struct dfunc *fn;
    char *name;
    uint32_t ncode, nregs;
    bool is_old; /* its kernel may have gone */
    struct pre_slices slices;
    struct pre_trial *trials; /* by slice */
    struct dinst *moves;      /* by register: an input is taken over */
    uint32_t *numbers;
};

/* A warp's helper. */
struct pre_helper {
    struct extra_warp x; /* first: its address is this one's */
    bool is_on;          /* it runs, or its last instructions do */
    bool is_ending, holds;
    struct warp w;
    const struct pre_code *code;
    const struct pre_slice *slice;
    uint32_t moved;      /* of its inputs */
    uint64_t done, main; /* iterations: its own, the warp's since it began */
};

struct precompute {
    const struct precompute_cfg *cfg;
    const struct sm_cfg *sm_cfg;
    struct pre_helper helpers[PRE_SLOTS];
    uint64_t on; /* slots */
    uint64_t of_sched[PRE_SCHEDULERS];
    unsigned turn[PRE_SCHEDULERS];
    uint64_t registers; /* that helpers have */
    VEC(struct pre_code *) codes;
    struct precompute_stats stats;
};

void precompute_free(struct precompute *p);
/* A kernel is about to begin. */
void precompute_launch(struct precompute *p);

/* pre_code.c: the function's, made when it is met first; a kernel that is launched again finds what
 * its trials have shown. */
struct pre_code *pre_code_of(struct precompute *p, const struct dfunc *fn);
void pre_codes_free(struct precompute *p);

/* precompute.c, for struct warp_source. */
void precompute_event(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now);
void precompute_deploy(void *self, struct sm *sm, cycle_t now);
bool precompute_is_pending(const void *self);
/* pre_helper.c */
bool precompute_issue_idle(void *self, struct sm *sm, unsigned sched, cycle_t now);
void pre_helper_begin(struct precompute *p, struct sm *sm, unsigned slot, struct pre_code *c,
                      const struct pre_slice *s);
void pre_helper_end(struct pre_helper *h);
/* Its instructions have all ended: it goes. */
void pre_helper_release(struct precompute *p, struct sm *sm, struct pre_helper *h, cycle_t now);

#endif
