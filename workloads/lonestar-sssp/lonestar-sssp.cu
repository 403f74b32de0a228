/* Data-driven single-source shortest paths (Bellman-Ford with a worklist). Distances only fall, by
 * atomicMin, and the fixed point does not depend on the order of relaxations. */
#include "device.h"

#define SSSP_FAR 0x7fffffffu

extern "C" __global__ void sssp_init(unsigned *distance, unsigned *queued, unsigned nodes,
                                     unsigned source, unsigned *list)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= nodes)
        return;
    distance[i] = i == source ? 0 : SSSP_FAR;
    queued[i] = 0;
    if (i == source)
        list[0] = source;
}

/* `queued` holds the round for which a node was last appended, so that a node is at most once in a
 * list: the list never needs more than `nodes` entries. */
extern "C" __global__ void sssp_relax(const unsigned *row, const unsigned *column,
                                      const unsigned *weight, unsigned *distance, unsigned *queued,
                                      const unsigned *list, unsigned length, unsigned *next,
                                      unsigned *next_length, unsigned round)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= length)
        return;
    unsigned node = list[i];
    unsigned from = *(volatile unsigned *)&distance[node];
    for (unsigned e = row[node], end = row[node + 1]; e < end; e++) {
        unsigned to = column[e], through = from + weight[e];
        if (through < *(volatile unsigned *)&distance[to] &&
            through < atomicMin(&distance[to], through) && atomicExch(&queued[to], round) != round)
            next[atomicAdd(next_length, 1u)] = to;
    }
}
