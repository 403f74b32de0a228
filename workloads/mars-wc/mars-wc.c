/* mars-wc: how often each word of a text occurs. */
#include "gen_text.h"
#include "mapreduce.h"

#include <stdlib.h>
#include <string.h>

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr text, starts;
};

struct word {
    const uint8_t *text;
    uint32_t bytes, number, key; /* key: where its key is */
};

struct state {
    uint32_t chunks, words;
    struct wl_array *text, *starts, *groups;
    struct mr mr;
    struct mr_pairs out;
};

static bool is_letter(uint8_t c)
{
    return c >= 'a' && c <= 'z';
}

/* The first word of six letters or more at or after `from`; no bytes at the end. */
static struct word next_word(const struct state *s, const uint8_t *from)
{
    const uint8_t *end = s->text->u8 + s->text->count;

    while (from < end) {
        struct word word = {.text = from};
        while (is_letter(word.text[word.bytes])) /* the text ends with a newline */
            word.bytes++;
        if (word.bytes >= 6)
            return word;
        from += word.bytes + 1;
    }
    return (struct word){.text = end};
}

/* Bytes that the keys of all words take. */
static size_t count_words(struct state *s)
{
    size_t key_bytes = 0;

    for (struct word word = next_word(s, s->text->u8); word.bytes;
         word = next_word(s, word.text + word.bytes)) {
        s->words++;
        key_bytes += mr_aligned(word.bytes);
    }
    return key_bytes;
}

static void make(struct wl *w, void *state)
{
    static const struct {
        uint32_t lines, chunk_bytes;
    } sizes[WL_SIZES] = {{32, 64}, {1000, 128}, {12000, 128}, {48000, 256}, {12000, 64}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    uint32_t lines = sizes[wl_size(w)].lines;
    uint32_t *starts = wl_alloc(w, (size_t)lines + 1, sizeof *starts);
    struct gen_text text = gen_prose(w, &rng, lines, 60, 8192);
    s->chunks = gen_chunks(&text, sizes[wl_size(w)].chunk_bytes, starts);
    s->text = wl_array(w, "text", WL_INPUT, WL_U8, text.starts[lines]);
    s->starts = wl_array(w, "starts", WL_INPUT, WL_U32, (size_t)s->chunks + 1);
    memcpy(s->text->data, text.text, s->text->count);
    memcpy(s->starts->data, starts, s->starts->count * sizeof *starts);
    struct mr_room room = {.key_bytes = count_words(s), .key_type = WL_U8, .value_type = WL_U32};
    room.pairs = s->words;
    room.value_bytes = 4 * room.pairs;
    s->mr = mr_declare(w, room.pairs > s->chunks ? room.pairs : s->chunks);
    s->out = mr_sorted_declare(w, "out", WL_OUTPUT, room);
    s->groups = wl_array(w, "groups", WL_OUTPUT, WL_U32, (size_t)s->words + 1);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->text->dev, s->starts->dev};

    mr_map(w, &s->mr, &job, s->chunks, &s->out);
    mr_sort(w, &s->out);
    mr_group(w, &s->mr, &s->out, s->groups->dev);
}

static int compare_texts(const struct word *a, const struct word *b)
{
    int order = memcmp(a->text, b->text, a->bytes < b->bytes ? a->bytes : b->bytes);

    return order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int compare_words(const void *pa, const void *pb)
{
    const struct word *a = pa, *b = pb;
    int order = compare_texts(a, b);

    return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* All words in the order of the text; fills keys and values. */
static void find_words(struct state *s, struct word *words)
{
    const uint8_t *at = s->text->u8;
    uint32_t key = 0;

    for (uint32_t n = 0; n < s->words; n++) {
        words[n] = next_word(s, at);
        words[n].number = n;
        words[n].key = key;
        memcpy(s->out.keys->expect_u8 + key, words[n].text, words[n].bytes);
        s->out.values->expect_u32[n] = words[n].bytes;
        key += mr_aligned(words[n].bytes);
        at = words[n].text + words[n].bytes;
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    struct word *words = wl_alloc(w, s->words, sizeof *words);
    struct mr_pair *index = s->out.index->expect;
    uint32_t padded = 2, groups = 0;

    find_words(s, words);
    qsort(words, s->words, sizeof *words, compare_words);
    while (padded < s->words)
        padded *= 2;
    for (uint32_t i = 0; i < padded; i++)
        index[i] = i < s->words
                       ? (struct mr_pair){words[i].key, words[i].bytes, 4 * words[i].number, 4}
                       : (struct mr_pair){0, UINT32_MAX, 0, 0};
    for (uint32_t i = 0; i < s->words; i++)
        if (!i || compare_texts(&words[i - 1], &words[i]))
            s->groups->expect_u32[groups++] = i;
    s->groups->expect_u32[groups] = s->words;
}

const struct workload workload_mars_wc = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "map emits (word, bytes) for the words of a thread's chunk that have six letters or "
        "more, bitonic sort by text, the groups of equal words; no reduce",
    .input = "prose: words by Zipf's law, in chunks of 64 to 256 bytes",
    .imitates = "natural prose; Mars's text is of English words",
    .tolerance = "equal: integers",
    .idle = "words are sorted by text: the blocks that have the commonest take "
            "longest; the map has fewer than two blocks an SM",
};
