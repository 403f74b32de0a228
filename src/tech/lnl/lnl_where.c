/* lnl.where: to which addresses of global memory regions have stored, and whether it was computed
 * or interpolated. Of an address the last store counts. */
#include "base/outfile.h"
#include "ptx/isa.h"
#include "tech/lnl/lnl_int.h"

#include <inttypes.h>
#include <stdlib.h>

void lnl_where_store(struct lnl_sm *m, const struct lnl_slot *s, const struct rf_event *e)
{
    const struct xinst *x = e->d->x;
    const enum ptx_space space = ptx_inst_space(&e->d->fn->fn->src->insts[lnl_pc(e->d)]);
    const uint32_t own =
        s->role == LNL_AS_EVER ? e->mask : lnl_anchors(e->mask & s->mask, s->groups.n);
    if (space != PTX_SPACE_GLOBAL && space != PTX_SPACE_GENERIC)
        return;
    FOR_LANES (l, e->mask) {
        const struct lnl_place p = {.addr =
                                        lane_u64(&x->mem.addr, e->base, l) + (uint64_t)x->mem.imm,
                                    .at = sm_now(m->sm),
                                    .bytes = (uint32_t)x->mem.bytes * x->mem.nregs,
                                    .is_interpolated = !(own >> l & 1)};
        vec_push(&m->places, p);
    }
}

static int by_address(const void *a, const void *b)
{
    const struct lnl_place *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

bool lnl_where_finish(struct lnl *g, struct err *err)
{
    VEC(struct lnl_place) all = {0};
    struct outfile *o = outfile_open(g->cfg->where, err);
    for (uint32_t i = 0; i < g->nsms && o; i++)
        for (size_t k = 0; k < g->sms[i].places.len; k++)
            vec_push(&all, g->sms[i].places.data[k]);
    if (all.len)
        qsort(all.data, all.len, sizeof *all.data, by_address);
    for (size_t i = 0; i < all.len; i++)
        if (i + 1 == all.len || all.data[i + 1].addr != all.data[i].addr)
            fprintf(outfile_stream(o), "%" PRIu64 ",%u,%d\n", all.data[i].addr - all.data[0].addr,
                    all.data[i].bytes, all.data[i].is_interpolated);
    vec_free(&all);
    return o && outfile_close(o, err);
}
