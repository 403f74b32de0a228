// Speckle reducing anisotropic diffusion, Rodinia's first version: pixels column by column in one long
// line, neighbours through tables of indices, half of the arithmetic in double precision (as the
// original's constants make it), exponential and logarithm on the special function unit.
#include "device.h"

#define BLOCK 512

struct image {
    int rows, cols, pixels;
};

extern "C" __global__ void srad1_extract(int pixels, float *image)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < pixels) {
        float level = image[i];
        WL_MARK_ON("memo begin IN=%0", "+f"(level));
        float value = __expf(level / 255.0f);
        WL_MARK_ON("memo end OUT=%0", "+f"(value));
        image[i] = value;
    }
}

extern "C" __global__ void srad1_prepare(int pixels, const float *image, float *sums, float *squares)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < pixels) {
        sums[i] = image[i];
        squares[i] = image[i] * image[i];
    }
}

// Adds up blocks of 512 of the `n` elements that lie `stride` apart, each into its first. In the last
// block a tree takes the largest power of two and one thread the rest.
extern "C" __global__ void srad1_reduce(int n, int stride, float *sums, float *squares)
{
    __shared__ float sum[BLOCK], square[BLOCK];
    int t = threadIdx.x, first = blockIdx.x * BLOCK, here = min(n - first, BLOCK);
    if (t < here) {
        sum[t] = sums[(first + t) * stride];
        square[t] = squares[(first + t) * stride];
    }
    __syncthreads();
    int tree = 1 << (31 - __clz(here));
    for (int step = 2; step <= tree; step *= 2) {
        if ((t + 1) % step == 0 && t < tree) {
            sum[t] += sum[t - step / 2];
            square[t] += square[t - step / 2];
        }
        __syncthreads();
    }
    if (t != tree - 1)
        return;
    for (int i = tree; i < here; i++) {
        sum[t] += sum[i];
        square[t] += square[i];
    }
    sums[first * stride] = sum[t];
    squares[first * stride] = square[t];
}

extern "C" __global__ void srad1_coefficient(struct image size, const int *north_of,
                                             const int *south_of, const int *west_of,
                                             const int *east_of, const float *image, float *north,
                                             float *south, float *west, float *east,
                                             float *coefficient, float q0)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, row = i % size.rows, col = i / size.rows;
    if (i >= size.pixels)
        return;
    float centre = image[i];
    float n = image[north_of[row] + size.rows * col] - centre;
    float s = image[south_of[row] + size.rows * col] - centre;
    float w = image[row + size.rows * west_of[col]] - centre;
    float e = image[row + size.rows * east_of[col]] - centre;

    float squares = __fmaf_rn(e, e, __fmaf_rn(w, w, __fmaf_rn(s, s, n * n)));
    float gradient = squares / (centre * centre), laplace = (n + s + w + e) / centre;
    WL_MARK_ON("memo begin IN=%0,%1", "+f"(gradient), "+f"(laplace));
    float numerator = (float)(0.5 * gradient - 1.0 / 16.0 * (laplace * laplace));
    float denominator = (float)(1.0 + 0.25 * laplace);
    float q = numerator / (denominator * denominator);
    denominator = (q - q0) / (q0 * (1.0f + q0));
    float c = (float)(1.0 / (1.0 + denominator));
    if (c < 0.0f)
        c = 0.0f;
    else if (c > 1.0f)
        c = 1.0f;
    WL_MARK_ON("memo end OUT=%0", "+f"(c));

    north[i] = n;
    south[i] = s;
    west[i] = w;
    east[i] = e;
    coefficient[i] = c;
}

extern "C" __global__ void srad1_step(struct image size, const int *south_of, const int *east_of,
                                      const float *north, const float *south, const float *west,
                                      const float *east, const float *coefficient, float *image,
                                      float lambda)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, row = i % size.rows, col = i / size.rows;
    if (i >= size.pixels)
        return;
    float c = coefficient[i];
    float c_south = coefficient[south_of[row] + size.rows * col];
    float c_east = coefficient[row + size.rows * east_of[col]];
    float flow = c * north[i];
    flow = __fmaf_rn(c_south, south[i], flow);
    flow = __fmaf_rn(c, west[i], flow);
    flow = __fmaf_rn(c_east, east[i], flow);
    image[i] = (float)(image[i] + 0.25 * lambda * flow);
}

extern "C" __global__ void srad1_compress(int pixels, float *image)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < pixels)
        image[i] = __logf(image[i]) * 255.0f;
}
