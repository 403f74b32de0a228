// Queries on a B+ tree of order 256, a block of 256 threads each: in every node each thread compares one
// key and the next, and the one that has the wanted key between them leads on to the child. Where a
// query stands is kept in global memory, as in Rodinia.
#include "device.h"

#define ORDER 256

struct node {
    int location;
    int indices[ORDER + 1]; // children; in a leaf, records
    int keys[ORDER + 1];    // sorted; behind the last one there is INT_MAX
    int is_leaf, key_count;
};

// Leads from node `at` to the child that has `key`.
WL_FN void descend(const struct node *nodes, long long at, int key, long long *next)
{
    const struct node *n = &nodes[at];
    int t = threadIdx.x;
    if (n->keys[t] <= key && n->keys[t + 1] > key)
        *next = n->indices[t];
}

extern "C" __global__ void bt_find(int height, const struct node *nodes, const int *records,
                                   long long *at, long long *next, const int *keys, int *answers)
{
    int t = threadIdx.x, query = blockIdx.x;
    for (int level = 0; level < height; level++) {
        descend(nodes, at[query], keys[query], &next[query]);
        __syncthreads();
        if (t == 0)
            at[query] = next[query];
        __syncthreads();
    }
    const struct node *leaf = &nodes[at[query]];
    if (leaf->keys[t] == keys[query])
        answers[query] = records[leaf->indices[t]];
}

// The first record and how many there are from key starts[q] to key ends[q].
extern "C" __global__ void bt_find_range(int height, const struct node *nodes, long long *at,
                                         long long *next, long long *last_at, long long *last_next,
                                         const int *starts, const int *ends, int *firsts,
                                         int *lengths)
{
    int t = threadIdx.x, query = blockIdx.x;
    for (int level = 0; level < height; level++) {
        descend(nodes, at[query], starts[query], &next[query]);
        descend(nodes, last_at[query], ends[query], &last_next[query]);
        __syncthreads();
        if (t == 0) {
            at[query] = next[query];
            last_at[query] = last_next[query];
        }
        __syncthreads();
    }
    const struct node *leaf = &nodes[at[query]], *last = &nodes[last_at[query]];
    if (leaf->keys[t] == starts[query])
        firsts[query] = leaf->indices[t];
    __syncthreads();
    if (last->keys[t] == ends[query])
        lengths[query] = last->indices[t] - firsts[query] + 1;
}
