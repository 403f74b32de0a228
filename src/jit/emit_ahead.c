/* Fetching ahead: before a run begins, the host is told what the scattered loads of all its strips
 * will read.
 *
 * A strip's loads miss the host's caches together, but the next strip's have to wait until the host
 * has room for its instructions; that room is about two strips long. So where lanes scatter over
 * more memory than the caches near the host's core hold, the addresses are computed once before: a
 * loop over the strips that has nothing but what addresses depend on. What depends on a load is not
 * known there and is left out. Nothing is read or written, so nothing can be wrong. */
#include "jit/emit.h"

#include "exec/grid.h"
#include "jit/emit_words.h"

#include <string.h>

/* A range that the host's second cache holds is not worth it. */
enum { LARGE = 4 << 20 };

/* Registers whose values are not known before the loads are made, by their place. */
struct unknown {
    VEC(uint32_t) offs;
};

static bool is_unknown(const struct unknown *u, uint32_t off)
{
    for (size_t i = 0; i < u->offs.len; i++)
        if (u->offs.data[i] == off)
            return true;
    return false;
}

static bool ref_is_unknown(const struct unknown *u, const struct lane_ref *r)
{
    return !r->none && r->sel == LANE_REGS && is_unknown(u, r->off);
}

static void forget(struct unknown *u, const struct lane_ref *r)
{
    if (!r->none && r->sel == LANE_REGS && !is_unknown(u, r->off))
        vec_push(&u->offs, r->off);
}

static unsigned results_of(const struct xop *m, enum run_kind kind)
{
    return kind == RUN_UNPACK ? m->nrefs - 1u : 1;
}

static bool reads_unknown(const struct unknown *u, const struct run_op *op)
{
    bool any = op->has_guard && is_unknown(u, op->guard_off);
    if (op->kind == RUN_LOAD)
        return any || ref_is_unknown(u, &op->mem->addr);
    if (op->kind == RUN_LANE) {
        for (unsigned k = 0; k < ARRAY_LEN(op->lane->src); k++)
            any |= ref_is_unknown(u, &op->lane->src[k]);
        return any || ref_is_unknown(u, &op->lane->cc);
    }
    for (unsigned k = 0; k < op->move->nrefs; k++)
        any |= ref_is_unknown(u, &op->move->refs[k]);
    return any;
}

static void forget_results(struct unknown *u, const struct run_op *op)
{
    if (op->kind == RUN_LOAD) {
        for (unsigned k = 0; k < op->mem->nregs; k++)
            forget(u, &op->mem->regs[k]);
    } else if (op->kind == RUN_LANE) {
        forget(u, &op->lane->d);
        forget(u, &op->lane->d2);
        forget(u, &op->lane->cc);
    } else {
        for (unsigned k = 0; k < results_of(op->move, op->kind); k++)
            forget(u, &op->move->refs[k]);
    }
}

static bool is_fetched(const struct run_op *op)
{
    return op->kind == RUN_LOAD && op->scatters && op->space == PTX_SPACE_GLOBAL &&
           !op->mem->is_uniform;
}

static bool is_computed(const struct run_op *op)
{
    return op->kind != RUN_LOAD || op->space == PTX_SPACE_PARAM;
}

/* The last operation that is worth it; 0: none. */
static uint32_t ahead_until(const struct run_text *run)
{
    uint32_t until = 0;
    struct unknown u = {0};
    for (uint32_t i = 0; i < run->nops; i++) {
        const struct run_op *op = &run->ops[i];
        const bool is_known = !reads_unknown(&u, op);
        if (is_known && is_fetched(op))
            until = i + 1;
        if (!is_known || !is_computed(op))
            forget_results(&u, op);
    }
    vec_free(&u.offs);
    return until;
}

static val word_of_range(const struct emit *e, const struct run_op *op, size_t off)
{
    return emit_word_in(e, e->view.tlb, op->slot * sizeof(struct tlb_entry) + off);
}

static val range_begins(const struct emit *e, const struct run_op *op)
{
    return word_of_range(e, op, offsetof(struct tlb_entry, base));
}

/* Whether any of them scatters over much memory. */
static val is_large(const struct emit *e, uint32_t until)
{
    val any = NULL;
    for (uint32_t i = 0; i < until; i++) {
        const struct run_op *op = &e->run->ops[i];
        if (!is_fetched(op))
            continue;
        val end = word_of_range(e, op, offsetof(struct tlb_entry, end));
        val bytes = LLVMBuildSub(e->b, end, range_begins(e, op), "");
        val is = LLVMBuildICmp(e->b, LLVMIntUGT, bytes, b_int(e, 64, LARGE), "");
        any = any ? LLVMBuildOr(e->b, any, is, "") : is;
    }
    return any;
}

static void fetch(struct emit *e, const struct run_op *op)
{
    LLVMTypeRef ptr = LLVMPointerType(LLVMInt8TypeInContext(e->ctx), 0);
    const char *name = "llvm.prefetch";
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    val fn = LLVMGetIntrinsicDeclaration(e->mod, id, &ptr, 1);
    LLVMTypeRef t = LLVMIntrinsicGetType(e->ctx, id, &ptr, 1);
    e->op = op;
    val reads = b_as(e, e->mask, emit_int(e, 1)), at = emit_ref(e, &op->mem->addr);
    if (op->has_guard)
        reads = b_and(e, reads, emit_guard_cond(e));
    if (op->mem->imm)
        at = b_add(e, at, b_const_like(e, at, (uint64_t)op->mem->imm));
    at = b_select(e, reads, emit_widened(e, at, 64), b_splat(e, range_begins(e, op)));
    for (unsigned l = 0; l < RUN_STRIP_LANES; l++) {
        val one = LLVMBuildExtractElement(e->b, at, b_int(e, 32, l), "");
        val args[] = {LLVMBuildIntToPtr(e->b, one, ptr, ""), b_int(e, 32, 0), b_int(e, 32, 3),
                      b_int(e, 32, 1)};
        LLVMBuildCall2(e->b, t, fn, args, ARRAY_LEN(args), "");
    }
}

static void emit_strip_ahead(struct emit *e, uint32_t until)
{
    struct unknown u = {0};
    for (uint32_t i = 0; i < until; i++) {
        const struct run_op *op = &e->run->ops[i];
        const bool is_known = !reads_unknown(&u, op);
        if (is_known && is_fetched(op))
            fetch(e, op);
        if (is_known && is_computed(op))
            emit_op(e, op);
        else
            forget_results(&u, op);
    }
    vec_free(&u.offs);
}

static LLVMBasicBlockRef block(const struct emit *e)
{
    return LLVMAppendBasicBlockInContext(e->ctx, e->fn, "");
}

void emit_ahead(struct emit *e)
{
    const uint32_t until = ahead_until(e->run);
    if (!until)
        return;
    LLVMBasicBlockRef strip = block(e), body = block(e), next = block(e), done = block(e);
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(e->b);
    LLVMBuildCondBr(e->b, is_large(e, until), strip, done);
    LLVMPositionBuilderAtEnd(e->b, strip);
    e->strip = LLVMBuildPhi(e->b, LLVMInt64TypeInContext(e->ctx), "");
    emit_strip_mask(e);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, e->mask, b_no_lanes(e), ""), next, body);
    LLVMPositionBuilderAtEnd(e->b, body);
    emit_strip_regs(e);
    emit_strip_ahead(e, until);
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, next);
    val following = LLVMBuildAdd(e->b, e->strip, b_int(e, 64, 1), "");
    val more = LLVMBuildICmp(e->b, LLVMIntNE, following, b_int(e, 64, RUN_STRIPS), "");
    LLVMBuildCondBr(e->b, more, strip, done);
    val strips[] = {b_int(e, 64, 0), following};
    LLVMBasicBlockRef before[] = {entry, next};
    LLVMAddIncoming(e->strip, strips, before, ARRAY_LEN(before));
    LLVMPositionBuilderAtEnd(e->b, done);
    emit_forget(e);
}
