/* Where runs begin and end, what of their results is still wanted, and how they are described to
 * a translator. */
#include "exec/runs.h"

#include "base/vec.h"
#include "exec/lanes_choose.h"
#include "exec/translator.h"
#include "ptx/cfg.h"
#include "ptx/liveness.h"

#include <stdlib.h>
#include <string.h>

enum {
    MIN_RUN = 2,        /* instructions that are worth a call */
    MAX_RUN = 256,      /* and that are translated as one: the cost grows faster than the length */
    MAX_BATCH = 2048,   /* instructions translated at once */
    MAX_CODE = 64,      /* batches of a function */
    WARM = 8,           /* a run this many times less hot is translated along */
    MAX_LEFT = 1 << 12, /* a run that leaves lanes more often is not worth it */
};

/* --- finding --- */

static uint32_t add_run(struct xruns *rs, uint32_t first, uint32_t n)
{
    if (rs->n == rs->cap) {
        rs->cap = rs->cap ? rs->cap * 2 : 8;
        rs->run = xrealloc(rs->run, rs->cap * sizeof *rs->run);
    }
    rs->run[rs->n] = (struct xrun){.first = first, .n = n, .countdown = translator_threshold()};
    return rs->n++;
}

void runs_find(struct xfunc *fn, const struct ptx_cfg *cfg)
{
    if (!translator_threshold())
        return;
    struct xruns *rs = xcalloc(1, sizeof *rs);
    add_run(rs, 0, 0);
    for (uint32_t pc = 0, end; pc < fn->ncode; pc = end) {
        const uint32_t last = cfg->blocks[cfg->block_of[pc]].last;
        for (end = pc; end <= last && fn->code[end].kind == X_LANE; end++)
            ;
        if (end - pc >= MIN_RUN)
            fn->code[pc].run = add_run(rs, pc, end - pc);
        end += end == pc;
    }
    fn->runs = rs;
}

void runs_free(struct xfunc *fn)
{
    struct xruns *rs = fn->runs;
    if (!rs)
        return;
    for (uint32_t i = 0; i < rs->ncode; i++)
        translator_get()->drop(rs->code[i]);
    free(rs->code);
    free(rs->run);
    free(rs);
    fn->runs = NULL;
}

/* --- describing --- */

/* What to translate of a function: the operations of all pieces one after the other. */
struct batch {
    const struct xfunc *fn;
    const struct translator *tr;
    struct ptx_live live;
    struct ptx_cfg *cfg;
    VEC(struct run_op) ops;
    VEC(struct xrun) pieces;
};

/* At the end of a block nobody looks into those that follow. */
static bool is_live_after(const struct batch *b, uint32_t reg, uint32_t pc)
{
    const struct ptx_live *live = &b->live;
    const uint32_t before_next = 2 * (pc + 1);
    if (b->cfg->blocks[b->cfg->block_of[pc]].last == pc)
        return true;
    for (uint32_t k = live->first_range[reg]; k < live->first_range[reg + 1]; k++)
        if (live->ranges[k].from <= before_next && before_next <= live->ranges[k].to)
            return true;
    return false;
}

/* Whether the value that the instruction leaves in its register is read after the one at `last`. A
 * function's results are, by its caller. */
static bool is_result_live(const struct batch *b, const struct ptx_inst *i, uint32_t last)
{
    const struct ptx_func *f = b->fn->src;
    const struct ptx_operand *o = i->nops ? &i->ops[0] : NULL;
    if (!o || o->kind != PTX_OPND_REG)
        return true;
    for (uint32_t k = 0; k < f->nrets; k++)
        if (f->rets[k]->space == PTX_SPACE_REG && f->ret_regs[k] == o->reg)
            return true;
    return is_live_after(b, o->reg, last);
}

bool runs_describe(const struct xinst *x, struct run_op *op)
{
    struct lane_choice c = {.op = x->src->op};
    struct lane_op scratch = x->lane;
    if (x->kind != X_LANE || !lanes_choose(lane_tables_of[cpu_level()], x->src, &scratch, &c))
        return false;
    *op = (struct run_op){.lane = &x->lane,
                          .op = (uint16_t)c.op,
                          .variant = (uint16_t)c.variant,
                          .type = (uint8_t)c.type,
                          .type2 = (uint8_t)c.type2,
                          .d = c.d,
                          .in_mode = c.in_mode,
                          .has_guard = x->has_guard,
                          .guard_neg = x->guard_neg,
                          .guard_off = x->guard_off};
    memcpy(op->s, c.s, sizeof op->s);
    return true;
}

/* Cuts a run into pieces of operations that the translator knows. */
static void add_pieces(struct batch *b, const struct xrun *run)
{
    struct xrun piece = {.first = run->first};
    for (uint32_t pc = run->first; pc <= run->first + run->n; pc++) {
        struct run_op op;
        const bool ends = pc == run->first + run->n || piece.n == MAX_RUN;
        const bool known = !ends && runs_describe(&b->fn->code[pc], &op) && b->tr->knows(&op);
        if (known) {
            vec_push(&b->ops, op);
            piece.nunguarded += !op.has_guard;
            piece.n++;
            continue;
        }
        if (piece.n >= MIN_RUN)
            vec_push(&b->pieces, piece);
        else
            b->ops.len -= piece.n;
        const bool again = piece.n == MAX_RUN && pc < run->first + run->n;
        piece = (struct xrun){.first = again ? pc : pc + 1};
        pc -= again;
    }
}

static void mark_live(struct batch *b)
{
    struct run_op *op = b->ops.data;
    b->cfg = ptx_cfg_build(b->fn->src);
    ptx_live_find(b->fn->src, &b->live);
    for (size_t i = 0; i < b->pieces.len; i++) {
        const struct xrun *p = &b->pieces.data[i];
        for (uint32_t k = 0; k < p->n; k++, op++)
            op->d_is_live = is_result_live(b, b->fn->code[p->first + k].src, p->first + p->n - 1);
    }
    ptx_live_free(&b->live);
    ptx_cfg_free(b->cfg);
}

/* A run that is taken apart is none any more; its pieces will be. */
static void take(struct batch *b, struct xrun *r)
{
    add_pieces(b, r);
    b->fn->code[r->first].run = 0;
    r->n = 0;
}

/* The run itself and others that are warm. */
static void collect(struct batch *b, uint32_t run)
{
    struct xruns *rs = b->fn->runs;
    const uint32_t warm = translator_threshold() - translator_threshold() / WARM;
    take(b, &rs->run[run]);
    for (uint32_t i = 1; i < rs->n && b->ops.len < MAX_BATCH; i++)
        if (!rs->run[i].fn && rs->run[i].n && rs->run[i].countdown <= warm)
            take(b, &rs->run[i]);
}

/* --- translating --- */

static void *translate(struct batch *b, run_fn *fn)
{
    struct run_text *texts = xcalloc(b->pieces.len, sizeof *texts);
    const struct run_op *op = b->ops.data;
    for (size_t i = 0; i < b->pieces.len; i++) {
        texts[i] = (struct run_text){.ops = op,
                                     .nops = b->pieces.data[i].n,
                                     .consts = b->fn->consts,
                                     .frame_bytes = b->fn->frame_bytes};
        op += texts[i].nops;
    }
    void *code = b->tr->translate(texts, (uint32_t)b->pieces.len, fn);
    free(texts);
    return code;
}

static void install(struct batch *b, void *code, const run_fn *fn)
{
    struct xruns *rs = b->fn->runs;
    rs->code = xrealloc(rs->code, (rs->ncode + 1) * sizeof *rs->code);
    rs->code[rs->ncode++] = code;
    for (size_t i = 0; i < b->pieces.len; i++) {
        const struct xrun *p = &b->pieces.data[i];
        const uint32_t r = add_run(rs, p->first, p->n);
        rs->run[r].nunguarded = p->nunguarded;
        rs->run[r].fn = fn[i];
        b->fn->code[p->first].run = r;
    }
}

static void translate_batch(struct batch *b)
{
    run_fn *host = xcalloc(b->pieces.len, sizeof(*host));
    mark_live(b);
    void *code = translate(b, host);
    if (code)
        install(b, code, host);
    free(host);
}

struct xrun *runs_translate(const struct xfunc *fn, uint32_t pc)
{
    struct xruns *rs = fn->runs;
    struct xrun *r = &rs->run[fn->code[pc].run];
    r->countdown = translator_threshold();
    if (!translator_is_worth((uint64_t)r->n * r->countdown))
        return NULL;
    struct batch b = {.fn = fn, .tr = translator_get()};
    if (!b.tr || rs->ncode == MAX_CODE) {
        fn->code[pc].run = 0;
        return NULL;
    }
    collect(&b, fn->code[pc].run);
    if (b.pieces.len)
        translate_batch(&b);
    vec_free(&b.ops);
    vec_free(&b.pieces);
    return fn->code[pc].run ? &rs->run[fn->code[pc].run] : NULL;
}

/* --- executing --- */

void runs_finish(struct warp *w, const struct xfunc *fn, struct xrun *r, uint32_t mask)
{
    for (uint32_t pc = r->first; pc < r->first + r->n; pc++) {
        const struct xinst *x = &fn->code[pc];
        const uint32_t m = x->has_guard ? warp_guard_mask(w, x, mask) : mask;
        if (x->has_guard)
            w->nthread_inst += (unsigned)__builtin_popcount(m);
        if (m)
            x->lane.fn(&x->lane, w->base, m);
    }
    if (++r->nleft == MAX_LEFT)
        fn->code[r->first].run = 0;
}
