/* Branches that an assembler does without. */
#include "ptx/cfg.h"
#include "ptx/liveness.h"
#include "ptx/reshape.h"

#include <stdlib.h>

enum {
    MOST_WEIGHT = 8, /* of what becomes conditional, loads of global memory counted twice: so ptxas
                      * for sm_90 */
    MOST_ROUNDS = 8  /* one makes room for another */
};

struct flatten {
    struct ptx_func *f;
    bool *is_dropped;
    bool has_changed;
};

static void compact(struct flatten *t)
{
    struct ptx_edit e;
    ptx_edit_start(&e, t->f);
    for (uint32_t pc = 0; pc < t->f->ninsts; pc++) {
        e.at[pc] = (uint32_t)e.out.len;
        if (!t->is_dropped[pc])
            vec_push(&e.out, t->f->insts[pc]);
    }
    ptx_edit_finish(&e);
}

/* --- branches over a branch, branches to what follows --- */

static bool *find_targets(const struct ptx_func *f)
{
    bool *is_target = xcalloc(f->ninsts + 1, sizeof *is_target);
    for (uint32_t pc = 0; pc < f->ninsts; pc++)
        for (unsigned k = 0; k < f->insts[pc].nops; k++) {
            const struct ptx_operand *o = &f->insts[pc].ops[k];
            if (o->kind == PTX_OPND_LABEL)
                is_target[o->pc] = true;
            for (uint32_t n = 0; o->kind == PTX_OPND_LIST && n < o->npcs; n++)
                is_target[o->pcs[n]] = true;
        }
    return is_target;
}

static bool is_always(const struct ptx_inst *i)
{
    return ptx_branch_target(i) != PTX_NO_PC && i->guard == PTX_NO_REG;
}

static void drop(struct flatten *t, uint32_t pc)
{
    t->is_dropped[pc] = true;
    t->has_changed = true;
}

static void find_detours(struct flatten *t)
{
    bool *is_target = find_targets(t->f);
    for (uint32_t pc = 0; pc + 2 < t->f->ninsts; pc++) {
        struct ptx_inst *i = &t->f->insts[pc], *next = i + 1;
        const uint32_t to = ptx_branch_target(i);
        if (is_always(i) && to == pc + 1) {
            drop(t, pc);
        } else if (i->guard != PTX_NO_REG && to == pc + 2 && is_always(next) &&
                   ptx_branch_target(next) != pc + 2 && !is_target[pc + 1]) {
            i->guard_neg = !i->guard_neg;
            i->ops[0].pc = next->ops[0].pc;
            drop(t, ++pc);
        }
    }
    free(is_target);
}

/* --- branches over few instructions --- */

struct written {
    uint32_t reg;
    bool is_it;
};

static void note_written(void *ctx, uint32_t reg, bool is_def)
{
    struct written *w = ctx;
    w->is_it |= is_def && reg == w->reg;
}

static bool can_be_conditional(const struct ptx_inst *i, uint32_t guard)
{
    struct written w = {.reg = guard};
    if (i->bad || i->guard != PTX_NO_REG || ptx_inst_has(i, PTX_M_CC))
        return false;
    switch (ptx_inst_unit(i)) {
    case PTX_UNIT_ALU:
    case PTX_UNIT_DP:
    case PTX_UNIT_SFU:
        break;
    default:
        if (i->op != PTX_OP_LD && i->op != PTX_OP_LDU && i->op != PTX_OP_ST)
            return false;
    }
    ptx_visit_regs(i, note_written, &w);
    return !w.is_it;
}

static bool is_light(const struct flatten *t, const struct ptx_block *b, uint32_t to,
                     uint32_t guard)
{
    unsigned weight = 0;
    for (uint32_t pc = b->first; pc <= b->last; pc++) {
        const struct ptx_inst *i = &t->f->insts[pc];
        if (pc == b->last && is_always(i) && ptx_branch_target(i) == to)
            break;
        if (!can_be_conditional(i, guard))
            return false;
        weight += ptx_inst_weight(i) + (ptx_inst_loads(i) && ptx_inst_space(i) != PTX_SPACE_SHARED);
    }
    return weight <= MOST_WEIGHT;
}

static void make_conditional(struct flatten *t, const struct ptx_cfg *cfg, uint32_t at)
{
    const struct ptx_block *b = &cfg->blocks[at], *then = b + 1;
    const struct ptx_inst *i = &t->f->insts[b->last];
    const uint32_t to = ptx_branch_target(i);
    if (to == PTX_NO_PC || i->guard == PTX_NO_REG || at + 1 >= cfg->nblocks || then->npred != 1 ||
        then->nsucc != 1 || then->succ[0] != cfg->block_of[to] || to == then->first ||
        t->f->insts[to].op == PTX_OP_RET || t->f->insts[to].op == PTX_OP_EXIT ||
        !is_light(t, then, to, i->guard))
        return;
    for (uint32_t pc = then->first; pc <= then->last; pc++)
        if (ptx_branch_target(&t->f->insts[pc]) == PTX_NO_PC) {
            t->f->insts[pc].guard = i->guard;
            t->f->insts[pc].guard_neg = !i->guard_neg;
        }
    drop(t, b->last);
}

static void find_conditions(struct flatten *t)
{
    struct ptx_cfg *cfg = ptx_cfg_build(t->f);
    for (uint32_t b = 0; b < cfg->nblocks; b++)
        make_conditional(t, cfg, b);
    ptx_cfg_free(cfg);
}

static bool apply(struct ptx_func *f, void find(struct flatten *t))
{
    struct flatten t = {.f = f, .is_dropped = xcalloc(f->ninsts + 1, sizeof *t.is_dropped)};
    find(&t);
    if (t.has_changed)
        compact(&t);
    free(t.is_dropped);
    return t.has_changed;
}

void ptx_func_flatten(struct ptx_func *f)
{
    if (!f->ninsts || f->is_decl)
        return;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const bool has_changed = apply(f, find_detours);
        if (!apply(f, find_conditions) && !has_changed)
            return;
    }
}
