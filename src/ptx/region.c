/* Ways into regions and out of them. */
#include "ptx/region.h"

uint32_t ptx_inst_target(const struct ptx_inst *i, uint32_t k)
{
    for (unsigned n = 0; n < i->nops; n++) {
        const struct ptx_operand *o = &i->ops[n];
        if (o->kind == PTX_OPND_LABEL && k == 0)
            return o->pc;
        if (o->kind == PTX_OPND_LIST && k < o->npcs)
            return o->pcs[k];
    }
    return PTX_NO_PC;
}

const struct ptx_inst *ptx_region_breach(const struct ptx_func *f, uint32_t begin, uint32_t end,
                                         bool *leaves)
{
    uint32_t to;
    for (uint32_t pc = 0; pc < f->ninsts; pc++)
        for (uint32_t k = 0; (to = ptx_inst_target(&f->insts[pc], k)) != PTX_NO_PC; k++) {
            const bool from_inside = pc >= begin && pc < end, to_inside = to >= begin && to < end;
            *leaves = from_inside;
            if (from_inside ? !to_inside && to != end : to_inside && to != begin)
                return &f->insts[pc];
        }
    return NULL;
}
