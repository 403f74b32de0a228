/* Adapters around lane operations: see lanes_int.h. They run op->inner. */
#ifndef EXEC_LANES_WRAP_H
#define EXEC_LANES_WRAP_H

#include "exec/lanes.h"

/* Runs it in the host's rounding mode op->rnd. */
void lane_rounded(const struct lane_op *op, char *const *base, uint32_t mask);

/* Runs it on elements of op->sel_a (destination) and op->sel_b, sel_c, sel_d (sources) bytes, where
 * registers are wider: sources are truncated, the destination is extended, with its sign if
 * op->type is signed. */
void lane_resized(const struct lane_op *op, char *const *base, uint32_t mask);

#endif
