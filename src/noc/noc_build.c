/* Building the network from its configuration. */
#include "noc/noc_lanes.h"
#include "noc/noc_xbar.h"

#include <stdlib.h>

const char *const noc_topology_names[] = {"mesh", "crossbar", NULL};

const struct conf_field noc_fields[] = {
#define ROWS_FILE   "noc/noc_cfg.def"
#define ROWS_STRUCT noc_cfg
#include "parsim/rows_entries.h"
};

const size_t noc_nfields = ARRAY_LEN(noc_fields);

uint32_t noc_cfg_nodes(const struct noc_cfg *cfg)
{
    return (uint32_t)(cfg->topology == NOC_MESH ? cfg->width * cfg->height : cfg->nodes);
}

uint32_t noc_cfg_flits(const struct noc_cfg *cfg, uint32_t payload)
{
    uint32_t bytes = payload + (uint32_t)cfg->header_bytes, width = (uint32_t)cfg->flit_bytes;
    return bytes ? (bytes + width - 1) / width : 1;
}

bool noc_cfg_check(const struct noc_cfg *cfg, struct err *err)
{
    uint32_t ports = cfg->topology == NOC_MESH ? MESH_PORTS : (uint32_t)cfg->nodes;
    uint32_t invcs = ports * (uint32_t)(cfg->vcs * cfg->classes);
    if (invcs > WORDS_MAX * 64)
        return err_set(err,
                       "noc: %u ports of %lld virtual channels are more than a router can "
                       "have (%d together)",
                       ports, (long long)(cfg->vcs * cfg->classes), WORDS_MAX * 64);
    if (cfg->vcs * cfg->classes > 32)
        return err_set(err, "noc.vcs: at most 32 virtual channels, all classes together");
    return true;
}

/* A router's arrays lie in one block, the ones used together side by side; without a block they
 * are only counted. */
static void *carve(char *block, size_t *used, size_t n, size_t size)
{
    void *p = block ? block + *used : NULL;
    *used += align_up(n * size, 8);
    return p;
}

static size_t router_carve(struct noc *n, struct router *r, char *block)
{
    size_t used = 0;
    r->nonempty = carve(block, &used, n->words, sizeof(uint64_t));
    r->credited = carve(block, &used, n->words, sizeof(uint64_t));
    r->unowned = carve(block, &used, n->words, sizeof(uint64_t));
    r->open = carve(block, &used, n->words, sizeof(uint64_t));
    r->work = carve(block, &used, n->words, sizeof(uint64_t));
    r->want = carve(block, &used, (size_t)n->ports * n->words, sizeof(uint64_t));
    r->active = carve(block, &used, (size_t)n->ports * n->words, sizeof(uint64_t));
    r->in = carve(block, &used, n->invcs, sizeof *r->in);
    r->out = carve(block, &used, n->invcs, sizeof *r->out);
    r->inports = carve(block, &used, n->ports, sizeof *r->inports);
    r->grant = carve(block, &used, n->ports, sizeof *r->grant);
    r->to = carve(block, &used, n->ports, sizeof *r->to);
    r->from = carve(block, &used, n->ports, sizeof *r->from);
    r->flits = carve(block, &used, (size_t)n->invcs * n->ring, sizeof *r->flits);
    r->route = carve(block, &used, n->nnodes, sizeof *r->route);
    r->routed_at = carve(block, &used, n->invcs, sizeof *r->routed_at);
    return used;
}

static void router_alloc(struct noc *n, struct router *r)
{
    size_t bytes = router_carve(n, r, NULL);
    r->block = xalloc_aligned(64, align_up(bytes, 64));
    router_carve(n, r, r->block);
    for (uint32_t i = 0; i < n->invcs; i++) {
        r->out[i].owner = VC_NONE;
        r->out[i].credits = (uint16_t)n->cfg.vc_flits;
        r->unowned[i / 64] |= 1ull << (i % 64);
        r->open[i / 64] |= 1ull << (i % 64);
    }
}

static uint16_t mesh_route(const struct noc *n, uint32_t at, uint32_t dst)
{
    uint32_t w = (uint32_t)n->cfg.width, x = at % w, y = at / w, dx = dst % w, dy = dst / w;
    if (dx != x)
        return dx > x ? MESH_EAST : MESH_WEST;
    if (dy != y)
        return dy > y ? MESH_SOUTH : MESH_NORTH;
    return MESH_LOCAL;
}

/* A flit that leaves east comes in at its neighbour's west port. Edge ports lead nowhere. */
static void mesh_wire(struct noc *n, uint32_t at)
{
    static const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    struct router *r = &n->routers[at];
    int w = (int)n->cfg.width, h = (int)n->cfg.height, x = (int)at % w, y = (int)at / w;
    for (int p = 0; p < MESH_LOCAL; p++) {
        int nx = x + dx[p], ny = y + dy[p];
        if (nx < 0 || nx >= w || ny < 0 || ny >= h)
            continue;
        struct far_end end = {(uint16_t)(ny * w + nx), (uint16_t)((uint32_t)(p ^ 1) * n->vcs),
                              END_ROUTER};
        r->to[p] = r->from[p] = end;
    }
    struct far_end node = {(uint16_t)at, 0, END_NODE};
    r->to[MESH_LOCAL] = r->from[MESH_LOCAL] = node;
    n->nodes[at].router =
        (struct far_end){(uint16_t)at, (uint16_t)(MESH_LOCAL * n->vcs), END_ROUTER};
    for (uint32_t d = 0; d < n->nnodes; d++)
        r->route[d] = mesh_route(n, at, d);
}

static void crossbar_wire(struct noc *n)
{
    struct router *r = &n->routers[0];
    for (uint32_t p = 0; p < n->ports; p++) {
        struct far_end node = {(uint16_t)p, 0, END_NODE};
        r->to[p] = r->from[p] = node;
        r->route[p] = (uint16_t)p;
        n->nodes[p].router = (struct far_end){0, (uint16_t)(p * n->vcs), END_ROUTER};
    }
}

static void node_alloc(struct noc *n, struct node *nd)
{
    nd->sources = xcalloc((size_t)n->cfg.classes, sizeof *nd->sources);
    nd->vcs = xcalloc(n->vcs, sizeof *nd->vcs);
    for (int64_t c = 0; c < n->cfg.classes; c++)
        nd->sources[c].last_vc = VC_NONE;
    for (uint32_t v = 0; v < n->vcs; v++) {
        nd->vcs[v].credits = (uint16_t)n->cfg.vc_flits;
        nd->vcs[v].ejected = xcalloc(n->ring, sizeof(flit_t));
    }
}

static void wheel_alloc(struct noc *n)
{
    while (n->wheel_mask < n->flit_delay)
        n->wheel_mask = n->wheel_mask * 2 + 1;
    assert(n->wheel_mask < WHEEL_MAX);
    size_t links = (size_t)n->nrouters * n->ports + n->nnodes;
    size_t credits = links * (size_t)n->cfg.eject_flits;
    for (uint32_t i = 0; i <= n->wheel_mask; i++)
        for (int k = 0; k < END_KINDS; k++) {
            n->wheel[i].flits[k] = xcalloc(links, sizeof(struct flit_event));
            n->wheel[i].credits[k] = xcalloc(credits, sizeof(struct credit_event));
        }
}

void noc_build(struct noc *n)
{
    bool mesh = n->cfg.topology == NOC_MESH;
    n->nnodes = noc_cfg_nodes(&n->cfg);
    n->nrouters = mesh ? n->nnodes : 1;
    n->ports = mesh ? MESH_PORTS : n->nnodes;
    n->vcs = (uint32_t)(n->cfg.vcs * n->cfg.classes);
    n->invcs = n->ports * n->vcs;
    n->words = (n->invcs + 63) / 64;
    n->ring = 1;
    while (n->ring < (uint32_t)n->cfg.vc_flits)
        n->ring *= 2;
    n->port_of = xcalloc(n->invcs, sizeof *n->port_of);
    n->vc_of = xcalloc(n->invcs, sizeof *n->vc_of);
    for (uint32_t i = 0; i < n->invcs; i++) {
        n->port_of[i] = (uint16_t)(i / n->vcs);
        n->vc_of[i] = (uint16_t)(i % n->vcs);
        n->vc_class[i % n->vcs] = (uint8_t)(i % n->vcs / (uint32_t)n->cfg.vcs);
        n->class_mask[n->vc_class[i % n->vcs]][i / 64] |= 1ull << (i % 64);
    }
    n->speculative = n->cfg.speculative;
    n->credit_delay = 1 + (uint32_t)n->cfg.link_cycles;
    n->flit_delay = STAGES_BEFORE_LINK + (uint32_t)n->cfg.link_cycles;
    n->routers = xcalloc(n->nrouters, sizeof *n->routers);
    n->nodes = xcalloc(n->nnodes, sizeof *n->nodes);
    for (uint32_t i = 0; i < n->nrouters; i++) {
        router_alloc(n, &n->routers[i]);
        if (mesh)
            mesh_wire(n, i);
    }
    if (!mesh)
        crossbar_wire(n);
    for (uint32_t i = 0; i < n->nnodes; i++)
        node_alloc(n, &n->nodes[i]);
    wheel_alloc(n);
    n->lanes = noc_lanes_new(n);
    n->xbar = noc_xbar_new(n);
    n->busy_routers = xcalloc((n->nrouters + 63) / 64, sizeof(uint64_t));
    n->ejecting_nodes = xcalloc((n->nnodes + 63) / 64, sizeof(uint64_t));
    n->injecting_nodes = xcalloc((n->nnodes + 63) / 64, sizeof(uint64_t));
    n->decisions.va = xcalloc(n->invcs, sizeof *n->decisions.va);
    n->decisions.sa = xcalloc(n->ports, sizeof *n->decisions.sa);
    n->sure = xcalloc((size_t)n->ports * n->words, sizeof(uint64_t));
    n->all = xcalloc((size_t)n->ports * n->words, sizeof(uint64_t));
    n->offers = xcalloc((size_t)n->ports * n->words, sizeof(uint64_t));
    n->bound = xcalloc((size_t)n->nnodes * (size_t)n->cfg.classes, sizeof(struct binding *));
}

void noc_teardown(struct noc *n)
{
    noc_lanes_free(n->lanes);
    noc_xbar_free(n->xbar);
    for (uint32_t i = 0; i < n->nrouters; i++)
        free(n->routers[i].block);
    for (int i = 0; i < WHEEL_MAX; i++)
        for (int k = 0; k < END_KINDS; k++) {
            free(n->wheel[i].flits[k]);
            free(n->wheel[i].credits[k]);
        }
    for (uint32_t i = 0; i < n->nnodes; i++) {
        for (uint32_t v = 0; v < n->vcs; v++)
            free(n->nodes[i].vcs[v].ejected);
        for (int64_t c = 0; c < n->cfg.classes; c++)
            vec_free(&n->nodes[i].sources[c].queue);
        free(n->nodes[i].vcs);
        free(n->nodes[i].sources);
    }
    void *const parts[] = {
        n->routers, n->nodes,   n->busy_routers, n->ejecting_nodes, n->injecting_nodes,
        n->bound,   n->sure,    n->decisions.va, n->decisions.sa,   n->all,
        n->offers,  n->port_of, n->vc_of};
    for (size_t k = 0; k < ARRAY_LEN(parts); k++)
        free(parts[k]);
}
