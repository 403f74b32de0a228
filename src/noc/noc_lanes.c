/* State of the mesh's lanes; their cycle is in mv/noc_lanes_step.c. */
#include "noc/noc_lanes.h"

#include "base/cpu.h"

#include <stdlib.h>

#define X(level) extern const struct noc_lanes_ops noc_lanes_ops_##level;
CPU_LEVELS(X)
#undef X

static const struct noc_lanes_ops *const level_ops[] = {
#define X(level) &noc_lanes_ops_##level,
    CPU_LEVELS(X)
#undef X
};

static lane_mask *row_new(struct noc_lanes *l, size_t *used, lane_mask value)
{
    lane_mask *row = (lane_mask *)l->block + *used;
    for (uint32_t i = 0; i < l->n; i++)
        row[i] = value;
    *used += l->n;
    return row;
}

static void scalars_alloc(struct noc_lanes *l, const struct noc *n)
{
    size_t invcs = (size_t)n->nrouters * n->invcs;
    int32_t width = (int32_t)n->cfg.width;
    const int32_t step_to[MESH_LOCAL] = {1, -1, width, -width};
    l->vc = xcalloc(invcs, sizeof *l->vc);
    l->credits = xcalloc(invcs, sizeof *l->credits);
    l->flits = xcalloc(invcs * n->ring, sizeof *l->flits);
    l->place = xcalloc(n->nrouters, sizeof *l->place);
    l->ring = n->ring;
    for (size_t i = 0; i < invcs; i++)
        l->credits[i] = (uint8_t)n->cfg.vc_flits;
    for (int32_t i = 0; i < (int32_t)n->nrouters; i++)
        l->place[i] = (struct lane_place){(int8_t)(i % width), (int8_t)(i / width)};
    l->far = xcalloc(n->nrouters, sizeof *l->far);
    for (int32_t i = 0; i < (int32_t)n->nrouters; i++) {
        l->far[i][MESH_LOCAL] = (uint32_t)i;
        for (uint32_t p = 0; p < MESH_LOCAL; p++) /* beyond the edge it is never used */
            l->far[i][p] = (uint32_t)(uint16_t)(i + step_to[p]) | (p ^ 1) * n->vcs << 16;
    }
}

struct noc_lanes *noc_lanes_new(const struct noc *n)
{
    if (n->cfg.topology != NOC_MESH || n->vcs > LANES_VCS_MAX || n->cfg.routing_cycles ||
        n->cfg.islip_iterations > 1)
        return NULL;
    enum { ROWS = 8 + 5 * MESH_PORTS + MESH_PORTS * LANES_VCS_MAX };
    struct noc_lanes *l = xcalloc(1, sizeof *l);
    l->n = (uint32_t)align_up(n->nrouters, LANES_A_VECTOR);
    l->block = xalloc_aligned(64, align_up((size_t)ROWS * l->n * sizeof(lane_mask), 64));
    size_t used = 0;
    lane_mask every = (lane_mask)((1u << n->invcs) - 1), first_bits = 0;
    for (uint32_t p = 0; p < MESH_PORTS; p++)
        first_bits |= (lane_mask)(1u << (p * n->vcs));
    l->nonempty = row_new(l, &used, 0);
    l->unowned = row_new(l, &used, every);
    l->open = row_new(l, &used, every);
    l->second = row_new(l, &used, 0);
    l->taken = row_new(l, &used, 0);
    l->vc_next = row_new(l, &used, 0);
    l->send = row_new(l, &used, 0);
    l->lost = row_new(l, &used, 0);
    l->ops = level_ops[cpu_level()];
    for (uint32_t o = 0; o < MESH_PORTS; o++) {
        l->want[o] = row_new(l, &used, 0);
        l->active[o] = row_new(l, &used, 0);
        l->va_second[o] = row_new(l, &used, 0);
        l->sa_after[o] = row_new(l, &used, every);
        l->sa_accept[o] = row_new(l, &used, o ? 0 : first_bits);
        for (uint32_t v = 0; v < LANES_VCS_MAX; v++)
            l->va_after[o][v] = row_new(l, &used, every);
    }
    assert(used == (size_t)ROWS * l->n);
    scalars_alloc(l, n);
    return l;
}

struct invc noc_lanes_invc(const struct noc *n, uint32_t router, uint32_t invc)
{
    const struct noc_lanes *l = n->lanes;
    const struct lane_vc *c = &l->vc[router * n->invcs + invc];
    flit_t front = l->flits[(router * n->invcs + invc) * l->ring + c->head];
    return (struct invc){.state = l->taken[router] >> invc & 1 ? INVC_WAITING : INVC_IDLE,
                         .head = c->head,
                         .len = c->len,
                         .out = front & LANE_OUT};
}

void noc_lanes_free(struct noc_lanes *l)
{
    if (!l)
        return;
    void *const parts[] = {l->block, l->vc, l->credits, l->flits, l->place, l->far, l};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        free(parts[i]);
}
