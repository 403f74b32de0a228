/* What an assembler does with branches before it puts instructions in order: short ones become
 * conditions, loops that count are unrolled. Every thread executes the same arithmetic on the same
 * values as before.
 *
 * Both are for functions that nobody has seen yet; pragmas move with their instructions. */
#ifndef PTX_RESHAPE_H
#define PTX_RESHAPE_H

#include "base/vec.h"
#include "ptx/ir.h"

/* A branch over few instructions becomes their condition; a branch over a branch, one with the
 * opposite condition; one to what follows, nothing. */
void ptx_func_flatten(struct ptx_func *f);

/* A loop that is one basic block and counts by a constant is done four times at once while four are
 * left. */
void ptx_func_unroll(struct ptx_func *f);

/* --- for both --- */

/* Instructions that take the place of a function's. */
struct ptx_edit {
    struct ptx_func *f;
    VEC(struct ptx_inst) out;
    uint32_t *at; /* by old pc, and of the end: what branches there lead to now */
};

/* A label that is a pc of `out` already. */
#define PTX_NEW_PC UINT32_C(0x80000000)

void ptx_edit_start(struct ptx_edit *e, struct ptx_func *f);
/* Puts them there: labels and pragmas follow `at`. */
void ptx_edit_finish(struct ptx_edit *e);

/* The target of a branch to a label; PTX_NO_PC: it is none. */
uint32_t ptx_branch_target(const struct ptx_inst *i);
/* Whether it loads what may take long. */
bool ptx_inst_loads(const struct ptx_inst *i);
/* About how many instructions of a machine it is. */
unsigned ptx_inst_weight(const struct ptx_inst *i);

#endif
