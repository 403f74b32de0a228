/* mars-mm: product of a matrix and a turned one as a map. */
#include "gen.h"
#include "mapreduce.h"

#include <math.h>

struct state {
    uint32_t rows, columns;
    struct wl_array *data; /* both matrices, the second turned */
    struct mr mr;
    struct mr_pairs in, out;
};

/* As the device code's. */
struct job {
    CUdeviceptr pairs, keys, values, data;
};

struct factors {
    uint64_t a, b;
};

struct element {
    uint32_t row, column, rows, columns;
};

/* One record for each element of the product. */
static void make_records(struct state *s)
{
    struct factors *key = s->in.keys->data;
    struct element *value = s->in.values->data;

    mr_fill_index(&s->in, s->rows * s->rows, sizeof *key, sizeof *value);
    for (uint32_t row = 0; row < s->rows; row++)
        for (uint32_t column = 0; column < s->rows; column++) {
            *key++ = (struct factors){0, (uint64_t)s->rows * s->columns};
            *value++ = (struct element){row, column, s->rows, s->columns};
        }
}

static void make(struct wl *w, void *state)
{
    static const uint32_t rows[WL_SIZES] = {32, 112, 120, 256, 120};
    static const uint32_t columns[WL_SIZES] = {32, 112, 1024, 1024, 1024};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->rows = rows[wl_size(w)];
    s->columns = columns[wl_size(w)];
    size_t n = (size_t)s->rows * s->rows;
    s->data = wl_array(w, "matrices", WL_INPUT, WL_F32, 2 * (size_t)s->rows * s->columns);
    s->in = mr_pairs_declare(w, "in", WL_INPUT,
                             (struct mr_room){n, n * sizeof(struct factors),
                                              n * sizeof(struct element), WL_U32, WL_U32});
    s->mr = mr_declare(w, n);
    s->out =
        mr_pairs_declare(w, "out", WL_OUTPUT, (struct mr_room){n, 8 * n, 4 * n, WL_U32, WL_F32});
    for (size_t i = 0; i < s->data->count; i++)
        s->data->f32[i] = (float)rng_below(&rng, 100);
    make_records(s);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->in.index->dev, s->in.keys->dev, s->in.values->dev, s->data->dev};

    mr_map(w, &s->mr, &job, s->in.count, &s->out);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    const float *a = s->data->f32, *b = a + (size_t)s->rows * s->columns;
    (void)w;
    for (uint32_t row = 0; row < s->rows; row++)
        for (uint32_t column = 0; column < s->rows; column++) {
            uint32_t at = row * s->rows + column;
            float sum = 0;
            for (uint32_t k = 0; k < s->columns; k++)
                sum = fmaf(a[row * s->columns + k], b[column * s->columns + k], sum);
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
    .algorithm = "a map without reduce: one record an element of the product; the second matrix is "
                 "turned, so lanes read rows far apart; pairs placed by prefix sums",
    .input = "whole numbers 0 to 99 as floats, uniform",
    .imitates = "Mars's own: uniform numbers",
    .tolerance = "bit-equal: whole numbers, and the order of additions is fixed",
};
