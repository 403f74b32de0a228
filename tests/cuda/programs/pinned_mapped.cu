// Host memory that kernels use directly: pinned, mapped, registered; what pointers say of
// themselves.
#include "check.h"

__global__ void twice(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

int main()
{
    check_name = "pinned_mapped";
    const int n = 3000;
    int can;
    CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCanMapHostMemory, 0));
    CHECK_EQ(can, 1);
    CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrUnifiedAddressing, 0));
    CHECK_EQ(can, 1);

    int *in, *out, *d_in, *d_out;
    CUDA(cudaHostAlloc(&in, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CUDA(cudaHostAlloc(&out, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    CUDA(cudaHostGetDevicePointer(&d_in, in, 0));
    CUDA(cudaHostGetDevicePointer(&d_out, out, 0));
    unsigned flags;
    CUDA(cudaHostGetFlags(&flags, out));
    CHECK(flags & cudaHostAllocMapped);
    for (int i = 0; i < n; i++)
        in[i] = i + 1;
    twice<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK_EQ(out[i], 2 * (i + 1));

    // Plain memory, registered for a while.
    int *plain = (int *)malloc(n * sizeof(int)), *d_plain;
    for (int i = 0; i < n; i++)
        plain[i] = -i;
    CUDA(cudaHostRegister(plain, n * sizeof(int), cudaHostRegisterMapped));
    CUDA(cudaHostGetDevicePointer(&d_plain, plain, 0));
    twice<<<(n + 127) / 128, 128>>>(d_plain, d_out, n);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQ(out[n - 1], -2 * (n - 1));
    cudaPointerAttributes attr;
    CUDA(cudaPointerGetAttributes(&attr, plain + 5));
    CHECK_EQ(attr.type, cudaMemoryTypeHost);
    CHECK(attr.hostPointer == plain + 5 && attr.devicePointer == d_plain + 5);
    CUDA(cudaHostUnregister(plain));
    CUDA(cudaPointerGetAttributes(&attr, plain));
    CHECK_EQ(attr.type, cudaMemoryTypeUnregistered);

    // cudaMemcpyDefault finds out by itself.
    int *dev;
    CUDA(cudaMalloc(&dev, n * sizeof(int)));
    CUDA(cudaPointerGetAttributes(&attr, dev));
    CHECK_EQ(attr.type, cudaMemoryTypeDevice);
    CHECK_EQ(attr.device, 0);
    CHECK(attr.devicePointer == dev);
    CUDA(cudaMemcpy(dev, plain, n * sizeof(int), cudaMemcpyDefault));
    CUDA(cudaMemcpy(out, dev, n * sizeof(int), cudaMemcpyDefault));
    CHECK(memcmp(plain, out, n * sizeof(int)) == 0);

    // Two-dimensional copies between rows of different pitch.
    char rows[5][7], back[5][10];
    memset(back, '.', sizeof back);
    for (int i = 0; i < 35; i++)
        rows[i / 7][i % 7] = (char)('a' + i % 26);
    size_t pitch;
    char *d_rows;
    CUDA(cudaMallocPitch(&d_rows, &pitch, 7, 5));
    CUDA(cudaMemset2D(d_rows, pitch, '#', 7, 5));
    CUDA(cudaMemcpy2D(d_rows, pitch, rows, 7, 7, 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2D(back, 10, d_rows, pitch, 7, 5, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 10; x++)
            CHECK_EQ(back[y][x], x >= 7 ? '.' : y == 4 ? '#' : rows[y][x]);

    size_t free_before, free_after, total;
    CUDA(cudaMemGetInfo(&free_before, &total));
    void *big;
    CUDA(cudaMalloc(&big, 64 << 20));
    CUDA(cudaMemGetInfo(&free_after, &total));
    CHECK(free_before - free_after >= 64 << 20 && free_after < total);
    CUDA(cudaFree(big));
    CUDA(cudaFree(d_rows));
    CUDA(cudaFree(dev));
    CUDA(cudaFreeHost(in));
    CUDA(cudaFreeHost(out));
    free(plain);
    return check_pass();
}
