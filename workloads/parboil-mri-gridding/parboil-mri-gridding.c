/* parboil-mri-gridding: MRI samples of a non-Cartesian trajectory spread on a regular grid. */
#include "gen.h"
#include "workload.h"

#include <math.h>

enum { BLOCK = 128, ELEMENTS = 256, DIGITS = 16, REACH = 2, LEVELS = 3 };

struct sample {
    float real, imaginary, x, y, z, density;
};

struct shape {
    int nx, ny, nz;
    float beta;
};

struct state {
    struct shape shape;
    unsigned samples_count, cells;
    struct wl_array *samples, *keys, *indices, *keys_out, *indices_out, *histogram, *counts;
    struct wl_array *sums[LEVELS]; /* of scans: those of blocks, of blocks of blocks, of all */
    struct wl_array *values, *places, *grid, *density;
};

/* Spokes of 64 samples through the centre of k-space, which is the centre of the grid; the signal
 * falls from there, the density compensation rises. */
static void make_samples(struct wl *w, struct state *s)
{
    struct rng rng = wl_rng(w, 0);
    const int size[3] = {s->shape.nx, s->shape.ny, s->shape.nz};
    double direction[3] = {1, 0, 0};
    for (unsigned i = 0; i < s->samples_count; i++) {
        if (i % 64 == 0) {
            double length = 0;
            for (int k = 0; k < 3; k++) {
                direction[k] = gen_normal(&rng);
                length += direction[k] * direction[k];
            }
            for (int k = 0; k < 3; k++)
                direction[k] /= sqrt(length + 0.01);
        }
        double r = ((double)(i % 64) - 31.5) / 32, at[3];
        for (int k = 0; k < 3; k++)
            at[k] = size[k] * (0.5 + 0.499 * (r * direction[k] + 0.02 * (rng_unit(&rng) - 0.5)));
        float *v = s->samples->f32 + 6 * (size_t)i;
        v[0] = (float)(gen_normal(&rng) / (1 + 64 * r * r));
        v[1] = (float)(gen_normal(&rng) / (1 + 64 * r * r));
        for (int k = 0; k < 3; k++)
            v[2 + k] = (float)(at[k] < 0 ? 0 : at[k] < size[k] - 1 ? at[k] : size[k] - 1);
        v[5] = (float)((0.01 + r * r) * 1e-6);
    }
}

static void make_scratch(struct wl *w, struct state *s)
{
    size_t n = s->samples_count, blocks = wl_blocks(n, ELEMENTS) * DIGITS, largest = s->cells + 1;
    s->keys = wl_array(w, "keys", WL_SCRATCH, WL_U32, n);
    s->indices = wl_array(w, "indices", WL_SCRATCH, WL_U32, n);
    s->keys_out = wl_array(w, "keys_out", WL_SCRATCH, WL_U32, n);
    s->indices_out = wl_array(w, "indices_out", WL_SCRATCH, WL_U32, n);
    s->histogram = wl_array(w, "histogram", WL_SCRATCH, WL_U32, blocks);
    s->counts = wl_array(w, "counts", WL_SCRATCH, WL_U32, largest);
    static const char *const names[LEVELS] = {"sums", "sums_of_sums", "sum"};
    largest = blocks > largest ? blocks : largest;
    for (int i = 0; i < LEVELS; i++) {
        largest = wl_blocks(largest, ELEMENTS);
        s->sums[i] = wl_array(w, names[i], WL_SCRATCH, WL_U32, largest);
    }
    s->values = wl_array(w, "values", WL_SCRATCH, WL_F32, 2 * n);
    s->places = wl_array(w, "places", WL_SCRATCH, WL_F32, 4 * n);
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int grid[3];
        unsigned samples;
    } sizes[WL_SIZES] = {{{8, 8, 8}, 60},
                         {{24, 16, 16}, 2000},
                         {{64, 32, 32}, 12000},
                         {{64, 64, 64}, 30000},
                         {{64, 32, 32}, 12000}};
    struct state *s = state;
    const int *n = sizes[wl_size(w)].grid;
    const double width = 2 * REACH, oversampling = 2;
    double a = width / oversampling * (oversampling - 0.5);
    s->shape = (struct shape){n[0], n[1], n[2], (float)(3.14159265359 * sqrt(4 * a * a - 0.8))};
    s->samples_count = sizes[wl_size(w)].samples;
    s->cells = (unsigned)(n[0] * n[1] * n[2]);
    s->samples = wl_array(w, "samples", WL_INPUT, WL_F32, 6 * (size_t)s->samples_count);
    make_scratch(w, s);
    s->grid = wl_array(w, "grid", WL_OUTPUT, WL_F32, 2 * (size_t)s->cells);
    s->density = wl_array(w, "density", WL_OUTPUT, WL_F32, s->cells);
    make_samples(w, s);
}

/* An exclusive scan of up to 256^3 elements: of blocks, then of their sums, which are added. */
static void scan(struct wl *w, struct state *s, CUdeviceptr data, unsigned n)
{
    CUdeviceptr at[LEVELS] = {data};
    unsigned count[LEVELS] = {n};
    int top = 0;
    for (;; top++) {
        unsigned blocks = wl_blocks(count[top], ELEMENTS);
        wl_launch(w, "grid_scan", WL_DIM(blocks), WL_DIM(BLOCK), 0,
                  WL_ARGS(&count[top], &at[top], &s->sums[top]->dev));
        if (blocks == 1 || top == LEVELS - 1)
            break;
        at[top + 1] = s->sums[top]->dev;
        count[top + 1] = blocks;
    }
    for (int i = top - 1; i >= 0; i--)
        wl_launch(w, "grid_scan_add", WL_DIM(wl_blocks(count[i], ELEMENTS)), WL_DIM(BLOCK), 0,
                  WL_ARGS(&count[i], &at[i], &s->sums[i]->dev));
}

static void sort(struct wl *w, struct state *s)
{
    unsigned blocks = wl_blocks(s->samples_count, ELEMENTS);
    for (unsigned shift = 0; s->cells >> shift; shift += 4) {
        wl_launch(w, "grid_sort", WL_DIM(blocks), WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->samples_count, &shift, &s->keys->dev, &s->indices->dev,
                          &s->histogram->dev));
        scan(w, s, s->histogram->dev, blocks * DIGITS);
        wl_launch(w, "grid_scatter", WL_DIM(blocks), WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->samples_count, &shift, &s->keys->dev, &s->indices->dev,
                          &s->keys_out->dev, &s->indices_out->dev, &s->histogram->dev));
        struct wl_array *keys = s->keys, *indices = s->indices;
        s->keys = s->keys_out;
        s->indices = s->indices_out;
        s->keys_out = keys;
        s->indices_out = indices;
    }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    const struct shape *g = &s->shape;
    struct wl_dim blocks = WL_DIM(wl_blocks(s->samples_count, BLOCK)), block = WL_DIM(BLOCK);
    wl_launch(w, "grid_bin", blocks, block, 0,
              WL_ARGS(&s->samples_count, &s->samples->dev, &s->keys->dev, &s->indices->dev,
                      &s->counts->dev, &s->shape));
    sort(w, s);
    wl_launch(w, "grid_reorder", blocks, block, 0,
              WL_ARGS(&s->samples_count, &s->indices->dev, &s->samples->dev, &s->values->dev,
                      &s->places->dev));
    scan(w, s, s->counts->dev, s->cells + 1);
    wl_launch(w, "grid_gather", WL_DIM((unsigned)g->nx / 8, (unsigned)(g->ny * g->nz) / 32),
              WL_DIM(8, 4, 2), 0,
              WL_ARGS(&s->values->dev, &s->places->dev, &s->counts->dev, &s->grid->dev,
                      &s->density->dev, &s->shape));
}

static unsigned cell_of(const struct shape *g, const float *sample)
{
    return ((unsigned)sample[4] * (unsigned)g->ny + (unsigned)sample[3]) * (unsigned)g->nx +
           (unsigned)sample[2];
}

/* Samples in the order of their cells, equal ones as they come. */
static unsigned *sorted_samples(struct wl *w, const struct state *s)
{
    unsigned *place = wl_alloc(w, s->cells + 1, sizeof *place);
    unsigned *order = wl_alloc(w, s->samples_count, sizeof *order);
    for (unsigned i = 0; i < s->samples_count; i++)
        place[cell_of(&s->shape, s->samples->f32 + 6 * (size_t)i) + 1]++;
    for (unsigned i = 1; i <= s->cells; i++)
        place[i] += place[i - 1];
    for (unsigned i = 0; i < s->samples_count; i++)
        order[place[cell_of(&s->shape, s->samples->f32 + 6 * (size_t)i)]++] = i;
    return order;
}

/* The kernel's polynomials; their ratio is divided exactly. */
static float bessel(float v)
{
    static const float above[15] = {
        0.210580722890567e-22f, 0.380715242345326e-19f, 0.479440257548300e-16f,
        0.435125971262668e-13f, 0.300931127112960e-10f, 0.160224679395361e-7f,
        0.654858370096785e-5f,  0.202591084143397e-2f,  0.463076284721000e0f,
        0.754337328948189e2f,   0.830792541809429e4f,   0.571661130563785e6f,
        0.216415572361227e8f,   0.356644482244025e9f,   0.144048298227235e10f};
    float z = v * v, sum = above[0];
    for (int i = 1; i < 15; i++)
        sum = fmaf(z, sum, above[i]);
    float below = fmaf(z, z - 0.307646912682801e4f, 0.347626332405882e7f);
    return -sum / fmaf(z, below, -0.144048298227235e10f);
}

/* Spreads a sample over the points that its window reaches. */
static void spread(struct state *s, const float *sample)
{
    const struct shape *g = &s->shape;
    const int size[3] = {g->nx, g->ny, g->nz};
    int low[3], high[3];
    for (int k = 0; k < 3; k++) {
        int cell = (int)sample[2 + k];
        low[k] = cell - REACH < 0 ? 0 : cell - REACH;
        high[k] = cell + REACH + 1 < size[k] ? cell + REACH + 1 : size[k] - 1;
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                float dx = sample[2] - (float)x, dy = sample[3] - (float)y;
                float dz = sample[4] - (float)z, v = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
                if (v >= REACH * REACH)
                    continue;
                float inside = (float)(1.0 - (double)(v * (1.0f / (REACH * REACH))));
                float weight = bessel(g->beta * sqrtf(inside)) * sample[5];
                size_t at = ((size_t)z * (size_t)g->ny + (size_t)y) * (size_t)g->nx + (size_t)x;
                float *out = s->grid->expect_f32 + 2 * at;
                out[0] = fmaf(weight, sample[0], out[0]);
                out[1] = fmaf(weight, sample[1], out[1]);
                s->density->expect_f32[at] += 1;
            }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    const unsigned *order = sorted_samples(w, s);
    for (unsigned i = 0; i < s->samples_count; i++) {
        const float *sample = s->samples->f32 + 6 * (size_t)order[i];
        if ((sample[0] != 0 || sample[1] != 0) && sample[5] != 0)
            spread(s, sample);
    }
}

const struct workload workload_parboil_mri_gridding = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .abs_tol = 1e-4,
    .rel_tol = 1e-5,
    .algorithm =
        "samples counted by cell, radix sort of four bits a pass with scans in shared memory, "
        "scan of the counts; then blocks of 8x4x8 grid points gather the samples around, "
        "weighted by a Kaiser-Bessel window; no limit of samples a cell",
    .input = "spokes through k-space: dense in the centre, where the signal is strong",
    .imitates = "a scanner's samples along trajectories, dense in the centre",
    .tolerance =
        "within 0.0001 + 0.00001 of the value, where values reach 2: the window's division "
        "is approximate",
    .idle = "the blocks around the centre of k-space have most of the samples",
};
