/* Operands of scalar floating-point instructions: register numbers are those of SIMD registers. */
#include "a64/operands.h"

#include "a64/fp.h"

bool op_fp(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    i->rd = (uint8_t)bits(w, 4, 0);
    i->rn = (uint8_t)bits(w, 9, 5);
    i->rm = (uint8_t)bits(w, 20, 16);
    i->ra = (uint8_t)bits(w, 14, 10);
    return true;
}

bool op_fp_conditional(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_conditional(i, w, pc);
    i->size = (uint8_t)bits(w, 3, 0);
    return op_fp(i, w, pc);
}

bool op_fp_imm(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    i->rd = (uint8_t)bits(w, 4, 0);
    i->imm = fp_immediate(bits(w, 22, 22) ? FP64 : FP32, bits(w, 20, 13));
    return true;
}

/* To an integer register, with the rounding of bits 20:19, or 18 for ties away from zero. */
bool op_fp_to_int(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_fp(i, w, pc);
    i->rd = to_or_nowhere(bits(w, 4, 0));
    i->shift = (uint8_t)(bits(w, 18, 18) ? FP_AWAY : bits(w, 20, 19));
    i->imm = 64 - bits(w, 15, 10);
    return true;
}

/* With places behind the point: no more than the integer has bits. */
bool op_fp_to_fixed(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    return op_fp_to_int(i, w, pc) && (bits(w, 31, 31) || bits(w, 15, 15));
}

bool op_fp_from_fixed(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_fp(i, w, pc);
    i->imm = 64 - bits(w, 15, 10);
    return bits(w, 31, 31) || bits(w, 15, 15);
}
