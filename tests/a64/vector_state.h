/* The state before a test vector, made from its seed, and the digest of the state behind it: the
 * same for the simulator (tests/a64/test_vectors.c) and for the guest program that QEMU runs
 * (tools/a64/vectors_guest.c). Needs no library. */
#ifndef TESTS_A64_VECTOR_STATE_H
#define TESTS_A64_VECTOR_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* The instruction is in the middle of a page of data, its memory another page. */
#define VECTOR_CODE    UINT64_C(0x2000000)
#define VECTOR_PC      UINT64_C(0x2000800)
#define VECTOR_SCRATCH UINT64_C(0x3000000)

enum { VECTOR_PAGE = 4096, VECTOR_WORDS = VECTOR_PAGE / 4 };

/* What an instruction needs: bits of a vector's kind. */
enum {
    VECTOR_BASE = 1,    /* rn is an address in the scratch page */
    VECTOR_INDEX = 2,   /* rm is a small index */
    VECTOR_ALIGNED = 4, /* the address is a multiple of 16 */
    VECTOR_TARGET = 8,  /* rn is where a branch goes */
    VECTOR_DATA = 16,   /* rt is an address */
    VECTOR_KIND = 96,   /* SIMD registers: 32 double, 64 single, 96 half precision; 0 any */
    VECTOR_SHOW = 128,  /* the guest writes the whole state */
};

struct vector_state {
    uint64_t x[31], sp;
    uint64_t v[32][2];
    uint64_t nzcv, fpcr, fpsr; /* as the system registers have them */
    uint64_t step;             /* bytes to the next instruction */
};

static inline uint64_t vector_next(uint64_t *s)
{
    *s += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *s;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t vector_integer(uint64_t *s)
{
    const uint64_t how = vector_next(s), v = vector_next(s);
    switch (how & 7) {
    case 0:
        return v & 1 ? 0 : UINT64_MAX;
    case 1:
        return v % 17;
    case 2:
        return -(v % 17);
    case 3:
        return UINT64_C(1) << (v & 63);
    case 4:
        return (UINT64_C(1) << (v & 63)) - 1;
    case 5:
        return v & UINT32_MAX;
    case 6:
        return v & 1 ? (uint64_t)INT32_MIN + (v >> 8 & 3) : (uint64_t)INT64_MIN + (v >> 8 & 3);
    default:
        return v;
    }
}

/* A number with `exponent` and `fraction` bits: half of them special, the others near one. */
static inline uint64_t vector_float(uint64_t *s, unsigned exponent, unsigned fraction)
{
    const uint64_t v = vector_next(s), ones = (UINT64_C(1) << exponent) - 1,
                   part = v & ((UINT64_C(1) << fraction) - 1), bias = ones >> 1;
    const uint64_t how = vector_next(s), sign = (how >> 8 & 1) << (exponent + fraction);
    uint64_t e, f = part;
    switch (how & 31) {
    case 0:
        e = 0, f = 0;
        break;
    case 1:
        e = 0;
        break;
    case 2:
        e = 0, f = part & 3;
        break;
    case 3:
        e = ones, f = 0;
        break;
    case 4:
        e = ones, f |= UINT64_C(1) << (fraction - 1);
        break;
    case 5:
        e = ones, f = (part & ~(UINT64_C(1) << (fraction - 1))) | 1;
        break;
    case 6:
        e = ones - 1;
        break;
    case 7:
        e = ones - 1, f = (UINT64_C(1) << fraction) - 1;
        break;
    case 8:
        e = 1, f = part & 3;
        break;
    case 9:
        e = v >> 53 & ones;
        break;
    case 10:
        e = bias, f = 0;
        break;
    case 11: /* halves, for roundings to integers */
        e = bias + (v >> 60 & 3), f = (part >> (fraction - 3)) << (fraction - 3);
        break;
    case 12: /* as large as integers become */
        e = bias + 29 + (v >> 58 & 63), e = e < ones ? e : ones - 1;
        break;
    default:
        e = bias - 3 + (v >> 60 & 7);
    }
    return sign | e << fraction | f;
}

static inline uint64_t vector_half(uint64_t *s, unsigned kind)
{
    switch (kind) {
    case 0:
        return vector_float(s, 11, 52);
    case 1:
        return vector_float(s, 8, 23) | vector_float(s, 8, 23) << 32;
    case 2:
        return vector_float(s, 5, 10) | vector_float(s, 5, 10) << 16 |
               vector_float(s, 5, 10) << 32 | vector_float(s, 5, 10) << 48;
    default:
        return vector_integer(s);
    }
}

static inline uint32_t vector_word(uint64_t place)
{
    uint64_t s = place;
    return (uint32_t)vector_next(&s);
}

static inline void vector_registers(struct vector_state *t, unsigned wanted, uint64_t *s)
{
    /* numbers of the same kind in all registers, mostly */
    const unsigned any = (unsigned)(vector_next(s) & 3), kind = wanted ? wanted / 32 - 1 : any;
    for (unsigned r = 0; r < 31; r++)
        t->x[r] = vector_integer(s);
    for (unsigned r = 0; r < 32; r++) {
        const unsigned own = (unsigned)(vector_next(s) & 7);
        for (unsigned k = 0; k < 2; k++)
            t->v[r][k] = vector_half(s, own == 7 ? 3 : kind);
    }
}

/* Rounding to nearest in half of the vectors. */
static inline void vector_modes(struct vector_state *t, uint64_t *s)
{
    const uint64_t v = vector_next(s);
    t->nzcv = (v & 15) << 28;
    t->fpcr = v >> 4 & 1 ? 0 : (v >> 5 & 15) << 22;
    t->fpsr = v >> 9 & 1 ? 0 : (v >> 10 & 0x9f);
}

static inline void vector_place(struct vector_state *t, uint32_t word, unsigned kind, uint64_t *s)
{
    const uint64_t v = vector_next(s);
    const uint64_t address = VECTOR_SCRATCH + 1536 + (v & (kind & VECTOR_ALIGNED ? 0xf0 : 0xff));
    const unsigned n = word >> 5 & 31, m = word >> 16 & 31, d = word & 31;
    const bool is_word = !(word >> 13 & 1), is_signed = word >> 15 & 1;
    if (kind & VECTOR_INDEX && m < 31) {
        t->x[m] = (v >> 8 & 15) - (is_signed && v >> 12 & 1 ? 8 : 0);
        if (is_word) /* what is above does not count */
            t->x[m] = (t->x[m] & UINT32_MAX) | v >> 32 << 32;
    }
    if (kind & VECTOR_BASE && n < 31)
        t->x[n] = address;
    if (kind & VECTOR_TARGET && n < 31)
        t->x[n] = VECTOR_PC + 8;
    if (kind & VECTOR_DATA && d < 31)
        t->x[d] = address;
    t->sp = VECTOR_SCRATCH + 1536 + (v >> 16 & 0xf0);
}

static inline void vector_make(struct vector_state *t, uint32_t word, uint64_t seed, unsigned kind)
{
    uint64_t s = seed;
    vector_registers(t, kind & VECTOR_KIND, &s);
    vector_modes(t, &s);
    vector_place(t, word, kind, &s);
    t->step = 4;
}

/* `memory`: the scratch page. */
static inline uint32_t vector_digest(const struct vector_state *t, const uint64_t *memory)
{
    const uint64_t *at = (const uint64_t *)(const void *)t;
    uint64_t h = 0;
    for (unsigned i = 0; i < sizeof *t / 8; i++)
        h = (h ^ at[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
    for (unsigned i = 0; i < VECTOR_PAGE / 8; i++)
        h = (h ^ memory[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
    return (uint32_t)(h >> 32);
}

#endif
