// Exclusive scan of a large array: each block scans 512 elements in shared memory (up-sweep and
// down-sweep of a tree, addresses padded against bank conflicts) and leaves its total; the totals are
// scanned the same way and added to the blocks.
#include "device.h"

#define THREADS 256
#define ELEMENTS (2 * THREADS)
#define PAD(i) ((i) + ((i) >> 5))

extern "C" __global__ void scan_blocks(float *out, float *totals, const float *in, int n)
{
    __shared__ float tree[PAD(ELEMENTS) + 1];
    int t = threadIdx.x, base = blockIdx.x * ELEMENTS;
    int a = t, b = t + THREADS;
    tree[PAD(a)] = base + a < n ? in[base + a] : 0.0f;
    tree[PAD(b)] = base + b < n ? in[base + b] : 0.0f;
    int stride = 1;
    for (int d = THREADS; d > 0; d >>= 1, stride *= 2) {
        __syncthreads();
        if (t < d) {
            int left = stride * (2 * t + 1) - 1, right = stride * (2 * t + 2) - 1;
            tree[PAD(right)] += tree[PAD(left)];
        }
    }
    if (t == 0) {
        totals[blockIdx.x] = tree[PAD(ELEMENTS - 1)];
        tree[PAD(ELEMENTS - 1)] = 0.0f;
    }
    for (int d = 1; d <= THREADS; d *= 2) {
        stride >>= 1;
        __syncthreads();
        if (t < d) {
            int left = stride * (2 * t + 1) - 1, right = stride * (2 * t + 2) - 1;
            float v = tree[PAD(left)];
            tree[PAD(left)] = tree[PAD(right)];
            tree[PAD(right)] += v;
        }
    }
    __syncthreads();
    if (base + a < n)
        out[base + a] = tree[PAD(a)];
    if (base + b < n)
        out[base + b] = tree[PAD(b)];
}

extern "C" __global__ void add_totals(float *out, const float *totals, int n)
{
    __shared__ float total;
    if (threadIdx.x == 0)
        total = totals[blockIdx.x];
    __syncthreads();
    int i = blockIdx.x * ELEMENTS + threadIdx.x;
    if (i < n)
        out[i] += total;
    if (i + THREADS < n)
        out[i + THREADS] += total;
}
