/* rodinia-srad1: removes speckle from an ultrasound-like image, Rodinia's srad_v1. */
#include "gen.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 512 };

struct size {
    int rows, cols, pixels;
};

struct state {
    struct size size;
    int rounds;
    struct wl_array *image, *north_of, *south_of, *west_of, *east_of, *sums, *squares;
    struct wl_array *north, *south, *west, *east, *coefficient;
};

static const float lambda = 0.5f;

/* The neighbours' indices: before (-1) or after (+1), at the border the pixel itself. */
static struct wl_array *neighbours(struct wl *w, const char *name, int n, int step)
{
    struct wl_array *a = wl_array(w, name, WL_INPUT, WL_I32, (size_t)n);
    for (int i = 0; i < n; i++)
        a->i32[i] = i + step < 0 || i + step >= n ? i : i + step;
    return a;
}

/* Gray levels of a photograph with multiplicative noise of up to +-30 %, by columns. */
static void fill_image(struct wl *w, const struct state *s)
{
    struct rng rng = wl_rng(w, 0);
    uint8_t *gray = wl_alloc(w, (size_t)s->size.pixels, 1);
    gen_photo(&rng, gray, (unsigned)s->size.cols, (unsigned)s->size.rows, 1);
    for (int i = 0; i < s->size.pixels; i++) {
        int row = i % s->size.rows, col = i / s->size.rows;
        uint32_t level = gray[row * s->size.cols + col];
        level = level * (717 + rng_below(&rng, 307) + rng_below(&rng, 307)) / 1024;
        s->image->f32[i] = (float)(level < 255 ? level : 255);
    }
}

static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES][3] = {
        {40, 25, 2}, {120, 100, 8}, {458, 502, 6}, {916, 1004, 4}, {458, 502, 6}};
    struct state *s = state;
    int rows = sizes[wl_size(w)][0], cols = sizes[wl_size(w)][1];
    s->size = (struct size){rows, cols, rows * cols};
    s->rounds = sizes[wl_size(w)][2];
    size_t n = (size_t)s->size.pixels;
    s->image = wl_array(w, "image", WL_INOUT, WL_F32, n);
    wl_picture(s->image, (size_t)rows, (size_t)cols, 1); /* columns are rows here */
    wl_judge(s->image, "rmse");
    s->north_of = neighbours(w, "north_of", rows, -1);
    s->south_of = neighbours(w, "south_of", rows, 1);
    s->west_of = neighbours(w, "west_of", cols, -1);
    s->east_of = neighbours(w, "east_of", cols, 1);
    s->sums = wl_array(w, "sums", WL_SCRATCH, WL_F32, n);
    s->squares = wl_array(w, "squares", WL_SCRATCH, WL_F32, n);
    s->north = wl_array(w, "north", WL_SCRATCH, WL_F32, n);
    s->south = wl_array(w, "south", WL_SCRATCH, WL_F32, n);
    s->west = wl_array(w, "west", WL_SCRATCH, WL_F32, n);
    s->east = wl_array(w, "east", WL_SCRATCH, WL_F32, n);
    s->coefficient = wl_array(w, "coefficient", WL_SCRATCH, WL_F32, n);
    fill_image(w, s);
}

/* The squared coefficient of variation. */
static float variation(float sum, float square, int n)
{
    float mean = sum / (float)n, mean2 = mean * mean, variance = square / (float)n - mean2;
    return variance / mean2;
}

static float reduce(struct wl *w, struct state *s)
{
    struct wl_dim block = WL_DIM(BLOCK);
    int n = s->size.pixels, stride = 1;
    wl_launch(w, "srad1_prepare", WL_DIM(wl_blocks((size_t)n, BLOCK)), block, 0,
              WL_ARGS(&n, &s->image->dev, &s->sums->dev, &s->squares->dev));
    while (n > 1) {
        unsigned blocks = wl_blocks((size_t)n, BLOCK);
        wl_launch(w, "srad1_reduce", WL_DIM(blocks), block, 0,
                  WL_ARGS(&n, &stride, &s->sums->dev, &s->squares->dev));
        n = (int)blocks;
        stride *= BLOCK;
    }
    float sum, square;
    wl_read(w, s->sums->dev, &sum, sizeof sum);
    wl_read(w, s->squares->dev, &square, sizeof square);
    return variation(sum, square, s->size.pixels);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct wl_dim grid = WL_DIM(wl_blocks((size_t)s->size.pixels, BLOCK)), block = WL_DIM(BLOCK);
    float step = lambda;
    wl_launch(w, "srad1_extract", grid, block, 0, WL_ARGS(&s->size.pixels, &s->image->dev));
    for (int round = 0; round < s->rounds; round++) {
        float q0 = reduce(w, s);
        wl_launch(w, "srad1_coefficient", grid, block, 0,
                  WL_ARGS(&s->size, &s->north_of->dev, &s->south_of->dev, &s->west_of->dev,
                          &s->east_of->dev, &s->image->dev, &s->north->dev, &s->south->dev,
                          &s->west->dev, &s->east->dev, &s->coefficient->dev, &q0));
        wl_launch(w, "srad1_step", grid, block, 0,
                  WL_ARGS(&s->size, &s->south_of->dev, &s->east_of->dev, &s->north->dev,
                          &s->south->dev, &s->west->dev, &s->east->dev, &s->coefficient->dev,
                          &s->image->dev, &step));
    }
    wl_launch(w, "srad1_compress", grid, block, 0, WL_ARGS(&s->size.pixels, &s->image->dev));
}

/* The sum of n values as the kernel adds them: blocks of 512, each a tree and a rest. */
static float block_sums(float *v, int n)
{
    while (n > 1) {
        int out = 0;
        for (int first = 0; first < n; first += BLOCK, out++) {
            int here = n - first < BLOCK ? n - first : BLOCK, tree = 1;
            while (tree * 2 <= here)
                tree *= 2;
            for (int step = 2; step <= tree; step *= 2)
                for (int t = step - 1; t < tree; t += step)
                    v[first + t] += v[first + t - step / 2];
            float sum = v[first + tree - 1];
            for (int i = tree; i < here; i++)
                sum += v[first + i];
            v[out] = sum;
        }
        n = out;
    }
    return v[0];
}

/* The differences of pixel i to its neighbours: north, south, west, east; and where south and east
 * are. */
struct around {
    float d[4];
    int south, east;
};

static struct around look_around(const struct state *s, const float *image, int i)
{
    int rows = s->size.rows, row = i % rows, col = i / rows;
    int north = row ? i - 1 : i, west = col ? i - rows : i;
    struct around a = {.south = row + 1 < rows ? i + 1 : i,
                       .east = col + 1 < s->size.cols ? i + rows : i};
    a.d[0] = image[north] - image[i];
    a.d[1] = image[a.south] - image[i];
    a.d[2] = image[west] - image[i];
    a.d[3] = image[a.east] - image[i];
    return a;
}

static float coefficient_of(const float d[4], float centre, float q0)
{
    float squares = d[0] * d[0];
    for (int i = 1; i < 4; i++)
        squares = fmaf(d[i], d[i], squares);
    float gradient = squares / (centre * centre);
    float laplace = (d[0] + d[1] + d[2] + d[3]) / centre;
    float numerator = (float)(0.5 * (double)gradient - 1.0 / 16.0 * (double)(laplace * laplace));
    float denominator = (float)(1.0 + 0.25 * (double)laplace);
    float q = numerator / (denominator * denominator);
    denominator = (q - q0) / (q0 * (1.0f + q0));
    float c = (float)(1.0 / (1.0 + (double)denominator));
    return c < 0 ? 0 : c > 1 ? 1 : c;
}

static void reference_round(struct wl *w, const struct state *s, float *image, float *old, float *c)
{
    int n = s->size.pixels;
    float *squares = wl_alloc(w, (size_t)n, sizeof *squares);
    memcpy(old, image, (size_t)n * sizeof *old);
    for (int i = 0; i < n; i++) {
        c[i] = old[i];
        squares[i] = old[i] * old[i];
    }
    float q0 = variation(block_sums(c, n), block_sums(squares, n), n);
    for (int i = 0; i < n; i++) {
        struct around a = look_around(s, old, i);
        c[i] = coefficient_of(a.d, old[i], q0);
    }
    for (int i = 0; i < n; i++) {
        struct around a = look_around(s, old, i);
        float flow = c[i] * a.d[0];
        flow = fmaf(c[a.south], a.d[1], flow);
        flow = fmaf(c[i], a.d[2], flow);
        flow = fmaf(c[a.east], a.d[3], flow);
        image[i] = (float)((double)old[i] + 0.25 * (double)lambda * (double)flow);
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    size_t n = (size_t)s->size.pixels;
    const float *gray = s->image->initial;
    float *image = s->image->expect_f32, *old = wl_alloc(w, n, sizeof *old),
          *c = wl_alloc(w, n, sizeof *c);
    for (size_t i = 0; i < n; i++)
        image[i] = expf(gray[i] / 255.0f);
    for (int round = 0; round < s->rounds; round++)
        reference_round(w, s, image, old, c);
    for (size_t i = 0; i < n; i++)
        image[i] = logf(image[i]) * 255.0f;
}

const struct workload workload_rodinia_srad1 = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .abs_tol = 0.01,
    .algorithm = "exponential, per round a reduction in strided passes, a kernel for the diffusion "
                 "coefficient and one for the step, logarithm; 512 threads on a line of pixels, "
                 "neighbours through tables of indices, partly double precision",
    .input = "gray levels of a photograph with multiplicative noise of up to 30 %",
    .imitates = "an ultrasound image with speckle, as Rodinia's image.pgm (458x502 "
                "pixels, as at medium)",
    .idle =
        "each reduction ends with one block, in which one thread adds what the tree leaves over",
    .tolerance = "within 0.01 of 255 levels: exponential and logarithm are approximate",
};
