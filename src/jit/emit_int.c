/* Moves, selections, integer arithmetic: see exec/mv/lanes_alu.c and lanes_muldiv.c. */
#include "jit/emit.h"

static bool is_signed_type(const struct emit *e)
{
    return ptx_type_is_signed((enum ptx_type)e->op->type);
}

static val extend(struct emit *e, val x, unsigned bits, bool is_signed)
{
    return b_cast(e, is_signed ? LLVMSExt : LLVMZExt, x, emit_int(e, bits));
}

static val shifted(const struct emit *e, val x, unsigned n)
{
    return b_lshr(e, x, b_const_like(e, x, n));
}

/* --- moves and selections --- */

static void emit_mov(struct emit *e, const struct emit_row *row)
{
    (void)row;
    emit_set_copy(e);
}

static void emit_mov_pred(struct emit *e, const struct emit_row *row)
{
    (void)row;
    emit_set_pred(&e->out, e, emit_src_pred(e, 0));
}

static void emit_selp(struct emit *e, const struct emit_row *row)
{
    (void)row;
    emit_set(e, b_select(e, emit_src_pred(e, 2), emit_src(e, 0), emit_src(e, 1)));
}

/* --- sums --- */

static void emit_binary(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1);
    emit_set(e, LLVMBuildBinOp(e->b, (LLVMOpcode)row->arg, x, y, ""));
}

static void emit_neg(struct emit *e, const struct emit_row *row)
{
    (void)row;
    emit_set(e, LLVMBuildNeg(e->b, emit_src(e, 0), ""));
}

static void emit_abs(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), zero = b_const_like(e, x, 0);
    (void)row;
    emit_set(e, b_select(e, b_icmp(e, LLVMIntSLT, x, zero), LLVMBuildNeg(e->b, x, ""), x));
}

static void emit_min_max(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1);
    const bool is_max = row->op == PTX_OP_MAX;
    const LLVMIntPredicate p =
        is_signed_type(e) ? (is_max ? LLVMIntSGT : LLVMIntSLT) : (is_max ? LLVMIntUGT : LLVMIntULT);
    val r = b_select(e, b_icmp(e, p, x, y), x, y);
    if (e->op->variant & LV_RELU)
        r = b_select(e, b_icmp(e, LLVMIntSGT, r, b_const_like(e, r, 0)), r, b_const_like(e, r, 0));
    emit_set(e, r);
}

static void emit_sad(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1), z = emit_src(e, 2);
    (void)row;
    val less = b_icmp(e, is_signed_type(e) ? LLVMIntSLT : LLVMIntULT, x, y);
    emit_set(e, b_add(e, z, b_select(e, less, b_sub(e, y, x), b_sub(e, x, y))));
}

/* Where the sum or difference does not fit, the end of the range on x's side. */
static void emit_saturated(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1), zero = b_const_like(e, x, 0);
    const bool is_sum = row->op == PTX_OP_ADD;
    val r = is_sum ? b_add(e, x, y) : b_sub(e, x, y);
    val signs = b_xor(e, x, y);
    val over = b_and(e, is_sum ? b_not(e, signs) : signs, b_xor(e, x, r));
    val limit = b_add(e, shifted(e, x, 31), emit_const(e, 32, 0x7fffffff));
    emit_set(e, b_select(e, b_icmp(e, LLVMIntSLT, b_opaque(e, over), zero), limit, r));
}

/* --- products --- */

/* The upper half of the product of 64 bits, from four products of 32. */
static val mul_hi_64(struct emit *e, val x, val y, bool is_signed)
{
    val low = emit_const(e, 64, UINT32_MAX), zero = emit_const(e, 64, 0);
    val x0 = b_and(e, x, low), x1 = shifted(e, x, 32);
    val y0 = b_and(e, y, low), y1 = shifted(e, y, 32);
    val mid = b_add(e, b_mul(e, x1, y0), shifted(e, b_mul(e, x0, y0), 32));
    val mid2 = b_add(e, b_mul(e, x0, y1), b_and(e, mid, low));
    val hi = b_add(e, b_add(e, b_mul(e, x1, y1), shifted(e, mid, 32)), shifted(e, mid2, 32));
    if (!is_signed)
        return hi;
    hi = b_sub(e, hi, b_select(e, b_icmp(e, LLVMIntSLT, x, zero), y, zero));
    return b_sub(e, hi, b_select(e, b_icmp(e, LLVMIntSLT, y, zero), x, zero));
}

static val mul_hi(struct emit *e, val x, val y)
{
    const unsigned bits = emit_bits_of(x);
    const bool is_signed = is_signed_type(e);
    if (bits == 64)
        return mul_hi_64(e, x, y, is_signed);
    val p = b_mul(e, extend(e, x, 2 * bits, is_signed), extend(e, y, 2 * bits, is_signed));
    return b_cast(e, LLVMTrunc, shifted(e, p, bits), emit_int(e, bits));
}

/* mul and mad, lo, hi and wide. */
static void emit_mul(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1), p;
    const unsigned bits = emit_bits_of(x);
    if (e->op->variant & LV_WIDE)
        p = b_mul(e, extend(e, x, 2 * bits, is_signed_type(e)),
                  extend(e, y, 2 * bits, is_signed_type(e)));
    else
        p = e->op->variant & LV_HI ? mul_hi(e, x, y) : b_mul(e, x, y);
    emit_set(e, row->op == PTX_OP_MAD ? b_add(e, p, emit_src(e, 2)) : p);
}

/* The low 24 bits as a number. */
static val low24(struct emit *e, val x)
{
    if (!is_signed_type(e))
        return extend(e, b_and(e, x, emit_const(e, 32, 0xffffff)), 64, false);
    val eight = emit_const(e, 32, 8);
    return extend(e, b_ashr(e, b_shl(e, x, eight), eight), 64, true);
}

static void emit_mul24(struct emit *e, const struct emit_row *row)
{
    val p = b_mul(e, low24(e, emit_src(e, 0)), low24(e, emit_src(e, 1)));
    if (e->op->variant & LV_HI)
        p = shifted(e, p, 16);
    p = b_cast(e, LLVMTrunc, p, emit_int(e, 32));
    emit_set(e, row->op == PTX_OP_MAD24 ? b_add(e, p, emit_src(e, 2)) : p);
}

/* --- quotients: through double precision, as lanes_muldiv.c explains --- */

static val double_of(struct emit *e, val x, bool is_signed)
{
    LLVMTypeRef f64 = emit_f64(e);
    if (is_signed)
        return b_cast(e, LLVMSIToFP, x, f64);
    val moved = b_cast(e, LLVMSIToFP, b_xor(e, x, emit_const(e, 32, 0x80000000)), f64);
    return b_fadd(e, moved, emit_real(f64, 0x1p31));
}

/* Divisors that the division is not done for get 2 in its place. */
static val quotient(struct emit *e, val x, val y, bool is_signed)
{
    val zero = emit_const(e, 32, 0), one = emit_const(e, 32, 1), two = emit_const(e, 32, 2);
    val ones = emit_const(e, 32, UINT32_MAX);
    val is_zero = b_icmp(e, LLVMIntEQ, y, zero);
    val is_unit = b_icmp(e, LLVMIntEQ, y, is_signed ? ones : one);
    val easy = b_or(e, is_zero, is_unit);
    val q =
        b_fdiv(e, double_of(e, x, is_signed), double_of(e, b_select(e, easy, two, y), is_signed));
    val n = b_cast(e, LLVMFPToSI, q, emit_int(e, 32));
    val unit = is_signed ? LLVMBuildNeg(e->b, x, "") : x;
    return b_select(e, is_zero, ones, b_select(e, is_unit, unit, n));
}

static void emit_div(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1);
    const unsigned bits = emit_bits_of(x);
    const bool is_signed = is_signed_type(e);
    if (bits == 16) {
        x = extend(e, x, 32, is_signed);
        y = extend(e, y, 32, is_signed);
    }
    val q = quotient(e, x, y, is_signed);
    if (row->op == PTX_OP_REM) {
        val is_zero = b_icmp(e, LLVMIntEQ, y, emit_const(e, 32, 0));
        q = b_select(e, is_zero, emit_const(e, 32, UINT32_MAX), b_sub(e, x, b_mul(e, q, y)));
    }
    emit_set(e, bits == 16 ? b_cast(e, LLVMTrunc, q, emit_int(e, 16)) : q);
}

/* --- the carry flag --- */

static void emit_carry(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1);
    const struct lane_op *lane = e->op->lane;
    const unsigned bits = emit_bits_of(x);
    const bool is_sub = row->op == PTX_OP_SUBC;
    val c = b_const_like(e, x, is_sub);
    if (lane->mode & LANE_CARRY_IN) {
        val flag = emit_slot_bits(e, emit_slot(e, lane->cc.off, 0));
        val set = b_icmp(e, LLVMIntSLT, flag, emit_const(e, 32, 0));
        c = b_cast(e, LLVMZExt, set, emit_int(e, bits));
    }
    val r = b_add(e, b_add(e, x, is_sub ? b_not(e, y) : y), c);
    emit_set(e, r);
    if (!(lane->mode & LANE_CARRY_OUT))
        return;
    val same = b_and(e, b_icmp(e, LLVMIntEQ, r, x), b_icmp(e, LLVMIntNE, c, b_const_like(e, c, 0)));
    emit_set_pred(&e->out2, e, b_or(e, b_icmp(e, LLVMIntULT, r, x), same));
    e->d2 = &lane->cc;
}

#define I32 (EMIT_TYPE(U32) | EMIT_TYPE(S32))
const struct emit_row emit_rows_int[] = {
    EMIT_ROW(MOV, EMIT_U, 0, emit_mov, 0),
    EMIT_ROW(MOV, EMIT_TYPE(PRED), 0, emit_mov_pred, 0),
    EMIT_ROW(SELP, EMIT_U, 0, emit_selp, 0),
    EMIT_ROW(ADD, EMIT_U, 0, emit_binary, LLVMAdd),
    EMIT_ROW(SUB, EMIT_U, 0, emit_binary, LLVMSub),
    EMIT_ROW(ADD, EMIT_TYPE(S32), LV_SAT, emit_saturated, 0),
    EMIT_ROW(SUB, EMIT_TYPE(S32), LV_SAT, emit_saturated, 0),
    EMIT_ROW(NEG, EMIT_U, 0, emit_neg, 0),
    EMIT_ROW(ABS, EMIT_U, 0, emit_abs, 0),
    EMIT_ROW(MIN, EMIT_U | EMIT_S, LV_RELU, emit_min_max, 0),
    EMIT_ROW(MAX, EMIT_U | EMIT_S, LV_RELU, emit_min_max, 0),
    EMIT_ROW(SAD, EMIT_U | EMIT_S, 0, emit_sad, 0),
    EMIT_ROW(ADDC, EMIT_U, 0, emit_carry, 0),
    EMIT_ROW(SUBC, EMIT_U, 0, emit_carry, 0),
    EMIT_ROW(MUL, EMIT_U | EMIT_S, LV_HI | LV_WIDE, emit_mul, 0),
    EMIT_ROW(MAD, EMIT_U | EMIT_S, LV_HI | LV_WIDE, emit_mul, 0),
    EMIT_ROW(MUL24, I32, LV_HI, emit_mul24, 0),
    EMIT_ROW(MAD24, I32, LV_HI, emit_mul24, 0),
    EMIT_ROW(DIV, I32 | EMIT_TYPE(U16) | EMIT_TYPE(S16), 0, emit_div, 0),
    EMIT_ROW(REM, I32 | EMIT_TYPE(U16) | EMIT_TYPE(S16), 0, emit_div, 0),
    {0},
};
