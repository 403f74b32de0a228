/* Builds the tree, sums it up, and walks it for a warp of bodies at a time, as the device does. */
#include "bh_reference.h"

#include <math.h>

enum { WARP = 32 };

struct tree {
    struct bh_stars *stars;
    struct bh_cell *cells;
    uint32_t len; /* of cells */
};

static uint32_t add_cell(struct tree *t, const float middle[3], float half)
{
    struct bh_cell *c = &t->cells[t->len];

    for (int d = 0; d < 3; d++)
        c->middle[d] = middle[d];
    c->half = half;
    for (int k = 0; k < 8; k++)
        c->child[k] = -1;
    return t->len++;
}

static void add_root(struct tree *t)
{
    float middle[3], side = 0;

    for (int d = 0; d < 3; d++) {
        const float *v = t->stars->place[d];
        float low = v[0], high = v[0];
        for (uint32_t i = 1; i < t->stars->count; i++) {
            low = fminf(low, v[i]);
            high = fmaxf(high, v[i]);
        }
        middle[d] = (low + high) * 0.5f;
        side = fmaxf(side, high - low);
    }
    add_cell(t, middle, side * 0.5f);
}

static int octant_of(const struct tree *t, const struct bh_cell *c, uint32_t body)
{
    int octant = 0;

    for (int d = 0; d < 3; d++)
        octant |= (t->stars->place[d][body] > c->middle[d]) << d;
    return octant;
}

static uint32_t add_child(struct tree *t, uint32_t cell, int octant)
{
    const struct bh_cell *c = &t->cells[cell];
    float half = c->half * 0.5f, middle[3];

    for (int d = 0; d < 3; d++)
        middle[d] = c->middle[d] + (octant >> d & 1 ? half : -half);
    return add_cell(t, middle, half);
}

static void insert(struct tree *t, uint32_t cell, uint32_t body)
{
    int octant = octant_of(t, &t->cells[cell], body);
    int32_t there = t->cells[cell].child[octant];

    if (there < 0) {
        t->cells[cell].child[octant] = (int32_t)body;
        return;
    }
    uint32_t below = (uint32_t)there - t->stars->count;
    if ((uint32_t)there < t->stars->count) {
        below = add_child(t, cell, octant);
        t->cells[cell].child[octant] = (int32_t)(t->stars->count + below);
        insert(t, below, (uint32_t)there);
    }
    insert(t, below, body);
}

/* Centres of mass below a cell, and the bodies below it appended to the order. */
static void summarise(struct tree *t, uint32_t cell, uint32_t *place)
{
    struct bh_cell *c = &t->cells[cell];

    c->mass = c->centre[0] = c->centre[1] = c->centre[2] = 0;
    for (int k = 0; k < 8; k++) {
        if (c->child[k] < 0)
            continue;
        uint32_t child = (uint32_t)c->child[k], n = t->stars->count;
        if (child < n)
            t->stars->order[(*place)++] = child;
        else
            summarise(t, child - n, place);
        float mass = child < n ? t->stars->mass[child] : t->cells[child - n].mass;
        c->mass += mass;
        for (int d = 0; d < 3; d++)
            c->centre[d] =
                fmaf(child < n ? t->stars->place[d][child] : t->cells[child - n].centre[d], mass,
                     c->centre[d]);
    }
    for (int d = 0; d < 3; d++)
        c->centre[d] /= c->mass;
}

static float squared_distance(const struct tree *t, const float from[3], uint32_t body,
                              float away[3])
{
    float squared = bh_softening;

    for (int d = 0; d < 3; d++) {
        away[d] = from[d] - t->stars->place[d][body];
        squared = fmaf(away[d], away[d], squared);
    }
    return squared;
}

static void pull(struct tree *t, const uint32_t *bodies, uint32_t count, const float from[3],
                 float mass)
{
    for (uint32_t i = 0; i < count; i++) {
        float away[3], inverse = 1.0f / sqrtf(squared_distance(t, from, bodies[i], away));
        float strength = mass * inverse * inverse * inverse;
        for (int d = 0; d < 3; d++)
            t->stars->pull[d][bodies[i]] = fmaf(away[d], strength, t->stars->pull[d][bodies[i]]);
    }
}

static bool is_far(const struct tree *t, const struct bh_cell *c, const uint32_t *bodies,
                   uint32_t count)
{
    float side = c->half * 2.0f, away[3];

    for (uint32_t i = 0; i < count; i++)
        if (squared_distance(t, c->centre, bodies[i], away) < side * side / (bh_theta * bh_theta))
            return false;
    return true;
}

/* Forces of all below a cell on a group of bodies; cells far from the whole group count as one
 * body. */
static void walk(struct tree *t, uint32_t cell, const uint32_t *bodies, uint32_t count)
{
    const struct bh_cell *c = &t->cells[cell];
    uint32_t n = t->stars->count;

    for (int k = 0; k < 8; k++) {
        if (c->child[k] < 0)
            continue;
        uint32_t child = (uint32_t)c->child[k];
        if (child < n) {
            float from[3];
            for (int d = 0; d < 3; d++)
                from[d] = t->stars->place[d][child];
            pull(t, bodies, count, from, t->stars->mass[child]);
        } else if (is_far(t, &t->cells[child - n], bodies, count)) {
            pull(t, bodies, count, t->cells[child - n].centre, t->cells[child - n].mass);
        } else {
            walk(t, child - n, bodies, count);
        }
    }
}

void bh_reference_step(struct bh_stars *s, struct bh_cell *cells)
{
    struct tree t = {s, cells, 0};
    uint32_t place = 0;

    add_root(&t);
    for (uint32_t i = 0; i < s->count; i++)
        insert(&t, 0, i);
    summarise(&t, 0, &place);
    for (uint32_t i = 0; i < s->count; i++)
        s->pull[0][i] = s->pull[1][i] = s->pull[2][i] = 0;
    for (uint32_t i = 0; i < s->count; i += WARP)
        walk(&t, 0, s->order + i, s->count - i < WARP ? s->count - i : WARP);
    for (int d = 0; d < 3; d++)
        for (uint32_t i = 0; i < s->count; i++) {
            s->speed[d][i] = fmaf(s->pull[d][i], bh_step, s->speed[d][i]);
            s->place[d][i] = fmaf(s->speed[d][i], bh_step, s->place[d][i]);
        }
}
