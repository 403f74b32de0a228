/* Conversions.
 *
 * Integers to integers have a loop each. All else goes through an array of doubles, which hold
 * every source exactly, or rounded to odd where a 64-bit integer does not fit, so that the one
 * rounding to the destination is right in every mode. Common flavours have short cuts. */
#include "exec/lanes_loop.h"
#include "exec/softfp.h"

/* Y(NAME, type, storage): 8-bit values live in 16-bit elements. */
#define INTS(Y)      \
    Y(U8, u8, u16)   \
    Y(S8, s8, u16)   \
    Y(U16, u16, u16) \
    Y(S16, s16, u16) Y(U32, u32, u32) Y(S32, s32, u32) Y(U64, u64, u64) Y(S64, s64, u64)

#define MIN_u8  0
#define MAX_u8  UINT8_MAX
#define MIN_s8  INT8_MIN
#define MAX_s8  INT8_MAX
#define MIN_u16 0
#define MAX_u16 UINT16_MAX
#define MIN_s16 INT16_MIN
#define MAX_s16 INT16_MAX
#define MIN_u32 0
#define MAX_u32 UINT32_MAX
#define MIN_s32 INT32_MIN
#define MAX_s32 INT32_MAX
#define MIN_u64 0
#define MAX_u64 UINT64_MAX
#define MIN_s64 INT64_MIN
#define MAX_s64 INT64_MAX

/* Comparison with the limits as C integers do not do it: by value, whatever the signs. */
#define BELOW(v, T) ((v) < 0 && (MIN_##T == 0 || (s64)(v) < (s64)MIN_##T))
#define ABOVE(v, T) ((v) > 0 && (u64)(v) > (u64)MAX_##T)
#define CLAMP(v, T) (BELOW(v, T) ? (T)MIN_##T : ABOVE(v, T) ? (T)MAX_##T : (T)(v))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits"
#define INT_INT(S, s, ss, D, d, ds)          \
    LANE_FN1(int_##d##_##s, ds, ss, (d)(s)x) \
    LANE_FN1(sat_##d##_##s, ds, ss, CLAMP((s)x, d))
#define FROM_U8(D, d, ds)  INT_INT(U8, u8, u16, D, d, ds)
#define FROM_S8(D, d, ds)  INT_INT(S8, s8, u16, D, d, ds)
#define FROM_U16(D, d, ds) INT_INT(U16, u16, u16, D, d, ds)
#define FROM_S16(D, d, ds) INT_INT(S16, s16, u16, D, d, ds)
#define FROM_U32(D, d, ds) INT_INT(U32, u32, u32, D, d, ds)
#define FROM_S32(D, d, ds) INT_INT(S32, s32, u32, D, d, ds)
#define FROM_U64(D, d, ds) INT_INT(U64, u64, u64, D, d, ds)
#define FROM_S64(D, d, ds) INT_INT(S64, s64, u64, D, d, ds)
INTS(FROM_U8)
INTS(FROM_S8)
INTS(FROM_U16)
INTS(FROM_S16)
INTS(FROM_U32)
INTS(FROM_S32)
INTS(FROM_U64)
INTS(FROM_S64)
#pragma GCC diagnostic pop

/* Sources as doubles. */
#define LOAD(name, T, EXPR)                                                         \
    static void load_##name(const struct lane_op *op, char *const *base, double *v) \
    {                                                                               \
        const T *xs = (const T *)lane_at(&op->src[0], base);                        \
        LANE_FOR                                                                    \
        {                                                                           \
            const T x = xs[l];                                                      \
            v[l] = (EXPR);                                                          \
        }                                                                           \
    }
/* 53 bits of a magnitude, the last one telling of lost ones. */
static inline double odd_u64(u64 m)
{
    const u64 lost = m & 0x7ff;
    return (double)(m >> 53 ? (m & ~(u64)0x7ff) | (u64)(lost != 0) << 11 : m);
}
static inline double odd_s64(s64 x)
{
    const double m = odd_u64(x < 0 ? 0 - (u64)x : (u64)x);
    return x < 0 ? -m : m;
}
LOAD(u8, u16, (double)(s32)(u8)x)
LOAD(s8, u16, (double)(s8)x)
LOAD(u16, u16, (double)(s32)x)
LOAD(s16, u16, (double)(s16)x)
LOAD(u32, u32, (double)(s32)(x ^ 0x80000000) + 0x1p31)
LOAD(s32, u32, (double)(s32)x)
LOAD(u64, u64, odd_u64(x))
LOAD(s64, u64, odd_s64((s64)x))
LOAD(f16, u16, (double)f16_to_f32(x))
LOAD(bf16, u16, (double)f32_of((u32)x << 16))
LOAD(f32_plain, u32, (double)f32_of(x))
LOAD(f32_ftz, u32, (double)f32_of(f32_flush(f32_canon(x))))
LOAD(f64, u64, f64_of(x))
static void load_f32(const struct lane_op *op, char *const *base, double *v)
{
    if (op->ftz)
        load_f32_ftz(op, base, v);
    else
        load_f32_plain(op, base, v);
}

/* .rni .rzi .rmi .rpi, in op->mode; 0 = none. */
static void round_integral(const struct lane_op *op, double *v)
{
    switch (op->mode) {
    case PTX_M_RNI:
        LANE_FOR v[l] = __builtin_rint(v[l]);
        break;
    case PTX_M_RZI:
        LANE_FOR v[l] = __builtin_trunc(v[l]);
        break;
    case PTX_M_RMI:
        LANE_FOR v[l] = __builtin_floor(v[l]);
        break;
    case PTX_M_RPI:
        LANE_FOR v[l] = __builtin_ceil(v[l]);
        break;
    default:
        break;
    }
}

/* Clamps to [0, 1], NaN to 0; relu: to [0, ...), NaN stays. */
static void clamp_range(const struct lane_op *op, double *v)
{
    if (op->sat)
        LANE_FOR v[l] = v[l] > 0 ? (v[l] < 1 ? v[l] : 1) : 0;
    if (op->flag)
        LANE_FOR v[l] = v[l] <= 0 ? 0 : v[l];
}

/* Doubles to a narrow format. op->imm is the largest finite pattern if the result is .satfinite. */
static inline void narrow(const struct lane_op *op, const double *v, u32 *r, struct softfp_format f,
                          u32 sign, u32 nan)
{
    const unsigned rnd = op->rnd;
    const u32 limit = op->imm ? op->imm : UINT32_MAX;
    LANE_FOR
    {
        const u32 m = softfp_narrow(softfp_odd_f32(v[l]), f, rnd);
        const u32 s = sel32(f64_bits(v[l]) >> 63, sign, 0);
        r[l] = sel32(v[l] != v[l], nan, s | (m > limit ? limit : m));
    }
}

static void narrow_f16(const struct lane_op *op, const double *v, u32 *r)
{
    narrow(op, v, r, SOFTFP_F16, 0x8000, 0x7fff);
}
/* From f64: the NaN's sign and the top of its payload stay. */
static void narrow_f16_f64(const struct lane_op *op, const double *v, u32 *r)
{
    narrow_f16(op, v, r);
    LANE_FOR
    {
        const u64 u = f64_bits(v[l]);
        const u32 nan = (u32)(u >> 48 & 0x8000) | 0x7e00 | (u32)(u >> 42 & 0x1ff);
        r[l] = sel32(v[l] != v[l], nan, r[l]);
    }
}
static void narrow_bf16(const struct lane_op *op, const double *v, u32 *r)
{
    narrow(op, v, r, SOFTFP_BF16, 0x8000, 0x7fff);
}
static void narrow_tf32(const struct lane_op *op, const double *v, u32 *r)
{
    narrow(op, v, r, SOFTFP_TF32, 0x40000, 0x3ffff);
    LANE_FOR r[l] <<= 13;
}
static void narrow_e4m3(const struct lane_op *op, const double *v, u32 *r)
{
    narrow(op, v, r, SOFTFP_E4M3, 0x80, 0x7f);
}
static void narrow_e5m2(const struct lane_op *op, const double *v, u32 *r)
{
    narrow(op, v, r, SOFTFP_E5M2, 0x80, 0x7f);
}

/* Doubles to f32 in op->rnd: round to nearest, then step back where that went too far. */
static void narrow_f32(const struct lane_op *op, const double *v, u32 *r)
{
    const bool down = op->rnd == LANE_RM, up = op->rnd == LANE_RP, zero = op->rnd == LANE_RZ;
    LANE_FOR
    {
        const float y = (float)v[l];
        const u32 u = f32_bits(y);
        const bool neg = u >> 31;
        const bool too_big = (double)y > v[l], too_small = (double)y < v[l];
        const bool back = ((down | (zero & !neg)) & too_big) | ((up | (zero & neg)) & too_small);
        /* Towards zero is one less in magnitude, whatever the exponent. */
        const bool shrink = too_big != neg;
        r[l] = back ? (shrink ? u - 1 : u + 1) : u;
    }
    if (op->ftz)
        LANE_FOR r[l] = f32_flush(r[l]);
}

typedef void (*load_fn)(const struct lane_op *op, char *const *base, double *v);
typedef void (*narrow_fn)(const struct lane_op *op, const double *v, u32 *r);

static inline void to_narrow(LANE_ARGS, load_fn load, narrow_fn to, bool canon_f32, bool wide)
{
    double v[WARP_LANES];
    u32 r[WARP_LANES];
    load(op, base, v);
    round_integral(op, v);
    clamp_range(op, v);
    to(op, v, r);
    if (canon_f32)
        LANE_FOR r[l] = f32_canon(r[l]);
    if (wide) {
        u32 *d = (u32 *)lane_at(&op->d, base);
        LANE_STORE(u32, d, mask, r[l]);
    } else {
        u16 *d = (u16 *)lane_at(&op->d, base);
        LANE_STORE(u16, d, mask, r[l]);
    }
}

static inline void to_f64(LANE_ARGS, load_fn load)
{
    u64 *d = (u64 *)lane_at(&op->d, base);
    double v[WARP_LANES];
    load(op, base, v);
    round_integral(op, v);
    clamp_range(op, v);
    /* Rounding may have left a signalling NaN alone. */
    LANE_STORE(u64, d, mask,
               f64_is_nan(f64_bits(v[l])) ? f64_bits(v[l]) | F64_QBIT : f64_bits(v[l]));
}

/* 64-bit integers to double, in op->rnd. */
static inline double round_u64(u64 m, bool nearest, bool away)
{
    if (m >> 53 == 0)
        return (double)m;
    const int sh = 11 - __builtin_clzll(m);
    const u64 rem = m & ((UINT64_C(1) << sh) - 1), half = UINT64_C(1) << (sh - 1);
    u64 q = m >> sh;
    q += nearest ? (rem > half) | ((rem == half) & q & 1) : away & (rem != 0);
    return (double)q * (double)(UINT64_C(1) << sh);
}
static inline u64 round_s64(const struct lane_op *op, bool neg, u64 m)
{
    const bool away = op->rnd == (neg ? LANE_RM : LANE_RP);
    double v = round_u64(m, op->rnd == LANE_RN, away);
    v = neg ? -v : v;
    if (op->sat)
        v = v > 0 ? (v < 1 ? v : 1) : 0;
    return f64_bits(v);
}
static void any_f64_u64(LANE_ARGS)
{
    u64 *d = (u64 *)lane_at(&op->d, base);
    const u64 *xs = (const u64 *)lane_at(&op->src[0], base);
    LANE_STORE(u64, d, mask, round_s64(op, false, xs[l]));
}
static void any_f64_s64(LANE_ARGS)
{
    u64 *d = (u64 *)lane_at(&op->d, base);
    const u64 *xs = (const u64 *)lane_at(&op->src[0], base);
    LANE_STORE(u64, d, mask, round_s64(op, xs[l] >> 63, xs[l] >> 63 ? 0 - xs[l] : xs[l]));
}

/* Doubles to integers: beyond the range is the nearest end. A NaN is zero, but where the hardware
 * works in 64 bits (the source or the destination has them) only the top bit is set; `odd_nan`. */
#define TO_INT(t, LOW, HIGH, NARROW)                                           \
    static inline void to_##t(LANE_ARGS, load_fn load, bool odd_nan)           \
    {                                                                          \
        u##NARROW *d = (u##NARROW *)lane_at(&op->d, base);                     \
        const t nan = odd_nan ? (t)(UINT64_C(1) << (8 * sizeof(t) - 1)) : 0;   \
        double v[WARP_LANES];                                                  \
        load(op, base, v);                                                     \
        round_integral(op, v);                                                 \
        LANE_STORE(u##NARROW, d, mask, ({                                      \
                       const double x = v[l];                                  \
                       const double y = x > LOW ? (x < HIGH ? x : HIGH) : LOW; \
                       x != x ? nan : (t)INTEGER_##t(y);                       \
                   }));                                                        \
    }
#define INTEGER_u8(y)  (s32)(y)
#define INTEGER_s8(y)  (s32)(y)
#define INTEGER_u16(y) (s32)(y)
#define INTEGER_s16(y) (s32)(y)
#define INTEGER_s32(y) (s32)(y)
#define INTEGER_u32(y) ((u32)(s32)((y)-0x1p31) ^ 0x80000000)
TO_INT(u8, 0.0, 255.0, 16)
TO_INT(s8, -128.0, 127.0, 16)
TO_INT(u16, 0.0, 65535.0, 16)
TO_INT(s16, -32768.0, 32767.0, 16)
TO_INT(u32, 0.0, 4294967295.0, 32)
TO_INT(s32, -2147483648.0, 2147483647.0, 32)

static inline u64 clamp_s64(double x)
{
    if (x != x)
        return F64_SIGN;
    return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? F64_SIGN : (u64)(s64)x;
}
static inline u64 clamp_u64(double x)
{
    if (x != x)
        return F64_SIGN;
    return x >= 0x1p64 ? UINT64_MAX : x < 0 ? 0 : (u64)x;
}
static inline void to_u64(LANE_ARGS, load_fn load, bool odd_nan)
{
    u64 *d = (u64 *)lane_at(&op->d, base);
    double v[WARP_LANES];
    (void)odd_nan;
    load(op, base, v);
    round_integral(op, v);
    LANE_STORE(u64, d, mask, clamp_u64(v[l]));
}
static inline void to_s64(LANE_ARGS, load_fn load, bool odd_nan)
{
    u64 *d = (u64 *)lane_at(&op->d, base);
    double v[WARP_LANES];
    (void)odd_nan;
    load(op, base, v);
    round_integral(op, v);
    LANE_STORE(u64, d, mask, clamp_s64(v[l]));
}

#define ANY(name, CALL)               \
    static void any_##name(LANE_ARGS) \
    {                                 \
        CALL;                         \
    }
#define TO_FLOATS(s, TO_F16, CANON)                                               \
    ANY(f16_##s, to_narrow(op, base, mask, load_##s, TO_F16, false, false))       \
    ANY(bf16_##s, to_narrow(op, base, mask, load_##s, narrow_bf16, false, false)) \
    ANY(f32_##s, to_narrow(op, base, mask, load_##s, narrow_f32, CANON, true))
TO_FLOATS(u8, narrow_f16, false)
TO_FLOATS(s8, narrow_f16, false)
TO_FLOATS(u16, narrow_f16, false)
TO_FLOATS(s16, narrow_f16, false)
TO_FLOATS(u32, narrow_f16, false)
TO_FLOATS(s32, narrow_f16, false)
TO_FLOATS(u64, narrow_f16, false)
TO_FLOATS(s64, narrow_f16, false)
TO_FLOATS(f16, narrow_f16, true)
TO_FLOATS(bf16, narrow_f16, false)
TO_FLOATS(f32, narrow_f16, true)
TO_FLOATS(f64, narrow_f16_f64, false)
#define FLOATS(Y) Y(F16, f16, u16) Y(BF16, bf16, u16) Y(F32, f32, u32) Y(F64, f64, u64)

#define TO_DOUBLE(s) ANY(f64_##s, to_f64(op, base, mask, load_##s))
TO_DOUBLE(u8)
TO_DOUBLE(s8)
TO_DOUBLE(u16)
TO_DOUBLE(s16)
TO_DOUBLE(u32)
TO_DOUBLE(s32)
TO_DOUBLE(f16)
TO_DOUBLE(bf16)
TO_DOUBLE(f32)
TO_DOUBLE(f64)

#define FROM_FLOATS(D, d, ds)                               \
    ANY(d##_f16, to_##d(op, base, mask, load_f16, false))   \
    ANY(d##_bf16, to_##d(op, base, mask, load_bf16, false)) \
    ANY(d##_f32, to_##d(op, base, mask, load_f32, false))   \
    ANY(d##_f64, to_##d(op, base, mask, load_f64, true))
INTS(FROM_FLOATS)

/* f32 to tf32 rounds half away by adding to the bits; infinities and NaNs are only cut. */
static inline u32 rna_tf32(u32 x)
{
    return (x + sel32((x & ~F32_SIGN) < F32_INF, 0x1000, 0)) & ~(u32)0x1fff;
}
LANE_FN1(rna_tf32_f32, u32, u32, rna_tf32(x))
ANY(tf32_f32, to_narrow(op, base, mask, load_f32, narrow_tf32, false, true))

/* d = {a, b}: a converts to the upper half. */
static inline void to_pair(LANE_ARGS, load_fn load, narrow_fn to, unsigned bits)
{
    double v[WARP_LANES];
    u32 hi[WARP_LANES], lo[WARP_LANES];
    struct lane_op low = *op;
    low.src[0] = op->src[1];
    load(op, base, v);
    clamp_range(op, v);
    to(op, v, hi);
    load(&low, base, v);
    clamp_range(op, v);
    to(op, v, lo);
    if (bits == 16) {
        u32 *d = (u32 *)lane_at(&op->d, base);
        LANE_STORE(u32, d, mask, hi[l] << 16 | lo[l]);
    } else {
        u16 *d = (u16 *)lane_at(&op->d, base);
        LANE_STORE(u16, d, mask, hi[l] << 8 | lo[l]);
    }
}
ANY(f16x2_f32, to_pair(op, base, mask, load_f32, narrow_f16, 16))
ANY(bf16x2_f32, to_pair(op, base, mask, load_f32, narrow_bf16, 16))
ANY(e4m3x2_f32, to_pair(op, base, mask, load_f32, narrow_e4m3, 8))
ANY(e5m2x2_f32, to_pair(op, base, mask, load_f32, narrow_e5m2, 8))

/* A packed pair of halves to a pair of bytes. */
static inline void halves_to_bytes(LANE_ARGS, narrow_fn to)
{
    u16 *d = (u16 *)lane_at(&op->d, base);
    const u32 *xs = (const u32 *)lane_at(&op->src[0], base);
    double v[WARP_LANES];
    u32 hi[WARP_LANES], lo[WARP_LANES];
    LANE_FOR v[l] = (double)f16_to_f32(xs[l] >> 16);
    clamp_range(op, v);
    to(op, v, hi);
    LANE_FOR v[l] = (double)f16_to_f32(xs[l] & 0xffff);
    clamp_range(op, v);
    to(op, v, lo);
    LANE_STORE(u16, d, mask, hi[l] << 8 | lo[l]);
}
ANY(e4m3x2_f16x2, halves_to_bytes(op, base, mask, narrow_e4m3))
ANY(e5m2x2_f16x2, halves_to_bytes(op, base, mask, narrow_e5m2))

/* Bytes to halves are exact. */
static inline u32 half_of_e5m2(u32 b)
{
    return (b & 0x7f) > 0x7c ? 0x7fff : b << 8;
}
static inline u32 half_of_e4m3(u32 b)
{
    /* As a float with the exponent too small, scaled up: subnormals become normal by themselves. */
    const u32 mag = b & 0x7f, sign = (b & 0x80) << 8;
    const u32 f = f32_bits(f32_of(mag << 20) * 0x1p120f);
    const u32 h = (f >> 13) - ((127 - 15) << 10);
    return mag == 0x7f ? 0x7fff : sign | (mag ? h : 0);
}
static inline u32 relu_half(u32 h, bool relu)
{
    return relu && (h & 0x8000) ? 0 : h;
}
LANE_FN1(any_f16x2_e5m2x2, u32, u16,
         relu_half(half_of_e5m2(x & 0xff), op->flag) | relu_half(half_of_e5m2(x >> 8), op->flag)
                                                           << 16)
LANE_FN1(any_f16x2_e4m3x2, u32, u16,
         relu_half(half_of_e4m3(x & 0xff), op->flag) | relu_half(half_of_e4m3(x >> 8), op->flag)
                                                           << 16)

/* Short cuts for what programs use most; plain: to nearest, no flags. */
LANE_FN1(f32_s32, u32, s32, f32_bits((float)x))
LANE_FN1(f32_u32, u32, u32, f32_bits((float)x))
LANE_FN1(f64_s32, u64, s32, f64_bits((double)x))
LANE_FN1(f64_u32, u64, u32, f64_bits((double)(s32)(x ^ 0x80000000) + 0x1p31))
LANE_FN1(f64_f32, u64, u32, f64_bits((double)f32_of(x)))
LANE_FN1(f32_f64, u32, u64, f32_bits((float)f64_of(x)))
LANE_FN1(f32_f16, u32, u16, f32_canon(f16_to_f32_bits(x)))
LANE_FN1(f32_bf16, u32, u16, (u32)x << 16)
LANE_FN1(f16_f32, u16, u32, f16_round(x))
LANE_FN1(bf16_f32, u16, u32, bf16_round(x))
LANE_FN2(f16x2_f32, u32, u32, u32, f16_round(x) << 16 | f16_round(y))
LANE_FN2(bf16x2_f32, u32, u32, u32, bf16_round(x) << 16 | bf16_round(y))
LANE_FN1(f32_f32, u32, u32, x)
LANE_FN1(sat_f32_f32, u32, u32, f32_saturate(x))

static inline u32 int_f32(float x, float y)
{
    const int high = x >= 0x1p31f;
    const float c = (high | (y != y)) ? 0 : y < -0x1p31f ? -0x1p31f : y;
    return high ? INT32_MAX : (u32)(s32)c;
}
LANE_FN1(rzi_s32_f32, u32, u32, int_f32(f32_of(x), f32_of(x)))
LANE_FN1(rni_s32_f32, u32, u32, int_f32(f32_of(x), __builtin_rintf(f32_of(x))))
LANE_FN1(rmi_s32_f32, u32, u32, int_f32(f32_of(x), __builtin_floorf(f32_of(x))))
LANE_FN1(rmi_f32_f32, u32, u32, f32_canon(f32_bits(__builtin_floorf(f32_of(x)))))
LANE_FN1(rni_f32_f32, u32, u32, f32_canon(f32_bits(__builtin_rintf(f32_of(x)))))
LANE_FN1(rzi_f32_f32, u32, u32, f32_canon(f32_bits(__builtin_truncf(f32_of(x)))))
LANE_FN1(rpi_f32_f32, u32, u32, f32_canon(f32_bits(__builtin_ceilf(f32_of(x)))))

/* clang-format off */
#define INT_ROW(S, s, D, d) \
    LANE_ROW(CVT, D, S, 0, int_##d##_##s), LANE_ROW(CVT, D, S, LV_SAT, sat_##d##_##s),
#define INT_ROWS(D, d, ds) \
    INT_ROW(U8, u8, D, d) INT_ROW(S8, s8, D, d) INT_ROW(U16, u16, D, d) INT_ROW(S16, s16, D, d) \
    INT_ROW(U32, u32, D, d) INT_ROW(S32, s32, D, d) INT_ROW(U64, u64, D, d) INT_ROW(S64, s64, D, d) \
    LANE_ROW(CVT, D, F16, LV_ANY, any_##d##_f16), LANE_ROW(CVT, D, BF16, LV_ANY, any_##d##_bf16), \
    LANE_ROW(CVT, D, F32, LV_ANY, any_##d##_f32), LANE_ROW(CVT, D, F64, LV_ANY, any_##d##_f64),
#define FLOAT_ROWS(S, s, ss) \
    LANE_ROW(CVT, F16, S, LV_ANY, any_f16_##s), LANE_ROW(CVT, BF16, S, LV_ANY, any_bf16_##s), \
    LANE_ROW(CVT, F32, S, LV_ANY, any_f32_##s), LANE_ROW(CVT, F64, S, LV_ANY, any_f64_##s),
/* clang-format on */

const struct lane_entry MV(lanes_cvt)[] = {
    INTS(INT_ROWS) INTS(FLOAT_ROWS) FLOATS(FLOAT_ROWS)
        LANE_ROW(CVT, TF32, F32, PTX_M_RNA, rna_tf32_f32),
    LANE_ROW(CVT, TF32, F32, LV_ANY, any_tf32_f32),
    LANE_ROW(CVT, F16X2, F32, LV_ANY, any_f16x2_f32),
    LANE_ROW(CVT, BF16X2, F32, LV_ANY, any_bf16x2_f32),
    LANE_ROW(CVT, E4M3X2, F32, LV_ANY, any_e4m3x2_f32),
    LANE_ROW(CVT, E5M2X2, F32, LV_ANY, any_e5m2x2_f32),
    LANE_ROW(CVT, E4M3X2, F16X2, LV_ANY, any_e4m3x2_f16x2),
    LANE_ROW(CVT, E5M2X2, F16X2, LV_ANY, any_e5m2x2_f16x2),
    LANE_ROW(CVT, F16X2, E4M3X2, LV_ANY, any_f16x2_e4m3x2),
    LANE_ROW(CVT, F16X2, E5M2X2, LV_ANY, any_f16x2_e5m2x2),
    LANE_ROW(CVT, F32, S32, 0, f32_s32),
    LANE_ROW(CVT, F32, U32, 0, f32_u32),
    LANE_ROW(CVT, F64, S32, 0, f64_s32),
    LANE_ROW(CVT, F64, U32, 0, f64_u32),
    LANE_ROW(CVT, F64, F32, 0, f64_f32),
    LANE_ROW(CVT, F32, F64, 0, f32_f64),
    LANE_ROW(CVT, F32, F16, 0, f32_f16),
    LANE_ROW(CVT, F32, BF16, 0, f32_bf16),
    LANE_ROW(CVT, F16, F32, 0, f16_f32),
    LANE_ROW(CVT, BF16, F32, 0, bf16_f32),
    LANE_ROW(CVT, F16X2, F32, 0, f16x2_f32),
    LANE_ROW(CVT, BF16X2, F32, 0, bf16x2_f32),
    LANE_ROW(CVT, F32, F32, 0, f32_f32),
    LANE_ROW(CVT, F32, F32, LV_SAT, sat_f32_f32),
    LANE_ROW(CVT, S32, F32, PTX_M_RZI, rzi_s32_f32),
    LANE_ROW(CVT, S32, F32, PTX_M_RNI, rni_s32_f32),
    LANE_ROW(CVT, S32, F32, PTX_M_RMI, rmi_s32_f32),
    LANE_ROW(CVT, F32, F32, PTX_M_RMI, rmi_f32_f32),
    LANE_ROW(CVT, F32, F32, PTX_M_RNI, rni_f32_f32),
    LANE_ROW(CVT, F32, F32, PTX_M_RZI, rzi_f32_f32),
    LANE_ROW(CVT, F32, F32, PTX_M_RPI, rpi_f32_f32),
    {0},
};
