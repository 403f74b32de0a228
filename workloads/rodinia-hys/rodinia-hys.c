/* rodinia-hys: hybrid sort of numbers, by buckets and by merging. */
#include "gen.h"
#include "workload.h"

#include <stdlib.h>
#include <string.h>

enum {
    BINS = 1024,
    MOST_HISTOGRAMS = 64, /* blocks */
    HISTOGRAM_BLOCK = 96,
    BUCKET_BLOCK = 32,
    BAND = 128, /* numbers of a thread that puts them into buckets */
    MERGE_BLOCK = 208,
    BLOCK = 256,
    MOST_BUCKETS = 1024,
};

struct state {
    int count, buckets; /* buckets: a power of two */
    unsigned blocks;    /* that put numbers into buckets */
    struct wl_array *numbers, *histogram, *pivots, *place, *counts, *sizes, *lists[2], *sorted;
};

/* Where the buckets are, and the most quads of one. */
struct layout {
    int start[MOST_BUCKETS + 1], final[MOST_BUCKETS + 1], padding[MOST_BUCKETS], most;
};

static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES][2] = {
        {2000, 64}, {65536, 256}, {786432, 1024}, {3145728, 1024}, {786432, 1024}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->count = sizes[wl_size(w)][0];
    s->buckets = sizes[wl_size(w)][1];
    s->blocks = wl_blocks((size_t)s->count, BUCKET_BLOCK * BAND);
    size_t n = (size_t)s->count, buckets = (size_t)s->buckets;
    s->numbers = wl_array(w, "numbers", WL_INPUT, WL_F32, n);
    s->histogram = wl_array(w, "histogram", WL_SCRATCH, WL_U32, BINS);
    s->pivots = wl_array(w, "pivots", WL_SCRATCH, WL_F32, buckets);
    s->place = wl_array(w, "place", WL_SCRATCH, WL_I32, n);
    s->counts = wl_array(w, "counts", WL_SCRATCH, WL_U32, s->blocks * buckets);
    s->sizes = wl_array(w, "sizes", WL_SCRATCH, WL_U32, buckets);
    s->lists[0] = wl_array(w, "list_even", WL_SCRATCH, WL_F32, n + 4 * buckets);
    s->lists[1] = wl_array(w, "list_odd", WL_SCRATCH, WL_F32, n + 4 * buckets);
    s->sorted = wl_array(w, "sorted", WL_OUTPUT, WL_F32, n);
    for (int i = 0; i < s->count; i++) { /* half uniform, half in a bell */
        double v = i % 2 ? rng_unit(&rng) : 0.5 + 0.1 * gen_normal(&rng);
        s->numbers->f32[i] = (float)(v < 0 ? -v : v) + 0x1p-20f;
    }
}

/* pivots[i]: i + 1 of the buckets' shares of the numbers are below, by the histogram. */
static void set_pivots(const struct state *s, const uint32_t *histogram, float least, float width,
                       float *pivots)
{
    float share = (float)s->count / (float)s->buckets, below = 0;
    int bin = 0;
    for (int i = 0; i < s->buckets; i++) {
        float wanted = share * (float)(i + 1);
        while (bin < BINS - 1 && below + (float)histogram[bin] < wanted)
            below += (float)histogram[bin++];
        float part = histogram[bin] ? (wanted - below) / (float)histogram[bin] : 1;
        pivots[i] = least + ((float)bin + part) * width;
    }
}

/* The first pass: how the numbers are spread, from which the pivots of the buckets follow. */
static void find_pivots(struct wl *w, struct state *s)
{
    uint32_t histogram[BINS];
    float least = s->numbers->f32[0], greatest = least, pivots[MOST_BUCKETS];
    for (int i = 1; i < s->count; i++) {
        least = s->numbers->f32[i] < least ? s->numbers->f32[i] : least;
        greatest = s->numbers->f32[i] > greatest ? s->numbers->f32[i] : greatest;
    }
    unsigned blocks = wl_blocks((size_t)s->count, 1024);
    if (blocks > MOST_HISTOGRAMS)
        blocks = MOST_HISTOGRAMS;
    wl_launch(w, "hys_histogram", WL_DIM(blocks), WL_DIM(HISTOGRAM_BLOCK), 0,
              WL_ARGS(&s->histogram->dev, &s->numbers->dev, &least, &greatest, &s->count));
    wl_read(w, s->histogram->dev, histogram, sizeof histogram);
    set_pivots(s, histogram, least, (greatest - least) / BINS, pivots);
    wl_write(w, s->pivots->dev, pivots, (size_t)s->buckets * sizeof *pivots);
}

/* Buckets begin at whole quads, with as many zeros as that takes. */
static void lay_out(struct wl *w, struct state *s, struct layout *l)
{
    uint32_t sizes[MOST_BUCKETS];
    wl_read(w, s->sizes->dev, sizes, (size_t)s->buckets * sizeof *sizes);
    for (int i = 0; i < s->buckets; i++) {
        int quads = (int)(sizes[i] + 3) / 4;
        l->padding[i] = 4 * quads - (int)sizes[i];
        l->start[i + 1] = l->start[i] + quads;
        l->final[i + 1] = l->final[i] + (int)sizes[i];
        l->most = quads > l->most ? quads : l->most;
    }
    wl_set_symbol(w, "bucket_start", l->start, sizeof l->start);
    wl_set_symbol(w, "final_start", l->final, sizeof l->final);
    wl_set_symbol(w, "padding", l->padding, sizeof l->padding);
}

static void fill_buckets(struct wl *w, struct state *s, struct layout *l)
{
    struct wl_dim grid = WL_DIM(s->blocks), block = WL_DIM(BUCKET_BLOCK);
    wl_launch(w, "hys_count", grid, block, 0,
              WL_ARGS(&s->numbers->dev, &s->place->dev, &s->counts->dev, &s->pivots->dev,
                      &s->buckets, &s->count));
    wl_launch(w, "hys_offsets", WL_DIM(wl_blocks((size_t)s->buckets, 128)), WL_DIM(128), 0,
              WL_ARGS(&s->counts->dev, &s->sizes->dev, &s->buckets, &s->blocks));
    lay_out(w, s, l);
    wl_launch(w, "hys_scatter", grid, block, 0,
              WL_ARGS(&s->numbers->dev, &s->place->dev, &s->lists[0]->dev, &s->counts->dev,
                      &s->buckets, &s->count));
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct layout *l = wl_alloc(w, 1, sizeof *l);
    int from = 0;
    find_pivots(w, s);
    fill_buckets(w, s, l);
    int quads = l->start[s->buckets];
    wl_launch(w, "hys_sort_quads", WL_DIM(wl_blocks((size_t)quads, BLOCK)), WL_DIM(BLOCK), 0,
              WL_ARGS(&s->lists[0]->dev, &quads));
    for (int run = 2; run < 2 * l->most; run *= 2, from = !from) {
        int threads = (l->most + run - 1) / run;
        wl_launch(
            w, "hys_merge", WL_DIM(wl_blocks((size_t)threads * (size_t)s->buckets, MERGE_BLOCK)),
            WL_DIM(MERGE_BLOCK), 0,
            WL_ARGS(&s->lists[from]->dev, &s->lists[!from]->dev, &run, &s->buckets, &threads));
    }
    wl_launch(w, "hys_pack", WL_DIM(wl_blocks(4 * (size_t)l->most, BLOCK), (unsigned)s->buckets),
              WL_DIM(BLOCK), 0, WL_ARGS(&s->lists[from]->dev, &s->sorted->dev));
}

static int compare_floats(const void *pa, const void *pb)
{
    float a = *(const float *)pa, b = *(const float *)pb;
    return (a > b) - (a < b);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    memcpy(s->sorted->expect, s->numbers->data, (size_t)s->count * sizeof(float));
    qsort(s->sorted->expect, (size_t)s->count, sizeof(float), compare_floats);
}

const struct workload workload_rodinia_hys = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "histogram in shared memory, pivots on the host, numbers scattered into buckets of "
        "about equal size, merge sort of quads with a thread a pair of runs, packing",
    .input = "positive numbers, half of them uniform, half in a bell",
    .imitates = "Rodinia's uniform numbers, half of them bunched so that buckets differ",
    .tolerance = "bit-equal: a sorted list is unique",
    .idle = "the last rounds of the merge have few threads, in the end one a bucket",
};
