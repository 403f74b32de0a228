// Latency (one warp, a chain) and initiation (32 warps, four chains each) of instructions, and of matrix instructions.
#include "micro.cuh"

enum { ROUNDS = 8, UNROLL = 16 };

#define STEP(name, type, constraint, text)                                                         \
    struct Op_##name {                                                                             \
        typedef type T;                                                                            \
        static __device__ __forceinline__ void step(T &x, T a, T b)                                \
        {                                                                                          \
            asm volatile(text : "+" constraint(x) : constraint(a), constraint(b));                 \
        }                                                                                          \
    };
#define U32(name, text, n) STEP(name, unsigned, "r", text)
#define U64(name, text, n) STEP(name, u64, "l", text)
#define F32(name, text, n) STEP(name, float, "f", text)
#define F64(name, text, n) STEP(name, double, "d", text)
#include "ops.def"

template <class Op, int CHAINS>
__global__ void chain(u64 *cycles, typename Op::T *out, typename Op::T a, typename Op::T b)
{
    typename Op::T x[CHAINS];
    u64 from = 0;
    for (int i = 0; i < CHAINS; i++)
        x[i] = (typename Op::T)(threadIdx.x + i + 3);
#pragma unroll 1 // else the code of the measured rounds is not that of the first, and is fetched while the clock runs
    for (int r = 0; r < ROUNDS + 1; r++) {
        if (r == 1) { // the first brings the code
            __syncthreads();
            from = clock64();
        }
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                Op::step(x[c], a, b);
    }
    __syncthreads();
    u64 to = clock64();
    typename Op::T sum = x[0];
    for (int i = 1; i < CHAINS; i++)
        sum += x[i];
    out[threadIdx.x] = sum;
    if (!threadIdx.x)
        cycles[0] = to - from;
}

template <class Op> static void measure_op(const char *name, int n, double a, double b)
{
    typedef typename Op::T T;
    u64 *cycles = device_array<u64>(1);
    T *out = device_array<T>(1024);
    chain<Op, 1><<<1, 32>>>(cycles, out, (T)a, (T)b);
    row("latency", name, n, mean_of(cycles, 1) / (ROUNDS * UNROLL));
    chain<Op, 4><<<1, 1024>>>(cycles, out, (T)a, (T)b);
    // cycles between two of them on a sub-core, which has 8 of the 32 warps
    row("initiation", name, n, mean_of(cycles, 1) / (ROUNDS * UNROLL * 4 * 8));
    CHECK(cudaFree(cycles));
    CHECK(cudaFree(out));
}

void measure_instructions()
{
#define U32(name, text, n) measure_op<Op_##name>(#name, n, 3, 5);
#define U64(name, text, n) measure_op<Op_##name>(#name, n, 0x100000003ull, 0x500000007ull);
#define F32(name, text, n) measure_op<Op_##name>(#name, n, 1.5, 0.25);
#define F64(name, text, n) measure_op<Op_##name>(#name, n, 1.5, 0.25);
#include "ops.def"
}

// --- matrices ---

struct Half16 { // m16n8k16, f16 into f32
    static const int macs = 16 * 8 * 16;
    static __device__ __forceinline__ void step(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct Tf32 { // m16n8k8
    static const int macs = 16 * 8 * 8;
    static __device__ __forceinline__ void step(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct Half8 { // m16n8k8, f16
    static const int macs = 16 * 8 * 8;
    static __device__ __forceinline__ void step(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    }
};

template <class Op, int CHAINS> __global__ void matrices(u64 *cycles, float *out)
{
    float d[CHAINS][4] = {};
    unsigned a[4] = {threadIdx.x, 1, 2, 3}, b[2] = {threadIdx.x, 7};
    u64 from = 0;
#pragma unroll 1 // else the code of the measured rounds is not that of the first, and is fetched while the clock runs
    for (int r = 0; r < ROUNDS + 1; r++) {
        if (r == 1) {
            __syncthreads();
            from = clock64();
        }
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                Op::step(d[c], a, b);
    }
    __syncthreads();
    u64 to = clock64();
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += d[c][0] + d[c][1] + d[c][2] + d[c][3];
    out[threadIdx.x] = sum;
    if (!threadIdx.x)
        cycles[0] = to - from;
}

template <class Op> static void measure_matrix(const char *name)
{
    u64 *cycles = device_array<u64>(1);
    float *out = device_array<float>(1024);
    matrices<Op, 1><<<1, 32>>>(cycles, out);
    row("latency", name, Op::macs, mean_of(cycles, 1) / (ROUNDS * UNROLL));
    matrices<Op, 4><<<1, 512>>>(cycles, out);
    row("initiation", name, Op::macs, mean_of(cycles, 1) / (ROUNDS * UNROLL * 4 * 4));
    CHECK(cudaFree(cycles));
    CHECK(cudaFree(out));
}

void measure_tensor()
{
    measure_matrix<Half16>("mma_m16n8k16_f16");
    measure_matrix<Half8>("mma_m16n8k8_f16");
    measure_matrix<Tf32>("mma_m16n8k8_tf32");
}
