/* rodinia-bfs: distances in edges from one node of a random graph. */
#include "gen.h"

#include <string.h>

enum { BLOCK = 256 };

struct state {
    uint32_t count, source;
    struct wl_array *nodes, *edges, *frontier, *updating, *visited, *cost, *again;
};

static void make(struct wl *w, void *state)
{
    static const uint32_t counts[WL_SIZES] = {1000, 50000, 700000, 2800000, 700000};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->count = counts[wl_size(w)];
    s->source = rng_below(&rng, s->count);
    struct gen_graph g = gen_graph_drawn(w, &rng, s->count);
    s->nodes = wl_array(w, "nodes", WL_INPUT, WL_U32, 2 * (size_t)s->count);
    s->edges = wl_array(w, "edges", WL_INPUT, WL_U32, g.m);
    s->frontier = wl_array(w, "frontier", WL_INPUT, WL_U8, s->count);
    s->updating = wl_array(w, "updating", WL_SCRATCH, WL_U8, s->count);
    s->visited = wl_array(w, "visited", WL_INPUT, WL_U8, s->count);
    s->cost = wl_array(w, "cost", WL_INOUT, WL_I32, s->count);
    s->again = wl_array(w, "again", WL_SCRATCH, WL_U32, 1);
    for (uint32_t i = 0; i < s->count; i++) {
        s->nodes->u32[2 * i] = g.first[i];
        s->nodes->u32[2 * i + 1] = g.first[i + 1] - g.first[i];
        s->cost->i32[i] = -1;
    }
    memcpy(s->edges->data, g.to, g.m * sizeof *g.to);
    s->frontier->u8[s->source] = s->visited->u8[s->source] = 1;
    s->cost->i32[s->source] = 0;
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct wl_dim grid = WL_DIM(wl_blocks(s->count, BLOCK)), block = WL_DIM(BLOCK);
    uint32_t again;

    do {
        again = 0;
        wl_write(w, s->again->dev, &again, sizeof again);
        wl_launch(w, "bfs_expand", grid, block, 0,
                  WL_ARGS(&s->nodes->dev, &s->edges->dev, &s->frontier->dev, &s->updating->dev,
                          &s->visited->dev, &s->cost->dev, &s->count));
        wl_launch(w, "bfs_advance", grid, block, 0,
                  WL_ARGS(&s->frontier->dev, &s->updating->dev, &s->visited->dev, &s->again->dev,
                          &s->count));
        wl_read(w, s->again->dev, &again, sizeof again);
    } while (again);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t *queue = wl_alloc(w, s->count, sizeof *queue), head = 0, tail = 0;
    int32_t *cost = s->cost->expect_i32;

    for (uint32_t i = 0; i < s->count; i++)
        cost[i] = -1;
    cost[s->source] = 0;
    queue[tail++] = s->source;
    while (head < tail) {
        uint32_t node = queue[head++];
        const uint32_t *first = &s->nodes->u32[2 * node];
        for (uint32_t e = first[0]; e < first[0] + first[1]; e++) {
            uint32_t to = s->edges->u32[e];
            if (cost[to] < 0) {
                cost[to] = cost[node] + 1;
                queue[tail++] = to;
            }
        }
    }
}

const struct workload workload_rodinia_bfs = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "level by level, one thread a node in every level, byte masks for the frontier",
    .input = "random graph, each node draws 2 to 4 neighbours: 6 on average",
    .imitates = "the output of Rodinia's graph generator (graph4096 to graph1MW_6)",
    .tolerance = "equal: levels are unique",
};
