// Events: what they say before and after work, elapsed time, and waiting.
#include "check.h"

__global__ void spin(unsigned *out, int rounds)
{
    unsigned x = threadIdx.x + 1;
    for (int i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    out[threadIdx.x] = x;
}

int main()
{
    check_name = "events";
    unsigned *out, host[64];
    CUDA(cudaMalloc(&out, sizeof host));
    cudaEvent_t a, b, c, silent;
    CUDA(cudaEventCreate(&a));
    CUDA(cudaEventCreate(&b));
    CUDA(cudaEventCreateWithFlags(&c, cudaEventBlockingSync));
    CUDA(cudaEventCreateWithFlags(&silent, cudaEventDisableTiming));
    CUDA(cudaEventQuery(a)); // never recorded: counts as complete

    float ms = -1;
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b));
    cudaGetLastError();

    CUDA(cudaEventRecord(a));
    spin<<<1, 64>>>(out, 20000);
    CUDA(cudaEventRecord(b));
    spin<<<1, 64>>>(out, 10);
    CUDA(cudaEventRecord(c));
    CUDA(cudaEventSynchronize(c));
    CUDA(cudaEventQuery(b));
    float ab, ac, bc, aa;
    CUDA(cudaEventElapsedTime(&ab, a, b));
    CUDA(cudaEventElapsedTime(&bc, b, c));
    CUDA(cudaEventElapsedTime(&ac, a, c));
    CUDA(cudaEventElapsedTime(&aa, a, a));
    CHECK(ab > 0 && ab < 60000);
    CHECK(bc >= 0);
    CHECK(ac >= ab);
    CHECK(aa == 0);

    CUDA(cudaEventRecord(silent));
    CUDA(cudaEventSynchronize(silent));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, silent));
    cudaGetLastError();

    // Recording again moves the event.
    CUDA(cudaEventRecordWithFlags(a, 0, cudaEventRecordDefault));
    CUDA(cudaEventSynchronize(a));
    CUDA(cudaEventElapsedTime(&ms, c, a));
    CHECK(ms >= 0);

    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < 64; t++) {
        unsigned x = t + 1;
        for (int i = 0; i < 10; i++)
            x = x * 1664525u + 1013904223u;
        CHECK_EQ(host[t], x);
    }
    CUDA(cudaEventDestroy(a));
    CUDA(cudaEventDestroy(b));
    CUDA(cudaEventDestroy(c));
    CUDA(cudaEventDestroy(silent));
    CUDA(cudaFree(out));
    return check_pass();
}
