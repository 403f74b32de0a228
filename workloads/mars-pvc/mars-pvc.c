/* mars-pvc: how many different visits each page of a web log had. */
#include "gen_text.h"
#include "mapreduce.h"

#include <stdlib.h>
#include <string.h>

struct state {
    uint32_t lines;
    struct wl_array *text, *starts;
    struct mr mr;
    struct mr_pairs sorted_lines, unique_lines, sorted_urls, out;
};

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr text, starts, keys, values, pairs;
    uint32_t second;
};

/* What the pages of a log take as keys of the output. */
static struct mr_room output_room(struct wl *w, const struct gen_text *log, uint32_t pages)
{
    struct mr_room room = {.key_type = WL_U8, .value_type = WL_U32};
    uint8_t *seen = wl_alloc(w, pages, 1);

    for (uint32_t i = 0; i < log->lines; i++) {
        const uint8_t *line = log->text + log->starts[i];
        if (seen[log->page[i]]++)
            seen[log->page[i]] = 1;
        else
            room.key_bytes += mr_aligned((size_t)((uint8_t *)strchr((char *)line, ' ') - line));
    }
    for (uint32_t page = 0; page < pages; page++)
        room.pairs += seen[page];
    room.value_bytes = 4 * room.pairs;
    return room;
}

static void make(struct wl *w, void *state)
{
    static const uint32_t lines[WL_SIZES] = {56, 900, 9000, 36000};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->lines = lines[wl_size(w)];
    uint32_t pages = s->lines / 2;
    struct gen_text log = gen_web_log(w, &rng, s->lines, pages);
    size_t n = s->lines, bytes = log.starts[n];
    struct mr_room room = {n, bytes + 4 * n, 4 * n, WL_U8, WL_U32};
    s->text = wl_array(w, "log", WL_INPUT, WL_U8, bytes);
    s->starts = wl_array(w, "starts", WL_INPUT, WL_U32, n + 1);
    s->mr = mr_declare(w, n);
    s->sorted_lines = mr_sorted_declare(w, "lines", WL_SCRATCH, room);
    s->unique_lines = mr_pairs_declare(w, "unique", WL_SCRATCH, room);
    s->sorted_urls = mr_sorted_declare(w, "urls", WL_SCRATCH, room);
    s->out = mr_pairs_declare(w, "out", WL_OUTPUT, output_room(w, &log, pages));
    memcpy(s->text->data, log.text, bytes);
    memcpy(s->starts->data, log.starts, (n + 1) * sizeof(uint32_t));
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct mr_pairs *unique = &s->unique_lines;
    struct job job = {.text = s->text->dev, .starts = s->starts->dev};

    mr_map(w, &s->mr, &job, s->lines, &s->sorted_lines);
    mr_sort(w, &s->sorted_lines);
    mr_reduce(w, &s->mr, &job, &s->sorted_lines, unique);
    job = (struct job){.keys = unique->keys->dev,
                       .values = unique->values->dev,
                       .pairs = unique->index->dev,
                       .second = 1};
    mr_map(w, &s->mr, &job, unique->count, &s->sorted_urls);
    mr_sort(w, &s->sorted_urls);
    mr_reduce(w, &s->mr, &job, &s->sorted_urls, &s->out);
}

static int compare_lines(const void *pa, const void *pb)
{
    return strcmp(*(char *const *)pa, *(char *const *)pb);
}

/* Sorted lines stand by URL, then visitor: a space sorts before every character of a URL. */
static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    char *text = wl_alloc(w, s->text->count, 1);
    char **lines = wl_alloc(w, s->lines, sizeof *lines);
    struct mr_pair *out = s->out.index->expect, *last = NULL;
    uint32_t key_at = 0, value_at = 0;

    memcpy(text, s->text->data, s->text->count);
    for (uint32_t i = 0; i < s->lines; i++) {
        lines[i] = text + s->starts->u32[i];
        text[s->starts->u32[i + 1] - 1] = 0;
    }
    qsort(lines, s->lines, sizeof *lines, compare_lines);
    for (uint32_t i = 0; i < s->lines; i++) {
        uint32_t url = (uint32_t)strcspn(lines[i], " ");
        if (i && !strcmp(lines[i], lines[i - 1]))
            continue;
        if (!last || last->key_bytes != url ||
            memcmp(s->out.keys->expect_u8 + last->key, lines[i], url)) {
            last = out++;
            *last = (struct mr_pair){key_at, url, value_at, 4};
            memcpy(s->out.keys->expect_u8 + key_at, lines[i], url);
            key_at += mr_aligned(url);
            value_at += 4;
        }
        s->out.values->expect_u32[last->value / 4]++;
    }
}

const struct workload workload_mars_pvc = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "two map-reduce jobs with text keys: unique lines, then visits by URL; bitonic sort "
        "that compares keys byte by byte",
    .input =
        "web log, Zipf-distributed pages, URL, address and cookie; a tenth of the lines repeated",
    .tolerance = "equal: integers",
};
