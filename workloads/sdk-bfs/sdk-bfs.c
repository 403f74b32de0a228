/* sdk-bfs: breadth-first search of a random graph, level by level. */
#include "gen.h"
#include "workload.h"

struct state {
    struct gen_graph graph;
    uint32_t source;
    struct wl_array *nodes, *edges, *frontier, *next, *cost, *again;
};

static void make(struct wl *w, void *state)
{
    static const uint32_t counts[WL_SIZES] = {2048, 65536, 262144, 1048576, 524288};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->graph = gen_graph_drawn(w, &rng, counts[wl_size(w)]);
    const struct gen_graph *g = &s->graph;
    s->nodes = wl_array(w, "nodes", WL_INPUT, WL_I32, 2 * (size_t)g->n);
    s->edges = wl_array(w, "edges", WL_INPUT, WL_I32, g->m);
    s->frontier = wl_array(w, "frontier", WL_INPUT, WL_U8, g->n);
    s->next = wl_array(w, "next", WL_SCRATCH, WL_U8, g->n);
    s->cost = wl_array(w, "cost", WL_INOUT, WL_I32, g->n);
    s->again = wl_array(w, "again", WL_SCRATCH, WL_I32, 1);
    for (uint32_t v = 0; v < g->n; v++) {
        s->nodes->i32[2 * v] = (int32_t)g->first[v];
        s->nodes->i32[2 * v + 1] = (int32_t)(g->first[v + 1] - g->first[v]);
        s->cost->i32[v] = -1;
    }
    for (uint32_t i = 0; i < g->m; i++)
        s->edges->i32[i] = (int32_t)g->to[i];
    do
        s->source = rng_below(&rng, g->n);
    while (g->first[s->source] == g->first[s->source + 1]);
    s->cost->i32[s->source] = 0;
    s->frontier->u8[s->source] = 1;
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    CUdeviceptr now = s->frontier->dev, next = s->next->dev;
    int32_t again = 1;
    while (again) {
        again = 0;
        wl_write(w, s->again->dev, &again, sizeof again);
        wl_launch(w, "bfs_level", WL_DIM(wl_blocks(s->graph.n, 256)), WL_DIM(256), 0,
                  WL_ARGS(&s->nodes->dev, &s->edges->dev, &now, &next, &s->cost->dev,
                          &s->again->dev, &s->graph.n));
        wl_read(w, s->again->dev, &again, sizeof again);
        CUdeviceptr old = now;
        now = next;
        next = old;
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    const struct gen_graph *g = &s->graph;
    int32_t *cost = s->cost->expect_i32;
    uint32_t *queue = wl_alloc(w, g->n, sizeof *queue), head = 0, tail = 0;
    for (uint32_t v = 0; v < g->n; v++)
        cost[v] = -1;
    cost[s->source] = 0;
    queue[tail++] = s->source;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++)
            if (cost[g->to[i]] < 0) {
                cost[g->to[i]] = cost[v] + 1;
                queue[tail++] = g->to[i];
            }
    }
}

const struct workload workload_sdk_bfs = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "level-synchronous search, one thread a vertex, byte masks for the frontier",
    .input = "random graph, each vertex draws 2 to 4 neighbours: 6 on average",
    .imitates = "the ISPASS 2009 suite's random graph of 65536 vertices with 6 "
                "neighbours on average (small has as many)",
    .tolerance = "bit-equal: integers",
};
