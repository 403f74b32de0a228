// Host functions in streams: order, arguments, and several streams; stream-ordered allocation.
#include "check.h"

#include <atomic>

struct state {
    std::atomic<int> step;
    int seen[8];
    const int *result;
    int value;
};

static void CUDART_CB host_fn(void *arg)
{
    state *s = (state *)arg;
    s->value = *s->result; // the copy before this call has arrived
    s->seen[s->step++] = 1;
}

static void CUDART_CB stream_callback(cudaStream_t stream, cudaError_t status, void *arg)
{
    state *s = (state *)arg;
    s->seen[s->step++] = status == cudaSuccess && stream != nullptr ? 2 : -1;
}

__global__ void count(int *p, int by)
{
    atomicAdd(p, by);
}

int main()
{
    check_name = "callbacks";
    int *host, *dev;
    CUDA(cudaMallocHost(&host, sizeof(int)));
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    int pools = 0;
    CUDA(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
    CHECK_EQ(pools, 1);
    CUDA(cudaMallocAsync(&dev, sizeof(int), s));
    CUDA(cudaMemsetAsync(dev, 0, sizeof(int), s));

    state st = {};
    st.result = host;
    *host = -1;
    count<<<2, 32, 0, s>>>(dev, 3);
    CUDA(cudaMemcpyAsync(host, dev, sizeof(int), cudaMemcpyDeviceToHost, s));
    CUDA(cudaLaunchHostFunc(s, host_fn, &st));
    CUDA(cudaStreamAddCallback(s, stream_callback, &st, 0));
    count<<<1, 1, 0, s>>>(dev, 8);
    CUDA(cudaMemcpyAsync(host, dev, sizeof(int), cudaMemcpyDeviceToHost, s));
    CUDA(cudaLaunchHostFunc(s, host_fn, &st));
    CUDA(cudaFreeAsync(dev, s));
    CUDA(cudaStreamSynchronize(s));
    CHECK_EQ(st.step.load(), 3);
    CHECK_EQ(st.seen[0], 1);
    CHECK_EQ(st.seen[1], 2);
    CHECK_EQ(st.seen[2], 1);
    CHECK_EQ(st.value, 2 * 32 * 3 + 8);

    cudaMemPool_t pool;
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long keep = ~0ull, now = 0;
    CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &now));
    CHECK(now == keep);
    CUDA(cudaMallocFromPoolAsync((void **)&dev, 1 << 20, pool, s));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &now));
    CHECK(now >= 1 << 20);
    CUDA(cudaFreeAsync(dev, s));
    CUDA(cudaStreamSynchronize(s));
    CUDA(cudaMemPoolTrimTo(pool, 0));
    CUDA(cudaStreamDestroy(s));
    CUDA(cudaFreeHost(host));
    return check_pass();
}
