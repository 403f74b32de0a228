/* Conversions: see exec/mv/lanes_cvt.c. */
#include "jit/emit.h"

#include "exec/softfp.h"

static enum ptx_type to_type(const struct emit *e)
{
    return (enum ptx_type)e->op->type;
}

static enum ptx_type from_type(const struct emit *e)
{
    return (enum ptx_type)e->op->type2;
}

static bool is_int(unsigned t)
{
    return t == PTX_U8 || t == PTX_S8 || ((EMIT_U | EMIT_S) >> t & 1);
}

/* Widens or narrows, with the sign of type `t`. */
static val resize(struct emit *e, val x, unsigned bits, enum ptx_type t)
{
    const unsigned have = emit_bits_of(x);
    if (have == bits)
        return x;
    const LLVMOpcode widen = ptx_type_is_signed(t) ? LLVMSExt : LLVMZExt;
    return b_cast(e, have > bits ? LLVMTrunc : widen, x, emit_int(e, bits));
}

/* The source as a number of its type's width; 8-bit values live in 16-bit elements. */
static val int_source(struct emit *e)
{
    return resize(e, emit_src(e, 0), ptx_type_bits(from_type(e)), from_type(e));
}

static void set_int(struct emit *e, val v)
{
    const unsigned bits = ptx_type_bits(to_type(e));
    emit_set(e, bits == 8 ? resize(e, v, 16, to_type(e)) : v);
}

/* --- integers to integers --- */

static uint64_t largest(enum ptx_type t)
{
    return UINT64_MAX >> (64 - ptx_type_bits(t) + ptx_type_is_signed(t));
}

static val clamp_high(struct emit *e, val x, uint64_t most, bool is_signed)
{
    val k = b_const_like(e, x, most);
    return b_select(e, b_icmp(e, is_signed ? LLVMIntSGT : LLVMIntUGT, x, k), k, x);
}

static val clamp(struct emit *e, val x)
{
    const enum ptx_type d = to_type(e), s = from_type(e);
    const bool is_signed = ptx_type_is_signed(s);
    if (largest(d) < largest(s))
        x = clamp_high(e, x, largest(d), is_signed);
    if (!is_signed)
        return x;
    const bool has_negative = ptx_type_is_signed(d);
    if (has_negative && ptx_type_bits(d) >= ptx_type_bits(s))
        return x;
    val low = b_const_like(e, x, has_negative ? ~largest(d) : 0);
    return b_select(e, b_icmp(e, LLVMIntSLT, x, low), low, x);
}

static void int_to_int(struct emit *e)
{
    val x = int_source(e);
    if (e->op->variant & LV_SAT)
        x = clamp(e, x);
    set_int(e, resize(e, x, ptx_type_bits(to_type(e)), from_type(e)));
}

/* --- integers to floating point --- */

static void int_to_real(struct emit *e)
{
    const LLVMOpcode how = ptx_type_is_signed(from_type(e)) ? LLVMSIToFP : LLVMUIToFP;
    const bool wide = to_type(e) == PTX_F64;
    val r = b_cast(e, how, int_source(e), wide ? emit_f64(e) : emit_f32(e));
    emit_set(e, b_as(e, r, emit_int(e, wide ? 64 : 32)));
}

/* --- floating point to integers --- */

static val round_integral(struct emit *e, val x)
{
    switch (e->op->lane->mode) {
    case PTX_M_RNI:
        return b_call(e, "llvm.rint", 1, &x);
    case PTX_M_RZI:
        return b_call(e, "llvm.trunc", 1, &x);
    case PTX_M_RMI:
        return b_call(e, "llvm.floor", 1, &x);
    case PTX_M_RPI:
        return b_call(e, "llvm.ceil", 1, &x);
    default:
        return x;
    }
}

/* Single precision to s32 without leaving it. */
static void single_to_s32(struct emit *e)
{
    val x = emit_src_f32(e, 0, e->op->lane->ftz), y = round_integral(e, x);
    LLVMTypeRef f32 = emit_f32(e);
    val high = b_fcmp(e, LLVMRealOGE, x, emit_real(f32, 0x1p31));
    val low = emit_real(f32, -0x1p31), zero = emit_real(f32, 0.0);
    val c = b_select(e, b_fcmp(e, LLVMRealOLT, y, low), low, y);
    c = b_select(e, b_or(e, high, b_fcmp(e, LLVMRealUNO, y, y)), zero, c);
    val n = b_cast(e, LLVMFPToSI, c, emit_int(e, 32));
    set_int(e, b_select(e, high, emit_const(e, 32, INT32_MAX), n));
}

static val double_source(struct emit *e)
{
    if (from_type(e) == PTX_F64)
        return emit_src_f64(e, 0);
    return b_cast(e, LLVMFPExt, emit_src_f32(e, 0, e->op->lane->ftz), emit_f64(e));
}

/* A NaN is zero, but where the source has 64 bits only the top bit is set. */
static uint64_t nan_as_int(const struct emit *e)
{
    return from_type(e) == PTX_F64 ? UINT64_C(1) << (ptx_type_bits(to_type(e)) - 1) : 0;
}

static void double_to_int(struct emit *e)
{
    const enum ptx_type t = to_type(e);
    LLVMTypeRef f64 = emit_f64(e);
    const double most = (double)largest(t), least = ptx_type_is_signed(t) ? -most - 1 : 0;
    val x = round_integral(e, double_source(e));
    val low = emit_real(f64, least), high = emit_real(f64, most);
    val y = b_select(e, b_fcmp(e, LLVMRealOLT, x, high), x, high);
    y = b_select(e, b_fcmp(e, LLVMRealOGT, x, low), y, low);
    if (t == PTX_U32)
        y = b_fsub(e, y, emit_real(f64, 0x1p31));
    val n = b_cast(e, LLVMFPToSI, y, emit_int(e, 32));
    if (t == PTX_U32)
        n = b_xor(e, n, emit_const(e, 32, 0x80000000));
    n = resize(e, n, ptx_type_bits(t), t);
    val nan = b_fcmp(e, LLVMRealUNO, x, x);
    set_int(e, b_select(e, nan, b_const_like(e, n, nan_as_int(e)), n));
}

static void double_to_int64(struct emit *e)
{
    const bool is_signed = to_type(e) == PTX_S64;
    LLVMTypeRef f64 = emit_f64(e);
    val x = round_integral(e, double_source(e)), top = emit_const(e, 64, F64_SIGN);
    val n = b_cast(e, is_signed ? LLVMFPToSI : LLVMFPToUI, x, emit_int(e, 64));
    val low = b_fcmp(e, LLVMRealOLT, x, emit_real(f64, is_signed ? -0x1p63 : 0.0));
    val high = b_fcmp(e, LLVMRealOGE, x, emit_real(f64, is_signed ? 0x1p63 : 0x1p64));
    n = b_select(e, low, is_signed ? top : emit_const(e, 64, 0), n);
    n = b_select(e, high, emit_const(e, 64, is_signed ? INT64_MAX : UINT64_MAX), n);
    emit_set(e, b_select(e, b_fcmp(e, LLVMRealUNO, x, x), top, n));
}

static void real_to_int(struct emit *e)
{
    if (ptx_type_bits(to_type(e)) == 64)
        double_to_int64(e);
    else if (to_type(e) == PTX_S32 && from_type(e) == PTX_F32)
        single_to_s32(e);
    else
        double_to_int(e);
}

/* --- floating point to floating point --- */

static void real_to_real(struct emit *e)
{
    const enum ptx_type d = to_type(e), s = from_type(e);
    if (d == PTX_F64 && s == PTX_F32) {
        emit_set_f64(e, b_cast(e, LLVMFPExt, emit_src_f32(e, 0, false), emit_f64(e)));
    } else if (d == PTX_F32 && s == PTX_F64) { /* the NaN's payload would stay */
        val r = emit_narrow(e, emit_src_f64(e, 0), emit_f32(e));
        emit_leave_if(e, b_fcmp(e, LLVMRealUNO, r, r));
        emit_set(e, b_as(e, r, emit_int(e, 32)));
    } else if (e->op->variant == LV_SAT) {
        emit_set(e, emit_saturate(e, emit_src(e, 0)));
    } else if (!e->op->variant) {
        emit_set_copy(e);
    } else {
        emit_set_f32(e, round_integral(e, emit_src_f32(e, 0, false)), false, false);
    }
}

/* --- halves --- */

static LLVMTypeRef half_type(const struct emit *e)
{
    return LLVMVectorType(LLVMHalfTypeInContext(e->ctx), RUN_STRIP_LANES);
}

static val half_of(struct emit *e, unsigned k)
{
    val x = emit_src_f32(e, k, false), h = emit_narrow(e, x, half_type(e));
    return b_select(e, b_fcmp(e, LLVMRealUNO, x, x), emit_const(e, 16, 0x7fff),
                    b_as(e, h, emit_int(e, 16)));
}

static void half_forms(struct emit *e)
{
    if (to_type(e) == PTX_F16) {
        emit_set(e, half_of(e, 0));
    } else if (to_type(e) == PTX_F16X2) {
        LLVMTypeRef word = emit_int(e, 32);
        val hi = b_cast(e, LLVMZExt, half_of(e, 0), word);
        val lo = b_cast(e, LLVMZExt, half_of(e, 1), word);
        emit_set(e, b_or(e, b_shl(e, hi, emit_const(e, 32, 16)), lo));
    } else {
        val h = b_as(e, emit_src(e, 0), half_type(e));
        emit_set_f32(e, b_cast(e, LLVMFPExt, h, emit_f32(e)), false, false);
    }
}

/* --- which of them --- */

static bool is_plain(const struct run_op *op)
{
    return op->lane->rnd == LANE_RN && !op->lane->flag && !op->lane->imm;
}

static bool knows_int_to_real(const struct run_op *op)
{
    const bool exact = ptx_type_bits((enum ptx_type)op->type2) < 32 ||
                       (op->type == PTX_F64 && ptx_type_bits((enum ptx_type)op->type2) == 32);
    const bool nearest = op->lane->rnd == LANE_RN &&
                         (op->type == PTX_F64 || ptx_type_bits((enum ptx_type)op->type2) == 32);
    return (op->type == PTX_F32 || op->type == PTX_F64) && (exact || nearest) && !op->lane->sat &&
           !op->lane->mode && !op->lane->flag;
}

static bool knows_real_to_real(const struct run_op *op)
{
    const bool to_same = op->type == PTX_F32 && op->type2 == PTX_F32;
    const bool resizes = (op->type == PTX_F32 && op->type2 == PTX_F64) ||
                         (op->type == PTX_F64 && op->type2 == PTX_F32);
    const bool halves = ((op->type == PTX_F16 || op->type == PTX_F16X2) && op->type2 == PTX_F32) ||
                        (op->type == PTX_F32 && op->type2 == PTX_F16);
    return (to_same && op->variant != LV_ANY) || ((resizes || halves) && !op->variant);
}

static bool knows_cvt(const struct run_op *op)
{
    if (is_int(op->type) && is_int(op->type2))
        return true;
    if (is_int(op->type2))
        return knows_int_to_real(op);
    if (is_int(op->type))
        return (op->type2 == PTX_F32 || op->type2 == PTX_F64) && is_plain(op);
    return knows_real_to_real(op);
}

static void emit_cvt(struct emit *e, const struct emit_row *row)
{
    const bool from_int = is_int(from_type(e)), to_int = is_int(to_type(e));
    (void)row;
    if (from_int && to_int)
        int_to_int(e);
    else if (from_int)
        int_to_real(e);
    else if (to_int)
        real_to_int(e);
    else if (to_type(e) == PTX_F16 || to_type(e) == PTX_F16X2 || from_type(e) == PTX_F16)
        half_forms(e);
    else
        real_to_real(e);
}

const struct emit_row emit_rows_cvt[] = {
    EMIT_ROW_IF(CVT, UINT64_MAX, emit_cvt, knows_cvt),
    {0},
};
