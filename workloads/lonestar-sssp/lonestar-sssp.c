/* lonestar-sssp: shortest distances from one node of a random graph, with worklists. */
#include "gen.h"

#include <string.h>

enum { BLOCK = 256 };

static const uint32_t far_away = 0x7fffffff;

struct state {
    uint32_t nodes, source;
    struct wl_array *row, *column, *weight, *distance, *queued, *list[2], *length;
};

static void make(struct wl *w, void *state)
{
    static const uint32_t counts[WL_SIZES] = {1024, 32768, 98304, 524288, 131072};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    uint32_t n = counts[wl_size(w)];
    struct gen_graph g = gen_graph_uniform(w, &rng, n, 2 * n);
    s->nodes = g.n;
    while (g.first[s->source] == g.first[s->source + 1])
        s->source++; /* a node that has neighbours */
    s->row = wl_array(w, "row", WL_INPUT, WL_U32, (size_t)g.n + 1);
    s->column = wl_array(w, "column", WL_INPUT, WL_U32, g.m);
    s->weight = wl_array(w, "weight", WL_INPUT, WL_U32, g.m);
    s->distance = wl_array(w, "distance", WL_OUTPUT, WL_U32, g.n);
    s->queued = wl_array(w, "queued", WL_SCRATCH, WL_U32, g.n);
    s->list[0] = wl_array(w, "list_even", WL_SCRATCH, WL_U32, g.n);
    s->list[1] = wl_array(w, "list_odd", WL_SCRATCH, WL_U32, g.n);
    s->length = wl_array(w, "length", WL_SCRATCH, WL_U32, 1);
    memcpy(s->row->data, g.first, ((size_t)g.n + 1) * sizeof *g.first);
    memcpy(s->column->data, g.to, g.m * sizeof *g.to);
    memcpy(s->weight->data, g.weight, g.m * sizeof *g.weight);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t length = 1, zero = 0;

    wl_launch(w, "sssp_init", WL_DIM(wl_blocks(s->nodes, BLOCK)), WL_DIM(BLOCK), 0,
              WL_ARGS(&s->distance->dev, &s->queued->dev, &s->nodes, &s->source, &s->list[1]->dev));
    for (uint32_t round = 1; length > 0; round++) {
        wl_write(w, s->length->dev, &zero, sizeof zero);
        wl_launch(w, "sssp_relax", WL_DIM(wl_blocks(length, BLOCK)), WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->row->dev, &s->column->dev, &s->weight->dev, &s->distance->dev,
                          &s->queued->dev, &s->list[round % 2]->dev, &length,
                          &s->list[(round + 1) % 2]->dev, &s->length->dev, &round));
        wl_read(w, s->length->dev, &length, sizeof length);
    }
}

/* A heap of (distance, node), smallest first. */
struct heap {
    uint64_t *data;
    size_t len;
};

static void heap_push(struct heap *h, uint64_t v)
{
    size_t i = h->len++;

    for (; i > 0 && h->data[(i - 1) / 2] > v; i = (i - 1) / 2)
        h->data[i] = h->data[(i - 1) / 2];
    h->data[i] = v;
}

static uint64_t heap_pop(struct heap *h)
{
    uint64_t top = h->data[0], v = h->data[--h->len];
    size_t i = 0, child;

    for (; (child = 2 * i + 1) < h->len; i = child) {
        if (child + 1 < h->len && h->data[child + 1] < h->data[child])
            child++;
        if (h->data[child] >= v)
            break;
        h->data[i] = h->data[child];
    }
    h->data[i] = v;
    return top;
}

/* Dijkstra's algorithm. */
static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t *distance = s->distance->expect_u32;
    struct heap heap = {wl_alloc(w, s->column->count + 1, sizeof(uint64_t)), 0};

    for (uint32_t i = 0; i < s->nodes; i++)
        distance[i] = far_away;
    distance[s->source] = 0;
    heap_push(&heap, s->source);
    while (heap.len > 0) {
        uint64_t top = heap_pop(&heap);
        uint32_t node = (uint32_t)top;
        if (top >> 32 != distance[node])
            continue;
        for (uint32_t e = s->row->u32[node]; e < s->row->u32[node + 1]; e++) {
            uint32_t to = s->column->u32[e], through = distance[node] + s->weight->u32[e];
            if (through < distance[to]) {
                distance[to] = through;
                heap_push(&heap, (uint64_t)through << 32 | to);
            }
        }
    }
}

const struct workload workload_lonestar_sssp = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "data-driven Bellman-Ford: nodes whose distance fell are the next worklist; "
                 "distances fall by atomic minimum",
    .input = "uniform random graph, 4 neighbours a node on average, lengths 1 to 100",
    .imitates = "LonestarGPU's random graphs (r4): 4 neighbours on average",
    .tolerance = "equal: shortest distances are unique",
    .idle = "the first and last rounds have few nodes, and a round ends with its "
            "slowest block",
};
