// Atomics on floats, doubles and halves; compare-and-swap loops; the integer family; scopes.
#include "check.h"

#include <cuda_fp16.h>

__device__ float atomic_max(float *p, float v)
{
    int old = __float_as_int(*p), seen;
    do {
        seen = old;
        if (__int_as_float(seen) >= v)
            break;
        old = atomicCAS((int *)p, seen, __float_as_int(v));
    } while (old != seen);
    return __int_as_float(old);
}

struct sums {
    float f;
    double d;
    float largest;
    __half2 h2;
    __half h;
    float exchanged;
};

__global__ void floats(sums *s, int n)
{
    __shared__ float in_block;
    if (threadIdx.x == 0)
        in_block = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&in_block, 0.25f * (i % 16));
        atomicAdd(&s->d, (double)i);
        atomic_max(&s->largest, (float)(i * 31 % n));
        if (i < 64) {
            atomicAdd(&s->h2, __floats2half2_rn(1.f, 0.5f));
            atomicAdd(&s->h, __float2half(2.f));
        }
        atomicExch(&s->exchanged, 3.5f);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd_system(&s->f, in_block);
}

struct ints {
    int add, sub, lo, hi, exch;
    unsigned all, any, odd, inc, dec;
    unsigned long long wide, wide_max, cas;
};

__global__ void integers(ints *s, unsigned *old)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&s->add, i);
    atomicSub(&s->sub, i);
    atomicMin(&s->lo, 500 - i);
    atomicMax(&s->hi, i - 500);
    atomicAnd(&s->all, ~(1u << (i % 20)));
    atomicOr(&s->any, 1u << (i % 20));
    atomicXor(&s->odd, (unsigned)i);
    old[atomicInc(&s->inc, 2000)] = i; // every old value is seen once
    atomicDec(&s->dec, 2000);
    atomicAdd_block(&s->wide, 1ull << 33);
    atomicMax(&s->wide_max, (unsigned long long)i << 40);
    atomicCAS(&s->cas, 7ull, 8ull);
}

int main()
{
    check_name = "float_atomics";
    const int n = 1000, blocks = 8, threads = 128;
    sums start = {}, got, *d;
    CUDA(cudaMalloc(&d, sizeof got));
    start.largest = -1;
    CUDA(cudaMemcpy(d, &start, sizeof start, cudaMemcpyHostToDevice));
    floats<<<blocks, threads>>>(d, n);
    CUDA(cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost));
    float f = 0, most = 0;
    for (int i = 0; i < n; i++) {
        f += 0.25f * (i % 16); // multiples of 1/4: exact in every order
        most = i * 31 % n > most ? (float)(i * 31 % n) : most;
    }
    CHECK(got.f == f);
    CHECK(got.d == n * (n - 1) / 2.0);
    CHECK(got.largest == most);
    CHECK(__low2float(got.h2) == 64 && __high2float(got.h2) == 32);
    CHECK(__half2float(got.h) == 128);
    CHECK(got.exchanged == 3.5f);

    const int total = blocks * threads;
    ints in = {}, *di;
    unsigned *old, seen[total];
    in.all = ~0u;
    in.cas = 7;
    in.dec = 100;
    CUDA(cudaMalloc(&di, sizeof in));
    CUDA(cudaMalloc(&old, sizeof seen));
    CUDA(cudaMemcpy(di, &in, sizeof in, cudaMemcpyHostToDevice));
    integers<<<blocks, threads>>>(di, old);
    CUDA(cudaMemcpy(&in, di, sizeof in, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(seen, old, sizeof seen, cudaMemcpyDeviceToHost));
    CHECK_EQ(in.add, total * (total - 1) / 2);
    CHECK_EQ(in.sub, -in.add);
    CHECK_EQ(in.lo, 500 - (total - 1));
    CHECK_EQ(in.hi, total - 1 - 500);
    CHECK_EQ(in.all, ~0xfffffu);
    CHECK_EQ(in.any, 0xfffffu);
    CHECK_EQ(in.odd, 0);
    CHECK_EQ(in.inc, total);
    CHECK_EQ(in.dec, 2001 - (total - 100)); // down to 0, then from 2000 on
    CHECK_EQ(in.wide >> 33, total);
    CHECK_EQ(in.wide_max >> 40, total - 1);
    CHECK_EQ(in.cas, 8);
    static bool found[total];
    for (int i = 0; i < total; i++) {
        CHECK(!found[seen[i]]);
        found[seen[i]] = true;
    }
    CUDA(cudaFree(d));
    CUDA(cudaFree(di));
    CUDA(cudaFree(old));
    return check_pass();
}
