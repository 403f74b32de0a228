/* Breadth-first search in Rodinia's manner: one thread a node and a level, byte masks for the
 * frontier, a second kernel that makes the next frontier visible. */
#include "device.h"

struct node {
    unsigned first, edges;
};

/* All nodes of a level write the same cost to a neighbour, so the race between them is harmless. */
extern "C" __global__ void bfs_expand(const struct node *nodes, const unsigned *edges,
                                      unsigned char *frontier, unsigned char *updating,
                                      const unsigned char *visited, int *cost, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count || !frontier[i])
        return;
    frontier[i] = 0;
    for (unsigned e = nodes[i].first; e < nodes[i].first + nodes[i].edges; e++) {
        unsigned to = edges[e];
        if (!visited[to]) {
            cost[to] = cost[i] + 1;
            updating[to] = 1;
        }
    }
}

extern "C" __global__ void bfs_advance(unsigned char *frontier, unsigned char *updating,
                                       unsigned char *visited, unsigned *again, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count || !updating[i])
        return;
    frontier[i] = 1;
    visited[i] = 1;
    updating[i] = 0;
    *again = 1;
}
