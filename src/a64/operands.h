/* How the operands of a word become those of a decoded instruction: one function a form. */
#ifndef A64_OPERANDS_H
#define A64_OPERANDS_H

#include "a64/decode.h"

#define ROW(name, pattern, operands, class, fn) a64_operands op_##operands;
#include "a64/a64_ops.def"

/* Bits `high` to `low` of a word. */
static inline uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (uint32_t)((UINT64_C(2) << (high - low)) - 1);
}

/* The same with a sign. */
static inline int64_t signed_bits(uint32_t word, unsigned high, unsigned low)
{
    const unsigned up = 63 - (high - low);
    return (int64_t)((uint64_t)bits(word, high, low) << up) >> up;
}

/* Register fields: a source or destination that is zero, or the stack pointer, for 31. */
static inline uint8_t to_or_nowhere(uint32_t r)
{
    return r == 31 ? A64_NOWHERE : (uint8_t)r;
}

static inline uint8_t or_sp(uint32_t r)
{
    return r == 31 ? A64_SP : (uint8_t)r;
}

/* The three registers of most forms, none of them the stack pointer. */
static inline void take_registers(struct a64_inst *i, uint32_t w)
{
    i->rd = to_or_nowhere(bits(w, 4, 0));
    i->rn = (uint8_t)bits(w, 9, 5);
    i->rm = (uint8_t)bits(w, 20, 16);
    i->ra = (uint8_t)bits(w, 14, 10);
}

/* The value of N:immr:imms, or false. */
bool a64_bitmask(unsigned n, unsigned immr, unsigned imms, bool is_64, uint64_t *value);

#endif
