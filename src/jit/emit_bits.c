/* Logic, shifts, fields, counting: see exec/mv/lanes_logic.c. */
#include "jit/emit.h"

/* --- shifts; amounts are 32 bits wide and clamped --- */

/* `n` as wide as x, for the host's shift, whatever it is: of the amounts that are too large only
 * the low bits stay. */
static val amount(struct emit *e, val x, val n)
{
    const unsigned bits = emit_bits_of(x);
    val low = b_and(e, n, b_const_like(e, n, bits - 1));
    return bits == 32 ? low : b_cast(e, bits < 32 ? LLVMTrunc : LLVMZExt, low, emit_int(e, bits));
}

static val too_far(struct emit *e, val x, val n)
{
    return b_icmp(e, LLVMIntUGT, n, b_const_like(e, n, emit_bits_of(x) - 1));
}

static val shift_left(struct emit *e, val x, val n)
{
    return b_select(e, too_far(e, x, n), b_const_like(e, x, 0), b_shl(e, x, amount(e, x, n)));
}

static val shift_right(struct emit *e, val x, val n)
{
    return b_select(e, too_far(e, x, n), b_const_like(e, x, 0), b_lshr(e, x, amount(e, x, n)));
}

static val shift_right_signed(struct emit *e, val x, val n)
{
    val most = b_const_like(e, n, emit_bits_of(x) - 1);
    return b_ashr(e, x, amount(e, x, b_select(e, too_far(e, x, n), most, n)));
}

static void emit_shift(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), n = emit_src(e, 1);
    const bool is_signed = ptx_type_is_signed((enum ptx_type)e->op->type);
    emit_set(e, row->op == PTX_OP_SHL ? shift_left(e, x, n)
                : is_signed           ? shift_right_signed(e, x, n)
                                      : shift_right(e, x, n));
}

/* Funnel shifts of y:x. */
static void emit_funnel(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1), n = emit_src(e, 2);
    const bool right = e->op->variant & LV_RIGHT;
    val args[] = {y, x, n};
    (void)row;
    val r = b_call(e, right ? "llvm.fshr" : "llvm.fshl", 3, args);
    if (!(e->op->variant & LV_WRAP)) /* by 32 and more: the other word */
        r = b_select(e, b_icmp(e, LLVMIntUGT, n, emit_const(e, 32, 31)), right ? y : x, r);
    emit_set(e, r);
}

/* --- logic --- */

static void emit_logic(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1);
    emit_set(e, LLVMBuildBinOp(e->b, (LLVMOpcode)row->arg, x, y, ""));
}

static void emit_not(struct emit *e, const struct emit_row *row)
{
    (void)row;
    emit_set(e, b_not(e, emit_src(e, 0)));
}

static void emit_cnot(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0);
    (void)row;
    emit_set(e, b_cast(e, LLVMZExt, b_icmp(e, LLVMIntEQ, x, b_const_like(e, x, 0)), LLVMTypeOf(x)));
}

/* The function of the bit z that is at0 and at1. */
static val by_bit(struct emit *e, unsigned at0, unsigned at1, val z)
{
    return at0 == at1 ? emit_const(e, 32, at0 ? UINT32_MAX : 0) : at1 ? z : b_not(e, z);
}

/* 0 or 1 if all bits of the constant are, else -1. */
static int bit_of(struct emit *e, val v)
{
    uint64_t k;
    return !emit_is_const(e, v, &k) ? -1 : k == 0 ? 0 : k == UINT32_MAX ? 1 : -1;
}

/* x ? b : a */
static val mux(struct emit *e, val x, val a, val b)
{
    const int ka = bit_of(e, a), kb = bit_of(e, b);
    if (a == b)
        return a;
    if (ka >= 0 && kb >= 0)
        return kb ? x : b_not(e, x);
    if (ka >= 0)
        return ka ? b_or(e, b_not(e, x), b) : b_and(e, x, b);
    if (kb >= 0)
        return kb ? b_or(e, x, a) : b_and(e, b_not(e, x), a);
    return b_xor(e, a, b_and(e, x, b_xor(e, a, b)));
}

/* The table of lop3, z's bit the lowest of the index. */
static val lop3(struct emit *e, val x, val y, val z)
{
    const uint32_t t = e->op->lane->imm;
    if (t == 0x96)
        return b_xor(e, b_xor(e, x, y), z);
    val r[4];
    for (unsigned i = 0; i < 4; i++)
        r[i] = by_bit(e, t >> (2 * i) & 1, t >> (2 * i + 1) & 1, z);
    return mux(e, x, mux(e, y, r[0], r[1]), mux(e, y, r[2], r[3]));
}

static void emit_lop3(struct emit *e, const struct emit_row *row)
{
    val r = lop3(e, emit_src(e, 0), emit_src(e, 1), emit_src(e, 2));
    (void)row;
    if (!e->op->lane->d.none)
        emit_set(e, r);
    if (e->op->type != PTX_PRED || e->op->lane->d2.none)
        return;
    val p = b_icmp(e, LLVMIntNE, r, emit_const(e, 32, 0)), q = emit_src_pred(e, 3);
    const unsigned how = e->op->lane->boolop;
    emit_set_pred(&e->out2, e,
                  how == PTX_M_AND  ? b_and(e, p, q)
                  : how == PTX_M_OR ? b_or(e, p, q)
                                    : b_xor(e, p, q));
}

/* --- counting --- */

static void emit_count(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0);
    LLVMTypeRef word = emit_int(e, 32);
    val args[] = {x, LLVMConstInt(LLVMInt1TypeInContext(e->ctx), 0, false)};
    val n =
        row->op == PTX_OP_POPC ? b_call(e, "llvm.ctpop", 1, args) : b_call(e, "llvm.ctlz", 2, args);
    emit_set(e, LLVMTypeOf(n) == word ? n : b_cast(e, LLVMTrunc, n, word));
}

static void emit_brev(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0);
    (void)row;
    emit_set(e, b_call(e, "llvm.bitreverse", 1, &x));
}

/* The place of the highest bit that differs from the sign. */
static void emit_bfind(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), zero = b_const_like(e, x, 0);
    const unsigned bits = emit_bits_of(x);
    (void)row;
    if (ptx_type_is_signed((enum ptx_type)e->op->type))
        x = b_xor(e, x, b_ashr(e, x, b_const_like(e, x, bits - 1)));
    val args[] = {x, LLVMConstInt(LLVMInt1TypeInContext(e->ctx), 0, false)};
    val n = b_call(e, "llvm.ctlz", 2, args);
    val r = e->op->variant & LV_RIGHT ? n : b_sub(e, b_const_like(e, x, bits - 1), n);
    r = b_select(e, b_icmp(e, LLVMIntEQ, x, zero), b_const_like(e, x, UINT64_MAX), r);
    emit_set(e, bits == 32 ? r : b_cast(e, LLVMTrunc, r, emit_int(e, 32)));
}

/* --- fields --- */

/* A field's position or length: of 32-bit words the low byte counts, else all of it up to 255. */
static val field_place(struct emit *e, val x, val n)
{
    val most = emit_const(e, 32, 0xff);
    if (emit_bits_of(x) == 32)
        return b_and(e, n, most);
    return b_select(e, b_icmp(e, LLVMIntUGT, n, most), most, n);
}

static val low_mask(struct emit *e, val like, val n)
{
    val one = b_const_like(e, like, 1), ones = b_const_like(e, like, UINT64_MAX);
    return b_select(e, too_far(e, like, n), ones, b_sub(e, b_shl(e, one, amount(e, like, n)), one));
}

static val bfe_signed(struct emit *e, val x, val pos, val len)
{
    const unsigned bits = emit_bits_of(x);
    val last = emit_const(e, 32, bits - 1),
        end = b_sub(e, b_add(e, pos, len), emit_const(e, 32, 1));
    val top = b_select(e, b_icmp(e, LLVMIntULT, end, last), end, last);
    /* The sign in all bits: the top one of the field moved to the word's. */
    val sign = b_shl(e, x, amount(e, x, b_sub(e, last, top)));
    sign = b_ashr(e, sign, b_const_like(e, x, bits - 1));
    val outside = too_far(e, x, pos), field = b_lshr(e, x, amount(e, x, pos));
    val room = low_mask(e, x, b_sub(e, emit_const(e, 32, bits), pos));
    val fits = b_select(e, outside, b_const_like(e, x, 0), b_and(e, room, low_mask(e, x, len)));
    val r = b_or(e, b_and(e, field, fits), b_and(e, sign, b_not(e, fits)));
    return b_select(e, b_icmp(e, LLVMIntEQ, len, emit_const(e, 32, 0)), b_const_like(e, x, 0), r);
}

static void emit_bfe(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0);
    val pos = field_place(e, x, emit_src(e, 1)), len = field_place(e, x, emit_src(e, 2));
    (void)row;
    if (ptx_type_is_signed((enum ptx_type)e->op->type))
        emit_set(e, bfe_signed(e, x, pos, len));
    else
        emit_set(e, b_and(e, shift_right(e, x, pos), low_mask(e, x, len)));
}

static void emit_bfi(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1);
    val pos = field_place(e, x, emit_src(e, 2)), len = field_place(e, x, emit_src(e, 3));
    (void)row;
    val m = shift_left(e, low_mask(e, x, len), pos);
    emit_set(e, b_or(e, b_and(e, shift_left(e, x, pos), m), b_and(e, y, b_not(e, m))));
}

/* prmt with a selector that is a constant: each byte from its place. */
static val permuted(struct emit *e, val x, val y, uint32_t sel)
{
    val r = emit_const(e, 32, 0);
    for (unsigned i = 0; i < 4; i++) {
        const unsigned s = sel >> (4 * i) & 15;
        val byte = b_shl(e, s & 4 ? y : x, emit_const(e, 32, 24 - 8 * (s & 3)));
        if (s & 8)
            byte = b_ashr(e, byte, emit_const(e, 32, 31));
        byte = b_lshr(e, byte, emit_const(e, 32, 24));
        r = b_or(e, r, b_shl(e, byte, emit_const(e, 32, 8 * i)));
    }
    return r;
}

/* The byte that the low bits of s choose from y:x, its sign instead if bit 3 says so. */
static val chosen_byte(struct emit *e, val both, val s)
{
    val at = b_and(e, b_shl(e, s, emit_const(e, 64, 3)), emit_const(e, 64, 56));
    val byte = b_and(e, b_lshr(e, both, at), emit_const(e, 64, 0xff));
    val is_high = b_icmp(e, LLVMIntUGT, byte, emit_const(e, 64, 0x7f));
    val sign = b_select(e, is_high, emit_const(e, 64, 0xff), emit_const(e, 64, 0));
    val wants_sign = b_and(e, s, emit_const(e, 64, 8));
    return b_select(e, b_icmp(e, LLVMIntNE, wants_sign, emit_const(e, 64, 0)), sign, byte);
}

static void emit_prmt(struct emit *e, const struct emit_row *row)
{
    val x = emit_src(e, 0), y = emit_src(e, 1), z = emit_src(e, 2);
    uint64_t sel;
    (void)row;
    if (emit_is_const(e, z, &sel)) {
        emit_set(e, permuted(e, x, y, (uint32_t)sel));
        return;
    }
    LLVMTypeRef wide = emit_int(e, 64);
    val high = b_shl(e, b_cast(e, LLVMZExt, y, wide), emit_const(e, 64, 32));
    val both = b_or(e, high, b_cast(e, LLVMZExt, x, wide)), r = emit_const(e, 64, 0);
    val s = b_cast(e, LLVMZExt, z, wide);
    for (unsigned i = 0; i < 4; i++) {
        val byte = chosen_byte(e, both, b_lshr(e, s, emit_const(e, 64, 4 * i)));
        r = b_or(e, r, b_shl(e, byte, emit_const(e, 64, 8 * i)));
    }
    emit_set(e, b_cast(e, LLVMTrunc, r, emit_int(e, 32)));
}

#define WORDS   (EMIT_TYPE(U32) | EMIT_TYPE(U64))
#define SIGNED  (EMIT_TYPE(S32) | EMIT_TYPE(S64))
#define LOGICAL (EMIT_U | EMIT_TYPE(PRED))
const struct emit_row emit_rows_bits[] = {
    EMIT_ROW(AND, LOGICAL, 0, emit_logic, LLVMAnd),
    EMIT_ROW(OR, LOGICAL, 0, emit_logic, LLVMOr),
    EMIT_ROW(XOR, LOGICAL, 0, emit_logic, LLVMXor),
    EMIT_ROW(NOT, LOGICAL, 0, emit_not, 0),
    EMIT_ROW(CNOT, EMIT_U, 0, emit_cnot, 0),
    EMIT_ROW(SHL, EMIT_U, 0, emit_shift, 0),
    EMIT_ROW(SHR, EMIT_U | EMIT_S, 0, emit_shift, 0),
    EMIT_ROW(SHF, EMIT_TYPE(U32), LV_WRAP | LV_RIGHT, emit_funnel, 0),
    EMIT_ROW(LOP3, EMIT_TYPE(U32) | EMIT_TYPE(PRED), 0, emit_lop3, 0),
    EMIT_ROW(POPC, WORDS, 0, emit_count, 0),
    EMIT_ROW(CLZ, WORDS, 0, emit_count, 0),
    EMIT_ROW(BREV, WORDS, 0, emit_brev, 0),
    EMIT_ROW(BFIND, WORDS | SIGNED, LV_RIGHT, emit_bfind, 0),
    EMIT_ROW(BFE, WORDS | SIGNED, 0, emit_bfe, 0),
    EMIT_ROW(BFI, WORDS, 0, emit_bfi, 0),
    EMIT_ROW(PRMT, EMIT_TYPE(U32), 0, emit_prmt, 0),
    {0},
};
