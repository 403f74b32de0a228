/* Boruvka's minimum spanning tree. Edges are ordered by (weight, number), which makes the tree
 * unique; every component finds its least edge in two 32-bit passes, hooks onto its neighbour, and
 * pointers are jumped until every node names its root. Kernels are separate launches: no block
 * waits for another. */
#include "device.h"

#define MST_NONE 0xffffffffu

extern "C" __global__ void mst_reset(unsigned *least_weight, unsigned *least_edge, unsigned nodes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nodes)
        least_weight[i] = least_edge[i] = MST_NONE;
}

/* The least weight that leaves each component; each node first looks at its own edges. */
extern "C" __global__ void mst_find_weight(const unsigned *row, const unsigned *column,
                                           const unsigned *weight, const unsigned *component,
                                           unsigned *least_weight, unsigned nodes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= nodes)
        return;
    unsigned own = component[i], best = MST_NONE;
    for (unsigned e = row[i], end = row[i + 1]; e < end; e++)
        if (component[column[e]] != own && weight[e] < best)
            best = weight[e];
    if (best != MST_NONE)
        atomicMin(&least_weight[own], best);
}

/* Among the edges of that weight, the one with the least number (the same seen from both ends). */
extern "C" __global__ void mst_find_edge(const unsigned *row, const unsigned *column,
                                         const unsigned *weight, const unsigned *number,
                                         const unsigned *component, const unsigned *least_weight,
                                         unsigned *least_edge, unsigned nodes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= nodes)
        return;
    unsigned own = component[i], best = MST_NONE, least = least_weight[own];
    if (least == MST_NONE)
        return;
    for (unsigned e = row[i], end = row[i + 1]; e < end; e++)
        if (weight[e] == least && number[e] < best && component[column[e]] != own)
            best = number[e];
    if (best != MST_NONE)
        atomicMin(&least_edge[own], best);
}

/* Each root takes its edge into the tree and points to the other side. If two roots chose the same
 * edge, the smaller stays a root: this breaks the only cycles there can be. */
extern "C" __global__ void mst_hook(const unsigned *from, const unsigned *to,
                                    const unsigned *component, const unsigned *least_edge,
                                    unsigned *parent, unsigned *in_tree, unsigned *again,
                                    unsigned nodes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= nodes || component[i] != i)
        return;
    unsigned edge = least_edge[i];
    if (edge == MST_NONE)
        return;
    unsigned a = component[from[edge]], b = component[to[edge]];
    unsigned other = a == i ? b : a;
    in_tree[edge] = 1;
    *again = 1;
    if (least_edge[other] == edge && i < other)
        return;
    parent[i] = other;
}

extern "C" __global__ void mst_jump(unsigned *parent, unsigned *again, unsigned nodes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= nodes)
        return;
    unsigned up = parent[i], root = parent[up];
    if (up != root) {
        parent[i] = root;
        *again = 1;
    }
}

extern "C" __global__ void mst_label(const unsigned *parent, unsigned *component, unsigned nodes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < nodes)
        component[i] = parent[i];
}
