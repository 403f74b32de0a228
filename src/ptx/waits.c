/* Natural loops, what stays the same in them, and where what is asked for leads. */
#include "ptx/waits.h"

#include "ptx/cfg.h"
#include "ptx/liveness.h"

#include <stdlib.h>
#include <string.h>

struct loop {
    const struct ptx_func *f;
    const struct ptx_cfg *cfg;
    bool *has;     /* by block */
    uint8_t *ndef; /* by register: definitions in the loop, up to 2 */
    bool *fixed;   /* by register: the same in every turn */
    bool *led;     /* by register: says what was asked for */
};

static bool is_in(const struct loop *l, uint32_t pc)
{
    return l->has[l->cfg->block_of[pc]];
}

/* --- which blocks --- */

/* Those from which `tail` is reached without passing `head`. */
static void add_blocks(struct loop *l, uint32_t head, uint32_t tail, uint32_t *todo)
{
    uint32_t n = 0;
    memset(l->has, 0, l->cfg->nblocks);
    l->has[head] = true;
    if (!l->has[tail])
        todo[n++] = tail;
    l->has[tail] = true;
    while (n) {
        const struct ptx_block *b = &l->cfg->blocks[todo[--n]];
        for (uint32_t i = 0; i < b->npred; i++) {
            if (!l->has[b->pred[i]])
                todo[n++] = b->pred[i];
            l->has[b->pred[i]] = true;
        }
    }
}

static bool has_barrier(const struct loop *l)
{
    for (uint32_t pc = 0; pc < l->f->ninsts; pc++) {
        const struct ptx_inst *i = &l->f->insts[pc];
        if (is_in(l, pc) && (i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER) &&
            !ptx_inst_has(i, PTX_M_WARP))
            return true;
    }
    return false;
}

/* --- what stays the same --- */

static void count_def(void *ctx, uint32_t reg, bool is_def)
{
    struct loop *l = ctx;
    if (is_def && l->ndef[reg] < 2)
        l->ndef[reg]++;
}

struct ask {
    const struct loop *l;
    bool all_fixed, any_led;
};

static void ask_source(void *ctx, uint32_t reg, bool is_def)
{
    struct ask *a = ctx;
    a->all_fixed &= is_def || a->l->fixed[reg];
    a->any_led |= !is_def && a->l->led[reg];
}

static struct ask sources(const struct loop *l, const struct ptx_inst *i)
{
    struct ask a = {l, true, false};
    ptx_visit_regs(i, ask_source, &a);
    if (i->guard != PTX_NO_REG)
        ask_source(&a, i->guard, false);
    return a;
}

struct mark {
    bool *set;
    const uint8_t *ndef; /* NULL: whatever is defined how often */
    bool any;
};

static void mark_def(void *ctx, uint32_t reg, bool is_def)
{
    struct mark *m = ctx;
    if (!is_def || m->set[reg] || (m->ndef && m->ndef[reg] > 1))
        return;
    m->set[reg] = true;
    m->any = true;
}

/* Of the same inputs it makes the same, whenever it is asked. */
static bool is_pure(const struct ptx_inst *i)
{
    const enum ptx_space s = ptx_inst_space(i);
    if (i->op == PTX_OP_LD)
        return s == PTX_SPACE_PARAM || s == PTX_SPACE_CONST;
    return i->op != PTX_OP_ATOM && i->op != PTX_OP_CALL && i->op != PTX_OP_LDU;
}

static void find_fixed(struct loop *l)
{
    memset(l->ndef, 0, l->f->nregs);
    for (uint32_t pc = 0; pc < l->f->ninsts; pc++)
        if (is_in(l, pc))
            ptx_visit_regs(&l->f->insts[pc], count_def, l);
    for (uint32_t r = 0; r < l->f->nregs; r++)
        l->fixed[r] = !l->ndef[r];
    struct mark m = {l->fixed, l->ndef, true};
    while (m.any) {
        m.any = false;
        for (uint32_t pc = 0; pc < l->f->ninsts; pc++)
            if (is_in(l, pc) && is_pure(&l->f->insts[pc]) && sources(l, &l->f->insts[pc]).all_fixed)
                ptx_visit_regs(&l->f->insts[pc], mark_def, &m);
    }
}

/* --- who asks --- */

static bool is_imm_zero(const struct ptx_operand *o)
{
    return o->kind == PTX_OPND_IMM && !o->imm;
}

/* Asks memory, and changes nothing that would lead it further by itself. */
static bool asks(const struct ptx_inst *i)
{
    static const uint8_t ordered[] = {PTX_M_VOLATILE, PTX_M_RELAXED, PTX_M_ACQUIRE, PTX_M_CV,
                                      PTX_M_MMIO};
    if (i->op == PTX_OP_ATOM) {
        const bool adds_nothing = (ptx_inst_has(i, PTX_M_ADD) || ptx_inst_has(i, PTX_M_OR)) &&
                                  i->nops == 3 && is_imm_zero(&i->ops[2]);
        return adds_nothing || ptx_inst_has(i, PTX_M_CAS) || ptx_inst_has(i, PTX_M_EXCH);
    }
    for (unsigned k = 0; i->op == PTX_OP_LD && k < ARRAY_LEN(ordered); k++)
        if (ptx_inst_has(i, ordered[k]))
            return true;
    return false;
}

/* --- where it leads --- */

static bool leaves(const struct loop *l, uint32_t pc)
{
    const struct ptx_block *b = &l->cfg->blocks[l->cfg->block_of[pc]];
    for (uint32_t i = 0; b->last == pc && i < b->nsucc; i++)
        if (b->succ[i] == l->cfg->nblocks || !l->has[b->succ[i]])
            return true;
    return false;
}

/* Whether a branch depends on what `from` brings: one out of the loop; for a swap any, since
 * who has got a lock goes another way within the loop and leaves it later. */
static bool decides(struct loop *l, const struct ptx_inst *from)
{
    struct mark m = {l->led, NULL, true};
    memset(l->led, 0, l->f->nregs);
    ptx_visit_regs(from, mark_def, &m);
    while (m.any) {
        m.any = false;
        for (uint32_t pc = 0; pc < l->f->ninsts; pc++)
            if (is_in(l, pc) && sources(l, &l->f->insts[pc]).any_led)
                ptx_visit_regs(&l->f->insts[pc], mark_def, &m);
    }
    for (uint32_t pc = 0; pc < l->f->ninsts; pc++) {
        const struct ptx_inst *i = &l->f->insts[pc];
        if (is_in(l, pc) && i->guard != PTX_NO_REG && l->led[i->guard] &&
            (leaves(l, pc) || (from->op == PTX_OP_ATOM && i->op == PTX_OP_BRA)))
            return true;
    }
    return false;
}

static const struct ptx_inst *waits_in(struct loop *l)
{
    bool any = false;
    for (uint32_t pc = 0; pc < l->f->ninsts; pc++) {
        const struct ptx_inst *i = &l->f->insts[pc];
        if (is_in(l, pc) && i->op == PTX_OP_NANOSLEEP)
            return i;
        any |= is_in(l, pc) && asks(i);
    }
    if (!any || has_barrier(l))
        return NULL;
    find_fixed(l);
    for (uint32_t pc = 0; pc < l->f->ninsts; pc++) {
        const struct ptx_inst *i = &l->f->insts[pc];
        if (is_in(l, pc) && asks(i) && sources(l, i).all_fixed && decides(l, i))
            return i;
    }
    return NULL;
}

static bool may_ask(const struct ptx_func *f)
{
    for (uint32_t pc = 0; pc < f->ninsts; pc++)
        if (asks(&f->insts[pc]) || f->insts[pc].op == PTX_OP_NANOSLEEP)
            return true;
    return false;
}

/* An edge to a block that lies before is taken for the end of a loop. */
const struct ptx_inst *ptx_waits(const struct ptx_func *f)
{
    const struct ptx_inst *found = NULL;
    if (!f->ninsts || !may_ask(f))
        return NULL;
    struct ptx_cfg *c = ptx_cfg_build(f);
    struct loop l = {.f = f,
                     .cfg = c,
                     .has = xcalloc(c->nblocks, sizeof *l.has),
                     .ndef = xcalloc(f->nregs + 1, 1),
                     .fixed = xcalloc(f->nregs + 1, sizeof *l.fixed),
                     .led = xcalloc(f->nregs + 1, sizeof *l.led)};
    uint32_t *todo = xcalloc(c->nblocks, sizeof *todo);
    for (uint32_t b = 0; b < c->nblocks && !found; b++)
        for (uint32_t i = 0; i < c->blocks[b].nsucc && !found; i++)
            if (c->blocks[b].succ[i] <= b) {
                add_blocks(&l, c->blocks[b].succ[i], b, todo);
                found = waits_in(&l);
            }
    free(todo);
    free(l.has);
    free(l.ndef);
    free(l.fixed);
    free(l.led);
    ptx_cfg_free(c);
    return found;
}
