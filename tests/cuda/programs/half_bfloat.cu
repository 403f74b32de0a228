// Half and bfloat16: conversions of every pattern, arithmetic, packed pairs, comparisons.
#include "check.h"

#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void half_bits(float *out, unsigned short *back)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __half h = __ushort_as_half((unsigned short)i);
    out[i] = __half2float(h);
    back[i] = __half_as_ushort(__float2half(__half2float(h)));
}

__global__ void bfloat_bits(float *out, unsigned short *back)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat16 h = __ushort_as_bfloat16((unsigned short)i);
    out[i] = __bfloat162float(h);
    back[i] = __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(h)));
}

__global__ void arithmetic(float *out)
{
    __half a = __float2half(1.5f), b = __float2half(-0.25f);
    out[0] = __half2float(__hadd(a, b));
    out[1] = __half2float(__hmul(a, b));
    out[2] = __half2float(__hfma(a, b, a));
    out[3] = __half2float(__hdiv(a, b));
    out[4] = __half2float(hsqrt(__float2half(2.25f)));
    out[5] = __half2float(hexp2(__float2half(3.f)));
    out[6] = __hgt(a, b) ? 1.f : 0.f;
    out[7] = __half2float(__float2half_rn(65520.f)); // rounds to infinity
    out[8] = __half2float(__float2half_rz(65520.f));
    out[9] = __half2float(__float2half(1e-7f)); // subnormal
    __half2 p = __floats2half2_rn(3.f, -4.f), q = __half2half2(__float2half(0.5f));
    float2 r = __half22float2(__hfma2(p, q, p));
    out[10] = r.x;
    out[11] = r.y;
    out[12] = __half2float(__hmax(a, b));
    out[13] = (float)__half2int_rz(__float2half(-7.8f));
    __nv_bfloat16 x = __float2bfloat16(1.00390625f), y = __float2bfloat16(3.f); // a tie: to even
    out[14] = __bfloat162float(x);
    out[15] = __bfloat162float(__hmul(y, y));
    out[16] = __bfloat162float(__hadd(__float2bfloat16(256.f), __float2bfloat16(1.f)));
    out[17] = __bfloat162float(__hadd(__hmul(y, y), __float2bfloat16(-8.f)));
    __nv_bfloat162 bp = __floats2bfloat162_rn(1.f, 2.f);
    float2 br = __bfloat1622float2(__hadd2(bp, bp));
    out[18] = br.x + 10 * br.y;
    out[19] = __hlt(y, x) ? 1.f : 0.f;
}

__global__ void dot(const __half2 *a, const __half2 *b, float *out, int n)
{
    __shared__ float s[64];
    float2 sum = make_float2(0, 0);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float2 x = __half22float2(a[i]), y = __half22float2(b[i]);
        sum.x += x.x * y.x;
        sum.y += x.y * y.y;
    }
    s[threadIdx.x] = sum.x + sum.y;
    __syncthreads();
    if (threadIdx.x == 0) {
        float t = 0;
        for (int i = 0; i < 64; i++)
            t += s[i];
        *out = t;
    }
}

static float half_value(unsigned bits)
{
    int e = bits >> 10 & 31, m = bits & 1023;
    float v = e == 31 ? (m ? NAN : INFINITY)
              : e     ? ldexpf(1.f + m / 1024.f, e - 15)
                      : ldexpf(m / 1024.f, -14);
    return bits >> 15 ? -v : v;
}

static float bfloat_value(unsigned bits)
{
    unsigned w = bits << 16;
    float f;
    memcpy(&f, &w, sizeof f);
    return f;
}

int main()
{
    check_name = "half_bfloat";
    static float got[65536];
    static unsigned short back[65536];
    float *d;
    unsigned short *d_back;
    CUDA(cudaMalloc(&d, sizeof got));
    CUDA(cudaMalloc(&d_back, sizeof back));
    for (int kind = 0; kind < 2; kind++) {
        if (kind == 0)
            half_bits<<<256, 256>>>(d, d_back);
        else
            bfloat_bits<<<256, 256>>>(d, d_back);
        CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
        CUDA(cudaMemcpy(back, d_back, sizeof back, cudaMemcpyDeviceToHost));
        for (unsigned i = 0; i < 65536; i++) {
            float want = kind == 0 ? half_value(i) : bfloat_value(i);
            if (std::isnan(want)) {
                CHECK(std::isnan(got[i]));
                continue;
            }
            CHECK(memcmp(&want, &got[i], sizeof want) == 0);
            CHECK_EQ(back[i], i);
        }
    }

    arithmetic<<<1, 1>>>(d);
    CUDA(cudaMemcpy(got, d, 20 * sizeof(float), cudaMemcpyDeviceToHost));
    const float want[20] = {1.25f, -0.375f, 1.125f, -6, 1.5f, 8, 1,   INFINITY, 65504, 0,
                            4.5f,  -6,      1.5f,   -7, 1,    9, 256, 1,        42,    0};
    for (int i = 0; i < 20; i++) {
        float w = i == 9 ? ldexpf(2, -24) : want[i];
        if (got[i] != w)
            check_fail("result %d is %g, not %g", i, got[i], w);
    }

    const int n = 512;
    static __half2 a[n], b[n];
    double sum = 0;
    for (int i = 0; i < n; i++) {
        a[i] = __floats2half2_rn((float)(i % 13), 1.f);
        b[i] = __floats2half2_rn((float)(i % 7) - 3, 0.5f);
        sum += (i % 13) * (i % 7 - 3) + 0.5;
    }
    __half2 *da, *db;
    CUDA(cudaMalloc(&da, sizeof a));
    CUDA(cudaMalloc(&db, sizeof b));
    CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    dot<<<1, 64>>>(da, db, d, n);
    CUDA(cudaMemcpy(got, d, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(got[0] == (float)sum);
    CUDA(cudaFree(da));
    CUDA(cudaFree(db));
    CUDA(cudaFree(d));
    CUDA(cudaFree(d_back));
    return check_pass();
}
