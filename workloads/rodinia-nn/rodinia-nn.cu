// Nearest neighbours: the distance of every record's place to one place, a thread a record.
#include "device.h"

struct place {
    float latitude, longitude;
};

extern "C" __global__ void nn_distances(const struct place *places, float *distances, int records,
                                        float latitude, float longitude)
{
    int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (i >= records)
        return;
    float north = latitude - places[i].latitude, east = longitude - places[i].longitude;
    distances[i] = __fsqrt_rn(__fmaf_rn(north, north, east * east));
}
