/* parboil-tpacf: two-point angular correlation of galaxies, observed and random ones. */
#include "exact_math.h"
#include "gen.h"
#include "workload.h"

#include <math.h>

enum { BLOCK = 256, BINS = 20 };

struct sets {
    CUdeviceptr x, y, z;
    int count, points;
};

struct state {
    struct sets sets;
    float bounds[BINS + 1];
    struct wl_array *x, *y, *z, *histograms;
};

/* From 1 to 10 000 minutes of arc, five bins a decade. */
static void set_bounds(struct state *s)
{
    for (int i = 0; i <= BINS; i++) {
        double minutes = exact_exp(i / 5.0 * 2.302585092994046);
        s->bounds[i] = (float)exact_cos(minutes / 60 * 0.017453292519943295);
    }
}

static void set_point(struct state *s, size_t i, const double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    s->x->f32[i] = (float)(v[0] / length);
    s->y->f32[i] = (float)(v[1] / length);
    s->z->f32[i] = (float)(v[2] / length);
}

/* Random points are even on the sphere; observed ones form clusters of about 16 galaxies, each
 * within a few degrees. */
static void make_points(struct wl *w, struct state *s)
{
    struct rng rng = wl_rng(w, 0);
    double centre[3] = {1, 0, 0}, v[3];
    for (size_t i = 0; i < s->x->count; i++) {
        bool observed = i < (size_t)s->sets.points;
        if (observed && rng_below(&rng, 16) == 0)
            for (int k = 0; k < 3; k++)
                centre[k] = gen_normal(&rng);
        for (int k = 0; k < 3; k++)
            v[k] = observed ? centre[k] + 0.05 * gen_normal(&rng) : gen_normal(&rng);
        set_point(s, i, v);
    }
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int count, points;
    } sizes[WL_SIZES] = {{1, 40}, {4, 150}, {50, 200}, {100, 300}, {100, 200}};
    struct state *s = state;
    s->sets.count = sizes[wl_size(w)].count;
    s->sets.points = sizes[wl_size(w)].points;
    size_t n = (size_t)(s->sets.count + 1) * s->sets.points;
    s->x = wl_array(w, "x", WL_INPUT, WL_F32, n);
    s->y = wl_array(w, "y", WL_INPUT, WL_F32, n);
    s->z = wl_array(w, "z", WL_INPUT, WL_F32, n);
    s->histograms =
        wl_array(w, "histograms", WL_OUTPUT, WL_U32, (size_t)(2 * s->sets.count + 1) * BINS);
    set_bounds(s);
    make_points(w, s);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    s->sets.x = s->x->dev;
    s->sets.y = s->y->dev;
    s->sets.z = s->z->dev;
    wl_set_symbol(w, "bounds", s->bounds, sizeof s->bounds);
    wl_launch(w, "tpacf", WL_DIM(2 * (unsigned)s->sets.count + 1), WL_DIM(BLOCK), 0,
              WL_ARGS(&s->sets, &s->histograms->dev));
}

/* The histogram of the angles between sets a and b; of a set with itself each pair once. */
static void correlate(const struct state *s, int a, int b, uint32_t *out)
{
    const float *x = s->x->f32, *y = s->y->f32, *z = s->z->f32;
    int n = s->sets.points;
    for (int i = 0; i < n; i++)
        for (int j = a == b ? i + 1 : 0; j < n; j++) {
            int p = a * n + i, q = b * n + j, bin = 0;
            float cosine = fmaf(z[p], z[q], fmaf(y[p], y[q], x[p] * x[q]));
            if (cosine >= s->bounds[0] || cosine < s->bounds[BINS])
                continue;
            while (cosine < s->bounds[bin + 1])
                bin++;
            out[bin]++;
        }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (int block = 0; block <= 2 * s->sets.count; block++) {
        bool with_itself = block <= s->sets.count;
        int set = with_itself ? block : block - s->sets.count;
        correlate(s, with_itself ? set : 0, set, s->histograms->expect_u32 + block * BINS);
    }
}

const struct workload workload_parboil_tpacf = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "a block a pair of sets of points, cosines of all pairs, bins by binary search in "
                 "constant memory, 128 histograms in shared memory by atomic additions",
    .input = "galaxies on the sky: one clustered set and up to 100 random ones",
    .imitates = "a survey of galaxies and random skies beside it, as Parboil's",
    .tolerance = "equal: counts; cosines are fused multiply-adds in a fixed order",
    .idle = "few long blocks, a pair of sets each: the last ones run alone",
};
