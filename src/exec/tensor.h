/* Matrix instructions: wmma, mma, ldmatrix, stmatrix, movmatrix. */
#ifndef EXEC_TENSOR_H
#define EXEC_TENSOR_H

#include "base/arena.h"
#include "exec/code.h"

/* Fills in op->fn and op->data for a matrix instruction whose op->refs are ready; false with *why
 * if the form is not known. */
bool tensor_select(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                   const char **why);

#endif
