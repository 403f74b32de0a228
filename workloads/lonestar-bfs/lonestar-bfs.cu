/* Data-driven breadth-first search: a worklist of the nodes of one level makes that of the next. A
 * node belongs to whoever claims its level first; levels do not depend on who that is. */
#include "device.h"

#define UNREACHED 0x7fffffffu

/* list[0..*length) holds the nodes of `level`; newly reached nodes are appended to next. */
extern "C" __global__ void bfs_worklist(const unsigned *row, const unsigned *column,
                                        unsigned *levels, const unsigned *list, unsigned length,
                                        unsigned *next, unsigned *next_length, unsigned level)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= length)
        return;
    unsigned node = list[i];
    for (unsigned e = row[node], end = row[node + 1]; e < end; e++) {
        unsigned to = column[e];
        if (levels[to] == UNREACHED && atomicCAS(&levels[to], UNREACHED, level + 1) == UNREACHED)
            next[atomicAdd(next_length, 1u)] = to;
    }
}
