/* The special functions in single precision, branch-free, for vector loops.
 *
 * Only operations that every host rounds alike are used (no contracted multiply-add), so results
 * are the same everywhere. They lie within the distance that PTX allows from the hardware's; the
 * special cases are the hardware's. Inputs and results are bits, flushing is up to the caller. */
#ifndef EXEC_SFU_H
#define EXEC_SFU_H

#include "exec/softfp.h"

/* 2^f for |f| <= 1/2. */
static inline float sfu_exp_poly(float f)
{
    float p = 0x1.448ea8p-13f;
    p = p * f + 0x1.5f456ep-10f;
    p = p * f + 0x1.3b29acp-7f;
    p = p * f + 0x1.c6aed6p-5f;
    p = p * f + 0x1.ebfbe0p-3f;
    p = p * f + 0x1.62e430p-1f;
    return p * f + 1.0f;
}

/* 2^x with x = n + f, |f| <= 1/2, scaled by 2^n in two steps so that subnormal results are rounded
 * once. */
static inline uint32_t sfu_ex2(uint32_t x)
{
    const float v = f32_of(x), lo = v < -160.0f ? -160.0f : v, c = lo > 160.0f ? 160.0f : lo;
    const float shifted = c + 0x1.8p23f;
    const int32_t k = (int32_t)f32_bits(shifted) - 0x4b400000, k1 = k >> 1;
    const float p = sfu_exp_poly(c - (shifted - 0x1.8p23f));
    const float s1 = f32_of((uint32_t)(k1 + 127) << 23);
    const float s2 = f32_of((uint32_t)(k - k1 + 127) << 23);
    return sel32(v != v, F32_NAN, f32_bits(p * s1 * s2));
}

/* The same where subnormals are zeros: within the range, n goes straight to the exponent. */
static inline uint32_t sfu_ex2_ftz(uint32_t x)
{
    const float v = f32_of(x), shifted = v + 0x1.8p23f;
    const uint32_t p = f32_bits(sfu_exp_poly(v - (shifted - 0x1.8p23f)));
    const uint32_t r = p + (f32_bits(shifted) << 23);
    const uint32_t high = sel32(v >= 128.0f, F32_INF, r);
    return sel32(v != v, F32_NAN, sel32(v < -126.0f, 0, high));
}

/* log2(x). With x = m 2^e, sqrt(1/2) <= m < sqrt(2): e + f P(f), f = m - 1. */
static inline uint32_t sfu_lg2(uint32_t x)
{
    const bool tiny = x < 0x00800000;
    const uint32_t n = sel32(tiny, f32_bits(f32_of(x) * 0x1p23f), x);
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
    return sel32(zero, F32_SIGN | F32_INF, sel32(invalid, F32_NAN, sel32(x == F32_INF, x, r)));
}

/* x * y rounded to zero, for positive numbers of ordinary size. */
static inline float sfu_mul_rz(float x, float y)
{
#ifdef __FMA__
    const float p = x * y;
    return f32_of(f32_bits(p) - (__builtin_fmaf(x, y, -p) < 0));
#else
    const double p = (double)x * (double)y;
    return (float)f64_of(f64_bits(p) & ~(uint64_t)0x1fffffff);
#endif
}

/* The hardware works on 25 bits of the fraction of x / (2 pi), both product and fraction cut off,
 * which is why arguments near zero give zero. */
static inline uint32_t sfu_turns(uint32_t x)
{
    const float turns = sfu_mul_rz(f32_of(x & ~F32_SIGN), 0x1.45f306p-3f);
    /* Beyond 2^23 there is no fraction; infinity and NaN are told apart by the caller. */
    const float t = f32_of(f32_bits(turns) & (0 - (uint32_t)(turns < 0x1p23f)));
    const float whole = (float)(int32_t)t;
    return (uint32_t)(int32_t)((t - whole) * 0x1p25f);
}

/* The sine of k / 2^25 turns; never -0. A second quarter is the first one's complement, so that the
 * last step before half a turn gives zero as well. */
static inline float sfu_sine(uint32_t k)
{
    const uint32_t back = 0 - (k >> 23 & 1), quarter = (k ^ back) & 0x7fffff;
    const float a = (float)(int32_t)quarter * 0x1.921fb6p-23f;
    const float s = a * a;
    float p = 0x1.5bb83ap-19f;
    p = p * s + -0x1.9f41fap-13f;
    p = p * s + 0x1.110d74p-7f;
    p = p * s + -0x1.55553cp-3f;
    const float r = p * s * a + a, m = r < 1.0f ? r : 1.0f;
    return f32_of(f32_bits(m) ^ (k << 7 & F32_SIGN)) + 0.0f;
}

static inline uint32_t sfu_sin(uint32_t x)
{
    const uint32_t r = f32_bits(sfu_sine(sfu_turns(x))) ^ (x & F32_SIGN);
    return sel32((x & ~F32_SIGN) >= F32_INF, F32_NAN, r);
}

static inline uint32_t sfu_cos(uint32_t x)
{
    const uint32_t r = f32_bits(sfu_sine(sfu_turns(x) + 0x800000));
    return sel32((x & ~F32_SIGN) >= F32_INF, F32_NAN, r);
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
    const uint32_t r = sel32(m < 0x3f000000, f32_bits(near), f32_bits(far));
    return sel32(m > F32_INF, F32_NAN, r | (x & F32_SIGN));
}

#endif
