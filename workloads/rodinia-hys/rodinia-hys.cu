// Hybrid sort: a histogram of the numbers gives pivots for buckets of about equal size; the numbers are
// scattered into them, each padded to whole quads; merge sort of quads within every bucket; the padding
// is dropped.
#include "device.h"

#define BINS         1024
#define WARPS        3 // of a block of the histogram, each with bins of its own
#define MOST_BUCKETS 1024

struct __attribute__((aligned(16))) quad {
    float x, y, z, w;
};

// In quads, where a bucket starts; in numbers, where it belongs in the result; zeros it begins with.
__constant__ int bucket_start[MOST_BUCKETS + 1], final_start[MOST_BUCKETS + 1], padding[MOST_BUCKETS];

extern "C" __global__ void hys_histogram(unsigned *histogram, const float *numbers, float least,
                                         float greatest, int count)
{
    __shared__ unsigned bins[WARPS][BINS];
    int threads = blockDim.x * gridDim.x;
    for (int i = threadIdx.x; i < WARPS * BINS; i += blockDim.x)
        bins[i / BINS][i % BINS] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        unsigned bin = (unsigned)((numbers[i] - least) / (greatest - least) * BINS);
        atomicAdd(&bins[threadIdx.x / 32][bin % BINS], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&histogram[i], bins[0][i] + bins[1][i] + bins[2][i]);
}

// For each number its bucket and which one of the block's it is there; for each block its counts.
extern "C" __global__ void hys_count(const float *numbers, int *place, unsigned *counts,
                                     const float *pivots, int buckets, int count)
{
    __shared__ unsigned taken[MOST_BUCKETS];
    for (int i = threadIdx.x; i < buckets; i += blockDim.x)
        taken[i] = 0;
    __syncthreads();
    int threads = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        float number = numbers[i];
        int bucket = 0;
        for (int jump = buckets / 2; jump > 0; jump /= 2)
            if (number >= pivots[bucket + jump - 1])
                bucket += jump;
        place[i] = atomicAdd(&taken[bucket], 1u) * buckets + bucket;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < buckets; i += blockDim.x)
        counts[blockIdx.x * buckets + i] = taken[i];
}

// A thread a bucket: counts of the blocks become places; totals are left in sizes.
extern "C" __global__ void hys_offsets(unsigned *counts, unsigned *sizes, int buckets, int blocks)
{
    int bucket = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    if (bucket >= buckets)
        return;
    for (int i = bucket; i < blocks * buckets; i += buckets) {
        unsigned here = counts[i];
        counts[i] = sum;
        sum += here;
    }
    sizes[bucket] = sum;
}

extern "C" __global__ void hys_scatter(const float *numbers, const int *place, float *out,
                                       const unsigned *counts, int buckets, int count)
{
    __shared__ unsigned start[MOST_BUCKETS];
    for (int i = threadIdx.x; i < buckets; i += blockDim.x)
        start[i] = 4 * bucket_start[i] + padding[i] + counts[blockIdx.x * buckets + i];
    __syncthreads();
    int threads = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads)
        out[start[place[i] % buckets] + place[i] / buckets] = numbers[i];
}

WL_FN struct quad sorted(struct quad q)
{
    struct quad a = {fminf(q.x, q.y), fmaxf(q.x, q.y), fminf(q.z, q.w), fmaxf(q.z, q.w)};
    struct quad b = {fminf(a.x, a.z), fminf(a.y, a.w), fmaxf(a.x, a.z), fmaxf(a.y, a.w)};
    struct quad c = {b.x, fminf(b.y, b.z), fmaxf(b.y, b.z), b.w};
    return c;
}

extern "C" __global__ void hys_sort_quads(struct quad *quads, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        quads[i] = sorted(quads[i]);
}

// A thread merges two runs of half `run` quads of a bucket; the last one may be short or missing.
extern "C" __global__ void hys_merge(const struct quad *in, struct quad *out, int run, int buckets,
                                     int threads_a_bucket)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, bucket = t / threads_a_bucket;
    if (bucket >= buckets)
        return;
    int a = bucket_start[bucket] + t % threads_a_bucket * run, end = bucket_start[bucket + 1];
    if (a >= end)
        return;
    int at = a, a_end = min(a + run / 2, end), b = a_end, b_end = min(a + run, end);
    if (b == b_end) {
        for (; a < a_end; a++)
            out[a] = in[a];
        return;
    }
    struct quad low = in[a++], high = in[b++];
    for (;;) {
        struct quad first = {fminf(low.x, high.w), fminf(low.y, high.z), fminf(low.z, high.y),
                             fminf(low.w, high.x)};
        struct quad second = {fmaxf(low.x, high.w), fmaxf(low.y, high.z), fmaxf(low.z, high.y),
                              fmaxf(low.w, high.x)};
        out[at++] = sorted(first);
        high = sorted(second);
        if (a == a_end && b == b_end)
            break;
        bool from_a = b == b_end || (a < a_end && in[a].x < in[b].x);
        low = from_a ? in[a++] : in[b++];
    }
    out[at] = high;
}

extern "C" __global__ void hys_pack(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, bucket = blockIdx.y;
    if (final_start[bucket] + i < final_start[bucket + 1])
        out[final_start[bucket] + i] = in[4 * bucket_start[bucket] + padding[bucket] + i];
}
