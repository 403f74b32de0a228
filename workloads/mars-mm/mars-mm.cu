/* Matrix multiplication as a map without reduce, in the manner of Mars: one record an element of
 * the product; its row of a and column of b are read straight from global memory. */
#include "mapreduce.cuh"

struct mr_job {
    const float *a, *b;
    unsigned side;
};

struct place {
    unsigned row, column;
};

/* The counting pass emits nothing that needs the sum, so the compiler leaves the loop out there. */
template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    struct place key = {record / job.side, record % job.side};
    float sum = 0.0f;

    for (unsigned k = 0; k < job.side; k++)
        sum = __fmaf_rn(job.a[key.row * job.side + k], job.b[k * job.side + key.column], sum);
    out.emit(&key, sizeof(key), &sum, sizeof(sum));
}

#include "mapreduce_map.cuh"
