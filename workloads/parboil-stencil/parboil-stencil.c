/* parboil-stencil: Jacobi steps of the 7-point stencil for heat on a 3-D grid. */
#include "gen.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { TX = 32, TY = 4, STEPS = 2 }; /* an even number of steps ends where it began */

struct grid {
    int nx, ny, nz;
    float c0, c1;
};

struct state {
    struct grid grid;
    struct wl_array *heat, *other;
};

/* Two smooth maps as top and bottom plane, a mixture of both between them. */
static void fill(struct wl *w, const struct grid *g, float *out)
{
    struct rng rng = wl_rng(w, 0);
    size_t plane = (size_t)g->nx * g->ny;
    int32_t *top = wl_alloc(w, plane, sizeof *top), *bottom = wl_alloc(w, plane, sizeof *bottom);
    gen_fractal(&rng, top, (unsigned)g->nx, (unsigned)g->ny, 64, 30000);
    gen_fractal(&rng, bottom, (unsigned)g->nx, (unsigned)g->ny, 64, 30000);
    for (int z = 0; z < g->nz; z++)
        for (size_t i = 0; i < plane; i++) {
            int64_t mix =
                ((int64_t)top[i] * (g->nz - 1 - z) + (int64_t)bottom[i] * z) / (g->nz - 1);
            out[(size_t)z * plane + i] = (float)(mix + 131072) / 262144.0f;
        }
}

static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES][3] = {
        {64, 16, 10}, {128, 64, 34}, {512, 256, 34}, {512, 512, 64}, {512, 256, 34}};
    struct state *s = state;
    const int *n = sizes[wl_size(w)];
    s->grid = (struct grid){n[0], n[1], n[2], 1.0f / 6.0f, 1.0f / 6.0f / 6.0f};
    size_t cells = (size_t)n[0] * n[1] * n[2];
    s->heat = wl_array(w, "heat", WL_INOUT, WL_F32, cells);
    wl_judge(s->heat, "rmse");
    s->other = wl_array(w, "other", WL_INPUT, WL_F32, cells); /* its borders are never written */
    fill(w, &s->grid, s->heat->f32);
    memcpy(s->other->f32, s->heat->f32, cells * sizeof(float));
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct wl_dim grid =
        WL_DIM(wl_blocks((size_t)s->grid.nx, 2 * TX), wl_blocks((size_t)s->grid.ny, TY));
    for (int i = 0; i < STEPS; i++)
        wl_launch(w, "stencil", grid, WL_DIM(TX, TY), 0,
                  WL_ARGS(i % 2 ? &s->other->dev : &s->heat->dev,
                          i % 2 ? &s->heat->dev : &s->other->dev, &s->grid));
}

static void step(const struct grid *g, const float *a, float *out)
{
    size_t row = (size_t)g->nx, plane = row * (size_t)g->ny;
    for (int z = 1; z < g->nz - 1; z++)
        for (int y = 1; y < g->ny - 1; y++)
            for (int x = 1; x < g->nx - 1; x++) {
                size_t at = (size_t)z * plane + (size_t)y * row + (size_t)x;
                float sum = a[at + plane] + a[at - plane];
                sum = sum + a[at + row] + a[at - row] + a[at + 1] + a[at - 1];
                out[at] = fmaf(sum, g->c1, -(a[at] * g->c0));
            }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    size_t bytes = s->heat->count * sizeof(float);
    float *a = s->heat->expect_f32, *b = wl_alloc(w, bytes, 1);
    memcpy(a, s->heat->initial, bytes);
    memcpy(b, a, bytes);
    for (int i = 0; i < STEPS; i += 2) {
        step(&s->grid, a, b);
        step(&s->grid, b, a);
    }
}

const struct workload workload_parboil_stencil = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "7-point Jacobi steps, 32x4 threads on 64x4 columns that march through the planes, "
        "one plane in shared memory and two in registers",
    .input = "a smooth map of temperatures as top, another as bottom, mixtures between",
    .imitates = "a temperature in a block; Parboil reads numbers from a file",
    .tolerance = "bit-equal: sums in a fixed order, one fused multiply-add",
};
