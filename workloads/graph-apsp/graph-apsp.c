/* graph-apsp: lengths of the shortest paths between all pairs of nodes. */
#include "gen.h"

#include <string.h>

enum { BASE = 16, ROWS = 64, COLUMNS = 16 };

static const float no_path = 1 << 20; /* sums of two are exact, and longer than all paths */

struct product {
    int to_row, to_column, left_column, right_row, rows, columns, inner;
};

struct state {
    int nodes; /* a multiple of BASE */
    struct wl_array *distances;
};

static void make(struct wl *w, void *state)
{
    static const int counts[WL_SIZES] = {48, 160, 448, 768, 640};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    uint32_t n = (uint32_t)(s->nodes = counts[wl_size(w)]);
    struct gen_graph g = gen_graph_uniform(w, &rng, n, 4 * n);
    s->distances = wl_array(w, "distances", WL_INOUT, WL_F32, (size_t)n * n);
    for (size_t i = 0; i < s->distances->count; i++)
        s->distances->f32[i] = i % (n + 1) ? no_path : 0;
    for (uint32_t node = 0; node < n; node++)
        for (uint32_t e = g.first[node]; e < g.first[node + 1]; e++)
            s->distances->f32[(size_t)node * n + g.to[e]] = (float)g.weight[e];
}

static void multiply(struct wl *w, struct state *s, struct product p)
{
    wl_launch(w, "apsp_multiply",
              WL_DIM(wl_blocks((size_t)p.rows, ROWS), (unsigned)p.columns / COLUMNS), WL_DIM(ROWS),
              0, WL_ARGS(&s->distances->dev, &s->nodes, &p));
}

/* Makes the block of `size` nodes from `at` on closed: all paths through its own nodes. With the
 * nodes in two halves: paths within the first, from and to it, through it; then the same with the
 * second. */
static void close_block(struct wl *w, struct state *s, int at, int size)
{
    if (size == BASE) {
        wl_launch(w, "apsp_close", WL_DIM(1), WL_DIM(BASE, BASE), 0,
                  WL_ARGS(&s->distances->dev, &s->nodes, &at));
        return;
    }
    int n = (size / 2 + BASE - 1) / BASE * BASE, rest = size - n, second = at + n;
    close_block(w, s, at, n);
    multiply(w, s, (struct product){at, second, at, at, n, rest, n});
    multiply(w, s, (struct product){second, at, at, at, rest, n, n});
    multiply(w, s, (struct product){second, second, at, at, rest, rest, n});
    close_block(w, s, second, rest);
    multiply(w, s, (struct product){at, second, second, second, n, rest, rest});
    multiply(w, s, (struct product){second, at, second, second, rest, n, rest});
    multiply(w, s, (struct product){at, at, second, second, n, n, rest});
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    close_block(w, s, 0, s->nodes);
}

/* Floyd and Warshall's algorithm over the whole matrix. */
static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    int n = s->nodes;
    float *d = s->distances->expect_f32;
    (void)w;
    memcpy(d, s->distances->initial, s->distances->count * sizeof *d);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (d[i * n + k] + d[k * n + j] < d[i * n + j])
                    d[i * n + j] = d[i * n + k] + d[k * n + j];
}

const struct workload workload_graph_apsp = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "Kleene's recursion in place: closures of 16 nodes by one block, products in "
                 "minimum and sum by tiles of 64x16 with 16 results a thread in registers",
    .input = "uniform random graph, 8 neighbours a node on average, lengths 1 to 100, as a matrix",
    .imitates = "a sparse random graph as a matrix; the suite's input is not known",
    .tolerance = "bit-equal: lengths are whole numbers, and shortest ones are unique",
    .idle = "products of few rows and closures by one block, each waiting for the "
            "one before",
};
