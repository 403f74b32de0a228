/* sdk-sla: exclusive scan of a large array of floats. */
#include "gen.h"
#include "workload.h"

enum { ELEMENTS = 512, LEVELS = 4 };

struct state {
    int n[LEVELS]; /* elements of each level; 0: no such level */
    struct wl_array *in, *out;
    struct wl_array *totals[LEVELS], *scanned[LEVELS]; /* of level i's blocks */
};

/* How many of something came in each interval: small whole numbers, mostly 0 and 1, in bursts.
 * Their sum stays below 2^24 at every size, where floats count exactly. */
static void fill(struct rng *rng, float *out, int n)
{
    uint32_t rate = 0;
    for (int i = 0; i < n; i++) {
        if (i % 64 == 0)
            rate = rng_below(rng, 8) ? 24 + rng_below(rng, 40) : 120;
        int count = 0;
        while (count < 15 && rng_below(rng, 128) < rate)
            count++;
        out[i] = (float)count;
    }
}

static void make(struct wl *w, void *state)
{
    static const int counts[WL_SIZES] = {5400, 136000, 2000000, 8000000, 2000000};
    static const char *const names[LEVELS][2] = {{"totals0", "scanned0"},
                                                 {"totals1", "scanned1"},
                                                 {"totals2", "scanned2"},
                                                 {"totals3", "scanned3"}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    int n = counts[wl_size(w)];
    s->in = wl_array(w, "in", WL_INPUT, WL_F32, (size_t)n);
    s->out = wl_array(w, "out", WL_OUTPUT, WL_F32, (size_t)n);
    fill(&rng, s->in->f32, n);
    for (int i = 0; i < LEVELS; i++) {
        size_t blocks = wl_blocks((size_t)n, ELEMENTS);
        s->n[i] = n;
        s->totals[i] = wl_array(w, names[i][0], WL_SCRATCH, WL_F32, blocks);
        s->scanned[i] = wl_array(w, names[i][1], WL_SCRATCH, WL_F32, blocks);
        if (blocks == 1)
            break;
        n = (int)blocks;
    }
}

static void scan(struct wl *w, struct state *s, int level, CUdeviceptr out, CUdeviceptr in)
{
    unsigned blocks = wl_blocks((size_t)s->n[level], ELEMENTS);
    CUdeviceptr totals = s->totals[level]->dev, scanned = s->scanned[level]->dev;
    wl_launch(w, "scan_blocks", WL_DIM(blocks), WL_DIM(ELEMENTS / 2), 0,
              WL_ARGS(&out, &totals, &in, &s->n[level]));
    if (blocks == 1)
        return;
    scan(w, s, level + 1, scanned, totals);
    wl_launch(w, "add_totals", WL_DIM(blocks), WL_DIM(ELEMENTS / 2), 0,
              WL_ARGS(&out, &scanned, &s->n[level]));
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    scan(w, s, 0, s->out->dev, s->in->dev);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    int64_t sum = 0;
    (void)w;
    for (size_t i = 0; i < s->in->count; i++) {
        s->out->expect_f32[i] = (float)sum;
        sum += (int64_t)s->in->f32[i];
    }
}

const struct workload workload_sdk_sla = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "work-efficient scan of 512 elements a block in shared memory, block totals "
                 "scanned recursively and added",
    .input = "event counts in bursts: whole numbers 0 to 15 as floats",
    .imitates = "counts of events; the SDK's program draws uniform whole numbers",
    .tolerance = "bit-equal: all sums are whole numbers below 2^24",
};
