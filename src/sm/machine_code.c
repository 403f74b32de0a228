/* Instructions that become several, and those that become a part of others. */
#include "sm/machine_code.h"

#include "ptx/liveness.h"

#include <stdlib.h>

enum {
    MOST_PREDICATED = 7, /* instructions behind a branch that become conditional instead */
    MOST_OFFSET = 1 << 23,
    PROLOGUE = 2 /* of a kernel: stack pointer, descriptor of memory */
};

#define NO_INST   UINT32_MAX
#define MANY_INST (UINT32_MAX - 1)

/* Who writes and reads a register. */
struct reg_use {
    uint32_t writer, reader; /* NO_INST, MANY_INST or a pc */
    bool is_only_address;    /* of loads and stores */
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
    struct dfunc *f;
    struct reg_use *regs;
    bool *is_target; /* a branch goes there */
    uint32_t pc;
    bool in_address;
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

/* --- who uses what --- */

static void note(uint32_t *at, uint32_t pc)
{
    *at = *at == NO_INST ? pc : MANY_INST;
}

static void note_operand(struct machine_code *m, const struct ptx_operand *o, bool is_def,
                         bool in_address)
{
    if (o->kind == PTX_OPND_REG) {
        struct reg_use *r = &m->regs[o->reg];
        note(is_def ? &r->writer : &r->reader, m->pc);
        r->is_only_address &= is_def || in_address;
        return;
    }
    const bool is_list = o->kind == PTX_OPND_ADDR || o->kind == PTX_OPND_VEC ||
                         o->kind == PTX_OPND_PAIR || o->kind == PTX_OPND_ARGS;
    for (unsigned k = 0; is_list && k < o->nelems; k++)
        note_operand(m, &o->elems[k], is_def && o->kind != PTX_OPND_ADDR,
                     o->kind == PTX_OPND_ADDR && k == 0);
}

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

static void find_uses(struct machine_code *m)
{
    for (uint32_t r = 0; r < m->src->nregs; r++)
        m->regs[r] = (struct reg_use){NO_INST, NO_INST, true};
    for (m->pc = 0; m->pc < m->src->ninsts; m->pc++) {
        const struct ptx_inst *i = &m->src->insts[m->pc];
        const unsigned ndst = ptx_inst_ndst(i);
        for (unsigned k = 0; k < i->nops; k++)
            note_operand(m, &i->ops[k], k < ndst, false);
        if (i->guard != PTX_NO_REG)
            note(&m->regs[i->guard].reader, m->pc);
        note_targets(m, i);
    }
}

/* The only reader of what `i` writes, if it is the only writer too; NULL: there is none. */
static const struct ptx_inst *reader_of(const struct machine_code *m, const struct ptx_inst *i)
{
    if (!i->nops || i->ops[0].kind != PTX_OPND_REG || i->guard != PTX_NO_REG)
        return NULL;
    const struct reg_use *r = &m->regs[i->ops[0].reg];
    return r->writer < MANY_INST && r->reader < MANY_INST ? &m->src->insts[r->reader] : NULL;
}

/* The only writer of source `k`. */
static const struct ptx_inst *writer_of(const struct machine_code *m, const struct ptx_inst *i,
                                        unsigned k)
{
    if (k >= i->nops || i->ops[k].kind != PTX_OPND_REG)
        return NULL;
    const struct reg_use *r = &m->regs[i->ops[k].reg];
    return r->writer < MANY_INST ? &m->src->insts[r->writer] : NULL;
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

/* A product that is added, in one instruction. */
static bool is_fused_product(const struct machine_code *m, const struct ptx_inst *i)
{
    const struct ptx_inst *sum = i->op == PTX_OP_MUL ? reader_of(m, i) : NULL;
    if (!is_sum(sum) || is_rounded(i) || is_rounded(sum))
        return false;
    if (is_wide(i))
        return is_int64(sum);
    return is_same_type(i, sum) && (ptx_type_is_float(type_of(i)) || is_int32(i)) &&
           !ptx_inst_has(i, PTX_M_HI);
}

/* A shift by a constant that is added: LEA. */
static bool is_scaled_index(const struct machine_code *m, const struct ptx_inst *i)
{
    const struct ptx_inst *sum = i->op == PTX_OP_SHL ? reader_of(m, i) : NULL;
    return is_sum(sum) && sum->op == PTX_OP_ADD && i->ops[2].kind == PTX_OPND_IMM;
}

/* base + constant that only addresses memory: the offset of loads and stores. */
static bool is_offset(const struct machine_code *m, const struct ptx_inst *i)
{
    if (i->op != PTX_OP_ADD || i->ops[0].kind != PTX_OPND_REG || i->guard != PTX_NO_REG ||
        !(is_int64(i) || is_int32(i)) || i->ops[2].kind != PTX_OPND_IMM ||
        llabs(i->ops[2].imm) >= MOST_OFFSET)
        return false;
    const struct reg_use *r = &m->regs[i->ops[0].reg];
    return r->is_only_address && r->writer < MANY_INST && r->reader != NO_INST;
}

/* Of three numbers, in one instruction: two sums, two operations of logic. */
static bool is_third_operand(const struct machine_code *m, const struct ptx_inst *i)
{
    const struct ptx_inst *next = is_logic(i) || is_sum(i) ? reader_of(m, i) : NULL;
    if (!next || !is_int32(i) || !is_same_type(i, next) || type_of(i) == PTX_PRED)
        return false;
    if (is_logic(i))
        return is_logic(next);
    return is_sum(next) && writer_of(m, next, 1) == i && next->ops[2].kind == PTX_OPND_REG;
}

static bool is_special_constant(const struct ptx_operand *o)
{
    return o->kind == PTX_OPND_SREG &&
           ((o->sreg >= PTX_SREG_NTID_X && o->sreg <= PTX_SREG_NTID_Z) ||
            (o->sreg >= PTX_SREG_NCTAID_X && o->sreg <= PTX_SREG_NCTAID_Z));
}

static bool is_free_move(const struct ptx_inst *i)
{
    return i->op == PTX_OP_MOV &&
           (i->ops[1].kind != PTX_OPND_SREG || is_special_constant(&i->ops[1]));
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
    const struct ptx_inst *by = writer_of(m, i, 1), *next = reader_of(m, i);
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

/* A constant that is an operand of instructions. Addresses are brought into registers: an
 * instruction of 64 bits, which of neighbours brings two. */
static bool is_operand(const struct dinst *d)
{
    const struct ptx_inst *i = d->x->src;
    if (!(d->flags & DINST_CONST))
        return false;
    if (!d->nsrc)
        return ptx_type_bits(type_of(i)) < 64;
    return ptx_type_bits(type_of(i)) == 32 && ptx_inst_vec(i) == 1 && i->ops[1].imm % 8;
}

static enum machine_role role_of(const struct machine_code *m, const struct dinst *d)
{
    const struct ptx_inst *i = d->x->src;
    if (is_free_move(i))
        return MACHINE_move;
    if (i->op == PTX_OP_CVTA)
        return MACHINE_window;
    if (is_operand(d))
        return MACHINE_constant;
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

/* Instructions between a branch over them and its target, if they can be made conditional; 0: not.
 */
static uint32_t predicated(const struct machine_code *m, uint32_t pc)
{
    const struct ptx_inst *i = &m->src->insts[pc];
    const uint32_t to = i->nops && i->ops[0].kind == PTX_OPND_LABEL ? i->ops[0].pc : 0;
    if (i->op != PTX_OP_BRA || i->guard == PTX_NO_REG || to <= pc + 1 ||
        to - pc - 1 > MOST_PREDICATED)
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

static bool is_end(const struct ptx_inst *i)
{
    return i->op == PTX_OP_RET || i->op == PTX_OP_EXIT;
}

/* Conditional ones of a warp that may part: what marks where it meets again costs two more. */
static void find_branch(const struct machine_code *m, uint32_t pc)
{
    const struct ptx_inst *i = &m->src->insts[pc];
    struct dinst *d = &m->f->code[pc];
    const uint32_t to = i->nops && i->ops[0].kind == PTX_OPND_LABEL ? i->ops[0].pc : PTX_NO_PC;
    const uint32_t n = predicated(m, pc);
    if (i->op != PTX_OP_BRA || to == PTX_NO_PC)
        return;
    if (to == pc + 1) {
        d->parts = 0;
        d->role = MACHINE_nowhere;
    } else if (n) {
        d->parts = 0;
        d->role = MACHINE_conditional;
        d->skips = (uint8_t)n;
    } else if (i->guard != PTX_NO_REG && to > pc && !ptx_inst_has(i, PTX_M_UNI) &&
               !is_end(&m->src->insts[to])) {
        d->parts = 3;
        d->role = MACHINE_meeting;
    }
}

/* --- all of a function --- */

static bool is_measured_whole(const struct dinst *d)
{
    return d->class == OP_CLASS_idiv || d->class == OP_CLASS_fdiv || d->class == OP_CLASS_ddiv;
}

static void find_parts(const struct machine_code *m, uint32_t pc, const struct sm_cfg *cfg)
{
    struct dinst *d = &m->f->code[pc];
    const struct ptx_inst *i = d->x->src;
    const struct ptx_inst *a = writer_of(m, i, 1), *b = writer_of(m, i, 2);
    d->role = (uint8_t)role_of(m, d);
    d->parts = d->role == MACHINE_own ? (uint8_t)listed_parts(i) : 0;
    if (is_sum(i) && is_int64(i) && d->parts && /* a wide product and a sum: one */
        ((a && is_wide(a) && is_fused_product(m, a)) ||
         (b && is_wide(b) && is_fused_product(m, b))))
        d->parts = 1;
    if (d->parts < 2)
        return;
    d->role = MACHINE_several;
    if (i->op == PTX_OP_DIV && d->class == OP_CLASS_fdiv && ptx_inst_has(i, PTX_M_APPROX)) {
        d->latency = (uint16_t)(cfg->sfu_latency + 4 * (d->parts - 1));
        d->initiation = (uint16_t)cfg->sfu_initiation;
    } else if (!is_measured_whole(d)) {
        d->latency = (uint16_t)(d->latency + (d->unit == UNIT_SFU ? 4 : 2) * (d->parts - 1));
        d->initiation = d->initiation > d->parts ? d->initiation : d->parts;
    }
}

void machine_code_find(struct dfunc *f, const struct sm_cfg *cfg)
{
    struct machine_code m = {.src = f->fn->src, .f = f};
    m.regs = xcalloc(m.src->nregs + 1, sizeof *m.regs);
    m.is_target = xcalloc(m.src->ninsts + 1, sizeof *m.is_target);
    find_uses(&m);
    for (uint32_t pc = 0; pc < m.src->ninsts; pc++)
        find_parts(&m, pc, cfg);
    for (uint32_t pc = 0; pc < m.src->ninsts; pc++)
        find_branch(&m, pc);
    if (m.src->ninsts && m.src->is_entry && !m.is_target[0]) {
        f->code[0].parts = (uint8_t)(f->code[0].parts + PROLOGUE);
        f->code[0].role = MACHINE_first;
    }
    free(m.regs);
    free(m.is_target);
}
