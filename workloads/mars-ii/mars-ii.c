/* mars-ii: for each URL the places in HTML that link to it. */
#include "gen_text.h"
#include "mapreduce.h"

#include <stdlib.h>
#include <string.h>

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr starts;
};

struct url {
    uint64_t file;
    uint32_t offset, hash;
};

struct link {
    struct url url;
    const uint8_t *text; /* ends with a quote */
    uint32_t number;
};

struct state {
    uint32_t chunks, links;
    struct wl_array *text, *starts, *groups;
    struct mr mr;
    struct mr_pairs out;
};

static void make(struct wl *w, void *state)
{
    static const struct {
        uint32_t lines, chunk_bytes;
    } sizes[WL_SIZES] = {{200, 128}, {4096, 256}, {65536, 512}, {262144, 1024}, {65536, 256}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    uint32_t lines = sizes[wl_size(w)].lines;
    uint32_t *starts = wl_alloc(w, (size_t)lines + 1, sizeof *starts);
    struct gen_text html = gen_html(w, &rng, lines, lines / 8);
    s->chunks = gen_chunks(&html, sizes[wl_size(w)].chunk_bytes, starts);
    s->text = wl_array(w, "html", WL_INPUT, WL_U8, html.starts[lines]);
    s->starts = wl_array(w, "starts", WL_INPUT, WL_U32, (size_t)s->chunks + 1);
    memcpy(s->text->data, html.text, s->text->count);
    memcpy(s->starts->data, starts, s->starts->count * sizeof *starts);
    for (uint32_t line = 0; line < lines; line++)
        s->links += html.page[line] != UINT32_MAX;
    size_t n = s->links;
    s->mr = mr_declare(w, n > s->chunks ? n : s->chunks);
    s->out = mr_sorted_declare(w, "out", WL_OUTPUT,
                               (struct mr_room){n, n * sizeof(struct url), 4 * n, WL_U32, WL_U32});
    s->groups = wl_array(w, "groups", WL_OUTPUT, WL_U32, n + 1);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->starts->dev};

    wl_set_symbol(w, "html", &s->text->dev, sizeof s->text->dev);
    mr_map(w, &s->mr, &job, s->chunks, &s->out);
    mr_sort(w, &s->out);
    mr_group(w, &s->mr, &s->out, s->groups->dev);
}

/* By hash, then by text up to the quote. */
static int compare_urls(const struct link *a, const struct link *b)
{
    const uint8_t *s = a->text, *t = b->text;

    if (a->url.hash != b->url.hash)
        return a->url.hash < b->url.hash ? -1 : 1;
    for (; *s == *t && *s != '"'; s++, t++)
        ;
    return (*s > *t) - (*s < *t);
}

static int compare_links(const void *pa, const void *pb)
{
    const struct link *a = pa, *b = pb;
    int order = compare_urls(a, b);

    return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* All links in the order of the text: quotes come in pairs, around URLs only. Fills keys and
 * values. */
static void find_links(struct state *s, struct link *links)
{
    const uint8_t *at = s->text->u8, *end = at + s->text->count;
    uint32_t chunk = 0;

    for (uint32_t n = 0; n < s->links; n++, at++) {
        at = (const uint8_t *)memchr(at, '"', (size_t)(end - at)) + 1;
        struct link *l = &links[n];
        *l = (struct link){.text = at, .number = n, .url.hash = 2166136261u};
        l->url.offset = (uint32_t)(at - s->text->u8);
        for (; *at != '"'; at++)
            l->url.hash = (l->url.hash ^ *at) * 16777619u;
        while (l->url.offset >= s->starts->u32[chunk + 1])
            chunk++;
        ((struct url *)s->out.keys->expect)[n] = l->url;
        s->out.values->expect_u32[n] = chunk;
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
        index[i] = i < s->links ? (struct mr_pair){16 * links[i].number, 16, 4 * links[i].number, 4}
                                : (struct mr_pair){0, UINT32_MAX, 0, 0};
    for (uint32_t i = 0; i < s->links; i++)
        if (!i || compare_urls(&links[i - 1], &links[i]))
            s->groups->expect_u32[groups++] = i;
    s->groups->expect_u32[groups] = s->links;
}

const struct workload workload_mars_ii = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "map scans a chunk of HTML for links and emits (place of the URL with its hash, "
        "chunk), bitonic sort by hash, by text where hashes are equal, the groups of equal "
        "URLs; no reduce",
    .input = "prose in lines of HTML, one in four with a link; URLs by Zipf's law, those of a site "
             "share their beginning; chunks of 128 to 1024 bytes",
    .imitates = "web pages with links; sites and pages as popular as Zipf's law says",
    .tolerance = "equal: integers, equal URLs in the order of the text",
    .idle = "equal URLs are sorted by text: the blocks that have the commonest take"
            " longest",
};
