/* --verify: registers that a lane reads and that approximated instructions of the region have
 * written without it, because it was no anchor then (../shared/spec/lnl.md, 7.7). */
#include "tech/lnl/lnl_int.h"

#include <stdlib.h>
#include <string.h>

void lnl_stale_reset(struct lnl_slot *s)
{
    const uint32_t n = s->func->fn->fn->src->nregs + 1;
    if (n > s->stale_cap) {
        s->stale = xrealloc(s->stale, n * sizeof *s->stale);
        s->stale_cap = n;
    }
    memset(s->stale, 0, n * sizeof *s->stale);
}

void lnl_stale_read(struct lnl_sm *m, struct lnl_slot *s, const struct dinst *d, uint32_t lanes)
{
    for (unsigned k = d->ndst; k < d->nregs; k++) {
        const uint32_t stale = s->stale[d->regs[k] - d->fn->regs] & lanes;
        m->stats.stale_reads += stale != 0;
        m->stats.stale_lanes += lanes_in(stale);
    }
}

void lnl_stale_written(struct lnl_slot *s, const struct dinst *d, uint32_t lanes)
{
    for (unsigned k = 0; k < d->ndst; k++) {
        uint32_t *stale = &s->stale[d->regs[k] - d->fn->regs];
        *stale = (*stale | (s->role == LNL_BY_ANCHORS ? s->would : 0)) & ~lanes;
    }
}
