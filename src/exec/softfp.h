/* Floating-point formats as bits: fields, flushing, saturation, narrow formats.
 *
 * Everything here is branch-free or becomes so, to be used inside vector loops. */
#ifndef EXEC_SOFTFP_H
#define EXEC_SOFTFP_H

#include "exec/lanes.h"

static inline float f32_of(uint32_t u)
{
    float f;
    __builtin_memcpy(&f, &u, sizeof f);
    return f;
}
static inline uint32_t f32_bits(float f)
{
    uint32_t u;
    __builtin_memcpy(&u, &f, sizeof u);
    return u;
}
static inline double f64_of(uint64_t u)
{
    double f;
    __builtin_memcpy(&f, &u, sizeof f);
    return f;
}
static inline uint64_t f64_bits(double f)
{
    uint64_t u;
    __builtin_memcpy(&u, &f, sizeof u);
    return u;
}

#define F32_NAN  0x7fffffffu
#define F32_INF  0x7f800000u
#define F32_SIGN 0x80000000u
#define F64_INF  0x7ff0000000000000u
#define F64_SIGN 0x8000000000000000u
#define F64_QNAN 0xfff8000000000000u
#define F64_QBIT 0x0008000000000000u

/* Subnormals become zeros of their sign. */
static inline uint32_t f32_flush(uint32_t u)
{
    return u & F32_INF ? u : u & F32_SIGN;
}

/* Any NaN becomes the NaN that the hardware makes. */
static inline uint32_t f32_canon(uint32_t u)
{
    return (u & ~F32_SIGN) > F32_INF ? F32_NAN : u;
}

/* Clamp to [0, 1]; NaN and -0 become +0. */
static inline uint32_t f32_saturate(uint32_t u)
{
    return u <= F32_INF ? (u < 0x3f800000 ? u : 0x3f800000) : 0;
}

/* A NaN operand keeps its payload and becomes quiet; none: the default NaN. */
static inline uint64_t f64_is_nan(uint64_t u)
{
    return (u & ~F64_SIGN) > F64_INF;
}

/* A narrow format: p bits of significand with the hidden one, smallest normal exponent, and the
 * pattern of infinity (or, where there is none, the pattern after the largest number). */
struct softfp_format {
    int prec, emin;
    uint32_t inf;
};
#define SOFTFP_F16  ((struct softfp_format){11, -14, 0x7c00})
#define SOFTFP_BF16 ((struct softfp_format){8, -126, 0x7f80})
#define SOFTFP_TF32 ((struct softfp_format){11, -126, 0x3fc00})
#define SOFTFP_F32  ((struct softfp_format){24, -126, 0x7f800000})
#define SOFTFP_E5M2 ((struct softfp_format){3, -14, 0x7c})
#define SOFTFP_E4M3 ((struct softfp_format){4, -6, 0x7f})

/* Rounds the magnitude of a finite double to `f`; at or above f.inf means overflow before any
 * overflow rule. `away` rounds away from zero what is not exact (0 for RZ), `nearest` to nearest,
 * ties to even. */
static inline uint64_t softfp_round_mag(uint64_t mag, struct softfp_format f, bool nearest,
                                        bool away)
{
    const int64_t e = (int64_t)(mag >> 52) - 1023;
    const uint64_t sig = (mag & 0x000fffffffffffff) | 0x0010000000000000;
    const int64_t above = e - f.emin;
    const int64_t sh0 = 53 - f.prec + (above < 0 ? -above : 0);
    const uint64_t sh = (uint64_t)(sh0 > 60 ? 60 : sh0);
    const uint64_t q = sig >> sh, rem = sig & ((UINT64_C(1) << sh) - 1);
    const uint64_t half = UINT64_C(1) << (sh - 1);
    const uint64_t up_n = (rem > half) | ((rem == half) & q);
    const uint64_t up_a = rem != 0;
    const uint64_t up = nearest ? up_n & 1 : away ? up_a : 0;
    return ((uint64_t)(above > 0 ? above : 0) << (f.prec - 1)) + q + up;
}

/* A double, exact or rounded to odd, to a format with infinities. NaNs are the caller's affair. */
static inline uint32_t softfp_narrow(double v, struct softfp_format f, unsigned rnd)
{
    const uint64_t u = f64_bits(v), mag = u & ~F64_SIGN;
    const bool neg = u >> 63;
    const bool away = (rnd == LANE_RM && neg) || (rnd == LANE_RP && !neg);
    const uint64_t r = softfp_round_mag(mag, f, rnd == LANE_RN, away);
    const uint64_t over = rnd == LANE_RN || away ? f.inf : f.inf - 1;
    const uint64_t m = mag >= F64_INF ? f.inf : r >= f.inf ? over : mag ? r : 0;
    return (uint32_t)m;
}

/* x + y + (what was lost) to double rounded to odd, so that rounding again to a narrower format is
 * right in every mode. The host must round to nearest. */
static inline double softfp_add_odd(double x, double y)
{
    const double s = x + y, t = s - x;
    const double err = (x - (s - t)) + (y - t);
    const uint64_t u = f64_bits(s);
    /* Inexact, and the last bit is even: step towards the true sum. */
    const bool fix = (err != 0) & !(u & 1) & ((u & ~F64_SIGN) < F64_INF);
    const bool grow = (err > 0) == (s > 0);
    return f64_of(fix ? (grow ? u + 1 : u - 1) : u);
}

static inline uint32_t f16_to_f32_bits(uint32_t h)
{
    const uint32_t sign = (h & 0x8000) << 16, mag = h & 0x7fff;
    const uint32_t scaled = f32_bits(f32_of(mag << 13) * 0x1p112f);
    const uint32_t special = F32_INF | mag << 13;
    return sign | (mag >= 0x7c00 ? special : scaled);
}

static inline float f16_to_f32(uint32_t h)
{
    return f32_of(f16_to_f32_bits(h));
}

#endif
