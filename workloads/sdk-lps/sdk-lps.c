/* sdk-lps: Jacobi iteration of the Laplace equation in a box. */
#include "gen.h"
#include "workload.h"

#include <string.h>

struct state {
    int nx, ny, nz, steps;
    struct wl_array *u1, *u2;
};

/* The box's potential: each face is held at a voltage of its own, with a few square electrodes of
 * other voltages on it; inside nothing is known yet. */
static float voltage(struct rng *rng)
{
    return (float)((int)rng_below(rng, 25) - 12) * 0.5f;
}

struct electrode {
    int face, a, b, size;
    float value;
};

enum { ELECTRODES = 24 };

static float face_value(const struct electrode *e, const float *faces, int face, int a, int b)
{
    float v = faces[face];
    for (int i = 0; i < ELECTRODES; i++)
        if (e[i].face == face && a >= e[i].a && a < e[i].a + e[i].size && b >= e[i].b &&
            b < e[i].b + e[i].size)
            v = e[i].value;
    return v;
}

static void fill(struct state *s, struct rng *rng)
{
    struct electrode e[ELECTRODES];
    float faces[6];
    for (int i = 0; i < 6; i++)
        faces[i] = voltage(rng);
    for (int i = 0; i < ELECTRODES; i++)
        e[i] = (struct electrode){(int)rng_below(rng, 6), (int)rng_below(rng, (uint32_t)s->nx),
                                  (int)rng_below(rng, (uint32_t)s->nz), s->nx / 5, voltage(rng)};
    float *u = s->u1->f32;
    for (int k = 0; k < s->nz; k++)
        for (int j = 0; j < s->ny; j++)
            for (int i = 0; i < s->nx; i++, u++) {
                if (k == 0 || k == s->nz - 1)
                    *u = face_value(e, faces, k ? 1 : 0, i, j);
                else if (j == 0 || j == s->ny - 1)
                    *u = face_value(e, faces, j ? 3 : 2, i, k);
                else if (i == 0 || i == s->nx - 1)
                    *u = face_value(e, faces, i ? 5 : 4, j, k);
            }
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int n, nz, steps;
    } sizes[WL_SIZES] = {{20, 10, 2}, {52, 26, 4}, {256, 40, 2}, {256, 128, 6}, {256, 40, 2}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->nx = sizes[wl_size(w)].n;
    s->ny = s->nx;
    s->nz = sizes[wl_size(w)].nz;
    s->steps = sizes[wl_size(w)].steps;
    size_t n = (size_t)s->nx * s->ny * s->nz;
    s->u1 = wl_array(w, "u", WL_INOUT, WL_F32, n); /* an even number of steps ends here */
    wl_judge(s->u1, "rmse");
    s->u2 = wl_array(w, "u2", WL_SCRATCH, WL_F32, n);
    fill(s, &rng);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    for (int i = 0; i < s->steps; i++)
        wl_launch(w, "laplace3d", WL_DIM(wl_blocks(s->nx, 32), wl_blocks(s->ny, 4)), WL_DIM(32, 4),
                  0,
                  WL_ARGS(i % 2 ? &s->u2->dev : &s->u1->dev, i % 2 ? &s->u1->dev : &s->u2->dev,
                          &s->nx, &s->ny, &s->nz));
}

static void step(const struct state *s, const float *u, float *v)
{
    size_t row = (size_t)s->nx, plane = row * s->ny;
    for (int k = 0; k < s->nz; k++)
        for (int j = 0; j < s->ny; j++)
            for (int i = 0; i < s->nx; i++) {
                size_t at = k * plane + j * row + i;
                bool edge = !i || !j || !k || i == s->nx - 1 || j == s->ny - 1 || k == s->nz - 1;
                v[at] = edge ? u[at]
                             : (u[at - 1] + u[at + 1] + u[at - row] + u[at + row] + u[at - plane] +
                                u[at + plane]) *
                                   (1.0f / 6.0f);
            }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    float *a = s->u1->expect_f32, *b = wl_alloc(w, s->u1->count, sizeof *b);
    memcpy(a, s->u1->initial, s->u1->count * sizeof *a);
    for (int i = 0; i < s->steps; i += 2) {
        step(s, a, b);
        step(s, b, a);
    }
}

const struct workload workload_sdk_lps = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "Jacobi steps, 32x4 columns marching through planes kept in shared memory",
    .input = "a box whose faces and electrodes on them hold voltages, 0 inside",
    .imitates = "the original's box with boundary values; it has only the outer shell, "
                "no electrodes",
    .tolerance = "bit-equal: sums in a fixed order",
};
