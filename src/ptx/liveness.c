/* Register need by liveness.
 *
 * Each register is followed by itself, from its uses back to its definitions; the cost is the sum
 * of the lengths of all live ranges, and no sets are kept. An instruction at pc has two points:
 * 2*pc before it, 2*pc+1 after it. A definition that does not happen for all threads (a guard) does
 * not end the range above it. */
#include "ptx/cfg.h"

#include "base/vec.h"

#include <string.h>

struct event {
    uint32_t pc;
    bool is_def, kills;
};

struct liveness {
    const struct ptx_func *f;
    struct ptx_cfg *cfg;
    struct event *events; /* by register, then in program order (uses before definitions) */
    uint32_t *first;      /* by register: its first event; nregs + 1 entries */
    int32_t *delta;       /* by point: change of the number of live words */
    /* by block: register + 1 for which it was set */
    uint32_t *is_live_in, *is_live_out, *has_kill, *has_event;
    VEC(uint32_t) work, touched;
    uint64_t steps;      /* blocks walked so far */
    uint32_t everywhere; /* words taken as live at every point, once steps ran out */
};

/* Real kernels need a few million at most; beyond this, an answer that is too high beats none. */
#define MAX_STEPS (UINT64_C(1) << 26)

static unsigned reg_words(const struct ptx_func *f, uint32_t reg)
{
    enum ptx_type t = (enum ptx_type)f->regs[reg].type;
    return t == PTX_PRED ? 0 : (ptx_type_bits(t) + 31) / 32;
}

typedef void visit_fn(void *ctx, uint32_t reg, bool is_def);

static void visit_operand(const struct ptx_operand *o, bool is_def, visit_fn *visit, void *ctx)
{
    switch (o->kind) {
    case PTX_OPND_REG:
        visit(ctx, o->reg, is_def);
        break;
    case PTX_OPND_ADDR:
        is_def = false;
        /* fall through */
    case PTX_OPND_VEC:
    case PTX_OPND_PAIR:
    case PTX_OPND_ARGS:
        for (unsigned i = 0; i < o->nelems; i++)
            visit_operand(&o->elems[i], is_def, visit, ctx);
        break;
    default:
        break;
    }
}

/* Uses first: an instruction reads before it writes. */
static void visit_regs(const struct ptx_inst *i, visit_fn *visit, void *ctx)
{
    unsigned ndst = ptx_inst_ndst(i);
    for (unsigned k = ndst; k < i->nops; k++)
        visit_operand(&i->ops[k], false, visit, ctx);
    for (unsigned k = 0; k < ndst; k++)
        visit_operand(&i->ops[k], true, visit, ctx);
}

static void count_event(void *ctx, uint32_t reg, bool is_def)
{
    struct liveness *l = ctx;
    (void)is_def;
    l->first[reg + 1]++;
}

struct filler {
    struct liveness *l;
    uint32_t *next, pc;
    bool kills;
};

static void fill_event(void *ctx, uint32_t reg, bool is_def)
{
    struct filler *fl = ctx;
    fl->l->events[fl->next[reg]++] = (struct event){fl->pc, is_def, is_def && fl->kills};
}

static void collect_events(struct liveness *l)
{
    const struct ptx_func *f = l->f;
    l->first = xcalloc(f->nregs + 1, sizeof *l->first);
    for (uint32_t pc = 0; pc < f->ninsts; pc++)
        visit_regs(&f->insts[pc], count_event, l);
    for (uint32_t r = 0; r < f->nregs; r++)
        l->first[r + 1] += l->first[r];
    l->events = xmalloc((l->first[f->nregs] + 1) * sizeof *l->events);
    struct filler fl = {.l = l, .next = xmalloc((f->nregs + 1) * sizeof *fl.next)};
    memcpy(fl.next, l->first, (f->nregs + 1) * sizeof *fl.next);
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        fl.pc = pc;
        fl.kills = f->insts[pc].guard == PTX_NO_REG;
        visit_regs(&f->insts[pc], fill_event, &fl);
    }
    free(fl.next);
}

static void set_live_in(struct liveness *l, uint32_t block, uint32_t stamp)
{
    if (l->is_live_in[block] == stamp)
        return;
    l->is_live_in[block] = stamp;
    vec_push(&l->work, block);
}

/* Marks the blocks of a register's events, and those whose first event needs the value. */
static void mark_blocks(struct liveness *l, uint32_t reg)
{
    uint32_t stamp = reg + 1;
    for (uint32_t i = l->first[reg]; i < l->first[reg + 1]; i++) {
        const struct event *e = &l->events[i];
        uint32_t b = l->cfg->block_of[e->pc];
        if (l->has_event[b] != stamp) {
            l->has_event[b] = stamp;
            vec_push(&l->touched, b);
        }
        if (!e->is_def && l->has_kill[b] != stamp)
            set_live_in(l, b, stamp);
        if (e->kills)
            l->has_kill[b] = stamp;
    }
}

static void propagate(struct liveness *l, uint32_t stamp)
{
    while (l->work.len) {
        const struct ptx_block *b = &l->cfg->blocks[vec_pop(&l->work)];
        l->steps += b->npred;
        for (uint32_t i = 0; i < b->npred; i++) {
            uint32_t p = b->pred[i];
            if (l->is_live_out[p] == stamp)
                continue;
            l->is_live_out[p] = stamp;
            if (l->has_event[p] != stamp)
                vec_push(&l->touched, p);
            if (l->has_kill[p] != stamp)
                set_live_in(l, p, stamp);
        }
    }
}

static void add_range(struct liveness *l, uint32_t from, uint32_t to, unsigned words)
{
    l->delta[from] += (int32_t)words;
    l->delta[to + 1] -= (int32_t)words;
}

/* Walks one block's events [lo, hi) backwards. */
static void add_block_ranges(struct liveness *l, const struct ptx_block *b, uint32_t lo,
                             uint32_t hi, bool live, unsigned words)
{
    uint32_t end = 2 * b->last + 1, top = hi;
    while (hi-- > lo) {
        const struct event *e = &l->events[hi];
        uint32_t before = 2 * e->pc, after = before + 1;
        if (e->is_def) {
            bool same = hi + 1 < top && l->events[hi + 1].pc == e->pc; /* {%r1, %r1} */
            if (live && e->kills)
                add_range(l, after, end, words);
            else if (!live && !same)
                add_range(l, after, after, words);
            live = live && !e->kills;
        } else if (!live) {
            live = true;
            end = before;
        }
    }
    if (live)
        add_range(l, 2 * b->first, end, words);
}

static void add_register(struct liveness *l, uint32_t reg)
{
    unsigned words = reg_words(l->f, reg);
    uint32_t stamp = reg + 1, lo = l->first[reg], end = l->first[reg + 1];
    if (!words || lo == end)
        return;
    if (l->steps > MAX_STEPS) {
        l->everywhere += words;
        return;
    }
    l->touched.len = 0;
    mark_blocks(l, reg);
    propagate(l, stamp);
    for (size_t i = 0; i < l->touched.len; i++) {
        const struct ptx_block *b = &l->cfg->blocks[l->touched.data[i]];
        if (l->has_event[l->touched.data[i]] != stamp)
            add_range(l, 2 * b->first, 2 * b->last + 1, words);
    }
    while (lo < end) {
        uint32_t block = l->cfg->block_of[l->events[lo].pc], hi = lo;
        while (hi < end && l->cfg->block_of[l->events[hi].pc] == block)
            hi++;
        add_block_ranges(l, &l->cfg->blocks[block], lo, hi, l->is_live_out[block] == stamp, words);
        lo = hi;
    }
}

static const struct ptx_func *callee_of(const struct ptx_inst *i)
{
    for (unsigned k = 0; i->op == PTX_OP_CALL && k < i->nops && k < 2; k++)
        if (i->ops[k].kind == PTX_OPND_FUNC) {
            const struct ptx_func *f = i->ops[k].func;
            f = f->def ? f->def : f;
            return f->is_decl ? NULL : f;
        }
    return NULL;
}

/* The largest sum over all points; a call adds what its callee needs. */
static uint32_t largest_sum(const struct liveness *l, const uint32_t *needs)
{
    int64_t live = l->everywhere, most = live;
    for (uint32_t pc = 0; pc < l->f->ninsts; pc++) {
        live += l->delta[2 * pc];
        most = live > most ? live : most;
        live += l->delta[2 * pc + 1];
        const struct ptx_func *callee = needs ? callee_of(&l->f->insts[pc]) : NULL;
        int64_t here = live + (callee ? needs[callee->index] : 0);
        most = here > most ? here : most;
    }
    return (uint32_t)most;
}

/* `needs` by function index: what is known about callees so far; NULL when there are no calls. */
static uint32_t count_words(const struct ptx_func *f, const uint32_t *needs)
{
    struct liveness l = {.f = f, .cfg = ptx_cfg_build(f)};
    uint32_t **stamps[] = {&l.is_live_in, &l.is_live_out, &l.has_kill, &l.has_event};
    for (size_t i = 0; i < ARRAY_LEN(stamps); i++)
        *stamps[i] = xcalloc(l.cfg->nblocks + 1, sizeof(uint32_t));
    l.delta = xcalloc(2 * (size_t)f->ninsts + 2, sizeof *l.delta);
    collect_events(&l);
    for (uint32_t r = 0; r < f->nregs; r++)
        add_register(&l, r);
    uint32_t words = largest_sum(&l, needs);
    for (size_t i = 0; i < ARRAY_LEN(stamps); i++)
        free(*stamps[i]);
    free(l.delta);
    free(l.events);
    free(l.first);
    vec_free(&l.work);
    vec_free(&l.touched);
    ptx_cfg_free(l.cfg);
    return words;
}

struct frame {
    const struct ptx_func *f;
    uint32_t pc;
};

/* The next callee of the frame's function that has not been entered yet. */
static const struct ptx_func *next_callee(struct frame *fr, const bool *entered)
{
    for (; fr->pc < fr->f->ninsts; fr->pc++) {
        const struct ptx_func *c = callee_of(&fr->f->insts[fr->pc]);
        if (c && !entered[c->index])
            return c;
    }
    return NULL;
}

/* Callees before callers; in a recursion, the call that closes the circle adds nothing. */
static uint32_t count_with_callees(const struct ptx_func *f)
{
    uint32_t n = f->module->nfuncs;
    uint32_t *needs = xcalloc(n, sizeof *needs);
    bool *entered = xcalloc(n, sizeof *entered);
    VEC(struct frame) stack = {0};
    entered[f->index] = true;
    vec_push(&stack, ((struct frame){f, 0}));
    while (stack.len) {
        struct frame *top = &vec_last(&stack);
        const struct ptx_func *callee = next_callee(top, entered);
        if (callee) {
            entered[callee->index] = true;
            vec_push(&stack, ((struct frame){callee, 0}));
        } else {
            needs[top->f->index] = count_words(top->f, needs);
            stack.len--;
        }
    }
    uint32_t words = needs[f->index];
    free(needs);
    free(entered);
    vec_free(&stack);
    return words;
}

uint32_t ptx_regs_needed(const struct ptx_func *f)
{
    bool calls = false;
    for (uint32_t pc = 0; pc < f->ninsts && !calls; pc++)
        calls = callee_of(&f->insts[pc]) != NULL;
    uint32_t words = !f->ninsts ? 0 : calls ? count_with_callees(f) : count_words(f, NULL);
    if (f->maxnreg && words > f->maxnreg)
        words = f->maxnreg;
    return words ? words : 1;
}
