// Colouring of a graph by partitions, in the manner of Grosset and others: a thread colours the nodes of
// its partition one after the other with the first colour that fits, blind to the other partitions;
// conflicts between partitions are found, and the later node of each is coloured again. Rows of
// neighbours are padded to the largest degree.
#include "device.h"

#define WORDS 4 // of 32 colours each
#define NONE  0xffffffffu

struct graph {
    const unsigned *neighbours;
    unsigned nodes, degree, partition; // partition: nodes of a thread
};

// The first colour that no neighbour has: those of the own partition now, of the others before.
WL_FN unsigned first_fit(const struct graph &g, const unsigned *before, const unsigned *now,
                         unsigned node)
{
    unsigned used[WORDS] = {0, 0, 0, 0};
    const unsigned *row = g.neighbours + node * g.degree;
    unsigned mine = node / g.partition;
    for (unsigned i = 0; i < g.degree && row[i] != NONE; i++) {
        unsigned colour = row[i] / g.partition == mine ? now[row[i]] : before[row[i]];
        if (colour < 32 * WORDS)
            used[colour / 32] |= 1u << colour % 32;
    }
    for (unsigned i = 0; i < WORDS; i++)
        if (~used[i])
            return 32 * i + __popc((~used[i] & -~used[i]) - 1);
    return 32 * WORDS;
}

// Colours the nodes of a partition that are marked; their own colours do not count. The others keep
// theirs.
extern "C" __global__ void gco_colour(struct graph g, const unsigned *marks, const unsigned *before,
                                      unsigned *now)
{
    unsigned start = (blockIdx.x * blockDim.x + threadIdx.x) * g.partition;
    unsigned end = min(start + g.partition, g.nodes);
    for (unsigned node = start; node < end; node++)
        now[node] = marks[node] ? NONE : before[node];
    for (unsigned node = start; node < end; node++)
        if (marks[node])
            now[node] = first_fit(g, before, now, node);
}

// Marks nodes that have the colour of an earlier neighbour, and counts them.
extern "C" __global__ void gco_conflicts(struct graph g, const unsigned *colours, unsigned *marks,
                                         unsigned *count)
{
    unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= g.nodes)
        return;
    const unsigned *row = g.neighbours + node * g.degree;
    unsigned conflict = 0;
    for (unsigned i = 0; i < g.degree && row[i] < node; i++)
        if (colours[row[i]] == colours[node])
            conflict = 1;
    marks[node] = conflict;
    if (conflict)
        atomicAdd(count, 1u);
}
