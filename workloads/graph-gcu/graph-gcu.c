/* graph-gcu: parts an image into foreground and background by a minimum cut. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE = 32, HIGH = 8, ROUNDS = 6 /* of push and relabel between two searches */ };

static const int32_t far_away = 1 << 20;

/* As the device code's. */
struct grid {
    int32_t width, height;
    CUdeviceptr excess, sink, residual;
};

struct state {
    struct grid grid;
    struct wl_array *excess, *sink, *residual, *heights, *next, *flag, *cut, *flow;
};

/* Cutting between pixels costs the less the more they differ; out of the image nothing flows. */
static void set_capacities(struct state *s, const uint8_t *gray)
{
    int width = s->grid.width, height = s->grid.height, n = width * height;
    for (int at = 0; at < n; at++) {
        int x = at % width, y = at / width;
        const bool inside[4] = {x + 1 < width, y + 1 < height, x > 0, y > 0};
        const int to[4] = {at + 1, at + width, at - 1, at - width};
        for (int d = 0; d < 4; d++)
            s->residual->i32[d * n + at] =
                inside[d] ? 1 + 96 / (8 + abs(gray[at] - gray[to[d]])) : 0;
    }
}

/* Bright pixels lean to the foreground, dark ones to the background; noise blurs that. */
static void make(struct wl *w, void *state)
{
    static const int32_t sizes[WL_SIZES][2] = {
        {32, 8}, {64, 56}, {192, 160}, {448, 320}, {256, 192}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->grid = (struct grid){.width = sizes[wl_size(w)][0], .height = sizes[wl_size(w)][1]};
    size_t n = (size_t)s->grid.width * (size_t)s->grid.height;
    uint8_t *gray = wl_alloc(w, n, 1);
    s->excess = wl_array(w, "excess", WL_INPUT, WL_I32, n);
    s->sink = wl_array(w, "sink", WL_INPUT, WL_I32, n);
    s->residual = wl_array(w, "residual", WL_INPUT, WL_I32, 4 * n);
    s->heights = wl_array(w, "heights", WL_SCRATCH, WL_I32, n);
    s->next = wl_array(w, "next", WL_SCRATCH, WL_I32, n);
    s->flag = wl_array(w, "flag", WL_SCRATCH, WL_I32, 1);
    s->cut = wl_array(w, "cut", WL_OUTPUT, WL_I32, n);
    wl_picture(s->excess, (size_t)s->grid.width, (size_t)s->grid.height, 1);
    wl_picture(s->cut, (size_t)s->grid.width, (size_t)s->grid.height, 1);
    s->flow = wl_array(w, "flow", WL_OUTPUT, WL_I32, 1);
    gen_photo(&rng, gray, (unsigned)s->grid.width, (unsigned)s->grid.height, 1);
    set_capacities(s, gray);
    for (size_t i = 0; i < n; i++) {
        int32_t lean = ((int32_t)gray[i] - 128) / 2 + (int32_t)rng_below(&rng, 145) - 72;
        s->excess->i32[i] = lean > 0 ? lean : 0;
        s->sink->i32[i] = lean < 0 ? -lean : 0;
    }
}

/* A launch over all pixels, after which the flag is read. */
static bool launch(struct wl *w, struct state *s, const char *kernel, void **args)
{
    int32_t flag = 0;
    wl_write(w, s->flag->dev, &flag, sizeof flag);
    wl_launch(
        w, kernel,
        WL_DIM(wl_blocks((size_t)s->grid.width, WIDE), wl_blocks((size_t)s->grid.height, HIGH)),
        WL_DIM(WIDE, HIGH), 0, args);
    wl_read(w, s->flag->dev, &flag, sizeof flag);
    return flag;
}

/* Heights become distances to the sink. Returns whether some excess can still get there. */
static bool search(struct wl *w, struct state *s)
{
    int32_t level = 1;
    launch(w, s, "gcu_search_start", WL_ARGS(&s->grid, &s->heights->dev));
    while (launch(w, s, "gcu_search", WL_ARGS(&s->grid, &s->heights->dev, &level, &s->flag->dev)))
        level++;
    return launch(w, s, "gcu_cut",
                  WL_ARGS(&s->grid, &s->heights->dev, &s->cut->dev, &s->flag->dev));
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    s->grid.excess = s->excess->dev;
    s->grid.sink = s->sink->dev;
    s->grid.residual = s->residual->dev;
    while (search(w, s))
        for (int i = 0; i < ROUNDS; i++) {
            struct wl_array *from = i % 2 ? s->next : s->heights,
                            *to = i % 2 ? s->heights : s->next;
            launch(w, s, "gcu_push", WL_ARGS(&s->grid, &from->dev, &s->flow->dev));
            launch(w, s, "gcu_relabel", WL_ARGS(&s->grid, &from->dev, &to->dev));
        }
}

/* Dinic's algorithm: what is left of the capacities, levels, and where each pixel's search goes on.
 */
struct dinic {
    int n, steps[4];
    int32_t *excess, *sink, *residual, *levels, *queue;
    uint8_t *next;
};

static bool find_levels(struct dinic *d)
{
    int head = 0, tail = 0;
    bool open = false;
    for (int i = 0; i < d->n; i++) {
        d->levels[i] = d->sink[i] > 0 ? 1 : far_away;
        d->next[i] = 0;
        if (d->sink[i] > 0)
            d->queue[tail++] = i;
    }
    while (head < tail) {
        int at = d->queue[head++];
        open |= d->excess[at] > 0;
        for (int k = 0; k < 4; k++) {
            int from = at - d->steps[k];
            if (from < 0 || from >= d->n || d->levels[from] != far_away ||
                d->residual[k * d->n + from] == 0)
                continue;
            d->levels[from] = d->levels[at] + 1;
            d->queue[tail++] = from;
        }
    }
    return open;
}

/* Sends up to `most` from a pixel to the sink along falling levels; returns how much went. */
static int32_t send(struct dinic *d, int at, int32_t most)
{
    if (d->levels[at] == 1) {
        int32_t amount = most < d->sink[at] ? most : d->sink[at];
        d->sink[at] -= amount;
        return amount;
    }
    for (; d->next[at] < 4; d->next[at]++) {
        int k = d->next[at];
        int32_t *residual = &d->residual[k * d->n + at];
        if (*residual == 0 || d->levels[at + d->steps[k]] != d->levels[at] - 1)
            continue;
        int32_t amount = send(d, at + d->steps[k], most < *residual ? most : *residual);
        *residual -= amount;
        d->residual[(k ^ 2) * d->n + at + d->steps[k]] += amount;
        if (amount > 0)
            return amount;
    }
    return 0;
}

static void *copy_of(struct wl *w, const struct wl_array *a)
{
    return memcpy(wl_alloc(w, a->count, sizeof(int32_t)), a->data, a->count * sizeof(int32_t));
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    int width = s->grid.width, n = width * s->grid.height;
    size_t count = (size_t)n;
    struct dinic d = {
        .n = n,
        .steps = {1, width, -1, -width},
        .excess = copy_of(w, s->excess),
        .sink = copy_of(w, s->sink),
        .residual = copy_of(w, s->residual),
        .levels = wl_alloc(w, count, sizeof(int32_t)),
        .queue = wl_alloc(w, count, sizeof(int32_t)),
        .next = wl_alloc(w, count, 1),
    };
    while (find_levels(&d))
        for (int i = 0; i < n; i++)
            for (int32_t sent = 1; d.excess[i] > 0 && d.levels[i] != far_away && sent > 0;) {
                sent = send(&d, i, d.excess[i]);
                d.excess[i] -= sent;
                s->flow->expect_i32[0] += sent;
            }
    for (int i = 0; i < n; i++)
        s->cut->expect_i32[i] = d.levels[i] < far_away;
}

const struct workload workload_graph_gcu = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "push and relabel on a grid of pixels, 32x8 tiles of heights in shared memory, "
                 "excess moved by atomic additions; heights from a breadth-first search every six "
                 "rounds; the CPU checks it with Dinic's algorithm",
    .input =
        "a gray photograph with noise: brightness against the sink, likeness between neighbours",
    .imitates = "a photograph to be parted into fore- and background, as CUDA Cuts has "
                "them (flower, person)",
    .tolerance = "equal: the greatest flow and the cut nearest to the sink are unique",
    .idle = "hundreds of short launches, each waiting for the last block of the one"
            " before",
};
