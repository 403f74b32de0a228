/* Where runs begin and end, what of their results is still wanted, and how they are described to
 * a translator. */
#include "exec/runs.h"

#include "base/cpu.h"
#include "base/vec.h"
#include "exec/lanes_choose.h"
#include "exec/translator.h"
#include "exec/turns.h"
#include "ptx/cfg.h"
#include "ptx/liveness.h"

#include <stdlib.h>
#include <string.h>

enum {
    MIN_RUN = 2,        /* instructions that are worth a call */
    MIN_WITH_LOADS = 6, /* and, if there are loads from registers' addresses, their translation */
    MAX_RUN = 256,      /* and that are translated as one: the cost grows faster than the length */
    MAX_BATCH = 2048,   /* instructions translated at once */
    MAX_CODE = 64,      /* batches of a function */
    LOOKS = 16,         /* in the time that translating it takes, */
    AHEAD = 3,          /* whether it will be executed so many times longer than that */
    WARM = 3,           /* a run this many times less hot is translated along */
    MAX_LEFT = 1 << 12, /* a run that leaves lanes more often, */
    LEFT_SHARE = 4,     /* and every so many times, is not worth it */
};

/* --- finding --- */

/* Translating a run at all, and a load from an address in a register in it, costs as much as so
 * many lane operations; calling it, as much as executing so many. */
enum { RUN_COST = 20, LOAD_COST = 16, CALL_COST = 1 };
/* A load whose lanes scatter may miss the host's caches in every one of them. Executed by itself it
 * costs as much as so many operations then. */
enum { SCATTER_COST = 16 };

static bool is_load(const struct xinst *x)
{
    struct run_op op;
    return ldst_describe(x, &op) && !op.mem->is_uniform;
}

static uint32_t loads_among(const struct xfunc *fn, uint32_t first, uint32_t n)
{
    uint32_t loads = 0;
    for (uint32_t pc = first; pc < first + n; pc++)
        loads += is_load(&fn->code[pc]);
    return loads;
}

/* Executions that, translated, would have saved what translating costs. */
static uint32_t hot(const struct xfunc *fn, uint32_t first, uint32_t n)
{
    const uint64_t cost = RUN_COST + n + (uint64_t)loads_among(fn, first, n) * (LOAD_COST - 1);
    if (translator_threshold() == 1 || n <= CALL_COST)
        return 1;
    return (uint32_t)(translator_threshold() * cost / (n - CALL_COST));
}

static uint32_t next_look(uint32_t hot)
{
    return hot / LOOKS + 1;
}

static uint32_t add_run(const struct xfunc *fn, uint32_t first, uint32_t n)
{
    struct xruns *rs = fn->runs;
    if (rs->n == rs->cap) {
        rs->cap = rs->cap ? rs->cap * 2 : 8;
        rs->run = xrealloc(rs->run, rs->cap * sizeof *rs->run);
    }
    const uint32_t at = hot(fn, first, n), look = next_look(at);
    rs->run[rs->n] =
        (struct xrun){.first = first, .n = n, .hot = at, .countdown = look, .asked = look};
    return rs->n++;
}

static bool is_member(const struct xfunc *fn, uint32_t pc)
{
    const struct xinst *x = &fn->code[pc];
    struct run_op op;
    return !(fn->runs->marks[pc] & RUN_APART) &&
           (x->kind == X_LANE || ldst_describe(x, &op) || move_describe(x, &op));
}

static void leave_out_loads(const struct xfunc *fn, uint32_t pc, uint32_t end)
{
    for (; pc < end; pc++)
        fn->runs->marks[pc] |= is_load(&fn->code[pc]) ? RUN_APART : 0;
}

/* The runs between two places of a basic block. */
static void find_between(const struct xfunc *fn, uint32_t pc, uint32_t last)
{
    for (uint32_t end; pc <= last; pc = end) {
        for (end = pc; end <= last && is_member(fn, end); end++)
            ;
        if (end - pc < MIN_WITH_LOADS && loads_among(fn, pc, end - pc)) {
            leave_out_loads(fn, pc, end);
            end = pc; /* once more, without them */
            continue;
        }
        if (end - pc >= MIN_RUN)
            fn->code[pc].run = add_run(fn, pc, end - pc);
        end += end == pc;
    }
}

void runs_find(struct xfunc *fn, const struct ptx_cfg *cfg)
{
    if (!translator_threshold())
        return;
    fn->runs = xcalloc(1, sizeof *fn->runs);
    fn->runs->marks = xcalloc(fn->ncode, sizeof *fn->runs->marks);
    add_run(fn, 0, 0);
    for (uint32_t pc = 0, last; pc < fn->ncode; pc = last + 1) {
        last = cfg->blocks[cfg->block_of[pc]].last;
        find_between(fn, pc, last);
    }
}

void runs_free(struct xfunc *fn)
{
    struct xruns *rs = fn->runs;
    if (!rs)
        return;
    for (uint32_t i = 0; i < rs->ncode; i++)
        translator_get()->drop(rs->code[i]);
    free(rs->code);
    free(rs->marks);
    free(rs->run);
    free(rs);
    fn->runs = NULL;
}

/* What is no lane operation in the run is executed by itself from now on; what lies between is to
 * be translated at once. False: there is no such thing in it. */
static bool take_apart(const struct xfunc *fn, const struct xrun *r)
{
    struct xruns *rs = fn->runs;
    const uint32_t first = r->first, last = r->first + r->n - 1, before = rs->n;
    bool any = false;
    for (uint32_t pc = first; pc <= last; pc++)
        if (fn->code[pc].kind != X_LANE) {
            rs->marks[pc] |= RUN_APART;
            any = true;
        }
    if (!any)
        return false;
    fn->code[first].run = 0;
    find_between(fn, first, last);
    for (uint32_t i = before; i < rs->n; i++)
        rs->run[i].hot = rs->run[i].countdown = rs->run[i].asked = 1;
    return true;
}

/* Loads of the run whose lanes have scattered more often than `limit` times are known for it from
 * now on. True if there are any that were not yet. */
static bool mark_scattering(const struct xfunc *fn, const struct xrun *r, uint32_t limit)
{
    bool any = false;
    for (uint32_t pc = r->first; pc < r->first + r->n; pc++) {
        const struct xinst *x = &fn->code[pc];
        uint8_t *marks = &fn->runs->marks[pc];
        if (!is_load(x))
            continue;
        if (*x->mem.nscattered > limit && !(*marks & RUN_SCATTERS)) {
            *marks |= RUN_SCATTERS;
            any = true;
        }
        *x->mem.nscattered = 0;
    }
    return any;
}

/* Where everything is translated at once, for tests, nothing is known of loads yet: every other one
 * is taken to scatter. */
static bool is_scattering(const struct xfunc *fn, uint32_t pc)
{
    return fn->runs->marks[pc] & RUN_SCATTERS || (translator_threshold() == 1 && pc % 2);
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

static bool describe_lane(const struct xinst *x, struct run_op *op)
{
    if (x->kind != X_LANE)
        return false;
    struct lane_choice c = {.op = x->src->op};
    struct lane_op scratch = x->lane;
    if (!lanes_choose(lane_tables_of[cpu_level()], x->src, &scratch, &c))
        return false;
    *op = (struct run_op){.kind = RUN_LANE,
                          .lane = &x->lane,
                          .op = (uint16_t)c.op,
                          .variant = (uint16_t)c.variant,
                          .type = (uint8_t)c.type,
                          .type2 = (uint8_t)c.type2,
                          .d = c.d,
                          .in_mode = c.in_mode};
    memcpy(op->s, c.s, sizeof op->s);
    return true;
}

bool runs_describe(const struct xinst *x, struct run_op *op)
{
    if (!describe_lane(x, op) && !ldst_describe(x, op) && !move_describe(x, op))
        return false;
    op->has_guard = x->has_guard;
    op->guard_neg = x->guard_neg;
    op->guard_off = x->guard_off;
    return true;
}

static void piece_add(struct batch *b, struct xrun *piece, const struct run_op *op,
                      const struct xinst *x)
{
    vec_push(&b->ops, *op);
    piece->nunguarded += !op->has_guard;
    piece->has_loads |= op->kind == RUN_LOAD;
    piece->uses_tlb |=
        op->kind == RUN_LOAD && (op->space == PTX_SPACE_GLOBAL || op->space == PTX_SPACE_GENERIC);
    piece->ends_turn |= x->ends_turn & TURN_REREAD;
    piece->n++;
}

/* Guards of operations that follow a load can be looked up after the run, when the load has
 * failed: nothing in it writes them any more. */
static bool spoils_guard(const struct batch *b, const struct xrun *piece, const struct run_op *op)
{
    if (op->kind != RUN_LANE || !piece->n)
        return false;
    const struct lane_ref *d = &op->lane->d, *d2 = &op->lane->d2;
    const struct run_op *before = b->ops.data + b->ops.len - piece->n;
    bool has_load = false;
    for (uint32_t i = 0; i < piece->n; i++) {
        has_load |= before[i].kind == RUN_LOAD;
        if (has_load && before[i].has_guard &&
            ((!d->none && !d->bytes && d->off == before[i].guard_off) ||
             (!d2->none && !d2->bytes && d2->off == before[i].guard_off)))
            return true;
    }
    return false;
}

/* Cuts a run into pieces of operations that the translator knows. */
static void add_pieces(struct batch *b, const struct xrun *run)
{
    const uint32_t end = run->first + run->n;
    struct xrun piece = {.first = run->first};
    for (uint32_t pc = run->first; pc <= end; pc++) {
        struct run_op op;
        const struct xinst *x = &b->fn->code[pc];
        const bool known =
            pc < end && !(x->ends_turn & TURN_SHARED) && runs_describe(x, &op) && b->tr->knows(&op);
        const bool is_cut = known && (piece.n == MAX_RUN || spoils_guard(b, &piece, &op));
        if (known && !is_cut) {
            op.scatters = is_scattering(b->fn, pc);
            piece_add(b, &piece, &op, x);
            continue;
        }
        if (piece.n >= MIN_RUN)
            vec_push(&b->pieces, piece);
        else
            b->ops.len -= piece.n;
        piece = (struct xrun){.first = is_cut ? pc : pc + 1};
        pc -= is_cut;
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

static uint64_t times_executed(const struct xrun *r)
{
    return r->executed + r->asked - r->countdown;
}

/* What executing it once costs, one instruction after the other, in operations. */
static uint32_t cost_of_one(const struct xfunc *fn, const struct xrun *r)
{
    uint32_t cost = r->n;
    for (uint32_t pc = r->first; pc < r->first + r->n; pc++)
        if (is_load(&fn->code[pc]) && *fn->code[pc].mem.nscattered > times_executed(r) / 2)
            cost += SCATTER_COST;
    return cost;
}

/* What the blocks that have not begun will do, if they are like the others. */
static double to_come(const struct xruns *rs, const struct xrun *r)
{
    const double blocks = rs->nblocks ? (double)rs->to_come / (double)rs->nblocks : 0;
    return (double)times_executed(r) * blocks;
}

static bool is_hot(const struct xfunc *fn, const struct xrun *r, uint32_t part)
{
    const uint64_t enough = (uint64_t)r->hot * r->n / cost_of_one(fn, r);
    return times_executed(r) >= enough / part || to_come(fn->runs, r) >= (double)AHEAD * enough;
}

static void collect_run(struct batch *b, struct xrun *r)
{
    const uint64_t half = times_executed(r) / 2;
    mark_scattering(b->fn, r, half < UINT32_MAX ? (uint32_t)half : UINT32_MAX);
    take(b, r);
}

/* The run itself and others that are warm. */
static void collect(struct batch *b, uint32_t run)
{
    struct xruns *rs = b->fn->runs;
    collect_run(b, &rs->run[run]);
    for (uint32_t i = 1; i < rs->n && b->ops.len < MAX_BATCH; i++) {
        struct xrun *r = &rs->run[i];
        if (!r->fn && r->n && is_hot(b->fn, r, WARM))
            collect_run(b, r);
    }
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
        const uint32_t r = add_run(b->fn, p->first, p->n);
        rs->run[r] = *p;
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

/* Whether the run is worth translating, and with others like it the translator. */
static bool is_worth(const struct xfunc *fn, struct xrun *r)
{
    if (!is_hot(fn, r, 1))
        return false;
    const uint64_t before = r->counted;
    const uint32_t cost = cost_of_one(fn, r);
    r->counted = times_executed(r);
    return translator_is_worth(cost * (r->counted - before), cost * to_come(fn->runs, r) / AHEAD);
}

struct xrun *runs_translate(const struct xfunc *fn, uint32_t pc)
{
    struct xruns *rs = fn->runs;
    struct xrun *r = &rs->run[fn->code[pc].run];
    if (!is_worth(fn, r)) {
        r->executed = times_executed(r);
        r->countdown = r->asked = next_look(r->hot);
        return NULL;
    }
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

static bool execute_one(struct warp *w, const struct xinst *x, uint32_t pc, uint32_t mask)
{
    const uint32_t m = x->has_guard ? warp_guard_mask(w, x, mask) : mask;
    if (x->has_guard)
        w->nthread_inst += (unsigned)__builtin_popcount(m);
    if (!m)
        return true;
    if (x->kind == X_LANE) {
        x->lane.fn(&x->lane, w->base, m);
        return true;
    }
    warp_top(w)->pc = pc;
    return x->fn(w, x, m);
}

/* What lies behind the instruction at `pc`, which has failed, does not count, not even for the
 * lanes that have gone through. */
static void uncount(struct warp *w, const struct xfunc *fn, const struct xrun *r, uint32_t pc,
                    uint32_t mask, uint32_t left)
{
    for (uint32_t k = pc + 1; k < r->first + r->n; k++) {
        const struct xinst *x = &fn->code[k];
        const uint32_t m = x->has_guard ? warp_guard_mask(w, x, mask & ~left) : mask;
        w->ninst--;
        w->nthread_inst -= (unsigned)__builtin_popcount(m);
    }
}

void runs_review(const struct xfunc *fn, struct xrun *r)
{
    if (!mark_scattering(fn, r, 2 * RUN_REVIEW))
        return;
    r->fn = NULL; /* it is translated again when it is next executed */
    r->hot = r->countdown = r->asked = 1;
}

bool runs_finish(struct warp *w, const struct xfunc *fn, struct xrun *r, uint32_t mask,
                 uint32_t left)
{
    for (uint32_t pc = r->first; pc < r->first + r->n; pc++)
        if (!execute_one(w, &fn->code[pc], pc, left)) {
            uncount(w, fn, r, pc, mask, left);
            return false;
        }
    if (++r->nleft >= MAX_LEFT && r->nleft > r->nrun / LEFT_SHARE && !take_apart(fn, r))
        fn->code[r->first].run = 0;
    return true;
}
