/* Regions of memoization, checked by control flow and by what registers are needed. */
#include "tech/assist/memo_check.h"

#include "base/vec.h"
#include "ptx/isa.h"
#include "ptx/liveness.h"
#include "ptx/region.h"

#include <stdlib.h>
#include <string.h>

/* What an instruction does with a register. */
struct use {
    uint32_t pc, reg;
    uint8_t role;
};

struct check {
    const struct ptx_func *f;
    struct ptx_live live;
    struct use *by_reg, *by_pc;     /* all uses in the function, in two orders */
    uint32_t *first_use, *first_at; /* of a register in by_reg, of an instruction in by_pc */
    uint8_t *same;                  /* by register: enum sameness */
    uint8_t *roles;  /* by instruction: what it does with the register that is looked at */
    uint32_t *reach; /* instructions that are reached, in that order */
    uint32_t *met;   /* registers of a region */
    unsigned depth;  /* of instructions that lead to one that is asked for */
    struct err *err;
};

/* Whether a register is the same for all threads of a launch. */
enum { DEPTH_MAX = 100 }; /* beyond: taken as not the same */
enum sameness { SAME_UNKNOWN, SAME_ASKED, SAME_NO, SAME_YES };

/* Of an instruction towards a register. KILLS: for all threads. */
enum { READS = 1, WRITES = 2, KILLS = 4, SEEN = 8 };

/* Counting sort by instruction or register, of which there are n; first[k] is where those of k
 * begin. */
static void sort_uses(const struct use *from, size_t count, bool by_pc, uint32_t n, struct use *to,
                      uint32_t *first)
{
    for (size_t i = 0; i < count; i++)
        first[(by_pc ? from[i].pc : from[i].reg) + 1]++;
    for (uint32_t k = 0; k < n; k++)
        first[k + 1] += first[k];
    for (size_t i = count; i--;)
        to[--first[(by_pc ? from[i].pc : from[i].reg) + 1]] = from[i];
    memmove(first, first + 1, n * sizeof *first);
    first[n] = (uint32_t)count;
}

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

/* Writes down what instructions do with the register, or takes it back. */
static void set_roles(const struct check *c, uint32_t reg, bool is_set)
{
    for (uint32_t i = c->first_use[reg]; i < c->first_use[reg + 1]; i++) {
        const struct use *u = &c->by_reg[i];
        c->roles[u->pc] = is_set ? c->roles[u->pc] | u->role : 0;
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
    c->reach[(*n)++] = pc;
}

/* Whether some way from `pc` on reads the register, of set_roles(), before it is written.
 * (Predicates have no live ranges, so these do not do.) */
static bool is_needed(const struct check *c, uint32_t pc)
{
    uint32_t n = 0, to;
    bool found = false;
    reach(c, pc, &n);
    for (uint32_t next = 0; next < n && !found; next++) {
        const uint32_t at = c->reach[next];
        const struct ptx_inst *i = &c->f->insts[at];
        found = c->roles[at] & READS;
        if (c->roles[at] & KILLS)
            continue;
        for (uint32_t k = 0; (to = ptx_inst_target(i, k)) != PTX_NO_PC; k++)
            reach(c, to, &n);
        if (falls_through(i))
            reach(c, at + 1, &n);
    }
    while (n)
        c->roles[c->reach[--n]] &= (uint8_t)~SEEN;
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
    const uint8_t kept = c->roles[r->end];
    c->roles[r->end] |= READS; /* the table takes it there */
    const bool is_left_alone = is_needed(c, r->begin);
    c->roles[r->end] = kept;
    return !is_left_alone || refuse_register(c, r, r->out, "does not always write its output");
}

/* With the roles of the register set. A way from the end of the region to a read in it goes over
 * its begin. */
static bool check_roles(struct check *c, const struct memo_region *r, uint32_t reg)
{
    uint8_t inside = 0, outside = 0;
    for (uint32_t i = c->first_use[reg]; i < c->first_use[reg + 1]; i++)
        *(is_inside(r, c->by_reg[i].pc) ? &inside : &outside) |= c->by_reg[i].role;
    const bool is_read = inside & READS && is_needed(c, r->begin);
    if (is_read && !is_input(r, reg) && !is_same(c, reg))
        return refuse_register(c, r, reg, "reads, beside its inputs,");
    if (inside & WRITES && reg != r->out && (is_read || outside & READS) && is_needed(c, r->end))
        return refuse_register(c, r, reg, "leaves, beside its output,");
    return reg != r->out || is_input(r, reg) || check_output(c, r, inside);
}

static bool check_register(struct check *c, const struct memo_region *r, uint32_t reg)
{
    set_roles(c, reg, true);
    const bool ok = check_roles(c, r, reg);
    set_roles(c, reg, false);
    return ok;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The registers that instructions of the region have to do with, and its output; some of them more
 * than once. */
static uint32_t find_met(const struct check *c, const struct memo_region *r)
{
    uint32_t n = 0;
    for (uint32_t i = c->first_at[r->begin]; i < c->first_at[r->end]; i++)
        c->met[n++] = c->by_pc[i].reg;
    c->met[n++] = r->out;
    qsort(c->met, n, sizeof *c->met, by_number);
    return n;
}

static bool check_registers(struct check *c, const struct memo_region *r)
{
    const uint32_t n = find_met(c, r);
    bool ok = true;
    for (uint32_t i = 0; i < n && ok; i++)
        ok = (i && c->met[i] == c->met[i - 1]) || check_register(c, r, c->met[i]);
    return ok;
}

/* --- all of them --- */

/* Every operand and every guard, by register and by instruction. */
static void find_uses(struct check *c)
{
    const struct ptx_func *f = c->f;
    VEC(struct use) all = {0};
    for (uint32_t reg = 0; reg < f->nregs; reg++)
        for (uint32_t i = c->live.first_access[reg]; i < c->live.first_access[reg + 1]; i++) {
            const struct ptx_access *a = &c->live.accesses[i];
            const uint8_t role = !a->is_def ? READS : a->kills ? WRITES | KILLS : WRITES;
            vec_push(&all, ((struct use){a->pc, reg, role}));
        }
    for (uint32_t pc = 0; pc < f->ninsts; pc++)
        if (f->insts[pc].guard != PTX_NO_REG)
            vec_push(&all, ((struct use){pc, f->insts[pc].guard, READS}));
    c->by_reg = xcalloc(all.len + 1, sizeof *c->by_reg);
    c->by_pc = xcalloc(all.len + 1, sizeof *c->by_pc);
    c->met = xcalloc(all.len + 1, sizeof *c->met);
    c->first_use = xcalloc(f->nregs + 1, sizeof *c->first_use);
    c->first_at = xcalloc(f->ninsts + 1, sizeof *c->first_at);
    sort_uses(all.data, all.len, false, f->nregs, c->by_reg, c->first_use);
    sort_uses(all.data, all.len, true, f->ninsts, c->by_pc, c->first_at);
    vec_free(&all);
}

static void check_free(struct check *c)
{
    ptx_live_free(&c->live);
    free(c->by_reg);
    free(c->by_pc);
    free(c->first_use);
    free(c->first_at);
    free(c->same);
    free(c->roles);
    free(c->reach);
    free(c->met);
}

bool memo_regions_check(const struct ptx_func *f, const struct memo_region *regions, uint32_t n,
                        struct err *err)
{
    if (!n)
        return true;
    struct check c = {.f = f,
                      .same = xcalloc(f->nregs + 1, 1),
                      .roles = xcalloc(f->ninsts + 1, 1),
                      .reach = xcalloc(f->ninsts + 1, sizeof *c.reach),
                      .err = err};
    bool ok = true;
    ptx_live_find(f, &c.live);
    find_uses(&c);
    for (uint32_t i = 0; i < n && ok; i++)
        ok = check_flow(&c, &regions[i]) && check_registers(&c, &regions[i]);
    check_free(&c);
    return ok;
}
