/* Whether the operands of an instruction are what its operation and types ask for: register class
 * and width, lengths of vectors, constants, addresses. The rules are PTX's own and stand in
 * ptx_operands.def, one or more rows an opcode. */
#ifndef PTX_OPERANDS_H
#define PTX_OPERANDS_H

#include "ptx/ir.h"

/* False: `err` says which operand of the instruction of `f` does not fit and what would. An
 * instruction that passes has only operands that those who run it may take at their word. */
bool ptx_operands_check(const struct ptx_func *f, const struct ptx_inst *i, struct err *err);

#endif
