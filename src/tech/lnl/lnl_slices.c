/* A fixed point over registers, memory that a block or a thread has for itself, and control
 * dependence. Registers are taken as a whole, and so is each space of memory: safe, and right for
 * what compilers write. */
#include "tech/lnl/lnl_slices.h"

#include "tech/lnl/lnl_regions.h"

#include <stdlib.h>

/* --- instructions --- */

static bool is_branch(const struct ptx_inst *i)
{
    return (i->op == PTX_OP_BRA && i->guard != PTX_NO_REG) || i->op == PTX_OP_BRX;
}

/* What other threads see, or wait for. */
static bool has_effect(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_ST:
    case PTX_OP_ATOM:
    case PTX_OP_RED:
    case PTX_OP_CALL:
    case PTX_OP_SUST:
    case PTX_OP_SURED:
        return true;
    default:
        return ptx_inst_unit(i) == PTX_UNIT_BAR;
    }
}

/* Values leave their lane by another way than a store. */
static bool is_exchanged(const struct ptx_inst *i)
{
    if (i->op == PTX_OP_CALL)
        return true;
    return i->op != PTX_OP_ST && i->op != PTX_OP_LD && i->op != PTX_OP_TEX && !is_branch(i) &&
           lnl_why_not(i) && ptx_inst_unit(i) != PTX_UNIT_CTRL;
}

/* Its result is no part of an operand, nor one of them. */
static bool computes(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_CVTA:
    case PTX_OP_SELP:
    case PTX_OP_SLCT:
    case PTX_OP_SET:
    case PTX_OP_SETP:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_LOP3:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_SHF:
    case PTX_OP_BFE:
    case PTX_OP_BFI:
    case PTX_OP_PRMT:
        return false;
    default: {
        const enum ptx_unit u = ptx_inst_unit(i);
        return u == PTX_UNIT_ALU || u == PTX_UNIT_SFU || u == PTX_UNIT_DP;
    }
    }
}

/* Of a space that the function alone writes while it runs: shared, local, a call's parameters. */
static bool is_private(const struct ptx_inst *i)
{
    const enum ptx_space s = ptx_inst_space(i);
    return s == PTX_SPACE_SHARED || s == PTX_SPACE_LOCAL || s == PTX_SPACE_PARAM;
}

static bool is_candidate(const struct ptx_inst *i)
{
    return lnl_is_checkable(i) && ptx_inst_space(i) != PTX_SPACE_CONST;
}

/* --- sets --- */

static uint64_t reach_reads(const struct lnl_slices *s, uint32_t pc, bool *is_computed)
{
    uint64_t set = 0;
    for (uint32_t k = s->reads.first[pc]; k < s->reads.first[pc + 1]; k++) {
        set |= s->values[s->reads.regs[k]];
        *is_computed |= s->is_computed[s->reads.regs[k]];
    }
    return set;
}

static uint64_t reach_operand(const struct lnl_slices *s, const struct ptx_operand *o,
                              bool *is_computed)
{
    uint64_t set = 0;
    if (o->kind == PTX_OPND_REG) {
        *is_computed |= s->is_computed[o->reg];
        return s->values[o->reg];
    }
    for (unsigned k = 0; k < o->nelems; k++)
        set |= reach_operand(s, &o->elems[k], is_computed);
    return set;
}

/* Loads that reach the address of a load, a store, an atomic or a texture. */
static uint64_t reach_address(const struct lnl_slices *s, const struct ptx_inst *i)
{
    uint64_t set = 0;
    bool ignored = false;
    for (unsigned k = 0; k < i->nops; k++)
        if (i->ops[k].kind == PTX_OPND_ADDR)
            set |= reach_operand(s, &i->ops[k], &ignored);
    return set;
}

uint64_t lnl_slices_data(const struct lnl_slices *s, uint32_t pc, bool *is_computed)
{
    const struct ptx_inst *i = &s->f->insts[pc];
    *is_computed = false;
    return i->nops > 1 ? reach_operand(s, &i->ops[1], is_computed) : 0;
}

uint64_t lnl_slices_place(const struct lnl_slices *s, uint32_t pc)
{
    const struct ptx_inst *i = &s->f->insts[pc];
    return reach_address(s, i) | s->control[s->cfg->block_of[pc]] |
           (i->guard == PTX_NO_REG ? 0 : s->values[i->guard]);
}

/* --- the fixed point --- */

static bool add(uint64_t *set, uint64_t more)
{
    const bool is_new = more & ~*set;
    *set |= more;
    return is_new;
}

static bool add_flag(bool *flag, bool more)
{
    const bool is_new = more && !*flag;
    *flag |= more;
    return is_new;
}

static uint64_t own_bit(const struct lnl_slices *s, uint32_t pc)
{
    for (unsigned k = 0; k < s->nloads; k++)
        if (s->loads[k].pc == pc)
            return UINT64_C(1) << k;
    return UINT64_C(1) << (LNL_SLICE_LOADS - 1);
}

static bool step_inst(struct lnl_slices *s, uint32_t pc)
{
    const struct ptx_inst *i = &s->f->insts[pc];
    const unsigned space = ptx_inst_space(i);
    bool is_computed = false, found = false;
    uint64_t in = reach_reads(s, pc, &is_computed) | s->control[s->cfg->block_of[pc]];
    if (is_candidate(i))
        in |= own_bit(s, pc);
    if (i->op == PTX_OP_LD && is_private(i)) {
        in |= s->memory[space];
        is_computed |= s->is_memory_computed[space];
    }
    is_computed |= in && computes(i);
    if (i->op == PTX_OP_ST && is_private(i)) {
        found |= add(&s->memory[space], in);
        found |= add_flag(&s->is_memory_computed[space], is_computed);
    }
    for (uint32_t k = s->writes.first[pc]; k < s->writes.first[pc + 1]; k++) {
        found |= add(&s->values[s->writes.regs[k]], in);
        found |= add_flag(&s->is_computed[s->writes.regs[k]], is_computed);
    }
    return found;
}

/* Blocks that depend on the branch at `pc`: from where it goes on up to its post-dominator. */
static bool step_branch(struct lnl_slices *s, uint32_t pc)
{
    const struct ptx_block *b = &s->cfg->blocks[s->cfg->block_of[pc]];
    bool ignored = false, found = false;
    const uint64_t in = reach_reads(s, pc, &ignored) | s->control[s->cfg->block_of[pc]];
    for (uint32_t i = 0; i < b->nsucc && in; i++)
        for (uint32_t at = b->succ[i]; at != b->ipdom && at != s->cfg->nblocks;
             at = s->cfg->blocks[at].ipdom)
            found |= add(&s->control[at], in);
    return found;
}

static bool step_all(struct lnl_slices *s)
{
    bool found = false;
    for (uint32_t pc = 0; pc < s->f->ninsts; pc++) {
        found |= step_inst(s, pc);
        if (is_branch(&s->f->insts[pc]))
            found |= step_branch(s, pc);
    }
    return found;
}

/* --- what loads decide --- */

static void decide(struct lnl_slices *s, uint64_t set, enum lnl_decides what, uint32_t line)
{
    for (unsigned k = 0; k < s->nloads; k++)
        if ((set & ~s->unfit) >> k & 1)
            s->loads[k].decides = what, s->loads[k].line = line;
    s->unfit |= set;
}

static void find_decisions(struct lnl_slices *s)
{
    for (uint32_t pc = 0; pc < s->f->ninsts; pc++) {
        const struct ptx_inst *i = &s->f->insts[pc];
        bool ignored = false;
        decide(s, reach_address(s, i), LNL_DECIDES_ADDRESS, i->line);
        if (has_effect(i))
            decide(s, lnl_slices_place(s, pc), LNL_DECIDES_CONTROL, i->line);
        if (is_exchanged(i))
            decide(s, reach_reads(s, pc, &ignored), LNL_DECIDES_LANES, i->line);
    }
}

static void find_loads(struct lnl_slices *s)
{
    for (uint32_t pc = 0; pc < s->f->ninsts && s->nloads < LNL_SLICE_LOADS - 1; pc++)
        if (is_candidate(&s->f->insts[pc]))
            s->loads[s->nloads++] = (struct lnl_slice_load){.pc = pc};
}

void lnl_slices_find(const struct ptx_func *f, struct lnl_slices *s)
{
    *s = (struct lnl_slices){.f = f, .cfg = ptx_cfg_build(f)};
    ptx_live_find(f, &s->live);
    lnl_reads_find(&s->live, &s->reads);
    lnl_writes_find(&s->live, &s->writes);
    s->values = xcalloc(f->nregs + 1, sizeof *s->values);
    s->is_computed = xcalloc(f->nregs + 1, sizeof *s->is_computed);
    s->control = xcalloc(s->cfg->nblocks + 1, sizeof *s->control);
    find_loads(s);
    while (step_all(s))
        ;
    find_decisions(s);
}

void lnl_slices_free(struct lnl_slices *s)
{
    lnl_reads_free(&s->reads);
    lnl_reads_free(&s->writes);
    free(s->values);
    free(s->is_computed);
    free(s->control);
    ptx_live_free(&s->live);
    ptx_cfg_free(s->cfg);
}
