/* String match in the manner of Mars: each thread searches its line for a keyword, letter by letter, and
 * emits (place, line) for every match. No sort, no reduce. */
#include "mapreduce.cuh"

struct mr_job {
    const unsigned char *text, *keyword;
    const unsigned *starts; /* of the lines, and the end of the last */
    unsigned keyword_bytes;
};

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    unsigned start = job.starts[record], end = job.starts[record + 1];

    for (unsigned at = start; at + job.keyword_bytes < end; at++) {
        unsigned same = 0;
        while (same < job.keyword_bytes && job.text[at + same] == job.keyword[same])
            same++;
        if (same == job.keyword_bytes)
            out.emit(&at, sizeof(at), &record, sizeof(record));
    }
}

#include "mapreduce_map.cuh"
