// Two files, compiled separately and linked on the device: functions, variables and kernels of the
// other file (rdc_other.cu).
#include "check.h"
#include "rdc_shared.h"

__device__ int own_table[4] = {1, 10, 100, 1000};

__global__ void use_other(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = other_function(i) + other_table[i % 4] + own_table[i % 4] + factorial(i % 6);
    if (i == 0)
        shared_counter += 5;
}

int main()
{
    check_name = "rdc";
    const int n = 300;
    int *d, host[n];
    CUDA(cudaMalloc(&d, sizeof host));
    const int table[4] = {7, 8, 9, 6};
    CUDA(cudaMemcpyToSymbol(other_table, table, sizeof table));
    use_other<<<3, 128>>>(d, n);
    CUDA(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
    const int own[4] = {1, 10, 100, 1000}, fact[6] = {1, 1, 2, 6, 24, 120};
    for (int i = 0; i < n; i++)
        CHECK_EQ(host[i], i * i - 3 + table[i % 4] + own[i % 4] + fact[i % 6]);
    CHECK_EQ(launch_other(d, n), 0);
    CUDA(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK_EQ(host[i], 5 + i);
    int counter;
    CUDA(cudaMemcpyFromSymbol(&counter, shared_counter, sizeof counter));
    CHECK_EQ(counter, 5);
    CUDA(cudaFree(d));
    return check_pass();
}
