/* Page view rank in the manner of Mars: the input pairs (count, where the URL is) are what page view
 * count leaves; map passes them on, the sort puts the most viewed first. No reduce. */
#include "mapreduce.cuh"

struct mr_job {
    const struct mr_pair *pairs;
    const unsigned char *keys, *values;
};

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    const struct mr_pair *pair = &job.pairs[record];
    unsigned count = *(const unsigned *)(job.keys + pair->key);
    unsigned place = *(const unsigned *)(job.values + pair->value);

    out.emit(&count, sizeof(count), &place, sizeof(place));
}

WL_FN int mr_compare(const unsigned char *a, unsigned, const unsigned char *b, unsigned)
{
    return mr_compare_u32(b, a);
}

#include "mapreduce_map.cuh"
#include "mapreduce_sort.cuh"
