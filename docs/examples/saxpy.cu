// y = a * x + y on 2^20 numbers; compiled by nvcc, run by `parsim run`.
#include <cstdio>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1 << 20;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < n; i++) {
        x[i] = 1;
        y[i] = 2;
    }
    saxpy<<<n / 256, 256>>>(n, 3, x, y);
    cudaDeviceSynchronize();
    printf("%f %f\n", y[0], y[n - 1]);
    return 0;
}
