/* mars-ss: cosine similarity of all pairs of documents. */
#include "gen_text.h"
#include "mapreduce.h"

#include <math.h>

struct state {
    uint32_t documents, dimensions;
    struct wl_array *features;
    struct mr mr;
    struct mr_pairs out;
};

/* As the device code's struct mr_job. */
struct job {
    CUdeviceptr features;
    uint32_t documents, dimensions;
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

static void make(struct wl *w, void *state)
{
    static const uint32_t documents[WL_SIZES] = {32, 144, 384, 640};
    static const uint32_t dimensions[WL_SIZES] = {64, 192, 448, 768};
    struct state *s = state;
    s->documents = documents[wl_size(w)];
    s->dimensions = dimensions[wl_size(w)];
    size_t pairs = (size_t)s->documents * (s->documents - 1) / 2;
    s->features = wl_array(w, "features", WL_INPUT, WL_F32, (size_t)s->documents * s->dimensions);
    s->mr = mr_declare(w, (size_t)s->documents * s->documents);
    s->out = mr_pairs_declare(w, "out", WL_OUTPUT,
                              (struct mr_room){pairs, 8 * pairs, 4 * pairs, WL_U32, WL_F32});
    make_features(w, s);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct job job = {s->features->dev, s->documents, s->dimensions};

    mr_map(w, &s->mr, &job, s->documents * s->documents, &s->out);
}

static float dot(const float *a, const float *b, uint32_t n)
{
    float sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum = fmaf(a[i], b[i], sum);
    return sum;
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    uint32_t at = 0, n = s->dimensions;

    (void)w;
    for (uint32_t i = 0; i < s->documents; i++)
        for (uint32_t j = i + 1; j < s->documents; j++, at++) {
            const float *a = s->features->f32 + (size_t)i * n,
                        *b = s->features->f32 + (size_t)j * n;
            s->out.values->expect_f32[at] =
                dot(a, b, n) / (sqrtf(dot(a, a, n)) * sqrtf(dot(b, b, n)));
            s->out.keys->expect_u32[2 * at] = i;
            s->out.keys->expect_u32[2 * at + 1] = j;
            ((struct mr_pair *)s->out.index->expect)[at] = (struct mr_pair){8 * at, 8, 4 * at, 4};
        }
}

const struct workload workload_mars_ss = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "a map without reduce over all pairs of documents, one thread a pair; pairs placed "
        "by prefix sums",
    .input = "shares of terms in documents: Zipf's law, 8 topics, about half of them 0",
    .tolerance = "bit-equal: IEEE square root and division, and the order of additions is fixed",
};
