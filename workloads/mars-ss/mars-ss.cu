/* Similarity score in the manner of Mars: a map over pairs of documents, one record a pair; the
 * score of a pair is the cosine of the angle between their feature vectors. The sort puts the most
 * similar first. */
#include "mapreduce.cuh"

struct mr_job {
    const struct mr_pair *pairs;
    const unsigned char *keys, *values;
    const float *features;
};

/* Which rows of the features, and how long they are. */
struct documents {
    unsigned first, second;
};

struct matrix {
    unsigned documents, dimensions;
};

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    const struct mr_pair *pair = &job.pairs[record];
    const struct matrix *matrix = (const struct matrix *)(job.keys + pair->key);
    struct documents docs = *(const struct documents *)(job.values + pair->value);
    const float *a = job.features + docs.first * matrix->dimensions;
    const float *b = job.features + docs.second * matrix->dimensions;
    float dot = 0.0f, a_norm = 0.0f, b_norm = 0.0f;

    for (unsigned d = 0, end = matrix->dimensions; d < end; d++) {
        dot = __fmaf_rn(a[d], b[d], dot);
        a_norm = __fmaf_rn(a[d], a[d], a_norm);
        b_norm = __fmaf_rn(b[d], b[d], b_norm);
    }
    float score = dot / (__fsqrt_rn(a_norm) * __fsqrt_rn(b_norm));
    out.emit(&score, sizeof(score), &docs, sizeof(docs));
}

WL_FN int mr_compare(const unsigned char *a, unsigned, const unsigned char *b, unsigned)
{
    float x = *(const float *)a, y = *(const float *)b;

    return x > y ? -1 : x < y;
}

#include "mapreduce_map.cuh"
#include "mapreduce_sort.cuh"
