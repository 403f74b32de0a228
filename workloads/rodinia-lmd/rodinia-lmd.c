/* rodinia-lmd: lavaMD, potential and forces of particles in a box of boxes. */
#include "f64_math.h"
#include "workload.h"

enum { PARTICLES = 100, THREADS = 128, NEIGHBOURS = 26 };

/* As the device code's. */
struct particle {
    double v, x, y, z;
};

struct neighbour {
    int32_t x, y, z, number;
    int64_t offset;
};

struct box {
    int32_t x, y, z, number;
    int64_t offset;
    int32_t neighbours, unused;
    struct neighbour neighbour[NEIGHBOURS];
};

struct state {
    int side[3];
    unsigned boxes;
    double alpha;
    struct wl_array *box, *particles, *charges, *forces;
};

static void add_neighbours(const struct state *s, struct box *box)
{
    for (int z = box->z - 1; z <= box->z + 1; z++)
        for (int y = box->y - 1; y <= box->y + 1; y++)
            for (int x = box->x - 1; x <= box->x + 1; x++) {
                int number = (z * s->side[1] + y) * s->side[0] + x;
                if (x < 0 || y < 0 || z < 0 || x >= s->side[0] || y >= s->side[1] ||
                    z >= s->side[2] || number == box->number)
                    continue;
                box->neighbour[box->neighbours++] =
                    (struct neighbour){x, y, z, number, (int64_t)number * PARTICLES};
            }
}

/* Charges and places in tenths, as Rodinia has them: what a place is relative to does not matter
 * to the kernel. */
static void fill_particles(struct wl *w, struct state *s)
{
    struct rng rng = wl_rng(w, 0);
    for (size_t i = 0; i < s->charges->count; i++) {
        for (int k = 0; k < 4; k++)
            s->particles->f64[4 * i + (size_t)k] = (1 + rng_below(&rng, 10)) / 10.0;
        s->charges->f64[i] = (1 + rng_below(&rng, 10)) / 10.0;
    }
}

static void make(struct wl *w, void *state)
{
    static const int sides[WL_SIZES][3] = {{1, 1, 1}, {3, 2, 1}, {7, 4, 2}, {6, 6, 6}, {7, 8, 2}};
    struct state *s = state;
    for (int k = 0; k < 3; k++)
        s->side[k] = sides[wl_size(w)][k];
    s->boxes = (unsigned)(s->side[0] * s->side[1] * s->side[2]);
    s->alpha = 0.5;
    size_t n = (size_t)s->boxes * PARTICLES;
    s->box = wl_array(w, "boxes", WL_INPUT, WL_I32, s->boxes * sizeof(struct box) / 4);
    s->particles = wl_array(w, "particles", WL_INPUT, WL_F64, 4 * n);
    s->charges = wl_array(w, "charges", WL_INPUT, WL_F64, n);
    s->forces = wl_array(w, "forces", WL_OUTPUT, WL_F64, 4 * n);
    for (int i = 0; i < (int)s->boxes; i++) {
        struct box *box = (struct box *)s->box->data + i;
        box->x = i % s->side[0];
        box->y = i / s->side[0] % s->side[1];
        box->z = i / s->side[0] / s->side[1];
        box->number = i;
        box->offset = (int64_t)i * PARTICLES;
        add_neighbours(s, box);
    }
    fill_particles(w, s);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    wl_launch(
        w, "lavamd", WL_DIM(s->boxes), WL_DIM(THREADS), 0,
        WL_ARGS(&s->alpha, &s->box->dev, &s->particles->dev, &s->charges->dev, &s->forces->dev));
}

/* Adds the force of all particles of another box on one. */
static void attract(const struct state *s, const struct particle *a, int64_t others,
                    struct particle *force)
{
    double a2 = 2.0 * s->alpha * s->alpha;
    for (int64_t j = others; j < others + PARTICLES; j++) {
        const struct particle *b = (struct particle *)s->particles->data + j;
        double charge = s->charges->f64[j];
        double dot = fma(a->z, b->z, fma(a->y, b->y, a->x * b->x));
        double potential = f64_exp(-(a2 * (a->v + b->v - dot))), strength = 2.0 * potential;
        force->v = fma(charge, potential, force->v);
        force->x = fma(charge, strength * (a->x - b->x), force->x);
        force->y = fma(charge, strength * (a->y - b->y), force->y);
        force->z = fma(charge, strength * (a->z - b->z), force->z);
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (unsigned i = 0; i < s->boxes * PARTICLES; i++) {
        const struct box *box = (struct box *)s->box->data + i / PARTICLES;
        const struct particle *a = (struct particle *)s->particles->data + i;
        struct particle *force = (struct particle *)s->forces->expect + i;
        attract(s, a, box->offset, force);
        for (int k = 0; k < box->neighbours; k++)
            attract(s, a, box->neighbour[k].offset, force);
    }
}

const struct workload workload_rodinia_lmd = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "a block a box of 100 particles: all pairs with the particles of up to 27 boxes, "
                 "box after box through shared memory; forces stay in global memory",
    .input = "places and charges in tenths, uniform; a box of up to 6x6x6 boxes",
    .imitates = "Rodinia's own: 100 particles a box, places and charges in tenths",
    .tolerance = "bit-equal: the exponential is a polynomial of fused multiply-adds",
    .idle = "two blocks an SM, and boxes at the faces have fewer neighbours than "
            "others",
};
