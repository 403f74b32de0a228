// Shared memory with conflicts, constants, textures, atomics, barriers.
#include "micro.cuh"

#include <algorithm>

// --- shared memory ---

__global__ void shared_chase(u64 *cycles, unsigned *end, int stride, int steps)
{
    __shared__ unsigned at[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
        at[i] = (i + 1024) % 8192; // keeps the bank
    __syncthreads();
    unsigned p = threadIdx.x * stride % 8192;
    u64 t = 0;
    for (int i = -16; i < steps; i++) {
        if (!i)
            t = clock64();
        asm volatile("{.reg .u32 a; shl.b32 a, %0, 2; add.u32 a, a, %1; ld.shared.u32 %0, [a];}" : "+r"(p) : "r"((unsigned)__cvta_generic_to_shared(at)));
    }
    if (!threadIdx.x)
        cycles[0] = clock64() - t;
    end[threadIdx.x] = p;
}

template <class V> __global__ void shared_read(u64 *cycles, float *end, int stride, int rounds)
{
    extern __shared__ float4 shared_words[];
    V sum[4] = {};
    const unsigned at = (unsigned)__cvta_generic_to_shared(shared_words) + (threadIdx.x % 32 * stride % 256) * sizeof(V);
    u64 t = 0;
    for (int r = -1; r < rounds; r++) {
        if (!r) {
            __syncthreads();
            t = clock64();
        }
#pragma unroll
        for (int i = 0; i < 16; i++) {
            unsigned *v = (unsigned *)&sum[i % 4];
            if (sizeof(V) == 4)
                asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(at + i * 64 * (unsigned)sizeof(V)) : "memory");
            else
                asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(at + i * 64 * (unsigned)sizeof(V)));
        }
    }
    __syncthreads();
    if (!threadIdx.x)
        cycles[0] = clock64() - t;
    float out = 0;
    for (int i = 0; i < 4; i++)
        out += ((float *)&sum[i])[0];
    end[threadIdx.x] = out;
}

void measure_shared()
{
    u64 *cycles = device_array<u64>(1);
    unsigned *end = device_array<unsigned>(1024);
    for (int stride : {1, 2, 4, 8, 16, 32, 33}) {
        shared_chase<<<1, 32>>>(cycles, end, stride, 256);
        row("shared", "latency_stride", stride, mean_of(cycles, 1) / 256);
        shared_read<float><<<1, 512, 64 << 9>>>(cycles, (float *)end, stride, 16);
        row("shared", "read4_cycles_stride", stride, mean_of(cycles, 1) / (16 * 16 * 16));
    }
    shared_read<float4><<<1, 512, 48 << 10>>>(cycles, (float *)end, 1, 16);
    row("shared", "read16_cycles_stride", 1, mean_of(cycles, 1) / (16 * 16 * 16));
    CHECK(cudaFree(cycles));
    CHECK(cudaFree(end));
}

// --- constants ---

__constant__ unsigned constants[16384];

__global__ void constant_chase(u64 *cycles, unsigned *end, int n, int steps)
{
    unsigned p = 0;
    u64 t = 0;
    for (int i = -n; i < steps; i++) {
        if (!i)
            t = clock64();
        p = constants[p];
    }
    cycles[0] = clock64() - t;
    *end = p;
}

void measure_constant()
{
    u64 *cycles = device_array<u64>(1);
    unsigned *end = device_array<unsigned>(1), host[16384];
    for (int kb : {1, 2, 4, 8, 16, 32, 48, 64}) {
        const int n = kb * 4; // 64 bytes apart
        for (int i = 0; i < n; i++)
            host[i * 16] = (i + 1) % n * 16;
        CHECK(cudaMemcpyToSymbol(constants, host, sizeof host));
        constant_chase<<<1, 1>>>(cycles, end, n, n);
        row("constant", "latency_footprint", kb * 1024, mean_of(cycles, 1) / n);
    }
    CHECK(cudaFree(cycles));
    CHECK(cudaFree(end));
}

// --- textures ---

__global__ void texture_chase(cudaTextureObject_t tex, u64 *cycles, int *end, int warm, int steps)
{
    int p = 0;
    u64 t = 0;
    for (int i = -warm; i < steps; i++) {
        if (!i)
            t = clock64();
        p = tex1Dfetch<int>(tex, p);
    }
    cycles[0] = clock64() - t;
    *end = p;
}

void measure_texture()
{
    const size_t most = 4 << 20;
    int *at = device_array<int>(most / 4), *host = (int *)calloc(most, 1), *end = device_array<int>(1);
    u64 *cycles = device_array<u64>(1);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = at;
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    r.res.linear.sizeInBytes = most;
    cudaTextureDesc d = {};
    d.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex;
    CHECK(cudaCreateTextureObject(&tex, &r, &d, nullptr));
    for (int kb : {16, 128, 1024}) {
        const int n = kb * 8;
        for (int i = 0; i < n; i++)
            host[i * 32] = (i + 1) % n * 32;
        CHECK(cudaMemcpy(at, host, most, cudaMemcpyHostToDevice));
        const int steps = n < 1024 ? n : 1024;
        texture_chase<<<1, 1>>>(tex, cycles, end, n, steps);
        row("texture", "latency_footprint", kb * 1024, mean_of(cycles, 1) / steps);
    }
    CHECK(cudaDestroyTextureObject(tex));
    free(host);
    CHECK(cudaFree(at));
    CHECK(cudaFree(end));
    CHECK(cudaFree(cycles));
}

// --- atomics ---

enum Scope { CTA, GPU, SYS, SHARED };

template <Scope S> __device__ __forceinline__ unsigned add(unsigned *p, unsigned v)
{
    unsigned old;
    if (S == CTA)
        asm volatile("atom.cta.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    if (S == GPU)
        asm volatile("atom.gpu.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    if (S == SYS)
        asm volatile("atom.sys.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    if (S == SHARED)
        asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"((unsigned)__cvta_generic_to_shared(p)), "r"(v) : "memory");
    return old;
}

template <Scope S> __global__ void atomic_chain(unsigned *at, int apart, int steps, u64 *cycles)
{
    __shared__ unsigned mine[1024];
    unsigned *p = (S == SHARED ? mine : at) + threadIdx.x * apart;
    unsigned v = 1;
    *p = 0;
    u64 t = 0;
    for (int i = -4; i < steps; i++) {
        if (!i)
            t = clock64();
        v = add<S>(p, v) & 1;
    }
    if (!threadIdx.x)
        cycles[0] = clock64() - t;
    at[threadIdx.x * apart] = v;
}

// Every thread of the GPU adds `rounds` times without waiting: to one word, a word a warp, a word a thread.
template <bool NEEDS_OLD> __global__ void atomic_flood(unsigned *at, int lane_apart, int warp_apart, int block_apart, int rounds, unsigned *end)
{
    unsigned *p = at + threadIdx.x % 32 * lane_apart + threadIdx.x / 32 * warp_apart + (size_t)blockIdx.x * block_apart;
    unsigned sum = 0;
    for (int i = 0; i < rounds; i++)
        if (NEEDS_OLD)
            sum += add<GPU>(p, 1);
        else
            asm volatile("red.gpu.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
    if (sum == 0x12345678)
        *end = sum;
}

template <Scope S> static void atomic_latency(const char *name, unsigned *at, u64 *cycles)
{
    atomic_chain<S><<<1, 1>>>(at, 1, 64, cycles);
    row("atomics", name, 1, mean_of(cycles, 1) / 64);
    atomic_chain<S><<<1, 32>>>(at, 0, 64, cycles);
    row("atomics", name, 32, mean_of(cycles, 1) / 64); // all lanes, one word
    atomic_chain<S><<<1, 32>>>(at, 1, 64, cycles);
    row("atomics", name, 0, mean_of(cycles, 1) / 64); // all lanes, words side by side
}

template <bool NEEDS_OLD> static void atomic_rate(const char *name, unsigned *at, int lane, int warp, int block)
{
    const int blocks = sms * 2, threads = 512, rounds = is_short ? 4 : 64;
    double s = seconds_of(true, [&] { atomic_flood<NEEDS_OLD><<<blocks, threads>>>(at, lane, warp, block, rounds, at); });
    row("atomics", name, NEEDS_OLD, (double)blocks * threads * rounds / s / 1e9); // G a second
}

void measure_atomics()
{
    unsigned *at = device_array<unsigned>(1 << 24);
    u64 *cycles = device_array<u64>(1);
    CHECK(cudaMemset(at, 0, 4 << 24));
    atomic_latency<CTA>("latency_cta", at, cycles);
    atomic_latency<GPU>("latency_gpu", at, cycles);
    atomic_latency<SYS>("latency_sys", at, cycles);
    atomic_latency<SHARED>("latency_shared", at, cycles);
    atomic_rate<false>("rate_one_word", at, 0, 0, 0);
    atomic_rate<true>("rate_one_word", at, 0, 0, 0);
    atomic_rate<false>("rate_word_a_block", at, 0, 0, 64);
    atomic_rate<true>("rate_word_a_block", at, 0, 0, 64);
    atomic_rate<false>("rate_word_a_thread", at, 1, 32, 512);
    atomic_rate<true>("rate_word_a_thread", at, 1, 32, 512);
    atomic_rate<false>("rate_sector_a_thread", at, 8, 256, 4096);
    atomic_rate<true>("rate_sector_a_thread", at, 8, 256, 4096);
    CHECK(cudaFree(at));
    CHECK(cudaFree(cycles));
}

// --- barriers ---

__global__ void barriers(u64 *cycles, int steps)
{
    __syncthreads();
    u64 t = clock64();
    for (int i = 0; i < steps; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            __syncthreads();
    }
    if (!threadIdx.x)
        cycles[0] = clock64() - t;
}

void measure_barriers()
{
    u64 *cycles = device_array<u64>(1);
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        barriers<<<1, warps * 32>>>(cycles, 128);
        row("barrier", "cycles_warps", warps, mean_of(cycles, 1) / 128);
    }
    CHECK(cudaFree(cycles));
}
