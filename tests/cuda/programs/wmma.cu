// Tensor cores through nvcuda::wmma: a product in tiles of 16, half in, float and half out; both
// layouts; integers.
#include "check.h"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

enum { M = 64, N = 48, K = 80 };

// One warp a tile of C = A B + C; A row-major, B column-major.
__global__ void product(const __half *a, const __half *b, float *c)
{
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::load_matrix_sync(fc, c + row * N + col, N, wmma::mem_row_major);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(fa, a + row * K + k, K);
        wmma::load_matrix_sync(fb, b + col * K + k, K);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] *= 2;
    wmma::store_matrix_sync(c + row * N + col, fc, N, wmma::mem_row_major);
}

// Half accumulators, shape 32 x 8 x 16, stored column by column, through shared memory.
__global__ void small(const __half *a, const __half *b, __half *c)
{
    __shared__ __half s[32 * 8];
    wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, __half> fc;
    wmma::fill_fragment(fc, __float2half(1.f));
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 8);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(s, fc, 32, wmma::mem_col_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 32 * 8; i += 32)
        c[i] = s[i];
}

__global__ void integers(const signed char *a, const signed char *b, int *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::fill_fragment(fc, -5);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

int main()
{
    check_name = "wmma";
    static __half a[M * K], b[N * K];
    static float c[M * N], start[M * N];
    for (int i = 0; i < M * K; i++)
        a[i] = __float2half((float)(i * 7 % 11 - 5));
    for (int i = 0; i < N * K; i++)
        b[i] = __float2half((float)(i * 5 % 9 - 4) / 2);
    for (int i = 0; i < M * N; i++)
        start[i] = (float)(i % 10);
    __half *da, *db, *dh;
    float *dc;
    CUDA(cudaMalloc(&da, sizeof a));
    CUDA(cudaMalloc(&db, sizeof b));
    CUDA(cudaMalloc(&dc, sizeof c));
    CUDA(cudaMalloc(&dh, 32 * 8 * sizeof(__half)));
    CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dc, start, sizeof c, cudaMemcpyHostToDevice));
    product<<<dim3(N / 16, M / 16), 32>>>(da, db, dc);
    CUDA(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float want = start[i * N + j];
            for (int k = 0; k < K; k++)
                want += __half2float(a[i * K + k]) * __half2float(b[j * K + k]);
            CHECK(c[i * N + j] == 2 * want); // small multiples of 1/2: exact
        }

    static __half h[32 * 8];
    small<<<1, 32>>>(da, db, dh);
    CUDA(cudaMemcpy(h, dh, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 8; j++) {
            float want = 1;
            for (int k = 0; k < 16; k++)
                want += __half2float(a[k * 32 + i]) * __half2float(b[k * 8 + j]);
            CHECK(__half2float(h[j * 32 + i]) == want);
        }

    static signed char ia[256], ib[256];
    static int ic[256];
    for (int i = 0; i < 256; i++) {
        ia[i] = (signed char)(i * 37);
        ib[i] = (signed char)(i * 91 + 3);
    }
    CUDA(cudaMemcpy(da, ia, sizeof ia, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, ib, sizeof ib, cudaMemcpyHostToDevice));
    integers<<<1, 32>>>((signed char *)da, (signed char *)db, (int *)dc);
    CUDA(cudaMemcpy(ic, dc, sizeof ic, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            int want = -5;
            for (int k = 0; k < 16; k++)
                want += ia[i * 16 + k] * ib[j * 16 + k];
            CHECK_EQ(ic[i * 16 + j], want);
        }
    CUDA(cudaFree(da));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dc));
    CUDA(cudaFree(dh));
    return check_pass();
}
