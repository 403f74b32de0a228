/* Operands of the memo instructions: `ra` is the logical table, `shift` the bits that are cut off
 * an input (or the kind of an update's data), `size` bytes. Data registers are as those of loads.
 */
#include "a64/operands.h"
#include "memo/quality.h"

static bool is_simd(uint32_t w)
{
    return bits(w, 22, 22);
}

static void take_input(struct a64_inst *i, uint32_t w)
{
    i->size = (uint8_t)(1u << bits(w, 24, 23));
    i->shift = (uint8_t)bits(w, 15, 10);
    i->rd = is_simd(w) ? (uint8_t)bits(w, 4, 0) : to_or_nowhere(bits(w, 4, 0));
    i->ra = (uint8_t)bits(w, 18, 16);
}

bool op_memo_load(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_input(i, w);
    i->rn = or_sp(bits(w, 9, 5));
    i->imm = (uint64_t)(bits(w, 30, 29) << 3 | bits(w, 21, 19)) * i->size;
    return true;
}

/* `imm` is what the index is shifted by. */
bool op_memo_load_reg(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_input(i, w);
    i->rn = or_sp(bits(w, 9, 5));
    i->rm = (uint8_t)bits(w, 20, 16);
    i->ra = (uint8_t)bits(w, 31, 29);
    i->imm = bits(w, 21, 21) ? bits(w, 24, 23) : 0;
    return true;
}

bool op_memo_reg(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_input(i, w);
    i->rn = (uint8_t)bits(w, 9, 5);
    return true;
}

/* lookup and update: 4 or 8 bytes; packed data is 8. */
bool op_memo_data(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    op_memo_reg(i, w, pc);
    return i->shift == MEMO_ONE || (i->shift < MEMO_KINDS && i->size == 8);
}
