/* Any bytes: the parser returns a module or an error; of a module, everything else that src/ptx
 * offers can be asked, and its indices stay in bounds. */
#include "ptx/cfg.h"
#include "ptx/regs.h"
#include "ptx/reshape.h"
#include "ptx/schedule.h"

#include <stdlib.h>
#include <string.h>

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void check_operand(const struct ptx_func *f, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPND_REG:
        check(o->reg < f->nregs);
        break;
    case PTX_OPND_LABEL:
        check(o->pc < f->ninsts);
        break;
    case PTX_OPND_LIST:
        for (uint32_t i = 0; i < o->npcs; i++)
            check(o->pcs[i] < f->ninsts);
        break;
    case PTX_OPND_VAR:
        check(o->var && o->var->name);
        break;
    case PTX_OPND_FUNC:
    case PTX_OPND_PROTO:
        check(o->func && o->func->name);
        break;
    case PTX_OPND_ADDR:
        check(o->nelems >= 1);
        /* fall through */
    case PTX_OPND_VEC:
    case PTX_OPND_PAIR:
    case PTX_OPND_ARGS:
        for (unsigned i = 0; i < o->nelems; i++)
            check_operand(f, &o->elems[i]);
        break;
    default:
        break;
    }
}

static void check_function(const struct ptx_func *f)
{
    char buf[64];
    for (uint32_t pc = 0; pc < f->ninsts; pc++) {
        const struct ptx_inst *i = &f->insts[pc];
        check(i->op < PTX_OP_COUNT && i->text);
        check(i->guard == PTX_NO_REG || i->guard < f->nregs);
        check(ptx_inst_ndst(i) <= i->nops);
        for (unsigned k = 0; k < i->nops; k++)
            check_operand(f, &i->ops[k]);
        ptx_inst_unit(i);
        ptx_inst_space(i);
        ptx_inst_text(i, buf, sizeof buf);
    }
    for (uint32_t r = 0; r < f->nregs && r < 100; r++)
        ptx_reg_text(f, r, buf, sizeof buf);
    struct ptx_cfg *c = ptx_cfg_build(f);
    for (uint32_t b = 0; b < c->nblocks; b++)
        check(c->blocks[b].ipdom <= c->nblocks && c->blocks[b].ipdom != b);
    for (uint32_t pc = 0; pc < f->ninsts; pc++)
        check(c->reconv[pc] == PTX_NO_PC || c->reconv[pc] < f->ninsts);
    ptx_cfg_free(c);
    const uint32_t need = ptx_regs_needed(f);
    uint32_t *place = malloc((f->nregs + 1) * sizeof *place);
    check(need == 1 || !ptx_regs_spill(f, need, place));
    ptx_regs_spill(f, need / 2, place);
    free(place);
}

/* As machines with sm.code=machine have it. */
static void reshape(struct ptx_func *f)
{
    if (!f->ninsts)
        return;
    ptx_func_flatten(f);
    ptx_func_unroll(f);
    ptx_func_schedule(f);
    check_function(f);
}

static void check_vars(struct ptx_var *const *vars, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        check(vars[i]->index == i);
        for (uint32_t k = 0; k < vars[i]->nrelocs; k++) {
            const struct ptx_reloc *r = &vars[i]->relocs[k];
            check(r->offset + r->bytes <= vars[i]->bytes && (r->var || r->func));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct ptx_module *m = ptx_parse("fuzz.ptx", (const char *)data, size, &err);
    check(m || err.msg[0]);
    if (!m)
        return 0;
    check_vars(m->vars, m->nvars);
    for (uint32_t i = 0; i < m->nvars; i++)
        check(ptx_find_var(m, m->vars[i]->name) || ptx_find_func(m, m->vars[i]->name));
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        const struct ptx_func *found = ptx_find_func(m, m->funcs[i]->name);
        const bool is_alias = m->funcs[i]->is_decl && m->funcs[i]->def == found;
        check(found && (is_alias || !strcmp(found->name, m->funcs[i]->name)));
        check_vars(m->funcs[i]->vars, m->funcs[i]->nvars);
        check_function(m->funcs[i]);
        reshape(m->funcs[i]);
    }
    ptx_module_free(m);
    return 0;
}
