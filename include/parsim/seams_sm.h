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

enum { WARPS_IDLE_BIT = 16 }; /* of warp_source.offers */

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
    /* While it is pending, at the beginning of a cycle: schedulers for which issue_first may issue
     * something, as bits, and from WARPS_IDLE_BIT on those for which issue_idle may; the others are
     * not asked in this cycle, whatever is issued or retired in it. One too many costs time, one
     * too few changes results. NULL: all. */
    uint32_t (*offers)(const void *self);
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

/* What an SM asks of what is bound: a policy's `wants`, or-ed. The rest it skips, whatever function
 * is there. A policy that wraps another wants what that one wants too. */
enum sm_want {
    WANT_COST = 1, /* rf_policy */
    WANT_BANK = 2,
    WANT_WARPS = 4,      /* start and end */
    WANT_INITIATION = 8, /* issue_policy */
    WANT_PRECEDE = 16,
    WANT_BEFORE = 32,
    WANT_PARTNER = 64,
    WANT_LOADED = 128,  /* value_policy */
    WANT_PICK = 256,    /* sched_policy: narrow and pick */
    WANT_RESUMED = 512, /* value_policy */
    WANT_WAITED = 1024, /* rf_policy */
    WANT_HELD = 2048,   /* issue_policy */
    WANT_FOLDED = 4096, /* rf_policy */
};

/* An instruction that was executed (is_deferred: will be). While a function is told of it, `w`'s
 * registers are those of the frame in which it ran, and `base` gives their values (exec/lanes.h;
 * outside the tree: tech_api.read). What it has read may be overwritten by now. */
struct rf_event {
    const struct dinst *d;
    struct warp *w;
    char *const *base;
    uint32_t all;    /* lanes that have a thread */
    uint32_t active; /* of those: of the split that ran */
    uint32_t mask;   /* of those: executed */
    unsigned slot;   /* of the warp, or of an extra warp's parent */
    int partner;     /* slot of the warp that went with it (issue_policy.partner), -1: none */
    bool is_extra;   /* not the program's: an extra warp's, one that precede() gave, a spill */
    /* It is executed where SMs meet (atomics of global memory, surfaces, calls of the runtime):
     * what it writes still holds what it held before. */
    bool is_deferred;
};

/* Most cycles that a policy of the pipeline may ask for (each of rf_cost, and initiation); numbers
 * of banks are below RF_BANKS_MAX. More is an error that ends the run. */
enum { RF_COST_MAX = 1000, RF_BANKS_MAX = 64 };

/* Cycles of an instruction beyond the base. */
struct rf_cost {
    uint32_t hold;  /* in its collector, behind its last operand */
    uint32_t enter; /* then, in a delay line before its pipe or the load/store unit: holds nobody up
                     */
    uint32_t write; /* before its result is written; a load's counts from its last access. One
                       without a result ends as much later. */
};

/* What reading and writing registers costs, and where they lie. Called once an instruction, after
 * it was executed; costs of policies that wrap each other add up. */
struct rf_policy {
    uint32_t wants; /* enum sm_want */
    /* Adds to `cost`. */
    void (*cost)(void *self, const struct rf_event *e, struct rf_cost *cost);
    /* The bank of register `k` of the instruction (those written first, then those read), below
     * RF_BANKS_MAX.
     * Without: `bank` as it is, (register + slot) % sm.banks; numbers from sm.banks on are banks
     * beside those of the machine. */
    uint32_t (*bank)(void *self, const struct rf_event *e, unsigned k, uint32_t bank);
    /* A warp gets its slot and `registers` of the file (32 bits of a thread each); it has left it.
     */
    void (*start)(void *self, unsigned slot, const struct warp *w, uint32_t registers);
    void (*end)(void *self, unsigned slot);
    /* In this cycle so many operands wait for a bank that others read (sm.bank_conflicts, by bank).
     */
    void (*waited)(void *self, unsigned bank, uint32_t operands);
    /* Instead of cost() and bank(): an instruction of PTX that is a part of others in machine code
     * (sm.code=machine) was executed. It takes no time and no access to the file, but what it wrote
     * will be read. */
    void (*folded)(void *self, const struct rf_event *e);
    void *self;
};

/* What happens around the issue of a program's instruction. */
struct issue_policy {
    uint32_t wants; /* enum sm_want */
    /* Cycles that an executed instruction keeps its pipe's entry; `initiation`: by its class. */
    uint32_t (*initiation)(void *self, const struct rf_event *e, uint32_t initiation);
    /* An instruction that is to be issued before `d`, the warp's next (tech_api.move; in the tree
     * any of an arithmetic pipe), or NULL. It takes an issue slot, its registers, its pipe, and
     * does nothing to values. Then it is asked again. Asked whenever the warp is looked at: changes
     * nothing. A policy that wraps asks the one inside only if it has none itself. */
    const struct dinst *(*precede)(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                   const struct dinst *d);
    /* `d` is about to be executed: may set which lanes do (tech_api.set_lanes), and change
     * registers.
     */
    void (*before)(void *self, struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d);
    /* The slot, below sm.warps, of another warp that goes with the one in `slot`, its leader, or
     * -1; asked as precede is.
     * While it follows it neither fetches nor issues; where its next instruction is the leader's,
     * the leader waits until both can go, and both go in one issue, through one collector and one
     * pass of the pipe; else it sits out. Instructions that are executed at meeting points or have
     * spills, and extra ones, never go in pairs, nor do warps of different subcores (sm.subcores);
     * a leader that waits at a barrier leaves its follower to itself. A policy that wraps asks the
     * one inside only if it has none itself. */
    int (*partner)(void *self, struct sm *sm, unsigned slot);
    /* For so many cycles the scheduler has issued nothing, though a warp of it was ready but for a
     * hold (tech_api.hold). */
    void (*held)(void *self, struct sm *sm, unsigned sched, uint64_t cycles);
    void *self;
};

/* What registers get. */
struct value_policy {
    uint32_t wants; /* enum sm_want */
    /* A load of the program was executed by the lanes of `mask`: its registers may be changed
     * (tech_api.write). Seen are instructions that read memory into registers, of any space, a
     * kernel's parameters too: tech_api.inst(d).space tells. Not seen are atomics, fills of spilled
     * registers, copies to shared memory, loads that no lane executes, and those that are executed
     * where SMs meet (see resumed). */
    void (*loaded)(void *self, struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d,
                   uint32_t mask);
    /* One that is executed where SMs meet (atomics of global memory, surfaces) was executed by
     * these lanes: what it wrote is there. No SM runs. */
    void (*resumed)(void *self, struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d,
                    uint32_t mask);
    void *self;
};

/* Which warp issues. Asked once a scheduler and cycle in which one of its warps can. */
struct sched_policy {
    uint32_t wants; /* enum sm_want */
    /* Of the slots in `can` (not empty) those that may issue in this cycle; none: nobody does. */
    uint64_t (*narrow)(void *self, struct sm *sm, unsigned sched, uint64_t can);
    /* One of `can` (not empty), or -1: as sm.scheduler says. A policy that wraps asks the one
     * inside only if it has no answer itself. */
    int (*pick)(void *self, struct sm *sm, unsigned sched, uint64_t can);
    void *self;
};

#endif
