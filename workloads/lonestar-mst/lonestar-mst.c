/* lonestar-mst: the minimum spanning tree of a road-like graph. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };

struct state {
    uint32_t nodes, edges;
    struct wl_array *row, *column, *weight, *number, *from, *to;
    struct wl_array *component, *parent, *least_weight, *least_edge, *in_tree, *again;
};

/* Edges are numbered in the order of their (lower, higher) ends; each is in two rows. */
static void number_edges(struct state *s)
{
    const uint32_t *row = s->row->u32, *column = s->column->u32;
    uint32_t next = 0;

    for (uint32_t v = 0; v < s->nodes; v++)
        for (uint32_t e = row[v]; e < row[v + 1]; e++) {
            uint32_t other = column[e];
            if (other > v) {
                s->from->u32[next] = v;
                s->to->u32[next] = other;
                s->number->u32[e] = next++;
                continue;
            }
            uint32_t back = row[other];
            while (column[back] != v)
                back++;
            s->number->u32[e] = s->number->u32[back];
        }
}

static void make(struct wl *w, void *state)
{
    static const unsigned sides[WL_SIZES] = {24, 100, 360, 800, 360};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    struct gen_graph g = gen_graph_road(w, &rng, sides[wl_size(w)], sides[wl_size(w)]);
    s->nodes = g.n;
    s->edges = g.m / 2;
    s->row = wl_array(w, "row", WL_INPUT, WL_U32, (size_t)g.n + 1);
    s->column = wl_array(w, "column", WL_INPUT, WL_U32, g.m);
    s->weight = wl_array(w, "weight", WL_INPUT, WL_U32, g.m);
    s->number = wl_array(w, "number", WL_INPUT, WL_U32, g.m);
    s->from = wl_array(w, "from", WL_INPUT, WL_U32, s->edges);
    s->to = wl_array(w, "to", WL_INPUT, WL_U32, s->edges);
    s->component = wl_array(w, "component", WL_INPUT, WL_U32, g.n);
    s->parent = wl_array(w, "parent", WL_INPUT, WL_U32, g.n);
    s->least_weight = wl_array(w, "least_weight", WL_SCRATCH, WL_U32, g.n);
    s->least_edge = wl_array(w, "least_edge", WL_SCRATCH, WL_U32, g.n);
    s->in_tree = wl_array(w, "in_tree", WL_OUTPUT, WL_U32, s->edges);
    s->again = wl_array(w, "again", WL_SCRATCH, WL_U32, 1);
    memcpy(s->row->data, g.first, ((size_t)g.n + 1) * sizeof *g.first);
    memcpy(s->column->data, g.to, g.m * sizeof *g.to);
    memcpy(s->weight->data, g.weight, g.m * sizeof *g.weight);
    number_edges(s);
    for (uint32_t i = 0; i < g.n; i++)
        s->component->u32[i] = s->parent->u32[i] = i;
}

static void find_least(struct wl *w, struct state *s, struct wl_dim grid)
{
    struct wl_dim block = WL_DIM(BLOCK);

    wl_launch(w, "mst_reset", grid, block, 0,
              WL_ARGS(&s->least_weight->dev, &s->least_edge->dev, &s->nodes));
    wl_launch(w, "mst_find_weight", grid, block, 0,
              WL_ARGS(&s->row->dev, &s->column->dev, &s->weight->dev, &s->component->dev,
                      &s->least_weight->dev, &s->nodes));
    wl_launch(w, "mst_find_edge", grid, block, 0,
              WL_ARGS(&s->row->dev, &s->column->dev, &s->weight->dev, &s->number->dev,
                      &s->component->dev, &s->least_weight->dev, &s->least_edge->dev, &s->nodes));
}

static bool launch_flagged(struct wl *w, struct state *s, const char *kernel, struct wl_dim grid,
                           void **args)
{
    uint32_t again = 0;

    wl_write(w, s->again->dev, &again, sizeof again);
    wl_launch(w, kernel, grid, WL_DIM(BLOCK), 0, args);
    wl_read(w, s->again->dev, &again, sizeof again);
    return again != 0;
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct wl_dim grid = WL_DIM(wl_blocks(s->nodes, BLOCK));

    for (;;) {
        find_least(w, s, grid);
        if (!launch_flagged(w, s, "mst_hook", grid,
                            WL_ARGS(&s->from->dev, &s->to->dev, &s->component->dev,
                                    &s->least_edge->dev, &s->parent->dev, &s->in_tree->dev,
                                    &s->again->dev, &s->nodes)))
            return;
        while (launch_flagged(w, s, "mst_jump", grid,
                              WL_ARGS(&s->parent->dev, &s->again->dev, &s->nodes)))
            ;
        wl_launch(w, "mst_label", grid, WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->parent->dev, &s->component->dev, &s->nodes));
    }
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static uint32_t find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* Kruskal's algorithm over the edges by (weight, number). */
static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    uint64_t *order = wl_alloc(w, s->edges, sizeof *order);
    uint32_t *parent = wl_alloc(w, s->nodes, sizeof *parent);

    for (size_t e = 0; e < s->column->count; e++)
        order[s->number->u32[e]] = (uint64_t)s->weight->u32[e] << 32 | s->number->u32[e];
    qsort(order, s->edges, sizeof *order, compare_u64);
    for (uint32_t v = 0; v < s->nodes; v++)
        parent[v] = v;
    for (uint32_t i = 0; i < s->edges; i++) {
        uint32_t e = (uint32_t)order[i];
        uint32_t a = find_root(parent, s->from->u32[e]), b = find_root(parent, s->to->u32[e]);
        s->in_tree->expect_u32[e] = a != b;
        parent[a] = b;
    }
}

const struct workload workload_lonestar_mst = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "Boruvka: each component finds its least outgoing edge by atomic minimum, hooks onto "
        "the other side, pointers are jumped to the roots; repeated until no edge is left",
    .input = "road-like graph: a grid with a quarter of the streets missing, lengths 10 to 150",
    .imitates = "LonestarGPU's road networks (USA-road-d): low degrees, long paths, "
                "lengths as weights",
    .tolerance = "equal: with edges ordered by weight and number the tree is unique",
};
