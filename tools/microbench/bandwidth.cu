// Bandwidth of each level by pattern; launches and blocks.
#include "micro.cuh"

// --- reading and writing ---

// Word w of every thread: blocks side by side, `stride` words from lane to lane.
template <class V> __global__ void read_all(const V *at, size_t words, int stride, int rounds, V *end)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    V sum = {};
    for (int r = 0; r < rounds; r++)
        for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i * stride < words; i += step) {
            V v = __ldcg(at + i * stride);
            for (size_t k = 0; k < sizeof(V) / 4; k++)
                ((unsigned *)&sum)[k] += ((unsigned *)&v)[k];
        }
    if (*(unsigned *)&sum == 0x12345678)
        *end = sum;
}

// The same words of an SM again and again: out of its L1.
template <class V> __global__ void read_own(const V *at, int words, int rounds, V *end, u64 *cycles)
{
    const V *own = at + (size_t)blockIdx.x * words;
    V sum = {};
    u64 t = 0;
    for (int r = -1; r < rounds; r++) {
        if (!r) {
            __syncthreads();
            t = clock64();
        }
        for (int i = threadIdx.x; i < words; i += blockDim.x) {
            V v = __ldca(own + i);
            for (size_t k = 0; k < sizeof(V) / 4; k++)
                ((unsigned *)&sum)[k] += ((unsigned *)&v)[k];
        }
    }
    __syncthreads();
    if (!threadIdx.x)
        cycles[blockIdx.x] = clock64() - t;
    if (*(unsigned *)&sum == 0x12345678)
        *end = sum;
}

__global__ void write_all(float4 *at, size_t words)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += step)
        at[i] = make_float4(1, 2, 3, 4);
}

__global__ void copy_all(float4 *to, const float4 *from, size_t words)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += step)
        to[i] = from[i];
}

// A sector (32 bytes) a lane, anywhere in `sectors` of them.
__global__ void read_scattered(const unsigned *at, unsigned sectors, int rounds, unsigned *end)
{
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345, sum = 0;
    for (int r = 0; r < rounds; r++) {
        x = x * 1664525 + 1013904223;
        sum ^= __ldcg(at + (size_t)((x >> 4) % sectors) * 8);
    }
    if (sum == 0x12345678)
        *end = sum;
}

template <class V> static void read_rate(const char *name, const void *at, size_t bytes, int stride, int rounds, int blocks, bool warm)
{
    const size_t words = bytes / sizeof(V);
    double s = seconds_of(warm, [&] { read_all<V><<<blocks, 512>>>((const V *)at, words, stride, rounds, (V *)at); });
    row("bandwidth", name, stride * sizeof(V), (double)words / stride * sizeof(V) * rounds / s / 1e9);
}

void measure_bandwidth()
{
    const size_t large = is_short ? 96 << 20 : (size_t)4 << 30, small = 16 << 20;
    char *at = device_array<char>(large), *to = device_array<char>(large);
    u64 *cycles = device_array<u64>(sms);
    CHECK(cudaMemset(at, 0, large));
    const int rounds = is_short ? 1 : 16, l1_rounds = is_short ? 2 : 64;
    read_own<float><<<sms, 1024>>>((float *)at, 4096, l1_rounds, (float *)to, cycles);
    row("bandwidth", "l1_bytes_a_cycle", 4, 4096.0 * 4 * l1_rounds / mean_of(cycles, sms));
    read_own<float2><<<sms, 1024>>>((float2 *)at, 2048, l1_rounds, (float2 *)to, cycles);
    row("bandwidth", "l1_bytes_a_cycle", 8, 2048.0 * 8 * l1_rounds / mean_of(cycles, sms));
    read_own<float4><<<sms, 1024>>>((float4 *)at, 1024, l1_rounds, (float4 *)to, cycles);
    row("bandwidth", "l1_bytes_a_cycle", 16, 1024.0 * 16 * l1_rounds / mean_of(cycles, sms));
    read_rate<float>("l2_read", at, small, 1, rounds, sms * 4, true);
    read_rate<float4>("l2_read", at, small, 1, rounds, sms * 4, true);
    read_rate<float>("l2_read", at, small, 8, rounds, sms * 4, true);
    read_rate<float4>("l2_read_one_sm", at, 1 << 20, 1, rounds, 1, true);
    read_rate<float4>("l2_read_eight_sms", at, 4 << 20, 1, rounds, 8, true);
    for (int stride : {1, 2, 8, 16, 32})
        read_rate<float>("dram_read", at, large, stride, 1, sms * 4, false);
    read_rate<float4>("dram_read_wide", at, large, 1, 1, sms * 4, false);
    read_rate<float4>("dram_read_one_sm", at, is_short ? 1 << 20 : 64 << 20, 1, 1, 1, false);
    const size_t words = large / 16;
    double s = seconds_of(false, [&] { write_all<<<sms * 4, 512>>>((float4 *)to, words); });
    row("bandwidth", "dram_write", 16, (double)large / s / 1e9);
    s = seconds_of(false, [&] { copy_all<<<sms * 4, 512>>>((float4 *)to, (float4 *)at, words); });
    row("bandwidth", "dram_copy", 16, 2.0 * (double)large / s / 1e9);
    const int scatter = is_short ? 4 : 256;
    s = seconds_of(false, [&] { read_scattered<<<sms * 4, 512>>>((unsigned *)at, (unsigned)(large / 32), scatter, (unsigned *)to); });
    row("bandwidth", "dram_scattered_sectors", 32, 32.0 * sms * 4 * 512 * scatter / s / 1e9);
    s = seconds_of(true, [&] { read_scattered<<<sms * 4, 512>>>((unsigned *)at, (unsigned)(small / 32), scatter, (unsigned *)to); });
    row("bandwidth", "l2_scattered_sectors", 32, 32.0 * sms * 4 * 512 * scatter / s / 1e9);
    CHECK(cudaFree(at));
    CHECK(cudaFree(to));
    CHECK(cudaFree(cycles));
}

// --- launches: kernels that do nothing, and blocks that say when and where they began ---

__global__ void nothing()
{
}

__global__ void spin(unsigned n)
{
    u64 t = clock64();
    while (clock64() - t < n)
        ;
}

// Block 0 says when it began, and nothing else.
__global__ void when(u64 *times, int i)
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    if (!threadIdx.x && !blockIdx.x)
        times[i] = t;
}

static void launch_row(const char *name, int blocks, int threads, unsigned cycles)
{
    const int times = is_short ? 2 : 64;
    double s = seconds_of(true, [&] {
        for (int i = 0; i < times; i++)
            if (cycles)
                spin<<<blocks, threads>>>(cycles);
            else
                nothing<<<blocks, threads>>>();
    });
    row("launch", name, blocks, s / times * 1e9);
}

// From the begin of one kernel to that of the next, which waits for it: launches one after the other, and those of a graph, which
// the host does not hold up.
static void begin_rows(int blocks)
{
    const int n = is_short ? 4 : 256;
    u64 *times = device_array<u64>(n), *h = (u64 *)malloc(n * sizeof(u64));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    auto all = [&] {
        for (int i = 0; i < n; i++)
            when<<<blocks, 32, 0, stream>>>(times, i);
    };
    auto add = [&](const char *name) {
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaMemcpy(h, times, n * sizeof(u64), cudaMemcpyDeviceToHost));
        row("launch", name, blocks, (double)(h[n - 1] - h[0]) / (n - 1));
    };
    all();
    all();
    add("begin_to_begin_ns");
    if (!is_short) {
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        all();
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        for (int i = 0; i < 2; i++)
            CHECK(cudaGraphLaunch(exec, stream));
        add("begin_to_begin_graph_ns");
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(times));
    free(h);
}

void measure_launches()
{
    for (int blocks : {1, 132, 1320})
        begin_rows(blocks);
    for (int threads : {32, 256, 1024})
        for (int blocks : {1, 132, 1320, 13200}) {
            char name[32];
            snprintf(name, sizeof name, "empty_ns_%d", threads);
            launch_row(name, blocks, threads, 0);
        }
    launch_row("spin_1000_ns", 132, 32, 1000);
    launch_row("spin_10000_ns", 132, 32, 10000);
    launch_row("spin_10000_ns", 1320, 1024, 10000);
}
