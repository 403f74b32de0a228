/* Word count in the manner of Mars: map emits (word, bytes) for each word of a thread's chunk that has
 * six letters or more; sorted by text, a word's pairs are side by side, and where each word's begin is
 * found: how many they are is its count. No reduce. */
#include "mapreduce.cuh"

struct mr_job {
    const unsigned char *text;
    const unsigned *starts; /* of the chunks, and the end of the last */
};

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    unsigned bytes = 0;

    /* Every chunk ends with a newline, which ends its last word. */
    for (unsigned at = job.starts[record], end = job.starts[record + 1]; at < end; at++) {
        if (job.text[at] >= 'a' && job.text[at] <= 'z') {
            bytes++;
            continue;
        }
        if (bytes >= 6)
            out.emit(job.text + at - bytes, bytes, &bytes, sizeof(bytes));
        bytes = 0;
    }
}

WL_FN int mr_compare(const unsigned char *a, unsigned a_bytes, const unsigned char *b,
                     unsigned b_bytes)
{
    return mr_compare_bytes(a, a_bytes, b, b_bytes);
}

#include "mapreduce_map.cuh"
#include "mapreduce_group.cuh"
#include "mapreduce_sort.cuh"
