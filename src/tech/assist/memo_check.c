/* Regions of memoization, checked by control flow and by what registers are needed. */
#include "tech/assist/memo_check.h"

#include "ptx/isa.h"
#include "ptx/liveness.h"
#include "ptx/region.h"

#include <stdlib.h>
#include <string.h>

struct check {
    const struct ptx_func *f;
    struct ptx_live live;
    uint8_t *same;   /* by register: enum sameness */
    uint8_t *roles;  /* by instruction: what it does with the register that is looked at */
    uint32_t *stack; /* of instructions */
    bool *is_guard;  /* by register: of an instruction of the region */
    unsigned depth;  /* of instructions that lead to one that is asked for */
    struct err *err;
};

/* Whether a register is the same for all threads of a launch. */
enum { DEPTH_MAX = 100 }; /* beyond: taken as not the same */
enum sameness { SAME_UNKNOWN, SAME_ASKED, SAME_NO, SAME_YES };

/* Of an instruction towards a register. KILLS: for all threads. */
enum { READS = 1, WRITES = 2, KILLS = 4, SEEN = 8 };

static bool is_inside(const struct memo_region *r, uint32_t pc)
{
    return pc >= r->begin && pc < r->end;
}

static bool refuse(const struct check *c, const struct ptx_inst *i, const char *why)
{
    return err_set(c->err, "%s:%u: memo: %s %s", c->f->module->file, i->line, i->text, why);
}

/* --- instructions --- */

/* Whether an address is in a parameter of the kernel. Those of a device function, and results of
 * calls, are each thread's own. */
static bool is_of_kernel(const struct ptx_func *f, const struct ptx_operand *address)
{
    const struct ptx_operand *base = address->kind == PTX_OPND_ADDR ? address->elems : address;
    for (uint32_t i = 0; f->is_entry && base->kind == PTX_OPND_VAR && i < f->nparams; i++)
        if (f->params[i] == base->var)
            return true;
    return false;
}

static bool reads_constants(const struct ptx_func *f, const struct ptx_inst *i)
{
    const enum ptx_space s = ptx_inst_space(i);
    return i->op == PTX_OP_LD && (s == PTX_SPACE_CONST ||
                                  (s == PTX_SPACE_PARAM && is_of_kernel(f, &i->ops[i->nops - 1])));
}

static bool is_pure(const struct ptx_func *f, const struct ptx_inst *i)
{
    switch (ptx_inst_unit(i)) {
    case PTX_UNIT_ALU:
    case PTX_UNIT_DP:
    case PTX_UNIT_SFU:
        return i->op != PTX_OP_ACTIVEMASK && i->op != PTX_OP_MATCH && i->op != PTX_OP_SHFL &&
               i->op != PTX_OP_VOTE && i->op != PTX_OP_REDUX && i->op != PTX_OP_ELECT;
    case PTX_UNIT_LDST:
        return reads_constants(f, i);
    default:
        return i->op == PTX_OP_BRA;
    }
}

static bool reads_special(const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->nops; k++)
        if (i->ops[k].kind == PTX_OPND_SREG)
            return true;
    return false;
}

static bool check_flow(const struct check *c, const struct memo_region *r)
{
    bool leaves;
    for (uint32_t pc = r->begin; pc < r->end; pc++) {
        const struct ptx_inst *i = &c->f->insts[pc];
        if (!is_pure(c->f, i) || reads_special(i))
            return refuse(c, i, "has no place in a region: it is no arithmetic on its inputs");
    }
    const struct ptx_inst *i = ptx_region_breach(c->f, r->begin, r->end, &leaves);
    return !i || refuse(c, i,
                        leaves ? "leaves the region by another way than its end"
                               : "comes into the region by another way than its begin");
}

/* --- registers --- */

static void find_roles(const struct check *c, uint32_t reg)
{
    const struct ptx_func *f = c->f;
    for (uint32_t pc = 0; pc < f->ninsts; pc++)
        c->roles[pc] = f->insts[pc].guard == reg ? READS : 0;
    for (uint32_t i = c->live.first_access[reg]; i < c->live.first_access[reg + 1]; i++) {
        const struct ptx_access *a = &c->live.accesses[i];
        c->roles[a->pc] |= !a->is_def ? READS : a->kills ? WRITES | KILLS : WRITES;
    }
}

static bool falls_through(const struct ptx_inst *i)
{
    const bool ends = i->op == PTX_OP_BRA || i->op == PTX_OP_BRX || i->op == PTX_OP_RET ||
                      i->op == PTX_OP_EXIT || i->op == PTX_OP_TRAP;
    return !ends || i->guard != PTX_NO_REG;
}

static void reach(const struct check *c, uint32_t pc, uint32_t *n)
{
    if (pc >= c->f->ninsts || c->roles[pc] & SEEN)
        return;
    c->roles[pc] |= SEEN;
    c->stack[(*n)++] = pc;
}

/* Whether some way from `pc` on reads the register, of find_roles(), before it is written.
 * (Predicates have no live ranges, so these do not do.) */
static bool is_needed(const struct check *c, uint32_t pc)
{
    uint32_t n = 0, to;
    bool found = false;
    reach(c, pc, &n);
    while (n && !found) {
        const uint32_t at = c->stack[--n];
        const struct ptx_inst *i = &c->f->insts[at];
        found = c->roles[at] & READS;
        if (c->roles[at] & KILLS)
            continue;
        for (uint32_t k = 0; (to = ptx_inst_target(i, k)) != PTX_NO_PC; k++)
            reach(c, to, &n);
        if (falls_through(i))
            reach(c, at + 1, &n);
    }
    for (uint32_t k = 0; k < c->f->ninsts; k++)
        c->roles[k] &= (uint8_t)~SEEN;
    return found;
}

static bool is_same(struct check *c, uint32_t reg);

static bool is_same_operand(struct check *c, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPND_REG:
        return is_same(c, o->reg);
    case PTX_OPND_SREG:
        return false;
    default:
        for (unsigned i = 0; i < o->nelems; i++)
            if (!is_same_operand(c, &o->elems[i]))
                return false;
        return true;
    }
}

static bool makes_same(struct check *c, const struct ptx_inst *i)
{
    if (i->guard != PTX_NO_REG || !is_pure(c->f, i))
        return false;
    for (unsigned k = ptx_inst_ndst(i); k < i->nops; k++)
        if (!is_same_operand(c, &i->ops[k]))
            return false;
    return true;
}

/* Written once, from what is the same: parameters, constants. */
static bool is_same(struct check *c, uint32_t reg)
{
    if (c->same[reg] != SAME_UNKNOWN)
        return c->same[reg] == SAME_YES;
    c->same[reg] = SAME_ASKED;
    const struct ptx_inst *made = NULL;
    uint32_t n = 0;
    for (uint32_t i = c->live.first_access[reg]; i < c->live.first_access[reg + 1]; i++)
        if (c->live.accesses[i].is_def) {
            made = &c->f->insts[c->live.accesses[i].pc];
            n++;
        }
    c->depth++;
    const bool same = n == 1 && c->depth < DEPTH_MAX && makes_same(c, made);
    c->depth--;
    c->same[reg] = same ? SAME_YES : SAME_NO;
    return same;
}

static bool is_input(const struct memo_region *r, uint32_t reg)
{
    for (uint32_t i = 0; i < r->nin; i++)
        if (r->in[i] == reg)
            return true;
    return false;
}

static bool refuse_register(const struct check *c, const struct memo_region *r, uint32_t reg,
                            const char *why)
{
    char text[96];
    return err_set(c->err, "%s:%u: memo: the region %s %s", c->f->module->file, r->line, why,
                   ptx_reg_text(c->f, reg, text, sizeof text));
}

/* `inside`: roles of the output in the region. On a way that leaves it alone the result would be
 * what was there before, which does not follow from the inputs. */
static bool check_output(const struct check *c, const struct memo_region *r, uint8_t inside)
{
    if (!(inside & WRITES))
        return refuse_register(c, r, r->out, "does not write its output");
    c->roles[r->end] |= READS; /* the table takes it there */
    return !is_needed(c, r->begin) ||
           refuse_register(c, r, r->out, "does not always write its output");
}

static bool check_register(struct check *c, const struct memo_region *r, uint32_t reg)
{
    uint8_t inside = 0;
    find_roles(c, reg);
    for (uint32_t pc = r->begin; pc < r->end; pc++)
        inside |= c->roles[pc];
    if (inside & READS && !is_input(r, reg) && is_needed(c, r->begin) && !is_same(c, reg))
        return refuse_register(c, r, reg, "reads, beside its inputs,");
    if (inside & WRITES && reg != r->out && is_needed(c, r->end))
        return refuse_register(c, r, reg, "leaves, beside its output,");
    return reg != r->out || is_input(r, reg) || check_output(c, r, inside);
}

/* Whether an instruction of the region has to do with a register. */
static bool is_met(const struct check *c, const struct memo_region *r, uint32_t reg)
{
    for (uint32_t i = c->live.first_access[reg]; i < c->live.first_access[reg + 1]; i++)
        if (is_inside(r, c->live.accesses[i].pc))
            return true;
    return reg == r->out || c->is_guard[reg];
}

static void find_guards(const struct check *c, const struct memo_region *r)
{
    memset(c->is_guard, 0, c->f->nregs * sizeof *c->is_guard);
    for (uint32_t pc = r->begin; pc < r->end; pc++)
        if (c->f->insts[pc].guard != PTX_NO_REG)
            c->is_guard[c->f->insts[pc].guard] = true;
}

bool memo_regions_check(const struct ptx_func *f, const struct memo_region *regions, uint32_t n,
                        struct err *err)
{
    if (!n)
        return true;
    struct check c = {.f = f,
                      .same = xcalloc(f->nregs + 1, 1),
                      .is_guard = xcalloc(f->nregs + 1, sizeof *c.is_guard),
                      .roles = xcalloc(f->ninsts + 1, 1),
                      .stack = xcalloc(f->ninsts + 1, sizeof *c.stack),
                      .err = err};
    bool ok = true;
    ptx_live_find(f, &c.live);
    for (uint32_t i = 0; i < n && ok; i++) {
        ok = check_flow(&c, &regions[i]);
        find_guards(&c, &regions[i]);
        for (uint32_t reg = 0; reg < f->nregs && ok; reg++)
            ok = !is_met(&c, &regions[i], reg) || check_register(&c, &regions[i], reg);
    }
    ptx_live_free(&c.live);
    free(c.same);
    free(c.is_guard);
    free(c.roles);
    free(c.stack);
    return ok;
}
