// Separable convolution of an image of floats: a pass over rows and one over columns, a thread a
// pixel, each of its taps fetched through the texture path at the texel's centre (where linear
// filtering gives the texel itself); the filter is in constant memory.
#include "device.h"

#define RADIUS 8

__constant__ float filter[2 * RADIUS + 1];

/* The sum over the texels of a row, or of a column, around (x, y). */
WL_FN float convolve(unsigned long long source, float x, float y, bool is_row)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = RADIUS; k >= -RADIUS; k--) {
        float texel = is_row ? wl_tex2d_f32(source, x + (float)k, y)
                             : wl_tex2d_f32(source, x, y + (float)k);
        sum = __fmaf_rn(texel, filter[RADIUS - k], sum);
    }
    return sum;
}

extern "C" __global__ void convolve_rows(float *out, int width, int height,
                                         unsigned long long source)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    out[y * width + x] = convolve(source, (float)x + 0.5f, (float)y + 0.5f, true);
}

extern "C" __global__ void convolve_columns(float *out, int width, int height,
                                            unsigned long long source)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    out[y * width + x] = convolve(source, (float)x + 0.5f, (float)y + 0.5f, false);
}
