// Fast Walsh transform: radix-4 passes in global memory while the stride is wide, the last 2^11
// elements in shared memory; and the product of two spectra.
#include "device.h"

WL_FN void butterfly4(float *d, int i0, int i1, int i2, int i3)
{
    float d0 = d[i0], d1 = d[i1], d2 = d[i2], d3 = d[i3], t;
    t = d0;
    d0 = d0 + d2;
    d2 = t - d2;
    t = d1;
    d1 = d1 + d3;
    d3 = t - d3;
    d[i0] = d0 + d1;
    d[i1] = d0 - d1;
    d[i2] = d2 + d3;
    d[i3] = d2 - d3;
}

extern "C" __global__ void fwt_shared(float *data, int log2n)
{
    extern __shared__ float s[];
    int n = 1 << log2n, quarter = n / 4, t = threadIdx.x;
    float *block = data + blockIdx.x * n;
    for (int i = t; i < n; i += blockDim.x)
        s[i] = block[i];
    int stride = quarter;
    for (; stride > 0; stride >>= 2) {
        __syncthreads();
        for (int i = t; i < quarter; i += blockDim.x) {
            int low = i & (stride - 1), i0 = (i - low) * 4 + low;
            butterfly4(s, i0, i0 + stride, i0 + 2 * stride, i0 + 3 * stride);
        }
    }
    if (log2n & 1) { // the stride 1 is left
        __syncthreads();
        for (int i = t; i < n / 2; i += blockDim.x) {
            float a = s[2 * i], b = s[2 * i + 1];
            s[2 * i] = a + b;
            s[2 * i + 1] = a - b;
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x)
        block[i] = s[i];
}

extern "C" __global__ void fwt_global(float *data, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = i & (stride - 1), i0 = (i - low) * 4 + low;
    butterfly4(data, i0, i0 + stride, i0 + 2 * stride, i0 + 3 * stride);
}

extern "C" __global__ void modulate(float *a, const float *b, float scale, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        a[i] *= b[i] * scale;
}
