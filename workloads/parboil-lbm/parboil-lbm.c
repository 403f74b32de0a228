/* parboil-lbm: flow in a driven cavity by the lattice-Boltzmann method. */
#include "workload.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 19, OBSTACLE = 1, DRIVEN = 2, PAD = 8, MARGIN = 2, STEPS = 2 };

static const float omega = 1.95f;

static const struct direction {
    int opposite, dx, dy, dz, part;
} directions[DIRECTIONS] = {
#define X(entry, opposite, dx, dy, dz, part) {opposite, dx, dy, dz, part},
#include "d3q19.def"
#undef X
};

struct shape {
    int pitch, ny, cells, first;
};

struct state {
    int nx, nz;
    struct shape shape;
    struct wl_array *flow, *other;
};

static int cell_at(const struct shape *s, int x, int y, int z)
{
    return s->first + (z * s->ny + y) * s->pitch + x;
}

/* Walls around; the layers beside the lower and the upper one are driven. */
static uint32_t flags_of(const struct state *s, int x, int y, int z)
{
    int nx = s->nx, ny = s->shape.ny, nz = s->nz;
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1)
        return OBSTACLE;
    bool beside_wall = z == 1 || z == nz - 2;
    return beside_wall && x > 1 && x < nx - 2 && y > 1 && y < ny - 2 ? DRIVEN : 0;
}

static void set_flags(float *grid, const struct shape *s, int at, uint32_t flags)
{
    memcpy(&grid[(size_t)DIRECTIONS * s->cells + at], &flags, sizeof flags);
}

/* Balls in the cavity, most of them small. */
static void add_balls(const struct state *s, struct rng *rng, float *grid)
{
    int nx = s->nx, ny = s->shape.ny, nz = s->nz, least = ny < nz ? ny : nz;
    for (int k = 0; k < 4 + nx * ny * nz / 2000; k++) {
        int r = 1 + (int)rng_below(rng, 1 + rng_below(rng, (uint32_t)least / 4));
        int cx = (int)rng_below(rng, (uint32_t)nx), cy = (int)rng_below(rng, (uint32_t)ny),
            cz = (int)rng_below(rng, (uint32_t)nz);
        for (int z = cz - r; z <= cz + r; z++)
            for (int y = cy - r; y <= cy + r; y++)
                for (int x = cx - r; x <= cx + r; x++) {
                    int d2 = (x - cx) * (x - cx) + (y - cy) * (y - cy) + (z - cz) * (z - cz);
                    bool inside = x >= 0 && y >= 0 && z >= 0 && x < nx && y < ny && z < nz;
                    if (inside && d2 <= r * r)
                        set_flags(grid, &s->shape, cell_at(&s->shape, x, y, z), OBSTACLE);
                }
    }
}

/* Matter at rest everywhere, as Parboil starts; the driven layers set it in motion. */
static void fill(struct wl *w, const struct state *s, float *grid)
{
    struct rng rng = wl_rng(w, 0);
    const struct shape *sh = &s->shape;
    for (int i = 0; i < DIRECTIONS; i++)
        for (int at = 0; at < sh->cells; at++)
            grid[(size_t)i * sh->cells + at] = 1.0f / (float)directions[i].part;
    for (int z = 0; z < s->nz; z++)
        for (int y = 0; y < sh->ny; y++)
            for (int x = 0; x < s->nx; x++)
                set_flags(grid, sh, cell_at(sh, x, y, z), flags_of(s, x, y, z));
    add_balls(s, &rng, grid);
}

static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES][3] = {
        {56, 6, 6}, {120, 18, 20}, {120, 70, 80}, {120, 120, 150}, {120, 70, 80}};
    struct state *s = state;
    const int *n = sizes[wl_size(w)];
    s->nx = n[0];
    s->nz = n[2];
    s->shape = (struct shape){.pitch = n[0] + PAD, .ny = n[1]};
    s->shape.cells = s->shape.pitch * n[1] * (n[2] + 2 * MARGIN);
    s->shape.first = s->shape.pitch * n[1] * MARGIN;
    size_t count = (size_t)s->shape.cells * (DIRECTIONS + 1);
    s->flow = wl_array(w, "flow", WL_INOUT, WL_F32, count);
    wl_judge(s->flow, "rmse");
    s->other = wl_array(w, "other", WL_INPUT, WL_F32, count);
    fill(w, s, s->flow->f32);
    memcpy(s->other->f32, s->flow->f32, count * sizeof(float));
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct wl_dim grid = WL_DIM((unsigned)s->shape.ny, (unsigned)s->nz);
    for (int i = 0; i < STEPS; i++)
        wl_launch(w, "lbm_step", grid, WL_DIM((unsigned)s->nx), 0,
                  WL_ARGS(i % 2 ? &s->other->dev : &s->flow->dev,
                          i % 2 ? &s->flow->dev : &s->other->dev, &s->shape));
}

static float along(float sum, int component, float v)
{
    return component > 0 ? sum + v : component < 0 ? sum - v : sum;
}

static void collide(const float f[DIRECTIONS], float out[DIRECTIONS], bool driven)
{
    float rho = 0, ux = 0, uy = 0, uz = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        rho = i ? rho + f[i] : f[i];
        ux = along(ux, directions[i].dx, f[i]);
        uy = along(uy, directions[i].dy, f[i]);
        uz = along(uz, directions[i].dz, f[i]);
    }
    ux = driven ? 0.005f : ux / rho;
    uy = driven ? 0.002f : uy / rho;
    uz = driven ? 0.0f : uz / rho;
    float u2 = fmaf(1.5f, fmaf(uz, uz, fmaf(uy, uy, ux * ux)), -1.0f), base = omega * rho;
    for (int i = 0; i < DIRECTIONS; i++) {
        const struct direction *d = &directions[i];
        float u = along(along(along(0, d->dx, ux), d->dy, uy), d->dz, uz);
        float even = 1.0f / (float)d->part * base * fmaf(u, fmaf(4.5f, u, 3.0f), -u2);
        out[i] = fmaf(1.0f - omega, f[i], even);
    }
}

static void step_cell(const struct shape *s, const float *src, float *dst, int at)
{
    float f[DIRECTIONS], out[DIRECTIONS];
    uint32_t flags;
    memcpy(&flags, &src[(size_t)DIRECTIONS * s->cells + at], sizeof flags);
    for (int i = 0; i < DIRECTIONS; i++)
        f[i] = src[(size_t)i * s->cells + at];
    if (flags & OBSTACLE)
        for (int i = 0; i < DIRECTIONS; i++)
            out[i] = f[directions[i].opposite];
    else
        collide(f, out, flags & DRIVEN);
    for (int i = 0; i < DIRECTIONS; i++) {
        const struct direction *d = &directions[i];
        dst[(size_t)i * s->cells + at + d->dx + s->pitch * (d->dy + s->ny * d->dz)] = out[i];
    }
}

static void step(const struct state *s, const float *src, float *dst)
{
    for (int z = 0; z < s->nz; z++)
        for (int y = 0; y < s->shape.ny; y++)
            for (int x = 0; x < s->nx; x++)
                step_cell(&s->shape, src, dst, cell_at(&s->shape, x, y, z));
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    size_t bytes = s->flow->count * sizeof(float);
    float *a = s->flow->expect_f32, *b = wl_alloc(w, bytes, 1);
    memcpy(a, s->flow->initial, bytes);
    memcpy(b, a, bytes);
    for (int i = 0; i < STEPS; i += 2) {
        step(s, a, b);
        step(s, b, a);
    }
}

const struct workload workload_parboil_lbm = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "D3Q19 lattice-Boltzmann steps, a block a row of cells, 19 arrays of floats and one "
        "of flags; obstacles turn matter back, driven cells have a fixed velocity",
    .input = "a cavity with walls and balls in it and two driven layers, matter at rest",
    .imitates = "Parboil's 120_120_150_ldc: a lid-driven cavity with obstacles",
    .tolerance = "bit-equal: IEEE division, and the order of additions is fixed",
};
