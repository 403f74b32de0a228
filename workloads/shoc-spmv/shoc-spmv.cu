// Sparse matrix times vector in three ways: one thread a row of compressed rows, one warp a row of
// them, and one thread a row of ELLPACK-R (columns padded to one length and stored side by side).
#include "device.h"

#define WARP 32
#define WARPS 4

extern "C" __global__ void spmv_csr_scalar(const float *values, const float *x, const int *cols,
                                           const int *rows, int n, float *out)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0.0f;
    for (int i = rows[row]; i < rows[row + 1]; i++)
        sum = __fmaf_rn(values[i], x[cols[i]], sum);
    out[row] = sum;
}

extern "C" __global__ void spmv_csr_vector(const float *values, const float *x, const int *cols,
                                           const int *rows, int n, float *out)
{
    __shared__ float part[WARPS][WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int row = blockIdx.x * WARPS + warp;
    float sum = 0.0f;
    if (row < n)
        for (int i = rows[row] + lane; i < rows[row + 1]; i += WARP)
            sum = __fmaf_rn(values[i], x[cols[i]], sum);
    part[warp][lane] = sum;
    for (int half = WARP / 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half)
            part[warp][lane] += part[warp][lane + half];
    }
    if (lane == 0 && row < n)
        out[row] = part[warp][0];
}

extern "C" __global__ void spmv_ellpackr(const float *values, const float *x, const int *cols,
                                         const int *lengths, int n, float *out)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float sum = 0.0f;
    int length = lengths[row];
    for (int i = 0; i < length; i++)
        sum = __fmaf_rn(values[i * n + row], x[cols[i * n + row]], sum);
    out[row] = sum;
}
