/* Operands of loads and stores. rd (and ra, of a pair) are the data: where a load writes, what a
 * store reads; rn is the base, rm an index. */
#include "a64/operands.h"

/* Data registers of integer accesses: a load into 31 goes nowhere, a store of 31 is zero. SIMD
 * registers are plain numbers. */
static void take_data(struct a64_inst *i, uint32_t w)
{
    i->rd = (uint8_t)bits(w, 4, 0);
    i->ra = (uint8_t)bits(w, 14, 10);
    i->rn = or_sp(bits(w, 9, 5));
}

/* Of an integer load. */
static void loads_nowhere(struct a64_inst *i)
{
    i->rd = to_or_nowhere(i->rd);
    i->ra = to_or_nowhere(i->ra);
}

/* How many bytes: the SIMD accesses have one bit more. */
static unsigned log_bytes(uint32_t w)
{
    const unsigned size = bits(w, 31, 30);
    return bits(w, 26, 26) && bits(w, 23, 23) ? 4 + size : size;
}

static bool is_int_load(uint32_t w)
{
    return !bits(w, 26, 26) && bits(w, 23, 22);
}

bool op_mem_uimm(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_data(i, w);
    i->imm = (uint64_t)bits(w, 21, 10) << log_bytes(w);
    if (is_int_load(w))
        loads_nowhere(i);
    return true;
}

bool op_mem_simm(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_data(i, w);
    i->imm = (uint64_t)signed_bits(w, 20, 12);
    if (is_int_load(w))
        loads_nowhere(i);
    return true;
}

/* An index of 32 or 64 bits, extended (`size`: 2 uxtw, 3 lsl, 6 sxtw, 7 sxtx) and shifted. */
bool op_mem_reg(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    take_data(i, w);
    i->rm = (uint8_t)bits(w, 20, 16);
    i->size = (uint8_t)bits(w, 15, 13);
    i->shift = (uint8_t)(bits(w, 12, 12) ? log_bytes(w) : 0);
    if (is_int_load(w))
        loads_nowhere(i);
    return i->size & 2;
}

bool op_mem_literal(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    i->rd = (uint8_t)bits(w, 4, 0);
    i->rn = A64_ZERO;
    i->imm = pc + (uint64_t)signed_bits(w, 23, 5) * 4;
    if (!bits(w, 26, 26))
        loads_nowhere(i);
    return true;
}

/* Pairs: the offset is scaled by the size of one of both. */
bool op_mem_pair(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const bool is_simd = bits(w, 26, 26), is_load = bits(w, 22, 22);
    const unsigned opc = bits(w, 31, 30);
    const unsigned log = is_simd ? 2 + opc : opc == 2 ? 3 : 2;
    take_data(i, w);
    i->imm = (uint64_t)signed_bits(w, 21, 15) << log;
    if (!is_simd && is_load)
        loads_nowhere(i);
    return true;
}

/* Exclusive and ordered accesses: rm gets the status of a store. */
bool op_mem_exclusive(struct a64_inst *i, uint32_t w, uint64_t pc)
{
    (void)pc;
    const bool is_load = bits(w, 22, 22);
    take_data(i, w);
    if (is_load)
        loads_nowhere(i);
    i->rm = to_or_nowhere(bits(w, 20, 16));
    i->size = (uint8_t)(1u << bits(w, 31, 30));
    return true;
}
