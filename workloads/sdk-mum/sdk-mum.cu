// Exact matching of reads against a reference genome in a suffix tree, one thread a read. Threads
// chase children and suffix links through a tree far larger than any cache; every read takes a path of
// its own.
#include "device.h"

struct node {
    int start, end; // the label of the edge into this node: reference[start .. end - 1]
    int link;       // the node of the same string without its first letter
    int first;      // where the node's string occurs first
    int child[4];   // 0: none
};

WL_FN int base_index(unsigned char letter)
{
    return letter >> 1 & 3; // A C T G = 0 1 2 3
}

extern "C" __global__ void match_reads(const struct node *nodes, const unsigned char *reference,
                                       int reference_len, const unsigned char *reads,
                                       const int *offsets, int *positions, int *lengths, int n,
                                       int least)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n)
        return;
    int end = offsets[r + 1];
    int at = 0;                // an inner node on the path of the current match,
    int depth = 0, length = 0; // how many letters deep it is, and how many match in all
    for (int i = offsets[r]; i < end; i++) {
        int below;
        for (;;) {
            int child = i + depth < end ? nodes[at].child[base_index(reads[i + depth])] : 0;
            below = at;
            if (!child)
                break;
            struct node c = nodes[child];
            int edge = c.end - c.start, k = length - depth;
            while (k < edge && i + depth + k < end && reference[c.start + k] == reads[i + depth + k])
                k++;
            length = max(length, depth + k);
            below = child;
            if (k < edge || c.end == reference_len)
                break;
            at = child;
            depth += edge;
        }
        bool found = length >= least;
        positions[i] = found ? nodes[below].first : -1;
        lengths[i] = found ? length : 0;
        depth = max(depth - 1, 0);
        length = max(length - 1, 0);
        at = nodes[at].link;
    }
}
