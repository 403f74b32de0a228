/* Inverted index in the manner of Mars: each thread scans its line of HTML for links and emits (URL,
 * place); sorted by text, the places of a URL are side by side, and where each URL's begin is found. */
#include "mapreduce.cuh"

struct mr_job {
    const unsigned char *text;
    const unsigned *starts; /* of the lines, and the end of the last */
};

struct place {
    unsigned line, at;
};

__constant__ unsigned char link_start[12] = "<a href=\"";

/* A machine whose state is how much of the link's start has been read; all of it: inside the URL. */
template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    const unsigned whole = 9;
    unsigned read = 0;
    struct place place = {record, 0};

    for (unsigned at = job.starts[record], end = job.starts[record + 1]; at < end; at++) {
        unsigned char letter = job.text[at];
        if (read < whole) {
            read = letter == link_start[read] ? read + 1 : letter == link_start[0];
            place.at = at + 1;
        } else if (letter == '"') {
            out.emit(job.text + place.at, at - place.at, &place, sizeof(place));
            read = 0;
        }
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
