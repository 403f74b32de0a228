/* rodinia-cfd: a gas that flows past a wing, on a mesh of tetrahedra. */
#include "gen.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 192, VARIABLES = 5, NEIGHBOURS = 4, STAGES = 3, WING = -1, FAR = -2 };

/* As the device code's. */
struct flow {
    float v[VARIABLES], through[VARIABLES][3], speed, pressure, sound;
};

struct state {
    int side[3], elements, iterations; /* elements: six a cube, a multiple of BLOCK */
    uint32_t *renumbered;
    struct flow far_field;
    struct wl_array *neighbours, *normals, *areas, *variables, *old, *factors, *fluxes;
};

/* The six tetrahedra of a cube go along its edges from one corner to the opposite one, in each
 * order of the axes. */
static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static int find_order(int a, int b, int c)
{
    int i = 0;
    while (orders[i][0] != a || orders[i][1] != b || orders[i][2] != c)
        i++;
    return i;
}

/* The element of a cube and an order, or what is beyond the mesh there. */
static int element_at(const struct state *s, const int cube[3], int order)
{
    for (int d = 0; d < 3; d++)
        if (cube[d] < 0 || cube[d] >= s->side[d])
            return d == 2 && cube[d] < 0 ? WING : FAR;
    int number = (cube[2] * s->side[1] + cube[1]) * s->side[0] + cube[0];
    return (int)s->renumbered[6 * number + order];
}

/* The neighbour across the face opposite to a corner (0 .. 3) of a tetrahedron. */
static int neighbour_of(const struct state *s, const int cube[3], int order, int corner)
{
    const int *o = orders[order];
    int beside[3] = {cube[0], cube[1], cube[2]};
    if (corner == 1)
        return element_at(s, cube, find_order(o[1], o[0], o[2]));
    if (corner == 2)
        return element_at(s, cube, find_order(o[0], o[2], o[1]));
    beside[corner == 0 ? o[0] : o[2]] += corner == 0 ? 1 : -1;
    return element_at(s, beside,
                      corner == 0 ? find_order(o[1], o[2], o[0]) : find_order(o[2], o[0], o[1]));
}

/* Where a point of the lattice is: up to 0.15 off in each direction, inner points only. */
static void place_point(const struct state *s, uint64_t salt, const int at[3], double out[3])
{
    struct rng rng = {salt + (uint64_t)((at[2] * 1024 + at[1]) * 1024 + at[0])};
    for (int d = 0; d < 3; d++) {
        double off = 0.3 * rng_unit(&rng) - 0.15;
        out[d] = at[d] + (at[d] > 0 && at[d] < s->side[d] ? off : 0);
    }
}

/* Half the cross product of two edges of the face opposite to a corner: its area, pointing inward.
 */
static void inward_normal(double p[4][3], int corner, double n[3])
{
    const double *a = p[(corner + 1) % 4], *b = p[(corner + 2) % 4], *c = p[(corner + 3) % 4];
    double u[3], v[3], to_corner = 0;
    for (int d = 0; d < 3; d++) {
        u[d] = b[d] - a[d];
        v[d] = c[d] - a[d];
    }
    for (int d = 0; d < 3; d++) {
        n[d] = 0.5 * (u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3]);
        to_corner += n[d] * (p[corner][d] - a[d]);
    }
    for (int d = 0; d < 3 && to_corner < 0; d++)
        n[d] = -n[d];
}

static void make_element(struct state *s, uint64_t salt, const int cube[3], int order)
{
    int i = element_at(s, cube, order), n = s->elements, at[3] = {cube[0], cube[1], cube[2]};
    double p[4][3], surface = 0;
    for (int corner = 0; corner < 4; corner++) {
        if (corner > 0)
            at[orders[order][corner - 1]]++;
        place_point(s, salt, at, p[corner]);
    }
    for (int j = 0; j < NEIGHBOURS; j++) {
        double normal[3], squared = 0;
        inward_normal(p, j, normal);
        s->neighbours->i32[j * n + i] = neighbour_of(s, cube, order, j);
        for (int d = 0; d < 3; d++) {
            s->normals->f32[(j + d * NEIGHBOURS) * n + i] = (float)normal[d];
            squared += normal[d] * normal[d];
        }
        surface += sqrt(squared);
    }
    s->areas->f32[i] = (float)(surface * surface); /* the solver takes its root: a stable step */
}

/* Elements keep near in number what is near in the mesh, but not next to each other: shuffled by
 * about a thousand. */
static void renumber(struct wl *w, struct state *s, struct rng *rng)
{
    uint32_t n = (uint32_t)s->elements, window[768];
    s->renumbered = wl_alloc(w, n, sizeof *s->renumbered);
    for (uint32_t first = 0; first < n; first += ARRAY_LEN(window)) {
        uint32_t count = n - first < ARRAY_LEN(window) ? n - first : (uint32_t)ARRAY_LEN(window);
        gen_permutation(rng, window, count);
        for (uint32_t i = 0; i < count; i++)
            s->renumbered[first + i] = first + window[i];
    }
}

static void complete_flow(struct flow *f)
{
    const float gamma = 1.4f;
    float velocity[3];
    for (int d = 0; d < 3; d++)
        velocity[d] = f->v[1 + d] / f->v[0];
    float squared =
        fmaf(velocity[2], velocity[2], fmaf(velocity[1], velocity[1], velocity[0] * velocity[0]));
    f->speed = sqrtf(squared);
    f->pressure = (gamma - 1.0f) * fmaf(-0.5f * f->v[0], squared, f->v[4]);
    f->sound = sqrtf(gamma * f->pressure / f->v[0]);
    for (int d = 0; d < 3; d++) {
        f->through[0][d] = f->v[1 + d];
        f->through[4][d] = velocity[d] * (f->v[4] + f->pressure);
        for (int e = 0; e < 3; e++) {
            int low = d < e ? d : e, high = d < e ? e : d;
            f->through[1 + d][e] = d == e ? fmaf(velocity[d], f->v[1 + d], f->pressure)
                                          : velocity[low] * f->v[1 + high];
        }
    }
}

/* Mach 1.2 along x, a few degrees up. */
static void set_far_field(struct flow *f)
{
    const float density = 1.4f, pressure = 1.0f, mach = 1.2f;
    float along = mach * 0.998f, up = mach * 0.0628f; /* the speed of sound is 1 */
    *f = (struct flow){.v = {density, density * along, 0, density * up, 0}};
    f->v[4] = pressure / 0.4f + 0.5f * density * (along * along + up * up);
    complete_flow(f);
}

static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES][4] = {
        {4, 4, 4, 1}, {16, 8, 8, 2}, {32, 32, 16, 2}, {32, 32, 32, 4}, {32, 32, 16, 2}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    memcpy(s->side, sizes[wl_size(w)], sizeof s->side);
    s->iterations = sizes[wl_size(w)][3];
    s->elements = 6 * s->side[0] * s->side[1] * s->side[2];
    size_t n = (size_t)s->elements;
    s->neighbours = wl_array(w, "neighbours", WL_INPUT, WL_I32, NEIGHBOURS * n);
    s->normals = wl_array(w, "normals", WL_INPUT, WL_F32, 3 * NEIGHBOURS * n);
    s->areas = wl_array(w, "areas", WL_INPUT, WL_F32, n);
    s->variables = wl_array(w, "variables", WL_OUTPUT, WL_F32, VARIABLES * n);
    s->old = wl_array(w, "old", WL_SCRATCH, WL_F32, VARIABLES * n);
    s->factors = wl_array(w, "factors", WL_OUTPUT, WL_F32, n);
    s->fluxes = wl_array(w, "fluxes", WL_OUTPUT, WL_F32, VARIABLES * n);
    renumber(w, s, &rng);
    uint64_t salt = rng_u64(&rng);
    for (int i = 0; i < s->elements; i++) {
        int number = i / 6;
        const int cube[3] = {number % s->side[0], number / s->side[0] % s->side[1],
                             number / s->side[0] / s->side[1]};
        make_element(s, salt, cube, i % 6);
    }
    set_far_field(&s->far_field);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct wl_dim grid = WL_DIM((unsigned)s->elements / BLOCK), block = WL_DIM(BLOCK);
    wl_set_symbol(w, "far_field", &s->far_field, sizeof s->far_field);
    wl_launch(w, "cfd_start", grid, block, 0, WL_ARGS(&s->elements, &s->variables->dev));
    for (int i = 0; i < s->iterations; i++) {
        wl_launch(w, "cfd_copy", grid, block, 0,
                  WL_ARGS(&s->elements, &s->variables->dev, &s->old->dev));
        wl_launch(w, "cfd_step_factor", grid, block, 0,
                  WL_ARGS(&s->elements, &s->variables->dev, &s->areas->dev, &s->factors->dev));
        for (int stage = 1; stage <= STAGES; stage++) {
            wl_launch(w, "cfd_flux", grid, block, 0,
                      WL_ARGS(&s->elements, &s->neighbours->dev, &s->normals->dev,
                              &s->variables->dev, &s->fluxes->dev));
            wl_launch(w, "cfd_time_step", grid, block, 0,
                      WL_ARGS(&stage, &s->elements, &s->old->dev, &s->variables->dev,
                              &s->factors->dev, &s->fluxes->dev));
        }
    }
}

static void carry(const struct flow *a, const struct flow *b, const float normal[3], float *flux)
{
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < VARIABLES; k++)
            flux[k] = fmaf(0.5f * normal[d], b->through[k][d] + a->through[k][d], flux[k]);
}

static void smooth(const struct flow *a, const struct flow *b, const float normal[3], float *flux)
{
    float squared = fmaf(normal[2], normal[2], fmaf(normal[1], normal[1], normal[0] * normal[0]));
    float factor = -sqrtf(squared) * 0.1f * (a->speed + b->speed + a->sound + b->sound);
    for (int k = 0; k < VARIABLES; k++)
        flux[k] = fmaf(factor, a->v[k] - b->v[k], flux[k]);
}

static void flux_of(const struct state *s, const struct flow *flows, int i, float *flux)
{
    memset(flux, 0, VARIABLES * sizeof *flux);
    for (int j = 0; j < NEIGHBOURS; j++) {
        int neighbour = s->neighbours->i32[j * s->elements + i];
        float normal[3];
        for (int d = 0; d < 3; d++)
            normal[d] = s->normals->f32[(j + d * NEIGHBOURS) * s->elements + i];
        if (neighbour >= 0) {
            smooth(&flows[i], &flows[neighbour], normal, flux);
            carry(&flows[i], &flows[neighbour], normal, flux);
        } else if (neighbour == FAR) {
            carry(&flows[i], &s->far_field, normal, flux);
        } else {
            for (int d = 0; d < 3; d++)
                flux[1 + d] = fmaf(normal[d], flows[i].pressure, flux[1 + d]);
        }
    }
}

/* One stage for all elements: from `old`, with what flows now. */
static void reference_stage(struct state *s, struct flow *flows, const struct flow *old, int stage)
{
    int n = s->elements;
    for (int i = 0; i < n; i++) {
        float flux[VARIABLES];
        flux_of(s, flows, i, flux);
        for (int k = 0; k < VARIABLES; k++)
            s->fluxes->expect_f32[k * n + i] = flux[k];
    }
    for (int i = 0; i < n; i++) {
        float factor = s->factors->expect_f32[i] / (float)(STAGES + 1 - stage);
        for (int k = 0; k < VARIABLES; k++)
            flows[i].v[k] = fmaf(factor, s->fluxes->expect_f32[k * n + i], old[i].v[k]);
        complete_flow(&flows[i]);
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    size_t n = (size_t)s->elements;
    struct flow *flows = wl_alloc(w, n, sizeof *flows), *old = wl_alloc(w, n, sizeof *old);
    for (size_t i = 0; i < n; i++)
        flows[i] = s->far_field;
    for (int iteration = 0; iteration < s->iterations; iteration++) {
        memcpy(old, flows, n * sizeof *old);
        for (size_t i = 0; i < n; i++)
            s->factors->expect_f32[i] =
                0.5f / (sqrtf(s->areas->f32[i]) * (flows[i].speed + flows[i].sound));
        for (int stage = 1; stage <= STAGES; stage++)
            reference_stage(s, flows, old, stage);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < VARIABLES; k++)
            s->variables->expect_f32[k * n + i] = flows[i].v[k];
}

const struct workload workload_rodinia_cfd = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "finite volumes on tetrahedra, three Runge-Kutta stages a step: a thread an element "
        "reads five variables of each of four neighbours, found by index, in planes",
    .input = "cubes of six tetrahedra with corners moved at random, elements shuffled by about a "
             "thousand; supersonic flow over a plane",
    .imitates = "the mesh around a wing (fvcorr.domn.097K): unstructured, neighbours "
                "near in number but not next",
    .tolerance = "bit-equal: IEEE division and root, fused multiply-adds in a fixed order",
};
