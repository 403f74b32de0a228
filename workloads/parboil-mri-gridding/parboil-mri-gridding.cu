// Gridding of MRI samples: samples are counted by cell and sorted by it (radix sort, four bits a pass,
// with scans in shared memory), the counts scanned to the cells' first samples, and then each grid point
// gathers the samples around it, weighted by a Kaiser-Bessel window (a rational approximation with the
// special function unit's division).
#include "device.h"

#define HALF   128 // threads of a scan or a sort; each has two elements
#define DIGITS 16
#define TILE   64
#define REACH  2 // cells that the window extends to each side

struct sample {
    float real, imaginary, x, y, z, density;
};
struct value {
    float real, imaginary;
};
struct place {
    float x, y, z, density;
};
struct shape {
    int nx, ny, nz;
    float beta; // of the window
};

// Sums of all elements before each of the 2 * HALF, in place; returns the sum of all.
WL_FN unsigned scan(unsigned *data)
{
    __shared__ volatile unsigned total;
    unsigned t = threadIdx.x, stride = 1;
    for (unsigned active = HALF; active > 0; active /= 2, stride *= 2) {
        __syncthreads();
        if (t < active)
            data[2 * stride * (t + 1) - 1] += data[2 * stride * t + stride - 1];
    }
    if (t == 0) {
        total = data[2 * HALF - 1];
        data[2 * HALF - 1] = 0;
    }
    for (unsigned active = 1; active <= HALF; active *= 2) {
        stride /= 2;
        __syncthreads();
        if (t < active) {
            unsigned left = 2 * stride * t + stride - 1, right = left + stride, kept = data[left];
            data[left] = data[right];
            data[right] += kept;
        }
    }
    __syncthreads();
    return total;
}

extern "C" __global__ void grid_scan(unsigned n, unsigned *data, unsigned *sums)
{
    __shared__ unsigned part[2 * HALF];
    unsigned t = threadIdx.x, first = blockIdx.x * 2 * HALF;
    for (unsigned i = t; i < 2 * HALF; i += HALF)
        part[i] = first + i < n ? data[first + i] : 0;
    unsigned total = scan(part);
    for (unsigned i = t; i < 2 * HALF; i += HALF)
        if (first + i < n)
            data[first + i] = part[i];
    if (t == 0)
        sums[blockIdx.x] = total;
}

extern "C" __global__ void grid_scan_add(unsigned n, unsigned *data, const unsigned *sums)
{
    unsigned first = blockIdx.x * 2 * HALF;
    for (unsigned i = first + threadIdx.x; i < first + 2 * HALF && i < n; i += HALF)
        data[i] += sums[blockIdx.x];
}

extern "C" __global__ void grid_bin(unsigned n, const struct sample *samples, unsigned *keys,
                                    unsigned *indices, unsigned *counts, struct shape s)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = __float2int_rz(samples[i].x), y = __float2int_rz(samples[i].y);
    unsigned cell = (__float2int_rz(samples[i].z) * s.ny + y) * s.nx + x;
    atomicAdd(&counts[cell], 1u);
    keys[i] = cell;
    indices[i] = i;
}

// Sorts each block's elements by four bits of the key, bit by bit, those with 0 before those with 1 and
// otherwise as they were. histogram[digit * blocks + block]: how many have a digit.
extern "C" __global__ void grid_sort(unsigned n, unsigned shift, unsigned *keys, unsigned *indices,
                                     unsigned *histogram)
{
    __shared__ unsigned flags[2 * HALF], key[2 * HALF], index[2 * HALF], digits[DIGITS];
    unsigned t = threadIdx.x, first = blockIdx.x * 2 * HALF;
    if (t < DIGITS)
        digits[t] = 0;
    for (unsigned i = t; i < 2 * HALF; i += HALF) {
        key[i] = first + i < n ? keys[first + i] : 0xffffffffu;
        index[i] = first + i < n ? indices[first + i] : 0;
    }
    __syncthreads();
    for (unsigned i = t; i < 2 * HALF; i += HALF)
        if (first + i < n)
            atomicAdd(&digits[key[i] >> shift & (DIGITS - 1)], 1u);
    for (unsigned bit = shift; bit < shift + 4; bit++) {
        unsigned a = key[t], b = key[t + HALF], index_a = index[t], index_b = index[t + HALF];
        flags[t] = a >> bit & 1;
        flags[t + HALF] = b >> bit & 1;
        unsigned zeros = 2 * HALF - scan(flags);
        unsigned to_a = a >> bit & 1 ? zeros + flags[t] : t - flags[t];
        unsigned to_b = b >> bit & 1 ? zeros + flags[t + HALF] : t + HALF - flags[t + HALF];
        __syncthreads();
        key[to_a] = a;
        index[to_a] = index_a;
        key[to_b] = b;
        index[to_b] = index_b;
        __syncthreads();
    }
    for (unsigned i = t; i < 2 * HALF; i += HALF)
        if (first + i < n) {
            keys[first + i] = key[i];
            indices[first + i] = index[i];
        }
    if (t < DIGITS)
        histogram[t * gridDim.x + blockIdx.x] = digits[t];
}

// Takes each block's runs of equal digits to where the scanned histogram puts them.
extern "C" __global__ void grid_scatter(unsigned n, unsigned shift, const unsigned *keys,
                                        const unsigned *indices, unsigned *keys_out,
                                        unsigned *indices_out, const unsigned *histogram)
{
    __shared__ unsigned digit[2 * HALF], start[DIGITS];
    unsigned t = threadIdx.x, first = blockIdx.x * 2 * HALF;
    for (unsigned i = t; i < 2 * HALF && first + i < n; i += HALF)
        digit[i] = keys[first + i] >> shift & (DIGITS - 1);
    __syncthreads();
    for (unsigned i = t; i < 2 * HALF && first + i < n; i += HALF)
        if (i == 0 || digit[i] != digit[i - 1])
            start[digit[i]] = i;
    __syncthreads();
    for (unsigned i = t; i < 2 * HALF && first + i < n; i += HALF) {
        unsigned to = histogram[digit[i] * gridDim.x + blockIdx.x] + i - start[digit[i]];
        keys_out[to] = keys[first + i];
        indices_out[to] = indices[first + i];
    }
}

extern "C" __global__ void grid_reorder(unsigned n, const unsigned *indices,
                                        const struct sample *samples, struct value *values,
                                        struct place *places)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct sample s = samples[indices[i]];
    values[i] = {s.real, s.imaginary};
    places[i] = {s.x, s.y, s.z, s.density};
}

// The modified Bessel function of order 0 by a ratio of polynomials in its argument's square.
WL_FN float bessel(float v)
{
    float z = v * v, above = 0.210580722890567e-22f;
    above = __fmaf_rn(z, above, 0.380715242345326e-19f);
    above = __fmaf_rn(z, above, 0.479440257548300e-16f);
    above = __fmaf_rn(z, above, 0.435125971262668e-13f);
    above = __fmaf_rn(z, above, 0.300931127112960e-10f);
    above = __fmaf_rn(z, above, 0.160224679395361e-7f);
    above = __fmaf_rn(z, above, 0.654858370096785e-5f);
    above = __fmaf_rn(z, above, 0.202591084143397e-2f);
    above = __fmaf_rn(z, above, 0.463076284721000e0f);
    above = __fmaf_rn(z, above, 0.754337328948189e2f);
    above = __fmaf_rn(z, above, 0.830792541809429e4f);
    above = __fmaf_rn(z, above, 0.571661130563785e6f);
    above = __fmaf_rn(z, above, 0.216415572361227e8f);
    above = __fmaf_rn(z, above, 0.356644482244025e9f);
    above = __fmaf_rn(z, above, 0.144048298227235e10f);
    float below = __fmaf_rn(z, z - 0.307646912682801e4f, 0.347626332405882e7f);
    below = __fmaf_rn(z, below, -0.144048298227235e10f);
    return __fdividef(-above, below);
}

struct point {
    float real, imaginary, count;
};

// Adds a sample to a point at the squared distance v from it.
WL_FN void gather(struct point *p, float v, float beta, struct value value, float density)
{
    if (v >= (float)(REACH * REACH))
        return;
    float inside = (float)(1.0 - v * (1.0f / (REACH * REACH)));
    float weight = bessel(beta * __fsqrt_rn(inside)) * density;
    p->real = __fmaf_rn(weight, value.real, p->real);
    p->imaginary = __fmaf_rn(weight, value.imaginary, p->imaginary);
    p->count += 1.0f;
}

// A block of 8x4x2 threads has 8x4x8 points, four along z a thread.
extern "C" __global__ void grid_gather(const struct value *values, const struct place *places,
                                       const unsigned *starts, struct value *out, float *counts,
                                       struct shape s)
{
    __shared__ struct value value[TILE];
    __shared__ struct place place[TILE];
    int t = (threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x;
    int x0 = blockIdx.x * 8, y0 = blockIdx.y % (s.ny / 4) * 4, z0 = blockIdx.y / (s.ny / 4) * 8;
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0 + threadIdx.z;
    int last_x = min(x0 + 8 + REACH, s.nx - 1), last_y = min(y0 + 4 + REACH, s.ny - 1),
        last_z = min(z0 + 8 + REACH, s.nz - 1);
    struct point points[4] = {};
    for (int cz = max(z0 - REACH, 0); cz <= last_z; cz++)
        for (int cy = max(y0 - REACH, 0); cy <= last_y; cy++) {
            const unsigned *row = starts + (cz * s.ny + cy) * s.nx;
            int first = row[max(x0 - REACH, 0)], end = row[last_x + 1];
            for (int tile = first; tile < end; tile += TILE) {
                int here = min(end - tile, TILE);
                __syncthreads();
                if (t < here) {
                    value[t] = values[tile + t];
                    place[t] = places[tile + t];
                }
                __syncthreads();
                for (int i = 0; i < here; i++) {
                    struct place p = place[i];
                    struct value v = value[i];
                    if ((v.real == 0.0f && v.imaginary == 0.0f) || p.density == 0.0f)
                        continue;
                    float dx = p.x - (float)x, dy = p.y - (float)y;
                    float flat = __fmaf_rn(dy, dy, dx * dx);
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        float dz = p.z - (float)(z + 2 * k);
                        gather(&points[k], __fmaf_rn(dz, dz, flat), s.beta, v, p.density);
                    }
                }
            }
        }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int at = ((z + 2 * k) * s.ny + y) * s.nx + x;
        out[at] = {points[k].real, points[k].imaginary};
        counts[at] = points[k].count;
    }
}
