/* Loops that count, four turns at once: before the loop and after each four turns the rest of the
 * count is looked at; the loop as it was does what is left.
 *
 * In each of the four copies registers have names of their own, so that what a copy loads does not
 * wait for another's use, and what grows by a constant (the counter, addresses) is added up once.
 */
#include "ptx/cfg.h"
#include "ptx/liveness.h"
#include "ptx/reshape.h"

#include <stdlib.h>
#include <string.h>

enum {
    COPIES = 4,
    MOST_WEIGHT = 46,     /* of a loop that loads, loads counted twice: so ptxas for sm_90 */
    MOST_ARITHMETIC = 19, /* of one that does not */
    MOST_STEP = 1 << 24
};

struct loop {
    uint32_t first, last; /* the latter is the branch back */
    uint32_t test;        /* pc of the comparison */
    uint32_t counter;     /* register */
    int64_t step;
    const struct ptx_operand *bound;
    enum ptx_mod more; /* NE, LT, GT: how the counter compares with the bound while it goes on */
};

/* A register of the function in the loop that is looked at. */
struct name {
    uint32_t now;      /* what has its value in the copy so far */
    uint32_t whole;    /* a register with `now` + `ahead`; PTX_NO_REG: none yet */
    uint32_t last_def; /* pc of the last that writes it for all threads, + 1; 0: none */
    uint32_t ndefs;    /* that write it */
    bool is_carried;   /* into the next turn or out of the loop */
    int64_t ahead;     /* how far it would be */
    int64_t step;      /* 0: it is not one that only grows by a constant */
};

struct unroll {
    struct ptx_edit e;
    struct ptx_func *f;
    struct ptx_live live;
    struct name *names;
    uint32_t nnames;
    VEC(struct ptx_reg) regs;
    struct loop loop;
    unsigned copy;
};

/* --- which loops --- */

struct noting {
    struct unroll *u;
    uint32_t pc;
};

static void note_def(void *ctx, uint32_t reg, bool is_def)
{
    const struct noting *n = ctx;
    struct name *to = &n->u->names[reg];
    if (!is_def)
        return;
    to->ndefs++;
    if (n->u->f->insts[n->pc].guard == PTX_NO_REG)
        to->last_def = n->pc + 1;
}

/* r = r + constant, for all threads. */
static bool is_growth(const struct ptx_inst *i)
{
    return i->op == PTX_OP_ADD && i->guard == PTX_NO_REG && !i->nmods && i->nops == 3 &&
           i->ops[0].kind == PTX_OPND_REG && i->ops[1].kind == PTX_OPND_REG &&
           i->ops[1].reg == i->ops[0].reg && i->ops[2].kind == PTX_OPND_IMM &&
           !i->ops[2].is_float && i->ntypes == 1 &&
           !ptx_type_is_float((enum ptx_type)i->types[0]) &&
           ptx_type_bits((enum ptx_type)i->types[0]) >= 32 && llabs(i->ops[2].imm) < MOST_STEP;
}

static bool is_live_at(const struct ptx_live *l, uint32_t reg, uint32_t pc)
{
    for (uint32_t k = l->first_range[reg]; k < l->first_range[reg + 1]; k++)
        if (l->ranges[k].from <= 2 * pc && 2 * pc <= l->ranges[k].to)
            return true;
    return false;
}

static bool is_returned(const struct ptx_func *f, uint32_t reg)
{
    for (uint32_t k = 0; k < f->nrets; k++)
        if (f->rets[k]->space == PTX_SPACE_REG && f->ret_regs[k] == reg)
            return true;
    return false;
}

/* Neither guards nor what a function returns in registers is in what is known about live ones. */
static bool is_carried(const struct unroll *u, uint32_t reg)
{
    return u->regs.data[reg].type == PTX_PRED || is_returned(u->f, reg) ||
           is_live_at(&u->live, reg, u->loop.first) || is_live_at(&u->live, reg, u->loop.last + 1);
}

static void find_names(struct unroll *u)
{
    struct noting n = {.u = u};
    for (uint32_t r = 0; r < u->nnames; r++)
        u->names[r] = (struct name){.now = r, .whole = PTX_NO_REG, .is_carried = is_carried(u, r)};
    for (n.pc = u->loop.first; n.pc <= u->loop.last; n.pc++)
        ptx_visit_regs(&u->f->insts[n.pc], note_def, &n);
    for (uint32_t pc = u->loop.first; pc <= u->loop.last; pc++) {
        const struct ptx_inst *i = &u->f->insts[pc];
        if (is_growth(i) && u->names[i->ops[0].reg].ndefs == 1)
            u->names[i->ops[0].reg].step = i->ops[2].imm;
    }
}

/* Whether what it does depends on which lanes do it together. */
static bool asks_lanes(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_ELECT:
    case PTX_OP_ACTIVEMASK:
    case PTX_OP_MOVMATRIX:
        return true;
    default:
        return false;
    }
}

/* Lanes that go on and those that are at their last turns part at a loop of copies. */
static bool may_be_copied(const struct ptx_inst *i)
{
    if (i->bad || ptx_inst_has(i, PTX_M_CC) || asks_lanes(i))
        return false;
    for (unsigned k = 0; k < i->nops; k++)
        if (i->ops[k].kind == PTX_OPND_SREG && i->ops[k].sreg >= PTX_SREG_CLOCK)
            return false;
    switch (ptx_inst_unit(i)) {
    case PTX_UNIT_ALU:
    case PTX_UNIT_DP:
    case PTX_UNIT_SFU:
    case PTX_UNIT_TEX:
        return true;
    default:
        return i->op == PTX_OP_LD || i->op == PTX_OP_LDU || i->op == PTX_OP_ST;
    }
}

/* Whether ptxas would: it is short enough. */
static bool is_worth_it(const struct unroll *u)
{
    unsigned weight = 0, loads = 0;
    for (uint32_t pc = u->loop.first; pc < u->loop.last; pc++) {
        const struct ptx_inst *i = &u->f->insts[pc];
        if (!may_be_copied(i))
            return false;
        loads += ptx_inst_loads(i);
        weight += is_growth(i) ? 0 : ptx_inst_weight(i) + ptx_inst_loads(i);
    }
    return weight <= (loads ? MOST_WEIGHT : MOST_ARITHMETIC);
}

/* Whether loads and stores go by more than one register. */
static bool has_streams(const struct unroll *u)
{
    uint32_t first = PTX_NO_REG;
    for (uint32_t pc = u->loop.first; pc < u->loop.last; pc++)
        for (unsigned k = 0; k < u->f->insts[pc].nops; k++) {
            const struct ptx_operand *o = &u->f->insts[pc].ops[k];
            if (o->kind != PTX_OPND_ADDR || o->elems[0].kind != PTX_OPND_REG)
                continue;
            if (first != PTX_NO_REG && first != o->elems[0].reg)
                return true;
            first = o->elems[0].reg;
        }
    return false;
}

static bool is_marked(const struct unroll *u)
{
    for (uint32_t k = 0; k < u->f->npragmas; k++)
        if (u->f->pragmas[k].pc >= u->loop.first && u->f->pragmas[k].pc <= u->loop.last)
            return true;
    return false;
}

static bool is_bound(const struct unroll *u, const struct ptx_operand *o)
{
    return (o->kind == PTX_OPND_IMM && !o->is_float) ||
           (o->kind == PTX_OPND_REG && !o->neg && !u->names[o->reg].ndefs);
}

static enum ptx_mod opposite(enum ptx_mod m)
{
    return m == PTX_M_EQ   ? PTX_M_NE
           : m == PTX_M_GE ? PTX_M_LT
           : m == PTX_M_LE ? PTX_M_GT
                           : PTX_NOMOD;
}

/* `a` with the sides of the comparison exchanged. */
static enum ptx_mod mirrored(enum ptx_mod m)
{
    return m == PTX_M_LT   ? PTX_M_GT
           : m == PTX_M_GT ? PTX_M_LT
           : m == PTX_M_LE ? PTX_M_GE
           : m == PTX_M_GE ? PTX_M_LE
                           : m;
}

/* The comparison that decides whether it goes on: of a counter that has just grown, with what does
 * not change. */
static bool find_count(struct unroll *u)
{
    struct loop *l = &u->loop;
    const struct ptx_inst *branch = &u->f->insts[l->last], *test = &u->f->insts[l->test];
    const enum ptx_type type = (enum ptx_type)test->types[0];
    if (test->op != PTX_OP_SETP || test->guard != PTX_NO_REG || test->nmods != 1 ||
        test->nops != 3 || ptx_type_is_float(type) || ptx_type_bits(type) != 32 ||
        test->ops[1].kind != PTX_OPND_REG)
        return false;
    const bool is_second = test->ops[2].kind == PTX_OPND_REG && u->names[test->ops[2].reg].step;
    const struct ptx_operand *counter = &test->ops[is_second ? 2 : 1];
    l->bound = &test->ops[is_second ? 1 : 2];
    l->counter = counter->reg;
    l->step = u->names[l->counter].step;
    l->more = (enum ptx_mod)test->mods[0];
    if (is_second)
        l->more = mirrored(l->more);
    if (branch->guard_neg)
        l->more = opposite(l->more);
    if (l->bound->kind == PTX_OPND_IMM && l->step > 0) /* ptxas leaves those alone */
        return false;
    return l->step && is_bound(u, l->bound) && u->names[l->counter].last_def - 1 < l->test &&
           (l->more == PTX_M_NE ||
            (ptx_type_kind(type) == 'S' &&
             ((l->more == PTX_M_LT && l->step > 0) || (l->more == PTX_M_GT && l->step < 0))));
}

static bool find_loop(struct unroll *u, const struct ptx_block *b)
{
    const struct ptx_inst *branch = &u->f->insts[b->last];
    u->loop = (struct loop){.first = b->first, .last = b->last};
    if (ptx_branch_target(branch) != b->first || branch->guard == PTX_NO_REG ||
        ptx_inst_has(branch, PTX_M_UNI) || b->last + 1 >= u->f->ninsts || is_marked(u) ||
        !is_worth_it(u) || (branch->guard_neg && !has_streams(u)))
        return false;
    find_names(u);
    const struct name *guard = &u->names[branch->guard];
    if (guard->ndefs != 1 || !guard->last_def)
        return false;
    u->loop.test = guard->last_def - 1;
    return find_count(u);
}

/* --- new instructions --- */

static uint32_t new_reg(struct unroll *u, enum ptx_type type, uint32_t like)
{
    vec_push(&u->regs, ((struct ptx_reg){.type = (uint8_t)type,
                                         .family = u->regs.data[like].family,
                                         .number = (uint32_t)u->regs.len}));
    return (uint32_t)u->regs.len - 1;
}

static struct ptx_operand reg_operand(uint32_t reg)
{
    return (struct ptx_operand){.kind = PTX_OPND_REG, .reg = reg};
}

static struct ptx_operand imm_operand(int64_t imm)
{
    return (struct ptx_operand){.kind = PTX_OPND_IMM, .imm = imm};
}

/* In the line of the loop's branch. */
static struct ptx_inst *add_inst(struct unroll *u, enum ptx_op op, const char *text,
                                 enum ptx_mod mod, enum ptx_type type, unsigned nops)
{
    const struct ptx_inst *like = &u->f->insts[u->loop.last];
    struct ptx_inst i = {.op = (uint16_t)op,
                         .nmods = mod != PTX_NOMOD,
                         .ntypes = type != PTX_NOTYPE,
                         .nops = (uint8_t)nops,
                         .mods = {(uint8_t)mod},
                         .types = {(uint8_t)type},
                         .guard = PTX_NO_REG,
                         .line = like->line,
                         .col = like->col,
                         .loc = like->loc,
                         .ops = arena_array(&u->f->module->arena, struct ptx_operand, nops),
                         .text = text};
    memset(i.ops, 0, nops * sizeof *i.ops);
    vec_push(&u->e.out, i);
    return &u->e.out.data[u->e.out.len - 1];
}

static void add_branch(struct unroll *u, uint32_t guard, bool is_negated, uint32_t to)
{
    struct ptx_inst *i = add_inst(u, PTX_OP_BRA, "bra", PTX_NOMOD, PTX_NOTYPE, 1);
    i->guard = guard;
    i->guard_neg = is_negated;
    i->ops[0] = (struct ptx_operand){.kind = PTX_OPND_LABEL, .pc = to};
}

/* Whether the next COPIES turns go on but perhaps the last. Nothing overflows: a difference that is
 * larger than three steps is not one, two or three of them; a sum that would be too large is the
 * largest number, which no bound is beyond. */
static void add_test(struct unroll *u, uint32_t room, uint32_t is_enough)
{
    const struct loop *l = &u->loop;
    const int64_t most = (COPIES - 1) * l->step;
    const bool is_count = l->more == PTX_M_NE;
    struct ptx_inst *i = is_count ? add_inst(u, PTX_OP_SUB, "sub.s32", PTX_NOMOD, PTX_S32, 3)
                                  : add_inst(u, PTX_OP_ADD, "add.sat.s32", PTX_M_SAT, PTX_S32, 3);
    i->ops[0] = reg_operand(room);
    i->ops[1] = is_count ? *l->bound : reg_operand(l->counter);
    i->ops[2] = is_count ? reg_operand(l->counter) : imm_operand(most);
    const enum ptx_mod how = !is_count ? l->more : l->step > 0 ? PTX_M_GT : PTX_M_LT;
    i = add_inst(u, PTX_OP_SETP, how == PTX_M_GT ? "setp.gt.s32" : "setp.lt.s32", how, PTX_S32, 3);
    i->ops[0] = reg_operand(is_enough);
    i->ops[1] = reg_operand(room);
    i->ops[2] = is_count ? imm_operand(most) : *l->bound;
}

/* --- copies --- */

/* The register that has what `reg` would have in this turn. */
static uint32_t whole_of(struct unroll *u, uint32_t reg)
{
    struct name *n = &u->names[reg];
    if (!n->ahead)
        return n->now;
    if (n->whole == PTX_NO_REG) {
        const enum ptx_type type = (enum ptx_type)u->regs.data[reg].type;
        const bool is_long = ptx_type_bits(type) == 64;
        n->whole = new_reg(u, type, reg);
        struct ptx_inst *i = add_inst(u, PTX_OP_ADD, is_long ? "add.s64" : "add.s32", PTX_NOMOD,
                                      is_long ? PTX_S64 : PTX_S32, 3);
        i->ops[0] = reg_operand(n->whole);
        i->ops[1] = reg_operand(n->now);
        i->ops[2] = imm_operand(n->ahead);
    }
    return n->whole;
}

static bool is_group(const struct ptx_operand *o)
{
    return o->kind == PTX_OPND_ADDR || o->kind == PTX_OPND_VEC || o->kind == PTX_OPND_PAIR ||
           o->kind == PTX_OPND_ARGS;
}

/* The group's operands as the copy's own. */
static struct ptx_operand *own_elems(struct unroll *u, struct ptx_operand *o)
{
    struct ptx_operand *elems =
        arena_array(&u->f->module->arena, struct ptx_operand, o->nelems + 1u);
    memcpy(elems, o->elems, o->nelems * sizeof *elems);
    o->elems = elems;
    return elems;
}

static void copy_use(struct unroll *u, struct ptx_operand *o)
{
    if (o->kind == PTX_OPND_REG) {
        o->reg = whole_of(u, o->reg);
        return;
    }
    if (!is_group(o))
        return;
    struct ptx_operand *elems = own_elems(u, o);
    if (o->kind == PTX_OPND_ADDR && elems[0].kind == PTX_OPND_REG && u->names[elems[0].reg].step) {
        o->imm += u->names[elems[0].reg].ahead;
        elems[0].reg = u->names[elems[0].reg].now;
    }
    const bool is_named =
        o->kind == PTX_OPND_ADDR && elems[0].kind == PTX_OPND_REG && u->names[o->elems[0].reg].step;
    for (unsigned k = is_named; k < o->nelems; k++)
        copy_use(u, &elems[k]);
}

static void copy_def(struct unroll *u, struct ptx_operand *o, const struct ptx_inst *i, uint32_t pc)
{
    if (o->kind == PTX_OPND_REG) {
        struct name *n = &u->names[o->reg];
        if (i->guard == PTX_NO_REG)
            n->now = u->copy == COPIES - 1 && n->last_def == pc + 1 && n->is_carried
                         ? o->reg
                         : new_reg(u, (enum ptx_type)u->regs.data[o->reg].type, o->reg);
        o->reg = n->now;
        return;
    }
    if (!is_group(o))
        return;
    struct ptx_operand *elems = own_elems(u, o);
    for (unsigned k = 0; k < o->nelems; k++)
        copy_def(u, &elems[k], i, pc);
}

/* What grows by a constant does so once, in the last copy. */
static void copy_growth(struct unroll *u, const struct ptx_inst *i)
{
    struct name *n = &u->names[i->ops[0].reg];
    n->ahead += n->step;
    n->whole = PTX_NO_REG;
    if (u->copy < COPIES - 1)
        return;
    struct ptx_inst copy = *i;
    copy.ops = arena_array(&u->f->module->arena, struct ptx_operand, 3);
    memcpy(copy.ops, i->ops, 3 * sizeof *copy.ops);
    copy.ops[2].imm = n->ahead;
    vec_push(&u->e.out, copy);
    n->ahead = 0;
}

static void copy_inst(struct unroll *u, uint32_t pc)
{
    const struct ptx_inst *i = &u->f->insts[pc];
    if (is_growth(i) && u->names[i->ops[0].reg].step) {
        copy_growth(u, i);
        return;
    }
    struct ptx_inst copy = *i;
    const unsigned ndst = ptx_inst_ndst(i);
    copy.ops = arena_array(&u->f->module->arena, struct ptx_operand, i->nops + 1u);
    memcpy(copy.ops, i->ops, i->nops * sizeof *copy.ops);
    if (i->guard != PTX_NO_REG)
        copy.guard = whole_of(u, i->guard);
    for (unsigned k = ndst; k < i->nops; k++)
        copy_use(u, &copy.ops[k]);
    for (unsigned k = 0; k < ndst; k++)
        copy_def(u, &copy.ops[k], i, pc);
    vec_push(&u->e.out, copy);
}

struct asking {
    uint32_t reg;
    bool is_read;
};

static void note_read(void *ctx, uint32_t reg, bool is_def)
{
    struct asking *a = ctx;
    a->is_read |= !is_def && reg == a->reg;
}

static bool is_only_asked_by_branch(const struct unroll *u, uint32_t pred)
{
    struct asking a = {.reg = pred};
    for (uint32_t pc = u->loop.first; pc < u->loop.last; pc++) {
        ptx_visit_regs(&u->f->insts[pc], note_read, &a);
        a.is_read |= u->f->insts[pc].guard == pred;
    }
    return !a.is_read;
}

static void add_copies(struct unroll *u)
{
    const struct loop *l = &u->loop;
    const bool is_spared = is_only_asked_by_branch(u, u->f->insts[l->last].guard);
    for (u->copy = 0; u->copy < COPIES; u->copy++)
        for (uint32_t pc = l->first; pc < l->last; pc++)
            if (pc != l->test || u->copy == COPIES - 1 || !is_spared)
                copy_inst(u, pc);
}

static void add_loop(struct unroll *u)
{
    const struct loop l = u->loop;
    const struct ptx_inst *branch = &u->f->insts[l.last];
    const uint32_t room = new_reg(u, PTX_S32, l.counter);
    const uint32_t is_enough = new_reg(u, PTX_PRED, branch->guard);
    const size_t start = u->e.out.len;
    add_test(u, room, is_enough);
    const size_t away = u->e.out.len;
    add_branch(u, is_enough, true, 0); /* to what is left */
    add_copies(u);
    add_test(u, room, is_enough);
    add_branch(u, is_enough, false, PTX_NEW_PC | (uint32_t)(away + 1));
    add_branch(u, u->names[branch->guard].now, !branch->guard_neg, l.last + 1);
    const uint32_t rest = PTX_NEW_PC | (uint32_t)u->e.out.len;
    u->e.out.data[away].ops[0].pc = rest;
    for (uint32_t pc = l.first; pc <= l.last; pc++) {
        u->e.at[pc] = (uint32_t)u->e.out.len;
        vec_push(&u->e.out, u->f->insts[pc]);
    }
    u->e.out.data[u->e.out.len - 1].ops[0].pc = rest;
    u->e.at[l.first] = (uint32_t)start;
}

static void start(struct unroll *u, struct ptx_func *f)
{
    *u = (struct unroll){.f = f, .nnames = f->nregs};
    ptx_edit_start(&u->e, f);
    ptx_live_find(f, &u->live);
    u->names = xcalloc(f->nregs + 1, sizeof *u->names);
    for (uint32_t r = 0; r < f->nregs; r++)
        vec_push(&u->regs, f->regs[r]);
}

static void finish(struct unroll *u)
{
    struct ptx_func *f = u->f;
    if (u->regs.len > f->nregs) {
        f->regs = arena_array(&f->module->arena, struct ptx_reg, u->regs.len);
        memcpy(f->regs, u->regs.data, u->regs.len * sizeof *f->regs);
        f->nregs = (uint32_t)u->regs.len;
    }
    ptx_edit_finish(&u->e);
    ptx_live_free(&u->live);
    vec_free(&u->regs);
    free(u->names);
}

void ptx_func_unroll(struct ptx_func *f)
{
    if (!f->ninsts || f->is_decl || !f->nregs)
        return;
    struct unroll u;
    struct ptx_cfg *cfg = ptx_cfg_build(f);
    start(&u, f);
    for (uint32_t b = 0; b < cfg->nblocks; b++) {
        if (find_loop(&u, &cfg->blocks[b])) {
            add_loop(&u);
            continue;
        }
        for (uint32_t pc = cfg->blocks[b].first; pc <= cfg->blocks[b].last; pc++) {
            u.e.at[pc] = (uint32_t)u.e.out.len;
            vec_push(&u.e.out, f->insts[pc]);
        }
    }
    ptx_cfg_free(cfg);
    finish(&u);
}
