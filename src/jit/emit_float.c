/* Single and double precision: see exec/mv/lanes_f32.c and lanes_f64.c. */
#include "jit/emit.h"

#include "exec/softfp.h"

static bool is_ftz(const struct emit *e)
{
    return e->op->variant & LV_FTZ;
}

static bool is_double(const struct emit *e)
{
    return e->op->type == PTX_F64;
}

static val source(struct emit *e, unsigned k)
{
    return is_double(e) ? emit_src_f64(e, k) : emit_src_f32(e, k, is_ftz(e));
}

static void result(struct emit *e, val r)
{
    if (is_double(e))
        emit_set_f64(e, r);
    else
        emit_set_f32(e, r, is_ftz(e), e->op->variant & LV_SAT);
}

/* Of an operation that makes no subnormal number of others. */
static void result_as_flushed(struct emit *e, val r)
{
    if (is_double(e)) {
        emit_set_f64(e, r);
        return;
    }
    emit_set_f32(e, r, false, e->op->variant & LV_SAT);
    if (is_ftz(e))
        emit_set_is_flushed(e);
}

static val one_like(val x)
{
    return emit_real(LLVMTypeOf(x), 1.0);
}

static void emit_arith(struct emit *e, const struct emit_row *row)
{
    val x = source(e, 0), y = source(e, 1);
    result(e, LLVMBuildBinOp(e->b, (LLVMOpcode)row->arg, x, y, ""));
}

static void emit_fma(struct emit *e, const struct emit_row *row)
{
    val args[] = {source(e, 0), source(e, 1), source(e, 2)};
    (void)row;
    result(e, b_call(e, "llvm.fma", 3, args));
}

static void emit_neg(struct emit *e, const struct emit_row *row)
{
    (void)row;
    result_as_flushed(e, LLVMBuildFNeg(e->b, source(e, 0), ""));
}

static void emit_abs(struct emit *e, const struct emit_row *row)
{
    val x = source(e, 0);
    (void)row;
    result_as_flushed(e, b_call(e, "llvm.fabs", 1, &x));
}

static val root(const struct emit *e, val x)
{
    return b_call(e, "llvm.sqrt", 1, &x);
}

static void emit_rcp(struct emit *e, const struct emit_row *row)
{
    val x = source(e, 0);
    (void)row;
    result(e, b_fdiv(e, one_like(x), x));
}

static void emit_sqrt(struct emit *e, const struct emit_row *row)
{
    (void)row;
    result_as_flushed(e, root(e, source(e, 0)));
}

static void emit_rsqrt(struct emit *e, const struct emit_row *row)
{
    val x = source(e, 0);
    (void)row;
    result_as_flushed(e, b_fdiv(e, one_like(x), root(e, x)));
}

/* div.approx: the reciprocal of a divisor beyond 2^126 is zero. */
static void emit_div_approx(struct emit *e, const struct emit_row *row)
{
    val x = source(e, 0), y = source(e, 1), from = emit_const(e, 32, 0x7e800001);
    (void)row;
    val none = b_fmul(e, b_fmul(e, x, emit_real(LLVMTypeOf(x), 0.0)), y);
    val m = b_and(e, b_as(e, y, emit_int(e, 32)), emit_const(e, 32, ~F32_SIGN));
    val is_huge = b_icmp(e, LLVMIntULT, b_sub(e, m, from), emit_const(e, 32, F32_INF - 0x7e800001));
    result(e, b_select(e, is_huge, none, b_fdiv(e, x, y)));
}

static val bits_as_int(const struct emit *e, val x)
{
    return b_as(e, x, emit_int(e, is_double(e) ? 64 : 32));
}

/* Of zeros of both signs, -0 is the smaller one. A NaN operand is dropped unless .NaN is given. */
static void emit_min_max(struct emit *e, const struct emit_row *row)
{
    val x = source(e, 0), y = source(e, 1), ix = bits_as_int(e, x), iy = bits_as_int(e, y);
    const bool is_max = row->op == PTX_OP_MAX;
    val first = b_fcmp(e, is_max ? LLVMRealOGT : LLVMRealOLT, x, y);
    val zeros = is_max ? b_and(e, ix, iy) : b_or(e, ix, iy);
    val equal = b_fcmp(e, LLVMRealOEQ, x, y), r = b_select(e, first, ix, iy);
    r = b_select(e, equal, zeros, r);
    val nan_x = b_fcmp(e, LLVMRealUNO, x, x), nan_y = b_fcmp(e, LLVMRealUNO, y, y);
    if (e->op->variant & LV_NAN)
        r = b_select(e, nan_x, ix, b_select(e, nan_y, iy, r));
    else
        r = b_select(e, nan_x, iy, b_select(e, nan_y, ix, r));
    result_as_flushed(e, b_as(e, r, LLVMTypeOf(x)));
}

static void emit_copysign(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1);
    (void)row;
    val sign = b_const_like(e, x, is_double(e) ? F64_SIGN : F32_SIGN);
    emit_set(e, b_or(e, b_and(e, x, sign), b_and(e, y, b_not(e, sign))));
}

/* The .approx.ftz forms in double precision know only the upper word, and flush. */
static val flush_high(struct emit *e, val bits)
{
    val field = b_and(e, bits, emit_const(e, 64, F64_INF));
    val keep = b_select(e, b_icmp(e, LLVMIntEQ, field, emit_const(e, 64, 0)),
                        emit_const(e, 64, F64_SIGN), emit_const(e, 64, 0xffffffff00000000u));
    return b_and(e, bits, keep);
}

static void emit_high(struct emit *e, const struct emit_row *row)
{
    val x = b_as(e, flush_high(e, emit_src(e, 0)), emit_f64(e));
    val r = b_fdiv(e, one_like(x), row->op == PTX_OP_RSQRT ? root(e, x) : x);
    val nan = b_fcmp(e, LLVMRealUNO, r, r);
    emit_set(e, b_select(e, nan, emit_const(e, 64, 0x7fffffff00000000u),
                         flush_high(e, b_as(e, r, emit_int(e, 64)))));
}

static bool is_high(const struct run_op *op)
{
    return op->variant == (LV_APPROX | LV_FTZ);
}

#define F32     EMIT_TYPE(F32)
#define F64     EMIT_TYPE(F64)
#define FTZ_SAT (LV_FTZ | LV_SAT)
const struct emit_row emit_rows_float[] = {
    EMIT_ROW(ADD, F32 | F64, FTZ_SAT, emit_arith, LLVMFAdd),
    EMIT_ROW(SUB, F32 | F64, FTZ_SAT, emit_arith, LLVMFSub),
    EMIT_ROW(MUL, F32 | F64, FTZ_SAT, emit_arith, LLVMFMul),
    EMIT_ROW(DIV, F32 | F64, LV_FTZ, emit_arith, LLVMFDiv),
    EMIT_ROW(DIV, F32, LV_FTZ | LV_APPROX, emit_div_approx, 0),
    EMIT_ROW(FMA, F32 | F64, FTZ_SAT, emit_fma, 0),
    EMIT_ROW(NEG, F32 | F64, LV_FTZ, emit_neg, 0),
    EMIT_ROW(ABS, F32 | F64, LV_FTZ, emit_abs, 0),
    EMIT_ROW(MIN, F32 | F64, LV_FTZ | LV_NAN, emit_min_max, 0),
    EMIT_ROW(MAX, F32 | F64, LV_FTZ | LV_NAN, emit_min_max, 0),
    EMIT_ROW(COPYSIGN, F32 | F64, 0, emit_copysign, 0),
    EMIT_ROW(RCP, F32, LV_FTZ | LV_APPROX, emit_rcp, 0),
    EMIT_ROW(SQRT, F32, LV_FTZ | LV_APPROX, emit_sqrt, 0),
    EMIT_ROW(RSQRT, F32, LV_FTZ | LV_APPROX, emit_rsqrt, 0),
    EMIT_ROW(RCP, F64, 0, emit_rcp, 0),
    EMIT_ROW(SQRT, F64, 0, emit_sqrt, 0),
    EMIT_ROW(RSQRT, F64, LV_APPROX, emit_rsqrt, 0),
    EMIT_ROW_IF(RCP, F64, emit_high, is_high),
    EMIT_ROW_IF(RSQRT, F64, emit_high, is_high),
    {0},
};
