// Kernels launched by kernels: parameters, nesting, order within a stream, copies.
#include "check.h"

__global__ void leaf(int *out, int base, long long wide)
{
    out[base + blockIdx.x * blockDim.x + threadIdx.x] += (int)(wide >> 32) + threadIdx.x;
}

__global__ void nested(int *counts, int depth)
{
    atomicAdd(&counts[depth], 1);
    if (threadIdx.x < 2 && depth < 4)
        nested<<<1, 2>>>(counts, depth + 1);
}

__global__ void add_one(int *p)
{
    *p = *p * 10 + 1;
}

__global__ void times_two(int *p)
{
    *p = *p * 2;
}

__global__ void parent(int *out, int *ordered)
{
    if (threadIdx.x < 4) {
        int base = (blockIdx.x * 4 + threadIdx.x) * 32;
        leaf<<<2, 16>>>(out, base, (long long)(threadIdx.x + 7) << 32);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        add_one<<<1, 1>>>(ordered);
        times_two<<<1, 1>>>(ordered);
        add_one<<<1, 1>>>(ordered);
        cudaMemcpyAsync(ordered + 1, ordered, sizeof(int), cudaMemcpyDeviceToDevice, 0);
        times_two<<<1, 1>>>(ordered);
    }
}

int main()
{
    check_name = "device_launch";
    const int blocks = 3, n = blocks * 4 * 32;
    int *out, *ordered, *counts, host[n], two[2], c[5];
    CUDA(cudaMalloc(&out, sizeof host));
    CUDA(cudaMalloc(&ordered, sizeof two));
    CUDA(cudaMalloc(&counts, sizeof c));
    CUDA(cudaMemset(out, 0, sizeof host));
    CUDA(cudaMemset(ordered, 0, sizeof two));
    CUDA(cudaMemset(counts, 0, sizeof c));
    parent<<<blocks, 32>>>(out, ordered);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK_EQ(host[i], i / 32 % 4 + 7 + i % 16);
    CUDA(cudaMemcpy(two, ordered, sizeof two, cudaMemcpyDeviceToHost));
    CHECK_EQ(two[0], 42);
    CHECK_EQ(two[1], 21);

    nested<<<1, 1>>>(counts, 0);
    CUDA(cudaMemcpy(c, counts, sizeof c, cudaMemcpyDeviceToHost));
    const int want[5] = {1, 2, 4, 8, 16};
    for (int i = 0; i < 5; i++)
        CHECK_EQ(c[i], want[i]);
    CUDA(cudaFree(out));
    CUDA(cudaFree(ordered));
    CUDA(cudaFree(counts));
    return check_pass();
}
