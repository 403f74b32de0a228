// Two-point angular correlation: histograms of the angles between all points of two sets on the sky.
// A block has one pair of sets (or one set with itself); points of the first go through shared memory,
// each thread holds a point of the second. The bin of a cosine is found by binary search in constant
// memory and counted in one of 128 histograms in shared memory, two threads each, which a tree adds up.
#include "device.h"

#define BLOCK      256
#define BINS       20
#define HISTOGRAMS 128

__constant__ float bounds[BINS + 1]; // cosines, falling

struct point {
    float x, y, z;
};

struct sets {
    const float *x, *y, *z; // set after set; the first one is observed, the others are random
    int count, points;      // random sets; points of each
};

// The bin of a cosine, or BINS if it is beyond the first or the last.
WL_FN unsigned bin_of(float cosine)
{
    unsigned low = 0, high = BINS;
    while (high > low + 1) {
        unsigned middle = (low + high) / 2;
        if (cosine >= bounds[middle])
            high = middle;
        else
            low = middle;
    }
    return cosine < bounds[low] && cosine >= bounds[high] ? low : BINS;
}

WL_FN void fold(unsigned histogram[BINS][HISTOGRAMS])
{
    int t = threadIdx.x, column = t % (HISTOGRAMS / 2), row = t / (HISTOGRAMS / 2);
    for (int half = HISTOGRAMS / 2; half > 0; half /= 2)
        for (int bin = row; bin - row < BINS; bin += BLOCK / (HISTOGRAMS / 2)) {
            __syncthreads();
            if (column < half && bin < BINS)
                histogram[bin][column] += histogram[bin][column + half];
        }
    __syncthreads();
}

extern "C" __global__ void tpacf(struct sets s, unsigned *out)
{
    __shared__ struct point first[BLOCK];
    __shared__ unsigned histogram[BINS][HISTOGRAMS];
    int t = threadIdx.x, block = blockIdx.x;
    bool with_itself = block <= s.count;
    int set = (with_itself ? block : block - s.count) * s.points, other = with_itself ? set : 0;
    for (int i = t; i < BINS * HISTOGRAMS; i += BLOCK)
        histogram[i / HISTOGRAMS][i % HISTOGRAMS] = 0;
    for (int i = 0; i < s.points; i += BLOCK) {
        __syncthreads();
        if (i + t < s.points)
            first[t] = {s.x[other + i + t], s.y[other + i + t], s.z[other + i + t]};
        __syncthreads();
        for (int j = (with_itself ? i + 1 : 0) + t; j < s.points; j += BLOCK) {
            float x = s.x[set + j], y = s.y[set + j], z = s.z[set + j];
            for (int k = 0; k < BLOCK && i + k < s.points; k++) {
                float cosine = __fmaf_rn(first[k].z, z, __fmaf_rn(first[k].y, y, first[k].x * x));
                unsigned bin = bin_of(cosine);
                if (bin < BINS && (!with_itself || j > i + k))
                    atomicAdd(&histogram[bin][t / 2], 1u);
            }
        }
    }
    fold(histogram);
    if (t < BINS)
        out[block * BINS + t] = histogram[t][0];
}
