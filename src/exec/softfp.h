/* Floating-point formats as bits: fields, flushing, saturation, narrow formats.
 *
 * Everything here is branch-free or becomes so, to be used inside vector loops. */
#ifndef EXEC_SOFTFP_H
#define EXEC_SOFTFP_H

#include "exec/lanes.h"

/* c ? a : b without a branch: compilers turn a conditional of costly operands into one, which ends
 * the vector loop around it. */
static inline uint32_t sel32(bool c, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & (0 - (uint32_t)c));
}
static inline uint64_t sel64(bool c, uint64_t a, uint64_t b)
{
    return b ^ ((a ^ b) & (0 - (uint64_t)c));
}

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

/* A double as f32 bits rounded to odd: cut off, and the last bit tells of what was lost. Rounding
 * it again to a format of at most 22 bits within the range of f32 is right in every mode. */
static inline uint32_t softfp_odd_f32(double v)
{
    const float y = (float)v;
    const double back = (double)y;
    const uint32_t u = f32_bits(y);
    const uint32_t too_far = __builtin_fabs(back) > __builtin_fabs(v);
    return (u - too_far) | (back < v) | (back > v);
}

/* f32 bits, exact or rounded to odd, to the magnitude in a format with infinities (or the pattern
 * f.inf for overflow). NaNs are the caller's affair. */
static inline uint32_t softfp_narrow(uint32_t u, struct softfp_format f, unsigned rnd)
{
    const uint32_t mag = u & ~F32_SIGN, neg = u >> 31, field = mag >> 23;
    const uint32_t sig = (mag & 0x007fffff) | (uint32_t)(field != 0) << 23;
    const int32_t above = (int32_t)(field ? field : 1) - 127 - f.emin;
    const int32_t drop = 24 - f.prec - (above < 0 ? above : 0);
    const uint32_t sh = (uint32_t)(drop > 31 ? 31 : drop);
    const uint32_t q = sig >> sh, rem = sig & (((uint32_t)1 << sh) - 1);
    const uint32_t half = (uint32_t)1 << (sh - 1);
    const uint32_t nearest = (rem > half) | ((rem == half) & q & 1);
    const bool away = ((rnd == LANE_RM) & neg) | ((rnd == LANE_RP) & !neg);
    const uint32_t up = sel32(rnd == LANE_RN, nearest, (rem != 0) & away);
    const uint32_t r = ((uint32_t)(above > 0 ? above : 0) << (f.prec - 1)) + q + up;
    const uint32_t over = f.inf - !((rnd == LANE_RN) | away);
    return sel32(mag >= F32_INF, f.inf, sel32(r >= f.inf, over, r));
}

/* x + y + (what was lost) to double rounded to odd, so that rounding again to a narrower format is
 * right in every mode. The host must round to nearest. */
static inline double softfp_add_odd(double x, double y)
{
    const double s = x + y, t = s - x;
    const double err = (x - (s - t)) + (y - t);
    const uint64_t u = f64_bits(s);
    /* Inexact, and the last bit is even: one step in magnitude towards the true sum. Not a number
     * at infinity, the error fails the comparison. */
    const uint64_t inexact = 0 - (uint64_t)(__builtin_fabs(err) > 0), even = (u & 1) - 1;
    const uint64_t step = 1 - 2 * ((f64_bits(err) ^ u) >> 63);
    return f64_of(u + (step & inexact & even));
}

static inline uint32_t f16_to_f32_bits(uint32_t h)
{
    const uint32_t sign = (h & 0x8000) << 16, mag = h & 0x7fff;
    const uint32_t scaled = f32_bits(f32_of(mag << 13) * 0x1p112f);
    const uint32_t special = F32_INF | mag << 13;
    return sign | sel32(mag >= 0x7c00, special, scaled);
}

static inline float f16_to_f32(uint32_t h)
{
    return f32_of(f16_to_f32_bits(h));
}

/* f32 bits to f16 and bf16, to nearest even; NaN to the hardware's. */
static inline uint32_t f16_round(uint32_t u)
{
    const uint32_t m = u & ~F32_SIGN, sign = u >> 16 & 0x8000;
    const uint32_t normal = (m - 0x38000000 + 0xfff + (m >> 13 & 1)) >> 13;
    const uint32_t tiny = f32_bits(f32_of(m) + 0.5f) - 0x3f000000;
    const uint32_t h = sel32(m < 0x38800000, tiny, sel32(m >= 0x477ff000, 0x7c00, normal));
    return sel32(m > F32_INF, 0x7fff, sign | h);
}
static inline uint32_t bf16_round(uint32_t u)
{
    return sel32((u & ~F32_SIGN) > F32_INF, 0x7fff, (u + 0x7fff + (u >> 16 & 1)) >> 16);
}

#endif
