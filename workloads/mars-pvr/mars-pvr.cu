/* Page view rank in the manner of Mars: lines "URL count"; map reads the count and emits (count,
 * where the line is), the sort puts the most viewed first. No reduce. */
#include "mapreduce.cuh"

struct mr_job {
    const unsigned char *text;
    const unsigned *starts; /* where each line begins; one more at the end */
};

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    unsigned at = job.starts[record], end = job.starts[record + 1] - 1, count = 0;
    unsigned digit = at;

    while (digit < end && job.text[digit] != ' ')
        digit++;
    for (digit++; digit < end; digit++)
        count = count * 10 + (job.text[digit] - '0');
    out.emit(&count, sizeof(count), &at, sizeof(at));
}

WL_FN int mr_compare(const unsigned char *a, unsigned, const unsigned char *b, unsigned)
{
    return mr_compare_u32(b, a);
}

#include "mapreduce_map.cuh"
#include "mapreduce_sort.cuh"
