/* Matrix products on unpacked elements, eight columns at a time. */
#include "exec/tensor_int.h"

#include <math.h>

enum { COLS = 8, GROUP = 8, KEPT_BITS = 25, FAR = 31 };

static inline void store_sums(const int32_t acc[2][COLS], const int32_t *exp, double *sum)
{
    for (int i = 0; i < COLS; i++) {
        const int64_t e = exp[i] < -900 ? 0 : exp[i] - KEPT_BITS + 1023;
        const uint64_t bits = (uint64_t)e << 52;
        double scale;
        __builtin_memcpy(&scale, &bits, sizeof scale);
        sum[i] = ((double)acc[0][i] + (double)acc[1][i]) * scale;
    }
}

/* acc += sig * 2^up, cut off (towards zero) after a shift by `down`. Magnitudes have less than 31
 * bits, so a shift by FAR leaves nothing. */
static inline void add_aligned(int32_t *acc, int32_t sig, unsigned up, int32_t down)
{
    const int32_t neg = sig >> 31;
    const uint32_t mag = (uint32_t)((sig ^ neg) - neg) << up;
    const int32_t cut = (int32_t)(mag >> (down < FAR ? down : FAR));
    *acc += (cut ^ neg) - neg;
}

/* Plain loops over eight columns, which become vectors. */
static inline void dot_columns(const struct tensor_dot *d, const int32_t *a_sig,
                               const int32_t *a_exp, size_t c_at, unsigned col)
{
    const unsigned up = KEPT_BITS - d->frac;
    int32_t top[COLS], acc[2][COLS] = {{0}, {0}};
    __builtin_memcpy(top, d->c_exp + c_at, sizeof top);
    for (unsigned k = 0; k < d->k; k++) {
        const int32_t *b_exp = d->b_exp + (size_t)k * d->n + col;
        for (int i = 0; i < COLS; i++) {
            const int32_t e = a_exp[k] + b_exp[i];
            top[i] = e > top[i] ? e : top[i];
        }
    }
    for (int i = 0; i < COLS; i++)
        add_aligned(&acc[0][i], d->c_sig[c_at + i], KEPT_BITS - 23, top[i] - d->c_exp[c_at + i]);
    /* Eight products stay below 2^30, so two accumulators of 32 bits hold sixteen and c. */
    for (unsigned k = 0; k < d->k; k++) {
        const int32_t *b_sig = d->b_sig + (size_t)k * d->n + col;
        const int32_t *b_exp = d->b_exp + (size_t)k * d->n + col;
        int32_t *sum = acc[k / GROUP];
        for (int i = 0; i < COLS; i++)
            add_aligned(&sum[i], a_sig[k] * b_sig[i], up, top[i] - (a_exp[k] + b_exp[i]));
    }
    store_sums(acc, top, d->sum + c_at);
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

static void dot_int(struct tensor_shape s, const int16_t *a, const int16_t *b, int32_t *d)
{
    for (unsigned row = 0; row < s.m; row++)
        for (unsigned col = 0; col < s.n; col += COLS) {
            int32_t acc[COLS] = {0};
            for (unsigned k = 0; k < s.k; k++)
                for (int i = 0; i < COLS; i++)
                    acc[i] += a[row * s.k + k] * b[k * s.n + col + i];
            __builtin_memcpy(d + row * s.n + col, acc, sizeof acc);
        }
}

const struct tensor_ops MV(tensor_ops) = {dot, dot_f64, dot_int};
