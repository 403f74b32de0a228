/* Whose turn it is, in functional execution: warps of a block one after another, some thousand
 * instructions each.
 *
 * Three things shorten a turn. A block whose warps do nothing but ask memory again and again gives
 * way at once, so that software barriers cost little; when it goes on it is with short turns that
 * become longer, so that blocks leave such a barrier side by side. Where warps of a block read a
 * place that they then write, each has its turn at the read, so that a race ends as it does where
 * all run side by side: everybody reads before anybody writes. And where shared memory is read and
 * then written, or the reverse, with no barrier between, a turn ends between the two: often behind
 * the start of a block and behind a barrier, where the warps of a GPU are together, and less often
 * later. */
#ifndef EXEC_TURNS_H
#define EXEC_TURNS_H

#include "exec/grid.h"

/* What marks an access; its turn may end behind it. */
enum turn_mark {
    TURN_REREAD = 1, /* loads what the kernel also writes */
    TURN_SHARED = 2, /* of shared memory, and without a barrier one of another kind may follow */
};

enum cta_stop { CTA_DONE, CTA_PAUSED, CTA_FAULT };

/* Gives every warp its turn until the block ends, waits for other blocks, or has run `quantum`
 * instructions. */
enum cta_stop cta_run(struct cta *c, uint64_t quantum);

/* Before a launch runs, and behind it. */
void turns_begin(struct grid *g);
void turns_end(struct grid *g);

/* Of a kernel that has been lowered: notes what matters to turns in its code. */
void turns_mark(struct kernel *k);

#endif
