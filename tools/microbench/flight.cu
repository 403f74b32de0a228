// What is under way at a time: loads of an SM by their number, and code of growing length (the instruction caches).
#include "micro.cuh"

// --- loads under way: `warps` warps, each with LOADS independent ones to lines of their own ---

template <int LOADS> __global__ void in_flight(const unsigned *at, unsigned mask, int rounds, u64 *cycles, unsigned *end)
{
    const unsigned step = 32 * blockDim.x * LOADS;
    unsigned sum = 0, first = threadIdx.x * 32 * LOADS;
    u64 t = 0;
#pragma unroll 1
    for (int r = -1; r < rounds; r++) { // the first brings the code
        if (!r) {
            __syncthreads();
            t = clock64();
        }
        unsigned v[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[i]) : "l"(at + ((first + i * 32) & mask)) : "memory");
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            sum += v[i];
        first += step + (sum & 1); // waits for all
    }
    __syncthreads();
    if (!threadIdx.x)
        cycles[0] = clock64() - t;
    end[threadIdx.x] = sum;
}

template <int LOADS> static void flight_row(const unsigned *at, size_t bytes, const char *name, u64 *cycles, unsigned *end)
{
    const int rounds = is_short ? 2 : 32;
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        char text[48];
        snprintf(text, sizeof text, "%s_%d_warps", name, warps);
        in_flight<LOADS><<<1, warps * 32>>>(at, (unsigned)(bytes / 4 - 1), rounds, cycles, end);
        row("in_flight", text, LOADS, mean_of(cycles, 1) / rounds);
    }
}

void measure_flight()
{
    const size_t large = is_short ? 64u << 20 : (size_t)2 << 30, small = 8 << 20;
    unsigned *at = device_array<unsigned>(large / 4), *end = device_array<unsigned>(1024);
    u64 *cycles = device_array<u64>(1);
    CHECK(cudaMemset(at, 0, large));
    CHECK(cudaMemset(at, 0, small)); // again: in the L2
    flight_row<1>(at, small, "l2", cycles, end);
    flight_row<4>(at, small, "l2", cycles, end);
    flight_row<16>(at, small, "l2", cycles, end);
    flight_row<1>(at + large / 8, large / 2, "dram", cycles, end);
    flight_row<4>(at + large / 8, large / 2, "dram", cycles, end);
    flight_row<16>(at + large / 8, large / 2, "dram", cycles, end);
    CHECK(cudaFree(at));
    CHECK(cudaFree(end));
    CHECK(cudaFree(cycles));
}

// --- code: COUNT multiply-adds in a row, again and again; one warp, and 4 on each sub-core ---

template <int COUNT> __global__ void straight(u64 *cycles, float *out, float a, float b)
{
    float x[4] = {a, b, a + b, a - b};
    u64 t = 0;
#pragma unroll 1
    for (int r = -2; r < 4; r++) {
        if (!r) {
            __syncthreads();
            t = clock64();
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % 4]) : "f"(a), "f"(b));
    }
    __syncthreads();
    if (!threadIdx.x)
        cycles[0] = clock64() - t;
    out[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

template <int COUNT> static void code_row(u64 *cycles, float *out)
{
    straight<COUNT><<<1, 32>>>(cycles, out, 0.5f, 0.25f);
    row("code", "cycles_an_instruction_1_warp", COUNT * 16, mean_of(cycles, 1) / (4.0 * COUNT));
    straight<COUNT><<<1, 512>>>(cycles, out, 0.5f, 0.25f);
    row("code", "cycles_an_instruction_16_warps", COUNT * 16, mean_of(cycles, 1) / (4.0 * COUNT));
}

void measure_code()
{
    u64 *cycles = device_array<u64>(1);
    float *out = device_array<float>(1024);
    code_row<64>(cycles, out);
    code_row<256>(cycles, out);
    code_row<512>(cycles, out);
    code_row<1024>(cycles, out);
    code_row<1536>(cycles, out);
    code_row<2048>(cycles, out);
    code_row<4096>(cycles, out);
    code_row<6144>(cycles, out);
    code_row<8192>(cycles, out);
    code_row<16384>(cycles, out);
    CHECK(cudaFree(cycles));
    CHECK(cudaFree(out));
}
