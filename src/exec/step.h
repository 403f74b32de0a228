/* One instruction at a time, for a machine that keeps time.
 *
 * Such a machine runs the warps of a grid on several SMs, perhaps on several host threads. Every SM
 * has a struct grid of its own (grid_init, then .smid and .root) and a struct effects: what its
 * instructions do to memory that others can see is not done at once but logged, and applied by
 * effects_apply() at points where no SM runs, in the order of (cycle, SM). Loads see memory as of
 * the last such point, plus the own SM's stores since. Loads and stores are executed when they are
 * issued; everything else that touches shared state (atomics, surfaces, calls of the runtime) is
 * executed at that point, and its warp stands still until then (`warp_is_deferred`). So the result
 * is the same for any number of host threads. */
#ifndef EXEC_STEP_H
#define EXEC_STEP_H

#include "exec/effects.h"
#include "exec/ldst_lanes.h"

/* As many as an instruction can make: texels of two levels, rows of a matrix. */
enum { STEP_MAX_ACCESSES = 16 };

/* One memory access of the last step, as it was checked: one space, one width. Global addresses are
 * device addresses, the others are offsets. */
struct step_access {
    addr_t addr[WARP_LANES];
    uint32_t mask;
    uint16_t bytes; /* of a lane */
    uint8_t space;  /* GLOBAL, SHARED, LOCAL or PARAM */
    bool is_write;
};

/* What the last instruction did. */
struct step {
    const struct xinst *x;
    uint32_t active; /* lanes of the split */
    uint32_t mask;   /* lanes that executed: active, guard, and warp.lanes */
    unsigned naccesses;
    struct step_access access[STEP_MAX_ACCESSES];
};

/* Executes the instruction that warp_peek() shows, at cycle `now`, and says what it did. False: the
 * kernel is stopped by a fault. */
bool warp_step(struct warp *w, struct effects *fx, cycle_t now, struct step *out);

/* The same without what it accesses, which takes less time: of an instruction that touches nothing
 * but registers and shared memory. */
bool warp_step_unseen(struct warp *w, struct effects *fx, cycle_t now, struct step *out);

/* The next `n` so, none of which is control. Accesses with a place are not conditional, and lie
 * there; masks[] says which lanes each instruction was executed by. */
bool warp_step_on(struct warp *w, uint32_t n, const struct ldst_place *places, uint32_t *masks);

/* Whether the warp's last instruction waits in a log; it must not be peeked or stepped. */
static inline bool warp_is_deferred(const struct warp *w)
{
    return w->is_deferred;
}

/* --- for the code of instructions --- */

struct access;

/* Notes a checked access in the step. */
void step_record(struct step *s, const struct access *a);

#endif
