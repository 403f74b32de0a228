// Separable convolution of an image: a pass over rows and one over columns, each through a tile in
// shared memory with an apron of RADIUS on both sides; the filter is in constant memory.
#include "device.h"

#define RADIUS 8
#define ROW_TILE 128
#define COLUMN_W 16
#define COLUMN_H 48

__constant__ float filter[2 * RADIUS + 1];

extern "C" __global__ void convolve_rows(float *out, const float *in, int width)
{
    __shared__ float tile[ROW_TILE + 2 * RADIUS];
    const float *row = in + blockIdx.y * width;
    int start = blockIdx.x * ROW_TILE;
    for (int i = threadIdx.x; i < ROW_TILE + 2 * RADIUS; i += blockDim.x) {
        int x = start + i - RADIUS;
        float pixel = 0.0f;
        if (x >= 0 && x < width)
            WL_MARKED_LOAD("lnl load H=0 uses=1", pixel, &row[x]);
        tile[i] = pixel;
    }
    __syncthreads();
    int x = start + threadIdx.x;
    if (x >= width)
        return;
    WL_MARK("lnl begin loads=0");
    const float *middle = tile + threadIdx.x + RADIUS;
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum = __fmaf_rn(middle[k], filter[RADIUS - k], sum);
    out[blockIdx.y * width + x] = sum;
    WL_MARK("lnl end");
}

extern "C" __global__ void convolve_columns(float *out, const float *in, int width, int height)
{
    __shared__ float tile[(COLUMN_H + 2 * RADIUS) * COLUMN_W];
    int x = blockIdx.x * COLUMN_W + threadIdx.x, start = blockIdx.y * COLUMN_H;
    if (x < width)
        for (int i = threadIdx.y; i < COLUMN_H + 2 * RADIUS; i += blockDim.y) {
            int y = start + i - RADIUS;
            float pixel = 0.0f;
            if (y >= 0 && y < height)
                WL_MARKED_LOAD("lnl load H=0 uses=1", pixel, &in[y * width + x]);
            tile[i * COLUMN_W + threadIdx.x] = pixel;
        }
    __syncthreads();
    WL_MARK("lnl begin loads=0");
    for (int i = threadIdx.y; i < COLUMN_H; i += blockDim.y) {
        if (x >= width || start + i >= height)
            break;
        const float *middle = tile + (i + RADIUS) * COLUMN_W + threadIdx.x;
        float sum = 0.0f;
#pragma unroll
        for (int k = -RADIUS; k <= RADIUS; k++)
            sum = __fmaf_rn(middle[k * COLUMN_W], filter[RADIUS - k], sum);
        out[(start + i) * width + x] = sum;
    }
    WL_MARK("lnl end");
}
