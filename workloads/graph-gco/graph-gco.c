/* graph-gco: a colouring of a graph's nodes, neighbours in different colours. */
#include "gen.h"

#include <string.h>

enum { BLOCK = 128, COLOURS = 128 };

static const uint32_t none = UINT32_MAX;

/* As the device code's. */
struct graph {
    CUdeviceptr neighbours;
    uint32_t nodes, degree, partition;
};

struct state {
    struct graph graph;
    struct wl_array *neighbours, *colours, *before, *marks, *count;
};

static uint32_t largest_degree(const struct gen_graph *g)
{
    uint32_t largest = 1;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->first[i + 1] - g->first[i] > largest)
            largest = g->first[i + 1] - g->first[i];
    return largest;
}

static void make(struct wl *w, void *state)
{
    static const unsigned scales[WL_SIZES] = {8, 13, 16, 17, 16};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    unsigned scale = scales[wl_size(w)];
    struct gen_graph g = gen_graph_rmat(w, &rng, scale, 4u << scale);
    uint32_t degree = largest_degree(&g);
    s->graph = (struct graph){.nodes = g.n, .degree = degree, .partition = 4};
    s->neighbours = wl_array(w, "neighbours", WL_INPUT, WL_U32, (size_t)g.n * degree);
    s->colours = wl_array(w, "colours", WL_OUTPUT, WL_U32, g.n);
    s->before = wl_array(w, "before", WL_SCRATCH, WL_U32, g.n);
    s->marks = wl_array(w, "marks", WL_SCRATCH, WL_U32, g.n);
    s->count = wl_array(w, "count", WL_SCRATCH, WL_U32, 1);
    memset(s->neighbours->data, 0xff, s->neighbours->count * sizeof(uint32_t));
    for (uint32_t i = 0; i < g.n; i++)
        memcpy(s->neighbours->u32 + (size_t)i * degree, g.to + g.first[i],
               (g.first[i + 1] - g.first[i]) * sizeof *g.to);
}

/* In the first round all nodes are marked and none has a colour; the last array of colours is
 * copied where the next round reads them. */
static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct graph *g = &s->graph;
    uint32_t *colours = wl_alloc(w, g->nodes, sizeof *colours), count;
    struct wl_dim block = WL_DIM(BLOCK);
    g->neighbours = s->neighbours->dev;
    memset(colours, 0xff, g->nodes * sizeof *colours);
    wl_write(w, s->marks->dev, colours, g->nodes * sizeof *colours);
    do {
        wl_write(w, s->before->dev, colours, g->nodes * sizeof *colours);
        wl_launch(w, "gco_colour", WL_DIM(wl_blocks(g->nodes / g->partition, BLOCK)), block, 0,
                  WL_ARGS(g, &s->marks->dev, &s->before->dev, &s->colours->dev));
        count = 0;
        wl_write(w, s->count->dev, &count, sizeof count);
        wl_launch(w, "gco_conflicts", WL_DIM(wl_blocks(g->nodes, BLOCK)), block, 0,
                  WL_ARGS(g, &s->colours->dev, &s->marks->dev, &s->count->dev));
        wl_read(w, s->count->dev, &count, sizeof count);
        wl_read(w, s->colours->dev, colours, g->nodes * sizeof *colours);
    } while (count > 0);
}

static const uint32_t *row_of(const struct state *s, uint32_t node)
{
    return s->neighbours->u32 + (size_t)node * s->graph.degree;
}

static uint32_t first_fit(const struct state *s, const uint32_t *before, const uint32_t *now,
                          uint32_t node)
{
    bool used[COLOURS] = {false};
    const uint32_t *row = row_of(s, node), partition = s->graph.partition;
    uint32_t colour = 0;
    for (uint32_t i = 0; i < s->graph.degree && row[i] != none; i++) {
        uint32_t theirs = row[i] / partition == node / partition ? now[row[i]] : before[row[i]];
        if (theirs < COLOURS)
            used[theirs] = true;
    }
    while (colour < COLOURS && used[colour])
        colour++;
    return colour;
}

static uint32_t mark_conflicts(const struct state *s, const uint32_t *colours, bool *marks)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < s->graph.nodes; node++) {
        const uint32_t *row = row_of(s, node);
        marks[node] = false;
        for (uint32_t i = 0; i < s->graph.degree && row[i] < node; i++)
            marks[node] |= colours[row[i]] == colours[node];
        count += marks[node];
    }
    return count;
}

/* The same rounds; a node never gets a colour beyond the last, or the result would be none. */
static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t n = s->graph.nodes, *now = s->colours->expect_u32;
    uint32_t *before = wl_alloc(w, n, sizeof *before);
    bool *marks = wl_alloc(w, n, sizeof *marks);
    memset(now, 0xff, n * sizeof *now);
    memset(marks, 1, n * sizeof *marks);
    do {
        memcpy(before, now, n * sizeof *now);
        for (uint32_t node = 0; node < n; node++)
            if (marks[node])
                now[node] = none;
        for (uint32_t node = 0; node < n; node++)
            if (marks[node] && (now[node] = first_fit(s, before, now, node)) == COLOURS)
                wl_die(w, "node %u needs more than %d colours", node, COLOURS);
    } while (mark_conflicts(s, now, marks) > 0);
}

const struct workload workload_graph_gco = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "a thread a partition of 4 nodes colours them by first fit, blind to the other "
                 "partitions; conflicts are marked and coloured again until there are none",
    .input = "R-MAT graph, about 8 neighbours a node on average; rows of neighbours padded to the "
             "largest degree",
    .imitates = "a network with hubs (power law); the suite's input is not known",
    .tolerance = "equal: a round reads the others' colours of the round before",
    .idle = "in later rounds few nodes are in conflict, and those with the most "
            "neighbours decide how long a round takes",
};
