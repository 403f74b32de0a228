/* Widths, by the groups of A64's encodings. */
#include "a64/width.h"

static uint32_t bits(uint32_t w, unsigned high, unsigned low)
{
    return w >> low & ((UINT32_C(2) << (high - low)) - 1);
}

static const struct a64_width narrow = {false, false}, wide = {true, true};

/* Loads and stores of registers, pairs and literals: 16 bytes have a size of their own. Those of
 * structures count as wide. */
static struct a64_width of_access(uint32_t w)
{
    const bool is_pair = bits(w, 29, 27) == 5, is_literal = bits(w, 29, 27) == 3,
               is_single = bits(w, 29, 27) == 7;
    if (is_pair || is_literal)
        return bits(w, 31, 30) == 2 ? wide : narrow;
    return is_single && !(bits(w, 31, 30) == 0 && bits(w, 23, 23)) ? narrow : wide;
}

/* dup, smov, umov, ins: which byte of the source their element begins at. */
static bool is_copy(uint32_t w)
{
    return bits(w, 28, 21) == 0x70 && !bits(w, 15, 15) && bits(w, 10, 10);
}

static bool reads_top_element(uint32_t w)
{
    const uint32_t imm5 = bits(w, 20, 16);
    unsigned size = 0;
    while (size < 4 && !(imm5 >> size & 1))
        size++;
    return (imm5 >> (size + 1) << size) >= 8;
}

static struct a64_width of_copy(uint32_t w)
{
    enum { DUP = 0, DUP_GENERAL = 1, SMOV = 5, UMOV = 7 };
    const uint32_t kind = bits(w, 14, 11);
    const bool is_scalar = bits(w, 28, 28), is_to_core = kind == SMOV || kind == UMOV,
               is_whole = !is_scalar && bits(w, 30, 30) && !is_to_core;
    if (bits(w, 29, 29) || (kind != DUP && kind != DUP_GENERAL && !is_to_core))
        return wide; /* ins keeps what it does not write */
    return (struct a64_width){kind != DUP_GENERAL && reads_top_element(w), is_whole};
}

/* One element. */
static struct a64_width of_scalar(uint32_t w)
{
    const bool is_shift = bits(w, 24, 24) && !bits(w, 23, 23) && bits(w, 10, 10);
    const bool is_same_or_misc =
        !bits(w, 24, 24) && bits(w, 21, 21) && (bits(w, 11, 10) != 2 || !bits(w, 20, 17));
    if (bits(w, 28, 21) == 0xf0 && !bits(w, 15, 15) && bits(w, 10, 10))
        return of_copy(w);
    return is_shift || is_same_or_misc ? narrow : wide; /* else of an element, of a pair, SHA */
}

static struct a64_width of_vector(uint32_t w)
{
    const bool is_immediate = bits(w, 28, 19) == 0x1e0 && bits(w, 10, 10),
               is_same = bits(w, 28, 24) == 0xe && bits(w, 21, 21) && bits(w, 10, 10);
    if (is_copy(w))
        return of_copy(w);
    if (is_immediate)
        return (struct a64_width){false, bits(w, 30, 30)};
    return is_same && !bits(w, 30, 30) ? narrow : wide;
}

struct a64_width a64_width_of(uint32_t w)
{
    enum { MOVES_TOP = (int)0x9eae0000, MOVES_TOP_MASK = (int)0xfffe0000 };
    if (bits(w, 27, 27) && !bits(w, 25, 25))
        return bits(w, 26, 26) ? of_access(w) : narrow;
    if (bits(w, 27, 25) != 7)
        return narrow; /* no SIMD register */
    if (!bits(w, 28, 28))
        return of_vector(w);
    if (bits(w, 30, 30))
        return of_scalar(w);
    return (w & (uint32_t)MOVES_TOP_MASK) == (uint32_t)MOVES_TOP ? wide : narrow;
}
