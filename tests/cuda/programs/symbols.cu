// __constant__ and __device__ variables by name: copies, offsets, addresses, sizes, initialisers.
#include "check.h"

__constant__ float coeffs[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int initialised[5] = {10, 20, 30};
__device__ unsigned long long total;
__device__ int *indirect = &initialised[1]; // an address as an initialiser
static __device__ char text[] = "a string in device memory";

struct pair {
    short a;
    double b;
};
__constant__ pair constant_pair = {7, 2.5};

namespace inner
{
__device__ int hidden = 99;
}

__global__ void use(float *out)
{
    int i = threadIdx.x;
    out[i] = coeffs[i] * (float)constant_pair.b + (float)initialised[i % 5];
    atomicAdd(&total, (unsigned long long)(i + constant_pair.a));
    if (i == 0)
        *indirect += inner::hidden;
}

int main()
{
    check_name = "symbols";
    float *d, got[8];
    CUDA(cudaMalloc(&d, sizeof got));
    use<<<1, 8>>>(d);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    const int init[5] = {10, 20, 30, 0, 0};
    for (int i = 1; i < 5; i++)
        CHECK(i == 1 || got[i] == (i + 1) * 2.5f + init[i]);
    int ints[5];
    CUDA(cudaMemcpyFromSymbol(ints, initialised, sizeof ints));
    CHECK_EQ(ints[1], 119);
    unsigned long long t;
    CUDA(cudaMemcpyFromSymbol(&t, total, sizeof t));
    CHECK_EQ(t, 28 + 8 * 7);

    const float two[2] = {100, 200};
    CUDA(cudaMemcpyToSymbol(coeffs, two, sizeof two, 3 * sizeof(float)));
    const pair p = {1, 0.5};
    CUDA(cudaMemcpyToSymbolAsync(constant_pair, &p, sizeof p, 0, cudaMemcpyHostToDevice, 0));
    const int zeros[5] = {};
    CUDA(cudaMemcpyToSymbol(initialised, zeros, sizeof zeros));
    use<<<1, 8>>>(d);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[3] == 50 && got[4] == 100 && got[5] == 3);

    void *addr;
    size_t size;
    CUDA(cudaGetSymbolAddress(&addr, initialised));
    CUDA(cudaGetSymbolSize(&size, initialised));
    CHECK_EQ(size, sizeof ints);
    CUDA(cudaMemcpy(ints, addr, sizeof ints, cudaMemcpyDeviceToHost));
    CHECK_EQ(ints[1], 99);
    cudaPointerAttributes attr;
    CUDA(cudaPointerGetAttributes(&attr, addr));
    CHECK_EQ(attr.type, cudaMemoryTypeDevice);

    char host[sizeof text];
    CUDA(cudaMemcpyFromSymbol(host, text, sizeof host));
    CHECK(strcmp(host, "a string in device memory") == 0);
    CUDA(cudaMemcpyFromSymbol(host, text, 6, 2));
    CHECK(memcmp(host, "string", 6) == 0);
    // Device memory as the source.
    CUDA(cudaMemcpyToSymbol(total, addr, sizeof(int) * 2, 0, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpyFromSymbol(&t, total, sizeof t));
    CHECK_EQ(t, 99ull << 32);
    CUDA(cudaFree(d));
    return check_pass();
}
