/* Inverted index in the manner of Mars: each thread scans its chunk of HTML for links and emits (where
 * the URL is with its hash, number of the chunk). Keys are compared by hash, and by text only if the
 * hashes are equal; sorted, the pairs of a URL are side by side, and where each URL's begin is found. No
 * reduce. */
#include "mapreduce.cuh"

struct mr_job {
    const unsigned *starts; /* of the chunks, and the end of the last */
};

struct url {
    unsigned long long file; /* where its file begins in the text */
    unsigned offset, hash;
};

/* Keys point into the text, and mr_compare() gets no job. */
__constant__ unsigned char *html;
__constant__ unsigned char link_start[12] = "<a href=\"";

/* A machine whose state is how much of the link's start has been read; all of it: inside the URL, whose
 * hash (FNV-1a) is made on the way. */
template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    const unsigned whole = 9;
    unsigned read = 0;
    struct url url = {0, 0, 0};

    for (unsigned at = job.starts[record], end = job.starts[record + 1]; at < end; at++) {
        unsigned char letter = html[at];
        if (read < whole) {
            read = letter == link_start[read] ? read + 1 : letter == link_start[0];
            url.offset = at + 1;
            url.hash = 2166136261u;
        } else if (letter == '"') {
            out.emit(&url, sizeof(url), &record, sizeof(record));
            read = 0;
        } else {
            url.hash = (url.hash ^ letter) * 16777619u;
        }
    }
}

WL_FN int mr_compare(const unsigned char *a, unsigned, const unsigned char *b, unsigned)
{
    const struct url *x = (const struct url *)a, *y = (const struct url *)b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    const unsigned char *s = html + x->file + x->offset, *t = html + y->file + y->offset;
    while (*s == *t && *s != '"') {
        s++;
        t++;
    }
    return *s < *t ? -1 : *s > *t;
}

#include "mapreduce_map.cuh"
#include "mapreduce_group.cuh"
#include "mapreduce_sort.cuh"
