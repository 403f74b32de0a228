/* Matrix products on unpacked elements, eight columns at a time. */
#include "exec/tensor_int.h"

#include <math.h>

enum { COLS = 8, GROUP = 8, KEPT_BITS = 25 };

typedef int32_t vec __attribute__((vector_size(COLS * 4)));
typedef uint32_t uvec __attribute__((vector_size(COLS * 4)));

/* Vectors go by pointer: not every level has registers to pass them in. */
static inline void load(vec *v, const int32_t *p)
{
    __builtin_memcpy(v, p, sizeof *v);
}

static inline void raise(vec *top, const vec *v)
{
    const vec m = *top > *v;
    *top = (*top & m) | (*v & ~m);
}

/* Adds sig * 2^up, cut off (towards zero) after a shift by `down`. */
static inline void add_aligned(vec *acc, const vec *sig, unsigned up, const vec *down)
{
    const vec neg = *sig >> 31;
    const vec far = *down > 31;
    const uvec mag = (uvec)((*sig ^ neg) - neg) << up;
    const uvec sh = (uvec)((*down & ~far) | (far & 31));
    const vec cut = (vec)((mag >> sh) & ~(uvec)far);
    *acc += (cut ^ neg) - neg;
}

static void store_sums(const vec acc[2], const vec *exp, double *sum)
{
    for (int i = 0; i < COLS; i++) {
        const int64_t e = (*exp)[i] < -900 ? 0 : (*exp)[i] - KEPT_BITS + 1023;
        const uint64_t bits = (uint64_t)e << 52;
        double scale;
        __builtin_memcpy(&scale, &bits, sizeof scale);
        sum[i] = ((double)acc[0][i] + (double)acc[1][i]) * scale;
    }
}

static void dot_columns(const struct tensor_dot *d, const int32_t *a_sig, const int32_t *a_exp,
                        size_t c_at, unsigned col)
{
    vec top, exp[16], sig, down, acc[2] = {{0}, {0}};
    load(&top, d->c_exp + c_at);
    const vec c_exp = top;
    for (unsigned k = 0; k < d->k; k++) {
        load(&exp[k], d->b_exp + (size_t)k * d->n + col);
        exp[k] += a_exp[k];
        raise(&top, &exp[k]);
    }
    load(&sig, d->c_sig + c_at);
    down = top - c_exp;
    add_aligned(&acc[0], &sig, KEPT_BITS - 23, &down);
    /* Eight products stay below 2^30, so two accumulators of 32 bits hold sixteen and c. */
    for (unsigned k = 0; k < d->k; k++) {
        load(&sig, d->b_sig + (size_t)k * d->n + col);
        sig *= a_sig[k];
        down = top - exp[k];
        add_aligned(&acc[k / GROUP], &sig, KEPT_BITS - d->frac, &down);
    }
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
