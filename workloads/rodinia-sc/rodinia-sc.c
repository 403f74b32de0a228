/* rodinia-sc: stream cluster, which opens centres as long as that makes the points cheaper. */
#include "gen.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 512, MOST_CENTRES = 24 };

/* As the device code's, in its 32 bytes. */
struct point {
    float weight;
    uint32_t unused;
    uint64_t coordinates;
    int64_t assigned;
    float cost;
    uint32_t unused2;
};

/* One clustering in progress: on the device's results or on the reference's. */
struct clustering {
    struct point *points;
    int *centres, count; /* points that are centres */
    int *number;         /* of each point that is one: its place in centres */
    float *work;
    uint8_t *switches;
};

struct state {
    int points, dimensions, candidates;
    float opening; /* what a centre costs */
    struct wl_array *p, *coordinates, *work, *number, *switches;
};

static float distance_of(const struct state *s, int a, int b)
{
    float distance = 0;
    for (int d = 0; d < s->dimensions; d++) {
        const float *plane = s->coordinates->f32 + (size_t)d * (size_t)s->points;
        distance = fmaf(plane[a] - plane[b], plane[a] - plane[b], distance);
    }
    return distance;
}

/* Normal clouds around 12 places; the first point is the first centre. */
static void fill_points(struct wl *w, struct state *s)
{
    struct rng rng = wl_rng(w, 0);
    float places[12][64];
    for (int k = 0; k < 12; k++)
        for (int d = 0; d < s->dimensions; d++)
            places[k][d] = (float)rng_unit(&rng);
    struct point *p = s->p->data;
    for (int i = 0; i < s->points; i++) {
        uint32_t cloud = rng_below(&rng, 12);
        for (int d = 0; d < s->dimensions; d++)
            s->coordinates->f32[d * s->points + i] =
                places[cloud][d] + 0.05f * (float)gen_normal(&rng);
        p[i].weight = 1;
    }
    for (int i = 0; i < s->points; i++)
        p[i].cost = distance_of(s, i, 0);
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int points, dimensions, candidates;
    } sizes[WL_SIZES] = {
        {512, 16, 6}, {4096, 32, 12}, {32768, 64, 12}, {65536, 64, 24}, {65536, 64, 8}};
    struct state *s = state;
    s->points = sizes[wl_size(w)].points;
    s->dimensions = sizes[wl_size(w)].dimensions;
    s->candidates = sizes[wl_size(w)].candidates;
    s->opening = (float)(s->points * s->dimensions) / 2048;
    size_t n = (size_t)s->points;
    s->p = wl_array(w, "points", WL_INOUT, WL_U32, n * sizeof(struct point) / 4);
    s->coordinates = wl_array(w, "coordinates", WL_INPUT, WL_F32, n * (size_t)s->dimensions);
    s->work = wl_array(w, "work", WL_OUTPUT, WL_F32, n * (MOST_CENTRES + 1));
    s->number = wl_array(w, "number", WL_INPUT, WL_I32, n);
    s->switches = wl_array(w, "switches", WL_OUTPUT, WL_U8, n);
    fill_points(w, s);
}

static struct clustering new_clustering(struct wl *w, const struct state *s, const void *points)
{
    size_t n = (size_t)s->points;
    struct clustering c = {
        .points = wl_alloc(w, n, sizeof(struct point)),
        .centres = wl_alloc(w, MOST_CENTRES, sizeof(int)),
        .count = 1,
        .number = wl_alloc(w, n, sizeof(int)),
        .work = wl_alloc(w, n * (MOST_CENTRES + 1), sizeof(float)),
        .switches = wl_alloc(w, n, 1),
    };
    memcpy(c.points, points, n * sizeof(struct point));
    return c;
}

/* What opening the candidate costs with all that follows; below 0 it is worth it. closes[] gets the
 * centres that nobody would need then. */
static float cost_of_opening(const struct state *s, const struct clustering *c, bool *closes)
{
    float total = s->opening;
    int stride = c->count + 1;
    for (int k = 0; k < c->count; k++) {
        float lower = s->opening;
        for (int i = 0; i < s->points; i++)
            lower += c->work[i * stride + k];
        closes[k] = lower > 0;
        if (closes[k])
            total -= lower;
    }
    for (int i = 0; i < s->points; i++)
        total += c->work[i * stride + c->count];
    return total;
}

/* Opens the candidate if that is worth it. */
static void decide(const struct state *s, struct clustering *c, int candidate)
{
    bool closes[MOST_CENTRES];
    int kept = 0;
    if (c->count == MOST_CENTRES || cost_of_opening(s, c, closes) >= 0)
        return;
    for (int i = 0; i < s->points; i++) {
        struct point *p = &c->points[i];
        if (!c->switches[i] && !closes[c->number[p->assigned]])
            continue;
        p->cost = distance_of(s, i, candidate) * p->weight;
        p->assigned = candidate;
    }
    for (int k = 0; k < c->count; k++)
        if (!closes[k])
            c->centres[kept++] = c->centres[k];
    c->centres[kept++] = candidate;
    c->count = kept;
    for (int k = 0; k < kept; k++)
        c->number[c->centres[k]] = k;
}

static int candidate_of(const struct state *s, int turn)
{
    return (int)((uint64_t)(turn + 1) * 2654435761u % (uint32_t)s->points);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct clustering c = new_clustering(w, s, s->p->data);
    size_t n = (size_t)s->points, bytes = n * sizeof(struct point);
    void *zeros = wl_alloc(w, n * (MOST_CENTRES + 1), sizeof(float));
    for (int turn = 0; turn < s->candidates; turn++) {
        size_t work = n * ((size_t)c.count + 1) * sizeof(float);
        int candidate = candidate_of(s, turn);
        wl_write(w, s->work->dev, zeros, n * (MOST_CENTRES + 1) * sizeof(float));
        wl_write(w, s->switches->dev, zeros, n);
        wl_write(w, s->number->dev, c.number, n * sizeof *c.number);
        wl_write(w, s->p->dev, c.points, bytes);
        wl_launch(w, "sc_gain", WL_DIM(wl_blocks(n, BLOCK)), WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->points, &s->dimensions, &candidate, &s->p->dev, &c.count,
                          &s->coordinates->dev, &s->work->dev, &s->number->dev, &s->switches->dev));
        wl_read(w, s->work->dev, c.work, work);
        wl_read(w, s->switches->dev, c.switches, n);
        decide(s, &c, candidate);
    }
    wl_write(w, s->p->dev, c.points, bytes);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    struct clustering c = new_clustering(w, s, s->p->initial);
    size_t n = (size_t)s->points;
    for (int turn = 0; turn < s->candidates; turn++) {
        int candidate = candidate_of(s, turn), stride = c.count + 1;
        memset(c.work, 0, n * (MOST_CENTRES + 1) * sizeof *c.work);
        memset(c.switches, 0, n);
        for (int i = 0; i < s->points; i++) {
            const struct point *p = &c.points[i];
            float cost = distance_of(s, i, candidate) * p->weight;
            c.switches[i] = cost < p->cost;
            c.work[i * stride + (c.switches[i] ? c.count : c.number[p->assigned])] =
                c.switches[i] ? cost - p->cost : p->cost - cost;
        }
        decide(s, &c, candidate);
    }
    memcpy(s->p->expect, c.points, n * sizeof(struct point));
    memcpy(s->work->expect, c.work, s->work->count * sizeof(float));
    memcpy(s->switches->expect, c.switches, n);
}

const struct workload workload_rodinia_sc = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "a launch a candidate, a thread a point: distance over coordinates by dimension, "
                 "costs in records of 32 bytes, gains in a row a thread; the host adds them up and "
                 "opens or not",
    .input = "normal clouds around 12 places in 16 to 64 dimensions",
    .imitates = "a stream of points in clusters; Rodinia draws uniform points",
    .idle = "128 blocks a launch, two at a time on an SM: when 112 have ended, 16 are left",
    .tolerance = "bit-equal: fused multiply-adds in a fixed order",
};
