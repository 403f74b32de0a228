/* mars-sm: the places of a word in a list of words. */
#include "gen_text.h"
#include "mapreduce.h"

#include <string.h>

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr text, keyword, starts;
    uint32_t keyword_bytes;
};

struct state {
    struct gen_text words;
    uint32_t chunks, matches;
    struct wl_array *text, *starts, *keyword;
    struct mr mr;
    struct mr_pairs out;
};

static uint32_t word_bytes(const struct state *s, uint32_t word)
{
    return s->words.starts[word + 1] - s->words.starts[word] - 1;
}

static bool is_match(const struct state *s, uint32_t word)
{
    return word_bytes(s, word) == s->keyword->count &&
           !memcmp(s->words.text + s->words.starts[word], s->keyword->u8, s->keyword->count);
}

/* A word of the text with at least four letters, if one comes soon. */
static void choose_keyword(struct wl *w, struct state *s, struct rng *rng)
{
    uint32_t word = rng_below(rng, s->words.lines / 2);

    while (word < s->words.lines - 1 && word_bytes(s, word) < 4)
        word++;
    s->keyword = wl_array(w, "keyword", WL_INPUT, WL_U8, word_bytes(s, word));
    memcpy(s->keyword->data, s->words.text + s->words.starts[word], s->keyword->count);
    for (word = 0; word < s->words.lines; word++)
        s->matches += is_match(s, word);
}

static void make(struct wl *w, void *state)
{
    static const struct {
        uint32_t words, chunk_bytes;
    } sizes[WL_SIZES] = {
        {2500, 128}, {90000, 512}, {1500000, 1024}, {4500000, 1024}, {1500000, 512}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    uint32_t words = sizes[wl_size(w)].words;
    uint32_t *starts = wl_alloc(w, (size_t)words + 1, sizeof *starts);
    s->words = gen_word_list(w, &rng, words, 4096);
    s->chunks = gen_chunks(&s->words, sizes[wl_size(w)].chunk_bytes, starts);
    s->text = wl_array(w, "text", WL_INPUT, WL_U8, s->words.starts[words]);
    s->starts = wl_array(w, "starts", WL_INPUT, WL_U32, (size_t)s->chunks + 1);
    memcpy(s->text->data, s->words.text, s->text->count);
    memcpy(s->starts->data, starts, s->starts->count * sizeof *starts);
    choose_keyword(w, s, &rng);
    s->mr = mr_declare(w, s->chunks);
    size_t n = s->matches;
    s->out =
        mr_pairs_declare(w, "out", WL_OUTPUT, (struct mr_room){n, 4 * n, 4 * n, WL_U32, WL_U32});
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->text->dev, s->keyword->dev, s->starts->dev, (uint32_t)s->keyword->count};

    mr_map(w, &s->mr, &job, s->chunks, &s->out);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t count = 0;

    (void)w;
    for (uint32_t word = 0; word < s->words.lines; word++) {
        if (!is_match(s, word))
            continue;
        s->out.keys->expect_u32[count] = s->words.starts[word];
        s->out.values->expect_u32[count] = word_bytes(s, word);
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
    .algorithm = "a map without sort or reduce: a thread a chunk of up to 1024 bytes compares the "
                 "words that are as long as a keyword with it, letter by letter",
    .input = "a list of words by Zipf's law, one a line; one of them is the keyword",
    .imitates = "lines of natural text that are searched for a word, as in Mars",
    .tolerance = "equal: integers",
    .idle = "few long blocks, a chunk of 1024 bytes a thread",
};
