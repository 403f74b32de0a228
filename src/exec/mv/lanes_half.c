/* Half precision, f16 and bf16, single and packed. The flags are read from the lane_op: rows here
 * serve every flavour. */
#include "exec/lanes_loop.h"
#include "exec/sfu.h"

enum { HALF_NAN = 0x7fff, HALF_SIGN = 0x8000 };

/* The two formats. */
#define INF_f16  0x7c00
#define INF_bf16 0x7f80
#define ONE_f16  0x3c00
#define ONE_bf16 0x3f80

static inline float load_f16(u32 h)
{
    return f16_to_f32(h);
}
static inline float load_bf16(u32 h)
{
    return f32_of(h << 16);
}

/* Towards zero, as the hardware's half-precision functions do. */
static inline u32 cut_f16(float r)
{
    const u32 u = f32_bits(r), m = u & ~F32_SIGN, sign = u >> 16 & HALF_SIGN;
    const u32 normal = (m - 0x38000000) >> 13;
    const u32 tiny = (u32)(s32)(f32_of(sel32(m < 0x38800000, m, 0)) * 0x1p24f);
    const u32 h = sel32(m < 0x38800000, tiny, sel32(m >= 0x47800000, INF_f16, normal));
    return sel32(m > F32_INF, HALF_NAN, sign | h);
}
static inline u32 round_f16(float r)
{
    return f16_round(f32_bits(r));
}
static inline u32 round_bf16(float r)
{
    return bf16_round(f32_bits(r));
}

/* The flags of one instruction, as masks that cost one operation each. */
struct flags {
    u32 keep; /* bits that a subnormal keeps */
    bool sat, relu, nan, xorsign;
};

static inline struct flags flags_of(const struct lane_op *op)
{
    return (struct flags){
        .keep = op->ftz ? HALF_SIGN : 0xffff,
        .sat = op->sat,
        .relu = op->flag,
        .nan = op->mode & LANE_PICK_NAN,
        .xorsign = op->mode & LANE_PICK_XORSIGN,
    };
}

/* Total order of 16-bit patterns. */
static inline s32 order(u32 h)
{
    return h & HALF_SIGN ? -(s32)(h & 0x7fff) - 1 : (s32)h;
}

#define FORMAT(F)                                                                          \
    static inline u32 flush_##F(u32 h, const struct flags *f)                              \
    {                                                                                      \
        return h & sel32((h & INF_##F) != 0, 0xffff, f->keep);                             \
    }                                                                                      \
    static inline float in_##F(u32 h, const struct flags *f)                               \
    {                                                                                      \
        return load_##F(flush_##F(h, f));                                                  \
    }                                                                                      \
    static inline u32 post_##F(u32 h, const struct flags *f)                               \
    {                                                                                      \
        h = flush_##F(h, f);                                                               \
        const u32 low = h < ONE_##F ? h : ONE_##F;                                         \
        h = sel32(f->sat, sel32(h <= INF_##F, low, 0), h);                                 \
        return sel32(f->relu & (h >> 15), 0, h);                                           \
    }                                                                                      \
    static inline u32 add_##F(u32 x, u32 y, const struct flags *f)                         \
    {                                                                                      \
        return post_##F(round_##F(in_##F(x, f) + in_##F(y, f)), f);                        \
    }                                                                                      \
    static inline u32 sub_##F(u32 x, u32 y, const struct flags *f)                         \
    {                                                                                      \
        return post_##F(round_##F(in_##F(x, f) - in_##F(y, f)), f);                        \
    }                                                                                      \
    static inline u32 mul_##F(u32 x, u32 y, const struct flags *f)                         \
    {                                                                                      \
        return post_##F(round_##F(in_##F(x, f) * in_##F(y, f)), f);                        \
    }                                                                                      \
    static inline u32 abs_##F(u32 x, const struct flags *f)                                \
    {                                                                                      \
        const u32 m = x & 0x7fff;                                                          \
        return sel32(m > INF_##F, HALF_NAN, flush_##F(m, f));                              \
    }                                                                                      \
    static inline u32 neg_##F(u32 x, const struct flags *f)                                \
    {                                                                                      \
        return sel32((x & 0x7fff) > INF_##F, HALF_NAN, flush_##F(x ^ HALF_SIGN, f));       \
    }                                                                                      \
    static inline u32 pick_##F(u32 x, u32 y, const struct flags *f, bool max)              \
    {                                                                                      \
        const u32 sign = f->xorsign ? (x ^ y) & HALF_SIGN : 0;                             \
        const u32 drop = f->xorsign ? 0x7fff : 0xffff;                                     \
        x = flush_##F(x & drop, f);                                                        \
        y = flush_##F(y & drop, f);                                                        \
        const u32 nx = (x & 0x7fff) > INF_##F, ny = (y & 0x7fff) > INF_##F;                \
        const bool less = order(x) < order(y);                                             \
        const u32 r = sel32(less != max, x, y) | sign;                                     \
        const u32 one = sel32(nx, y, x) | sign;                                            \
        const u32 nan = (nx & ny) | ((nx | ny) & f->nan);                                  \
        return sel32(nan, HALF_NAN, sel32(nx | ny, one, r));                               \
    }                                                                                      \
    static inline u32 min_##F(u32 x, u32 y, const struct flags *f)                         \
    {                                                                                      \
        return pick_##F(x, y, f, false);                                                   \
    }                                                                                      \
    static inline u32 max_##F(u32 x, u32 y, const struct flags *f)                         \
    {                                                                                      \
        return pick_##F(x, y, f, true);                                                    \
    }                                                                                      \
    static inline u32 ex2_##F(u32 x, const struct flags *f)                                \
    {                                                                                      \
        return flush_##F(FUNCTION_ROUND_##F(f32_of(sfu_ex2(f32_bits(in_##F(x, f))))), f);  \
    }                                                                                      \
    static inline u32 tanh_##F(u32 x, const struct flags *f)                               \
    {                                                                                      \
        return flush_##F(FUNCTION_ROUND_##F(f32_of(sfu_tanh(f32_bits(in_##F(x, f))))), f); \
    }
#define FUNCTION_ROUND_f16  cut_f16
#define FUNCTION_ROUND_bf16 round_bf16

FORMAT(f16)
FORMAT(bf16)

#define PACK(LOW, HIGH) ((LOW) | (HIGH) << 16)
#define LO(v)           ((v)&0xffff)
#define HI(v)           ((v) >> 16)
#define HALF_FN1(name, F)                                                                     \
    static void fn_##name##_##F(LANE_ARGS)                                                    \
    {                                                                                         \
        const struct flags f = flags_of(op);                                                  \
        u16 *d = (u16 *)lane_at(&op->d, base);                                                \
        const u16 *xs = (const u16 *)lane_at(&op->src[0], base);                              \
        LANE_STORE(u16, d, mask, name##_##F(xs[l], &f));                                      \
    }                                                                                         \
    static void fn_##name##_##F##x2(LANE_ARGS)                                                \
    {                                                                                         \
        const struct flags f = flags_of(op);                                                  \
        u32 *d = (u32 *)lane_at(&op->d, base);                                                \
        const u32 *xs = (const u32 *)lane_at(&op->src[0], base);                              \
        LANE_STORE(u32, d, mask, PACK(name##_##F(LO(xs[l]), &f), name##_##F(HI(xs[l]), &f))); \
    }
#define HALF_FN2(name, F)                                                                      \
    static void fn_##name##_##F(LANE_ARGS)                                                     \
    {                                                                                          \
        const struct flags f = flags_of(op);                                                   \
        u16 *d = (u16 *)lane_at(&op->d, base);                                                 \
        const u16 *xs = (const u16 *)lane_at(&op->src[0], base);                               \
        const u16 *ys = (const u16 *)lane_at(&op->src[1], base);                               \
        LANE_STORE(u16, d, mask, name##_##F(xs[l], ys[l], &f));                                \
    }                                                                                          \
    static void fn_##name##_##F##x2(LANE_ARGS)                                                 \
    {                                                                                          \
        const struct flags f = flags_of(op);                                                   \
        u32 *d = (u32 *)lane_at(&op->d, base);                                                 \
        const u32 *xs = (const u32 *)lane_at(&op->src[0], base);                               \
        const u32 *ys = (const u32 *)lane_at(&op->src[1], base);                               \
        LANE_STORE(                                                                            \
            u32, d, mask,                                                                      \
            PACK(name##_##F(LO(xs[l]), LO(ys[l]), &f), name##_##F(HI(xs[l]), HI(ys[l]), &f))); \
    }
/* x * y + z as f32 rounded to odd: the product is exact in double, the sum is rounded to odd there.
 * A loop of its own, because vector loops do not mix 16 and 64 bits. */
static void multiply_add(const float *x, const float *y, const float *z, u32 *r)
{
    LANE_FOR r[l] = softfp_odd_f32(softfp_add_odd((double)x[l] * (double)y[l], (double)z[l]));
}
#define HALF_FMA(F)                                                                              \
    static void fn_fma_##F(LANE_ARGS)                                                            \
    {                                                                                            \
        const struct flags f = flags_of(op);                                                     \
        u16 *d = (u16 *)lane_at(&op->d, base);                                                   \
        float v[3][WARP_LANES];                                                                  \
        u32 r[WARP_LANES];                                                                       \
        for (unsigned k = 0; k < 3; k++) {                                                       \
            const u16 *xs = (const u16 *)lane_at(&op->src[k], base);                             \
            LANE_FOR v[k][l] = in_##F(xs[l], &f);                                                \
        }                                                                                        \
        multiply_add(v[0], v[1], v[2], r);                                                       \
        LANE_STORE(u16, d, mask, post_##F(round_##F(f32_of(r[l])), &f));                         \
    }                                                                                            \
    static void fn_fma_##F##x2(LANE_ARGS)                                                        \
    {                                                                                            \
        const struct flags f = flags_of(op);                                                     \
        u32 *d = (u32 *)lane_at(&op->d, base);                                                   \
        float lo[3][WARP_LANES], hi[3][WARP_LANES];                                              \
        u32 r[WARP_LANES], q[WARP_LANES];                                                        \
        for (unsigned k = 0; k < 3; k++) {                                                       \
            const u32 *xs = (const u32 *)lane_at(&op->src[k], base);                             \
            LANE_FOR lo[k][l] = in_##F(LO(xs[l]), &f);                                           \
            LANE_FOR hi[k][l] = in_##F(HI(xs[l]), &f);                                           \
        }                                                                                        \
        multiply_add(lo[0], lo[1], lo[2], r);                                                    \
        multiply_add(hi[0], hi[1], hi[2], q);                                                    \
        LANE_STORE(                                                                              \
            u32, d, mask,                                                                        \
            PACK(post_##F(round_##F(f32_of(r[l])), &f), post_##F(round_##F(f32_of(q[l])), &f))); \
    }
#define FUNCTIONS(F) \
    HALF_FN2(add, F) \
    HALF_FN2(sub, F) \
    HALF_FN2(mul, F) \
    HALF_FMA(F)      \
    HALF_FN2(min, F) \
    HALF_FN2(max, F) \
    HALF_FN1(abs, F) \
    HALF_FN1(neg, F) \
    HALF_FN1(ex2, F) \
    HALF_FN1(tanh, F)
FUNCTIONS(f16)
FUNCTIONS(bf16)

/* Mixed precision: halves are exact in single, where the operation is done. */
static inline u32 single(float r, bool sat)
{
    return sat ? f32_saturate(f32_bits(r)) : f32_canon(f32_bits(r));
}
#define MIXED(F, SUFFIX, SAT)                                                          \
    LANE_FN2(add_f32_##F##SUFFIX, u32, u16, u32, single(load_##F(x) + f32_of(y), SAT)) \
    LANE_FN2(sub_f32_##F##SUFFIX, u32, u16, u32, single(load_##F(x) - f32_of(y), SAT)) \
    LANE_FN3(fma_f32_##F##SUFFIX, u32, u16, u16, u32,                                  \
             single(__builtin_fmaf(load_##F(x), load_##F(y), f32_of(z)), SAT))
MIXED(f16, , false)
MIXED(f16, _sat, true)
MIXED(bf16, , false)
MIXED(bf16, _sat, true)

#define MIXED_ROWS(T, F)                                                                         \
    LANE_ROW(ADD, F32, T, 0, add_f32_##F), LANE_ROW(ADD, F32, T, LV_SAT, add_f32_##F##_sat),     \
        LANE_ROW(SUB, F32, T, 0, sub_f32_##F), LANE_ROW(SUB, F32, T, LV_SAT, sub_f32_##F##_sat), \
        LANE_ROW(FMA, F32, T, 0, fma_f32_##F), LANE_ROW(FMA, F32, T, LV_SAT, fma_f32_##F##_sat),
#define ROW2(OP, name, T, F)                          \
    LANE_ROW(OP, T, NOTYPE, LV_ANY, fn_##name##_##F), \
        LANE_ROW(OP, T##X2, NOTYPE, LV_ANY, fn_##name##_##F##x2),
#define ROWS(T, F)       \
    ROW2(ADD, add, T, F) \
    ROW2(SUB, sub, T, F) \
    ROW2(MUL, mul, T, F) \
    ROW2(FMA, fma, T, F) \
    ROW2(MIN, min, T, F) \
    ROW2(MAX, max, T, F) \
    ROW2(ABS, abs, T, F) \
    ROW2(NEG, neg, T, F) \
    ROW2(EX2, ex2, T, F) \
    ROW2(TANH, tanh, T, F)

const struct lane_entry MV(lanes_half)[] = {
    ROWS(F16, f16) ROWS(BF16, bf16) MIXED_ROWS(F16, f16) MIXED_ROWS(BF16, bf16){0},
};
