/* D = A B + C in every type, as an H200 computes it. */
#include "exec/softfp.h"
#include "exec/tensor_int.h"

#include <math.h>
#include <string.h>

#define X(level) [CPU_##level] = &tensor_math_##level,
static const struct tensor_math *const all_math[] = {CPU_LEVELS(X)};
#undef X

const struct tensor_math *tensor_math_get(void)
{
    return all_math[cpu_level()];
}

/* --- what an instruction is --- */

static bool is_fp8(enum ptx_type t)
{
    return t == PTX_E4M3 || t == PTX_E5M2;
}

static int kind_of(const enum ptx_type t[4], struct tensor_shape s, bool is_wmma)
{
    const enum ptx_type d = t[0], a = t[1], b = t[2], c = t[3];
    const bool half_or_single = (d == PTX_F16 || d == PTX_F32) && (c == PTX_F16 || c == PTX_F32);
    if (a == PTX_F16 && b == a && half_or_single)
        return !is_wmma && s.m == 8 && s.n == 8 && s.k == 4 ? TENSOR_QUAD : TENSOR_FLOAT;
    if ((a == PTX_BF16 || a == PTX_TF32) && b == a && d == PTX_F32 && c == d)
        return TENSOR_FLOAT;
    if (is_fp8(a) && is_fp8(b) && half_or_single && c == d)
        return TENSOR_FP8;
    if (a == PTX_F64 && b == a && c == a && d == a)
        return TENSOR_DOUBLE;
    if (d != PTX_S32 || c != d)
        return -1;
    if (a == PTX_B1 && b == a)
        return TENSOR_BITS;
    const bool narrow = (a == PTX_S8 || a == PTX_U8) && (b == PTX_S8 || b == PTX_U8);
    const bool nibble = (a == PTX_S4 || a == PTX_U4) && (b == PTX_S4 || b == PTX_U4);
    return narrow || nibble ? TENSOR_INT : -1;
}

/* How deep one instruction can be: the fused sum has at most 16 products. */
static bool depth_fits(int kind, unsigned k)
{
    return kind == TENSOR_FLOAT ? k <= 16 : kind == TENSOR_FP8 ? k <= 32 : true;
}

bool tensor_mma_init(struct tensor_mma *mma, struct tensor_shape shape, const enum ptx_type t[4],
                     bool is_wmma, bool a_row, bool b_row, const char **why)
{
    const int kind = kind_of(t, shape, is_wmma);
    const struct tensor_strides by_k = {shape.k, 1}, by_n = {shape.n, 1};
    *mma = (struct tensor_mma){.kind = (uint8_t)kind, .shape = shape};
    if (kind < 0 || !shape.k || !depth_fits(kind, shape.k)) {
        *why = "matrix types or shape are not supported";
        return false;
    }
    if (kind == TENSOR_QUAD) {
        tensor_frag_init_quad(&mma->a, TENSOR_A, t[1], a_row, by_k);
        tensor_frag_init_quad(&mma->b, TENSOR_B, t[2], b_row, by_n);
        tensor_frag_init_quad(&mma->c, TENSOR_C, t[3], true, by_n);
        tensor_frag_init_quad(&mma->d, TENSOR_C, t[0], true, by_n);
        return true;
    }
    /* The wmma of tf32 is made of the older, shorter instruction. */
    mma->step_k = is_wmma && t[1] == PTX_TF32 ? 4 : shape.k;
    if (t[1] == PTX_B1)
        mma->shape.k /= 32;
    const struct tensor_strides by_words = {mma->shape.k, 1};
    if (tensor_frag_init(&mma->a, TENSOR_A, t[1], shape, is_wmma, by_words) &&
        tensor_frag_init(&mma->b, TENSOR_B, t[2], shape, is_wmma, by_n) &&
        tensor_frag_init(&mma->c, TENSOR_C, t[3], shape, is_wmma, by_n) &&
        tensor_frag_init(&mma->d, TENSOR_C, t[0], shape, is_wmma, by_n))
        return true;
    *why = "matrix shape does not fit its types";
    return false;
}

/* --- floating-point formats --- */

static double value_of(enum ptx_type type, uint64_t raw)
{
    if (type == PTX_F32 || type == PTX_TF32)
        return f32_of((uint32_t)raw & (type == PTX_TF32 ? ~UINT32_C(0x1fff) : ~UINT32_C(0)));
    if (type == PTX_BF16)
        return f32_of((uint32_t)raw << 16);
    const uint32_t v = (uint32_t)raw, sign = (v & 0x8000) << 16, e = (v >> 10) & 31;
    const uint32_t frac = v & 1023;
    if (!e)
        return (sign ? -0x1p-24 : 0x1p-24) * frac;
    return f32_of(sign | (e == 31 ? 255 : e + 112) << 23 | frac << 13);
}

/* Element i of a matrix of 16-bit or 32-bit floats. */
static double value_at(enum ptx_type type, const void *matrix, unsigned i)
{
    return value_of(type, ptx_type_bits(type) == 16 ? ((const uint16_t *)matrix)[i]
                                                    : ((const uint32_t *)matrix)[i]);
}

static uint32_t narrow_f16(double v)
{
    if (isnan(v))
        return 0x7fff;
    return softfp_narrow(softfp_odd_f32(v), SOFTFP_F16, LANE_RN) | (signbit(v) ? 0x8000 : 0);
}

static void put_float(enum ptx_type type, void *matrix, unsigned i, double v)
{
    if (type == PTX_F16)
        ((uint16_t *)matrix)[i] = (uint16_t)narrow_f16(v);
    else
        ((uint32_t *)matrix)[i] = f32_canon(f32_bits((float)v));
}

/* --- f16, bf16, tf32 --- */

struct unpacked {
    float value[TENSOR_MAX_MATRIX];
    int16_t exp[TENSOR_MAX_MATRIX];
};

struct unpacked_sum {
    int32_t sig[TENSOR_MAX_MATRIX];
    int16_t exp[TENSOR_MAX_MATRIX];
};

/* Exponents between which products and their multiples are exact in single precision. */
enum { PRODUCT_LO = -100, PRODUCT_HI = 126 };

/* The fused step over k in [k0, k1): d = a b + c. */
struct fused {
    struct tensor_shape s;
    enum ptx_type in, c_type, d_type;
    unsigned k0, k1;
    const void *a;
    const uint32_t *b;
    const void *c;
};

/* With an infinity or a NaN in it, the sum is one too, and IEEE arithmetic says which. */
static double special_sum(const struct fused *f, unsigned row, unsigned col, double finite)
{
    double sum = value_at(f->c_type, f->c, row * f->s.n + col);
    for (unsigned k = f->k0; k < f->k1; k++)
        sum += value_at(f->in, f->a, row * f->s.k + k) * value_of(f->in, f->b[k * f->s.n + col]);
    return isfinite(sum) ? finite : sum;
}

/* A narrower result than accumulator is a conversion afterwards. */
static void narrow_twice(const struct tensor_math *math, double *sum, unsigned n, void *d)
{
    uint32_t single[TENSOR_MAX_MATRIX];
    math->narrow(PTX_F32, sum, n, single);
    for (unsigned i = 0; i < n; i++)
        sum[i] = f32_of(single[i]);
    math->narrow(PTX_F16, sum, n, d);
}

static void fused_step(const struct fused *f, void *d)
{
    const struct tensor_math *math = tensor_math_get();
    const struct tensor_shape s = f->s;
    const unsigned size = s.m * s.n;
    struct unpacked ua, ub;
    struct unpacked_sum uc;
    double sum[TENSOR_MAX_MATRIX];
    const struct tensor_extent a =
        math->unpack(f->in, f->a, ptx_type_bytes(f->in), s.m * s.k, ua.value, ua.exp);
    const struct tensor_extent b = math->unpack(f->in, f->b, 4, s.k * s.n, ub.value, ub.exp);
    const bool special =
        math->unpack_sum(f->c_type, f->c, size, uc.sig, uc.exp) | (a.is_special | b.is_special);
    math->dot(&(struct tensor_dot){
        .m = s.m,
        .n = s.n,
        .k = f->k1 - f->k0,
        .lda = s.k,
        .is_far = a.lo + b.lo < PRODUCT_LO || a.hi + b.hi > PRODUCT_HI,
        .a = ua.value + f->k0,
        .a_exp = ua.exp + f->k0,
        .b = ub.value + f->k0 * s.n,
        .b_exp = ub.exp + f->k0 * s.n,
        .c_sig = uc.sig,
        .c_exp = uc.exp,
        .sum = sum,
    });
    for (unsigned i = 0; UNLIKELY(special) && i < size; i++)
        sum[i] = special_sum(f, i / s.n, i % s.n, sum[i]);
    if (f->c_type == PTX_F32 && f->d_type == PTX_F16)
        narrow_twice(math, sum, size, d);
    else
        math->narrow(f->d_type, sum, size, d);
}

static void compute_float(const struct tensor_mma *mma, const void *a, const uint32_t *b,
                          const void *c, void *d)
{
    struct fused f = {mma->shape, mma->a.type, mma->c.type, mma->d.type, 0, mma->step_k, a, b, c};
    for (; f.k0 < mma->shape.k; f.k0 = f.k1, f.k1 += mma->step_k, f.c = d)
        fused_step(&f, d);
}

/* --- 8-bit floats --- */

static uint16_t f16_of_fp8(enum ptx_type type, uint32_t raw)
{
    const uint32_t v = raw & 0xff, sign = (v & 0x80) << 8;
    if (type == PTX_E5M2)
        return (uint16_t)(v << 8);
    const uint32_t e = (v >> 3) & 15, frac = v & 7;
    if ((v & 0x7f) == 0x7f)
        return (uint16_t)(sign | 0x7fff);
    if (e)
        return (uint16_t)(sign | (e + 8) << 10 | frac << 7);
    return (uint16_t)(sign | narrow_f16(frac * 0x1p-9));
}

/* The H200's mma.sync has no 8-bit floats: two f16 products with an accumulator that starts at 0,
 * and c is added with an ordinary addition. */
static void compute_fp8(const struct tensor_mma *mma, const uint8_t *a, const uint32_t *b,
                        const void *c, void *d)
{
    const struct tensor_shape s = mma->shape;
    const enum ptx_type type = (enum ptx_type)mma->d.type;
    uint16_t wa[TENSOR_MAX_MATRIX];
    uint32_t wb[TENSOR_MAX_MATRIX];
    struct tensor_matrix acc = {{0}};
    for (unsigned i = 0; i < s.m * s.k; i++)
        wa[i] = f16_of_fp8((enum ptx_type)mma->a.type, a[i]);
    for (unsigned i = 0; i < s.k * s.n; i++)
        wb[i] = f16_of_fp8((enum ptx_type)mma->b.type, b[i]);
    fused_step(&(struct fused){s, PTX_F16, type, type, 0, s.k / 2, wa, wb, acc.bytes}, acc.bytes);
    fused_step(&(struct fused){s, PTX_F16, type, type, s.k / 2, s.k, wa, wb, acc.bytes}, acc.bytes);
    for (unsigned i = 0; i < s.m * s.n; i++)
        put_float(type, d, i, value_at(type, acc.bytes, i) + value_at(type, c, i));
}

/* --- m8n8k4 of f16: emulated there with scalar arithmetic --- */

static float quad_sum(const float *p, const float *q, float c, bool is_half)
{
    if (is_half)
        return (c + fmaf(p[1], q[1], p[0] * q[0])) + fmaf(p[3], q[3], p[2] * q[2]);
    return fmaf(p[3], q[3], fmaf(p[2], q[2], fmaf(p[1], q[1], fmaf(p[0], q[0], 0)))) + c;
}

static void compute_quads(const struct tensor_mma *mma, const void *a, const void *b, const void *c,
                          void *d)
{
    float wa[128], wb[128];
    const enum ptx_type type = (enum ptx_type)mma->d.type;
    for (unsigned i = 0; i < 128; i++) {
        wa[i] = (float)value_at(PTX_F16, a, i);
        /* The columns of b become rows. */
        wb[i] = (float)value_at(PTX_F16, b, i / 32 * 32 + i % 4 * 8 + i / 4 % 8);
    }
    for (unsigned i = 0; i < 256; i++)
        put_float(type, d, i,
                  (double)quad_sum(wa + i / 8 * 4, wb + i / 64 * 32 + i % 8 * 4,
                                   (float)value_at((enum ptx_type)mma->c.type, c, i),
                                   type == PTX_F16));
}

/* --- f64 and integers --- */

/* Which NaN comes out of a chain of fma's: b's before the sum's before a's. */
static uint64_t double_nan(struct tensor_shape s, const uint64_t *a, const uint64_t *b,
                           uint64_t sum)
{
    for (unsigned k = 0; k < s.k; k++) {
        const uint64_t x = a[k], y = b[k * s.n], z = sum;
        const double v = fma(f64_of(x), f64_of(y), f64_of(z));
        sum = !isnan(v)       ? f64_bits(v)
              : f64_is_nan(y) ? y
              : f64_is_nan(z) ? z
              : f64_is_nan(x) ? x
                              : F64_QNAN;
    }
    return sum | F64_QBIT;
}

static void compute_double(const struct tensor_mma *mma, const uint64_t *a, const uint64_t *b,
                           const uint64_t *c, uint64_t *d)
{
    double sum[TENSOR_MAX_MATRIX];
    const struct tensor_shape s = mma->shape;
    tensor_math_get()->dot_f64(s, (const double *)a, (const double *)b, (const double *)c, sum);
    for (unsigned i = 0; i < s.m * s.n; i++)
        d[i] =
            isnan(sum[i]) ? double_nan(s, a + i / s.n * s.k, b + i % s.n, c[i]) : f64_bits(sum[i]);
}

static void compute_int(const struct tensor_mma *mma, const uint8_t *a, const uint32_t *b,
                        const int32_t *c, int32_t *d)
{
    const struct tensor_math *math = tensor_math_get();
    const struct tensor_shape s = mma->shape;
    float wa[TENSOR_MAX_MATRIX], wb[TENSOR_MAX_MATRIX];
    int32_t sum[TENSOR_MAX_MATRIX];
    math->unpack_int((enum ptx_type)mma->a.type, a, 1, s.m * s.k, wa);
    math->unpack_int((enum ptx_type)mma->b.type, b, 4, s.k * s.n, wb);
    math->dot_int(s, wa, wb, sum);
    math->add_int(sum, c, s.m * s.n, mma->satfinite, d);
}

static void compute_bits(const struct tensor_mma *mma, const uint32_t *a, const uint32_t *b,
                         const uint32_t *c, uint32_t *d)
{
    const struct tensor_shape s = mma->shape;
    for (unsigned i = 0; i < s.m * s.n; i++) {
        uint32_t sum = c[i];
        for (unsigned k = 0; k < s.k; k++) {
            const uint32_t x = a[i / s.n * s.k + k], y = b[k * s.n + i % s.n];
            sum += (uint32_t)__builtin_popcount(mma->is_xor ? x ^ y : x & y);
        }
        d[i] = sum;
    }
}

void tensor_mma_compute(const struct tensor_mma *mma, const void *a, const void *b, const void *c,
                        void *d)
{
    switch ((enum tensor_kind)mma->kind) {
    case TENSOR_FLOAT:
        compute_float(mma, a, b, c, d);
        break;
    case TENSOR_FP8:
        compute_fp8(mma, a, b, c, d);
        break;
    case TENSOR_QUAD:
        compute_quads(mma, a, b, c, d);
        break;
    case TENSOR_DOUBLE:
        compute_double(mma, a, b, c, d);
        break;
    case TENSOR_INT:
        compute_int(mma, a, b, c, d);
        break;
    case TENSOR_BITS:
        compute_bits(mma, a, b, c, d);
        break;
    }
}
