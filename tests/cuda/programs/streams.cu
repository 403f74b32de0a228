// Four streams work on parts of one array; a fifth waits for all of them through events.
#include "check.h"

__global__ void scale(int *data, int n, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] * factor + 1;
}

__global__ void sum(const int *data, int n, unsigned long long *total)
{
    unsigned long long mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine += data[i];
    atomicAdd(total, mine);
}

int main()
{
    check_name = "streams";
    const int parts = 4, part = 4096 + 17, n = parts * part;
    int *host, *dev;
    unsigned long long *total, result = 0;
    CUDA(cudaMallocHost(&host, n * sizeof(int)));
    CUDA(cudaMalloc(&dev, n * sizeof(int)));
    CUDA(cudaMalloc(&total, sizeof *total));
    for (int i = 0; i < n; i++)
        host[i] = i;

    cudaStream_t s[parts], last;
    cudaEvent_t done[parts];
    int low, high;
    CUDA(cudaDeviceGetStreamPriorityRange(&low, &high));
    CHECK(low >= high);
    for (int p = 0; p < parts; p++) {
        if (p == 0)
            CUDA(cudaStreamCreate(&s[p]));
        else if (p == 1)
            CUDA(cudaStreamCreateWithPriority(&s[p], cudaStreamNonBlocking, high));
        else
            CUDA(cudaStreamCreateWithFlags(&s[p], cudaStreamNonBlocking));
        CUDA(cudaEventCreateWithFlags(&done[p], cudaEventDisableTiming));
    }
    CUDA(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
    CUDA(cudaMemsetAsync(total, 0, sizeof *total, last));

    for (int p = 0; p < parts; p++) {
        int *d = dev + p * part, *h = host + p * part;
        CUDA(cudaMemcpyAsync(d, h, part * sizeof(int), cudaMemcpyHostToDevice, s[p]));
        scale<<<(part + 255) / 256, 256, 0, s[p]>>>(d, part, p + 2);
        CUDA(cudaMemcpyAsync(h, d, part * sizeof(int), cudaMemcpyDeviceToHost, s[p]));
        CUDA(cudaEventRecord(done[p], s[p]));
        CUDA(cudaStreamWaitEvent(last, done[p], 0));
    }
    sum<<<1, 128, 0, last>>>(dev, n, total);
    CUDA(cudaMemcpyAsync(&result, total, sizeof result, cudaMemcpyDeviceToHost, last));
    CUDA(cudaStreamSynchronize(last));
    CUDA(cudaStreamQuery(last));

    unsigned long long want = 0;
    for (int p = 0; p < parts; p++) {
        CUDA(cudaStreamSynchronize(s[p]));
        for (int i = p * part; i < (p + 1) * part; i++) {
            CHECK_EQ(host[i], i * (p + 2) + 1);
            want += host[i];
        }
    }
    CHECK_EQ(result, want);

    unsigned flags;
    int priority;
    CUDA(cudaStreamGetFlags(s[1], &flags));
    CHECK_EQ(flags, cudaStreamNonBlocking);
    CUDA(cudaStreamGetPriority(s[1], &priority));
    CHECK_EQ(priority, high);
    CUDA(cudaStreamGetFlags(s[0], &flags));
    CHECK_EQ(flags, cudaStreamDefault);

    for (int p = 0; p < parts; p++) {
        CUDA(cudaStreamDestroy(s[p]));
        CUDA(cudaEventDestroy(done[p]));
    }
    CUDA(cudaStreamDestroy(last));
    CUDA(cudaFree(dev));
    CUDA(cudaFree(total));
    CUDA(cudaFreeHost(host));
    return check_pass();
}
