/* SIMD on integers. Every function works on the elements of `shift` bytes of the registers; what is
 * above is zero. */
#include "a64/x_simd.h"

#include <string.h>

typedef union a64_vec vec;

/* One loop for each size of elements. In `result`: x, y, z are the elements of rn, rm and of rd as
 * it was, without a sign; X, Y, Z with one; U the type, BITS its width; k the element. */
#define ELEMENTS(field, bits, result)                                     \
    for (unsigned k = 0; k < i->shift / (bits / 8u); k++) {               \
        typedef uint##bits##_t U;                                         \
        typedef int##bits##_t S;                                          \
        const unsigned BITS = bits;                                       \
        const U x = a.field[k], y = b.field[k], z = d.field[k];           \
        const S X = (S)x, Y = (S)y, Z = (S)z;                             \
        (void)x, (void)y, (void)z, (void)X, (void)Y, (void)Z, (void)BITS; \
        r.field[k] = (U)(result);                                         \
    }                                                                     \
    break
#define OPERATION(name, result)                                           \
    EXEC(v_##name)                                                        \
    {                                                                     \
        const vec a = c->v[i->rn], b = c->v[i->rm & 31], d = c->v[i->rd]; \
        vec r = {0};                                                      \
        switch (i->size) {                                                \
        case 0:                                                           \
            ELEMENTS(b, 8, result);                                       \
        case 1:                                                           \
            ELEMENTS(h, 16, result);                                      \
        case 2:                                                           \
            ELEMENTS(s, 32, result);                                      \
        default:                                                          \
            ELEMENTS(d, 64, result);                                      \
        }                                                                 \
        c->v[i->rd] = r;                                                  \
        NEXT;                                                             \
    }

/* --- arithmetic --- */

OPERATION(add, x + y)
OPERATION(sub, x - y)
OPERATION(mul, (uint64_t)x *y)
OPERATION(mla, z + (uint64_t)x * y)
OPERATION(mls, z - (uint64_t)x * y)
OPERATION(abs, X < 0 ? -(uint64_t)x : x)
OPERATION(neg, -(uint64_t)x)
OPERATION(smax, X > Y ? x : y)
OPERATION(umax, x > y ? x : y)
OPERATION(smin, X < Y ? x : y)
OPERATION(umin, x < y ? x : y)
OPERATION(sabd, X > Y ? x - y : y - x)
OPERATION(uabd, x > y ? x - y : y - x)
OPERATION(saba, z + (X > Y ? x - y : y - x))
OPERATION(uaba, z + (x > y ? x - y : y - x))
/* of elements that are narrower than 64 bits */
OPERATION(shadd, ((int64_t)X + Y) >> 1)
OPERATION(uhadd, ((uint64_t)x + y) >> 1)
OPERATION(srhadd, ((int64_t)X + Y + 1) >> 1)
OPERATION(urhadd, ((uint64_t)x + y + 1) >> 1)
OPERATION(shsub, (int64_t)((uint64_t)(int64_t)X - (uint64_t)(int64_t)Y) >> 1)
OPERATION(uhsub, ((uint64_t)x - y) >> 1)

/* --- comparisons: all ones, or zero --- */

OPERATION(cmeq, x == y ? -1 : 0)
OPERATION(cmtst, x &y ? -1 : 0)
OPERATION(cmgt, X > Y ? -1 : 0)
OPERATION(cmge, X >= Y ? -1 : 0)
OPERATION(cmhi, x > y ? -1 : 0)
OPERATION(cmhs, x >= y ? -1 : 0)
OPERATION(cmgt0, X > 0 ? -1 : 0)
OPERATION(cmge0, X >= 0 ? -1 : 0)
OPERATION(cmeq0, X == 0 ? -1 : 0)
OPERATION(cmle0, X <= 0 ? -1 : 0)
OPERATION(cmlt0, X < 0 ? -1 : 0)

/* --- bits --- */

#define LOGIC(name, result)                                                     \
    EXEC(v_##name)                                                              \
    {                                                                           \
        const vec *n = &c->v[i->rn], *m = &c->v[i->rm & 31], *d = &c->v[i->rd]; \
        vec r = {0};                                                            \
        for (unsigned k = 0; k < i->shift / 8u; k++) {                          \
            const uint64_t x = n->d[k], y = m->d[k], z = d->d[k];               \
            (void)x, (void)y, (void)z;                                          \
            r.d[k] = (result);                                                  \
        }                                                                       \
        c->v[i->rd] = r;                                                        \
        NEXT;                                                                   \
    }
LOGIC(and, x &y)
LOGIC(bic, x & ~y)
LOGIC(orr, x | y)
LOGIC(orn, x | ~y)
LOGIC(eor, x ^ y)
LOGIC(bsl, (z & x) | (~z & y))
LOGIC(bit, (z & ~y) | (x & y))
LOGIC(bif, (z & y) | (x & ~y))
LOGIC(not, ~x)
LOGIC(orr_i, z | i->imm)
LOGIC(bic_i, z & ~i->imm)
LOGIC(move_i, i->imm)

static unsigned leading_zeros(uint64_t v, unsigned width)
{
    return v ? (unsigned)__builtin_clzll(v) - (64 - width) : width;
}

static uint8_t reverse8(uint8_t v)
{
    v = (uint8_t)(v >> 4 | v << 4);
    v = (uint8_t)((v >> 2 & 0x33) | (v & 0x33) << 2);
    return (uint8_t)((v >> 1 & 0x55) | (v & 0x55) << 1);
}

OPERATION(clz, leading_zeros(x, BITS))
OPERATION(cls, leading_zeros((U)(X < 0 ? ~x : x), BITS) - 1)
OPERATION(cnt, __builtin_popcountll(x))
OPERATION(rbit, reverse8((uint8_t)x))

/* Elements in reverse order within groups of `bytes`. */
static vec reversed(const vec *v, unsigned used, unsigned size, unsigned bytes)
{
    const unsigned one = 1u << size;
    vec r = {0};
    for (unsigned at = 0; at < used; at += one)
        memcpy(r.b + at, v->b + (at / bytes * bytes + (bytes - one - at % bytes)), one);
    return r;
}

#define REVERSE(name, bytes)                                            \
    EXEC(v_##name)                                                      \
    {                                                                   \
        c->v[i->rd] = reversed(&c->v[i->rn], i->shift, i->size, bytes); \
        NEXT;                                                           \
    }
REVERSE(rev16, 2)
REVERSE(rev32, 4)
REVERSE(rev64, 8)

/* --- shifts: by the lowest byte of an simd_element, to the right if that is negative --- */

static uint64_t shifted(__int128 v, int by, unsigned width, bool rounds)
{
    if (by >= 0)
        return by >= (int)width ? 0 : (uint64_t)v << by;
    const unsigned down = by < -100 ? 100 : (unsigned)-by;
    return (uint64_t)((rounds ? v + ((__int128)1 << (down - 1)) : v) >> down);
}

OPERATION(sshl, shifted(X, (int8_t)y, BITS, false))
OPERATION(ushl, shifted(x, (int8_t)y, BITS, false))
OPERATION(srshl, shifted(X, (int8_t)y, BITS, true))
OPERATION(urshl, shifted(x, (int8_t)y, BITS, true))

#define DOWN (-(int)i->imm)
OPERATION(sshr, shifted(X, DOWN, BITS, false))
OPERATION(ushr, shifted(x, DOWN, BITS, false))
OPERATION(ssra, z + shifted(X, DOWN, BITS, false))
OPERATION(usra, z + shifted(x, DOWN, BITS, false))
OPERATION(srshr, shifted(X, DOWN, BITS, true))
OPERATION(urshr, shifted(x, DOWN, BITS, true))
OPERATION(srsra, z + shifted(X, DOWN, BITS, true))
OPERATION(ursra, z + shifted(x, DOWN, BITS, true))
OPERATION(shl, (uint64_t)x << i->imm)
OPERATION(sli, (uint64_t)x << i->imm | (z & ((UINT64_C(1) << i->imm) - 1)))
OPERATION(sri, shifted(x, DOWN, BITS, false) | (z & ~shifted((U)-1, DOWN, BITS, false)))

/* --- pairs and sums --- */

PAIRS(addp, simd_element, x + y)
PAIRS(smaxp, simd_signed, x > y ? x : y)
PAIRS(umaxp, simd_element, x > y ? x : y)
PAIRS(sminp, simd_signed, x < y ? x : y)
PAIRS(uminp, simd_element, x < y ? x : y)

EXEC(d_addp)
{
    c->v[i->rd] = (vec){.d = {c->v[i->rn].d[0] + c->v[i->rn].d[1]}};
    NEXT;
}

/* Neighbours added to one of twice the width. */
#define LONG_PAIRS(name, get, start)                                         \
    EXEC(v_##name)                                                           \
    {                                                                        \
        const vec a = c->v[i->rn], d = c->v[i->rd];                          \
        vec r = {0};                                                         \
        for (unsigned k = 0; k < (unsigned)i->shift >> i->size >> 1; k++)    \
            simd_put(&r, i->size + 1u, k,                                    \
                     (uint64_t)(start) + (uint64_t)get(&a, i->size, 2 * k) + \
                         (uint64_t)get(&a, i->size, 2 * k + 1));             \
        (void)d;                                                             \
        c->v[i->rd] = r;                                                     \
        NEXT;                                                                \
    }
LONG_PAIRS(saddlp, simd_signed, 0)
LONG_PAIRS(uaddlp, simd_element, 0)
LONG_PAIRS(sadalp, simd_signed, simd_element(&d, i->size + 1u, k))
LONG_PAIRS(uadalp, simd_element, simd_element(&d, i->size + 1u, k))

#define ACROSS(name, get, wider, result)                               \
    EXEC(v_##name)                                                     \
    {                                                                  \
        const vec a = c->v[i->rn];                                     \
        __auto_type x = get(&a, i->size, 0);                           \
        for (unsigned k = 1; k < (unsigned)i->shift >> i->size; k++) { \
            const __auto_type y = get(&a, i->size, k);                 \
            x = (result);                                              \
        }                                                              \
        vec r = {0};                                                   \
        simd_put(&r, i->size + wider##u, 0, (uint64_t)x);              \
        c->v[i->rd] = r;                                               \
        NEXT;                                                          \
    }
ACROSS(addv, simd_element, 0, x + y)
ACROSS(saddlv, simd_signed, 1, x + y)
ACROSS(uaddlv, simd_element, 1, x + y)
ACROSS(smaxv, simd_signed, 0, x > y ? x : y)
ACROSS(umaxv, simd_element, 0, x > y ? x : y)
ACROSS(sminv, simd_signed, 0, x < y ? x : y)
ACROSS(uminv, simd_element, 0, x < y ? x : y)

/* --- twice as wide: narrow elements are those of a half of the register, from byte imm on --- */

#define LONG(name, get, getn, result)                                                     \
    EXEC(v_##name)                                                                        \
    {                                                                                     \
        const vec a = c->v[i->rn], b = c->v[i->rm & 31], d = c->v[i->rd];                 \
        const unsigned first = (unsigned)i->imm >> i->size;                               \
        vec r;                                                                            \
        for (unsigned k = 0; k < 8u >> i->size; k++) {                                    \
            const uint64_t x = (uint64_t)getn, y = (uint64_t)get(&b, i->size, first + k), \
                           z = simd_element(&d, i->size + 1u, k);                         \
            (void)y, (void)z;                                                             \
            simd_put(&r, i->size + 1u, k, (result));                                      \
        }                                                                                 \
        c->v[i->rd] = r;                                                                  \
        NEXT;                                                                             \
    }
#define NARROW_X(get) get(&a, i->size, first + k)
#define WIDE_X        simd_element(&a, i->size + 1u, k)
#define BOTH_SIGNS(s, get)                                                           \
    LONG(s##addl, get, NARROW_X(get), x + y)                                         \
    LONG(s##subl, get, NARROW_X(get), x - y)                                         \
    LONG(s##addw, get, WIDE_X, x + y)                                                \
    LONG(s##subw, get, WIDE_X, x - y)                                                \
    LONG(s##abdl, get, NARROW_X(get), (int64_t)x > (int64_t)y ? x - y : y - x)       \
    LONG(s##abal, get, NARROW_X(get), z + ((int64_t)x > (int64_t)y ? x - y : y - x)) \
    LONG(s##mull, get, NARROW_X(get), x *y)                                          \
    LONG(s##mlal, get, NARROW_X(get), z + x * y)                                     \
    LONG(s##mlsl, get, NARROW_X(get), z - x * y)
BOTH_SIGNS(s, simd_signed)
BOTH_SIGNS(u, simd_element)

/* The same shift for all; `first` is in rm. */
#define LONG_SHIFT(name, get)                                                       \
    EXEC(v_##name)                                                                  \
    {                                                                               \
        const vec a = c->v[i->rn];                                                  \
        vec r;                                                                      \
        for (unsigned k = 0; k < 8u >> i->size; k++)                                \
            simd_put(&r, i->size + 1u, k,                                           \
                     (uint64_t)get(&a, i->size, (i->rm >> i->size) + k) << i->imm); \
        c->v[i->rd] = r;                                                            \
        NEXT;                                                                       \
    }
LONG_SHIFT(sshll, simd_signed)
LONG_SHIFT(ushll, simd_element)

EXEC(v_shll)
{
    const vec a = c->v[i->rn];
    vec r;
    for (unsigned k = 0; k < 8u >> i->size; k++)
        simd_put(&r, i->size + 1u, k,
                 simd_element(&a, i->size, ((unsigned)i->imm >> i->size) + k) << (8u << i->size));
    c->v[i->rd] = r;
    NEXT;
}

/* Half as wide, into one half of rd from byte `first` on: the lower clears the upper. */
#define NARROW(name, first, result)                                   \
    EXEC(v_##name)                                                    \
    {                                                                 \
        const vec a = c->v[i->rn], b = c->v[i->rm & 31];              \
        const unsigned width = 8u << i->size, at = (unsigned)(first); \
        vec r = c->v[i->rd];                                          \
        r.d[1] = 0; /* unless it is written now */                    \
        for (unsigned k = 0; k < 8u >> i->size; k++) {                \
            const uint64_t x = simd_element(&a, i->size + 1u, k),     \
                           y = simd_element(&b, i->size + 1u, k);     \
            (void)y, (void)width;                                     \
            simd_put(&r, i->size, (at >> i->size) + k, (result));     \
        }                                                             \
        c->v[i->rd] = r;                                              \
        NEXT;                                                         \
    }
#define HALF (UINT64_C(1) << (width - 1))
NARROW(xtn, i->imm, x)
NARROW(addhn, i->imm, (x + y) >> width)
NARROW(raddhn, i->imm, (x + y + HALF) >> width)
NARROW(subhn, i->imm, (x - y) >> width)
NARROW(rsubhn, i->imm, (x - y + HALF) >> width)
NARROW(shrn, i->rm, x >> i->imm)
NARROW(rshrn, i->rm, (uint64_t)(((unsigned __int128)x + (UINT64_C(1) << (i->imm - 1))) >> i->imm))

/* --- products with one element --- */

#define BY_ELEMENT(name, result)                                                               \
    EXEC(v_##name##_elem)                                                                      \
    {                                                                                          \
        const vec a = c->v[i->rn], d = c->v[i->rd];                                            \
        const uint64_t y = simd_element(&c->v[i->rm], i->size, i->ra);                         \
        vec r = {0};                                                                           \
        for (unsigned k = 0; k < (unsigned)i->shift >> i->size; k++) {                         \
            const uint64_t x = simd_element(&a, i->size, k), z = simd_element(&d, i->size, k); \
            (void)z;                                                                           \
            simd_put(&r, i->size, k, (result));                                                \
        }                                                                                      \
        c->v[i->rd] = r;                                                                       \
        NEXT;                                                                                  \
    }
BY_ELEMENT(mul, x *y)
BY_ELEMENT(mla, z + x * y)
BY_ELEMENT(mls, z - x * y)

#define LONG_BY_ELEMENT(name, get, result)                                                    \
    EXEC(v_##name##_elem)                                                                     \
    {                                                                                         \
        const vec a = c->v[i->rn], d = c->v[i->rd];                                           \
        const uint64_t y = (uint64_t)get(&c->v[i->rm], i->size, i->ra);                       \
        vec r;                                                                                \
        for (unsigned k = 0; k < 8u >> i->size; k++) {                                        \
            const uint64_t x = (uint64_t)get(&a, i->size, ((unsigned)i->imm >> i->size) + k); \
            const uint64_t z = simd_element(&d, i->size + 1u, k);                             \
            (void)z;                                                                          \
            simd_put(&r, i->size + 1u, k, (result));                                          \
        }                                                                                     \
        c->v[i->rd] = r;                                                                      \
        NEXT;                                                                                 \
    }
LONG_BY_ELEMENT(smull, simd_signed, x *y)
LONG_BY_ELEMENT(umull, simd_element, x *y)
LONG_BY_ELEMENT(smlal, simd_signed, z + x * y)
LONG_BY_ELEMENT(umlal, simd_element, z + x * y)
LONG_BY_ELEMENT(smlsl, simd_signed, z - x * y)
LONG_BY_ELEMENT(umlsl, simd_element, z - x * y)
