/* The blocks of a launch, in the order in which they are given to SMs (parsim/seams_gpu.h). */
#ifndef GPU_BLOCKS_H
#define GPU_BLOCKS_H

#include "mem/bound.h"

struct blocks {
    struct gpu_seams seams;
    struct block_grid grid;
    uint64_t next;   /* so many were given out */
    uint64_t *given; /* a bit each; NULL: in the order of their numbers */
};

void blocks_init(struct blocks *b, const struct gpu_seams *s, const struct block_grid *g);
void blocks_free(struct blocks *b);

static inline bool blocks_are_left(const struct blocks *b)
{
    return b->next < b->grid.blocks;
}

/* The number of the next one, of those that are left. */
uint64_t blocks_take(struct blocks *b);

#endif
