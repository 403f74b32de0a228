/* Forms and their meaning, written as plainly as possible. */
#include "fuzz/exec/seq.h"

#include <math.h>
#include <string.h>

static float f32(uint64_t v)
{
    uint32_t u = (uint32_t)v;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

static uint64_t bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return f != f ? 0x7fffffff : u;
}

#define S32(x) ((int32_t)(uint32_t)(x))
#define U32(x) ((uint32_t)(x))
#define S64(x) ((int64_t)(x))

#define EVAL(name, expr)                                     \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c) \
    {                                                        \
        (void)a;                                             \
        (void)b;                                             \
        (void)c;                                             \
        return (uint64_t)(expr);                             \
    }

EVAL(e_add, U32(a + b))
EVAL(e_sub, U32(a - b))
EVAL(e_mul, U32(a *b))
EVAL(e_mulhi_u, (U32(a) * (uint64_t)U32(b)) >> 32)
EVAL(e_mulhi_s, U32((uint64_t)((int64_t)S32(a) * S32(b)) >> 32))
EVAL(e_mad, U32(a *b + c))
EVAL(e_mulwide_u, U32(a) * (uint64_t)U32(b))
EVAL(e_mulwide_s, (int64_t)S32(a) * S32(b))
EVAL(e_madwide, U32(a) * (uint64_t)U32(b) + c)
EVAL(e_div_u, U32(b) ? U32(a) / U32(b) : UINT32_MAX)
EVAL(e_rem_u, U32(b) ? U32(a) % U32(b) : UINT32_MAX)
EVAL(e_min_s, U32(S32(a) < S32(b) ? S32(a) : S32(b)))
EVAL(e_max_s, U32(S32(a) > S32(b) ? S32(a) : S32(b)))
EVAL(e_min_u, U32(a) < U32(b) ? U32(a) : U32(b))
EVAL(e_max_u, U32(a) > U32(b) ? U32(a) : U32(b))
EVAL(e_and, U32(a &b))
EVAL(e_or, U32(a | b))
EVAL(e_xor, U32(a ^ b))
EVAL(e_not, U32(~a))
EVAL(e_neg, U32(0 - a))
EVAL(e_abs, U32(S32(a) < 0 ? 0 - a : a))
EVAL(e_shl, U32(b) > 31 ? 0 : U32(a << U32(b)))
EVAL(e_shr_u, U32(b) > 31 ? 0 : U32(a) >> U32(b))
EVAL(e_shr_s, U32(S32(a) >> (U32(b) > 31 ? 31 : U32(b))))
EVAL(e_popc, __builtin_popcount(U32(a)))
EVAL(e_clz, U32(a) ? __builtin_clz(U32(a)) : 32)
EVAL(e_lop3, U32((a & b) | (a & c) | (b & c)))
EVAL(e_selp, c ? U32(a) : U32(b))
EVAL(e_sad, U32((S32(a) < S32(b) ? b - a : a - b) + c))
EVAL(e_add64, a + b)
EVAL(e_sub64, a - b)
EVAL(e_mul64, a *b)
EVAL(e_mad64, a *b + c)
EVAL(e_xor64, a ^ b)
EVAL(e_shl64, U32(b) > 63 ? 0 : a << U32(b))
EVAL(e_shr64, U32(b) > 63 ? 0 : a >> U32(b))
EVAL(e_shrs64, S64(a) >> (U32(b) > 63 ? 63 : U32(b)))
EVAL(e_min64, S64(a) < S64(b) ? a : b)
EVAL(e_cvt_u64_u32, U32(a))
EVAL(e_cvt_s64_s32, (int64_t)S32(a))
EVAL(e_cvt_u32_u64, U32(a))
EVAL(e_cvt_s32_s8, U32((int32_t)(int8_t)a))
EVAL(e_cvt_u32_u16, a & 0xffff)
EVAL(e_setp_lt_s, S32(a) < S32(b))
EVAL(e_setp_ge_u, U32(a) >= U32(b))
EVAL(e_setp_eq, U32(a) == U32(b))
EVAL(e_setp_ne_and, (U32(a) != U32(b)) && c)
EVAL(e_setp_lt64, S64(a) < S64(b))
EVAL(e_setp_gt_f, f32(a) > f32(b))
EVAL(e_setp_geu_f, !(f32(a) < f32(b)))
EVAL(e_pred_xor, a ^ b)
EVAL(e_pred_and, a &b)
EVAL(e_pred_not, !a)
EVAL(e_fadd, bits(f32(a) + f32(b)))
EVAL(e_fsub, bits(f32(a) - f32(b)))
EVAL(e_fmul, bits(f32(a) * f32(b)))
EVAL(e_ffma, bits(fmaf(f32(a), f32(b), f32(c))))
EVAL(e_fdiv, bits(f32(a) / f32(b)))
EVAL(e_fsqrt, bits(sqrtf(f32(a))))
EVAL(e_mov, a)
EVAL(e_cvt_f32_s32, bits((float)S32(a)))
EVAL(e_cvt_f32_u32, bits((float)U32(a)))

const struct seq_form seq_forms[] = {
    {"add.u32", "RRR", e_add},
    {"sub.s32", "RRR", e_sub},
    {"mul.lo.u32", "RRR", e_mul},
    {"mul.hi.u32", "RRR", e_mulhi_u},
    {"mul.hi.s32", "RRR", e_mulhi_s},
    {"mad.lo.s32", "RRRR", e_mad},
    {"mul.wide.u32", "DRR", e_mulwide_u},
    {"mul.wide.s32", "DRR", e_mulwide_s},
    {"mad.wide.u32", "DRRD", e_madwide},
    {"div.u32", "RRR", e_div_u},
    {"rem.u32", "RRR", e_rem_u},
    {"min.s32", "RRR", e_min_s},
    {"max.s32", "RRR", e_max_s},
    {"min.u32", "RRR", e_min_u},
    {"max.u32", "RRR", e_max_u},
    {"and.b32", "RRR", e_and},
    {"or.b32", "RRR", e_or},
    {"xor.b32", "RRR", e_xor},
    {"not.b32", "RR", e_not},
    {"neg.s32", "RR", e_neg},
    {"abs.s32", "RR", e_abs},
    {"shl.b32", "RRR", e_shl},
    {"shr.u32", "RRR", e_shr_u},
    {"shr.s32", "RRR", e_shr_s},
    {"popc.b32", "RR", e_popc},
    {"clz.b32", "RR", e_clz},
    {"lop3.b32", "RRRR232", e_lop3}, /* the table is printed behind the operands */
    {"selp.b32", "RRRP", e_selp},
    {"sad.s32", "RRRR", e_sad},
    {"add.u64", "DDD", e_add64},
    {"sub.s64", "DDD", e_sub64},
    {"mul.lo.u64", "DDD", e_mul64},
    {"mad.lo.s64", "DDDD", e_mad64},
    {"xor.b64", "DDD", e_xor64},
    {"shl.b64", "DDR", e_shl64},
    {"shr.u64", "DDR", e_shr64},
    {"shr.s64", "DDR", e_shrs64},
    {"min.s64", "DDD", e_min64},
    {"cvt.u64.u32", "DR", e_cvt_u64_u32},
    {"cvt.s64.s32", "DR", e_cvt_s64_s32},
    {"cvt.u32.u64", "RD", e_cvt_u32_u64},
    {"cvt.s32.s8", "RR", e_cvt_s32_s8},
    {"cvt.u32.u16", "RR", e_cvt_u32_u16},
    {"setp.lt.s32", "PRR", e_setp_lt_s},
    {"setp.ge.u32", "PRR", e_setp_ge_u},
    {"setp.eq.u32", "PRR", e_setp_eq},
    {"setp.ne.and.u32", "PRRP", e_setp_ne_and},
    {"setp.lt.s64", "PDD", e_setp_lt64},
    {"setp.gt.f32", "PFF", e_setp_gt_f},
    {"setp.geu.f32", "PFF", e_setp_geu_f},
    {"xor.pred", "PPP", e_pred_xor},
    {"and.pred", "PPP", e_pred_and},
    {"not.pred", "PP", e_pred_not},
    {"add.rn.f32", "FFF", e_fadd},
    {"sub.rn.f32", "FFF", e_fsub},
    {"mul.rn.f32", "FFF", e_fmul},
    {"fma.rn.f32", "FFFF", e_ffma},
    {"div.rn.f32", "FFF", e_fdiv},
    {"sqrt.rn.f32", "FF", e_fsqrt},
    {"mov.u32", "RR", e_mov},
    {"mov.b64", "DD", e_mov},
    {"mov.f32", "FF", e_mov},
    {"mov.pred", "PP", e_mov},
    {"mov.b32", "FR", e_mov},
    {"mov.b32", "RF", e_mov},
    {"cvt.rn.f32.s32", "FR", e_cvt_f32_s32},
    {"cvt.rn.f32.u32", "FR", e_cvt_f32_u32},
};

const unsigned seq_nforms = ARRAY_LEN(seq_forms);
