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

/* Splits n elements; the result is not 0 if an infinity or a NaN is among them. Subnormals keep the
 * smallest exponent: the hardware does not normalise. */
#define UNPACK(type, f)                                                           \
    do {                                                                          \
        const type *r = raw;                                                      \
        const u32 top = (1u << (f).exp_bits) - 1;                                 \
        for (unsigned i = 0; i < n; i++) {                                        \
            const u32 v = (u32)r[i] >> (f).shift, e = (v >> (f).frac_bits) & top; \
            const u32 frac = v & ((1u << (f).frac_bits) - 1);                     \
            const s32 mag = (s32)(frac | (u32)(e != 0) << (f).frac_bits);         \
            const s32 neg = -(s32)((v >> ((f).frac_bits + (f).exp_bits)) & 1);    \
            sig[i] = (mag ^ neg) - neg;                                           \
            exp[i] = mag ? (s32)(e ? e : 1) - (f).bias : TENSOR_ZERO_EXP;         \
            special |= (u32)(e == top);                                           \
        }                                                                         \
    } while (0)

static bool unpack(enum ptx_type type, const void *raw, unsigned n, float *restrict sig,
                   s32 *restrict exp)
{
    u32 special = 0;
    if (type == PTX_F16)
        UNPACK(u16, f16);
    else if (type == PTX_BF16)
        UNPACK(u16, bf16);
    else
        UNPACK(u32, tf32);
    return special;
}

static bool unpack_sum(enum ptx_type type, const void *raw, unsigned n, s32 *restrict sig,
                       s32 *restrict exp)
{
    u32 special = 0;
    if (type == PTX_F16)
        UNPACK(u16, f16);
    else
        UNPACK(u32, f32);
    const s32 scale = type == PTX_F16 ? 1 << 13 : 1;
    for (unsigned i = 0; i < n; i++) {
        sig[i] *= scale;
        exp[i] = sig[i] ? exp[i] : -126;
    }
    return special;
}

static void unpack_int(enum ptx_type type, const u8 *restrict raw, unsigned n, float *restrict out)
{
    const bool is_signed = type == PTX_S8 || type == PTX_S4;
    const s32 sign = !is_signed ? 0 : type == PTX_S8 ? 128 : 8;
    for (unsigned i = 0; i < n; i++)
        out[i] = (float)((raw[i] ^ sign) - sign);
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

static inline void store_sums(const v8i *acc, const v8i *exp, double *restrict sum)
{
    s32 low[COLS], high[COLS], e[COLS];
    __builtin_memcpy(low, &acc[0], sizeof low);
    __builtin_memcpy(high, &acc[1], sizeof high);
    __builtin_memcpy(e, exp, sizeof e);
    for (int i = 0; i < COLS; i++) {
        const u32 field = sel32(e[i] < -900, 0, (u32)(e[i] - KEPT_BITS + 1023));
        sum[i] = ((double)low[i] + (double)high[i]) * f64_of((u64)field << 52);
    }
}

/* The larger of each. */
static inline void raise(v8i *top, const v8i *e)
{
    const v8i more = *e > *top;
    *top = (*e & more) | (*top & ~more);
}

/* What c adds: its significand 2^up higher, cut off (towards zero) where it lies below the top.
 * Magnitudes have less than 31 bits, so a shift by FAR leaves nothing. */
static inline void add_aligned(v8i *acc, const v8i *sig, unsigned up, const v8i *below)
{
    for (int i = 0; i < COLS; i++) {
        const s32 neg = (*sig)[i] >> 31, down = (*below)[i];
        const u32 mag = (u32)(((*sig)[i] ^ neg) - neg) << up;
        const s32 cut = (s32)(mag >> (down < FAR ? down : FAR));
        (*acc)[i] += (cut ^ neg) - neg;
    }
}

/* The products of k in [from, to). A product of significands is exact in a float; so is its
 * multiple by a power of two, and the conversion to an integer cuts it off. `one` is the exponent
 * field of 1 in units of the last bit kept. */
static inline void add_products(const struct tensor_dot *d, const float *a_sig, const s32 *a_exp,
                                unsigned col, unsigned from, unsigned to, const v8i *one, v8i *acc)
{
    const v8i none = {0}, unit = *one;
    v8i sum = *acc;
    for (unsigned k = from; k < to; k++) {
        const size_t at = (size_t)k * d->n + col;
        v8i field = *(const v8i *)(d->b_exp + at) + a_exp[k] + unit;
        raise(&field, &none);
        const v8f cut = *(const v8f *)(d->b_sig + at) * a_sig[k] * (v8f)(field << 23);
        sum += __builtin_convertvector(cut, v8i);
    }
    *acc = sum;
}

static inline void dot_columns(const struct tensor_dot *d, const float *a_sig, const s32 *a_exp,
                               size_t c_at, unsigned col)
{
    const v8i c_exp = *(const v8i *)(d->c_exp + c_at);
    v8i top = c_exp, acc[2] = {{0}, {0}};
    for (unsigned k = 0; k < d->k; k++) {
        const v8i e = *(const v8i *)(d->b_exp + (size_t)k * d->n + col) + a_exp[k];
        raise(&top, &e);
    }
    const v8i below = top - c_exp, one = 127 + KEPT_BITS - (s32)d->frac - top;
    add_aligned(&acc[0], (const v8i *)(d->c_sig + c_at), KEPT_BITS - 23, &below);
    /* Eight products stay below 2^30, so two accumulators of 32 bits hold sixteen and c. */
    const unsigned half = d->k < GROUP ? d->k : GROUP;
    add_products(d, a_sig, a_exp, col, 0, half, &one, &acc[0]);
    add_products(d, a_sig, a_exp, col, half, d->k, &one, &acc[1]);
    store_sums(acc, &top, d->sum + c_at);
}

static void dot(const struct tensor_dot *d)
{
    for (unsigned row = 0; row < d->m; row++)
        for (unsigned col = 0; col < d->n; col += COLS)
            dot_columns(d, d->a_sig + (size_t)row * d->lda, d->a_exp + (size_t)row * d->lda,
                        (size_t)row * d->n + col, col);
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

const struct tensor_ops MV(tensor_ops) = {unpack,  unpack_sum, dot,    narrow,
                                          dot_f64, unpack_int, dot_int};
