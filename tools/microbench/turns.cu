// What branches cost: a turn of a loop by the length of its body, and lanes that part and meet again.
#include "micro.cuh"

enum { TURNS = 64 };

// BODY multiply-adds in four chains, then back; the count of turns is not known to the assembler.
template <int BODY> __global__ void turn(u64 *cycles, float *out, float a, float b, int turns)
{
    float x[4] = {a, b, a + b, a - b};
    u64 t = 0;
#pragma unroll 1
    for (int round = 0; round < 2; round++) { // the first brings the code
        __syncthreads();
        t = clock64();
#pragma unroll 1
        for (int i = 0; i < turns; i++) {
#pragma unroll
            for (int k = 0; k < BODY; k++)
                asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[k % 4]) : "f"(a), "f"(b));
        }
        __syncthreads();
    }
    if (!threadIdx.x)
        cycles[0] = clock64() - t;
    out[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

template <int BODY> static void turn_rows(u64 *cycles, float *out)
{
    for (int warps : {1, 4, 8, 16, 32}) {
        char name[32];
        snprintf(name, sizeof name, "turn_%d_warps", warps);
        turn<BODY><<<1, warps * 32>>>(cycles, out, 0.5f, 0.25f, TURNS);
        row("turns", name, BODY, mean_of(cycles, 1) / TURNS);
    }
}

// Of each 32 lanes the lower `lanes` go one way, the others another; each way is too long to be made conditional.
__global__ void part(u64 *cycles, float *out, float a, float b, int turns, int lanes)
{
    float x = a;
    u64 t = 0;
    const bool lower = (int)(threadIdx.x % 32) < lanes;
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        t = clock64();
#pragma unroll 1
        for (int i = 0; i < turns; i++) {
            if (lower) {
#pragma unroll
                for (int k = 0; k < 16; k++)
                    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
            } else {
#pragma unroll
                for (int k = 0; k < 16; k++)
                    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(b), "f"(a));
            }
        }
        __syncthreads();
    }
    if (!threadIdx.x)
        cycles[0] = clock64() - t;
    out[threadIdx.x] = x;
}

void measure_turns()
{
    u64 *cycles = device_array<u64>(1);
    float *out = device_array<float>(1024);
    turn_rows<1>(cycles, out);
    turn_rows<2>(cycles, out);
    turn_rows<4>(cycles, out);
    turn_rows<8>(cycles, out);
    turn_rows<16>(cycles, out);
    turn_rows<32>(cycles, out);
    turn_rows<64>(cycles, out);
    for (int lanes : {0, 16, 32}) {
        part<<<1, 32>>>(cycles, out, 0.5f, 0.25f, TURNS, lanes);
        row("turns", "parted_lanes", lanes, mean_of(cycles, 1) / TURNS);
    }
    CHECK(cudaFree(cycles));
    CHECK(cudaFree(out));
}
