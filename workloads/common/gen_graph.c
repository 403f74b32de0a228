/* Graphs: edges are drawn as (low, high) pairs, sorted, made unique and written as rows. */
#include "gen.h"

#include <stdlib.h>

struct edge {
    uint32_t low, high, weight;
};

struct edges {
    struct edge *data;
    size_t len, cap;
};

static void add_edge(struct edges *e, uint32_t a, uint32_t b, uint32_t weight)
{
    assert(e->len < e->cap);
    if (a != b)
        e->data[e->len++] = (struct edge){a < b ? a : b, a < b ? b : a, weight};
}

static int compare_edges(const void *pa, const void *pb)
{
    const struct edge *a = pa, *b = pb;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

static size_t sort_unique(struct edges *e)
{
    size_t kept = 0;
    qsort(e->data, e->len, sizeof *e->data, compare_edges);
    for (size_t i = 0; i < e->len; i++)
        if (!kept || e->data[i].low != e->data[kept - 1].low ||
            e->data[i].high != e->data[kept - 1].high)
            e->data[kept++] = e->data[i];
    return kept;
}

/* Sorted edges fill each row in order: first the lower neighbours (as `high` of earlier edges),
 * then the higher ones. */
static struct gen_graph make_rows(struct wl *w, struct edges *e, uint32_t n)
{
    e->len = sort_unique(e);
    struct gen_graph g = {.n = n, .m = (uint32_t)(2 * e->len)};
    g.first = wl_alloc(w, (size_t)n + 1, sizeof *g.first);
    g.to = wl_alloc(w, g.m, sizeof *g.to);
    g.weight = wl_alloc(w, g.m, sizeof *g.weight);
    uint32_t *at = wl_alloc(w, n, sizeof *at);
    for (size_t i = 0; i < e->len; i++) {
        g.first[e->data[i].low + 1]++;
        g.first[e->data[i].high + 1]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        g.first[v + 1] += g.first[v];
        at[v] = g.first[v];
    }
    for (int higher = 0; higher < 2; higher++)
        for (size_t i = 0; i < e->len; i++) {
            const struct edge *x = &e->data[i];
            uint32_t *slot = &at[higher ? x->low : x->high];
            g.to[*slot] = higher ? x->high : x->low;
            g.weight[(*slot)++] = x->weight;
        }
    return g;
}

struct gen_graph gen_graph_rmat(struct wl *w, struct rng *rng, unsigned scale, uint32_t edges)
{
    struct edges e = {wl_alloc(w, edges, sizeof(struct edge)), 0, edges};
    uint32_t n = 1u << scale;
    uint32_t *number = wl_alloc(w, n, sizeof *number);
    gen_permutation(rng, number, n);
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t a = 0, b = 0;
        for (unsigned bit = 0; bit < scale; bit++) {
            uint32_t r = rng_below(rng, 100);
            a = a << 1 | (r >= 60);
            b = b << 1 | ((r >= 45 && r < 60) || r >= 75);
        }
        add_edge(&e, number[a], number[b], 1 + rng_below(rng, 100));
    }
    return make_rows(w, &e, n);
}

struct gen_graph gen_graph_uniform(struct wl *w, struct rng *rng, uint32_t n, uint32_t edges)
{
    struct edges e = {wl_alloc(w, edges, sizeof(struct edge)), 0, edges};
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t a = rng_below(rng, n), b = rng_below(rng, n);
        add_edge(&e, a, b, 1 + rng_below(rng, 100));
    }
    return make_rows(w, &e, n);
}

struct gen_graph gen_graph_drawn(struct wl *w, struct rng *rng, uint32_t n)
{
    size_t most = 4 * (size_t)n;
    struct edges e = {wl_alloc(w, most, sizeof(struct edge)), 0, most};
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t left = 2 + rng_below(rng, 3); left; left--) {
            uint32_t to = rng_below(rng, n);
            add_edge(&e, v, to, 1 + rng_below(rng, 100));
        }
    return make_rows(w, &e, n);
}

struct gen_graph gen_graph_road(struct wl *w, struct rng *rng, unsigned width, unsigned height)
{
    size_t n = (size_t)width * height;
    struct edges e = {wl_alloc(w, 3 * n, sizeof(struct edge)), 0, 3 * n};
    int32_t *length = wl_alloc(w, n, sizeof *length);
    gen_fractal(rng, length, width, height, 32, 36000);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            uint32_t v = y * width + x;
            uint32_t len = 10 + (uint32_t)(abs(length[v]) / 700) + rng_below(rng, 8);
            bool keep_row = y % 8 == 0, keep_column = x == 0;
            if (x + 1 < width && (rng_below(rng, 4) || keep_row))
                add_edge(&e, v, v + 1, len);
            if (y + 1 < height && (rng_below(rng, 4) || keep_column))
                add_edge(&e, v, v + width, len);
            if (x + 1 < width && y + 1 < height && rng_below(rng, 20) == 0)
                add_edge(&e, v, v + width + 1, len * 3 / 2);
        }
    return make_rows(w, &e, (uint32_t)n);
}
