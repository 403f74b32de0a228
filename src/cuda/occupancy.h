/* How many blocks of a kernel fit on one SM. */
#ifndef CUDA_OCCUPANCY_H
#define CUDA_OCCUPANCY_H

#include "cuda/module.h"

int occupancy_blocks(struct ctx *c, int *blocks, struct function *f, int threads,
                     size_t dynamic_bytes);
/* The block size with the most warps; dynamic shared memory by size of block, if given. */
int occupancy_best(struct ctx *c, int *min_grid, int *block, struct function *f,
                   size_t (*dynamic)(int), size_t dynamic_bytes, int limit);
/* Dynamic shared memory a block may use so that `blocks` of them fit. */
int occupancy_dynamic(struct ctx *c, size_t *bytes, struct function *f, int blocks, int threads);

#endif
