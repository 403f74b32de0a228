/* String match in the manner of Mars: each thread goes through the lines of its chunk of a text, a word
 * a line, compares those that are as long as a keyword with it, and emits (place, bytes) for those that
 * are it. No sort, no reduce. */
#include "mapreduce.cuh"

struct mr_job {
    const unsigned char *text, *keyword;
    const unsigned *starts; /* of the chunks, and the end of the last */
    unsigned keyword_bytes;
};

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    unsigned start = job.starts[record], end = job.starts[record + 1];

    while (start < end) {
        unsigned bytes = 0, same = 0;
        while (job.text[start + bytes] != '\n')
            bytes++;
        if (bytes == job.keyword_bytes) {
            while (same < bytes && job.text[start + same] == job.keyword[same])
                same++;
            if (same == bytes)
                out.emit(&start, sizeof(start), &bytes, sizeof(bytes));
        }
        start += bytes + 1;
    }
}

#include "mapreduce_map.cuh"
