// The second file of rdc_main.cu.
#include <cuda_runtime.h>

#include "rdc_shared.h"

__device__ int other_table[4];
__device__ int shared_counter;

static __device__ int offset = 3; // the other file could have one of the same name

__device__ int other_function(int x)
{
    return x * x - offset;
}

__device__ __noinline__ int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

__global__ void number(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = shared_counter + i;
}

int launch_other(int *d, int n)
{
    number<<<(n + 63) / 64, 64>>>(d, n);
    return (int)cudaGetLastError();
}
