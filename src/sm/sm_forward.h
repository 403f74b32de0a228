/* Going forward while time stands still: the warps of an SM execute functionally what each would
 * have executed in some cycles at the pace that it had before. A block that ends is followed by the
 * next one in its place; what is in flight stays so. For sampling (gpu/forward.h); only on SMs
 * whose pipeline asks no policy, at points where nothing runs and all effects are applied. */
#ifndef SM_SM_FORWARD_H
#define SM_SM_FORWARD_H

#include "sm/sm.h"

struct sm_forward;

/* Whether no policy that is bound on it follows its instructions. */
bool sm_can_go_forward(const struct sm *sm);

struct sm_forward *sm_forward_new(struct sm *sm);
void sm_forward_free(struct sm_forward *f);

/* Instructions of blocks that are on the SM; of those that have ended sm_kernel_ended() tells. */
uint64_t sm_forward_executed(const struct sm_forward *f);
/* The same of one kernel, added to what is there. */
void sm_forward_open(const struct sm_forward *f, const struct sm_kernel *k, uint64_t *warp_inst,
                     uint64_t *thread_inst);

/* Warps that have not ended. */
unsigned sm_forward_live(const struct sm_forward *f);

/* Other kernels than before may run. */
void sm_forward_begin(struct sm_forward *f);
/* For a watch (exec/watch.h): whether the L1 does not have a line; in time, and while it stands
 * still, when the line is there from then on. */
bool sm_forward_misses(const struct warp *w, addr_t line, bool is_write);
bool sm_forward_brings(const struct warp *w, addr_t line, bool is_write);

/* What windows say of warps, all SMs together. `line`: how many instructions a line that the L1
 * does not have is worth, such that warps have done about as much as each other in as much time.
 * `stays`: how much of a warp's difference from the others is there in the next window. */
struct sm_forward_fit {
    double nn, nm, mm, nt, mt, before, both; /* sums */
    double line, stays;
};

/* A window begins. Every few cycles of it. It ends: what it says; and from now on every warp has
 * the pace that it is likely to have. */
void sm_forward_mark(struct sm_forward *f, cycle_t now);
void sm_forward_look(struct sm_forward *f);
void sm_forward_learn(const struct sm_forward *f, struct sm_forward_fit *fit, cycle_t now);
void sm_forward_pace(struct sm_forward *f, struct sm_forward_fit *fit, cycle_t now);

struct sm_forward_step {
    cycle_t now;
    double cycles;   /* worth of instructions */
    bool is_last;    /* warps stop where their credit ends, not at a branch behind it: a turn, */
    bool is_more;    /* and more of them */
    bool is_watched; /* device.watch was changed */
    /* The number of a kernel's next block; false: there is none. */
    bool (*next)(void *ctx, const struct sm_kernel *k, uint64_t *number);
    /* Applies the effects of all SMs; false: a fault. */
    bool (*apply)(void *ctx);
    void *ctx;
};
/* False: a fault; of an instruction sm_fault() has it. */
bool sm_forward_run(struct sm_forward *f, const struct sm_forward_step *s);
/* Whether any warp went forward in it. */
bool sm_forward_has_moved(const struct sm_forward *f);
/* Time goes on: the pipeline looks at where its warps are. */
void sm_forward_end(struct sm_forward *f, cycle_t now);

#endif
