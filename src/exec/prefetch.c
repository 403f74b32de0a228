/* prefetch: an access to global memory that reads nothing and cannot fault. */
#include "exec/lower.h"
#include "exec/memory.h"
#include "exec/step.h"

/* Lanes whose address is in memory; the others ask for nothing. */
static uint32_t lanes_inside(const struct warp *w, const struct access *a)
{
    struct devmem *mem = w->grid->dev->mem;
    const struct mem_alloc *m = NULL;
    uint32_t mask = 0;
    FOR_LANES (l, a->mask) {
        if (!m || a->addr[l] < m->base || a->addr[l] >= m->base + m->bytes)
            m = devmem_find(mem, a->addr[l], 1);
        mask |= m ? UINT32_C(1) << l : 0;
    }
    return mask;
}

/* Generic addresses of other spaces are in no allocation, either. */
static bool op_prefetch(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct xmem *m = &x->mem;
    struct access a = {.mask = mask, .space = PTX_SPACE_GLOBAL, .bytes = 1, .count = 1};
    if (!w->step)
        return true;
    w->grid->lanes->addresses(lane_at(&m->addr, w->base), m->addr.bytes, m->imm, mask, a.addr,
                              &a.span);
    a.mask = lanes_inside(w, &a);
    if (a.mask)
        step_record(w->step, &a);
    return true;
}

bool lower_prefetch(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    const enum ptx_space space = ptx_inst_space(i);
    x->kind = X_NOP;
    x->space = PTX_SPACE_GLOBAL;
    if ((space != PTX_SPACE_GLOBAL && space != PTX_SPACE_GENERIC) || !ptx_inst_has(i, PTX_M_L1) ||
        !i->nops)
        return true;
    if (!lower_mem_address(lo, &i->ops[0], x))
        return false;
    if (x->space == PTX_SPACE_GLOBAL) {
        x->kind = X_OP;
        x->mem.fn = op_prefetch;
    }
    return true;
}
