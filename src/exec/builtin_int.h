/* Arguments and results of builtin functions. */
#ifndef EXEC_BUILTIN_INT_H
#define EXEC_BUILTIN_INT_H

#include "exec/builtin.h"
#include "exec/grid.h"
#include "exec/memory.h"

#include <string.h>

warp_fn builtin_find_cdp(const char *name);

/* The device's heap, within its limit: 0 if there is no room; false if `p` is not from it. */
addr_t builtin_heap_alloc(struct device *d, uint64_t bytes, uint64_t align);
bool builtin_heap_free(struct device *d, addr_t p);

/* Argument i of the call, as a 64-bit number. */
static inline uint64_t arg_u64(struct warp *w, const struct xinst *x, uint32_t i, unsigned lane)
{
    if (i >= x->call->sig.nparams)
        return 0;
    const struct xarg *a = &x->call->sig.params[i];
    if (a->in_reg)
        return lane_u64(&a->reg, w->base, lane);
    uint64_t v = 0;
    local_read(w, lane, warp_top(w)->frame->local_off + a->off, &v, a->words > 1 ? 8 : 4);
    return v;
}

static inline void return_u64(struct warp *w, const struct xinst *x, unsigned lane, uint64_t v)
{
    if (!x->call->sig.nrets)
        return;
    const struct xarg *a = &x->call->sig.rets[0];
    if (a->in_reg)
        lane_set_u64(&a->reg, w->base, lane, v);
    else
        local_write(w, lane, warp_top(w)->frame->local_off + a->off, &v, a->words > 1 ? 8 : 4);
}

/* Argument i, a structure of `bytes` bytes; zeros where there is less. */
static inline void arg_bytes(struct warp *w, const struct xinst *x, uint32_t i, unsigned lane,
                             void *to, unsigned bytes)
{
    memset(to, 0, bytes);
    if (i >= x->call->sig.nparams || x->call->sig.params[i].in_reg)
        return;
    const struct xarg *a = &x->call->sig.params[i];
    unsigned have = a->words * 4;
    local_read(w, lane, warp_top(w)->frame->local_off + a->off, to, have < bytes ? have : bytes);
}

#endif
