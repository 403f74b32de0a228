/* Word count in the manner of Mars: map emits (word, 1) for each word of a thread's line, keys sort by
 * their text, reduce counts the pairs of a word. */
#include "mapreduce.cuh"

struct mr_job {
    const unsigned char *text;
    const unsigned *starts; /* of the lines, and the end of the last */
};

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    unsigned bytes = 0, one = 1;

    /* Every line ends with a newline, which ends its last word. */
    for (unsigned at = job.starts[record], end = job.starts[record + 1]; at < end; at++) {
        if (job.text[at] >= 'a' && job.text[at] <= 'z') {
            bytes++;
            continue;
        }
        if (bytes > 0)
            out.emit(job.text + at - bytes, bytes, &one, sizeof(one));
        bytes = 0;
    }
}

WL_FN int mr_compare(const unsigned char *a, unsigned a_bytes, const unsigned char *b,
                     unsigned b_bytes)
{
    return mr_compare_bytes(a, a_bytes, b, b_bytes);
}

template <class Out>
WL_FN void mr_reduce(const struct mr_job &, const struct mr_group &group, Out &out)
{
    unsigned count = 0;

    for (unsigned i = 0; i < group.count; i++)
        count += *(const unsigned *)group.value(i);
    out.emit(group.key(), group.key_bytes(), &count, sizeof(count));
}

#include "mapreduce_map.cuh"
#include "mapreduce_reduce.cuh"
#include "mapreduce_sort.cuh"
