/* One round of k-means as map-reduce, in the manner of Mars: map emits (nearest centre, point), the
 * points of a centre are added up in chunks, one thread a chunk, and a second reduce takes the mean
 * of a centre's chunks. Coordinates are integers. */
#include "mapreduce.cuh"

#define DIMENSIONS 4

struct mr_job {
    const int *points, *centres;
    unsigned clusters, chunk, chunks; /* points a chunk; how many */
    unsigned second;                  /* 1: the reduce of sums */
};

struct sum {
    int at[DIMENSIONS], points;
};

template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out)
{
    const int *point = job.points + record * DIMENSIONS;
    unsigned nearest = 0;
    int least = 0x7fffffff;

    for (unsigned c = 0; c < job.clusters; c++) {
        int sum = 0;
        for (unsigned d = 0; d < DIMENSIONS; d++) {
            int difference = point[d] - job.centres[c * DIMENSIONS + d];
            sum += difference * difference;
        }
        if (sum < least) {
            least = sum;
            nearest = c;
        }
    }
    nearest = nearest * job.chunks + record / job.chunk;
    out.emit(&nearest, sizeof(nearest), &record, sizeof(record));
}

WL_FN int mr_compare(const unsigned char *a, unsigned, const unsigned char *b, unsigned)
{
    return mr_compare_u32(a, b);
}

template <class Out>
WL_FN void add_points(const struct mr_job &job, const struct mr_group &group, Out &out)
{
    struct sum sum = {{0, 0, 0, 0}, (int)group.count};
    unsigned centre = *(const unsigned *)group.key() / job.chunks;

    for (unsigned i = 0; i < group.count; i++) {
        const int *point = job.points + *(const unsigned *)group.value(i) * DIMENSIONS;
        for (unsigned d = 0; d < DIMENSIONS; d++)
            sum.at[d] += point[d];
    }
    out.emit(&centre, sizeof(centre), &sum, sizeof(sum));
}

template <class Out> WL_FN void take_mean(const struct mr_group &group, Out &out)
{
    struct sum sum = {{0, 0, 0, 0}, 0};

    for (unsigned i = 0; i < group.count; i++) {
        const struct sum *part = (const struct sum *)group.value(i);
        for (unsigned d = 0; d < DIMENSIONS; d++)
            sum.at[d] += part->at[d];
        sum.points += part->points;
    }
    for (unsigned d = 0; d < DIMENSIONS; d++)
        sum.at[d] /= sum.points;
    out.emit(group.key(), group.key_bytes(), &sum, sizeof(sum));
}

template <class Out>
WL_FN void mr_reduce(const struct mr_job &job, const struct mr_group &group, Out &out)
{
    if (job.second)
        take_mean(group, out);
    else
        add_points(job, group, out);
}

#include "mapreduce_map.cuh"
#include "mapreduce_reduce.cuh"
#include "mapreduce_sort.cuh"
