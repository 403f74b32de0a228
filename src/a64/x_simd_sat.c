/* SIMD instructions that saturate: a result beyond what its element can hold becomes the nearest
 * that it can, and FPSR.QC is set. And products of polynomials. */
#include "a64/exec_int.h"
#include "a64/fp.h"
#include "a64/simd.h"

typedef union a64_vec vec;
typedef __int128 wide;

static uint64_t to_signed(struct a64_cpu *c, wide v, unsigned width)
{
    const wide most = ((wide)1 << (width - 1)) - 1, least = -most - 1;
    if (v >= least && v <= most)
        return (uint64_t)v;
    c->fpsr |= FPSR_SATURATED;
    return (uint64_t)(v < 0 ? least : most);
}

static uint64_t to_unsigned(struct a64_cpu *c, wide v, unsigned width)
{
    const wide most = ((wide)1 << width) - 1;
    if (v >= 0 && v <= most)
        return (uint64_t)v;
    c->fpsr |= FPSR_SATURATED;
    return v < 0 ? 0 : (uint64_t)most;
}

/* To the left by `by`, or to the right if it is negative; as far as to saturate for sure. */
static wide moved(wide v, int by, bool rounds)
{
    if (by >= 0)
        return by < 63 || !v ? v * ((wide)1 << (by < 63 ? by : 0))
               : v > 0       ? (wide)1 << 100
                             : -((wide)1 << 100);
    const unsigned down = by < -100 ? 100 : (unsigned)-by;
    return (rounds ? v + ((wide)1 << (down - 1)) : v) >> down;
}

/* Elements of the same size; in `result` X, Y, Z have a sign, x, y, z none. */
#define SAME_OF(name, second, result)                                                     \
    EXEC(v_##name)                                                                        \
    {                                                                                     \
        const vec a = c->v[i->rn], b = c->v[i->rm & 31], d = c->v[i->rd];                 \
        const unsigned width = 8u << i->size;                                             \
        vec r = {0};                                                                      \
        for (unsigned k = 0; k < (unsigned)i->shift >> i->size; k++) {                    \
            const wide X = simd_signed(&a, i->size, k), x = simd_element(&a, i->size, k); \
            const wide Y = simd_signed(&b, i->size, second),                              \
                       y = simd_element(&b, i->size, second);                             \
            const wide Z = simd_signed(&d, i->size, k), z = simd_element(&d, i->size, k); \
            (void)X, (void)x, (void)Y, (void)y, (void)Z, (void)z;                         \
            simd_put(&r, i->size, k, (result));                                           \
        }                                                                                 \
        c->v[i->rd] = r;                                                                  \
        NEXT;                                                                             \
    }
#define SAME(name, result) SAME_OF(name, k, result)

SAME(sqadd, to_signed(c, X + Y, width))
SAME(uqadd, to_unsigned(c, x + y, width))
SAME(sqsub, to_signed(c, X - Y, width))
SAME(uqsub, to_unsigned(c, x - y, width))
SAME(suqadd, to_signed(c, Z + x, width))
SAME(usqadd, to_unsigned(c, z + X, width))
SAME(sqabs, to_signed(c, X < 0 ? -X : X, width))
SAME(sqneg, to_signed(c, -X, width))
SAME(sqshl, to_signed(c, moved(X, (int8_t)y, false), width))
SAME(uqshl, to_unsigned(c, moved(x, (int8_t)y, false), width))
SAME(sqrshl, to_signed(c, moved(X, (int8_t)y, true), width))
SAME(uqrshl, to_unsigned(c, moved(x, (int8_t)y, true), width))
SAME(sqshl_i, to_signed(c, moved(X, (int)i->imm, false), width))
SAME(uqshl_i, to_unsigned(c, moved(x, (int)i->imm, false), width))
SAME(sqshlu_i, to_unsigned(c, moved(X, (int)i->imm, false), width))
#define HIGH_HALF(round) to_signed(c, (2 * X * Y + (round)) >> width, width)
SAME(sqdmulh, HIGH_HALF(0))
SAME(sqrdmulh, HIGH_HALF((wide)1 << (width - 1)))
SAME_OF(sqdmulh_elem, i->ra, HIGH_HALF(0))
SAME_OF(sqrdmulh_elem, i->ra, HIGH_HALF((wide)1 << (width - 1)))

/* --- half as wide: into the half from byte `first` on; a scalar has one element --- */

#define NARROW(name, first, result)                                              \
    EXEC(v_##name)                                                               \
    {                                                                            \
        const vec a = c->v[i->rn];                                               \
        const unsigned width = 8u << i->size, at = (unsigned)(first) >> i->size; \
        vec r = {.d = {at ? c->v[i->rd].d[0] : 0, 0}};                           \
        for (unsigned k = 0; k < (i->shift < 8 ? 1u : 8u >> i->size); k++) {     \
            const wide X = simd_signed(&a, i->size + 1u, k),                     \
                       x = simd_element(&a, i->size + 1u, k);                    \
            (void)X, (void)x;                                                    \
            simd_put(&r, i->size, at + k, (result));                             \
        }                                                                        \
        c->v[i->rd] = r;                                                         \
        NEXT;                                                                    \
    }
#define DOWN (-(int)i->imm)
NARROW(sqxtn, i->imm, to_signed(c, X, width))
NARROW(uqxtn, i->imm, to_unsigned(c, x, width))
NARROW(sqxtun, i->imm, to_unsigned(c, X, width))
NARROW(sqshrn, i->rm, to_signed(c, moved(X, DOWN, false), width))
NARROW(uqshrn, i->rm, to_unsigned(c, moved(x, DOWN, false), width))
NARROW(sqrshrn, i->rm, to_signed(c, moved(X, DOWN, true), width))
NARROW(uqrshrn, i->rm, to_unsigned(c, moved(x, DOWN, true), width))
NARROW(sqshrun, i->rm, to_unsigned(c, moved(X, DOWN, false), width))
NARROW(sqrshrun, i->rm, to_unsigned(c, moved(X, DOWN, true), width))

/* --- twice as wide: doubled products, saturated before and behind the sum --- */

#define DOUBLED(name, second, result)                                               \
    EXEC(v_##name)                                                                  \
    {                                                                               \
        const vec a = c->v[i->rn], b = c->v[i->rm], d = c->v[i->rd];                \
        const unsigned first = (unsigned)i->imm >> i->size, width = 16u << i->size; \
        vec r = {0};                                                                \
        for (unsigned k = 0; k < (i->shift < 8 ? 1u : 8u >> i->size); k++) {        \
            const int64_t x = simd_signed(&a, i->size, first + k),                  \
                          y = simd_signed(&b, i->size, second);                     \
            const uint64_t product = to_signed(c, (wide)2 * x * y, width);          \
            const wide p = (int64_t)product, z = simd_signed(&d, i->size + 1u, k);  \
            (void)z;                                                                \
            simd_put(&r, i->size + 1u, k, to_signed(c, (result), width));           \
        }                                                                           \
        c->v[i->rd] = r;                                                            \
        NEXT;                                                                       \
    }
#define DOUBLED_BOTH(name, result)   \
    DOUBLED(name, first + k, result) \
    DOUBLED(name##_elem, i->ra, result)
DOUBLED_BOTH(sqdmull, p)
DOUBLED_BOTH(sqdmlal, z + p)
DOUBLED_BOTH(sqdmlsl, z - p)

/* --- polynomials: sums without carry --- */

static unsigned __int128 polynomial(uint64_t a, uint64_t b)
{
    unsigned __int128 r = 0;
    for (unsigned k = 0; k < 64; k++)
        r ^= a >> k & 1 ? (unsigned __int128)b << k : 0;
    return r;
}

EXEC(v_pmul)
{
    const vec a = c->v[i->rn], b = c->v[i->rm];
    vec r = {0};
    for (unsigned k = 0; k < i->shift; k++)
        r.b[k] = (uint8_t)polynomial(a.b[k], b.b[k]);
    c->v[i->rd] = r;
    NEXT;
}

EXEC(v_pmull)
{
    const vec a = c->v[i->rn], b = c->v[i->rm];
    vec r;
    for (unsigned k = 0; k < 8; k++)
        r.h[k] = (uint16_t)polynomial(a.b[i->imm + k], b.b[i->imm + k]);
    c->v[i->rd] = r;
    NEXT;
}

EXEC(v_pmull_q)
{
    const unsigned half = (unsigned)i->imm / 8;
    const unsigned __int128 r = polynomial(c->v[i->rn].d[half], c->v[i->rm].d[half]);
    c->v[i->rd] = (vec){.d = {(uint64_t)r, (uint64_t)(r >> 64)}};
    NEXT;
}
