/* mars-pvc: the different visits to each page of a web log. */
#include "gen_text.h"
#include "mapreduce.h"

#include <stdlib.h>
#include <string.h>

/* As the device code's. */
struct entry {
    uint64_t file;
    uint32_t offset, hash;
};

struct line {
    uint32_t bytes, second;
};

struct job {
    CUdeviceptr pairs, keys, values;
};

struct state {
    uint32_t lines;
    bool both_jobs;
    struct wl_array *text, *starts; /* starts: of the groups in `out` */
    struct mr mr;
    struct mr_pairs in, sorted_lines, unique_lines, out;
};

static void make(struct wl *w, void *state)
{
    static const uint32_t lines[WL_SIZES] = {128, 2048, 32768, 131072, 32768};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->lines = lines[wl_size(w)];
    s->both_jobs = wl_size(w) <= WL_SMALL; /* larger ones are stopped before the second */
    struct gen_text log = gen_web_log(w, &rng, s->lines, s->lines / 2);
    size_t n = s->lines, bytes = log.starts[n];
    struct mr_room room = {n, n * sizeof(struct entry), n * sizeof(struct line), WL_U32, WL_U32};
    s->text = wl_array(w, "log", WL_INPUT, WL_U8, bytes);
    s->in = mr_pairs_declare(w, "in", WL_INPUT, room);
    s->mr = mr_declare(w, n);
    s->sorted_lines = mr_sorted_declare(w, "lines", WL_SCRATCH, room);
    s->unique_lines = mr_pairs_declare(w, "unique", WL_OUTPUT, room);
    room.value_bytes = 4 * n;
    if (s->both_jobs) {
        s->out = mr_sorted_declare(w, "out", WL_OUTPUT, room);
        s->starts = wl_array(w, "starts", WL_OUTPUT, WL_U32, n + 1);
    }
    memcpy(s->text->data, log.text, bytes);
    mr_fill_index(&s->in, s->lines, sizeof(struct entry), sizeof(struct line));
    for (uint32_t i = 0; i < s->lines; i++) {
        ((struct entry *)s->in.keys->data)[i].offset = log.starts[i];
        ((struct line *)s->in.values->data)[i].bytes = log.starts[i + 1] - log.starts[i] - 1;
    }
}

static struct job job_on(const struct mr_pairs *in)
{
    return (struct job){in->index->dev, in->keys->dev, in->values->dev};
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = job_on(&s->in);

    wl_set_symbol(w, "log_text", &s->text->dev, sizeof s->text->dev);
    mr_map(w, &s->mr, &job, s->lines, &s->sorted_lines);
    mr_sort(w, &s->sorted_lines);
    mr_reduce(w, &s->mr, &job, &s->sorted_lines, &s->unique_lines);
    if (!s->both_jobs)
        return;
    job = job_on(&s->unique_lines);
    mr_map(w, &s->mr, &job, s->unique_lines.count, &s->out);
    mr_sort(w, &s->out);
    mr_group(w, &s->mr, &s->out, s->starts->dev);
}

/* An entry as the reference sorts it: by hash, text, and place. */
struct sortable {
    uint32_t hash, bytes, place, offset;
    const uint8_t *text;
};

static int compare_entries(const void *pa, const void *pb)
{
    const struct sortable *a = pa, *b = pb;
    uint32_t shorter = a->bytes < b->bytes ? a->bytes : b->bytes;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    int order = memcmp(a->text, b->text, shorter);
    if (!order && a->bytes != b->bytes)
        order = a->bytes < b->bytes ? -1 : 1;
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static bool same_text(const struct sortable *a, const struct sortable *b)
{
    return a->bytes == b->bytes && !memcmp(a->text, b->text, a->bytes);
}

static struct sortable sortable(const struct state *s, uint32_t place, uint32_t offset, uint8_t end)
{
    struct sortable e = {.place = place, .offset = offset, .text = s->text->u8 + offset};

    e.hash = 2166136261u;
    for (; e.text[e.bytes] != end; e.bytes++)
        e.hash = (e.hash ^ e.text[e.bytes]) * 16777619u;
    return e;
}

/* The first job: unique lines, sorted. They become entries for the second; returns how many. */
static uint32_t unique_urls(struct state *s, struct sortable *lines, struct sortable *urls)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->lines; i++)
        lines[i] = sortable(s, i, ((struct entry *)s->in.keys->data)[i].offset, '\n');
    qsort(lines, s->lines, sizeof *lines, compare_entries);
    for (uint32_t i = 0; i < s->lines; i++)
        if (!i || !same_text(&lines[i - 1], &lines[i])) {
            ((struct entry *)s->unique_lines.keys->expect)[count] =
                (struct entry){0, lines[i].offset, lines[i].hash};
            ((struct line *)s->unique_lines.values->expect)[count] =
                (struct line){lines[i].bytes, 1};
            ((struct mr_pair *)s->unique_lines.index->expect)[count] =
                (struct mr_pair){16 * count, 16, 8 * count, 8};
            urls[count] = sortable(s, count, lines[i].offset, ' ');
            count++;
        }
    return count;
}

/* The second job: entries sorted by URL, and where each URL's begin. */
static void group_urls(struct state *s, struct sortable *urls, uint32_t count)
{
    struct mr_pair *index = s->out.index->expect;
    uint32_t padded = 2, groups = 0;

    for (uint32_t i = 0; i < count; i++) {
        ((struct entry *)s->out.keys->expect)[i] = (struct entry){0, urls[i].offset, urls[i].hash};
        s->out.values->expect_u32[i] = urls[i].offset + urls[i].bytes + 1;
    }
    qsort(urls, count, sizeof *urls, compare_entries);
    while (padded < count)
        padded *= 2;
    for (uint32_t i = 0; i < padded; i++)
        index[i] = i < count ? (struct mr_pair){16 * urls[i].place, 16, 4 * urls[i].place, 4}
                             : (struct mr_pair){0, UINT32_MAX, 0, 0};
    for (uint32_t i = 0; i < count; i++)
        if (!i || !same_text(&urls[i - 1], &urls[i]))
            s->starts->expect_u32[groups++] = i;
    s->starts->expect_u32[groups] = count;
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    struct sortable *lines = wl_alloc(w, s->lines, sizeof *lines);
    struct sortable *urls = wl_alloc(w, s->lines, sizeof *urls);
    uint32_t count = unique_urls(s, lines, urls);

    if (s->both_jobs)
        group_urls(s, urls, count);
}

const struct workload workload_mars_pvc = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "two map-reduce jobs whose keys are places in the log with a hash: unique lines, "
        "then (not at medium and large) visits grouped by URL; bitonic sort by hash, by text "
        "where hashes are equal",
    .input =
        "web log, Zipf-distributed pages, URL, address and cookie; a tenth of the lines repeated",
    .imitates = "a web server's log: URL, address and cookie a line, as in Mars",
    .tolerance = "equal: integers",
    .idle = "equal lines are sorted by text: the blocks that have the commonest "
            "take longest",
};
