/* Matrix multiplication as a map without reduce, in the manner of Mars: one record an element of the
 * product. The host has turned the second matrix, so each thread reads a row of either, straight
 * from global memory; the rows of a warp's lanes are far apart. */
#include "mapreduce.cuh"

struct mr_job {
    const struct mr_pair *pairs;
    const unsigned char *keys, *values;
    const float *data;
};

/* Where the matrices begin in the data. */
struct factors {
    unsigned long long a, b;
};

struct element {
    unsigned row, column, rows, columns; /* the last two: the size of both matrices */
};

struct place {
    unsigned row, column;
};

/* The counting pass emits nothing that needs the sum, so the compiler leaves the loop out there. */
template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    const struct mr_pair *pair = &job.pairs[record];
    struct factors factors = *(const struct factors *)(job.keys + pair->key);
    struct element e = *(const struct element *)(job.values + pair->value);
    const float *a = job.data + factors.a + e.row * e.columns;
    const float *b = job.data + factors.b + e.column * e.columns;
    struct place key = {e.row, e.column};
    float sum = 0.0f;

    for (unsigned k = 0; k < e.columns; k++)
        sum = __fmaf_rn(a[k], b[k], sum);
    out.emit(&key, sizeof(key), &sum, sizeof(sum));
}

#include "mapreduce_map.cuh"
