/* mars-ss: cosine similarity of all pairs of documents, the most similar first. */
#include "gen_text.h"
#include "mapreduce.h"

#include <math.h>
#include <stdlib.h>

struct state {
    uint32_t documents, dimensions;
    struct wl_array *features;
    struct mr mr;
    struct mr_pairs in, out;
};

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr pairs, keys, values, features;
};

/* Features are frequencies of terms: of `words` words of a document, each term's share. Terms
 * follow Zipf's law; a document of a topic (of 8) shifts them, so that those of one topic are
 * similar. */
static void make_features(struct wl *w, struct state *s)
{
    struct rng rng = wl_rng(w, 0);
    uint64_t *table = gen_zipf_table(w, s->dimensions);

    for (uint32_t d = 0; d < s->documents; d++) {
        float *features = s->features->f32 + (size_t)d * s->dimensions;
        uint32_t topic = rng_below(&rng, 8), words = s->dimensions + rng_below(&rng, s->dimensions);
        for (uint32_t i = 0; i < words; i++) {
            uint32_t term = gen_zipf(&rng, table, s->dimensions);
            if (rng_below(&rng, 2))
                term = (term + topic * s->dimensions / 8) % s->dimensions;
            features[term] += 1.0f;
        }
        for (uint32_t i = 0; i < s->dimensions; i++)
            features[i] /= (float)words;
    }
}

/* One record for each pair of documents: the key says how large the features are. */
static void make_records(struct state *s, uint32_t pairs)
{
    uint32_t *key = s->in.keys->u32, *value = s->in.values->u32;

    mr_fill_index(&s->in, pairs, 8, 8);
    for (uint32_t i = 0; i < s->documents; i++)
        for (uint32_t j = i + 1; j < s->documents; j++) {
            *key++ = s->documents;
            *key++ = s->dimensions;
            *value++ = i;
            *value++ = j;
        }
}

static void make(struct wl *w, void *state)
{
    static const uint32_t documents[WL_SIZES] = {24, 90, 360, 720, 512};
    static const uint32_t dimensions[WL_SIZES] = {64, 128, 64, 64, 64};
    struct state *s = state;
    s->documents = documents[wl_size(w)];
    s->dimensions = dimensions[wl_size(w)];
    size_t pairs = (size_t)s->documents * (s->documents - 1) / 2;
    s->features = wl_array(w, "features", WL_INPUT, WL_F32, (size_t)s->documents * s->dimensions);
    s->mr = mr_declare(w, pairs);
    s->in = mr_pairs_declare(w, "in", WL_INPUT,
                             (struct mr_room){pairs, 8 * pairs, 8 * pairs, WL_U32, WL_U32});
    s->out = mr_sorted_declare(w, "out", WL_OUTPUT,
                               (struct mr_room){pairs, 4 * pairs, 8 * pairs, WL_F32, WL_U32});
    make_features(w, s);
    make_records(s, (uint32_t)pairs);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->in.index->dev, s->in.keys->dev, s->in.values->dev, s->features->dev};

    mr_map(w, &s->mr, &job, s->in.count, &s->out);
    mr_sort(w, &s->out);
}

static float dot(const float *a, const float *b, uint32_t n)
{
    float sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum = fmaf(a[i], b[i], sum);
    return sum;
}

struct score {
    float value;
    uint32_t record;
};

static int by_score(const void *pa, const void *pb)
{
    const struct score *a = pa, *b = pb;

    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (a->record > b->record) - (a->record < b->record);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t n = s->dimensions, pairs = s->in.count;
    struct score *scores = wl_alloc(w, pairs, sizeof *scores);
    struct mr_pair *index = s->out.index->expect;

    for (uint32_t r = 0; r < pairs; r++) {
        const uint32_t *docs = s->in.values->u32 + 2 * (size_t)r;
        const float *a = s->features->f32 + (size_t)docs[0] * n;
        const float *b = s->features->f32 + (size_t)docs[1] * n;
        scores[r].value = dot(a, b, n) / (sqrtf(dot(a, a, n)) * sqrtf(dot(b, b, n)));
        scores[r].record = r;
        s->out.keys->expect_f32[r] = scores[r].value;
        s->out.values->expect_u32[2 * r] = docs[0];
        s->out.values->expect_u32[2 * r + 1] = docs[1];
    }
    qsort(scores, pairs, sizeof *scores, by_score);
    for (uint32_t i = 0; i < s->out.index->count / 4; i++)
        index[i] = i < pairs ? (struct mr_pair){4 * scores[i].record, 4, 8 * scores[i].record, 8}
                             : (struct mr_pair){0, UINT32_MAX, 0, 0};
}

const struct workload workload_mars_ss = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "a map over all pairs of documents, one thread a pair, then a bitonic sort of the "
                 "index by score; no reduce",
    .input = "shares of terms in documents: Zipf's law, 8 topics, about half of them 0",
    .imitates = "documents as shares of their terms; Mars draws random numbers",
    .tolerance = "bit-equal: IEEE square root and division, and the order of additions is fixed",
};
