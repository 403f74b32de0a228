/* mars-sm: the places of a word in a text. */
#include "gen_text.h"
#include "mapreduce.h"

#include <string.h>

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr text, keyword, starts;
    uint32_t keyword_bytes;
};

struct state {
    uint32_t lines, matches;
    struct wl_array *text, *starts, *keyword;
    struct mr mr;
    struct mr_pairs out;
};

/* Whether the keyword is at a place of the text. */
static bool is_match(const struct state *s, uint32_t at)
{
    return !memcmp(s->text->u8 + at, s->keyword->u8, s->keyword->count);
}

/* A keyword of four letters from somewhere in the text. */
static void choose_keyword(struct wl *w, struct state *s, struct rng *rng)
{
    uint32_t bytes = s->starts->u32[s->lines], letters = 0, at = 0;

    s->keyword = wl_array(w, "keyword", WL_INPUT, WL_U8, 4);
    for (at = rng_below(rng, bytes / 2); letters < 4; at++)
        letters = s->text->u8[at] >= 'a' && s->text->u8[at] <= 'z' ? letters + 1 : 0;
    memcpy(s->keyword->data, s->text->u8 + at - 4, 4);
    for (at = 0; at + 4 < bytes; at++)
        s->matches += is_match(s, at);
}

static void make(struct wl *w, void *state)
{
    static const uint32_t lines[WL_SIZES] = {256, 4096, 65536, 262144};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->lines = lines[wl_size(w)];
    struct gen_text text = gen_prose(w, &rng, s->lines, 80, 4096);
    size_t bytes = text.starts[s->lines];
    s->text = wl_array(w, "text", WL_INPUT, WL_U8, bytes);
    s->starts = wl_array(w, "starts", WL_INPUT, WL_U32, (size_t)s->lines + 1);
    memcpy(s->text->data, text.text, bytes);
    memcpy(s->starts->data, text.starts, s->starts->count * sizeof *text.starts);
    choose_keyword(w, s, &rng);
    s->mr = mr_declare(w, s->lines);
    size_t n = s->matches;
    s->out =
        mr_pairs_declare(w, "out", WL_OUTPUT, (struct mr_room){n, 4 * n, 4 * n, WL_U32, WL_U32});
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->text->dev, s->keyword->dev, s->starts->dev, (uint32_t)s->keyword->count};

    mr_map(w, &s->mr, &job, s->lines, &s->out);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t line = 0, count = 0;

    (void)w;
    for (uint32_t at = 0; count < s->matches; at++) {
        while (at >= s->starts->u32[line + 1])
            line++;
        if (!is_match(s, at))
            continue;
        s->out.keys->expect_u32[count] = at;
        s->out.values->expect_u32[count] = line;
        ((struct mr_pair *)s->out.index->expect)[count] =
            (struct mr_pair){4 * count, 4, 4 * count, 4};
        count++;
    }
}

const struct workload workload_mars_sm = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "a map without sort or reduce: a thread a line compares a keyword at every place, "
                 "letter by letter",
    .input = "prose: words by Zipf's law in lines of up to 80 bytes; a keyword of four letters",
    .tolerance = "equal: integers",
};
