/* Atomic operations on single cells of memory: one function an operation and type. */
#ifndef EXEC_ATOMIC_CELLS_H
#define EXEC_ATOMIC_CELLS_H

#include "exec/code.h"

/* NULL: there is none for this operation and type. */
atomic_fn atomic_cells_get(enum ptx_mod op, enum ptx_type type);

#endif
