// Breadth-first search, one launch a level, one thread a vertex: a thread whose vertex is on the
// frontier relaxes all its neighbours. Most threads leave at once; the others run as long as their
// vertex has neighbours, which differs wildly.
#include "device.h"

struct node {
    int first, count;
};

extern "C" __global__ void bfs_level(const struct node *nodes, const int *edges,
                                     unsigned char *frontier, unsigned char *next, int *cost,
                                     int *again, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || !frontier[v])
        return;
    frontier[v] = 0;
    int mine = cost[v];
    struct node node = nodes[v];
    for (int i = node.first; i < node.first + node.count; i++) {
        int to = edges[i];
        if (cost[to] < 0) {
            cost[to] = mine + 1; // all who race here write the same
            next[to] = 1;
            *again = 1;
        }
    }
}
