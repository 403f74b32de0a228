/* The precise set of a region: a fixed point over control dependence and the registers that
 * instructions read. A register is taken as a whole: if one of its definitions in the region must
 * be precise, all are, which is right for code that writes it once, and safe for other. */
#include "ptx/cfg.h"
#include "ptx/isa.h"
#include "ptx/liveness.h"
#include "tech/lnl/lnl_reads.h"
#include "tech/lnl/lnl_regions.h"

#include <stdlib.h>

struct search {
    const struct lnl_region *r;
    const struct ptx_func *f;
    uint8_t *is_precise; /* by instruction */
    struct ptx_cfg *cfg;
    struct ptx_live live;
    struct lnl_reads reads;
    bool *is_wanted;       /* by block: has a store, a barrier or a precise instruction */
    bool *is_inside;       /* by block: scratch of visit() */
    bool *is_settled;      /* by instruction: a branch that is known to be precise */
    uint32_t *work, nwork; /* instructions whose sources are to be made precise */
};

static bool is_in(const struct search *s, uint32_t pc)
{
    return pc >= s->r->begin && pc < s->r->end;
}

static bool is_branch(const struct ptx_inst *i)
{
    return (i->op == PTX_OP_BRA && i->guard != PTX_NO_REG) || i->op == PTX_OP_BRX;
}

static bool has_effect(const struct ptx_inst *i)
{
    return i->op == PTX_OP_ST || ptx_inst_unit(i) == PTX_UNIT_BAR;
}

/* --- what must be precise --- */

static void want_sources(struct search *s, uint32_t pc)
{
    s->work[s->nwork++] = pc;
}

static void want(struct search *s, uint32_t pc)
{
    if (s->is_precise[pc])
        return;
    s->is_precise[pc] = true;
    s->is_wanted[s->cfg->block_of[pc]] = true; /* whether it is executed is every lane's, too */
    want_sources(s, pc);
}

/* The definitions of a register in the region; with `outside`, those in blocks that are not
 * is_inside. */
static void want_register(struct search *s, uint32_t reg, bool outside)
{
    for (uint32_t i = s->live.first_access[reg]; i < s->live.first_access[reg + 1]; i++) {
        const struct ptx_access *a = &s->live.accesses[i];
        if (a->is_def && is_in(s, a->pc) && !(outside && s->is_inside[s->cfg->block_of[a->pc]]))
            want(s, a->pc);
    }
}

/* Rule 5. */
static void spread(struct search *s)
{
    while (s->nwork) {
        const uint32_t pc = s->work[--s->nwork];
        for (uint32_t i = s->reads.first[pc]; i < s->reads.first[pc + 1]; i++)
            want_register(s, s->reads.regs[i], false);
    }
}

/* Rule 2: registers of the address, which is a store's first operand, and its guard. */
static void want_address(struct search *s, uint32_t pc)
{
    const struct ptx_inst *i = &s->f->insts[pc];
    const struct ptx_operand *address = i->nops ? &i->ops[0] : NULL;
    for (unsigned k = 0; address && k < address->nelems; k++)
        if (address->elems[k].kind == PTX_OPND_REG)
            want_register(s, address->elems[k].reg, false);
    if (i->guard != PTX_NO_REG)
        want_register(s, i->guard, false);
}

/* --- control dependence --- */

/* The blocks that depend on the branch at `pc` become is_inside (or no longer): from each place
 * where it goes on, up the post-dominators to its own. Whether one of them is wanted. */
static bool visit(struct search *s, uint32_t pc, bool inside)
{
    const struct ptx_block *b = &s->cfg->blocks[s->cfg->block_of[pc]];
    bool found = false;
    for (uint32_t i = 0; i < b->nsucc; i++)
        for (uint32_t at = b->succ[i]; at != b->ipdom && at != s->cfg->nblocks;
             at = s->cfg->blocks[at].ipdom) {
            s->is_inside[at] = inside;
            found |= s->is_wanted[at];
        }
    return found;
}

/* Rule 4: what instructions inside read, and is made outside. */
static void want_entering(struct search *s)
{
    for (uint32_t pc = s->r->begin; pc < s->r->end; pc++)
        for (uint32_t i = s->reads.first[pc];
             s->is_inside[s->cfg->block_of[pc]] && i < s->reads.first[pc + 1]; i++)
            want_register(s, s->reads.regs[i], true);
}

/* Rule 3, once round; asked until it finds nothing more: a precise branch is wanted in its turn,
 * and so is whatever feeds it. */
static bool find_branches(struct search *s)
{
    bool found = false;
    for (uint32_t pc = s->r->begin; pc < s->r->end; pc++) {
        if (!is_branch(&s->f->insts[pc]) || s->is_settled[pc])
            continue;
        if (visit(s, pc, true) || s->is_precise[pc]) {
            s->is_settled[pc] = s->is_wanted[s->cfg->block_of[pc]] = found = true;
            want(s, pc);
            want_entering(s);
        }
        visit(s, pc, false);
    }
    return found;
}

static void find_roots(struct search *s)
{
    for (uint32_t pc = s->r->begin; pc < s->r->end; pc++) {
        const struct ptx_inst *i = &s->f->insts[pc];
        if (s->is_precise[pc]) /* rule 1 */
            want_sources(s, pc);
        if (has_effect(i))
            s->is_wanted[s->cfg->block_of[pc]] = true;
        if (i->op == PTX_OP_ST)
            want_address(s, pc);
        else if (has_effect(i) && i->guard != PTX_NO_REG) /* a barrier is like a store */
            want_register(s, i->guard, false);
    }
}

/* --- what is read behind the region --- */

static bool is_live_at(const struct search *s, uint32_t reg, uint32_t point)
{
    for (uint32_t i = s->live.first_range[reg]; i < s->live.first_range[reg + 1]; i++)
        if (s->live.ranges[i].from <= point && point <= s->live.ranges[i].to)
            return true;
    return false;
}

/* An instruction of the region that writes the register and that only anchors execute. */
static bool is_approximated(const struct search *s, uint32_t reg)
{
    for (uint32_t i = s->live.first_access[reg]; i < s->live.first_access[reg + 1]; i++) {
        const struct ptx_access *a = &s->live.accesses[i];
        if (a->is_def && is_in(s, a->pc) && !s->is_precise[a->pc])
            return true;
    }
    return false;
}

/* Of predicates no ranges are known: read anywhere else. */
static bool is_read_elsewhere(const struct search *s, uint32_t reg)
{
    for (uint32_t pc = 0; pc < s->f->ninsts; pc++)
        for (uint32_t i = s->reads.first[pc]; !is_in(s, pc) && i < s->reads.first[pc + 1]; i++)
            if (s->reads.regs[i] == reg)
                return true;
    return false;
}

static bool leaves(const struct search *s, uint32_t reg)
{
    if (!is_approximated(s, reg))
        return false;
    return s->f->regs[reg].type == PTX_PRED ? is_read_elsewhere(s, reg)
                                            : is_live_at(s, reg, 2 * s->r->end);
}

/* Rule 6: predicates, addresses and the like cannot be interpolated. */
static void want_others(struct search *s)
{
    for (uint32_t reg = 0; reg < s->f->nregs; reg++)
        if (ptx_type_bits((enum ptx_type)s->f->regs[reg].type) != 32 && leaves(s, reg))
            want_register(s, reg, false);
}

static enum lnl_format format_of(enum ptx_type t)
{
    return t == PTX_F32 ? LNL_F32 : ptx_type_is_signed(t) ? LNL_S32 : LNL_U32;
}

static void find_outs(const struct search *s, struct lnl_region *r)
{
    for (uint32_t reg = 0; reg < s->f->nregs; reg++) {
        if (!leaves(s, reg))
            continue;
        r->outs = xrealloc(r->outs, (r->nouts + 1) * sizeof *r->outs);
        r->outs[r->nouts++] = (struct lnl_out){reg, format_of((enum ptx_type)s->f->regs[reg].type)};
    }
}

void lnl_find_precise(struct lnl_marks *m, struct lnl_region *r)
{
    struct search s = {.r = r, .f = m->f, .is_precise = m->is_precise};
    s.cfg = ptx_cfg_build(m->f);
    ptx_live_find(m->f, &s.live);
    lnl_reads_find(&s.live, &s.reads);
    s.is_wanted = xcalloc(s.cfg->nblocks + 1, sizeof *s.is_wanted);
    s.is_inside = xcalloc(s.cfg->nblocks + 1, sizeof *s.is_inside);
    s.is_settled = xcalloc(m->f->ninsts + 1, sizeof *s.is_settled);
    s.work = xcalloc(2 * m->f->ninsts + 1, sizeof *s.work);
    find_roots(&s);
    want_others(&s);
    while (s.nwork || find_branches(&s))
        spread(&s);
    find_outs(&s, r);
    lnl_reads_free(&s.reads);
    free(s.is_wanted);
    free(s.is_inside);
    free(s.is_settled);
    free(s.work);
    ptx_live_free(&s.live);
    ptx_cfg_free(s.cfg);
}
