/* One round of k-means as map-reduce, in the manner of Mars: map emits (nearest centre, point),
 * reduce takes the mean of a centre's points. Coordinates are integers. */
#include "mapreduce.cuh"

#define DIMENSIONS 4

struct mr_job {
    const int *points, *centres;
    unsigned clusters;
};

struct point {
    int at[DIMENSIONS];
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
    out.emit(&nearest, sizeof(nearest), &record, sizeof(record));
}

WL_FN int mr_compare(const unsigned char *a, unsigned, const unsigned char *b, unsigned)
{
    return mr_compare_u32(a, b);
}

template <class Out>
WL_FN void mr_reduce(const struct mr_job &job, const struct mr_group &group, Out &out)
{
    struct point mean = {{0, 0, 0, 0}};

    for (unsigned i = 0; i < group.count; i++) {
        const int *point = job.points + *(const unsigned *)group.value(i) * DIMENSIONS;
        for (unsigned d = 0; d < DIMENSIONS; d++)
            mean.at[d] += point[d];
    }
    for (unsigned d = 0; d < DIMENSIONS; d++)
        mean.at[d] /= (int)group.count;
    out.emit(group.key(), group.key_bytes(), &mean, sizeof(mean));
}

#include "mapreduce_map.cuh"
#include "mapreduce_reduce.cuh"
#include "mapreduce_sort.cuh"
