// Connected components of a graph by label equivalence, in the manner of Hawick, Leist and Playne. A
// round scans the neighbours' labels and notes under each label the least one it was seen beside;
// chases these notes to their ends; and relabels.
#include "device.h"

extern "C" __global__ void ccl_start(unsigned *labels, unsigned *equal, unsigned nodes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes)
        labels[i] = equal[i] = i;
}

extern "C" __global__ void ccl_scan(const unsigned *first, const unsigned *to, const unsigned *labels,
                                    unsigned *equal, unsigned nodes, unsigned *changed)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes)
        return;
    unsigned mine = labels[i], least = mine;
    for (unsigned e = first[i], end = first[i + 1]; e < end; e++)
        least = min(least, labels[to[e]]);
    if (least < mine) {
        atomicMin(&equal[mine], least);
        *changed = 1;
    }
}

// Only the node that a label is named after resolves it.
extern "C" __global__ void ccl_analyse(const unsigned *labels, unsigned *equal, unsigned nodes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes || labels[i] != i)
        return;
    unsigned root = equal[i], next = equal[root];
    while (next != root) {
        root = next;
        next = equal[root];
    }
    equal[i] = root;
}

extern "C" __global__ void ccl_label(unsigned *labels, const unsigned *equal, unsigned nodes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes)
        labels[i] = equal[labels[i]];
}
