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
    uint32_t bytes;
};

struct state {
    uint32_t lines, words;
    struct wl_array *text, *starts;
    struct mr mr;
    struct mr_pairs sorted, out;
};

/* The words of the text one after the other: the first at or after `from`; no bytes at the end. */
static struct word next_word(const struct state *s, const uint8_t *from)
{
    const uint8_t *end = s->text->u8 + s->text->count;
    struct word word = {from, 0};

    while (word.text < end && (*word.text < 'a' || *word.text > 'z'))
        word.text++;
    while (word.text + word.bytes < end && word.text[word.bytes] >= 'a' &&
           word.text[word.bytes] <= 'z')
        word.bytes++;
    return word;
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
    static const uint32_t lines[WL_SIZES] = {16, 480, 7680, 30720};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->lines = lines[wl_size(w)];
    struct gen_text text = gen_prose(w, &rng, s->lines, 40, 4096);
    size_t bytes = text.starts[s->lines];
    s->text = wl_array(w, "text", WL_INPUT, WL_U8, bytes);
    s->starts = wl_array(w, "starts", WL_INPUT, WL_U32, (size_t)s->lines + 1);
    memcpy(s->text->data, text.text, bytes);
    memcpy(s->starts->data, text.starts, s->starts->count * sizeof *text.starts);
    struct mr_room room = {.key_bytes = count_words(s), .key_type = WL_U8, .value_type = WL_U32};
    room.pairs = s->words;
    room.value_bytes = 4 * room.pairs;
    s->mr = mr_declare(w, room.pairs);
    s->sorted = mr_sorted_declare(w, "words", WL_SCRATCH, room);
    s->out = mr_pairs_declare(w, "out", WL_OUTPUT, room);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->text->dev, s->starts->dev};

    mr_map(w, &s->mr, &job, s->lines, &s->sorted);
    mr_sort(w, &s->sorted);
    mr_reduce(w, &s->mr, &job, &s->sorted, &s->out);
}

static int compare_words(const void *pa, const void *pb)
{
    const struct word *a = pa, *b = pb;
    int order = memcmp(a->text, b->text, a->bytes < b->bytes ? a->bytes : b->bytes);

    return order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    struct word *words = wl_alloc(w, s->words, sizeof *words);
    struct mr_pair *index = s->out.index->expect;
    uint32_t n = 0, groups = 0, key_at = 0;

    for (struct word word = next_word(s, s->text->u8); word.bytes;
         word = next_word(s, word.text + word.bytes))
        words[n++] = word;
    qsort(words, n, sizeof *words, compare_words);
    for (uint32_t i = 0; i < n; groups++) {
        const struct word *first = &words[i];
        uint32_t *count = &s->out.values->expect_u32[groups];
        for (; i < n && !compare_words(first, &words[i]); i++)
            ++*count;
        index[groups] = (struct mr_pair){key_at, first->bytes, 4 * groups, 4};
        memcpy(s->out.keys->expect_u8 + key_at, first->text, first->bytes);
        key_at += mr_aligned(first->bytes);
    }
}

const struct workload workload_mars_wc = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "map emits (word, 1) for the words of a line, bitonic sort by text, reduce counts "
                 "the pairs of a word",
    .input = "prose: words by Zipf's law in lines of up to 40 bytes",
    .tolerance = "equal: integers",
};
