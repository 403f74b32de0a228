/* What those who call a function read of the registers that it leaves, by their code: a result that
 * no run has looked at yet. */
#ifndef A64_CALLERS_H
#define A64_CALLERS_H

#include "a64/ops.h"
#include "a64/process.h"

/* The bit of a register that arguments and results come in (x0 is 1, v0 1 << 8); 0: another. */
uint32_t callers_bit(unsigned reg);

/* Where one of `registers` is read behind a call of the function before it is written; 0: nowhere
 * that can be seen. Calls through registers, and what callers hand on to their own, cannot. */
uint64_t callers_read(const struct a64_process *p, struct a64_ops *ops, uint64_t entry,
                      uint32_t registers);

#endif
