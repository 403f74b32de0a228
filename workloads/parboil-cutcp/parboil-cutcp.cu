// Coulomb potential with a cutoff on a lattice. Atoms lie in bins of 4 A with room for 8. A block has a
// region of 8x8x8 lattice points, four points along y a thread (blocks of 8x2x8); it fetches the bins
// around the region, offsets in constant memory, 32 at a time into shared memory. The reciprocal root
// is the special function unit's.
#include "device.h"

#define BIN_DEPTH   8
#define BIN_FLOATS  32
#define CACHED_BINS 32
#define REGION      512
#define POINTS      4

struct lattice {
    int bins_x, bins_y, first_bin; // first_bin: the one at the origin
    int plane;                     // of regions, along z
    float spacing, cutoff2, inverse_cutoff2;
};

struct offset {
    int x, y, z;
};
__constant__ int offset_count;
__constant__ struct offset offsets[343];

// The bin of the region's middle; regions and bins are of one size.
WL_FN int bin_of(struct lattice l, struct offset o)
{
    int x = blockIdx.x + o.x, y = blockIdx.y + o.y, z = l.plane + o.z;
    return l.first_bin + (z * l.bins_y + y) * l.bins_x + x;
}

extern "C" __global__ void cutcp(const float *bins, float *potential, struct lattice l)
{
    __shared__ float cache[CACHED_BINS][BIN_FLOATS];
    int t = (threadIdx.z * 2 + threadIdx.y) * 8 + threadIdx.x, half = t / 16, lane = t % 16;
    float x = (float)(8 * blockIdx.x + threadIdx.x) * l.spacing;
    float y = (float)(8 * blockIdx.y + threadIdx.y) * l.spacing;
    float z = (float)(8 * l.plane + threadIdx.z) * l.spacing;
    float energy[POINTS] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int first = 0; first < offset_count; first += CACHED_BINS) {
        int here = min(offset_count - first, CACHED_BINS);
        for (int i = half; i < here; i += 8) {
            const float *bin = bins + bin_of(l, offsets[first + i]) * BIN_FLOATS;
            cache[i][lane] = bin[lane];
            cache[i][lane + 16] = bin[lane + 16];
        }
        __syncthreads();
        for (int b = 0; b < here; b++)
            for (int i = 0; i < BIN_DEPTH; i++) {
                const float *atom = &cache[b][4 * i];
                float charge = atom[3];
                if (charge == 0.0f) // no more atoms in this bin
                    break;
                float dx = atom[0] - x, dy = atom[1] - y, dz = atom[2] - z;
                float flat = __fmaf_rn(dz, dz, dx * dx);
#pragma unroll
                for (int p = 0; p < POINTS; p++, dy -= 2.0f * l.spacing) {
                    float r2 = __fmaf_rn(dy, dy, flat);
                    if (r2 < l.cutoff2) {
                        float s = __fmaf_rn(-r2, l.inverse_cutoff2, 1.0f);
                        energy[p] = __fmaf_rn(charge * rsqrtf(r2) * s, s, energy[p]);
                    }
                }
            }
        __syncthreads();
    }
    float *region =
        potential + ((l.plane * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * REGION;
#pragma unroll
    for (int p = 0; p < POINTS; p++)
        region[half * 64 + lane + 16 * p] = energy[p];
}
