/* mars-pvr: pages by views, the most viewed first. */
#include "gen_text.h"
#include "mapreduce.h"

#include <stdlib.h>
#include <string.h>

struct state {
    uint32_t pages; /* a power of two, so that the index is filled */
    struct mr mr;
    struct mr_pairs in, out;
};

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr pairs, keys, values;
};

static void make(struct wl *w, void *state)
{
    static const uint32_t pages[WL_SIZES] = {256, 8192, 65536, 262144, 131072};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->pages = pages[wl_size(w)];
    struct gen_text views = gen_page_views(w, &rng, s->pages);
    size_t n = s->pages;
    struct mr_room room = {n, 4 * n, 4 * n, WL_U32, WL_U32};
    s->in = mr_pairs_declare(w, "in", WL_INPUT, room);
    s->mr = mr_declare(w, n);
    s->out = mr_sorted_declare(w, "out", WL_OUTPUT, room);
    mr_fill_index(&s->in, s->pages, 4, 4);
    for (uint32_t i = 0; i < s->pages; i++) {
        const char *line = (const char *)views.text + views.starts[i];
        s->in.keys->u32[i] = (uint32_t)strtoul(strchr(line, ' '), NULL, 10);
        s->in.values->u32[i] = views.starts[i];
    }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->in.index->dev, s->in.keys->dev, s->in.values->dev};

    mr_map(w, &s->mr, &job, s->pages, &s->out);
    mr_sort(w, &s->out);
}

struct view {
    uint32_t count, line;
};

static int by_views(const void *pa, const void *pb)
{
    const struct view *a = pa, *b = pb;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    struct view *views = wl_alloc(w, s->pages, sizeof *views);
    struct mr_pair *index = s->out.index->expect;

    for (uint32_t i = 0; i < s->pages; i++) {
        views[i] = (struct view){s->in.keys->u32[i], i};
        s->out.keys->expect_u32[i] = views[i].count;
        s->out.values->expect_u32[i] = s->in.values->u32[i];
    }
    qsort(views, s->pages, sizeof *views, by_views);
    for (uint32_t i = 0; i < s->pages; i++)
        index[i] = (struct mr_pair){4 * views[i].line, 4, 4 * views[i].line, 4};
}

const struct workload workload_mars_pvr = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "map passes (count, place of the URL) on, bitonic sort of the index by count; no "
                 "reduce",
    .input = "view counts by Zipf's law in random order, with the places of URLs of 40 to 70 bytes",
    .imitates = "the counts of pages of a web server, by Zipf's law",
    .idle = "a step of the sort is a launch of 256 tiles, four or five an SM, and waits for the "
            "slowest",
    .tolerance = "equal: integers, equal counts in the order of the lines",
};
