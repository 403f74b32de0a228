/* lonestar-bh: gravity of a star cluster by Barnes and Hut's algorithm. */
#include "bh_reference.h"
#include "gen.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128, BOX_BLOCK = 256, MAX_LEVELS = 64 };

struct state {
    uint32_t bodies, max_cells, steps;
    uint32_t level_first[MAX_LEVELS + 1], levels; /* cells of each level of the tree */
    struct wl_array *x, *y, *z, *vx, *vy, *vz, *mass, *ax, *ay, *az, *order;
    struct wl_array *node_x, *node_y, *node_z, *node_mass;
    struct wl_array *open, *child, *count, *next, *down, *start;
    struct wl_array *cell, *slot, *box, *radius, *made;
};

/* As the device code's. */
struct bh_tree {
    CUdeviceptr x, y, z, mass, open, child, count, next, down, start;
    uint32_t bodies, max_cells;
};

struct bh_bodies {
    CUdeviceptr x, y, z, vx, vy, vz, mass, ax, ay, az, cell;
};

/* The cube root of 0 < v < 1, by Newton's method from above. */
static double cube_root(double v)
{
    double y = 1;

    for (int i = 0; i < 80; i++)
        y = y - (y * y * y - v) / (3 * y * y);
    return y;
}

/* A point on the unit sphere, times length. */
static void random_direction(struct rng *rng, double length, double out[3])
{
    double squared;

    do {
        squared = 0;
        for (int d = 0; d < 3; d++) {
            out[d] = 2 * rng_unit(rng) - 1;
            squared += out[d] * out[d];
        }
    } while (squared > 1 || squared < 1e-4);
    for (int d = 0; d < 3; d++)
        out[d] *= length / sqrt(squared);
}

/* A star of Plummer's model, out to 10 of its radii: dense in the middle, thin outside, and moving
 * so that the cluster keeps its shape. */
static void plummer_star(struct rng *rng, double place[3], double speed[3])
{
    double radius, q, height;

    do {
        double root = cube_root(rng_unit(rng) * 0.999 + 0.0005);
        radius = 1 / sqrt(1 / (root * root) - 1);
    } while (radius > 10);
    do {
        q = rng_unit(rng);
        height = rng_unit(rng) * 0.1;
        double rest = 1 - q * q;
        height -= q * q * rest * rest * rest * sqrt(rest);
    } while (height > 0);
    random_direction(rng, radius, place);
    random_direction(rng, q * sqrt(2) / sqrt(sqrt(1 + radius * radius)), speed);
}

static void make_stars(struct wl *w, struct state *s)
{
    struct rng rng = wl_rng(w, 0);
    double place[3], speed[3];

    for (uint32_t i = 0; i < s->bodies; i++) {
        plummer_star(&rng, place, speed);
        s->x->f32[i] = (float)place[0];
        s->y->f32[i] = (float)place[1];
        s->z->f32[i] = (float)place[2];
        s->vx->f32[i] = (float)speed[0];
        s->vy->f32[i] = (float)speed[1];
        s->vz->f32[i] = (float)speed[2];
        s->mass->f32[i] = 1.0f / (float)s->bodies;
    }
}

static void make_scratch(struct wl *w, struct state *s)
{
    size_t n = s->bodies, cells = s->max_cells, nodes = n + cells;

    s->node_x = wl_array(w, "node_x", WL_SCRATCH, WL_F32, nodes);
    s->node_y = wl_array(w, "node_y", WL_SCRATCH, WL_F32, nodes);
    s->node_z = wl_array(w, "node_z", WL_SCRATCH, WL_F32, nodes);
    s->node_mass = wl_array(w, "node_mass", WL_SCRATCH, WL_F32, nodes);
    s->open = wl_array(w, "open", WL_SCRATCH, WL_F32, cells);
    s->child = wl_array(w, "child", WL_SCRATCH, WL_I32, 8 * cells);
    s->count = wl_array(w, "count", WL_SCRATCH, WL_U32, 8 * cells);
    s->next = wl_array(w, "next", WL_SCRATCH, WL_I32, nodes);
    s->down = wl_array(w, "down", WL_SCRATCH, WL_I32, cells);
    s->start = wl_array(w, "start", WL_SCRATCH, WL_U32, cells);
    s->cell = wl_array(w, "cell", WL_SCRATCH, WL_I32, n);
    s->slot = wl_array(w, "slot", WL_SCRATCH, WL_U32, n);
    s->box = wl_array(w, "box", WL_SCRATCH, WL_F32, 6 * (size_t)wl_blocks(n, BOX_BLOCK));
    s->radius = wl_array(w, "radius", WL_SCRATCH, WL_F32, 1);
    s->made = wl_array(w, "made", WL_SCRATCH, WL_U32, 1);
}

static void make(struct wl *w, void *state)
{
    static const uint32_t bodies[WL_SIZES] = {112, 800, 5120, 16384, 16384};
    static const uint32_t steps[WL_SIZES] = {1, 1, 1, 2, 1};
    struct state *s = state;
    s->bodies = bodies[wl_size(w)];
    s->steps = steps[wl_size(w)];
    s->max_cells = 2 * s->bodies + 64;
    size_t n = s->bodies;
    s->x = wl_array(w, "x", WL_INOUT, WL_F32, n);
    s->y = wl_array(w, "y", WL_INOUT, WL_F32, n);
    s->z = wl_array(w, "z", WL_INOUT, WL_F32, n);
    s->vx = wl_array(w, "vx", WL_INOUT, WL_F32, n);
    s->vy = wl_array(w, "vy", WL_INOUT, WL_F32, n);
    s->vz = wl_array(w, "vz", WL_INOUT, WL_F32, n);
    s->mass = wl_array(w, "mass", WL_INPUT, WL_F32, n);
    s->ax = wl_array(w, "ax", WL_OUTPUT, WL_F32, n);
    s->ay = wl_array(w, "ay", WL_OUTPUT, WL_F32, n);
    s->az = wl_array(w, "az", WL_OUTPUT, WL_F32, n);
    s->order = wl_array(w, "order", WL_OUTPUT, WL_U32, n);
    make_scratch(w, s);
    make_stars(w, s);
}

static struct bh_tree tree_of(const struct state *s)
{
    return (struct bh_tree){s->node_x->dev, s->node_y->dev, s->node_z->dev, s->node_mass->dev,
                            s->open->dev,   s->child->dev,  s->count->dev,  s->next->dev,
                            s->down->dev,   s->start->dev,  s->bodies,      s->max_cells};
}

static struct bh_bodies bodies_of(const struct state *s)
{
    return (struct bh_bodies){s->x->dev,  s->y->dev,  s->z->dev,    s->vx->dev,
                              s->vy->dev, s->vz->dev, s->mass->dev, s->ax->dev,
                              s->ay->dev, s->az->dev, s->cell->dev};
}

static void make_root(struct wl *w, struct state *s, struct bh_tree *t, struct bh_bodies *b)
{
    uint32_t boxes = wl_blocks(s->bodies, BOX_BLOCK), one = 1;
    float theta = bh_theta;

    wl_launch(w, "bh_box", WL_DIM(boxes), WL_DIM(BOX_BLOCK), 0, WL_ARGS(t, b, &s->box->dev));
    wl_launch(w, "bh_root", WL_DIM(1), WL_DIM(1), 0,
              WL_ARGS(t, &s->box->dev, &boxes, &s->radius->dev, &theta));
    wl_write(w, s->made->dev, &one, sizeof one);
    s->level_first[0] = 0;
    s->level_first[1] = 1;
}

static void build_tree(struct wl *w, struct state *s, struct bh_tree *t, struct bh_bodies *b)
{
    struct wl_dim per_body = WL_DIM(wl_blocks(s->bodies, BLOCK)), block = WL_DIM(BLOCK);
    float scale = 0.5f, theta = bh_theta;

    make_root(w, s, t, b);
    for (s->levels = 0; s->level_first[s->levels] < s->level_first[s->levels + 1]; s->levels++) {
        uint32_t first = s->level_first[s->levels], made;
        uint32_t cells = s->level_first[s->levels + 1] - first;
        wl_launch(w, "bh_count", per_body, block, 0, WL_ARGS(t, b, &s->slot->dev));
        wl_launch(w, "bh_split", WL_DIM(wl_blocks(8 * (size_t)cells, BLOCK)), block, 0,
                  WL_ARGS(t, &first, &cells, &s->made->dev, &s->radius->dev, &scale, &theta));
        wl_read(w, s->made->dev, &made, sizeof made);
        if (made > s->max_cells || s->levels + 2 > MAX_LEVELS)
            wl_die(w, "stars are too close to each other for the tree");
        wl_launch(w, "bh_descend", per_body, block, 0, WL_ARGS(t, b, &s->slot->dev));
        s->level_first[s->levels + 2] = made;
        scale *= 0.5f;
    }
}

static void summarise(struct wl *w, struct state *s, struct bh_tree *t)
{
    for (uint32_t level = s->levels; level-- > 0;) {
        uint32_t first = s->level_first[level], cells = s->level_first[level + 1] - first;
        wl_launch(w, "bh_summarise", WL_DIM(wl_blocks(cells, BLOCK)), WL_DIM(BLOCK), 0,
                  WL_ARGS(t, &first, &cells));
    }
}

static void link_nodes(struct wl *w, struct state *s, struct bh_tree *t)
{
    for (uint32_t level = 0; level < s->levels; level++) {
        uint32_t first = s->level_first[level], cells = s->level_first[level + 1] - first;
        wl_launch(w, "bh_link", WL_DIM(wl_blocks(cells, BLOCK)), WL_DIM(BLOCK), 0,
                  WL_ARGS(t, &first, &cells, &s->order->dev));
    }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct bh_tree t = tree_of(s);
    struct bh_bodies b = bodies_of(s);
    struct wl_dim grid = WL_DIM(wl_blocks(s->bodies, BLOCK)), block = WL_DIM(BLOCK);
    float softening = bh_softening, time = bh_step;

    for (uint32_t step = 0; step < s->steps; step++) {
        build_tree(w, s, &t, &b);
        summarise(w, s, &t);
        link_nodes(w, s, &t);
        wl_launch(w, "bh_force", grid, block, 0, WL_ARGS(&t, &b, &s->order->dev, &softening));
        wl_launch(w, "bh_integrate", grid, block, 0, WL_ARGS(&b, &s->bodies, &time));
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    struct bh_stars stars = {
        .count = s->bodies,
        .place = {s->x->expect_f32, s->y->expect_f32, s->z->expect_f32},
        .speed = {s->vx->expect_f32, s->vy->expect_f32, s->vz->expect_f32},
        .pull = {s->ax->expect_f32, s->ay->expect_f32, s->az->expect_f32},
        .mass = s->mass->f32,
        .order = s->order->expect_u32,
    };
    struct wl_array *const moving[] = {s->x, s->y, s->z, s->vx, s->vy, s->vz};

    for (size_t i = 0; i < ARRAY_LEN(moving); i++)
        memcpy(moving[i]->expect, moving[i]->initial, s->bodies * sizeof(float));
    struct bh_cell *cells = wl_alloc(w, s->max_cells, sizeof *cells);
    for (uint32_t step = 0; step < s->steps; step++)
        bh_reference_step(&stars, cells);
}

const struct workload workload_lonestar_bh = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "octree built level by level, centres of mass bottom up, bodies ordered by the tree, "
        "forces by a walk that the lanes of a warp do together, integration",
    .input = "Plummer's model of a star cluster, equal masses",
    .imitates = "LonestarGPU's own: Plummer's model",
    .tolerance = "bit-equal: the tree's shape and the order of additions are fixed",
    .idle = "the tree is built and summed up level by level, and its upper levels "
            "have few cells",
};
