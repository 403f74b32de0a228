/* rodinia-pf: PathFinder, the cheapest way down a grid by dynamic programming, row by row. */
#include "workload.h"

#include <string.h>

enum { BLOCK = 256, PYRAMID = 20 }; /* rows a launch, as Rodinia's script has it */

struct state {
    int rows, cols; /* rows: after the first */
    struct wl_array *wall, *cost, *other;
};

static void make(struct wl *w, void *state)
{
    static const struct {
        int cols, rows;
    } sizes[WL_SIZES] = {{600, 40}, {10000, 80}, {100000, 120}, {400000, 120}, {100000, 120}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->cols = sizes[wl_size(w)].cols;
    s->rows = sizes[wl_size(w)].rows;
    s->wall = wl_array(w, "wall", WL_INPUT, WL_I32, (size_t)s->rows * s->cols);
    s->cost =
        wl_array(w, "cost", WL_INOUT, WL_I32, (size_t)s->cols); /* an even number of launches */
    s->other = wl_array(w, "other", WL_SCRATCH, WL_I32, (size_t)s->cols);
    for (size_t i = 0; i < s->cost->count; i++)
        s->cost->i32[i] = (int32_t)rng_below(&rng, 10);
    for (size_t i = 0; i < s->wall->count; i++)
        s->wall->i32[i] = (int32_t)rng_below(&rng, 10);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    int steps = PYRAMID, border = PYRAMID;
    struct wl_array *from = s->cost, *to = s->other;
    for (int row = 0; row < s->rows; row += PYRAMID) {
        wl_launch(w, "pathfinder", WL_DIM(wl_blocks((size_t)s->cols, BLOCK - 2 * PYRAMID)),
                  WL_DIM(BLOCK), 0,
                  WL_ARGS(&steps, &s->wall->dev, &from->dev, &to->dev, &s->cols, &row, &border));
        struct wl_array *swap = from;
        from = to;
        to = swap;
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    int32_t *cost = s->cost->expect_i32, *last = wl_alloc(w, s->cost->count, sizeof *last);
    memcpy(cost, s->cost->initial, s->cost->count * sizeof *cost);
    for (int row = 0; row < s->rows; row++) {
        memcpy(last, cost, s->cost->count * sizeof *cost);
        for (int x = 0; x < s->cols; x++) {
            int32_t least = last[x];
            if (x > 0 && last[x - 1] < least)
                least = last[x - 1];
            if (x + 1 < s->cols && last[x + 1] < least)
                least = last[x + 1];
            cost[x] = least + s->wall->i32[(size_t)row * s->cols + x];
        }
    }
}

const struct workload workload_rodinia_pf = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "dynamic programming row by row, 20 rows a launch on overlapping stretches of 256 "
                 "columns in shared memory",
    .input = "costs 0 to 9, uniform, as in Rodinia",
    .imitates = "Rodinia's own",
    .tolerance = "bit-equal: integers",
};
