// C = alpha * A * B' + beta * C, column-major. A block of 128 threads computes 128x16 elements: each
// thread one row of 16 in registers, reading A directly and B through shared memory, 8 columns of
// both at a time.
#include "device.h"

#define TILE_M 128
#define TILE_N 16
#define DEPTH 8

extern "C" __global__ void sgemm_nt(const float *a, int lda, const float *b, int ldb, float *c,
                                    int ldc, int k, float alpha, float beta)
{
    __shared__ float bs[DEPTH][TILE_N];
    int t = threadIdx.y * TILE_N + threadIdx.x;
    int m = blockIdx.x * TILE_M + t, n = blockIdx.y * TILE_N;
    float sum[TILE_N];
#pragma unroll
    for (int j = 0; j < TILE_N; j++)
        sum[j] = 0.0f;
    for (int i = 0; i < k; i += DEPTH) {
        bs[threadIdx.y][threadIdx.x] = b[n + threadIdx.x + (i + threadIdx.y) * ldb];
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            float av = a[m + (i + d) * lda];
#pragma unroll
            for (int j = 0; j < TILE_N; j++)
                sum[j] = __fmaf_rn(av, bs[d][j], sum[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < TILE_N; j++) {
        float *p = c + m + (n + j) * ldc;
        *p = __fmaf_rn(alpha, sum[j], *p * beta);
    }
}
