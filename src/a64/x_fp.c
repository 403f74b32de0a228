/* Scalar floating point: single and double precision, conversions, moves. */
#include "a64/exec_int.h"
#include "a64/fp_fast.h"

/* A result of 16, 32 or 64 bits; what is above is zero. */
#define PUT_H(value) (c->v[i->rd] = (union a64_vec){.h = {(uint16_t)(value)}})
#define PUT_S(value) (c->v[i->rd] = (union a64_vec){.s = {(uint32_t)(value)}})
#define PUT_D(value) (c->v[i->rd] = (union a64_vec){.d = {(value)}})
#define VN_H         (c->v[i->rn].h[0])
#define VN_S         (c->v[i->rn].s[0])
#define VM_S         (c->v[i->rm].s[0])
#define VA_S         (c->v[i->ra].s[0])
#define VN_D         (c->v[i->rn].d[0])
#define VM_D         (c->v[i->rm].d[0])
#define VA_D         (c->v[i->ra].d[0])
#define MINUS_S      0x80000000u
#define MINUS_D      (UINT64_C(1) << 63)

#define SCALAR(name, put, value) \
    EXEC(name)                   \
    {                            \
        put(value);              \
        NEXT;                    \
    }

/* Arithmetic of one precision: `p` s or d, P S or D. */
#define PRECISION(p, P, bits)                                                                      \
    SCALAR(fadd_##p, PUT_##P, fast_add##bits(c, VN_##P, VM_##P))                                   \
    SCALAR(fsub_##p, PUT_##P, fast_sub##bits(c, VN_##P, VM_##P))                                   \
    SCALAR(fmul_##p, PUT_##P, fast_mul##bits(c, VN_##P, VM_##P))                                   \
    SCALAR(fdiv_##p, PUT_##P, fast_div##bits(c, VN_##P, VM_##P))                                   \
    SCALAR(fnmul_##p, PUT_##P, fast_mul##bits(c, VN_##P, VM_##P) ^ MINUS_##P)                      \
    SCALAR(fmax_##p, PUT_##P, fp_max(c, FP##bits, VN_##P, VM_##P, false, false))                   \
    SCALAR(fmin_##p, PUT_##P, fp_max(c, FP##bits, VN_##P, VM_##P, true, false))                    \
    SCALAR(fmaxnm_##p, PUT_##P, fp_max(c, FP##bits, VN_##P, VM_##P, false, true))                  \
    SCALAR(fminnm_##p, PUT_##P, fp_max(c, FP##bits, VN_##P, VM_##P, true, true))                   \
    SCALAR(fmadd_##p, PUT_##P, fast_fma##bits(c, VA_##P, VN_##P, VM_##P))                          \
    SCALAR(fmsub_##p, PUT_##P, fast_fma##bits(c, VA_##P, VN_##P ^ MINUS_##P, VM_##P))              \
    SCALAR(fnmadd_##p, PUT_##P, fast_fma##bits(c, VA_##P ^ MINUS_##P, VN_##P ^ MINUS_##P, VM_##P)) \
    SCALAR(fnmsub_##p, PUT_##P, fast_fma##bits(c, VA_##P ^ MINUS_##P, VN_##P, VM_##P))             \
    SCALAR(fmov_##p, PUT_##P, VN_##P)                                                              \
    SCALAR(fabs_##p, PUT_##P, VN_##P & ~MINUS_##P)                                                 \
    SCALAR(fneg_##p, PUT_##P, VN_##P ^ MINUS_##P)                                                  \
    SCALAR(fsqrt_##p, PUT_##P, fast_sqrt##bits(c, VN_##P))                                         \
    SCALAR(frintn_##p, PUT_##P, fp_round(c, FP##bits, VN_##P, FP_NEAREST, false))                  \
    SCALAR(frintp_##p, PUT_##P, fp_round(c, FP##bits, VN_##P, FP_UP, false))                       \
    SCALAR(frintm_##p, PUT_##P, fp_round(c, FP##bits, VN_##P, FP_DOWN, false))                     \
    SCALAR(frintz_##p, PUT_##P, fp_round(c, FP##bits, VN_##P, FP_TO_ZERO, false))                  \
    SCALAR(frinta_##p, PUT_##P, fp_round(c, FP##bits, VN_##P, FP_AWAY, false))                     \
    SCALAR(frintx_##p, PUT_##P, fp_round(c, FP##bits, VN_##P, fp_rounding_of(c), true))            \
    SCALAR(frinti_##p, PUT_##P, fp_round(c, FP##bits, VN_##P, fp_rounding_of(c), false))           \
    SCALAR(fcsel_##p, PUT_##P, holds(c, i->imm) ? VN_##P : VM_##P)                                 \
    SCALAR(fmov_i_##p, PUT_##P, i->imm)                                                            \
    SCALAR(fcmp_##p, c->nzcv =, fast_compare##bits(c, VN_##P, VM_##P, false))                      \
    SCALAR(fcmpe_##p, c->nzcv =, fast_compare##bits(c, VN_##P, VM_##P, true))                      \
    SCALAR(fcmp_zero_##p, c->nzcv =, fast_compare##bits(c, VN_##P, 0, false))                      \
    SCALAR(fcmpe_zero_##p, c->nzcv =, fast_compare##bits(c, VN_##P, 0, true))                      \
    SCALAR(fccmp_##p, c->nzcv =,                                                                   \
           holds(c, i->imm) ? fast_compare##bits(c, VN_##P, VM_##P, false) : i->size)              \
    SCALAR(fccmpe_##p, c->nzcv =,                                                                  \
           holds(c, i->imm) ? fast_compare##bits(c, VN_##P, VM_##P, true) : i->size)
PRECISION(s, S, 32)
PRECISION(d, D, 64)

/* --- other precisions --- */

SCALAR(fcvt_hs, PUT_H, fp_convert(c, FP32, FP16, VN_S))
SCALAR(fcvt_hd, PUT_H, fp_convert(c, FP64, FP16, VN_D))
SCALAR(fcvt_sh, PUT_S, fp_convert(c, FP16, FP32, VN_H))
SCALAR(fcvt_dh, PUT_D, fp_convert(c, FP16, FP64, VN_H))

EXEC(fcvt_ds)
{
    const uint32_t v = VN_S;
    PUT_D(LIKELY(is_plain32(v)) ? bits_of64(host32(v)) : fp_convert(c, FP32, FP64, v));
    NEXT;
}

EXEC(fcvt_sd)
{
    const uint64_t v = VN_D;
    const uint32_t r = bits_of32((float)host64(v));
    const bool is_fast = fp_is_fast(c) && is_plain64(v) && is_normal32(r);
    PUT_S(LIKELY(is_fast) ? r : fp_convert(c, FP64, FP32, v));
    NEXT;
}

/* --- integers --- */

/* Of both widths of integers; `shift` is the rounding, imm the places behind the point. */
#define INTEGERS(p, P, bits, x, X, width)                                                        \
    EXEC(fcvts_##x##p)                                                                           \
    {                                                                                            \
        PUT##width(fast_to_int##bits(c, VN_##P, width, true, (enum fp_rounding)i->shift));       \
        NEXT;                                                                                    \
    }                                                                                            \
    EXEC(fcvtu_##x##p)                                                                           \
    {                                                                                            \
        PUT##width(fp_to_int(c, FP##bits, VN_##P, width, false, (enum fp_rounding)i->shift, 0)); \
        NEXT;                                                                                    \
    }                                                                                            \
    EXEC(fcvtzs_fixed_##x##p)                                                                    \
    {                                                                                            \
        PUT##width(fp_to_int(c, FP##bits, VN_##P, width, true, FP_TO_ZERO, (unsigned)i->imm));   \
        NEXT;                                                                                    \
    }                                                                                            \
    EXEC(fcvtzu_fixed_##x##p)                                                                    \
    {                                                                                            \
        PUT##width(fp_to_int(c, FP##bits, VN_##P, width, false, FP_TO_ZERO, (unsigned)i->imm));  \
        NEXT;                                                                                    \
    }                                                                                            \
    SCALAR(scvtf_##p##x, PUT_##P, fast_from_int##bits(c, (uint64_t)(int##width##_t)RN, true))    \
    SCALAR(ucvtf_##p##x, PUT_##P, fast_from_int##bits(c, (uint##width##_t)RN, false))            \
    SCALAR(scvtf_fixed_##p##x, PUT_##P,                                                          \
           fp_from_int(c, FP##bits, (uint64_t)(int##width##_t)RN, true, (unsigned)i->imm))       \
    SCALAR(ucvtf_fixed_##p##x, PUT_##P,                                                          \
           fp_from_int(c, FP##bits, (uint##width##_t)RN, false, (unsigned)i->imm))
INTEGERS(s, S, 32, w, W, 32)
INTEGERS(s, S, 32, x, X, 64)
INTEGERS(d, D, 64, w, W, 32)
INTEGERS(d, D, 64, x, X, 64)

EXEC(fmov_ws)
{
    PUT32(VN_S);
    NEXT;
}

EXEC(fmov_xd)
{
    PUT64(VN_D);
    NEXT;
}

EXEC(fmov_x_top)
{
    PUT64(c->v[i->rn].d[1]);
    NEXT;
}

SCALAR(fmov_sw, PUT_S, RN)
SCALAR(fmov_dx, PUT_D, RN)

EXEC(fmov_top_x)
{
    c->v[i->rd].d[1] = RN;
    NEXT;
}
