/* The special functions in single precision, step by step as in exec/sfu.h. */
#include "jit/emit.h"

#include "exec/softfp.h"

static val k32(const struct emit *e, uint32_t v)
{
    return emit_const(e, 32, v);
}

static val kf(const struct emit *e, float v)
{
    return emit_real(emit_f32(e), (double)v);
}

static val bits(const struct emit *e, val real)
{
    return b_as(e, real, emit_int(e, 32));
}

static val real(const struct emit *e, val word)
{
    return b_as(e, word, emit_f32(e));
}

/* c[0] x^(n-1) + c[1] x^(n-2) + ... */
static val poly(const struct emit *e, val x, const float *c, unsigned n)
{
    val p = kf(e, c[0]);
    for (unsigned i = 1; i < n; i++)
        p = b_fadd(e, b_fmul(e, p, x), kf(e, c[i]));
    return p;
}

static val exp_poly(const struct emit *e, val f)
{
    static const float c[] = {0x1.448ea8p-13f,
                              0x1.5f456ep-10f,
                              0x1.3b29acp-7f,
                              0x1.c6aed6p-5f,
                              0x1.ebfbe0p-3f,
                              0x1.62e430p-1f,
                              1.0f};
    return poly(e, f, c, ARRAY_LEN(c));
}

static val power_of_2(const struct emit *e, val k)
{
    return real(e, b_shl(e, b_add(e, k, k32(e, 127)), k32(e, 23)));
}

static void ex2(struct emit *e, val v)
{
    val low = kf(e, -160.0f), high = kf(e, 160.0f), magic = kf(e, 0x1.8p23f);
    val c = b_select(e, b_fcmp(e, LLVMRealOLT, v, low), low, v);
    c = b_select(e, b_fcmp(e, LLVMRealOGT, c, high), high, c);
    val shifted = b_fadd(e, c, magic);
    val k = b_sub(e, bits(e, shifted), k32(e, 0x4b400000)), k1 = b_ashr(e, k, k32(e, 1));
    val p = exp_poly(e, b_fsub(e, c, b_fsub(e, shifted, magic)));
    val r = b_fmul(e, b_fmul(e, p, power_of_2(e, k1)), power_of_2(e, b_sub(e, k, k1)));
    val nan = b_fcmp(e, LLVMRealUNO, v, v);
    emit_set(e, b_select(e, nan, k32(e, F32_NAN), bits(e, r)));
}

static void ex2_ftz(struct emit *e, val v)
{
    val magic = kf(e, 0x1.8p23f), shifted = b_fadd(e, v, magic);
    val p = bits(e, exp_poly(e, b_fsub(e, v, b_fsub(e, shifted, magic))));
    val r = b_add(e, p, b_shl(e, bits(e, shifted), k32(e, 23)));
    val over = b_fcmp(e, LLVMRealOGE, v, kf(e, 128.0f));
    val under = b_fcmp(e, LLVMRealOLT, v, kf(e, -126.0f));
    r = b_select(e, under, k32(e, 0), b_select(e, over, k32(e, F32_INF), r));
    emit_set(e, b_select(e, b_fcmp(e, LLVMRealUNO, v, v), k32(e, F32_NAN), r));
    emit_set_is_flushed(e);
}

static void emit_ex2(struct emit *e, const struct emit_row *row)
{
    (void)row;
    if (e->op->variant & LV_FTZ)
        ex2_ftz(e, emit_src_f32(e, 0, false));
    else
        ex2(e, emit_src_f32(e, 0, false));
}

/* The results of the others are zero or at least 2^-24, with .ftz or without. */
static void set(struct emit *e, val r)
{
    emit_set(e, r);
    emit_set_is_flushed(e);
}

static val lg2_poly(const struct emit *e, val f)
{
    static const float c[] = {
        -0x1.c205e6p-4f, 0x1.81b7e6p-3f,  -0x1.89c360p-3f, 0x1.a2645cp-3f,  -0x1.ea4ddcp-3f,
        0x1.27815ep-2f,  -0x1.715d74p-2f, 0x1.ec708ep-2f,  -0x1.71546ap-1f, 0x1.715476p+0f,
    };
    return poly(e, f, c, ARRAY_LEN(c));
}

/* x as a normal number: times 2^23 if it is not, which the exponent tells. With .ftz there are none
 * but zeros, whose logarithm is none of what is computed. */
static val normal(struct emit *e, val v, val x, val *exponent)
{
    if (e->op->variant & LV_FTZ)
        return x;
    val tiny = b_icmp(e, LLVMIntULT, x, k32(e, 0x00800000));
    *exponent = b_select(e, tiny, k32(e, 23), k32(e, 0));
    return b_select(e, tiny, bits(e, b_fmul(e, v, kf(e, 0x1p23f))), x);
}

static void emit_lg2(struct emit *e, const struct emit_row *row)
{
    val v = emit_src_f32(e, 0, e->op->variant & LV_FTZ), x = bits(e, v), less = NULL;
    (void)row;
    val shifted = b_sub(e, normal(e, v, x, &less), k32(e, 0x3f3504f3));
    val exponent = b_ashr(e, shifted, k32(e, 23));
    if (less)
        exponent = b_sub(e, exponent, less);
    val m = b_add(e, b_and(e, shifted, k32(e, 0x007fffff)), k32(e, 0x3f3504f3));
    val f = b_fsub(e, real(e, m), kf(e, 1.0f));
    val whole = b_cast(e, LLVMSIToFP, exponent, emit_f32(e));
    val r = bits(e, b_fadd(e, whole, b_fmul(e, f, lg2_poly(e, f))));
    val zero = b_icmp(e, LLVMIntEQ, b_and(e, x, k32(e, ~F32_SIGN)), k32(e, 0));
    r = b_select(e, b_icmp(e, LLVMIntEQ, x, k32(e, F32_INF)), x, r);
    r = b_select(e, b_icmp(e, LLVMIntUGT, x, k32(e, F32_INF)), k32(e, F32_NAN), r);
    set(e, b_select(e, zero, k32(e, F32_SIGN | F32_INF), r));
}

/* x * y rounded to zero, for positive numbers. */
static val mul_rz(const struct emit *e, val x, val y)
{
    val p = b_fmul(e, x, y);
    val args[] = {x, y, LLVMBuildFNeg(e->b, p, "")};
    val above = b_fcmp(e, LLVMRealOLT, b_call(e, "llvm.fma", 3, args), kf(e, 0.0f));
    return real(e, b_sub(e, bits(e, p), b_cast(e, LLVMZExt, above, emit_int(e, 32))));
}

static val turns(const struct emit *e, val magnitude)
{
    val t = mul_rz(e, magnitude, kf(e, 0x1.45f306p-3f));
    t = b_select(e, b_fcmp(e, LLVMRealOLT, t, kf(e, 0x1p23f)), t, kf(e, 0.0f));
    val whole = b_cast(e, LLVMSIToFP, b_cast(e, LLVMFPToSI, t, emit_int(e, 32)), emit_f32(e));
    val part = b_fmul(e, b_fsub(e, t, whole), kf(e, 0x1p25f));
    return b_cast(e, LLVMFPToSI, part, emit_int(e, 32));
}

static val sine(const struct emit *e, val k)
{
    static const float c[] = {0x1.5bb83ap-19f, -0x1.9f41fap-13f, 0x1.110d74p-7f, -0x1.55553cp-3f};
    val back = b_ashr(e, b_shl(e, k, k32(e, 8)), k32(e, 31));
    val quarter = b_and(e, b_xor(e, k, back), k32(e, 0x7fffff));
    val a = b_fmul(e, b_cast(e, LLVMSIToFP, quarter, emit_f32(e)), kf(e, 0x1.921fb6p-23f));
    val s = b_fmul(e, a, a), p = poly(e, s, c, ARRAY_LEN(c)), one = kf(e, 1.0f);
    val r = b_fadd(e, b_fmul(e, b_fmul(e, p, s), a), a);
    r = b_select(e, b_fcmp(e, LLVMRealOLT, r, one), r, one);
    val sign = b_and(e, b_shl(e, k, k32(e, 7)), k32(e, F32_SIGN));
    return b_fadd(e, real(e, b_xor(e, bits(e, r), sign)), kf(e, 0.0f));
}

static void emit_sin_cos(struct emit *e, const struct emit_row *row)
{
    val x = bits(e, emit_src_f32(e, 0, e->op->variant & LV_FTZ));
    val magnitude = b_and(e, x, k32(e, ~F32_SIGN)), k = turns(e, real(e, magnitude)), r;
    if (row->op == PTX_OP_COS)
        r = bits(e, sine(e, b_add(e, k, k32(e, 0x800000))));
    else
        r = b_xor(e, bits(e, sine(e, k)), b_and(e, x, k32(e, F32_SIGN)));
    val no_number = b_icmp(e, LLVMIntUGE, magnitude, k32(e, F32_INF));
    set(e, b_select(e, no_number, k32(e, F32_NAN), r));
}

#define VARIANTS (LV_APPROX | LV_FTZ)
const struct emit_row emit_rows_sfu[] = {
    EMIT_ROW(EX2, EMIT_TYPE(F32), VARIANTS, emit_ex2, 0),
    EMIT_ROW(LG2, EMIT_TYPE(F32), VARIANTS, emit_lg2, 0),
    EMIT_ROW(SIN, EMIT_TYPE(F32), VARIANTS, emit_sin_cos, 0),
    EMIT_ROW(COS, EMIT_TYPE(F32), VARIANTS, emit_sin_cos, 0),
    {0},
};
