/* Matrix products on unpacked elements, eight columns at a time. */
#include "exec/lanes_loop.h"
#include "exec/softfp.h"
#include "exec/tensor_int.h"

#include <math.h>

enum { COLS = 8, GROUP = 8, KEPT_BITS = 25, FAR = 31 };

/* --- elements --- */

struct format {
    int exp_bits, frac_bits, bias;
    int shift; /* low bits of the raw element that are ignored (tf32) */
};

static const struct format f16 = {5, 10, 15, 0}, bf16 = {8, 7, 127, 0}, tf32 = {8, 10, 127, 13},
                           f32 = {8, 23, 127, 0};

/* The fields of element v. Subnormals keep the smallest exponent, for the hardware does not
 * normalise. An infinity or a NaN is a zero here: what it makes of a sum is found elsewhere. */
#define TOP(f)           ((1u << (f).exp_bits) - 1)
#define FIELD(v, f)      ((v) >> (f).frac_bits & TOP(f))
#define IS_SPECIAL(v, f) (u32)(FIELD(v, f) == TOP(f))
#define NEG(v, f)        (-(s32)((v) >> ((f).frac_bits + (f).exp_bits) & 1))
#define EXPONENT(v, f)   ((s32)(FIELD(v, f) + (u32)(FIELD(v, f) == 0)) - (f).bias)
#define FRACTION(v, f)   ((v) & ((1u << (f).frac_bits) - 1))
#define MAGNITUDE(v, f) \
    (s32)((FRACTION(v, f) | (u32)(FIELD(v, f) != 0) << (f).frac_bits) & (IS_SPECIAL(v, f) - 1))
#define SIGNED(mag, neg) (((mag) ^ (neg)) - (neg))

/* Elements as numbers: f16, and those that are floats whose lowest bits are cut off. */
#define NUMBER_F16(v, mag, e, f) \
    (float)SIGNED(mag, NEG(v, f)) * f32_of((u32)((e) - (f).frac_bits + 127) << 23)
#define NUMBER_CUT(v, mag, e, f) f32_of((v) << (23 - (f).frac_bits) & (0 - (u32)((mag) != 0)))

#define UNPACK(type, f, NUMBER)                                              \
    for (unsigned i = 0; i < n; i++) {                                       \
        const u32 v = (u32)((const type *)raw)[i] >> (f).shift;              \
        const s32 mag = MAGNITUDE(v, f), e = EXPONENT(v, f);                 \
        const s32 high = (s32)sel32(mag != 0, (u32)e, (u32)TENSOR_ZERO_EXP); \
        const s32 low = (s32)sel32(mag != 0, (u32)e, (u32)-TENSOR_ZERO_EXP); \
        value[i] = NUMBER(v, mag, e, f);                                     \
        exp[i] = (s16)high;                                                  \
        hi = high > hi ? high : hi;                                          \
        lo = low < lo ? low : lo;                                            \
        special |= IS_SPECIAL(v, f);                                         \
    }

static struct tensor_extent unpack(enum ptx_type type, const void *raw, unsigned bytes, unsigned n,
                                   float *restrict value, s16 *restrict exp)
{
    u32 special = 0;
    s32 lo = -TENSOR_ZERO_EXP, hi = TENSOR_ZERO_EXP;
    if (type == PTX_F16 && bytes == 2)
        UNPACK(u16, f16, NUMBER_F16)
    else if (type == PTX_F16)
        UNPACK(u32, f16, NUMBER_F16)
    else if (type == PTX_BF16 && bytes == 2)
        UNPACK(u16, bf16, NUMBER_CUT)
    else if (type == PTX_BF16)
        UNPACK(u32, bf16, NUMBER_CUT)
    else
        UNPACK(u32, tf32, NUMBER_CUT)
    return (struct tensor_extent){special, lo, hi};
}

#define UNPACK_SUM(type, f)                                            \
    for (unsigned i = 0; i < n; i++) {                                 \
        const u32 v = ((const type *)raw)[i];                          \
        const s32 mag = MAGNITUDE(v, f);                               \
        sig[i] = SIGNED(mag, NEG(v, f)) * (1 << (23 - (f).frac_bits)); \
        exp[i] = (s16)sel32(mag != 0, (u32)EXPONENT(v, f), (u32)-126); \
        special |= IS_SPECIAL(v, f);                                   \
    }

static bool unpack_sum(enum ptx_type type, const void *raw, unsigned n, s32 *restrict sig,
                       s16 *restrict exp)
{
    u32 special = 0;
    if (type == PTX_F16)
        UNPACK_SUM(u16, f16)
    else
        UNPACK_SUM(u32, f32)
    return special;
}

#define UNPACK_INT(type)             \
    for (unsigned i = 0; i < n; i++) \
        out[i] = (float)(((s32)((const type *)raw)[i] ^ sign) - sign);

static void unpack_int(enum ptx_type type, const void *raw, unsigned bytes, unsigned n,
                       float *restrict out)
{
    const bool is_signed = type == PTX_S8 || type == PTX_S4;
    const s32 sign = !is_signed ? 0 : type == PTX_S8 ? 128 : 8;
    if (bytes == 1)
        UNPACK_INT(u8)
    else
        UNPACK_INT(u32)
}

static inline u32 cut_f32(double v)
{
    const float near = (float)v;
    const double size = __builtin_fabs(v);
    const u32 too_far = (u32)((__builtin_fabs((double)near) > size) & (size < 0x1p128));
    return sel32(v != v, F32_NAN, f32_bits(near) - too_far);
}

static inline u32 round_f16(double v)
{
    const u32 mag = softfp_narrow(softfp_odd_f32(v), SOFTFP_F16, LANE_RN);
    return sel32(v != v, 0x7fff, mag | ((u32)(f64_bits(v) >> 48) & 0x8000));
}

static void narrow(enum ptx_type type, const double *restrict sum, unsigned n, void *d)
{
    u32 *restrict wide = d;
    u16 *restrict half = d;
    if (type == PTX_F32)
        for (unsigned i = 0; i < n; i++)
            wide[i] = cut_f32(sum[i]);
    else
        for (unsigned i = 0; i < n; i++)
            half[i] = (u16)round_f16(sum[i]);
}

/* --- products --- */

/* Eight columns of a row, at any address. */
typedef float v8f __attribute__((vector_size(4 * COLS), aligned(4), may_alias));
typedef s32 v8i __attribute__((vector_size(4 * COLS), aligned(4), may_alias));
typedef s16 v8h __attribute__((vector_size(2 * COLS), aligned(2), may_alias));

#define INLINE static inline __attribute__((always_inline))

INLINE void store_sums(const v8i *acc, const v8i *exp, double *restrict sum)
{
    s32 low[COLS], high[COLS], e[COLS];
    __builtin_memcpy(low, &acc[0], sizeof low);
    __builtin_memcpy(high, &acc[1], sizeof high);
    __builtin_memcpy(e, exp, sizeof e);
    for (int i = 0; i < COLS; i++) {
        const u32 field = (u32)(e[i] - KEPT_BITS + 1023);
        sum[i] = ((double)low[i] + (double)high[i]) * f64_of((u64)field << 52);
    }
}

/* What c adds: its significand 2^up higher, cut off (towards zero) where it lies below the top.
 * Magnitudes have less than 31 bits, so a shift by FAR leaves nothing. */
INLINE void add_aligned(v8i *acc, const v8i *sig, unsigned up, const v8i *below)
{
    for (int i = 0; i < COLS; i++) {
        const s32 neg = (*sig)[i] >> 31, down = (*below)[i];
        const u32 mag = (u32)(((*sig)[i] ^ neg) - neg) << up;
        const s32 cut = (s32)(mag >> (down < FAR ? down : FAR));
        (*acc)[i] += (cut ^ neg) - neg;
    }
}

/* The products of k in [from, to). A product is exact in a float; so is its multiple by a power of
 * two, `unit`, and the conversion to an integer cuts it off. */
INLINE void add_products(const struct tensor_dot *d, const float *a, unsigned col, unsigned from,
                         unsigned to, const v8f *unit, v8i *acc)
{
    const v8f u = *unit;
    v8i sum = *acc;
    for (unsigned k = from; k < to; k++) {
        const v8f product = *(const v8f *)(d->b + (size_t)k * d->n + col) * a[k];
        sum += __builtin_convertvector(product * u, v8i);
    }
    *acc = sum;
}

/* The same where a float does not hold the products, but a double does. */
INLINE void add_far_products(const struct tensor_dot *d, const float *a, unsigned col,
                             unsigned from, unsigned to, const v8i *top, v8i *acc)
{
    for (unsigned k = from; k < to; k++)
        for (int i = 0; i < COLS; i++) {
            const double unit = f64_of((u64)(KEPT_BITS - (*top)[i] + 1023) << 52);
            const double product = (double)a[k] * (double)d->b[(size_t)k * d->n + col + i];
            (*acc)[i] += (s32)(product * unit);
        }
}

/* Of the products and c, the largest exponent. */
INLINE void find_top(const struct tensor_dot *d, const s16 *a_exp, size_t c_at, unsigned col,
                     unsigned depth, v8i *out)
{
    v8h top = *(const v8h *)(d->c_exp + c_at);
    for (unsigned k = 0; k < depth; k++) {
        const v8h e = *(const v8h *)(d->b_exp + (size_t)k * d->n + col) + a_exp[k];
        const v8h more = e > top;
        top = (e & more) | (top & ~more);
    }
    *out = __builtin_convertvector(top, v8i);
}

/* 2^25 less the top. Where that is no float the top is so small that all products are 0. */
INLINE void unit_below(const v8i *top, v8f *unit)
{
    const v8i field = 127 + KEPT_BITS - *top, most = {254, 254, 254, 254, 254, 254, 254, 254};
    const v8i fits = field < most;
    *unit = (v8f)(((field & fits) | (most & ~fits)) << 23);
}

INLINE void dot_columns(const struct tensor_dot *d, const float *a, const s16 *a_exp, size_t c_at,
                        unsigned col, unsigned depth)
{
    v8i top, acc[2] = {{0}, {0}};
    v8f unit;
    find_top(d, a_exp, c_at, col, depth, &top);
    unit_below(&top, &unit);
    const v8i below = top - __builtin_convertvector(*(const v8h *)(d->c_exp + c_at), v8i);
    add_aligned(&acc[0], (const v8i *)(d->c_sig + c_at), KEPT_BITS - 23, &below);
    /* Eight products stay below 2^30, so two accumulators of 32 bits hold sixteen and c. */
    const unsigned half = depth < GROUP ? depth : GROUP;
    if (d->is_far) {
        add_far_products(d, a, col, 0, half, &top, &acc[0]);
        add_far_products(d, a, col, half, depth, &top, &acc[1]);
    } else {
        add_products(d, a, col, 0, half, &unit, &acc[0]);
        add_products(d, a, col, half, depth, &unit, &acc[1]);
    }
    store_sums(acc, &top, d->sum + c_at);
}

INLINE void dot_rows(const struct tensor_dot *d, unsigned depth)
{
    for (unsigned row = 0; row < d->m; row++)
        for (unsigned col = 0; col < d->n; col += COLS)
            dot_columns(d, d->a + (size_t)row * d->lda, d->a_exp + (size_t)row * d->lda,
                        (size_t)row * d->n + col, col, depth);
}

/* Loops of a length that the compiler knows are much faster. */
static void dot(const struct tensor_dot *d)
{
    if (d->k == 16)
        dot_rows(d, 16);
    else if (d->k == 8)
        dot_rows(d, 8);
    else
        dot_rows(d, d->k);
}

static void dot_f64(struct tensor_shape s, const double *a, const double *b, const double *c,
                    double *d)
{
    for (unsigned row = 0; row < s.m; row++) {
        double acc[COLS];
        __builtin_memcpy(acc, c + row * s.n, sizeof acc);
        for (unsigned k = 0; k < s.k; k++)
            for (int i = 0; i < COLS; i++)
                acc[i] = fma(a[row * s.k + k], b[k * s.n + i], acc[i]);
        __builtin_memcpy(d + row * s.n, acc, sizeof acc);
    }
}

static void dot_int(struct tensor_shape s, const float *a, const float *b, s32 *d)
{
    for (unsigned row = 0; row < s.m; row++)
        for (unsigned col = 0; col < s.n; col += COLS) {
            v8f acc = {0};
            for (unsigned k = 0; k < s.k; k++)
                acc += *(const v8f *)(b + (size_t)k * s.n + col) * a[(size_t)row * s.k + k];
            *(v8i *)(d + (size_t)row * s.n + col) = __builtin_convertvector(acc, v8i);
        }
}

static void add_int(const s32 *restrict sum, const s32 *restrict c, unsigned n, bool stops,
                    s32 *restrict d)
{
    const u32 may_stop = 0 - (u32)stops;
    for (unsigned i = 0; i < n; i++) {
        const u32 x = (u32)sum[i], y = (u32)c[i], z = x + y;
        const u32 overflows = (u32)((s32)((x ^ z) & (y ^ z)) >> 31) & may_stop;
        const u32 end = (u32)INT32_MAX + (y >> 31);
        d[i] = (s32)((z & ~overflows) | (end & overflows));
    }
}

const struct tensor_math MV(tensor_math) = {unpack,  unpack_sum, dot,     narrow,
                                            dot_f64, unpack_int, dot_int, add_int};
