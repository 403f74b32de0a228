// Latency of the levels of memory by chains of dependent loads over growing footprints: L1, L2 (each load's own time, so
// that near and far slices can be told apart), DRAM, TLB; sectors and lines; the split of L1 and shared memory.
#include "micro.cuh"

#include <algorithm>
#include <vector>

// A ring through n places `stride` words apart, `hop` places further each time.
__global__ void link_ring(u64 *at, size_t n, size_t stride, size_t hop)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        at[i * stride] = (u64)(at + (i + hop) % n * stride);
}

// Hops of the golden section, so that neighbours are met far apart in time.
static void make_ring(u64 *at, size_t n, size_t stride_bytes)
{
    size_t hop = (size_t)((double)n * 0.618) | 1;
    while (std::__gcd(hop, n) != 1)
        hop += 2;
    link_ring<<<sms, 256>>>(at, n, stride_bytes / 8, hop % n ? hop % n : 1);
}

template <bool L1> __device__ __forceinline__ u64 *load(u64 *p)
{
    u64 v;
    if (L1)
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    else
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return (u64 *)v;
}

template <bool L1> __global__ void chase(u64 *from, int warm, int steps, u64 *cycles, u64 **end)
{
    u64 *p = from;
    for (int i = 0; i < warm; i++)
        p = load<L1>(p);
    u64 t = clock64();
    for (int i = 0; i < steps; i++)
        p = load<L1>(p);
    cycles[0] = clock64() - t;
    *end = p;
}

// Each load by itself: `times` gets its cycles.
template <bool L1> __global__ void chase_each(u64 *from, int warm, int steps, unsigned *times, u64 **end)
{
    u64 *p = from;
    for (int i = 0; i < warm; i++)
        p = load<L1>(p);
    for (int i = 0; i < steps; i++) {
        unsigned t = clock();
        p = load<L1>(p);
        asm volatile("{.reg .pred q; setp.eq.u64 q, %0, 0; @q trap;}" ::"l"(p)); // waits for it
        times[i] = clock() - t;
    }
    *end = p;
}

static void ring_latency(const char *name, bool l1, u64 *at, size_t bytes, size_t stride_bytes)
{
    const size_t n = bytes / stride_bytes;
    const int steps = (int)std::min<size_t>(std::max<size_t>(n, 512), is_short ? 512 : 4096);
    const int warm = (int)std::min<size_t>(2 * n, is_short ? 4096 : 600000);
    u64 *cycles = device_array<u64>(1), **end = device_array<u64 *>(1);
    make_ring(at, n, stride_bytes);
    if (l1)
        chase<true><<<1, 1>>>(at, warm, steps, cycles, end);
    else
        chase<false><<<1, 1>>>(at, warm, steps, cycles, end);
    row("chase", name, (double)bytes, mean_of(cycles, 1) / steps);
    CHECK(cudaFree(cycles));
    CHECK(cudaFree(end));
}

static void each_latency(const char *name, bool l1, u64 *at, size_t bytes, size_t stride_bytes, bool warm)
{
    const size_t n = bytes / stride_bytes;
    const int steps = (int)std::min<size_t>(n, 2048);
    unsigned *times = device_array<unsigned>(steps);
    u64 **end = device_array<u64 *>(1);
    make_ring(at, n, stride_bytes);
    if (l1)
        chase_each<true><<<1, 1>>>(at, warm ? (int)n : 0, steps, times, end);
    else
        chase_each<false><<<1, 1>>>(at, warm ? (int)n : 0, steps, times, end);
    std::vector<unsigned> h(steps);
    CHECK(cudaMemcpy(h.data(), times, steps * sizeof h[0], cudaMemcpyDeviceToHost));
    std::sort(h.begin(), h.end());
    for (int p : {0, 5, 10, 25, 50, 75, 90, 95, 99})
        row("chase_percentile", name, p, h[(size_t)p * (steps - 1) / 100]);
    CHECK(cudaFree(times));
    CHECK(cudaFree(end));
}

void measure_latency()
{
    const size_t most = is_short ? 256u << 20 : (size_t)8 << 30;
    u64 *at = device_array<u64>(most / 8);
    for (size_t kb : {4, 16, 32, 64, 96, 128, 160, 192, 208, 224, 240, 256, 320, 512})
        ring_latency("l1", true, at, kb * 1024, 128);
    for (size_t mb = 1; mb << 20 <= most; mb *= 2)
        ring_latency("l2_dram", false, at, mb << 20, mb <= 32 ? 128 : 256);
    for (size_t mb : {20, 24, 28, 40, 48})
        ring_latency("l2_dram", false, at, (size_t)mb << 20, 128);
    each_latency("l1", true, at, 16 << 10, 128, true);
    each_latency("l2", false, at, 1 << 20, 128, true);
    each_latency("l2_large", false, at, 16 << 20, 8192, true);
    each_latency("dram", false, at, most, most / 2048, false);
    if (!is_short)
        for (size_t pages = 4; pages <= 2048; pages *= 2)
            ring_latency("tlb_2m", false, at, pages * ((2 << 20) + 128), (2 << 20) + 128);
    CHECK(cudaFree(at));
}

// --- sectors: what a first load brings besides its own 32 bytes ---

__global__ void second_load(char *at, int lines, size_t apart, int offset, unsigned *times, int cached)
{
    unsigned sum = 0;
    for (int i = 0; i < lines; i++) {
        char *line = at + i * apart;
        unsigned v, w, t;
        if (cached)
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(line) : "memory");
        else
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(line) : "memory");
        asm volatile("{.reg .pred q; setp.eq.u32 q, %0, 0x12345678; @q trap;}" ::"r"(v));
        __nanosleep(2000);
        t = clock();
        if (cached)
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(w) : "l"(line + offset) : "memory");
        else
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(line + offset) : "memory");
        asm volatile("{.reg .pred q; setp.eq.u32 q, %0, 0x12345678; @q trap;}" ::"r"(w));
        times[i] = clock() - t;
        sum += v + w;
    }
    times[lines] = sum;
}

// Store, then load of the same line or another sector of it.
__global__ void load_after_store(char *at, int lines, size_t apart, int first, int offset, unsigned *times)
{
    unsigned sum = 0;
    for (int i = 0; i < lines; i++) {
        char *line = at + i * apart;
        unsigned w, t;
        if (first)
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(w) : "l"(line + offset) : "memory");
        asm volatile("st.global.u32 [%0], %1;" ::"l"(line), "r"(i) : "memory");
        __nanosleep(2000);
        t = clock();
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(w) : "l"(line + offset) : "memory");
        asm volatile("{.reg .pred q; setp.eq.u32 q, %0, 0x12345678; @q trap;}" ::"r"(w));
        times[i] = clock() - t;
        sum += w;
    }
    times[lines] = sum;
}

static void median_row(const char *name, double parameter, const unsigned *times, int n)
{
    std::vector<unsigned> h(n);
    CHECK(cudaMemcpy(h.data(), times, n * sizeof h[0], cudaMemcpyDeviceToHost));
    std::sort(h.begin(), h.end());
    row("sectors", name, parameter, h[n / 2]);
}

void measure_sectors()
{
    const int lines = 64;
    const size_t apart = 65536 + 4096 + 512, total = apart * (lines + 1);
    unsigned *times = device_array<unsigned>(lines + 1);
    char *at = device_array<char>(total), *other = device_array<char>(is_short ? 64 : 128 << 20);
    auto clear = [&] {
        CHECK(cudaMemset(at, 1, total));
        if (!is_short)
            CHECK(cudaMemset(other, 1, 128 << 20)); // out of the L2
    };
    for (int offset : {0, 32, 64, 96, 128, 256, 512, 1024, 2048}) {
        clear();
        second_load<<<1, 1>>>(at, lines, apart, offset, times, 1);
        median_row("second_load_ca", offset, times, lines);
        clear();
        second_load<<<1, 1>>>(at, lines, apart, offset, times, 0);
        median_row("second_load_cg", offset, times, lines);
    }
    for (int offset : {0, 4, 32, 64}) {
        clear();
        load_after_store<<<1, 1>>>(at, lines, apart, 0, offset, times);
        median_row("load_after_store", offset, times, lines);
        clear();
        load_after_store<<<1, 1>>>(at, lines, apart, 1, offset, times);
        median_row("load_store_load", offset, times, lines);
    }
    CHECK(cudaFree(at));
    CHECK(cudaFree(other));
    CHECK(cudaFree(times));
}

// --- how much L1 a block with shared memory leaves ---

__global__ void chase_beside(u64 *from, int warm, int steps, u64 *cycles, u64 **end)
{
    extern __shared__ u64 mine[];
    u64 *p = from;
    mine[0] = 1;
    for (int i = 0; i < warm; i++)
        p = load<true>(p);
    u64 t = clock64();
    for (int i = 0; i < steps; i++)
        p = load<true>(p);
    cycles[0] = clock64() - t;
    *end = p + mine[0];
}

void measure_split()
{
    u64 *at = device_array<u64>(1 << 20), *cycles = device_array<u64>(1), **end = device_array<u64 *>(1);
    CHECK(cudaFuncSetAttribute(chase_beside, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    for (int shared_kb : {0, 8, 16, 32, 64, 100, 132, 164, 196, 227})
        for (int kb : {16, 24, 32, 48, 64, 96, 112, 128, 160, 192, 224, 256}) {
            const int lines = kb * 8;
            make_ring(at, lines, 128);
            chase_beside<<<1, 1, shared_kb ? (size_t)shared_kb << 10 : 16>>>(at, lines, lines, cycles, end);
            char name[32];
            snprintf(name, sizeof name, "shared_%dk", shared_kb);
            row("split", name, kb * 1024.0, mean_of(cycles, 1) / lines);
        }
    CHECK(cudaFree(at));
    CHECK(cudaFree(cycles));
    CHECK(cudaFree(end));
}

// --- partitions of the L2: lines that one SM has brought, loaded by each SM for the first and the second time ---

__global__ void bring(u64 *at, size_t words, u64 *end)
{
    u64 sum = 0;
    for (size_t i = threadIdx.x * 16; i < words; i += blockDim.x * 16)
        sum += (u64)load<false>(at + i);
    if (sum == 1)
        *end = sum;
}

// A block an SM, one after another (turn): `lines` lines of its own, `apart` words between them, each load timed.
__global__ void partition_loads(u64 *at, int lines, size_t apart, unsigned *turn, unsigned *times, unsigned *place)
{
    u64 *mine = at + (size_t)blockIdx.x * 16;
    unsigned sum = 0;
    while (atomicAdd(turn, 0) != blockIdx.x)
        __nanosleep(500);
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < lines; i++) {
            unsigned t = clock();
            u64 v = (u64)load<false>(mine + i * apart);
            asm volatile("{.reg .pred q; setp.eq.u64 q, %0, 1; @q trap;}" ::"l"(v)); // waits for it
            times[(blockIdx.x * 2 + again) * lines + i] = clock() - t;
            sum += (unsigned)v;
        }
    asm volatile("mov.u32 %0, %%smid;" : "=r"(place[blockIdx.x]));
    if (sum == 1)
        place[0] = sum;
    atomicAdd(turn, 1);
}

void measure_partitions()
{
    const int lines = is_short ? 16 : 128;
    const size_t apart = (size_t)sms * 16 + 16, words = apart * lines;
    u64 *at = device_array<u64>(words), *end = device_array<u64>(1);
    unsigned *turn = device_array<unsigned>(1), *place = device_array<unsigned>(sms);
    unsigned *times = device_array<unsigned>((size_t)sms * 2 * lines);
    std::vector<unsigned> h((size_t)sms * 2 * lines), sm(sms), first, second;
    CHECK(cudaMemset(at, 0, words * 8));
    CHECK(cudaMemset(turn, 0, 4));
    bring<<<1, 256>>>(at, words, end);
    partition_loads<<<sms, 1>>>(at, lines, apart, turn, times, place);
    CHECK(cudaMemcpy(h.data(), times, h.size() * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sm.data(), place, (size_t)sms * 4, cudaMemcpyDeviceToHost));
    for (int b = 0; b < sms; b++) {
        double sum[2] = {};
        for (int again = 0; again < 2; again++)
            for (int i = 0; i < lines; i++) {
                const unsigned t = h[((size_t)b * 2 + again) * lines + i];
                (again ? second : first).push_back(t);
                sum[again] += t;
            }
        row("partitions", "first_by_sm", sm[b], sum[0] / lines);
        row("partitions", "second_by_sm", sm[b], sum[1] / lines);
    }
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    for (int p : {0, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99}) {
        row("partitions", "first_percentile", p, first[(size_t)p * (first.size() - 1) / 100]);
        row("partitions", "second_percentile", p, second[(size_t)p * (second.size() - 1) / 100]);
    }
    for (void *p : {(void *)at, (void *)end, (void *)turn, (void *)place, (void *)times})
        CHECK(cudaFree(p));
}
