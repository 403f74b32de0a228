/* The frame of a run: the loop over strips, guards, and what is stored at the end.
 *
 *   for each strip of lanes with one in the mask:
 *       load what is read first, compute;
 *       a NaN that must not be: leave the strip, say so;
 *       store what is live, whole or blended with what was there;
 *   store predicates.
 *
 * A predicate has one word for all strips, which is read as such behind the run. It is kept until
 * then and stored at once: a load of what was stored byte by byte makes the host wait until all is
 * in memory that was stored before. */
#include "jit/emit.h"

#include "base/cpu.h"

#include <string.h>

/* A value that strips hand on to each other, with what this strip makes of it if it is not left. */
struct carried {
    val so_far; /* a phi of `strip` */
    val with_strip;
    val behind; /* a phi of `next` */
};

struct pred_word {
    uint32_t off;
    struct carried lanes;
};

struct frame_blocks {
    LLVMBasicBlockRef entry, strip, body, check, whole, part, next, done;
    val count, left; /* so far: phis of `strip` */
    val new_count, new_left;
    VEC(struct pred_word) preds; /* that are written, and live */
    struct carried written;      /* the lanes of strips that were not left; if there are preds */
};

static LLVMBasicBlockRef block(const struct emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->ctx, e->fn, name);
}

/* --- operations --- */

val emit_guard_cond(struct emit *e)
{
    struct reg_slot *s = emit_slot(e, e->op->guard_off, 0);
    val v = emit_slot_bits(e, s);
    if (e->op->guard_neg)
        v = b_not(e, v);
    return b_icmp(e, LLVMIntSLT, v, emit_const(e, 32, 0));
}

static void count_guarded(struct emit *e, val cond)
{
    val lanes = LLVMBuildAnd(e->b, b_bits(e, cond), e->mask, "");
    val n =
        LLVMBuildZExt(e->b, b_call(e, "llvm.ctpop", 1, &lanes), LLVMInt32TypeInContext(e->ctx), "");
    e->nguard = e->nguard ? LLVMBuildAdd(e->b, e->nguard, n, "") : n;
}

static void emit_lane(struct emit *e)
{
    const struct emit_row *row = emit_find(e->op);
    e->out = e->out2 = (struct reg_value){0};
    e->d2 = &e->op->lane->d2;
    row->emit(e, row);
    if (e->out.bits || e->out.real)
        emit_assign(e, &e->op->lane->d, e->out, e->op->d_is_live);
    if (e->out2.bits)
        emit_assign(e, e->d2, e->out2, true);
}

void emit_op(struct emit *e, const struct run_op *op)
{
    e->op = op;
    e->guard = op->has_guard ? emit_guard_cond(e) : NULL;
    if (e->guard)
        count_guarded(e, e->guard);
    if (op->kind == RUN_LANE)
        emit_lane(e);
    else if (op->kind == RUN_LOAD)
        emit_load(e);
    else
        emit_move(e);
}

/* --- storing --- */

static bool is_stored(const struct reg_slot *s)
{
    return s->is_written && s->is_live;
}

/* Stores a register, in the lanes of e->mask only unless `whole`. */
static void store_slot(struct emit *e, const struct reg_slot *s, bool whole)
{
    const struct lane_ref r = {.off = s->off, .bytes = s->bytes, .sel = LANE_REGS};
    val v = s->now.bits, p = emit_place(e, &r);
    if (!whole) {
        val old = LLVMBuildLoad2(e->b, LLVMTypeOf(v), p, "");
        LLVMSetAlignment(old, s->bytes);
        v = b_select(e, b_as(e, e->mask, emit_int(e, 1)), v, old);
    }
    LLVMSetAlignment(LLVMBuildStore(e->b, v, p), s->bytes);
}

static void store_all(struct emit *e, bool whole)
{
    for (size_t i = 0; i < e->slots.len; i++)
        if (e->slots.data[i].bytes && is_stored(&e->slots.data[i]))
            store_slot(e, &e->slots.data[i], whole);
}

/* --- predicates --- */

static LLVMTypeRef warp_type(const struct emit *e)
{
    return LLVMIntTypeInContext(e->ctx, WARP_LANES);
}

static val mask_of_pred(const struct emit *e, val bits)
{
    val c = b_icmp(e, LLVMIntSLT, bits, emit_const(e, 32, 0));
    return b_bits(e, c);
}

/* Lanes of the strip, which are none of those so far, are added. */
static void carry(struct emit *e, struct frame_blocks *f, struct carried *c, val lanes)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilder(e->b, f->strip, LLVMGetFirstInstruction(f->strip));
    c->so_far = LLVMBuildPhi(e->b, warp_type(e), "");
    LLVMPositionBuilderAtEnd(e->b, here);
    val strip = LLVMBuildTrunc(e->b, e->strip, warp_type(e), "");
    val shift = LLVMBuildMul(e->b, strip, b_int(e, WARP_LANES, RUN_STRIP_LANES), "");
    val wide = LLVMBuildZExt(e->b, lanes, warp_type(e), "");
    c->with_strip = LLVMBuildOr(e->b, c->so_far, LLVMBuildShl(e->b, wide, shift, ""), "");
}

static void carry_preds(struct emit *e, struct frame_blocks *f)
{
    for (size_t i = 0; i < e->slots.len; i++) {
        const struct reg_slot *s = &e->slots.data[i];
        if (s->bytes || !is_stored(s))
            continue;
        struct pred_word word = {.off = s->off};
        carry(e, f, &word.lanes, b_and(e, mask_of_pred(e, s->now.bits), e->mask));
        vec_push(&f->preds, word);
    }
    if (f->preds.len)
        carry(e, f, &f->written, e->mask);
}

/* In `next`, where a strip comes from the four places of end(). */
static void meet_carried(struct emit *e, const struct frame_blocks *f, struct carried *c)
{
    LLVMBasicBlockRef from[] = {f->strip, f->body, f->whole, f->part};
    val values[] = {c->so_far, c->so_far, c->with_strip, c->with_strip};
    c->behind = LLVMBuildPhi(e->b, warp_type(e), "");
    LLVMAddIncoming(c->behind, values, from, ARRAY_LEN(from));
    LLVMBasicBlockRef before[] = {f->entry, f->next};
    val starts[] = {b_int(e, WARP_LANES, 0), c->behind};
    LLVMAddIncoming(c->so_far, starts, before, ARRAY_LEN(before));
}

static void meet_preds(struct emit *e, struct frame_blocks *f)
{
    for (size_t i = 0; i < f->preds.len; i++)
        meet_carried(e, f, &f->preds.data[i].lanes);
    if (f->preds.len)
        meet_carried(e, f, &f->written);
}

static void store_preds(struct emit *e, const struct frame_blocks *f)
{
    LLVMTypeRef ptr = LLVMPointerType(warp_type(e), 0), byte = LLVMInt8TypeInContext(e->ctx);
    for (size_t i = 0; i < f->preds.len; i++) {
        const struct pred_word *word = &f->preds.data[i];
        val off = b_int(e, 64, word->off);
        val p = LLVMBuildGEP2(e->b, byte, e->base[LANE_REGS], &off, 1, "");
        p = LLVMBuildBitCast(e->b, p, ptr, "");
        val old = LLVMBuildLoad2(e->b, warp_type(e), p, "");
        LLVMSetAlignment(old, 4);
        val kept = b_and(e, old, b_not(e, f->written.behind));
        LLVMSetAlignment(LLVMBuildStore(e->b, b_or(e, kept, word->lanes.behind), p), 4);
    }
}

/* --- the loop --- */

static bool has_loads(const struct run_text *run)
{
    bool any = false;
    for (uint32_t i = 0; i < run->nops; i++)
        any |= run->ops[i].kind == RUN_LOAD;
    return any;
}

void emit_strip_mask(struct emit *e)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->ctx);
    val shift = LLVMBuildMul(e->b, LLVMBuildTrunc(e->b, e->strip, i32, ""),
                             b_int(e, 32, RUN_STRIP_LANES), "");
    val all = LLVMBuildLShr(e->b, LLVMGetParam(e->fn, 1), shift, "");
    e->mask = LLVMBuildTrunc(e->b, all, emit_mask_type(e), "mask");
}

void emit_forget(struct emit *e)
{
    e->nan = e->astray = e->nguard = NULL;
    memset(e->patterns, 0, sizeof e->patterns);
    vec_free(&e->slots);
    u64map_free(&e->slot_of);
}

static void begin(struct emit *e, struct frame_blocks *f)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->ctx), i32 = LLVMInt32TypeInContext(e->ctx);
    LLVMTypeRef ptr = LLVMPointerType(LLVMInt8TypeInContext(e->ctx), 0);
    LLVMPositionBuilderAtEnd(e->b, f->entry);
    for (unsigned i = 0; i < LANE_BASES; i++) {
        val n = b_int(e, 64, i), p = LLVMGetParam(e->fn, 0);
        e->base[i] = LLVMBuildLoad2(e->b, ptr, LLVMBuildGEP2(e->b, ptr, p, &n, 1, ""), "");
    }
    if (has_loads(e->run)) {
        emit_view(e);
        emit_ahead(e);
        f->entry = LLVMGetInsertBlock(e->b);
    }
    LLVMBuildBr(e->b, f->strip);
    LLVMPositionBuilderAtEnd(e->b, f->strip);
    e->strip = LLVMBuildPhi(e->b, i64, "strip");
    f->count = LLVMBuildPhi(e->b, i32, "count");
    f->left = LLVMBuildPhi(e->b, i32, "left");
    emit_strip_mask(e);
    val none = LLVMBuildICmp(e->b, LLVMIntEQ, e->mask, b_no_lanes(e), "");
    LLVMBuildCondBr(e->b, none, f->next, f->body);
    LLVMPositionBuilderAtEnd(e->b, f->body);
    emit_strip_regs(e);
}

static val bit_of_strip(const struct emit *e)
{
    val strip = LLVMBuildTrunc(e->b, e->strip, LLVMInt32TypeInContext(e->ctx), "");
    return LLVMBuildShl(e->b, b_int(e, 32, 1), strip, "");
}

/* Behind the operations: leaves a strip with a NaN, stores the others. */
static void finish_strip(struct emit *e, struct frame_blocks *f)
{
    for (size_t i = 0; i < e->slots.len; i++)
        if (is_stored(&e->slots.data[i]))
            emit_slot_bits(e, &e->slots.data[i]);
    f->new_left = LLVMBuildOr(e->b, f->left, bit_of_strip(e), "");
    f->new_count = e->nguard ? LLVMBuildAdd(e->b, f->count, e->nguard, "") : f->count;
    val nan = e->nan ? LLVMBuildAnd(e->b, b_bits(e, e->nan), e->mask, "") : b_no_lanes(e);
    if (e->astray)
        nan = LLVMBuildOr(e->b, nan, e->astray, "");
    val bad = LLVMBuildICmp(e->b, LLVMIntNE, nan, b_no_lanes(e), "");
    f->body = LLVMGetInsertBlock(e->b);
    LLVMBuildCondBr(e->b, bad, f->next, f->check);
    LLVMPositionBuilderAtEnd(e->b, f->check);
    carry_preds(e, f);
    val whole = LLVMBuildICmp(e->b, LLVMIntEQ, e->mask, b_all_lanes(e), "");
    LLVMBuildCondBr(e->b, whole, f->whole, f->part);
    LLVMPositionBuilderAtEnd(e->b, f->whole);
    store_all(e, true);
    LLVMBuildBr(e->b, f->next);
    LLVMPositionBuilderAtEnd(e->b, f->part);
    store_all(e, false);
    LLVMBuildBr(e->b, f->next);
}

static void end(struct emit *e, struct frame_blocks *f)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->ctx), i32 = LLVMInt32TypeInContext(e->ctx);
    LLVMPositionBuilderAtEnd(e->b, f->next);
    val count = LLVMBuildPhi(e->b, i32, ""), left = LLVMBuildPhi(e->b, i32, "");
    LLVMBasicBlockRef from[] = {f->strip, f->body, f->whole, f->part};
    val counts[] = {f->count, f->count, f->new_count, f->new_count};
    val lefts[] = {f->left, f->new_left, f->left, f->left};
    LLVMAddIncoming(count, counts, from, 4);
    LLVMAddIncoming(left, lefts, from, 4);
    meet_preds(e, f);
    val strip = LLVMBuildAdd(e->b, e->strip, b_int(e, 64, 1), "");
    val more = LLVMBuildICmp(e->b, LLVMIntNE, strip, b_int(e, 64, RUN_STRIPS), "");
    LLVMBuildCondBr(e->b, more, f->strip, f->done);
    LLVMBasicBlockRef before[] = {f->entry, f->next};
    val strips[] = {b_int(e, 64, 0), strip};
    val start_counts[] = {b_int(e, 32, 0), count}, start_lefts[] = {b_int(e, 32, 0), left};
    LLVMAddIncoming(e->strip, strips, before, 2);
    LLVMAddIncoming(f->count, start_counts, before, 2);
    LLVMAddIncoming(f->left, start_lefts, before, 2);
    LLVMPositionBuilderAtEnd(e->b, f->done);
    store_preds(e, f);
    val high = LLVMBuildShl(e->b, LLVMBuildZExt(e->b, left, i64, ""), b_int(e, 64, 32), "");
    LLVMBuildRet(e->b, LLVMBuildOr(e->b, high, LLVMBuildZExt(e->b, count, i64, ""), ""));
}

/* --- the function --- */

static val declare(const struct emit *e, const char *name)
{
    /* Not AVX-512, on hosts that have it either: a strip has the width of AVX, and of masks LLVM 14
     * makes wrong code: select(c, x & y | z & ~y, x) by a masked vpternlogd with another table. */
    const char *const attributes[][2] = {
        {"target-cpu", "x86-64"},
        {"target-features", "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt"},
    };
    LLVMTypeRef args[] = {
        LLVMPointerType(LLVMPointerType(LLVMInt8TypeInContext(e->ctx), 0), 0),
        LLVMInt32TypeInContext(e->ctx),
        LLVMPointerType(LLVMInt64TypeInContext(e->ctx), 0),
    };
    LLVMTypeRef t = LLVMFunctionType(LLVMInt64TypeInContext(e->ctx), args, ARRAY_LEN(args), false);
    val fn = LLVMAddFunction(e->mod, name, t);
    for (unsigned i = 0; i < ARRAY_LEN(attributes); i++) {
        const char *k = attributes[i][0], *v = attributes[i][1];
        LLVMAddAttributeAtIndex(
            fn, LLVMAttributeFunctionIndex,
            LLVMCreateStringAttribute(e->ctx, k, (unsigned)strlen(k), v, (unsigned)strlen(v)));
    }
    const char *nothrow = "nounwind"; /* no tables for unwinding */
    const unsigned kind = LLVMGetEnumAttributeKindForName(nothrow, strlen(nothrow));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(e->ctx, kind, 0));
    return fn;
}

val emit_run(struct emit *e, const struct run_text *run, const char *name)
{
    e->run = run;
    e->fn = declare(e, name);
    struct frame_blocks f = {.entry = block(e, "entry"),
                             .strip = block(e, "strip"),
                             .body = block(e, "body"),
                             .check = block(e, "check"),
                             .whole = block(e, "whole"),
                             .part = block(e, "part"),
                             .next = block(e, "next"),
                             .done = block(e, "done")};
    begin(e, &f);
    for (uint32_t i = 0; i < run->nops; i++)
        emit_op(e, &run->ops[i]);
    finish_strip(e, &f);
    end(e, &f);
    vec_free(&f.preds);
    emit_forget(e);
    return e->fn;
}
