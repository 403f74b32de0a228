/* mars-ii: for each URL the places in HTML that link to it. */
#include "gen_text.h"
#include "mapreduce.h"

#include <stdlib.h>
#include <string.h>

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr text, starts;
};

struct link {
    const uint8_t *text;
    uint32_t bytes, number, key; /* key: where its key is */
};

struct state {
    uint32_t lines, links;
    struct wl_array *text, *starts, *groups;
    struct mr mr;
    struct mr_pairs out;
};

/* The URL of a line that has a link, and where it is; lines have at most one. */
static struct link link_of(const struct gen_text *t, uint32_t line)
{
    const uint8_t *at = t->text + t->starts[line];

    while (*at != '"')
        at++;
    struct link link = {.text = ++at};
    while (at[link.bytes] != '"')
        link.bytes++;
    return link;
}

static void make(struct wl *w, void *state)
{
    static const uint32_t lines[WL_SIZES] = {96, 2048, 16384, 65536};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->lines = lines[wl_size(w)];
    struct gen_text html = gen_html(w, &rng, s->lines, s->lines / 4);
    size_t bytes = html.starts[s->lines];
    s->text = wl_array(w, "html", WL_INPUT, WL_U8, bytes);
    s->starts = wl_array(w, "starts", WL_INPUT, WL_U32, (size_t)s->lines + 1);
    memcpy(s->text->data, html.text, bytes);
    memcpy(s->starts->data, html.starts, s->starts->count * sizeof *html.starts);
    struct mr_room room = {.key_type = WL_U8, .value_type = WL_U32};
    for (uint32_t line = 0; line < s->lines; line++)
        if (html.page[line] != UINT32_MAX) {
            s->links++;
            room.key_bytes += mr_aligned(link_of(&html, line).bytes);
        }
    room.pairs = s->links;
    room.value_bytes = 8 * room.pairs;
    s->mr = mr_declare(w, s->lines);
    s->out = mr_sorted_declare(w, "out", WL_OUTPUT, room);
    s->groups = wl_array(w, "groups", WL_OUTPUT, WL_U32, (size_t)s->links + 1);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->text->dev, s->starts->dev};

    mr_map(w, &s->mr, &job, s->lines, &s->out);
    mr_sort(w, &s->out);
    mr_group(w, &s->mr, &s->out, s->groups->dev);
}

static bool same_url(const struct link *a, const struct link *b)
{
    return a->bytes == b->bytes && !memcmp(a->text, b->text, a->bytes);
}

static int compare_links(const void *pa, const void *pb)
{
    const struct link *a = pa, *b = pb;
    int order = memcmp(a->text, b->text, a->bytes < b->bytes ? a->bytes : b->bytes);

    if (order)
        return order;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* All links in the order of the text, found by the C library; fills keys and values. */
static void find_links(struct state *s, struct link *links)
{
    uint32_t n = 0, key = 0;

    for (uint32_t line = 0; line < s->lines; line++) {
        const uint8_t *at = s->text->u8 + s->starts->u32[line];
        size_t bytes = s->starts->u32[line + 1] - s->starts->u32[line];
        const uint8_t *quote = memchr(at, '"', bytes);
        if (!quote)
            continue;
        struct link *l = &links[n];
        *l = (struct link){.text = quote + 1, .number = n, .key = key};
        l->bytes = (uint32_t)((const uint8_t *)memchr(l->text, '"', bytes) - l->text);
        memcpy(s->out.keys->expect_u8 + key, l->text, l->bytes);
        s->out.values->expect_u32[2 * n] = line;
        s->out.values->expect_u32[2 * n + 1] = (uint32_t)(l->text - s->text->u8);
        key += mr_aligned(l->bytes);
        n++;
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    struct link *links = wl_alloc(w, s->links, sizeof *links);
    struct mr_pair *index = s->out.index->expect;
    uint32_t padded = 2, groups = 0;

    find_links(s, links);
    qsort(links, s->links, sizeof *links, compare_links);
    while (padded < s->links)
        padded *= 2;
    for (uint32_t i = 0; i < padded; i++)
        index[i] = i < s->links
                       ? (struct mr_pair){links[i].key, links[i].bytes, 8 * links[i].number, 8}
                       : (struct mr_pair){0, UINT32_MAX, 0, 0};
    for (uint32_t i = 0; i < s->links; i++)
        if (!i || !same_url(&links[i - 1], &links[i]))
            s->groups->expect_u32[groups++] = i;
    s->groups->expect_u32[groups] = s->links;
}

const struct workload workload_mars_ii = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "map scans a line of HTML for links and emits (URL, place), bitonic sort by text, "
                 "the groups of equal URLs; no reduce",
    .input =
        "prose in lines of HTML, half of them with a link; URLs by Zipf's law, those of a site "
        "share their beginning",
    .tolerance = "equal: integers, equal URLs in the order of the text",
};
