/* Subtraction of 1.7 bits and a reciprocal in pieces. */
#include "base/coarse_error.h"

enum { FIRST_PIECE = 16, SECOND_PIECE = 96, FULL = 0xff, SPECIAL = 255 };

uint32_t coarse_reciprocal(struct coarse_pieces p, uint32_t div)
{
    return div <= FIRST_PIECE    ? FULL - 2 * div
           : div <= SECOND_PIECE ? p.second - div
                                 : p.third - (div >> 1);
}

static uint32_t exponent_of(uint32_t bits)
{
    return bits >> 23 & 0xff;
}

/* 1.7 bits. */
static uint32_t upper_mantissa(uint32_t bits)
{
    return 128 | (bits >> 16 & 127);
}

enum coarse_result coarse_error(struct coarse_pieces p, uint32_t a, uint32_t b, uint32_t *error)
{
    const uint32_t ea = exponent_of(a), eb = exponent_of(b);
    if ((a ^ b) >> 31)
        return COARSE_SIGNS_DIFFER;
    if (ea == SPECIAL || eb == SPECIAL || ea > eb + 1 || eb > ea + 1)
        return COARSE_EXPONENTS_DIFFER;
    const uint32_t ma = upper_mantissa(a), mb = upper_mantissa(b);
    const uint32_t a8 = ma >> (ea < eb), b8 = mb >> (eb < ea);
    const uint32_t divisor = eb > ea ? mb : ma;
    *error = (a8 > b8 ? a8 - b8 : b8 - a8) * coarse_reciprocal(p, divisor & 127);
    return COARSE_FOUND;
}
