/* Immediate post-dominators. Private to src/ptx. */
#ifndef PTX_POSTDOM_H
#define PTX_POSTDOM_H

#include "ptx/cfg.h"

/* Fills in ipdom[] for every block (nblocks = the exit). Blocks that cannot reach the exit (an
 * endless loop) are treated as if the last block of the loop could: paths inside such a loop still
 * meet where they would in a loop with an end. Time is near-linear in blocks and edges.
 * `ends`, by block, may be NULL: an edge to such a block, or to the exit itself, does not count for
 * a block that can also go on to another. */
void ptx_postdom_compute(const struct ptx_cfg *c, const bool *ends, uint32_t *ipdom);

#endif
