/* mars-mm: product of two square matrices as a map. */
#include "gen.h"
#include "mapreduce.h"

#include <math.h>

struct state {
    uint32_t side;
    struct wl_array *a, *b;
    struct mr mr;
    struct mr_pairs out;
};

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr a, b;
    uint32_t side;
};

static void make(struct wl *w, void *state)
{
    static const uint32_t sides[WL_SIZES] = {32, 112, 288, 576};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->side = sides[wl_size(w)];
    size_t n = (size_t)s->side * s->side;
    s->a = wl_array(w, "a", WL_INPUT, WL_F32, n);
    s->b = wl_array(w, "b", WL_INPUT, WL_F32, n);
    s->mr = mr_declare(w, n);
    s->out =
        mr_pairs_declare(w, "out", WL_OUTPUT, (struct mr_room){n, 8 * n, 4 * n, WL_U32, WL_F32});
    for (size_t i = 0; i < n; i++) {
        s->a->f32[i] = (float)rng_below(&rng, 100);
        s->b->f32[i] = (float)rng_below(&rng, 100);
    }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->a->dev, s->b->dev, s->side};

    mr_map(w, &s->mr, &job, s->side * s->side, &s->out);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (uint32_t row = 0; row < s->side; row++)
        for (uint32_t column = 0; column < s->side; column++) {
            uint32_t at = row * s->side + column;
            float sum = 0;
            for (uint32_t k = 0; k < s->side; k++)
                sum = fmaf(s->a->f32[row * s->side + k], s->b->f32[k * s->side + column], sum);
            s->out.keys->expect_u32[2 * at] = row;
            s->out.keys->expect_u32[2 * at + 1] = column;
            s->out.values->expect_f32[at] = sum;
            ((struct mr_pair *)s->out.index->expect)[at] = (struct mr_pair){8 * at, 8, 4 * at, 4};
        }
}

const struct workload workload_mars_mm = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "a map without reduce: one record an element of the product, rows and columns read "
        "straight from global memory; pairs placed by prefix sums",
    .input = "whole numbers 0 to 99 as floats, uniform",
    .tolerance = "bit-equal: whole numbers, and the order of additions is fixed",
};
