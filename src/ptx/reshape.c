/* Functions with other instructions than they had. */
#include "ptx/reshape.h"

#include <stdlib.h>
#include <string.h>

void ptx_edit_start(struct ptx_edit *e, struct ptx_func *f)
{
    *e = (struct ptx_edit){.f = f, .at = xcalloc(f->ninsts + 1, sizeof *e->at)};
}

static uint32_t moved(const struct ptx_edit *e, uint32_t pc)
{
    return pc & PTX_NEW_PC ? pc & ~PTX_NEW_PC : e->at[pc];
}

/* Several branches may have one list: each gets its own, so that none is moved twice. */
static void move_list(const struct ptx_edit *e, struct ptx_operand *o)
{
    uint32_t *pcs = arena_array(&e->f->module->arena, uint32_t, o->npcs + 1u);
    for (uint32_t n = 0; n < o->npcs; n++)
        pcs[n] = moved(e, o->pcs[n]);
    o->pcs = pcs;
}

static void move_labels(const struct ptx_edit *e, struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->nops; k++) {
        struct ptx_operand *o = &i->ops[k];
        if (o->kind == PTX_OPND_LABEL)
            o->pc = moved(e, o->pc);
        if (o->kind == PTX_OPND_LIST)
            move_list(e, o);
    }
}

void ptx_edit_finish(struct ptx_edit *e)
{
    struct ptx_func *f = e->f;
    e->at[f->ninsts] = (uint32_t)e->out.len;
    for (size_t k = 0; k < e->out.len; k++)
        move_labels(e, &e->out.data[k]);
    for (uint32_t k = 0; k < f->npragmas; k++)
        f->pragmas[k].pc = e->at[f->pragmas[k].pc];
    f->insts = arena_array(&f->module->arena, struct ptx_inst, e->out.len);
    memcpy(f->insts, e->out.data, e->out.len * sizeof *f->insts);
    f->ninsts = (uint32_t)e->out.len;
    vec_free(&e->out);
    free(e->at);
}

uint32_t ptx_branch_target(const struct ptx_inst *i)
{
    return i->op == PTX_OP_BRA && i->nops && i->ops[0].kind == PTX_OPND_LABEL ? i->ops[0].pc
                                                                              : PTX_NO_PC;
}

bool ptx_inst_loads(const struct ptx_inst *i)
{
    const enum ptx_space space = ptx_inst_space(i);
    return (i->op == PTX_OP_LD || i->op == PTX_OP_LDU) && space != PTX_SPACE_PARAM &&
           space != PTX_SPACE_CONST;
}

unsigned ptx_inst_weight(const struct ptx_inst *i)
{
    enum { DIVISION = 12, SPECIAL = 4 };
    switch (i->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
        return 0;
    case PTX_OP_MUL: /* with the sum that reads it */
        return !ptx_inst_has(i, PTX_M_WIDE);
    case PTX_OP_SHL:
        return i->nops < 3 || i->ops[2].kind != PTX_OPND_IMM;
    case PTX_OP_DIV:
    case PTX_OP_REM:
        return DIVISION;
    default:
        return ptx_inst_unit(i) == PTX_UNIT_SFU ? SPECIAL : 1;
    }
}
