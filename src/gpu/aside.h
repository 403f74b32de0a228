/* Blocks of a running kernel that never come to an SM (--sample): executed functionally, one after
 * the other, while time stands still and what is on the SMs stays as it is. The L2 is told what the
 * last of them touch. Only at points where nothing runs and all effects are applied. */
#ifndef GPU_ASIDE_H
#define GPU_ASIDE_H

#include "gpu/gpu_int.h"

struct aside;

struct aside *aside_new(struct gpu *g);
void aside_free(struct aside *a);

/* Around a kernel's run. */
void aside_begin(struct aside *a, struct run *r);
void aside_end(struct aside *a);

/* The kernel's next `n` blocks; the L2 is told of so many of the last that they fill it. One that
 * waits for others, or does not end for long, has its turns later: aside_go_on(). */
void aside_run(struct aside *a, uint64_t n);
/* A turn for blocks that wait; all of them to their ends where no others are left. */
void aside_go_on(struct aside *a, cycle_t now);
/* Warp-instructions of blocks that have ended. */
uint64_t aside_executed(const struct aside *a);

#endif
