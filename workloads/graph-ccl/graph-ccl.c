/* graph-ccl: the connected components of a random graph. */
#include "gen.h"

#include <string.h>

enum { BLOCK = 256 };

struct state {
    uint32_t nodes;
    struct wl_array *first, *to, *labels, *equal, *changed;
};

static void make(struct wl *w, void *state)
{
    static const uint32_t counts[WL_SIZES] = {1024, 16384, 131072, 524288, 262144};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    uint32_t n = counts[wl_size(w)];
    struct gen_graph g = gen_graph_uniform(w, &rng, n, n + n / 4);
    s->nodes = n;
    s->first = wl_array(w, "first", WL_INPUT, WL_U32, (size_t)n + 1);
    s->to = wl_array(w, "to", WL_INPUT, WL_U32, g.m);
    s->labels = wl_array(w, "labels", WL_OUTPUT, WL_U32, n);
    s->equal = wl_array(w, "equal", WL_SCRATCH, WL_U32, n);
    s->changed = wl_array(w, "changed", WL_SCRATCH, WL_U32, 1);
    memcpy(s->first->data, g.first, ((size_t)n + 1) * sizeof *g.first);
    memcpy(s->to->data, g.to, g.m * sizeof *g.to);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct wl_dim grid = WL_DIM(wl_blocks(s->nodes, BLOCK)), block = WL_DIM(BLOCK);
    wl_launch(w, "ccl_start", grid, block, 0, WL_ARGS(&s->labels->dev, &s->equal->dev, &s->nodes));
    for (;;) {
        uint32_t changed = 0;
        wl_write(w, s->changed->dev, &changed, sizeof changed);
        wl_launch(w, "ccl_scan", grid, block, 0,
                  WL_ARGS(&s->first->dev, &s->to->dev, &s->labels->dev, &s->equal->dev, &s->nodes,
                          &s->changed->dev));
        wl_read(w, s->changed->dev, &changed, sizeof changed);
        if (!changed)
            return;
        wl_launch(w, "ccl_analyse", grid, block, 0,
                  WL_ARGS(&s->labels->dev, &s->equal->dev, &s->nodes));
        wl_launch(w, "ccl_label", grid, block, 0,
                  WL_ARGS(&s->labels->dev, &s->equal->dev, &s->nodes));
    }
}

/* Floods each component from its first node. */
static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t *labels = s->labels->expect_u32, *stack = wl_alloc(w, s->nodes, sizeof *stack);
    memset(labels, 0xff, s->labels->count * sizeof *labels);
    for (uint32_t root = 0; root < s->nodes; root++) {
        uint32_t depth = 0;
        if (labels[root] != UINT32_MAX)
            continue;
        labels[root] = root;
        stack[depth++] = root;
        while (depth > 0) {
            uint32_t node = stack[--depth];
            for (uint32_t e = s->first->u32[node]; e < s->first->u32[node + 1]; e++) {
                uint32_t to = s->to->u32[e];
                if (labels[to] != UINT32_MAX)
                    continue;
                labels[to] = root;
                stack[depth++] = to;
            }
        }
    }
}

const struct workload workload_graph_ccl = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "label equivalence, a thread a node: least label of the neighbours, noted under "
                 "the own label by atomic minimum; notes chased to their roots; relabelling",
    .input = "uniform random graph, 2.5 neighbours a node on average: a giant component and many "
             "small ones",
    .imitates = "a random graph near the point where it falls apart, so that components"
                " of all sizes exist; the suite's input is not known",
    .tolerance = "equal: a component's label is its least node",
};
