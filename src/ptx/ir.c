/* Questions that everybody asks of a module. */
#include "ptx/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ptx_module_free(struct ptx_module *m)
{
    if (!m)
        return;
    strmap_free(&m->symbols);
    arena_free(&m->arena);
    free(m->text);
    free(m);
}

static const struct ptx_symbol *find_symbol(const struct ptx_module *m, const char *name)
{
    return strmap_get(&m->symbols, name, strlen(name));
}

struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name)
{
    const struct ptx_symbol *s = find_symbol(m, name);
    if (!s || !s->func)
        return NULL;
    return s->func->def ? s->func->def : s->func;
}

struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name)
{
    const struct ptx_symbol *s = find_symbol(m, name);
    return s ? s->var : NULL;
}

uint64_t ptx_threads_declared(const uint32_t ntid[3])
{
    uint64_t threads = ntid[0];
    for (unsigned i = 1; i < 3; i++) {
        threads *= ntid[i] ? ntid[i] : 1;
        threads = threads < UINT32_MAX ? threads : UINT32_MAX;
    }
    return threads;
}

bool ptx_inst_has(const struct ptx_inst *i, enum ptx_mod m)
{
    for (unsigned k = 0; k < i->nmods; k++)
        if (i->mods[k] == m)
            return true;
    return false;
}

enum ptx_mod ptx_inst_mod_in(const struct ptx_inst *i, enum ptx_mod first, enum ptx_mod last)
{
    for (unsigned k = 0; k < i->nmods; k++)
        if (i->mods[k] >= first && i->mods[k] <= last)
            return (enum ptx_mod)i->mods[k];
    return PTX_NOMOD;
}

enum ptx_space ptx_inst_space(const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->nmods; k++)
        switch (i->mods[k]) {
        case PTX_M_GLOBAL:
            return PTX_SPACE_GLOBAL;
        case PTX_M_SHARED:
        case PTX_M_SHARED_CTA:
        case PTX_M_SHARED_CLUSTER:
            return PTX_SPACE_SHARED;
        case PTX_M_LOCAL:
            return PTX_SPACE_LOCAL;
        case PTX_M_CONST:
            return PTX_SPACE_CONST;
        case PTX_M_PARAM:
        case PTX_M_PARAM_ENTRY:
        case PTX_M_PARAM_FUNC:
            return PTX_SPACE_PARAM;
        case PTX_M_REGSPACE:
            return PTX_SPACE_REG;
        default:
            break;
        }
    return PTX_SPACE_GENERIC;
}

unsigned ptx_inst_vec(const struct ptx_inst *i)
{
    switch (ptx_inst_mod_in(i, PTX_M_V2, PTX_M_V8)) {
    case PTX_M_V2:
        return 2;
    case PTX_M_V4:
        return 4;
    case PTX_M_V8:
        return 8;
    default:
        return 1;
    }
}

enum { NDST_BY_FORM = 255 };

static const struct {
    uint8_t ndst, unit;
} op_info[] = {
#define VAR NDST_BY_FORM
    {0, PTX_UNIT_CTRL},
#define OP(id, name, ndst, unit) {ndst, PTX_UNIT_##unit},
#include "ptx/ptx_ops.def"
#undef OP
#undef VAR
};

/* Instructions that write or not, by their form. */
static unsigned ndst_by_form(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return ptx_inst_has(i, PTX_M_RED);
    case PTX_OP_WMMA:
        return !ptx_inst_has(i, PTX_M_STORE);
    case PTX_OP_CALL:
        return i->nops && i->ops[0].kind == PTX_OPND_ARGS;
    case PTX_OP_MBARRIER:
        return i->nops && i->ops[0].kind != PTX_OPND_ADDR;
    default:
        return 0;
    }
}

unsigned ptx_inst_ndst(const struct ptx_inst *i)
{
    unsigned n = op_info[i->op].ndst;
    if (n == NDST_BY_FORM)
        n = ndst_by_form(i);
    return n < i->nops ? n : i->nops;
}

static bool has_type(const struct ptx_inst *i, enum ptx_type t)
{
    for (unsigned k = 0; k < i->ntypes; k++)
        if (i->types[k] == t)
            return true;
    return false;
}

enum ptx_unit ptx_inst_unit(const struct ptx_inst *i)
{
    enum ptx_unit unit = (enum ptx_unit)op_info[i->op].unit;
    if (unit != PTX_UNIT_ALU && unit != PTX_UNIT_SFU)
        return unit;
    switch (i->op) {
    case PTX_OP_MOV:
    case PTX_OP_SELP:
    case PTX_OP_SLCT:
        return PTX_UNIT_ALU; /* they move bits, whatever the type */
    case PTX_OP_DIV:
        if (!has_type(i, PTX_F64))
            return has_type(i, PTX_F32) ? PTX_UNIT_SFU : PTX_UNIT_ALU;
        return PTX_UNIT_DP;
    default:
        return has_type(i, PTX_F64) ? PTX_UNIT_DP : unit;
    }
}

const char *ptx_inst_text(const struct ptx_inst *i, char *buf, size_t len)
{
    if (len)
        snprintf(buf, len, "%s", i->text ? i->text : ptx_op_name((enum ptx_op)i->op));
    return buf;
}

const char *ptx_reg_text(const struct ptx_func *f, uint32_t reg, char *buf, size_t len)
{
    const struct ptx_reg *r = &f->regs[reg];
    const char *name = f->families[r->family];
    const char *dot = strchr(name, '.'); /* component of a vector: the number comes before it */
    int base = dot ? (int)(dot - name) : (int)strlen(name);
    if (!len)
        return buf;
    if (r->number == UINT32_MAX)
        snprintf(buf, len, "%s", name);
    else
        snprintf(buf, len, "%.*s%u%s", base, name, r->number, name + base);
    return buf;
}

bool ptx_reg_find(const struct ptx_func *f, const char *name, size_t len, uint32_t *reg)
{
    char text[96];
    for (*reg = 0; *reg < f->nregs; ++*reg) {
        ptx_reg_text(f, *reg, text, sizeof text);
        if (strlen(text) == len && !memcmp(text, name, len))
            return true;
    }
    return false;
}
