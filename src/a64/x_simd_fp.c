/* SIMD on floats of single and double precision, and the scalar forms that share their functions.
 */
#include "a64/fp_fast.h"
#include "a64/x_simd.h"

typedef union a64_vec vec;

/* In `result`: x, y, z are the elements of rn, rm and of rd as it was, KIND their
 * precision, BITS their width. */
#define ELEMENTS(bits, field, result)                           \
    for (unsigned k = 0; k < i->shift / (bits / 8u); k++) {     \
        typedef uint##bits##_t U;                               \
        const enum fp_kind KIND = FP##bits;                     \
        const unsigned BITS = bits;                             \
        const U x = a.field[k], y = b.field[k], z = d.field[k]; \
        (void)x, (void)y, (void)z, (void)KIND, (void)BITS;      \
        r.field[k] = (U)(result);                               \
    }
#define FLOATS_OF(name, second, result32, result64)             \
    EXEC(v_##name)                                              \
    {                                                           \
        const vec a = c->v[i->rn], b = second, d = c->v[i->rd]; \
        vec r = {0};                                            \
        if (i->size == 2)                                       \
            ELEMENTS(32, s, result32)                           \
        else                                                    \
            ELEMENTS(64, d, result64)                           \
        c->v[i->rd] = r;                                        \
        NEXT;                                                   \
    }
#define FLOATS(name, result32, result64) FLOATS_OF(name, c->v[i->rm & 31], result32, result64)
/* The same text for both. */
#define EITHER(name, result) FLOATS(name, result, result)
#define SIGN                 (UINT64_C(1) << (BITS - 1))

FLOATS(fadd, fast_add32(c, x, y), fast_add64(c, x, y))
FLOATS(fsub, fast_sub32(c, x, y), fast_sub64(c, x, y))
FLOATS(fmul, fast_mul32(c, x, y), fast_mul64(c, x, y))
FLOATS(fdiv, fast_div32(c, x, y), fast_div64(c, x, y))
FLOATS(fabd, fast_sub32(c, x, y) & ~SIGN, fast_sub64(c, x, y) & ~SIGN)
FLOATS(fmla, fast_fma32(c, z, x, y), fast_fma64(c, z, x, y))
FLOATS(fmls, fast_fma32(c, z, x ^ (U)SIGN, y), fast_fma64(c, z, x ^ (U)SIGN, y))
FLOATS(fsqrt, fast_sqrt32(c, x), fast_sqrt64(c, x))
EITHER(fmulx, fp_mulx(c, KIND, x, y))
EITHER(fmax, fp_max(c, KIND, x, y, false, false))
EITHER(fmin, fp_max(c, KIND, x, y, true, false))
EITHER(fmaxnm, fp_max(c, KIND, x, y, false, true))
EITHER(fminnm, fp_max(c, KIND, x, y, true, true))
EITHER(fabs, x & ~SIGN)
EITHER(fneg, x ^ SIGN)
EITHER(frintn, fp_round(c, KIND, x, FP_NEAREST, false))
EITHER(frintp, fp_round(c, KIND, x, FP_UP, false))
EITHER(frintm, fp_round(c, KIND, x, FP_DOWN, false))
EITHER(frintz, fp_round(c, KIND, x, FP_TO_ZERO, false))
EITHER(frinta, fp_round(c, KIND, x, FP_AWAY, false))
EITHER(frintx, fp_round(c, KIND, x, fp_rounding_of(c), true))
EITHER(frinti, fp_round(c, KIND, x, fp_rounding_of(c), false))

/* --- reciprocals: first guesses, steps --- */

EITHER(frecps, fp_recip_step(c, KIND, x, y))
EITHER(frsqrts, fp_root_step(c, KIND, x, y))
EITHER(frecpe, fp_recip_guess(c, KIND, x))
EITHER(frsqrte, fp_root_guess(c, KIND, x))
EITHER(frecpx, fp_recip_power(c, KIND, x))
EITHER(urecpe, fp_recip_guess_int((uint32_t)x))
EITHER(ursqrte, fp_root_guess_int((uint32_t)x))

/* --- comparisons: all ones, or zero; nothing is equal to, or larger than, a NaN --- */

#define COMPARE(name, a32, b32, signals, wanted)                                     \
    FLOATS(name, fast_compare32(c, (U)(a32), (U)(b32), signals) & (wanted) ? -1 : 0, \
           fast_compare64(c, (U)(a32), (U)(b32), signals) & (wanted) ? -1 : 0)
/* the flags of "larger" and "unordered" share C: what is asked for is the other way round */
COMPARE(fcmeq, x, y, false, A64_Z)
COMPARE(fcmgt, y, x, true, A64_N)
COMPARE(facgt, y & ~SIGN, x & ~SIGN, true, A64_N)
COMPARE(fcmge, y, x, true, A64_N | A64_Z)
COMPARE(facge, y & ~SIGN, x & ~SIGN, true, A64_N | A64_Z)
COMPARE(fcmeq0, x, 0, false, A64_Z)
COMPARE(fcmgt0, 0, x, true, A64_N)
COMPARE(fcmge0, 0, x, true, A64_N | A64_Z)
COMPARE(fcmlt0, x, 0, true, A64_N)
COMPARE(fcmle0, x, 0, true, A64_N | A64_Z)

/* --- integers --- */

#define TO_INTEGER(name, is_signed, rounding) \
    EITHER(name, fp_to_int(c, KIND, x, BITS, is_signed, rounding, 0))
TO_INTEGER(fcvtns, true, FP_NEAREST)
TO_INTEGER(fcvtnu, false, FP_NEAREST)
TO_INTEGER(fcvtms, true, FP_DOWN)
TO_INTEGER(fcvtmu, false, FP_DOWN)
TO_INTEGER(fcvtps, true, FP_UP)
TO_INTEGER(fcvtpu, false, FP_UP)
TO_INTEGER(fcvtas, true, FP_AWAY)
TO_INTEGER(fcvtau, false, FP_AWAY)
TO_INTEGER(fcvtzu, false, FP_TO_ZERO)
FLOATS(fcvtzs, fast_to_int32(c, x, 32, true, FP_TO_ZERO), fast_to_int64(c, x, 64, true, FP_TO_ZERO))
FLOATS(scvtf, fast_from_int32(c, (uint64_t)(int32_t)x, true), fast_from_int64(c, x, true))
FLOATS(ucvtf, fast_from_int32(c, x, false), fast_from_int64(c, x, false))
#define PLACES ((unsigned)i->imm)
FLOATS(scvtf_fixed, fp_from_int(c, FP32, (uint64_t)(int32_t)x, true, PLACES),
       fp_from_int(c, FP64, x, true, PLACES))
EITHER(ucvtf_fixed, fp_from_int(c, KIND, x, false, PLACES))
EITHER(fcvtzs_fixed, fp_to_int(c, KIND, x, BITS, true, FP_TO_ZERO, PLACES))
EITHER(fcvtzu_fixed, fp_to_int(c, KIND, x, BITS, false, FP_TO_ZERO, PLACES))

/* --- with one element of rm --- */

static vec spread(const struct a64_cpu *c, const struct a64_inst *i)
{
    const vec *m = &c->v[i->rm];
    vec r;
    for (unsigned k = 0; k < 4; k++)
        r.s[k] = m->s[i->ra & 3];
    if (i->size == 3)
        r.d[0] = r.d[1] = m->d[i->ra & 1];
    return r;
}

FLOATS_OF(fmul_elem, spread(c, i), fast_mul32(c, x, y), fast_mul64(c, x, y))
FLOATS_OF(fmulx_elem, spread(c, i), fp_mulx(c, KIND, x, y), fp_mulx(c, KIND, x, y))
FLOATS_OF(fmla_elem, spread(c, i), fast_fma32(c, z, x, y), fast_fma64(c, z, x, y))
FLOATS_OF(fmls_elem, spread(c, i), fast_fma32(c, z, x ^ (U)SIGN, y),
          fast_fma64(c, z, x ^ (U)SIGN, y))

/* --- pairs, and all elements --- */

#define KIND_OF (i->size == 2 ? FP32 : FP64)
#define PAIRS_AND_ALL(name, result)                                                       \
    PAIRS(name##p, simd_element, result)                                                  \
    static uint64_t all_##name(struct a64_cpu *c, const struct a64_inst *i, const vec *v, \
                               unsigned first, unsigned n)                                \
    {                                                                                     \
        if (n == 1)                                                                       \
            return simd_element(v, i->size, first);                                       \
        const uint64_t x = all_##name(c, i, v, first, n / 2);                             \
        const uint64_t y = all_##name(c, i, v, first + n / 2, n / 2);                     \
        return (result);                                                                  \
    }                                                                                     \
    EXEC(v_##name##v)                                                                     \
    {                                                                                     \
        const vec a = c->v[i->rn];                                                        \
        vec r = {0};                                                                      \
        simd_put(&r, i->size, 0, all_##name(c, i, &a, 0, (unsigned)i->shift >> i->size)); \
        c->v[i->rd] = r;                                                                  \
        NEXT;                                                                             \
    }
PAIRS_AND_ALL(fadd, fp_add(c, KIND_OF, x, y))
PAIRS_AND_ALL(fmax, fp_max(c, KIND_OF, x, y, false, false))
PAIRS_AND_ALL(fmin, fp_max(c, KIND_OF, x, y, true, false))
PAIRS_AND_ALL(fmaxnm, fp_max(c, KIND_OF, x, y, false, true))
PAIRS_AND_ALL(fminnm, fp_max(c, KIND_OF, x, y, true, true))

/* --- other precisions: the narrow side is half a register, from byte imm on --- */

EXEC(v_fcvtl16)
{
    const vec a = c->v[i->rn];
    for (unsigned k = 0; k < 4; k++)
        c->v[i->rd].s[k] = (uint32_t)fp_convert(c, FP16, FP32, a.h[i->imm / 2 + k]);
    NEXT;
}

EXEC(v_fcvtl32)
{
    const vec a = c->v[i->rn];
    for (unsigned k = 0; k < 2; k++)
        c->v[i->rd].d[k] = fp_convert(c, FP32, FP64, a.s[i->imm / 4 + k]);
    NEXT;
}

EXEC(v_fcvtn16)
{
    const vec a = c->v[i->rn];
    vec *d = &c->v[i->rd];
    d->d[1] = 0;
    for (unsigned k = 0; k < 4; k++)
        d->h[i->imm / 2 + k] = (uint16_t)fp_convert(c, FP32, FP16, a.s[k]);
    NEXT;
}

EXEC(v_fcvtn32)
{
    const vec a = c->v[i->rn];
    vec *d = &c->v[i->rd];
    d->d[1] = 0;
    for (unsigned k = 0; k < 2; k++)
        d->s[i->imm / 4 + k] = (uint32_t)fp_convert(c, FP64, FP32, a.d[k]);
    NEXT;
}

/* Rounded to odd, so that another rounding to a narrower format is right; a scalar has one element.
 */
EXEC(v_fcvtxn)
{
    const vec a = c->v[i->rn];
    vec r = {.d = {i->imm ? c->v[i->rd].d[0] : 0, 0}};
    for (unsigned k = 0; k < (i->shift < 8 ? 1u : 2u); k++)
        r.s[i->imm / 4 + k] = (uint32_t)fp_convert_by(c, FP64, FP32, a.d[k], FP_ODD);
    c->v[i->rd] = r;
    NEXT;
}
