/* Each register is followed by itself, from its uses back to its definitions; the cost is the sum
 * of the lengths of all live ranges, and no sets are kept. A definition that does not happen for
 * all threads (a guard) does not end the range above it. */
#include "ptx/liveness.h"

#include "base/vec.h"
#include "ptx/cfg.h"

#include <string.h>

struct liveness {
    const struct ptx_func *f;
    struct ptx_cfg *cfg;
    struct ptx_access *events;
    uint32_t *first;
    VEC(struct ptx_range) ranges;
    /* by block: register + 1 for which it was set */
    uint32_t *is_live_in, *is_live_out, *has_kill, *has_event;
    VEC(uint32_t) work, touched;
    uint64_t steps; /* blocks walked so far */
};

/* Real kernels need a few million at most; beyond this, registers are taken as live everywhere: an
 * answer that is too high beats none. */
#define MAX_STEPS (UINT64_C(1) << 24)

unsigned ptx_reg_words(const struct ptx_func *f, uint32_t reg)
{
    enum ptx_type t = (enum ptx_type)f->regs[reg].type;
    return t == PTX_PRED ? 0 : (ptx_type_bits(t) + 31) / 32;
}

static void visit_operand(const struct ptx_operand *o, bool is_def, ptx_visit_fn *visit, void *ctx)
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

void ptx_visit_regs(const struct ptx_inst *i, ptx_visit_fn *visit, void *ctx)
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
    fl->l->events[fl->next[reg]++] = (struct ptx_access){fl->pc, is_def, is_def && fl->kills};
}

static void collect_events(struct liveness *l)
{
    const struct ptx_func *f = l->f;
    l->first = xcalloc(f->nregs + 1, sizeof *l->first);
    for (uint32_t pc = 0; pc < f->ninsts; pc++)
        ptx_visit_regs(&f->insts[pc], count_event, l);
    for (uint32_t r = 0; r < f->nregs; r++)
        l->first[r + 1] += l->first[r];
    l->events = xmalloc((l->first[f->nregs] + 1) * sizeof *l->events);
    struct filler fl = {.l = l, .next = xmalloc((f->nregs + 1) * sizeof *fl.next)};
    memcpy(fl.next, l->first, (f->nregs + 1) * sizeof *fl.next);
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        fl.pc = pc;
        fl.kills = f->insts[pc].guard == PTX_NO_REG;
        ptx_visit_regs(&f->insts[pc], fill_event, &fl);
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
        const struct ptx_access *e = &l->events[i];
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

static void add_range(struct liveness *l, uint32_t from, uint32_t to)
{
    vec_push(&l->ranges, ((struct ptx_range){from, to}));
}

/* Walks one block's events [lo, hi) backwards. */
static void add_block_ranges(struct liveness *l, const struct ptx_block *b, uint32_t lo,
                             uint32_t hi, bool live)
{
    uint32_t end = 2 * b->last + 1, top = hi;
    while (hi-- > lo) {
        const struct ptx_access *e = &l->events[hi];
        uint32_t before = 2 * e->pc, after = before + 1;
        if (e->is_def) {
            bool same = hi + 1 < top && l->events[hi + 1].pc == e->pc; /* {%r1, %r1} */
            if (live && e->kills)
                add_range(l, after, end);
            else if (!live && !same)
                add_range(l, after, after);
            live = live && !e->kills;
        } else if (!live) {
            live = true;
            end = before;
        }
    }
    if (live)
        add_range(l, 2 * b->first, end);
}

static void add_register(struct liveness *l, uint32_t reg)
{
    uint32_t stamp = reg + 1, lo = l->first[reg], end = l->first[reg + 1];
    if (!ptx_reg_words(l->f, reg) || lo == end)
        return;
    if (l->steps > MAX_STEPS) {
        add_range(l, 0, 2 * l->f->ninsts - 1);
        return;
    }
    l->touched.len = 0;
    mark_blocks(l, reg);
    propagate(l, stamp);
    for (size_t i = 0; i < l->touched.len; i++) {
        const struct ptx_block *b = &l->cfg->blocks[l->touched.data[i]];
        if (l->has_event[l->touched.data[i]] != stamp)
            add_range(l, 2 * b->first, 2 * b->last + 1);
    }
    while (lo < end) {
        uint32_t block = l->cfg->block_of[l->events[lo].pc], hi = lo;
        while (hi < end && l->cfg->block_of[l->events[hi].pc] == block)
            hi++;
        add_block_ranges(l, &l->cfg->blocks[block], lo, hi, l->is_live_out[block] == stamp);
        lo = hi;
    }
}

void ptx_live_find(const struct ptx_func *f, struct ptx_live *live)
{
    struct liveness l = {.f = f, .cfg = ptx_cfg_build(f)};
    uint32_t **stamps[] = {&l.is_live_in, &l.is_live_out, &l.has_kill, &l.has_event};
    for (size_t i = 0; i < ARRAY_LEN(stamps); i++)
        *stamps[i] = xcalloc(l.cfg->nblocks + 1, sizeof(uint32_t));
    collect_events(&l);
    uint32_t *first_range = xcalloc(f->nregs + 1, sizeof *first_range);
    for (uint32_t r = 0; r < f->nregs; r++) {
        add_register(&l, r);
        first_range[r + 1] = (uint32_t)l.ranges.len;
    }
    *live = (struct ptx_live){f, l.events, l.first, l.ranges.data, first_range};
    for (size_t i = 0; i < ARRAY_LEN(stamps); i++)
        free(*stamps[i]);
    vec_free(&l.work);
    vec_free(&l.touched);
    ptx_cfg_free(l.cfg);
}

void ptx_live_free(struct ptx_live *live)
{
    free(live->accesses);
    free(live->first_access);
    free(live->ranges);
    free(live->first_range);
}
