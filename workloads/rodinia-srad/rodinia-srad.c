/* rodinia-srad: removes speckle from an ultrasound-like image by anisotropic diffusion. */
#include "exact_math.h"
#include "gen.h"

#include <math.h>
#include <string.h>

enum { TILE = 16, REDUCE_BLOCK = 256 };

static const float lambda = 0.5f;

struct state {
    uint32_t rows, cols, rounds;
    struct wl_array *image, *value, *square, *sums, *squares;
    struct wl_array *north, *south, *west, *east, *coefficient;
};

/* A gray photograph with multiplicative noise of up to +-30 %, as e^(gray / 255). */
static void make_image(struct wl *w, struct state *s)
{
    struct rng rng = wl_rng(w, 0);
    size_t n = (size_t)s->rows * s->cols;
    uint8_t *gray = wl_alloc(w, n, 1);
    float table[256];

    for (int i = 0; i < 256; i++)
        table[i] = (float)exact_exp(i / 255.0);
    gen_photo(&rng, gray, s->cols, s->rows, 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t level = gray[i] * (717 + rng_below(&rng, 307) + rng_below(&rng, 307)) / 1024;
        s->image->f32[i] = table[level < 255 ? level : 255];
    }
}

static void make(struct wl *w, void *state)
{
    static const uint32_t sides[WL_SIZES] = {32, 208, 512, 1024, 1024};
    static const uint32_t rounds[WL_SIZES] = {2, 2, 5, 8, 2};
    struct state *s = state;
    s->rows = s->cols = sides[wl_size(w)];
    s->rounds = rounds[wl_size(w)];
    size_t n = (size_t)s->rows * s->cols;
    s->image = wl_array(w, "image", WL_INOUT, WL_F32, n);
    wl_picture(s->image, s->cols, s->rows, 1);
    wl_judge(s->image, "rmse");
    s->value = wl_array(w, "value", WL_SCRATCH, WL_F32, n);
    s->square = wl_array(w, "square", WL_SCRATCH, WL_F32, n);
    s->sums = wl_array(w, "sums", WL_SCRATCH, WL_F32, n / REDUCE_BLOCK);
    s->squares = wl_array(w, "squares", WL_SCRATCH, WL_F32, n / REDUCE_BLOCK);
    s->north = wl_array(w, "north", WL_SCRATCH, WL_F32, n);
    s->south = wl_array(w, "south", WL_SCRATCH, WL_F32, n);
    s->west = wl_array(w, "west", WL_SCRATCH, WL_F32, n);
    s->east = wl_array(w, "east", WL_SCRATCH, WL_F32, n);
    s->coefficient = wl_array(w, "coefficient", WL_OUTPUT, WL_F32, n);
    wl_judge(s->coefficient, "rmse");
    make_image(w, s);
}

/* The squared coefficient of variation of the whole image, from the blocks' sums. */
static float variation(const struct state *s, const float *sums, const float *squares)
{
    size_t n = (size_t)s->rows * s->cols;
    float sum = 0, square = 0;

    for (size_t i = 0; i < n / REDUCE_BLOCK; i++) {
        sum += sums[i];
        square += squares[i];
    }
    float mean = sum / (float)n, variance = square / (float)n - mean * mean;
    return variance / (mean * mean);
}

static float reduce(struct wl *w, struct state *s, float *sums, float *squares)
{
    size_t blocks = (size_t)s->rows * s->cols / REDUCE_BLOCK;
    struct wl_dim grid = WL_DIM((unsigned)blocks), block = WL_DIM(REDUCE_BLOCK);

    wl_launch(w, "srad_prepare", grid, block, 0,
              WL_ARGS(&s->image->dev, &s->value->dev, &s->square->dev));
    wl_launch(w, "srad_reduce", grid, block, 0,
              WL_ARGS(&s->value->dev, &s->square->dev, &s->sums->dev, &s->squares->dev));
    wl_read(w, s->sums->dev, sums, blocks * sizeof *sums);
    wl_read(w, s->squares->dev, squares, blocks * sizeof *squares);
    return variation(s, sums, squares);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    size_t blocks = (size_t)s->rows * s->cols / REDUCE_BLOCK;
    float *sums = wl_alloc(w, blocks, sizeof *sums);
    float *squares = wl_alloc(w, blocks, sizeof *squares), step = lambda;
    struct wl_dim grid = WL_DIM(s->cols / TILE, s->rows / TILE), block = WL_DIM(TILE, TILE);

    for (uint32_t round = 0; round < s->rounds; round++) {
        float q0 = reduce(w, s, sums, squares);
        wl_launch(w, "srad_coefficient", grid, block, 0,
                  WL_ARGS(&s->image->dev, &s->north->dev, &s->south->dev, &s->west->dev,
                          &s->east->dev, &s->coefficient->dev, &s->rows, &s->cols, &q0));
        wl_launch(w, "srad_step", grid, block, 0,
                  WL_ARGS(&s->image->dev, &s->north->dev, &s->south->dev, &s->west->dev,
                          &s->east->dev, &s->coefficient->dev, &s->rows, &s->cols, &step));
    }
}

/* One block's sum of values or squares, folded by halves as the kernel does. */
static float fold(const float *v, bool squared)
{
    float tree[REDUCE_BLOCK];

    for (int i = 0; i < REDUCE_BLOCK; i++)
        tree[i] = squared ? v[i] * v[i] : v[i];
    for (int half = REDUCE_BLOCK / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            tree[i] += tree[i + half];
    return tree[0];
}

/* The differences of pixel (x, y) to its neighbours: north, south, west, east. */
static void differences(const struct state *s, const float *image, uint32_t x, uint32_t y,
                        float d[4])
{
    size_t at = (size_t)y * s->cols + x;

    d[0] = image[y ? at - s->cols : at] - image[at];
    d[1] = image[y + 1 < s->rows ? at + s->cols : at] - image[at];
    d[2] = image[x ? at - 1 : at] - image[at];
    d[3] = image[x + 1 < s->cols ? at + 1 : at] - image[at];
}

static float coefficient_of(const float d[4], float centre, float q0)
{
    float squares = d[0] * d[0];

    for (int i = 1; i < 4; i++)
        squares = fmaf(d[i], d[i], squares);
    float gradient = squares / (centre * centre);
    float laplace = (d[0] + d[1] + d[2] + d[3]) / centre;
    float numerator = fmaf(-0.0625f, laplace * laplace, 0.5f * gradient);
    float denominator = fmaf(0.25f, laplace, 1.0f);
    float q = numerator / (denominator * denominator);
    float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    return c < 0 ? 0 : c > 1 ? 1 : c;
}

static void reference_round(struct state *s, const float *old, float q0)
{
    float *image = s->image->expect_f32, *c = s->coefficient->expect_f32, d[4];

    for (uint32_t y = 0; y < s->rows; y++)
        for (uint32_t x = 0; x < s->cols; x++) {
            differences(s, old, x, y, d);
            c[(size_t)y * s->cols + x] = coefficient_of(d, old[(size_t)y * s->cols + x], q0);
        }
    for (uint32_t y = 0; y < s->rows; y++)
        for (uint32_t x = 0; x < s->cols; x++) {
            size_t at = (size_t)y * s->cols + x;
            differences(s, old, x, y, d);
            float flow = c[at] * d[0];
            flow = fmaf(c[y + 1 < s->rows ? at + s->cols : at], d[1], flow);
            flow = fmaf(c[at], d[2], flow);
            flow = fmaf(c[x + 1 < s->cols ? at + 1 : at], d[3], flow);
            image[at] = fmaf(0.25f * lambda, flow, old[at]);
        }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    size_t n = (size_t)s->rows * s->cols, blocks = n / REDUCE_BLOCK;
    float *old = wl_alloc(w, n, sizeof *old);
    float *sums = wl_alloc(w, blocks, sizeof *sums), *squares = wl_alloc(w, blocks, sizeof *sums);

    memcpy(s->image->expect, s->image->initial, n * sizeof *old);
    for (uint32_t round = 0; round < s->rounds; round++) {
        memcpy(old, s->image->expect, n * sizeof *old);
        for (size_t b = 0; b < blocks; b++) {
            sums[b] = fold(old + b * REDUCE_BLOCK, false);
            squares[b] = fold(old + b * REDUCE_BLOCK, true);
        }
        reference_round(s, old, variation(s, sums, squares));
    }
}

const struct workload workload_rodinia_srad = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "per round a tree reduction for the image's statistics, a kernel for the diffusion "
        "coefficient and one for the step, on 16x16 tiles in shared memory",
    .input = "e^(gray/255) of a gray photograph with multiplicative noise of up to 30 %",
    .imitates = "an ultrasound image with speckle, as Rodinia's image.pgm; srad_v2 "
                "there draws uniform numbers",
    .tolerance = "bit-equal: IEEE division, and the order of additions is fixed",
    .idle = "each round ends with reductions of ever fewer blocks",
};
