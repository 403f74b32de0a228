/* Writers and readers of registers, found in two walks over a function: counted, then listed. */
#include "sm/machine_uses.h"

#include <stdlib.h>

struct walk {
    struct machine_uses *u;
    uint32_t pc;
    bool is_listing;
};

static void note_read(struct walk *w, uint32_t reg, bool in_address)
{
    struct machine_reg *r = &w->u->regs[reg];
    if (w->is_listing)
        w->u->readers[r->first + r->nreaders] = (struct machine_use){w->pc, in_address};
    r->nreaders++;
}

static void note_write(struct walk *w, uint32_t reg)
{
    struct machine_reg *r = &w->u->regs[reg];
    if (!w->is_listing)
        r->writer = r->writer == NO_INST ? w->pc : MANY_INST;
}

static void note_operand(struct walk *w, const struct ptx_operand *o, bool is_def, bool in_address)
{
    if (o->kind == PTX_OPND_REG) {
        if (is_def)
            note_write(w, o->reg);
        else
            note_read(w, o->reg, in_address);
        return;
    }
    const bool is_list = o->kind == PTX_OPND_ADDR || o->kind == PTX_OPND_VEC ||
                         o->kind == PTX_OPND_PAIR || o->kind == PTX_OPND_ARGS;
    for (unsigned k = 0; is_list && k < o->nelems; k++)
        note_operand(w, &o->elems[k], is_def && o->kind != PTX_OPND_ADDR,
                     o->kind == PTX_OPND_ADDR && k == 0);
}

static void walk_all(struct machine_uses *u, bool is_listing)
{
    struct walk w = {u, 0, is_listing};
    for (; w.pc < u->src->ninsts; w.pc++) {
        const struct ptx_inst *i = &u->src->insts[w.pc];
        const unsigned ndst = ptx_inst_ndst(i);
        for (unsigned k = 0; k < i->nops; k++)
            note_operand(&w, &i->ops[k], k < ndst, false);
        if (i->guard != PTX_NO_REG)
            note_read(&w, i->guard, false);
    }
}

/* --- questions --- */

const struct machine_reg *machine_written(const struct machine_uses *u, const struct ptx_inst *i)
{
    return i->nops && i->ops[0].kind == PTX_OPND_REG && ptx_inst_ndst(i) ? &u->regs[i->ops[0].reg]
                                                                         : NULL;
}

/* Whether what reads it does so under the condition under which `i` writes it. */
static bool has_its_condition(const struct machine_uses *u, const struct machine_reg *r,
                              const struct ptx_inst *i)
{
    for (uint32_t k = r->first; i->guard != PTX_NO_REG && k < r->first + r->nreaders; k++) {
        const struct ptx_inst *reader = &u->src->insts[u->readers[k].pc];
        if (reader->guard != i->guard || reader->guard_neg != i->guard_neg)
            return false;
    }
    return true;
}

static const struct machine_reg *written_once(const struct machine_uses *u,
                                              const struct ptx_inst *i)
{
    const struct machine_reg *r = machine_written(u, i);
    return r && r->writer < MANY_INST && has_its_condition(u, r, i) ? r : NULL;
}

const struct ptx_inst *machine_reader(const struct machine_uses *u, const struct ptx_inst *i)
{
    const struct machine_reg *r = written_once(u, i);
    return r && r->nreaders == 1 ? &u->src->insts[u->readers[r->first].pc] : NULL;
}

const struct ptx_inst *machine_writer(const struct machine_uses *u, const struct ptx_inst *i,
                                      unsigned k)
{
    if (k >= i->nops || i->ops[k].kind != PTX_OPND_REG)
        return NULL;
    const struct machine_reg *r = &u->regs[i->ops[k].reg];
    return r->writer < MANY_INST ? &u->src->insts[r->writer] : NULL;
}

static uint32_t count_readers(const struct machine_uses *u, const struct machine_reg *r,
                              const struct ptx_inst *i, machine_choice *takes)
{
    uint32_t n = 0;
    for (uint32_t k = r->first; k < r->first + r->nreaders; k++)
        n += takes(i, &u->src->insts[u->readers[k].pc], u->readers[k].in_address);
    return n;
}

bool machine_all_readers(const struct machine_uses *u, const struct ptx_inst *i,
                         machine_choice *takes)
{
    const struct machine_reg *r = written_once(u, i);
    return r && r->nreaders && count_readers(u, r, i, takes) == r->nreaders;
}

bool machine_any_reader(const struct machine_uses *u, const struct ptx_inst *i,
                        machine_choice *takes)
{
    const struct machine_reg *r = machine_written(u, i);
    return r && count_readers(u, r, i, takes);
}

/* --- addresses of shared memory: 32 bits, whatever PTX computes them with --- */

static bool keeps_narrow(const struct machine_uses *u, const struct machine_use *use)
{
    const struct ptx_inst *i = &u->src->insts[use->pc];
    if (use->in_address)
        return ptx_inst_space(i) == PTX_SPACE_SHARED;
    switch (i->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_SHL:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_MOV:
        return i->ops[0].kind == PTX_OPND_REG && u->regs[i->ops[0].reg].is_narrow;
    default:
        return false;
    }
}

static bool is_narrow_still(const struct machine_uses *u, const struct machine_reg *r)
{
    for (uint32_t k = r->first; k < r->first + r->nreaders; k++)
        if (!keeps_narrow(u, &u->readers[k]))
            return false;
    return true;
}

static void find_narrow(struct machine_uses *u)
{
    for (uint32_t n = 0; n < u->src->nregs; n++) {
        const enum ptx_type t = (enum ptx_type)u->src->regs[n].type;
        u->regs[n].is_narrow =
            ptx_type_bits(t) == 64 && !ptx_type_is_float(t) && u->regs[n].nreaders;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = u->src->nregs; n-- > 0;)
            if (u->regs[n].is_narrow && !is_narrow_still(u, &u->regs[n])) {
                u->regs[n].is_narrow = false;
                changed = true;
            }
    }
}

/* --- the same in all lanes: made of parameters, constants and numbers of blocks --- */

bool machine_is_uniform(const struct machine_uses *u, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPND_REG:
        return u->regs[o->reg].is_uniform;
    case PTX_OPND_SREG:
        return o->sreg >= PTX_SREG_NTID_X && o->sreg <= PTX_SREG_NCTAID_Z;
    case PTX_OPND_ADDR:
    case PTX_OPND_VEC:
        for (unsigned k = 0; k < o->nelems; k++)
            if (!machine_is_uniform(u, &o->elems[k]))
                return false;
        return true;
    default:
        return true;
    }
}

static bool writes_uniform(const struct machine_uses *u, const struct ptx_inst *i)
{
    const enum ptx_space space = ptx_inst_space(i);
    if (i->op == PTX_OP_LD ? space != PTX_SPACE_PARAM && space != PTX_SPACE_CONST
                           : ptx_inst_unit(i) != PTX_UNIT_ALU)
        return false;
    for (unsigned k = ptx_inst_ndst(i); k < i->nops; k++)
        if (!machine_is_uniform(u, &i->ops[k]))
            return false;
    return i->guard == PTX_NO_REG || u->regs[i->guard].is_uniform;
}

static bool set_varying(struct machine_uses *u, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPND_REG) {
        const bool was = u->regs[o->reg].is_uniform;
        u->regs[o->reg].is_uniform = false;
        return was;
    }
    bool changed = false;
    for (unsigned k = 0; (o->kind == PTX_OPND_VEC || o->kind == PTX_OPND_PAIR) && k < o->nelems;
         k++)
        changed |= set_varying(u, &o->elems[k]);
    return changed;
}

static void find_uniform(struct machine_uses *u)
{
    for (uint32_t n = 0; n < u->src->nregs; n++)
        u->regs[n].is_uniform = u->regs[n].writer != NO_INST;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = 0; pc < u->src->ninsts; pc++) {
            const struct ptx_inst *i = &u->src->insts[pc];
            if (writes_uniform(u, i))
                continue;
            for (unsigned k = 0; k < ptx_inst_ndst(i); k++)
                changed |= set_varying(u, &i->ops[k]);
        }
    }
}

void machine_uses_find(struct machine_uses *u, const struct ptx_func *src)
{
    uint32_t total = 0;
    *u = (struct machine_uses){.src = src, .regs = xcalloc(src->nregs + 1, sizeof *u->regs)};
    for (uint32_t n = 0; n < src->nregs; n++)
        u->regs[n].writer = NO_INST;
    walk_all(u, false);
    for (uint32_t n = 0; n < src->nregs; n++) {
        u->regs[n].first = total;
        total += u->regs[n].nreaders;
        u->regs[n].nreaders = 0;
    }
    u->readers = xcalloc(total + 1, sizeof *u->readers);
    walk_all(u, true);
    find_narrow(u);
    find_uniform(u);
}

void machine_uses_free(struct machine_uses *u)
{
    free(u->regs);
    free(u->readers);
}
