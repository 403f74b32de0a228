/* rodinia-gsn: Gaussian elimination of a system of linear equations. */
#include "exact_math.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { COLUMN_BLOCK = 512, BLOCK = 4 };

struct state {
    int size;
    struct wl_array *a, *b, *multipliers;
};

/* A symmetric Toeplitz matrix whose entries fall exponentially away from the diagonal, and a
 * right side around 1. */
static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES] = {28, 88, 224, 416, 256};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    int n = s->size = sizes[wl_size(w)];
    size_t elements = (size_t)n * (size_t)n;
    s->a = wl_array(w, "a", WL_INOUT, WL_F32, elements);
    s->b = wl_array(w, "b", WL_INOUT, WL_F32, (size_t)n);
    s->multipliers = wl_array(w, "multipliers", WL_OUTPUT, WL_F32, elements);
    double fall = (8 + (double)rng_below(&rng, 5)) / 1000;
    for (int i = 0; i < n; i++) {
        s->b->f32[i] = 0.75f + (float)rng_below(&rng, 512) / 1024;
        for (int j = 0; j < n; j++)
            s->a->f32[i * n + j] = (float)(10 * exact_exp(-fall * (i < j ? j - i : i - j)));
    }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    unsigned blocks = wl_blocks((size_t)s->size, BLOCK);
    for (int step = 0; step < s->size - 1; step++) {
        wl_launch(w, "gaussian_multipliers", WL_DIM(wl_blocks((size_t)s->size, COLUMN_BLOCK)),
                  WL_DIM(COLUMN_BLOCK), 0,
                  WL_ARGS(&s->multipliers->dev, &s->a->dev, &s->size, &step));
        wl_launch(w, "gaussian_update", WL_DIM(blocks, blocks), WL_DIM(BLOCK, BLOCK), 0,
                  WL_ARGS(&s->multipliers->dev, &s->a->dev, &s->b->dev, &s->size, &step));
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    float *a = s->a->expect_f32, *b = s->b->expect_f32;
    int n = s->size;
    (void)w;
    memcpy(a, s->a->initial, s->a->count * sizeof *a);
    memcpy(b, s->b->initial, s->b->count * sizeof *b);
    for (int step = 0; step < n - 1; step++)
        for (int row = step + 1; row < n; row++) {
            float multiplier = a[row * n + step] / a[step * n + step];
            s->multipliers->expect_f32[row * n + step] = multiplier;
            for (int column = step; column < n; column++)
                a[row * n + column] = fmaf(-multiplier, a[step * n + column], a[row * n + column]);
            b[row] = fmaf(-multiplier, b[step], b[row]);
        }
}

const struct workload workload_rodinia_gsn = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "two launches a column: multipliers down the column, a word a line; then the rest "
                 "of the matrix in 4x4 blocks whose neighbouring threads are a row apart",
    .input = "a symmetric matrix that falls exponentially from 10 on the diagonal; right side "
             "around 1",
    .imitates = "the output of Rodinia's matrix generator",
    .tolerance = "bit-equal: IEEE division and fused multiply-adds in a fixed order",
    .idle = "half of the launches, the multipliers of a column, have one block",
};
