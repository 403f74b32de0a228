// Power: what the board draws while one kind of work fills the GPU, by NVML's counter of energy. Values keep changing all the
// while (rotations, sums, shifts of bits), because wires that do not switch cost little.
#include "micro.cuh"

#include <dlfcn.h>
#include <time.h>

#include <chrono>
#include <thread>

enum { THREADS = 1024 };

struct Place { // what a kind of work may use
    unsigned *words;       // of global memory, random bits
    size_t count;          // of words; a power of two
    unsigned shared;       // address of 4096 words of shared memory
};

// Each kind: STEPS units a round of a thread; run() does them. x and y are chains that go on through all rounds.
#define CHAINS 8
#define EACH for (int i = 0; i < CHAINS; i++)
#define ARITHMETIC(NAME, TYPE, FIRST, SECOND)                                                      \
    struct NAME {                                                                                  \
        enum { STEPS = 64 };                                                                       \
        TYPE x[CHAINS], y[CHAINS];                                                                 \
        __device__ void begin(const Place &)                                                       \
        {                                                                                          \
            EACH x[i] = (TYPE)(threadIdx.x * 747796405u + i * 2891336453u) / (TYPE)7, y[i] = x[i] + (TYPE)(i + 1); \
        }                                                                                          \
        __device__ void run(const Place &, TYPE a, int)                                            \
        {                                                                                          \
            _Pragma("unroll") for (int k = 0; k < STEPS / 2 / CHAINS; k++)                         \
            {                                                                                      \
                _Pragma("unroll") EACH FIRST;                                                      \
                _Pragma("unroll") EACH SECOND;                                                     \
            }                                                                                      \
        }                                                                                          \
        __device__ float end()                                                                     \
        {                                                                                          \
            TYPE sum = 0;                                                                          \
            EACH sum += x[i] + y[i];                                                               \
            return (float)sum;                                                                     \
        }                                                                                          \
        typedef TYPE T;                                                                            \
    };
#define ASM3(TEXT, C, D, A, B) asm volatile(TEXT : "+" C(D) : C(A), C(B))
// A rotation in two shears: neither grows nor comes to rest.
ARITHMETIC(Ffma, float, ASM3("fma.rn.f32 %0, %1, %2, %0;", "f", x[i], y[i], a), ASM3("fma.rn.f32 %0, %1, %2, %0;", "f", y[i], x[i], -a))
ARITHMETIC(Dfma, double, ASM3("fma.rn.f64 %0, %1, %2, %0;", "d", x[i], y[i], a), ASM3("fma.rn.f64 %0, %1, %2, %0;", "d", y[i], x[i], -a))
ARITHMETIC(Fadd, float, ASM3("sub.rn.f32 %0, %0, %1;", "f", x[i], y[i], a), ASM3("add.rn.f32 %0, %0, %1;", "f", y[i], x[i], a))
ARITHMETIC(Fmul, float, ASM3("mul.rn.f32 %0, %1, %2;", "f", x[i], y[i], a), ASM3("mul.rn.f32 %0, %1, %2;", "f", y[i], x[i], 1 / a))
ARITHMETIC(Iadd, unsigned, ASM3("add.u32 %0, %0, %1;", "r", x[i], y[i], a), ASM3("add.u32 %0, %0, %1;", "r", y[i], x[i], a))
ARITHMETIC(Imad, unsigned, ASM3("mad.lo.u32 %0, %1, %2, %0;", "r", x[i], y[i], a), ASM3("mad.lo.u32 %0, %1, %2, %0;", "r", y[i], x[i], a))
ARITHMETIC(Lop3, unsigned, ASM3("lop3.b32 %0, %0, %1, %2, 0x96;", "r", x[i], y[i], x[(i + 3) % CHAINS]),
           ASM3("lop3.b32 %0, %0, %1, %2, 0x96;", "r", y[i], x[(i + 1) % CHAINS], y[(i + 5) % CHAINS]))
ARITHMETIC(Shf, unsigned, ASM3("shf.l.wrap.b32 %0, %0, %1, 7;", "r", x[i], y[i], a), ASM3("shf.l.wrap.b32 %0, %0, %1, 11;", "r", y[i], x[i], a))
// There and back: the assembler makes nothing of a reciprocal of a reciprocal.
ARITHMETIC(Special, float, asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(x[i])), asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[i])))
ARITHMETIC(Shfl, unsigned, asm volatile("shfl.sync.bfly.b32 %0, %0, 5, 31, -1;" : "+r"(x[i])),
           asm volatile("shfl.sync.bfly.b32 %0, %0, 11, 31, -1;" : "+r"(y[i])))
ARITHMETIC(Hfma2, unsigned, ASM3("fma.rn.f16x2 %0, %1, %2, %0;", "r", x[i], y[i], a), ASM3("fma.rn.f16x2 %0, %1, %2, %0;", "r", y[i], x[i], a ^ 0x80008000u))

struct Mma { // unit: a multiply-add of the matrices, of which a warp does 2048 in one instruction
    enum { STEPS = 8 * 2048 / 32 };
    typedef unsigned T;
    float d[4][4];
    unsigned a[4], b[2];
    __device__ void begin(const Place &p)
    {
        for (int i = 0; i < 4; i++)
            a[i] = p.words[threadIdx.x * 4 + i] & 0xBFFFBFFF; // below 2
        b[0] = a[1] ^ 0x3300, b[1] = a[2] ^ 0x1357;
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < 4; i++)
                d[c][i] = (float)(c + i);
    }
    __device__ void run(const Place &, unsigned, int)
    {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float *to = d[i % 4];
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                         : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
                         : "r"(a[i % 4]), "r"(a[1]), "r"(a[(i + 2) % 4]), "r"(a[3]), "r"(b[i % 2]), "r"(b[1]));
        }
    }
    __device__ float end()
    {
        return d[0][0] + d[1][1] + d[2][2] + d[3][3];
    }
};

template <int BYTES, bool STORE> struct Shared { // unit: a byte; 16 accesses a round at other places each time
    enum { STEPS = 16 * BYTES };
    typedef unsigned T;
    unsigned v[16];
    __device__ void begin(const Place &)
    {
        for (int i = 0; i < 16; i++)
            v[i] = threadIdx.x * 747796405u + i * 2891336453u;
    }
    __device__ void run(const Place &p, unsigned, int r)
    {
        const unsigned at = p.shared + (threadIdx.x % 32 * BYTES ^ (unsigned)(r & 7) * 512);
#pragma unroll
        for (int i = 0; i < 16; i++)
            if (STORE)
                asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at + i * 1024 % 8192), "r"(v[i]) : "memory");
            else if (BYTES == 4)
                asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[i]) : "r"(at + i * 1024 % 8192) : "memory");
            else
                asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                             : "=r"(v[i % 4 * 4]), "=r"(v[i % 4 * 4 + 1]), "=r"(v[i % 4 * 4 + 2]), "=r"(v[i % 4 * 4 + 3])
                             : "r"(at + i * 1024 % 8192)
                             : "memory");
    }
    __device__ float end()
    {
        return (float)(v[0] + v[15]);
    }
};

// Unit: a byte of global memory. OWN: words of the SM, out of its L1; else all words in turn, past the L1; SCATTER: a sector a lane.
enum { OWN, STREAM, STORE, SCATTER };
template <int HOW, int BYTES> struct Global {
    enum { STEPS = 8 * (HOW == SCATTER ? 32 : BYTES) };
    typedef unsigned T;
    unsigned sum, x;
    __device__ void begin(const Place &)
    {
        sum = 0, x = (blockIdx.x * THREADS + threadIdx.x) * 2654435761u + 12345;
    }
    __device__ void run(const Place &p, unsigned a, int r)
    {
        const size_t all = (size_t)gridDim.x * THREADS * (BYTES / 4), mask = p.count - 1;
        size_t at = ((size_t)r * 8 * all + (blockIdx.x * THREADS + threadIdx.x) * (size_t)(BYTES / 4)) & mask;
        if (HOW == OWN)
            at = blockIdx.x * 8192 + ((threadIdx.x % 64 * (BYTES / 4)) ^ (r & 7) * 32);
        unsigned v[8][4] = {};
#pragma unroll
        for (int i = 0; i < 8; i++) {
            if (HOW == SCATTER) {
                x = x * 1664525 + 1013904223;
                at = ((size_t)(x >> 3) * 8) & mask;
            }
            unsigned *from = p.words + (HOW == OWN ? at + i * 512 : HOW == SCATTER ? at : (at + i * all) & mask);
            if (HOW == OWN && BYTES == 4)
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i][0]) : "l"(from) : "memory");
            else if (HOW == OWN)
                asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[i][0]), "=r"(v[i][1]), "=r"(v[i][2]), "=r"(v[i][3]) : "l"(from) : "memory");
            else if (HOW == STORE)
                asm volatile("st.global.v4.u32 [%0], {%1,%1,%2,%2};" ::"l"(from), "r"(x + r), "r"(a ^ x) : "memory");
            else if (BYTES == 4)
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[i][0]) : "l"(from) : "memory");
            else
                asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[i][0]), "=r"(v[i][1]), "=r"(v[i][2]), "=r"(v[i][3]) : "l"(from) : "memory");
        }
        for (int i = 0; i < 8; i++)
            sum ^= v[i][0] ^ v[i][1] ^ v[i][2] ^ v[i][3];
    }
    __device__ float end()
    {
        return (float)sum;
    }
};

struct Sleep { // resident, with nothing to do
    enum { STEPS = 1 };
    typedef unsigned T;
    __device__ void begin(const Place &)
    {
    }
    __device__ void run(const Place &, unsigned, int)
    {
        __nanosleep(10000);
    }
    __device__ float end()
    {
        return 0;
    }
};

// Lanes from `lanes` on leave; of the warps only those below `warps` stay.
template <class W> __global__ void __launch_bounds__(THREADS, 1) work(float *out, typename W::T a, int rounds, Place p, unsigned lanes, unsigned warps)
{
    __shared__ unsigned mine[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)
        mine[i] = p.words[i];
    __syncthreads();
    if (threadIdx.x % 32 >= lanes || threadIdx.x / 32 >= warps)
        return;
    p.shared = (unsigned)__cvta_generic_to_shared(mine);
    W w;
    w.begin(p);
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
        w.run(p, a, r);
    if (w.end() == 8675309.0f) // that integers can be, too: else the assembler knows that nothing is wanted
        out[0] = 1;
}

__global__ void fill_random(unsigned *at, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 747796405u + 2891336453u;
        x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
        at[i] = x >> 22 ^ x;
    }
}

// --- the meter ---

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

struct Share {
    unsigned lanes = 32, warps = 32; // of each
    int blocks = 0;                  // 0: two an SM
};

template <class W> static void power_row(Nvml *n, const char *name, const Place &p, typename W::T a, Share s = {})
{
    float *out = device_array<float>(1);
    const int blocks = s.blocks ? s.blocks : sms * 2;
    int rounds = 200;
    auto start = [&] { work<W><<<blocks, THREADS>>>(out, a, rounds, p, s.lanes, s.warps); };
    rounds = (int)(rounds * 0.05 / seconds_of(true, start)) + 1;
    u64 e0, e1;
    double units = 0, mhz = 0, begin = now();
    int samples = 0;
    while (now() - begin < 0.4) { // warm
        start();
        CHECK(cudaDeviceSynchronize());
    }
    begin = now();
    n->energy(n->device, &e0);
    while (now() - begin < 1.2) {
        start();
        unsigned clock = 0;
        n->clock(n->device, 1, &clock);
        mhz += clock, samples++;
        CHECK(cudaDeviceSynchronize());
        units += (double)W::STEPS * rounds * blocks * s.lanes * s.warps;
    }
    double seconds = now() - begin;
    n->energy(n->device, &e1);
    row("power", name, 0, (double)(e1 - e0) / 1e3 / seconds); // W over the counter of energy
    row("power_mhz", name, 0, mhz / samples);
    row("power_rate", name, 0, units / seconds / 1e9); // G of its units a second: thread instructions, bytes or multiply-adds
    CHECK(cudaFree(out));
}

static void idle_row(Nvml *n)
{
    u64 e0, e1;
    CHECK(cudaDeviceSynchronize());
    std::this_thread::sleep_for(std::chrono::milliseconds(1000));
    n->energy(n->device, &e0);
    double begin = now();
    std::this_thread::sleep_for(std::chrono::milliseconds(2000));
    n->energy(n->device, &e1);
    row("power", "idle", 0, (double)(e1 - e0) / 1e3 / (now() - begin));
}

void measure_power()
{
    Nvml n;
    if (!open_nvml(&n)) {
        fprintf(stderr, "no NVML: no power\n");
        return;
    }
    Place all = {nullptr, (size_t)512 << 20, 0}, some = all;
    all.words = some.words = device_array<unsigned>(all.count);
    some.count = 4 << 20; // 16 MB: in the L2
    fill_random<<<sms * 4, 512>>>(all.words, all.count);
    idle_row(&n);
    power_row<Sleep>(&n, "resident", some, 0);
    power_row<Ffma>(&n, "ffma", some, 0.7f);
    power_row<Ffma>(&n, "ffma_zeros", some, 0.0f);
    power_row<Ffma>(&n, "ffma_16_lanes", some, 0.7f, {16, 32, 0});
    power_row<Ffma>(&n, "ffma_1_lane", some, 0.7f, {1, 32, 0});
    power_row<Ffma>(&n, "ffma_4_warps_an_sm", some, 0.7f, {32, 4, sms});
    power_row<Ffma>(&n, "ffma_33_sms", some, 0.7f, {32, 32, sms / 4});
    power_row<Fadd>(&n, "fadd", some, 0.7f);
    power_row<Fmul>(&n, "fmul", some, 0.7f);
    power_row<Iadd>(&n, "iadd", some, 7);
    power_row<Imad>(&n, "imad", some, 2654435761u);
    power_row<Lop3>(&n, "lop3", some, 7);
    power_row<Shf>(&n, "shf", some, 7);
    power_row<Dfma>(&n, "dfma", some, 0.7);
    power_row<Hfma2>(&n, "hfma2", some, 0x3a003a00);
    power_row<Special>(&n, "ex2_lg2", some, 1);
    power_row<Shfl>(&n, "shfl", some, 1);
    power_row<Mma>(&n, "mma_f16_macs", some, 1);
    power_row<Shared<4, false>>(&n, "shared_bytes", some, 1);
    power_row<Shared<16, false>>(&n, "shared_wide_bytes", some, 1);
    power_row<Shared<4, true>>(&n, "shared_store_bytes", some, 1);
    power_row<Global<OWN, 4>>(&n, "l1_bytes", some, 1);
    power_row<Global<OWN, 16>>(&n, "l1_wide_bytes", some, 1);
    power_row<Global<STREAM, 16>>(&n, "l2_bytes", some, 1);
    power_row<Global<SCATTER, 4>>(&n, "l2_scattered_bytes", some, 1);
    power_row<Global<STORE, 16>>(&n, "l2_store_bytes", some, 1);
    power_row<Global<STREAM, 16>>(&n, "dram_bytes", all, 1);
    power_row<Global<SCATTER, 4>>(&n, "dram_scattered_bytes", all, 1);
    power_row<Global<STORE, 16>>(&n, "dram_store_bytes", all, 1);
    idle_row(&n);
    CHECK(cudaFree(all.words));
}
