/* Values: constants, operands, results. */
#include "jit/emit.h"

#include "exec/softfp.h"

#include <string.h>

/* --- types and constants --- */

LLVMTypeRef emit_int(const struct emit *e, unsigned bits)
{
    return LLVMVectorType(LLVMIntTypeInContext(e->ctx, bits), RUN_STRIP_LANES);
}

LLVMTypeRef emit_f32(const struct emit *e)
{
    return LLVMVectorType(LLVMFloatTypeInContext(e->ctx), RUN_STRIP_LANES);
}

LLVMTypeRef emit_f64(const struct emit *e)
{
    return LLVMVectorType(LLVMDoubleTypeInContext(e->ctx), RUN_STRIP_LANES);
}

static val splat(val x)
{
    val all[RUN_STRIP_LANES];
    for (unsigned l = 0; l < RUN_STRIP_LANES; l++)
        all[l] = x;
    return LLVMConstVector(all, RUN_STRIP_LANES);
}

val emit_const(const struct emit *e, unsigned bits, uint64_t v)
{
    return splat(LLVMConstInt(LLVMIntTypeInContext(e->ctx, bits), v, false));
}

val emit_real(LLVMTypeRef t, double v)
{
    return splat(LLVMConstReal(LLVMGetElementType(t), v));
}

bool emit_is_const(const struct emit *e, val v, uint64_t *value)
{
    if (!LLVMIsConstant(v))
        return false;
    /* All that is constant here has been made by emit_const() or folded from it. */
    val first = LLVMConstExtractElement(v, LLVMConstInt(LLVMInt32TypeInContext(e->ctx), 0, false));
    if (!LLVMIsAConstantInt(first))
        return false;
    *value = LLVMConstIntGetZExtValue(first);
    return true;
}

unsigned emit_bits_of(val v)
{
    return LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v)));
}

val b_call(const struct emit *e, const char *intrinsic, unsigned n, const val *args)
{
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    const unsigned id = LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));
    val fn = LLVMGetIntrinsicDeclaration(e->mod, id, &t, 1);
    val copy[4];
    memcpy(copy, args, n * sizeof *args);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->ctx, id, &t, 1), fn, copy, n, "");
}

val b_splat(const struct emit *e, val scalar)
{
    val undef = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(scalar), RUN_STRIP_LANES));
    val one = LLVMBuildInsertElement(e->b, undef, scalar, b_int(e, 32, 0), "");
    return LLVMBuildShuffleVector(e->b, one, undef, emit_const(e, 32, 0), "");
}

/* A zero that LLVM does not know to be one. */
static val hidden_zero(const struct emit *e, unsigned bits)
{
    val high = LLVMBuildLShr(e->b, e->strip, b_int(e, 64, 32), "");
    LLVMTypeRef t = LLVMIntTypeInContext(e->ctx, bits);
    return b_splat(e, bits == 64 ? high : LLVMBuildTrunc(e->b, high, t, ""));
}

val emit_narrow(const struct emit *e, val real, LLVMTypeRef t)
{
    if (LLVMIsConstant(real)) {
        LLVMTypeRef own = LLVMTypeOf(real);
        const unsigned bits = own == emit_f64(e) ? 64 : 32;
        real = b_as(e, b_xor(e, b_as(e, real, emit_int(e, bits)), hidden_zero(e, bits)), own);
    }
    return b_cast(e, LLVMFPTrunc, real, t);
}

/* --- registers in memory --- */

/* A predicate has a bit a lane. */
static val strip_of(const struct emit *e, unsigned sel, unsigned bytes)
{
    const unsigned stride = RUN_STRIP_LANES * bytes + (bytes ? 0 : RUN_STRIP_LANES / 8);
    val at = LLVMBuildMul(e->b, e->strip, b_int(e, 64, stride), "");
    return LLVMBuildGEP2(e->b, LLVMInt8TypeInContext(e->ctx), e->base[sel], &at, 1, "");
}

void emit_strip_regs(struct emit *e)
{
    for (unsigned log = 0; log < REG_SIZES; log++)
        e->strip_regs[log] = strip_of(e, LANE_REGS, log ? 1u << log : 0);
}

val emit_place(const struct emit *e, const struct lane_ref *r)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->ctx);
    val from = r->sel == LANE_REGS ? e->strip_regs[r->bytes ? __builtin_ctz(r->bytes) : 0]
                                   : strip_of(e, r->sel, r->bytes);
    val off = b_int(e, 64, r->off), p = LLVMBuildGEP2(e->b, i8, from, &off, 1, "");
    LLVMTypeRef t = r->bytes ? emit_int(e, 8u * r->bytes) : emit_mask_type(e);
    return LLVMBuildBitCast(e->b, p, LLVMPointerType(t, 0), "");
}

static val pred_of_mask(const struct emit *e, val mask)
{
    return b_cast(e, LLVMSExt, b_as(e, mask, emit_int(e, 1)), emit_int(e, 32));
}

val emit_load_bits(struct emit *e, const struct lane_ref *r)
{
    LLVMTypeRef t = r->bytes ? emit_int(e, 8u * r->bytes) : emit_mask_type(e);
    val v = LLVMBuildLoad2(e->b, t, emit_place(e, r), "");
    LLVMSetAlignment(v, r->bytes ? r->bytes : 1);
    return r->bytes ? v : pred_of_mask(e, v);
}

static val const_bits(struct emit *e, const struct lane_ref *r)
{
    uint64_t v = 0;
    if (!r->bytes) {
        memcpy(&v, e->run->consts + r->off, 4);
        return emit_const(e, 32, v & 1 ? UINT32_MAX : 0);
    }
    memcpy(&v, e->run->consts + r->off, r->bytes);
    return emit_const(e, 8u * r->bytes, v);
}

/* --- slots --- */

struct reg_slot *emit_slot(struct emit *e, uint32_t off, uint8_t bytes)
{
    const uint64_t *at = u64map_get(&e->slot_of, off);
    if (at)
        return &e->slots.data[*at];
    u64map_put(&e->slot_of, off, e->slots.len);
    vec_push(&e->slots, ((struct reg_slot){.off = off, .bytes = bytes}));
    return &vec_last(&e->slots);
}

void emit_leave_if(struct emit *e, val cond)
{
    e->nan = e->nan ? b_or(e, e->nan, cond) : cond;
}

/* The bits of what arithmetic has made, with the NaN that belongs there. */
static void find_bits(struct emit *e, struct reg_value *v)
{
    val nan = b_fcmp(e, LLVMRealUNO, v->real, v->real);
    if (LLVMTypeOf(v->real) == emit_f32(e)) {
        v->bits = b_select(e, nan, emit_const(e, 32, F32_NAN), b_as(e, v->real, emit_int(e, 32)));
        return;
    }
    v->bits = b_as(e, v->real, emit_int(e, 64));
    emit_leave_if(e, nan);
}

val emit_slot_bits(struct emit *e, struct reg_slot *s)
{
    if (!s->now.bits && !s->now.real) {
        const struct lane_ref r = {.off = s->off, .bytes = s->bytes, .sel = LANE_REGS};
        s->now.bits = emit_load_bits(e, &r);
    }
    if (!s->now.bits)
        find_bits(e, &s->now);
    return s->now.bits;
}

/* --- operands --- */

/* NULL if the operand is no register of the frame. */
static struct reg_slot *source_slot(struct emit *e, const struct lane_ref *r)
{
    return r->sel == LANE_REGS ? emit_slot(e, r->off, r->bytes) : NULL;
}

val emit_ref(struct emit *e, const struct lane_ref *r)
{
    struct reg_slot *s = source_slot(e, r);
    val v = s                      ? emit_slot_bits(e, s)
            : r->sel == LANE_CONST ? const_bits(e, r)
                                   : emit_load_bits(e, r);
    return !r->bytes && r->neg ? b_not(e, v) : v;
}

val emit_src(struct emit *e, unsigned k)
{
    const struct lane_ref *r = &e->op->lane->src[k];
    val v = emit_ref(e, r);
    return r->bytes > e->op->s[k] ? b_cast(e, LLVMTrunc, v, emit_int(e, 8u * e->op->s[k])) : v;
}

struct reg_value emit_src_value(struct emit *e, unsigned k)
{
    const struct lane_ref *r = &e->op->lane->src[k];
    struct reg_slot *s = source_slot(e, r);
    if (s && r->bytes && r->bytes == e->op->s[k] && (s->now.real || s->now.is_flushed))
        return s->now;
    return (struct reg_value){.bits = emit_src(e, k)};
}

val emit_src_pred(struct emit *e, unsigned k)
{
    val v = emit_ref(e, &e->op->lane->src[k]);
    return b_icmp(e, LLVMIntSLT, v, emit_const(e, 32, 0));
}

/* No selection: those take the host twice as long. */
val emit_flush(const struct emit *e, val bits)
{
    val field = b_and(e, bits, emit_const(e, 32, F32_INF));
    val is_tiny = b_icmp(e, LLVMIntEQ, field, emit_const(e, 32, 0));
    val drop = b_lshr(e, b_cast(e, LLVMSExt, is_tiny, emit_int(e, 32)), emit_const(e, 32, 1));
    return b_and(e, bits, b_not(e, drop));
}

static val flush_real(const struct emit *e, val real)
{
    return b_as(e, emit_flush(e, b_as(e, real, emit_int(e, 32))), emit_f32(e));
}

val emit_src_f32(struct emit *e, unsigned k, bool ftz)
{
    const struct reg_value v = emit_src_value(e, k);
    val real = v.real ? v.real : b_as(e, v.bits, emit_f32(e));
    return ftz && !v.is_flushed ? flush_real(e, real) : real;
}

val emit_src_f64(struct emit *e, unsigned k)
{
    const struct reg_value v = emit_src_value(e, k);
    return v.real ? v.real : b_as(e, v.bits, emit_f64(e));
}

/* --- results --- */

void emit_set(struct emit *e, val bits)
{
    const struct lane_op *lane = e->op->lane;
    const bool is_signed = ptx_type_is_signed((enum ptx_type)lane->type);
    if (!lane->d.none && lane->d.bytes > e->op->d)
        bits = b_cast(e, is_signed ? LLVMSExt : LLVMZExt, bits, emit_int(e, 8u * lane->d.bytes));
    e->out = (struct reg_value){.bits = bits};
}

/* Clamp to [0, 1]; NaN and -0 become +0. */
val emit_saturate(const struct emit *e, val bits)
{
    val one = emit_const(e, 32, 0x3f800000);
    val low = b_select(e, b_icmp(e, LLVMIntULT, bits, one), bits, one);
    return b_select(e, b_icmp(e, LLVMIntULE, bits, emit_const(e, 32, F32_INF)), low,
                    emit_const(e, 32, 0));
}

void emit_set_f32(struct emit *e, val real, bool ftz, bool sat)
{
    if (ftz)
        real = flush_real(e, real);
    if (sat) {
        emit_set(e, emit_saturate(e, b_as(e, real, emit_int(e, 32))));
        return;
    }
    e->out = (struct reg_value){.real = real, .is_flushed = ftz};
    if (e->op->lane->d.bytes != 4) {
        find_bits(e, &e->out);
        emit_set(e, e->out.bits);
    }
}

void emit_set_is_flushed(struct emit *e)
{
    e->out.is_flushed = e->op->lane->d.bytes == 4;
}

/* Lanes that the guard keeps out have the register's old value. */
void emit_assign(struct emit *e, const struct lane_ref *d, struct reg_value v, bool is_live)
{
    if (d->none || d->sel != LANE_REGS)
        return;
    struct reg_slot *s = emit_slot(e, d->off, d->bytes);
    if (e->guard) {
        struct reg_slot fresh = {.now = v, .bytes = d->bytes};
        val bits = emit_slot_bits(e, &fresh);
        v = (struct reg_value){.bits = b_select(e, e->guard, bits, emit_slot_bits(e, s))};
    }
    s->now = v;
    s->is_written = true;
    s->is_live = is_live || !d->bytes;
}

void emit_assign_int(struct emit *e, const struct lane_ref *d, val v, bool is_signed, bool is_live)
{
    const unsigned has = emit_bits_of(v), wants = 8u * d->bytes;
    if (d->none)
        return;
    if (wants != has)
        v = b_cast(e,
                   wants < has ? LLVMTrunc
                   : is_signed ? LLVMSExt
                               : LLVMZExt,
                   v, emit_int(e, wants));
    emit_assign(e, d, (struct reg_value){.bits = v}, is_live);
}

void emit_set_copy(struct emit *e)
{
    if (e->op->lane->d.bytes == e->op->d)
        e->out = emit_src_value(e, 0);
    else
        emit_set(e, emit_src(e, 0));
}

void emit_set_f64(struct emit *e, val real)
{
    e->out = (struct reg_value){.real = real};
}

void emit_set_pred(struct reg_value *out, struct emit *e, val cond)
{
    *out = (struct reg_value){.bits = b_cast(e, LLVMSExt, cond, emit_int(e, 32))};
}
