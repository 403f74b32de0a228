// Separable convolution of an image of floats: a pass over rows and one over columns, a thread a
// pixel, each of its taps fetched through the texture path at the texel's centre (where linear
// filtering gives the texel itself); the filter is in constant memory.
#include "device.h"

#define RADIUS 8

__constant__ float filter[2 * RADIUS + 1];

/* The sum over the texels of a row, or of a column, around (x, y). The middle one is fetched first:
 * what follows is approximated where it is like its neighbours'. */
WL_FN float convolve(unsigned long long source, float x, float y, bool is_row)
{
    WL_MARK("lnl load H=0 uses=1");
    float middle = wl_tex2d_f32(source, x, y), sum = 0.0f;
    WL_MARK("lnl begin loads=0");
#pragma unroll
    for (int k = RADIUS; k >= -RADIUS; k--) {
        float texel = k == 0   ? middle
                      : is_row ? wl_tex2d_f32(source, x + (float)k, y)
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
    WL_MARK("lnl end");
}

extern "C" __global__ void convolve_columns(float *out, int width, int height,
                                            unsigned long long source)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    out[y * width + x] = convolve(source, (float)x + 0.5f, (float)y + 0.5f, false);
    WL_MARK("lnl end");
}
