// Bandwidth of each level by pattern; launches and blocks; power.
#include "micro.cuh"

#include <dlfcn.h>
#include <time.h>

#include <thread>

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

__global__ void when(u64 *times)
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    if (!threadIdx.x)
        times[blockIdx.x] = t;
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

void measure_launches()
{
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

// --- power: what the board draws while one kind of work fills the GPU ---

template <int KIND> __global__ void work(float *out, float a, double b, int rounds, const float4 *from, size_t words)
{
    __shared__ float mine[1024];
    float x[8];
    double y[8];
    float4 z = {};
    for (int i = 0; i < 8; i++)
        x[i] = a + i + threadIdx.x, y[i] = x[i];
    mine[threadIdx.x % 1024] = a;
    for (int r = 0; r < rounds; r++) {
        if (KIND == 0) // integer
            for (int i = 0; i < 64; i++)
                asm volatile("mad.lo.u32 %0, %0, %1, %0;" : "+r"(((unsigned *)x)[i % 8]) : "r"(threadIdx.x));
        if (KIND == 1)
            for (int i = 0; i < 64; i++)
                asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(x[i % 8]) : "f"(a));
        if (KIND == 2)
            for (int i = 0; i < 64; i++)
                asm volatile("fma.rn.f64 %0, %0, %1, %0;" : "+d"(y[i % 8]) : "d"(b));
        if (KIND == 3)
            for (int i = 0; i < 64; i++)
                asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x[i % 8]));
        if (KIND == 4)
            for (int i = 0; i < 64; i++)
                asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x[i % 8]) : "r"((unsigned)__cvta_generic_to_shared(mine + threadIdx.x)));
        if (KIND == 5) // L1
            for (int i = 0; i < 16; i++) {
                float4 v;
                asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(from + blockIdx.x % 132 * 1024 + (threadIdx.x + i * 64) % 1024));
                z.x += v.x;
            }
        if (KIND == 6 || KIND == 7) // L2, DRAM
            for (int i = 0; i < 16; i++) {
                float4 v = __ldcg(from + ((size_t)(r * 16 + i) * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x) % words);
                z.x += v.x;
            }
        if (KIND == 8) {
            float d[4] = {x[0], x[1], x[2], x[3]};
            for (int i = 0; i < 16; i++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};"
                             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                             : "r"(threadIdx.x), "r"(r), "r"(7), "r"(9));
            x[0] = d[0] + d[1];
        }
        if (KIND == 9) { // resident, with little to do
            __nanosleep(10000);
        }
    }
    float sum = z.x;
    for (int i = 0; i < 8; i++)
        sum += x[i] + (float)y[i];
    if (sum == 0.123456f)
        out[0] = sum;
}

struct Nvml {
    void *device;
    int (*power)(void *, unsigned *);
    int (*clock)(void *, int, unsigned *);
    int (*energy)(void *, u64 *);
};

static bool open_nvml(Nvml *n)
{
    void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!lib)
        return false;
    int (*init)() = (int (*)())dlsym(lib, "nvmlInit_v2");
    int (*get)(unsigned, void **) = (int (*)(unsigned, void **))dlsym(lib, "nvmlDeviceGetHandleByIndex_v2");
    n->power = (int (*)(void *, unsigned *))dlsym(lib, "nvmlDeviceGetPowerUsage");
    n->clock = (int (*)(void *, int, unsigned *))dlsym(lib, "nvmlDeviceGetClockInfo");
    n->energy = (int (*)(void *, u64 *))dlsym(lib, "nvmlDeviceGetTotalEnergyConsumption");
    return init && get && n->power && n->clock && n->energy && !init() && !get(0, &n->device);
}

static double now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

template <int KIND> static void power_row(Nvml *n, const char *name, double units_a_thread_round, size_t words, float4 *from)
{
    float *out = device_array<float>(1);
    const int blocks = sms * 2, threads = 1024;
    int rounds = 1000;
    double s = seconds_of(true, [&] { work<KIND><<<blocks, threads>>>(out, 1.5f, 1.5, rounds, from, words); });
    rounds = (int)(rounds * 0.05 / s) + 1;
    double begin = now();
    u64 e0, e1;
    double units = 0, watts = 0, mhz = 0;
    int samples = 0;
    while (now() - begin < 0.5) { // warm
        work<KIND><<<blocks, threads>>>(out, 1.5f, 1.5, rounds, from, words);
        CHECK(cudaDeviceSynchronize());
    }
    begin = now();
    n->energy(n->device, &e0);
    while (now() - begin < 1.5) {
        work<KIND><<<blocks, threads>>>(out, 1.5f, 1.5, rounds, from, words);
        unsigned mw = 0, clock = 0;
        n->power(n->device, &mw);
        n->clock(n->device, 1, &clock);
        watts += mw / 1e3, mhz += clock, samples++;
        CHECK(cudaDeviceSynchronize());
        units += units_a_thread_round * rounds * blocks * threads;
    }
    double seconds = now() - begin;
    n->energy(n->device, &e1);
    row("power", name, 0, (double)(e1 - e0) / 1e3 / seconds); // W over the counter of energy
    row("power_meter", name, 0, watts / samples);
    row("power_mhz", name, 0, mhz / samples);
    row("power_rate", name, 0, units / seconds / 1e9); // G of its units a second: thread instructions, or bytes
    CHECK(cudaFree(out));
}

void measure_power()
{
    Nvml n;
    if (!open_nvml(&n)) {
        fprintf(stderr, "no NVML: no power\n");
        return;
    }
    const size_t large = (size_t)2 << 30;
    float4 *from = device_array<float4>(large / 16);
    CHECK(cudaMemset(from, 0x3f, large));
    double begin = now();
    u64 e0, e1;
    CHECK(cudaDeviceSynchronize());
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    n.energy(n.device, &e0);
    begin = now();
    std::this_thread::sleep_for(std::chrono::milliseconds(2000));
    n.energy(n.device, &e1);
    row("power", "idle", 0, (double)(e1 - e0) / 1e3 / (now() - begin));
    power_row<9>(&n, "resident", 1, large / 16, from);
    power_row<0>(&n, "imad", 64, large / 16, from);
    power_row<1>(&n, "ffma", 64, large / 16, from);
    power_row<2>(&n, "dfma", 64, large / 16, from);
    power_row<3>(&n, "rsqrt", 64, large / 16, from);
    power_row<4>(&n, "shared_bytes", 256, large / 16, from);
    power_row<5>(&n, "l1_bytes", 256, large / 16, from);
    power_row<6>(&n, "l2_bytes", 256, (16 << 20) / 16, from);
    power_row<7>(&n, "dram_bytes", 256, large / 16, from);
    power_row<8>(&n, "mma_f16_macs", 16.0 * 2048 / 32, large / 16, from);
    CHECK(cudaFree(from));
}
