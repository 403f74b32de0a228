/* Speckle reducing anisotropic diffusion in Rodinia's manner: a reduction for the image's
 * statistics, a kernel for the diffusion coefficient, a kernel for the step; 16x16 tiles in shared
 * memory. Borders repeat the edge. rows and cols are multiples of 16. */
#include "device.h"

#define TILE         16
#define REDUCE_BLOCK 256

/* sums[b], squares[b]: over the 256 values of block b, in a fixed tree. */
extern "C" __global__ void srad_reduce(const float *value, const float *square, float *sums,
                                       float *squares)
{
    __shared__ float a[REDUCE_BLOCK], b[REDUCE_BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * REDUCE_BLOCK + t;

    a[t] = value[i];
    b[t] = square[i];
    for (unsigned half = REDUCE_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            a[t] += a[t + half];
            b[t] += b[t + half];
        }
    }
    if (t == 0) {
        sums[blockIdx.x] = a[0];
        squares[blockIdx.x] = b[0];
    }
}

extern "C" __global__ void srad_prepare(const float *image, float *value, float *square)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = image[i];

    value[i] = v;
    square[i] = v * v;
}

/* The four differences of each pixel and its diffusion coefficient in 0..1. */
extern "C" __global__ void srad_coefficient(const float *image, float *north, float *south,
                                            float *west, float *east, float *coefficient,
                                            unsigned rows, unsigned cols, float q0_squared)
{
    __shared__ float tile[TILE][TILE];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    unsigned at = y * cols + x;

    float centre = image[at];
    tile[ty][tx] = centre;
    __syncthreads();
    float n = ty > 0 ? tile[ty - 1][tx] : image[y > 0 ? at - cols : at];
    float s = ty < TILE - 1 ? tile[ty + 1][tx] : image[y < rows - 1 ? at + cols : at];
    float w = tx > 0 ? tile[ty][tx - 1] : image[x > 0 ? at - 1 : at];
    float e = tx < TILE - 1 ? tile[ty][tx + 1] : image[x < cols - 1 ? at + 1 : at];
    n -= centre;
    s -= centre;
    w -= centre;
    e -= centre;

    float squares = __fmaf_rn(e, e, __fmaf_rn(w, w, __fmaf_rn(s, s, n * n)));
    float gradient = squares / (centre * centre);
    float laplace = (n + s + w + e) / centre;
    WL_MARK_ON("memo begin IN=%0,%1", "+f"(gradient), "+f"(laplace));
    float numerator = __fmaf_rn(-0.0625f, laplace * laplace, 0.5f * gradient);
    float denominator = __fmaf_rn(0.25f, laplace, 1.0f);
    float q_squared = numerator / (denominator * denominator);
    float c = 1.0f / (1.0f + (q_squared - q0_squared) / (q0_squared * (1.0f + q0_squared)));
    c = c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
    WL_MARK_ON("memo end OUT=%0", "+f"(c));

    coefficient[at] = c;
    north[at] = n;
    south[at] = s;
    west[at] = w;
    east[at] = e;
}

extern "C" __global__ void srad_step(float *image, const float *north, const float *south,
                                     const float *west, const float *east, const float *coefficient,
                                     unsigned rows, unsigned cols, float lambda)
{
    __shared__ float tile[TILE][TILE];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    unsigned at = y * cols + x;

    float c = coefficient[at];
    tile[ty][tx] = c;
    __syncthreads();
    float c_south = ty < TILE - 1 ? tile[ty + 1][tx] : coefficient[y < rows - 1 ? at + cols : at];
    float c_east = tx < TILE - 1 ? tile[ty][tx + 1] : coefficient[x < cols - 1 ? at + 1 : at];
    float flow = c * north[at];
    flow = __fmaf_rn(c_south, south[at], flow);
    flow = __fmaf_rn(c, west[at], flow);
    flow = __fmaf_rn(c_east, east[at], flow);

    image[at] = __fmaf_rn(0.25f * lambda, flow, image[at]);
}
