/* mars-km: k-means with integer coordinates as map-reduce; the host starts the rounds. */
#include "gen.h"
#include "mapreduce.h"

#include <string.h>

enum { DIMENSIONS = 4, CLUSTERS = 16, CHUNK = 512, SUM = DIMENSIONS + 1 };

struct state {
    uint32_t points, rounds;
    struct wl_array *in, *centres;
    struct mr mr;
    struct mr_pairs nearest, sums, out;
};

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr points, centres;
    uint32_t clusters, chunk, chunks, second;
};

/* Measurements in 0..9999 around 24 centres, normal with deviations of 100 to 800. */
static void make_points(struct wl *w, struct state *s)
{
    enum { BLOBS = 24 };
    struct rng rng = wl_rng(w, 0);
    int32_t middle[BLOBS][DIMENSIONS], deviation[BLOBS];

    for (int b = 0; b < BLOBS; b++) {
        deviation[b] = 100 + (int32_t)rng_below(&rng, 701);
        for (int d = 0; d < DIMENSIONS; d++)
            middle[b][d] = 1000 + (int32_t)rng_below(&rng, 8000);
    }
    for (uint32_t p = 0; p < s->points; p++) {
        uint32_t b = rng_below(&rng, BLOBS);
        for (int d = 0; d < DIMENSIONS; d++) {
            int32_t v = middle[b][d] + (int32_t)(gen_normal(&rng) * deviation[b]);
            s->in->i32[p * DIMENSIONS + (uint32_t)d] = v < 0 ? 0 : v > 9999 ? 9999 : v;
        }
    }
    memcpy(s->centres->data, s->in->data, CLUSTERS * DIMENSIONS * sizeof(int32_t));
}

static void make(struct wl *w, void *state)
{
    static const uint32_t points[WL_SIZES] = {200, 4096, 65536, 262144, 131072};
    static const uint32_t rounds[WL_SIZES] = {1, 2, 1, 1, 1};
    struct state *s = state;
    s->points = points[wl_size(w)];
    s->rounds = rounds[wl_size(w)];
    s->in = wl_array(w, "points", WL_INPUT, WL_I32, s->points * DIMENSIONS);
    s->centres = wl_array(w, "centres", WL_INOUT, WL_I32, CLUSTERS * DIMENSIONS);
    s->mr = mr_declare(w, s->points);
    s->nearest = mr_sorted_declare(
        w, "nearest", WL_SCRATCH,
        (struct mr_room){s->points, 4 * (size_t)s->points, 4 * (size_t)s->points, WL_U32, WL_U32});
    size_t sums = (size_t)CLUSTERS * wl_blocks(s->points, CHUNK);
    s->sums = mr_pairs_declare(w, "sums", WL_SCRATCH,
                               (struct mr_room){sums, 4 * sums, 4 * SUM * sums, WL_U32, WL_I32});
    s->out = mr_pairs_declare(
        w, "out", WL_OUTPUT,
        (struct mr_room){CLUSTERS, 4 * CLUSTERS, 4 * CLUSTERS * SUM, WL_U32, WL_I32});
    make_points(w, s);
}

/* Centres without points emit nothing: what the last round left there must not look like output. */
static void clear_out(struct wl *w, struct state *s)
{
    static const uint32_t zeros[SUM * CLUSTERS];

    wl_write(w, s->out.index->dev, zeros, 16 * CLUSTERS);
    wl_write(w, s->out.keys->dev, zeros, 4 * CLUSTERS);
    wl_write(w, s->out.values->dev, zeros, 4 * CLUSTERS * SUM);
}

/* Moves the centres that have points to their means. */
static void move_centres(struct wl *w, struct state *s)
{
    int32_t centres[CLUSTERS * DIMENSIONS], means[CLUSTERS * SUM];
    uint32_t keys[CLUSTERS];

    wl_read(w, s->centres->dev, centres, sizeof centres);
    wl_read(w, s->out.keys->dev, keys, sizeof keys);
    wl_read(w, s->out.values->dev, means, sizeof means);
    for (uint32_t i = 0; i < s->out.count; i++)
        memcpy(centres + keys[i] * DIMENSIONS, means + i * SUM, DIMENSIONS * sizeof(int32_t));
    wl_write(w, s->centres->dev, centres, sizeof centres);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->in->dev, s->centres->dev, CLUSTERS, CHUNK, wl_blocks(s->points, CHUNK), 0};

    for (uint32_t round = 0; round < s->rounds; round++) {
        job.second = 0;
        mr_map(w, &s->mr, &job, s->points, &s->nearest);
        mr_sort(w, &s->nearest);
        clear_out(w, s);
        mr_reduce(w, &s->mr, &job, &s->nearest, &s->sums);
        job.second = 1;
        mr_reduce(w, &s->mr, &job, &s->sums, &s->out);
        move_centres(w, s);
    }
}

static uint32_t nearest_of(const int32_t *point, const int32_t *centres)
{
    int32_t least = INT32_MAX;
    uint32_t best = 0;

    for (uint32_t c = 0; c < CLUSTERS; c++) {
        int32_t sum = 0;
        for (int d = 0; d < DIMENSIONS; d++) {
            int32_t difference = point[d] - centres[c * DIMENSIONS + (uint32_t)d];
            sum += difference * difference;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    return best;
}

static void reference_round(struct state *s, int32_t *centres)
{
    int32_t sums[CLUSTERS][DIMENSIONS] = {{0}}, counts[CLUSTERS] = {0};
    uint32_t out = 0;

    memset(s->out.index->expect, 0, 16 * CLUSTERS);
    memset(s->out.keys->expect, 0, 4 * CLUSTERS);
    memset(s->out.values->expect, 0, 4 * CLUSTERS * SUM);
    for (uint32_t p = 0; p < s->points; p++) {
        const int32_t *point = s->in->i32 + p * DIMENSIONS;
        uint32_t c = nearest_of(point, centres);
        counts[c]++;
        for (int d = 0; d < DIMENSIONS; d++)
            sums[c][d] += point[d];
    }
    for (uint32_t c = 0; c < CLUSTERS; c++) {
        if (!counts[c])
            continue;
        for (uint32_t d = 0; d < DIMENSIONS; d++) {
            centres[c * DIMENSIONS + d] = sums[c][d] / counts[c];
            s->out.values->expect_i32[out * SUM + d] = centres[c * DIMENSIONS + d];
        }
        s->out.values->expect_i32[out * SUM + DIMENSIONS] = counts[c];
        s->out.keys->expect_u32[out] = c;
        ((struct mr_pair *)s->out.index->expect)[out] =
            (struct mr_pair){4 * out, 4, 4 * SUM * out, 4 * SUM};
        out++;
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;

    (void)w;
    memcpy(s->centres->expect, s->centres->initial, CLUSTERS * DIMENSIONS * sizeof(int32_t));
    for (uint32_t round = 0; round < s->rounds; round++)
        reference_round(s, s->centres->expect_i32);
}

const struct workload workload_mars_km = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "map emits (nearest centre, point), bitonic sort by centre and chunk of points, one "
        "reduce adds up chunks with a thread each, a second takes the mean of a centre",
    .input = "4-dimensional whole numbers 0 to 9999, normal around 24 centres",
    .imitates = "points in clusters; Mars draws random ones",
    .tolerance = "equal: integers",
    .idle = "the mean of a centre is one thread's work",
};
