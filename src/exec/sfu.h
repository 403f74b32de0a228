/* The special functions in single precision, branch-free, for vector loops.
 *
 * Only operations that every host rounds alike are used (no contracted multiply-add), so results
 * are the same everywhere. They lie within the distance that PTX allows from the hardware's; the
 * special cases are the hardware's. Inputs and results are bits, flushing is up to the caller. */
#ifndef EXEC_SFU_H
#define EXEC_SFU_H

#include "exec/softfp.h"

/* 2^x. With x = n + f, |f| <= 1/2: a polynomial for 2^f, scaled by 2^n in two steps so that
 * subnormal results are rounded once. */
static inline uint32_t sfu_ex2(uint32_t x)
{
    const float v = f32_of(x), lo = v < -160.0f ? -160.0f : v, c = lo > 160.0f ? 160.0f : lo;
    const float shifted = c + 0x1.8p23f, n = shifted - 0x1.8p23f, f = c - n;
    const int32_t k = (int32_t)f32_bits(shifted) - 0x4b400000;
    float p = 0x1.448ea8p-13f;
    p = p * f + 0x1.5f456ep-10f;
    p = p * f + 0x1.3b29acp-7f;
    p = p * f + 0x1.c6aed6p-5f;
    p = p * f + 0x1.ebfbe0p-3f;
    p = p * f + 0x1.62e430p-1f;
    p = p * f + 1.0f;
    const int32_t k1 = k >> 1, k2 = k - k1;
    const float s1 = f32_of((uint32_t)(k1 + 127) << 23), s2 = f32_of((uint32_t)(k2 + 127) << 23);
    return v != v ? F32_NAN : f32_bits(p * s1 * s2);
}

/* log2(x). With x = m 2^e, sqrt(1/2) <= m < sqrt(2): e + f P(f), f = m - 1. */
static inline uint32_t sfu_lg2(uint32_t x)
{
    const bool tiny = x < 0x00800000;
    const uint32_t n = tiny ? f32_bits(f32_of(x) * 0x1p23f) : x;
    const uint32_t shifted = n - 0x3f3504f3;
    const int32_t e = ((int32_t)shifted >> 23) - (tiny ? 23 : 0);
    const float f = f32_of((shifted & 0x007fffff) + 0x3f3504f3) - 1.0f;
    float p = -0x1.c205e6p-4f;
    p = p * f + 0x1.81b7e6p-3f;
    p = p * f + -0x1.89c360p-3f;
    p = p * f + 0x1.a2645cp-3f;
    p = p * f + -0x1.ea4ddcp-3f;
    p = p * f + 0x1.27815ep-2f;
    p = p * f + -0x1.715d74p-2f;
    p = p * f + 0x1.ec708ep-2f;
    p = p * f + -0x1.71546ap-1f;
    p = p * f + 0x1.715476p+0f;
    const uint32_t r = f32_bits((float)e + f * p);
    const bool zero = (x & ~F32_SIGN) == 0, invalid = x > F32_INF;
    return zero ? F32_SIGN | F32_INF : invalid ? F32_NAN : x == F32_INF ? F32_INF : r;
}

/* sin and cos of 2 pi turns. The hardware works on a 25-bit fraction of x / (2 pi), cut off, which
 * is why arguments near zero give zero. */
static inline uint32_t sfu_fraction(uint32_t x)
{
    const float turns = f32_of(x & ~F32_SIGN) * 0x1.45f306p-3f;
    /* Beyond 2^23 there is no fraction; infinity and NaN are told apart by the caller. */
    const float t = turns < 0x1p23f ? turns : 0.0f;
    const float whole = (float)(int32_t)t;
    return (uint32_t)(int32_t)((t - whole) * 0x1p25f);
}

/* sin(2 pi (k + quarters) / 2^25), quarters in units of 2^23. */
static inline float sfu_sine(uint32_t k)
{
    const uint32_t quadrant = (k + 0x400000) >> 23;
    const float a = (float)((int32_t)k - (int32_t)(quadrant << 23)) * 0x1.921fb6p-23f;
    const float s = a * a;
    float ps = -0x1.982c86p-13f, pc = 0x1.994674p-16f;
    ps = ps * s + 0x1.110282p-7f;
    ps = ps * s + -0x1.55552ep-3f;
    ps = ps * s * a + a;
    pc = pc * s + -0x1.6c08dap-10f;
    pc = pc * s + 0x1.555540p-5f;
    pc = pc * s + -0.5f;
    pc = pc * s + 1.0f;
    const uint32_t r = f32_bits(quadrant & 1 ? pc : ps);
    return f32_of(r ^ (quadrant & 2) << 30);
}

static inline uint32_t sfu_sin(uint32_t x)
{
    const float r = sfu_sine(sfu_fraction(x));
    const uint32_t m = r == 0 ? 0 : f32_bits(r);
    return (x & ~F32_SIGN) >= F32_INF ? F32_NAN : m ^ (x & F32_SIGN);
}

static inline uint32_t sfu_cos(uint32_t x)
{
    const float r = sfu_sine((sfu_fraction(x) + (1u << 23)) & 0x1ffffff);
    return (x & ~F32_SIGN) >= F32_INF ? F32_NAN : f32_bits(r);
}

static inline uint32_t sfu_rcp(uint32_t x)
{
    return f32_canon(f32_bits(1.0f / f32_of(x)));
}

static inline uint32_t sfu_sqrt(uint32_t x)
{
    return f32_canon(f32_bits(__builtin_sqrtf(f32_of(x))));
}

static inline uint32_t sfu_rsqrt(uint32_t x)
{
    return f32_canon(f32_bits(1.0f / __builtin_sqrtf(f32_of(x))));
}

/* tanh: an odd polynomial near zero, else 1 - 2 / (e^2|x| + 1). */
static inline uint32_t sfu_tanh(uint32_t x)
{
    const uint32_t m = x & ~F32_SIGN;
    const float a = f32_of(m), s = a * a;
    float p = -0x1.226e36p-7f;
    p = p * s + 0x1.664f48p-6f;
    p = p * s + -0x1.ba1ba2p-5f;
    p = p * s + 0x1.111112p-3f;
    p = p * s + -0x1.555556p-2f;
    const float near = p * s * a + a;
    const float c = a < 16.0f ? a : 16.0f;
    const float far = 1.0f - 2.0f / (f32_of(sfu_ex2(f32_bits(c * 0x1.715476p+1f))) + 1.0f);
    const uint32_t r = f32_bits(m < 0x3f000000 ? near : far);
    return m > F32_INF ? F32_NAN : r | (x & F32_SIGN);
}

#endif
