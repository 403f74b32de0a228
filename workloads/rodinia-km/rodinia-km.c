/* rodinia-km: k-means of network connections into 5 clusters by 34 features. */
#include "gen.h"

#include <math.h>
#include <string.h>

enum { FEATURES = 34, CLUSTERS = 5, BLOCK = 256, KINDS = 4 };

struct state {
    uint32_t points, rounds; /* at most so many rounds */
    struct wl_array *by_point, *by_feature, *membership, *centres;
};

/* Features like those of the KDD Cup 1999 connections that Rodinia ships: bytes with a long tail,
 * counts up to 511, rates in hundredths, and flags that are mostly 0. Connections of one kind (of
 * 4, the first two frequent) resemble each other. */
static float feature(struct rng *rng, uint32_t kind, uint32_t f, const uint32_t typical[FEATURES])
{
    if (f < 3) { /* duration, bytes sent, bytes received */
        if (kind == 0)
            return (float)typical[f];
        return (float)(rng_u64(rng) >> (44 + rng_below(rng, 20)));
    }
    if (f < 14) /* flags and rare events */
        return (float)(rng_below(rng, 64) == 0);
    if (f < 18) { /* connections in the last seconds */
        uint32_t spread = kind < 2 ? 4 : 200, v = typical[f] % 512 + rng_below(rng, spread);
        return (float)(v < 511 ? v : 511);
    }
    /* rates */
    uint32_t percent = rng_below(rng, 8) == 0 ? rng_below(rng, 101) : (typical[f] & 1) * 100;
    return (float)percent / 100.0f;
}

static void make(struct wl *w, void *state)
{
    static const uint32_t points[WL_SIZES] = {128, 1600, 10240, 49152, 57344};
    static const uint32_t rounds[WL_SIZES] = {3, 6, 14, 20, 4};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    uint32_t typical[KINDS][FEATURES];
    s->points = points[wl_size(w)];
    s->rounds = rounds[wl_size(w)];
    size_t n = (size_t)s->points * FEATURES;
    s->by_point = wl_array(w, "features", WL_INPUT, WL_F32, n);
    s->by_feature = wl_array(w, "by_feature", WL_SCRATCH, WL_F32, n);
    s->membership = wl_array(w, "membership", WL_OUTPUT, WL_I32, s->points);
    wl_judge(s->membership, "wrong");
    s->centres = wl_array(w, "centres", WL_OUTPUT, WL_F32, CLUSTERS * FEATURES);
    wl_judge(s->centres, "rmse");

    for (int k = 0; k < KINDS; k++)
        for (int f = 0; f < FEATURES; f++)
            typical[k][f] = rng_below(&rng, 1500);
    for (uint32_t p = 0; p < s->points; p++) {
        uint32_t r = rng_below(&rng, 100), kind = r < 57 ? 0 : r < 78 ? 1 : r < 98 ? 2 : 3;
        for (uint32_t f = 0; f < FEATURES; f++)
            s->by_point->f32[(size_t)p * FEATURES + f] = feature(&rng, kind, f, typical[kind]);
    }
}

static void first_centres(const struct state *s, float *centres)
{
    for (uint32_t c = 0; c < CLUSTERS; c++)
        memcpy(centres + c * FEATURES,
               s->by_point->f32 + (size_t)(s->points / CLUSTERS * c) * FEATURES,
               FEATURES * sizeof(float));
}

/* Moves each centre to the mean of its points; a centre without points stays. */
static void move_centres(const struct state *s, const int32_t *membership, float *centres)
{
    float sums[CLUSTERS][FEATURES] = {{0}};
    uint32_t counts[CLUSTERS] = {0};

    for (uint32_t p = 0; p < s->points; p++) {
        counts[membership[p]]++;
        for (uint32_t f = 0; f < FEATURES; f++)
            sums[membership[p]][f] += s->by_point->f32[(size_t)p * FEATURES + f];
    }
    for (uint32_t c = 0; c < CLUSTERS; c++)
        for (uint32_t f = 0; counts[c] && f < FEATURES; f++)
            centres[c * FEATURES + f] = sums[c][f] / (float)counts[c];
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    float centres[CLUSTERS * FEATURES];
    uint32_t features = FEATURES, clusters = CLUSTERS;
    size_t bytes = s->points * sizeof(int32_t);
    int32_t *membership = wl_alloc(w, s->points, sizeof *membership);
    int32_t *before = wl_alloc(w, s->points, sizeof *before);
    struct wl_dim grid = WL_DIM(wl_blocks(s->points, BLOCK)), block = WL_DIM(BLOCK);

    wl_launch(w, "km_invert", grid, block, 0,
              WL_ARGS(&s->by_point->dev, &s->by_feature->dev, &s->points, &features));
    first_centres(s, centres);
    for (uint32_t round = 0; round < s->rounds; round++) {
        wl_set_symbol(w, "km_centres", centres, sizeof centres);
        wl_launch(
            w, "km_assign", grid, block, 0,
            WL_ARGS(&s->by_feature->dev, &s->membership->dev, &s->points, &features, &clusters));
        wl_read(w, s->membership->dev, membership, bytes);
        move_centres(s, membership, centres);
        if (round > 0 && !memcmp(before, membership, bytes))
            break;
        memcpy(before, membership, bytes);
    }
    wl_write(w, s->centres->dev, centres, sizeof centres);
}

static int32_t nearest(const float *point, const float *centres)
{
    float least = INFINITY;
    int32_t best = -1;

    for (int32_t c = 0; c < CLUSTERS; c++) {
        float sum = 0;
        for (int f = 0; f < FEATURES; f++) {
            float d = point[f] - centres[c * FEATURES + f];
            sum = fmaf(d, d, sum);
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    return best;
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    float *centres = s->centres->expect_f32;
    int32_t *membership = s->membership->expect_i32;

    (void)w;
    first_centres(s, centres);
    for (uint32_t round = 0; round < s->rounds; round++) {
        bool moved = round == 0;
        for (uint32_t p = 0; p < s->points; p++) {
            int32_t c = nearest(s->by_point->f32 + (size_t)p * FEATURES, centres);
            moved |= c != membership[p];
            membership[p] = c;
        }
        move_centres(s, membership, centres);
        if (!moved)
            break;
    }
}

const struct workload workload_rodinia_km = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "features turned to one row each, then one thread a point against all centres in "
                 "constant memory; the host moves the centres",
    .input = "network connections: heavy-tailed byte counts, counts, flags mostly 0, rates in "
             "hundredths; 4 kinds, the commonest 57 %",
    .imitates = "KDD Cup 1999 connections, as Rodinia's kdd_cup: 34 features",
    .tolerance = "bit-equal: the order of additions is fixed",
};
