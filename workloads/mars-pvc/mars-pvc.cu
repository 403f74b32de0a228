/* Page view count in the manner of Mars, two jobs over a web log whose lines are "URL IP cookie".
 * The first makes lines unique: key is the whole line, value the length of its URL. The second
 * takes the first's output, key is the URL, and counts. */
#include "mapreduce.cuh"

/* Job 1 reads text and starts (where each line begins; one more at the end); job 2 reads keys,
 * values and pairs, job 1's output. */
struct mr_job {
    const unsigned char *text;
    const unsigned *starts;
    const unsigned char *keys, *values;
    const struct mr_pair *pairs;
    unsigned second;
};

template <class Out> WL_FN void map_line(const struct mr_job &job, unsigned record, Out &out)
{
    const unsigned char *line = job.text + job.starts[record];
    unsigned bytes = job.starts[record + 1] - job.starts[record] - 1, url = 0;

    while (url < bytes && line[url] != ' ')
        url++;
    out.emit(line, bytes, &url, sizeof(url));
}

template <class Out> WL_FN void map_url(const struct mr_job &job, unsigned record, Out &out)
{
    const struct mr_pair *pair = &job.pairs[record];
    unsigned one = 1;

    out.emit(job.keys + pair->key, *(const unsigned *)(job.values + pair->value), &one,
             sizeof(one));
}

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    if (job.second)
        map_url(job, record, out);
    else
        map_line(job, record, out);
}

WL_FN int mr_compare(const unsigned char *a, unsigned a_bytes, const unsigned char *b,
                     unsigned b_bytes)
{
    return mr_compare_bytes(a, a_bytes, b, b_bytes);
}

template <class Out>
WL_FN void mr_reduce(const struct mr_job &job, const struct mr_group &group, Out &out)
{
    unsigned value = *(const unsigned *)group.value(0);

    if (job.second)
        for (unsigned i = 1; i < group.count; i++)
            value += *(const unsigned *)group.value(i);
    out.emit(group.key(), group.key_bytes(), &value, sizeof(value));
}

#include "mapreduce_map.cuh"
#include "mapreduce_reduce.cuh"
#include "mapreduce_sort.cuh"
