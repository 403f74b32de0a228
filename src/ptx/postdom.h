/* Immediate post-dominators. Private to src/ptx. */
#ifndef PTX_POSTDOM_H
#define PTX_POSTDOM_H

#include "ptx/cfg.h"

/* Fills in `ipdom` of every block from `succ` and `pred`. Blocks that cannot reach the exit (an
 * endless loop) are treated as if the last block of the loop could: paths inside such a loop still
 * meet where they would in a loop with an end. Time is near-linear in blocks and edges. */
void ptx_postdom_compute(struct ptx_cfg *c);

#endif
