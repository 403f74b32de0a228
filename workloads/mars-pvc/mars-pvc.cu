/* Page view count in the manner of Mars, two jobs over a web log whose lines are "URL IP cookie". A
 * key says where an entry of the log is and has its hash; keys are compared by hash, and by text
 * only if the hashes are equal. The first job makes lines unique. The second takes what is left,
 * its keys are the URLs; the pairs of a URL, side by side after the sort, are its visits. */
#include "mapreduce.cuh"

struct entry {
    unsigned long long file; /* where the log begins in the text */
    unsigned offset, hash;
};

struct line {
    unsigned bytes, second; /* without the newline; 1: for the second job */
};

/* Keys point into the log, and mr_compare() gets no job. */
__constant__ unsigned char *log_text;

struct mr_job {
    const struct mr_pair *pairs;
    const unsigned char *keys, *values;
};

/* FNV-1a. */
WL_FN unsigned hash_of(const unsigned char *text, unsigned bytes)
{
    unsigned hash = 2166136261u;

    for (unsigned i = 0; i < bytes; i++)
        hash = (hash ^ text[i]) * 16777619u;
    return hash;
}

/* A URL gets a newline after it in the log, so that comparisons end there. */
template <class Out> WL_FN void map_url(struct entry key, Out &out)
{
    unsigned char *text = log_text + key.file + key.offset;
    unsigned bytes = 0;

    while (text[bytes] > ' ')
        bytes++;
    text[bytes] = '\n';
    key.hash = hash_of(text, bytes);
    unsigned visitor = key.offset + bytes + 1;
    out.emit(&key, sizeof(key), &visitor, sizeof(visitor));
}

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    const struct mr_pair *pair = &job.pairs[record];
    struct entry key = *(const struct entry *)(job.keys + pair->key);
    struct line line = *(const struct line *)(job.values + pair->value);

    if (line.second) {
        map_url(key, out);
        return;
    }
    key.hash = hash_of(log_text + key.file + key.offset, line.bytes);
    out.emit(&key, sizeof(key), &line, sizeof(line));
}

WL_FN int mr_compare(const unsigned char *a, unsigned, const unsigned char *b, unsigned)
{
    const struct entry *x = (const struct entry *)a, *y = (const struct entry *)b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    const unsigned char *s = log_text + x->file + x->offset;
    const unsigned char *t = log_text + y->file + y->offset;
    while (*s == *t && *s != '\n') {
        s++;
        t++;
    }
    return *s < *t ? -1 : *s > *t;
}

/* Of the first job: one of equal lines stays. */
template <class Out>
WL_FN void mr_reduce(const struct mr_job &, const struct mr_group &group, Out &out)
{
    struct line line = *(const struct line *)group.value(0);

    line.second = 1;
    out.emit(group.key(), group.key_bytes(), &line, sizeof(line));
}

#include "mapreduce_map.cuh"
#include "mapreduce_reduce.cuh"
#include "mapreduce_sort.cuh"
