/* Instructions that become several, and those that become a part of others. */
#include "sm/machine_code.h"

#include "ptx/cfg.h"
#include "sm/machine_uses.h"

#include <stdlib.h>

enum {
    MOST_SKIPPED = 32,   /* instructions of PTX that may be these */
    MOST_PREDICATED = 7, /* instructions behind a branch that become conditional instead */
    MOST_OFFSET = 1 << 23,
    PROLOGUE = 1,    /* of a kernel: the stack pointer */
    DESCRIPTOR = 1,  /* before the first access to memory: how it is mapped */
    SHARED_BASE = 3, /* of a kernel with shared memory: where the block's begins */
    JOINED = 5,     /* an atomic of all lanes to one word: which lanes, their sum, by one of them */
    JOINED_OLD = 10 /* and each lane's own result of it */
};

const char *machine_role_text(enum machine_role role)
{
    static const char *const texts[] = {
#define ROLE(id, text) text,
#include "sm/machine_roles.def"
    };
    return texts[role];
}

struct machine_code {
    const struct ptx_func *src;
    const struct sm_cfg *cfg;
    struct dfunc *f;
    struct machine_uses uses;
    bool *is_target; /* a branch goes there */
    struct ptx_cfg *cfg_of;
};

/* --- kinds of operands --- */

static enum ptx_type type_of(const struct ptx_inst *i)
{
    return i->ntypes ? (enum ptx_type)i->types[0] : PTX_NOTYPE;
}

static bool is_int64(const struct ptx_inst *i)
{
    const enum ptx_type t = type_of(i);
    return ptx_type_bits(t) == 64 && !ptx_type_is_float(t);
}

static bool is_int32(const struct ptx_inst *i)
{
    const enum ptx_type t = type_of(i);
    return ptx_type_bits(t) <= 32 && !ptx_type_is_float(t);
}

static bool is_wide(const struct ptx_inst *i)
{
    return ptx_inst_has(i, PTX_M_WIDE);
}

enum which { any, int64, int32, f32rn, f32full, f32approx, f32denormal, f64 };

static bool is_which(const struct ptx_inst *i, enum which w)
{
    const bool is_approx = ptx_inst_has(i, PTX_M_APPROX), is_flushed = ptx_inst_has(i, PTX_M_FTZ);
    const bool is_f32 = type_of(i) == PTX_F32;
    switch (w) {
    case int64:
        return is_int64(i) && !is_wide(i);
    case int32:
        return is_int32(i);
    case f32rn:
        return is_f32 && !is_approx && !ptx_inst_has(i, PTX_M_FULL);
    case f32full:
        return is_f32 && ptx_inst_has(i, PTX_M_FULL);
    case f32approx:
        return is_f32 && is_approx && is_flushed;
    case f32denormal:
        return is_f32 && is_approx && !is_flushed;
    case f64:
        return type_of(i) == PTX_F64;
    default:
        return true;
    }
}

static unsigned listed_parts(const struct ptx_inst *i)
{
    static const struct {
        uint16_t op;
        uint8_t which, n;
    } rows[] = {
#define PARTS(op, which, n) {PTX_OP_##op, which, n},
#include "sm/machine_code.def"
    };
    for (unsigned k = 0; k < ARRAY_LEN(rows); k++)
        if (rows[k].op == i->op && is_which(i, (enum which)rows[k].which))
            return rows[k].n;
    return 1;
}

/* --- where branches go --- */

static void note_targets(struct machine_code *m, const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->nops; k++) {
        const struct ptx_operand *o = &i->ops[k];
        if (o->kind == PTX_OPND_LABEL && o->pc < m->src->ninsts)
            m->is_target[o->pc] = true;
        for (uint32_t n = 0; o->kind == PTX_OPND_LIST && n < o->npcs; n++)
            if (o->pcs[n] < m->src->ninsts)
                m->is_target[o->pcs[n]] = true;
    }
}

static void find_targets(struct machine_code *m)
{
    for (uint32_t pc = 0; pc < m->src->ninsts; pc++)
        note_targets(m, &m->src->insts[pc]);
}

/* --- what becomes a part of another --- */

static bool is_sum(const struct ptx_inst *i)
{
    return i && (i->op == PTX_OP_ADD || i->op == PTX_OP_SUB);
}

static bool is_logic(const struct ptx_inst *i)
{
    return i->op == PTX_OP_AND || i->op == PTX_OP_OR || i->op == PTX_OP_XOR || i->op == PTX_OP_NOT;
}

static bool is_same_type(const struct ptx_inst *a, const struct ptx_inst *b)
{
    return ptx_type_bits(type_of(a)) == ptx_type_bits(type_of(b)) &&
           ptx_type_is_float(type_of(a)) == ptx_type_is_float(type_of(b));
}

static bool is_rounded(const struct ptx_inst *i)
{
    return ptx_inst_has(i, PTX_M_RN) || ptx_inst_has(i, PTX_M_RZ) || ptx_inst_has(i, PTX_M_RM) ||
           ptx_inst_has(i, PTX_M_RP);
}

static bool sums_wide(const struct ptx_inst *i, const struct ptx_inst *reader, bool in_address)
{
    (void)i;
    return !in_address && is_sum(reader) && is_int64(reader);
}

static bool sums_alike(const struct ptx_inst *i, const struct ptx_inst *reader, bool in_address)
{
    return !in_address && is_sum(reader) && is_same_type(i, reader);
}

static bool adds(const struct ptx_inst *i, const struct ptx_inst *reader, bool in_address)
{
    return sums_alike(i, reader, in_address) && reader->op == PTX_OP_ADD;
}

/* A product of integers that is added, in one instruction with each of the sums. */
static bool is_fused_product(const struct machine_code *m, const struct ptx_inst *i)
{
    if (i->op != PTX_OP_MUL || is_rounded(i))
        return false;
    if (ptx_type_is_float(type_of(i))) {
        const struct ptx_inst *sum = machine_reader(&m->uses, i);
        return is_sum(sum) && !is_rounded(sum) && is_same_type(i, sum);
    }
    if (is_wide(i))
        return machine_all_readers(&m->uses, i, sums_wide);
    return is_int32(i) && !ptx_inst_has(i, PTX_M_HI) &&
           machine_all_readers(&m->uses, i, sums_alike);
}

/* A shift by a constant that is added: LEA. One of 64 bits takes two, so it is not done again for
 * another sum. */
static bool is_scaled_index(const struct machine_code *m, const struct ptx_inst *i)
{
    return i->op == PTX_OP_SHL && i->ops[2].kind == PTX_OPND_IMM &&
           (is_int32(i) || machine_reader(&m->uses, i)) && machine_all_readers(&m->uses, i, adds);
}

static bool addresses(const struct ptx_inst *i, const struct ptx_inst *reader, bool in_address)
{
    (void)i, (void)reader;
    return in_address;
}

/* base + constant that only addresses memory: the offset of loads and stores. */
static bool is_offset(const struct machine_code *m, const struct ptx_inst *i)
{
    if (i->op != PTX_OP_ADD || i->ops[0].kind != PTX_OPND_REG || !(is_int64(i) || is_int32(i)) ||
        i->ops[2].kind != PTX_OPND_IMM || llabs(i->ops[2].imm) >= MOST_OFFSET)
        return false;
    return machine_all_readers(&m->uses, i, addresses);
}

/* Of three numbers, in one instruction: two sums, two operations of logic. */
static bool is_third_operand(const struct machine_code *m, const struct ptx_inst *i)
{
    const struct ptx_inst *next = is_logic(i) || is_sum(i) ? machine_reader(&m->uses, i) : NULL;
    if (!next || !is_int32(i) || !is_same_type(i, next) || type_of(i) == PTX_PRED)
        return false;
    if (is_logic(i))
        return is_logic(next);
    return is_sum(next) && machine_writer(&m->uses, next, 1) == i &&
           next->ops[2].kind == PTX_OPND_REG;
}

static bool is_special_constant(const struct ptx_operand *o)
{
    return (o->sreg >= PTX_SREG_NTID_X && o->sreg <= PTX_SREG_NTID_Z) ||
           (o->sreg >= PTX_SREG_NCTAID_X && o->sreg <= PTX_SREG_NCTAID_Z);
}

static bool stores(const struct ptx_inst *i, const struct ptx_inst *reader, bool in_address)
{
    (void)i;
    return !in_address && reader->op == PTX_OP_ST;
}

/* Of a register that others write too (a variable of a loop), or that is stored, a constant is
 * brought there; a register is named instead of its copy. */
static bool is_free_move(const struct machine_code *m, const struct ptx_inst *i)
{
    if (i->op != PTX_OP_MOV)
        return false;
    if (i->ops[1].kind == PTX_OPND_SREG)
        return m->cfg->constant_operands && is_special_constant(&i->ops[1]);
    const struct machine_reg *r = machine_written(&m->uses, i);
    if (i->ops[1].kind != PTX_OPND_IMM || !r)
        return true;
    return r->writer < MANY_INST && !(i->ops[1].imm && machine_any_reader(&m->uses, i, stores));
}

/* To another width of integers that needs no work. */
static bool is_free_conversion(const struct machine_code *m, const struct ptx_inst *i)
{
    if (i->op != PTX_OP_CVT || i->ntypes < 2)
        return false;
    const enum ptx_type to = type_of(i), from = (enum ptx_type)i->types[1];
    if (ptx_type_is_float(to) || ptx_type_is_float(from))
        return false;
    const unsigned a = ptx_type_bits(to), b = ptx_type_bits(from);
    const struct ptx_inst *by = machine_writer(&m->uses, i, 1), *next = machine_reader(&m->uses, i);
    if (a <= b)
        return a >= 32 || (by && by->op == PTX_OP_LD);
    if (b < 32)
        return by && by->op == PTX_OP_LD;
    return ptx_type_kind(from) != 'S' ||
           (next && (next->op == PTX_OP_MUL || next->op == PTX_OP_SHL || is_sum(next)));
}

static bool is_sign(const struct ptx_inst *i)
{
    return (i->op == PTX_OP_NEG || i->op == PTX_OP_ABS) && ptx_type_is_float(type_of(i));
}

/* A load of one constant of 32 bits. */
static bool is_plain_constant(const struct machine_code *m, uint32_t pc)
{
    const struct ptx_inst *i = &m->src->insts[pc];
    return (m->f->code[pc].flags & DINST_CONST) && i->op == PTX_OP_LD &&
           i->ops[1].kind == PTX_OPND_ADDR && ptx_type_bits(type_of(i)) == 32 &&
           ptx_inst_vec(i) == 1;
}

/* Whether two addresses are the halves of 8 bytes. */
static bool is_neighbour(const struct ptx_operand *a, const struct ptx_operand *b)
{
    const struct ptx_operand *x = &a->elems[0], *y = &b->elems[0];
    if (x->kind != y->kind)
        return false;
    if (x->kind == PTX_OPND_REG)
        return x->reg == y->reg && a->imm == (b->imm ^ 4);
    return x->kind == PTX_OPND_VAR && x->var->space == y->var->space &&
           (x->var == y->var || x->var->space == PTX_SPACE_PARAM) &&
           x->var->offset + (uint64_t)a->imm == ((y->var->offset + (uint64_t)b->imm) ^ 4);
}

/* Whether a constant comes with its neighbour: they are brought into registers 64 bits at a time,
 * and the other half of these 8 bytes is loaded before `pc` in the same basic block. */
static bool has_neighbour(const struct machine_code *m, uint32_t pc)
{
    if (!is_plain_constant(m, pc))
        return false;
    for (uint32_t k = pc;
         k-- > 0 && !(m->f->code[k].flags & DINST_CONTROL) && !m->is_target[k + 1];)
        if (is_plain_constant(m, k) &&
            is_neighbour(&m->src->insts[k].ops[1], &m->src->insts[pc].ops[1]))
            return true;
    return false;
}

/* A constant that its readers name: an address of 64 bits is none. */
static bool is_operand(const struct machine_code *m, uint32_t pc)
{
    const struct dinst *d = &m->f->code[pc];
    return m->cfg->constant_operands && (d->flags & DINST_CONST) && !d->nsrc &&
           ptx_type_bits(type_of(&m->src->insts[pc])) < 64;
}

static enum machine_role role_of(const struct machine_code *m, uint32_t pc)
{
    const struct ptx_inst *i = &m->src->insts[pc];
    if (is_free_move(m, i))
        return MACHINE_move;
    if (i->op == PTX_OP_CVTA)
        return MACHINE_window;
    if (is_operand(m, pc))
        return MACHINE_constant;
    if (has_neighbour(m, pc))
        return MACHINE_neighbour;
    if (is_logic(i) && type_of(i) == PTX_PRED)
        return MACHINE_predicate;
    if (is_free_conversion(m, i))
        return MACHINE_width;
    if (is_sign(i))
        return MACHINE_sign;
    if (is_fused_product(m, i))
        return MACHINE_product;
    if (is_scaled_index(m, i))
        return MACHINE_index;
    if (is_offset(m, i))
        return MACHINE_offset;
    return is_third_operand(m, i) ? MACHINE_third : MACHINE_own;
}

/* --- branches --- */

static bool is_end(const struct ptx_inst *i)
{
    return i->op == PTX_OP_RET || i->op == PTX_OP_EXIT;
}

/* Instructions between a branch over them and its target, if they can be made conditional; 0: not.
 * Nothing is, where the lanes that jump are done: they end instead. */
static uint32_t predicated(const struct machine_code *m, uint32_t pc)
{
    const struct ptx_inst *i = &m->src->insts[pc];
    const uint32_t to = i->nops && i->ops[0].kind == PTX_OPND_LABEL ? i->ops[0].pc : 0;
    if (i->op != PTX_OP_BRA || i->guard == PTX_NO_REG || to <= pc + 1 ||
        to - pc - 1 > MOST_SKIPPED || is_end(&m->src->insts[to]))
        return 0;
    uint32_t n = 0;
    for (uint32_t k = pc + 1; k < to; k++) {
        const struct dinst *d = &m->f->code[k];
        if (m->is_target[k] || (d->flags & (DINST_CONTROL | DINST_BARRIER | DINST_ATOMIC)) ||
            m->src->insts[k].guard != PTX_NO_REG)
            return 0;
        n += d->parts;
    }
    return n <= MOST_PREDICATED ? n : 0;
}

static uint32_t target_of(const struct ptx_inst *i)
{
    return i->op == PTX_OP_BRA && i->nops && i->ops[0].kind == PTX_OPND_LABEL ? i->ops[0].pc
                                                                              : PTX_NO_PC;
}

/* Behind a branch over it: that one gets the opposite condition and this one's target. */
static bool is_inverted(const struct machine_code *m, uint32_t pc)
{
    const struct ptx_inst *i = &m->src->insts[pc], *before = i - 1;
    return pc && target_of(i) != PTX_NO_PC && i->guard == PTX_NO_REG && !m->is_target[pc] &&
           before->guard != PTX_NO_REG && target_of(before) == pc + 1;
}

static void find_branch(const struct machine_code *m, uint32_t pc)
{
    struct dinst *d = &m->f->code[pc];
    const uint32_t to = target_of(&m->src->insts[pc]), n = predicated(m, pc);
    if (to == PTX_NO_PC)
        return;
    if (to == pc + 1) {
        d->parts = 0;
        d->role = MACHINE_nowhere;
    } else if (is_inverted(m, pc)) {
        d->parts = 0;
        d->role = MACHINE_inverted;
    } else if (n) {
        d->parts = 0;
        d->role = MACHINE_conditional;
        d->skips = (uint8_t)n;
    }
}

/* Whether lanes that part at `pc` are to meet before they end. */
static bool parts_lanes(const struct machine_code *m, uint32_t pc)
{
    const struct ptx_inst *i = &m->src->insts[pc];
    return i->guard != PTX_NO_REG && target_of(i) != PTX_NO_PC && m->f->code[pc].parts &&
           !ptx_inst_has(i, PTX_M_UNI) && !m->uses.regs[i->guard].is_uniform &&
           m->cfg_of->reconv[pc] != PTX_NO_PC && !is_end(&m->src->insts[m->cfg_of->reconv[pc]]);
}

/* Where lanes meet again costs two more for all branches that lead there: what says before the
 * first of them where that is, and what waits there (BSSY, BSYNC). */
static void find_meetings(const struct machine_code *m)
{
    for (uint32_t pc = 0; pc < m->src->ninsts; pc++) {
        struct dinst *d = parts_lanes(m, pc) ? &m->f->code[m->cfg_of->reconv[pc]] : NULL;
        if (!d || d->role == MACHINE_meeting)
            continue;
        d->parts = (uint8_t)(d->parts + 2);
        d->role = MACHINE_meeting;
    }
}

/* --- all of a function --- */

static bool is_measured_whole(const struct dinst *d)
{
    return d->class == OP_CLASS_idiv || d->class == OP_CLASS_fdiv || d->class == OP_CLASS_ddiv;
}

static bool is_narrow(const struct machine_code *m, const struct ptx_inst *i)
{
    const struct machine_reg *r = machine_written(&m->uses, i);
    return r && r->is_narrow;
}

static bool is_joinable(const struct ptx_inst *i)
{
    return (i->op == PTX_OP_ATOM || i->op == PTX_OP_RED) && is_int32(i) &&
           (ptx_inst_space(i) == PTX_SPACE_GLOBAL || ptx_inst_space(i) == PTX_SPACE_SHARED) &&
           (ptx_inst_has(i, PTX_M_ADD) || ptx_inst_has(i, PTX_M_MIN) || ptx_inst_has(i, PTX_M_MAX));
}

/* Instructions that an atomic takes more because lanes do it together: the address is the same in
 * all, and so is the number that is added if each wants what was there before. */
static unsigned joined_parts(const struct machine_code *m, const struct ptx_inst *i)
{
    const unsigned at = ptx_inst_ndst(i);
    if (!is_joinable(i) || i->nops < at + 2 || !machine_is_uniform(&m->uses, &i->ops[at]))
        return 0;
    const struct machine_reg *old = at ? machine_written(&m->uses, i) : NULL;
    if (!old || !old->nreaders)
        return JOINED;
    return ptx_inst_has(i, PTX_M_ADD) && machine_is_uniform(&m->uses, &i->ops[at + 1]) ? JOINED_OLD
                                                                                       : 0;
}

static bool branches(const struct ptx_inst *i, const struct ptx_inst *reader, bool in_address)
{
    (void)i, (void)in_address;
    return reader->op == PTX_OP_BRA;
}

static void find_parts(const struct machine_code *m, uint32_t pc)
{
    struct dinst *d = &m->f->code[pc];
    const struct ptx_inst *i = d->x->src;
    const struct ptx_inst *a = machine_writer(&m->uses, i, 1), *b = machine_writer(&m->uses, i, 2);
    d->role = (uint8_t)role_of(m, pc);
    d->parts = d->role == MACHINE_own ? (uint8_t)listed_parts(i) : 0;
    if (d->parts > 1 && is_int64(i) && is_narrow(m, i))
        d->parts = 1;
    if (is_sum(i) && is_int64(i) && d->parts && /* a wide product and a sum: one */
        ((a && is_wide(a) && is_fused_product(m, a)) ||
         (b && is_wide(b) && is_fused_product(m, b))))
        d->parts = 1;
    if (m->cfg->test_latency && i->op == PTX_OP_SETP && machine_any_reader(&m->uses, i, branches))
        d->latency = (uint16_t)m->cfg->test_latency;
    if (d->flags & DINST_ATOMIC)
        d->parts = (uint8_t)(d->parts + joined_parts(m, i));
    if ((d->flags & DINST_TEXTURE) && !ptx_inst_has(i, PTX_M_G1D))
        d->parts++; /* coordinates are brought side by side */
    if (d->parts < 2)
        return;
    d->role = MACHINE_several;
    if (d->flags & (DINST_ATOMIC | DINST_TEXTURE))
        return;
    if (i->op == PTX_OP_DIV && d->class == OP_CLASS_fdiv && ptx_inst_has(i, PTX_M_APPROX)) {
        d->latency = (uint16_t)(m->cfg->sfu_latency + 4 * (d->parts - 1));
        d->initiation = (uint16_t)m->cfg->sfu_initiation;
    } else if (!is_measured_whole(d)) {
        d->latency = (uint16_t)(d->latency + (d->unit == UNIT_SFU ? 4 : 2) * (d->parts - 1));
        d->initiation = d->initiation > d->parts ? d->initiation : d->parts;
    }
}

/* The first access to memory that needs a descriptor. */
static void find_descriptor(const struct machine_code *m)
{
    for (uint32_t pc = 0; pc < m->src->ninsts; pc++) {
        const struct ptx_inst *i = &m->src->insts[pc];
        const enum ptx_space space = ptx_inst_space(i);
        struct dinst *d = &m->f->code[pc];
        if (!(d->flags & (DINST_LOAD | DINST_STORE | DINST_ATOMIC)) || d->flags & DINST_CONST ||
            space == PTX_SPACE_SHARED)
            continue;
        d->parts = (uint8_t)(d->parts + DESCRIPTOR);
        d->role = MACHINE_mapped;
        return;
    }
}

/* Whether it names a variable in shared memory. */
static bool has_shared(const struct ptx_func *src)
{
    for (uint32_t pc = 0; pc < src->ninsts; pc++)
        for (unsigned k = 0; k < src->insts[pc].nops; k++) {
            const struct ptx_operand *o = &src->insts[pc].ops[k];
            if (o->kind == PTX_OPND_ADDR)
                o = &o->elems[0];
            if (o->kind == PTX_OPND_VAR && o->var->space == PTX_SPACE_SHARED)
                return true;
        }
    return false;
}

void machine_code_find(struct dfunc *f, const struct sm_cfg *cfg)
{
    struct machine_code m = {.src = f->fn->src, .cfg = cfg, .f = f};
    machine_uses_find(&m.uses, m.src);
    m.is_target = xcalloc(m.src->ninsts + 1, sizeof *m.is_target);
    m.cfg_of = ptx_cfg_build(m.src);
    find_targets(&m);
    for (uint32_t pc = 0; pc < m.src->ninsts; pc++)
        find_parts(&m, pc);
    for (uint32_t pc = 0; pc < m.src->ninsts; pc++)
        find_branch(&m, pc);
    find_meetings(&m);
    find_descriptor(&m);
    if (m.src->ninsts && m.src->is_entry && !m.is_target[0]) {
        const unsigned more =
            PROLOGUE + (!cfg->constant_operands && has_shared(m.src) ? SHARED_BASE : 0);
        f->code[0].parts = (uint8_t)(f->code[0].parts + more);
        f->code[0].role = MACHINE_first;
    }
    machine_uses_free(&m.uses);
    ptx_cfg_free(m.cfg_of);
    free(m.is_target);
}
