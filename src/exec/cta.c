/* Blocks: their memory, special registers and warps. */
#include "exec/grid.h"

#include <stdlib.h>
#include <string.h>

void cta_start(struct cta *c, struct grid *g, uint64_t number)
{
    const uint32_t *dim = g->launch->grid;
    c->grid = g;
    c->number = number;
    c->ctaid[0] = (uint32_t)(number % dim[0]);
    c->ctaid[1] = (uint32_t)(number / dim[0] % dim[1]);
    c->ctaid[2] = (uint32_t)(number / dim[0] / dim[1]);
    c->live_threads = g->nthreads;
    c->ninst = 0;
    c->has_race = false;
    c->rounds = 0;
    c->shared_limit = g->dev->check ? 0 : c->shared_bytes;
    c->first_phase = ++c->phase;
    c->barriers_used = 0;
    memset(c->shared, 0, c->shared_bytes);
    sreg_fill_cta(c->sregs, c->ctaid);
    for (uint32_t i = 0; i < c->nwarps; i++) {
        uint32_t first = i * WARP_LANES, left = g->nthreads - first;
        warp_start(&c->warps[i], c, i, first, left < WARP_LANES ? left : WARP_LANES);
    }
}

void cta_set_launch(struct cta *c, const struct grid *g)
{
    const struct launch *l = g->launch;
    struct sreg_launch sl = {.nwarps = g->nwarps,
                             .smid = g->smid,
                             .nsmid = g->dev->sm_count,
                             .gridid = g->dev->grid_count,
                             .static_smem_bytes = g->kernel->shared_bytes,
                             .dynamic_smem_bytes = l->dynamic_shared_bytes,
                             .envreg = {0, (uint32_t)(g->sync_addr >> 32), (uint32_t)g->sync_addr}};
    memcpy(sl.grid, l->grid, sizeof sl.grid);
    memcpy(sl.block, l->block, sizeof sl.block);
    sreg_fill_launch(c->sregs, &sl);
}

struct cta *cta_new(struct grid *g)
{
    struct cta *c = xcalloc(1, sizeof *c);
    c->nwarps = g->nwarps;
    c->warps = xalloc_aligned(64, g->nwarps * sizeof *c->warps);
    c->shared_bytes = g->shared_bytes;
    c->shared = xalloc_aligned(128, g->shared_bytes ? g->shared_bytes : 1);
    c->sregs = xalloc_aligned(64, SREG_CTA_BYTES);
    memcpy(c->block, g->launch->block, sizeof c->block);
    cta_set_launch(c, g);
    return c;
}

void cta_free(struct cta *c)
{
    for (uint32_t i = 0; i < c->nwarps; i++)
        warp_free(&c->warps[i]);
    free(c->warps);
    free(c->shared);
    free(c->cells);
    free(c->sregs);
    free(c);
}
