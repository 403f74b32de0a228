/* lonestar-bfs: distances in edges from one node of a skewed graph, with worklists. */
#include "gen.h"

#include <string.h>

enum { BLOCK = 256 };

static const uint32_t unreached = 0x7fffffff;

struct state {
    uint32_t nodes, source;
    struct wl_array *row, *column, *levels, *list[2], *length;
};

static void make(struct wl *w, void *state)
{
    static const struct {
        unsigned scale;
        uint32_t edges;
    } sizes[WL_SIZES] = {{11, 16384}, {16, 524288}, {18, 1048576}, {20, 4194304}, {18, 1048576}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    struct gen_graph g = gen_graph_rmat(w, &rng, sizes[wl_size(w)].scale, sizes[wl_size(w)].edges);
    s->nodes = g.n;
    s->row = wl_array(w, "row", WL_INPUT, WL_U32, (size_t)g.n + 1);
    s->column = wl_array(w, "column", WL_INPUT, WL_U32, g.m);
    s->levels = wl_array(w, "levels", WL_INOUT, WL_U32, g.n);
    s->list[0] = wl_array(w, "list_even", WL_SCRATCH, WL_U32, g.n);
    s->list[1] = wl_array(w, "list_odd", WL_SCRATCH, WL_U32, g.n);
    s->length = wl_array(w, "length", WL_SCRATCH, WL_U32, 1);
    memcpy(s->row->data, g.first, ((size_t)g.n + 1) * sizeof *g.first);
    memcpy(s->column->data, g.to, g.m * sizeof *g.to);
    /* From a node that has neighbours: some of an R-MAT graph have none. */
    do
        s->source = rng_below(&rng, g.n);
    while (g.first[s->source] == g.first[s->source + 1]);
    for (uint32_t i = 0; i < g.n; i++)
        s->levels->u32[i] = i == s->source ? 0 : unreached;
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t length = 1, zero = 0;

    wl_write(w, s->list[0]->dev, &s->source, sizeof s->source);
    for (uint32_t level = 0; length > 0; level++) {
        wl_write(w, s->length->dev, &zero, sizeof zero);
        wl_launch(w, "bfs_worklist", WL_DIM(wl_blocks(length, BLOCK)), WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->row->dev, &s->column->dev, &s->levels->dev, &s->list[level % 2]->dev,
                          &length, &s->list[(level + 1) % 2]->dev, &s->length->dev, &level));
        wl_read(w, s->length->dev, &length, sizeof length);
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t *queue = wl_alloc(w, s->nodes, sizeof *queue), head = 0, tail = 0;
    uint32_t *levels = s->levels->expect_u32;

    for (uint32_t i = 0; i < s->nodes; i++)
        levels[i] = unreached;
    levels[s->source] = 0;
    queue[tail++] = s->source;
    while (head < tail) {
        uint32_t node = queue[head++];
        for (uint32_t e = s->row->u32[node]; e < s->row->u32[node + 1]; e++) {
            uint32_t to = s->column->u32[e];
            if (levels[to] == unreached) {
                levels[to] = levels[node] + 1;
                queue[tail++] = to;
            }
        }
    }
}

const struct workload workload_lonestar_bfs = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "data-driven: the worklist of a level makes that of the next; a node is claimed by "
        "compare-and-swap",
    .input = "R-MAT graph, about 16 neighbours a node on average (8 at medium and large), skewed "
             "degrees (up to hundreds), a few nodes alone",
    .imitates = "LonestarGPU's rmat graphs (power law), with fewer edges at the largest"
                " hubs",
    .tolerance = "equal: levels are unique",
    .idle = "the first and last levels have few nodes, and the block with the "
            "greatest hub decides how long a level takes",
};
