/* A second opinion on arithmetic: one lane, one instruction, written for plainness.
 *
 * Nothing here is shared with src/exec/lanes: integers are done in __int128, floating point exactly
 * on wide fixed-point numbers and rounded once. */
#ifndef TESTS_EXEC_SUPPORT_SCALAR_REF_H
#define TESTS_EXEC_SUPPORT_SCALAR_REF_H

#include "ptx/ir.h"

/* `src` are the sources' register bits, predicates as 0 or 1, in the order of the PTX operands (but
 * lop3's table, which is i->ops[4].imm). dst[0] is the destination, dst[1] the second one of p|q;
 * both extended to 64 bits. False if the instruction is not arithmetic. */
bool scalar_ref(const struct ptx_inst *i, const uint64_t src[4], bool cc_in, uint64_t dst[2],
                bool *cc_out);

/* Whether PTX leaves the result some room: then results are compared by scalar_ref_close(). */
bool scalar_ref_is_approx(const struct ptx_inst *i);
bool scalar_ref_close(const struct ptx_inst *i, uint64_t want, uint64_t got);

#endif
