/* Where techniques plug into an SM: always bound, by default to null objects, which change nothing
 * (parsim/seams.def). Called once an issue slot or an instruction, never per lane. */
#ifndef PARSIM_SEAMS_SM_H
#define PARSIM_SEAMS_SM_H

#include "parsim/types.h"

/* What can be told to a warp_source, at the cycle in which it happens. */
enum extra_event {
    EXTRA_ISSUE = 1,  /* the program has issued an instruction */
    EXTRA_LOAD = 2,   /* of global memory, issued; not by way of the constant or texture cache */
    EXTRA_STORE = 4,  /* the same */
    EXTRA_MISS = 8,   /* a line that a load needs was not in the data cache */
    EXTRA_SPLIT = 16, /* lanes have parted at a branch */
};

struct extra_trigger {
    enum extra_event event;
    unsigned slot;       /* warp */
    uint32_t mask;       /* lanes that executed the instruction */
    addr_t addr;         /* of its first lane's access, or of the line */
    const addr_t *addrs; /* of a load or store, by lane, those of addr_mask; else NULL */
    uint32_t addr_mask;
    const struct dinst *d;
};

/* Instructions that do not come from the program's warps (sm_extra.h). */
struct warp_source {
    /* Before the scheduler looks at the program's warps, and when none of them can issue: may issue
     * an instruction of its own into scheduler `sched`'s slot. True: the slot is
     * used. */
    bool (*issue_first)(void *self, struct sm *sm, unsigned sched, cycle_t now);
    bool (*issue_idle)(void *self, struct sm *sm, unsigned sched, cycle_t now);
    /* Whether either may do something in this cycle; while so, they are asked and the SM is awake.
     */
    bool (*is_pending)(const void *self);
    /* Registers that every thread of a kernel needs more. */
    uint32_t (*extra_registers)(const void *self, const struct kernel *k);
    void *self;
    bool has_warps; /* it may issue; without, shared memory needs no second way (PIPE_AUX) */
    /* Once a cycle after the schedulers, if is_pending. */
    void (*deploy)(void *self, struct sm *sm, cycle_t now);
    /* An instruction of `x` has ended, its results are written. */
    void (*retired)(void *self, struct sm *sm, struct extra_warp *x, cycle_t now);
    uint32_t events; /* enum extra_event: what `event` wants to be told */
    void (*event)(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now);
    /* What the warp of that number does, for timelines. */
    const char *(*name)(const void *self, uint32_t number);
};

/* An instruction that was executed, as the register file sees it. `base` gives its registers'
 * values (exec/lanes.h). */
struct rf_event {
    const struct dinst *d;
    uint32_t active, mask;
    unsigned slot;
    char *const *base;
};

/* What reading and writing registers costs beyond the base: cycles that an instruction stays longer
 * in its collector, and that the result of an arithmetic pipe comes later. Called once an
 * instruction, after it was executed. */
struct rf_policy {
    uint32_t (*extra_read_cycles)(void *self, const struct rf_event *e);
    uint32_t (*extra_write_cycles)(void *self, const struct rf_event *e);
    void *self;
};

/* How long an instruction keeps its pipe's entry, and which lanes of it execute there. */
struct issue_policy {
    uint32_t (*initiation)(void *self, const struct rf_event *e, uint32_t initiation);
    void *self;
};

#endif
