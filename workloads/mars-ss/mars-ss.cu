/* Similarity score in the manner of Mars: a map over all pairs of documents; the score of a pair is
 * the cosine of the angle between their feature vectors. */
#include "mapreduce.cuh"

struct mr_job {
    const float *features;
    unsigned documents, dimensions;
};

struct documents {
    unsigned first, second;
};

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    struct documents key = {record / job.documents, record % job.documents};
    const float *a = job.features + key.first * job.dimensions;
    const float *b = job.features + key.second * job.dimensions;
    float dot = 0.0f, a_norm = 0.0f, b_norm = 0.0f;

    if (key.first >= key.second)
        return;
    for (unsigned d = 0; d < job.dimensions; d++) {
        dot = __fmaf_rn(a[d], b[d], dot);
        a_norm = __fmaf_rn(a[d], a[d], a_norm);
        b_norm = __fmaf_rn(b[d], b[d], b_norm);
    }
    float score = dot / (__fsqrt_rn(a_norm) * __fsqrt_rn(b_norm));
    out.emit(&key, sizeof(key), &score, sizeof(score));
}

#include "mapreduce_map.cuh"
