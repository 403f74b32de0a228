// Stream cluster: what a new centre would gain. A thread a point: its distance to the candidate,
// coordinates by dimension; if that is cheaper the point would switch, else its present centre keeps the
// difference in its favour. A row of the work memory a thread, a column a centre, the last one for the
// candidate.
#include "device.h"

struct point {
    float weight;
    unsigned long long coordinates; // the host's, not used here
    long long assigned;             // to the point that is its centre
    float cost;
};

extern "C" __global__ void sc_gain(int points, int dimensions, int candidate, const struct point *p,
                                   int centres, const float *coordinates, float *work,
                                   const int *centre_number, unsigned char *switches)
{
    int i = blockDim.x * (blockIdx.x + gridDim.x * blockIdx.y) + threadIdx.x;
    if (i >= points)
        return;
    float distance = 0, *lower = work + i * (centres + 1);
    for (int d = 0; d < dimensions; d++) {
        float apart = coordinates[d * points + i] - coordinates[d * points + candidate];
        distance = __fmaf_rn(apart, apart, distance);
    }
    float cost = distance * p[i].weight;
    if (cost < p[i].cost) {
        switches[i] = 1;
        lower[centres] += cost - p[i].cost;
    } else {
        lower[centre_number[p[i].assigned]] += p[i].cost - cost;
    }
}
