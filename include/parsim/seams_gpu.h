/* Where techniques plug into what all SMs share: always bound, by default to null objects, which
 * change nothing (parsim/seams.def). Called where SMs meet, when nothing runs: a policy here may
 * look at state of any SM. */
#ifndef PARSIM_SEAMS_GPU_H
#define PARSIM_SEAMS_GPU_H

#include "parsim/types.h"

/* A launch whose blocks are given to SMs. */
struct block_grid {
    const struct kernel *kernel;
    uint32_t grid[3], block[3]; /* blocks, and a block's threads: x, y, z */
    uint64_t blocks;            /* of the grid, all of them */
    uint64_t at_once;           /* that fit on all SMs together */
};

/* The order in which a launch's blocks are given out. A program must not depend on it, but what
 * neighbours share in caches does. */
struct block_policy {
    /* The number (x + grid[0] * (y + grid[1] * z)) of the block that is given out as the i-th, from
     * 0 on; asked once for each, in turn. Each block comes once: one that is none of the grid, or
     * came before, ends the run. A policy that wraps answers for the places that the one inside
     * gives, or gives that one's blocks other places. */
    uint64_t (*block)(void *self, const struct block_grid *g, uint64_t i);
    void *self;
};

#endif
