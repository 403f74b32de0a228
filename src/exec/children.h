/* Kernels that a kernel launches (CUDA dynamic parallelism, second version, which has no waiting on
 * the device).
 *
 * A grid collects what its threads launch and copy, and runs it, in the order of the calls, when
 * its own blocks have ended; it is complete when all of that is. Every order that a program may
 * rely on is one of these. */
#ifndef EXEC_CHILDREN_H
#define EXEC_CHILDREN_H

#include "exec/grid.h"

struct child_shape {
    addr_t func;
    uint32_t grid[3], block[3], shared_bytes;
};

/* Room for the parameters of a launch to come; 0 if `func` is no kernel, memory is exhausted, or
 * too much is pending. */
addr_t children_prepare(struct grid *g, const struct child_shape *shape);
/* Queues the launch prepared with `params`; a CUDA error number. */
int children_launch(struct grid *g, addr_t params);
/* Queues a copy or, with `src` 0, a fill with `value`; an error if a side is not device memory. */
int children_copy(struct grid *g, addr_t dst, addr_t src, uint8_t value, uint64_t bytes);

/* Runs what is queued and adds to *result. False: a fault, as for grid_run(). */
bool children_run(struct grid *g, struct launch_result *result, struct err *err);
void children_free(struct grid *g);

#endif
