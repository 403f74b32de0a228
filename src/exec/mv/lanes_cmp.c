/* Comparisons: setp, set, testp. Each loop gathers one bit a lane. */
#include "exec/lanes_loop.h"
#include "exec/softfp.h"

static inline u32 combine(const struct lane_op *op, u32 m, u32 c)
{
    switch (op->boolop) {
    case PTX_M_AND:
        return m & c;
    case PTX_M_OR:
        return m | c;
    case PTX_M_XOR:
        return m ^ c;
    default:
        return m;
    }
}

/* p = m BoolOp c, q = n BoolOp c. */
static inline void finish(LANE_ARGS, u32 m, u32 n)
{
    const u32 c = op->boolop ? lane_pred(&op->src[2], base) : 0;
    lane_set_pred(&op->d, base, mask, combine(op, m, c));
    lane_set_pred(&op->d2, base, mask, combine(op, n, c));
}

#define COMPARE(name, T, LOAD, EXPR)                                        \
    static void name(LANE_ARGS)                                             \
    {                                                                       \
        const T *xs = (const T *)lane_at(&op->src[0], base);                \
        const T *ys = (const T *)lane_at(&op->src[1], base);                \
        u32 m = 0;                                                          \
        LANE_FOR                                                            \
        {                                                                   \
            const __typeof__(LOAD(xs[0])) x = LOAD(xs[l]), y = LOAD(ys[l]); \
            m |= (u32)(EXPR) << l;                                          \
        }                                                                   \
        finish(op, base, mask, m, ~m);                                      \
    }

#define PLAIN(v) (v)
#define INTS(Y)  Y(U16, u16) Y(S16, s16) Y(U32, u32) Y(S32, s32) Y(U64, u64) Y(S64, s64)
#define Y(T, t)                            \
    COMPARE(setp_eq_##t, t, PLAIN, x == y) \
    COMPARE(setp_ne_##t, t, PLAIN, x != y) \
    COMPARE(setp_lt_##t, t, PLAIN, x < y)  \
    COMPARE(setp_le_##t, t, PLAIN, x <= y) \
    COMPARE(setp_gt_##t, t, PLAIN, x > y)  \
    COMPARE(setp_ge_##t, t, PLAIN, x >= y)
INTS(Y)
#undef Y

/* Floating point: the six ordered comparisons, their unordered forms, and the two NaN tests. The
 * second column is the C expression, false or true for NaNs as PTX says. */
#define FLOATS(X)                     \
    X(EQ, eq, x == y)                 \
    X(NE, ne, (x < y) | (x > y))      \
    X(LT, lt, x < y)                  \
    X(LE, le, x <= y)                 \
    X(GT, gt, x > y)                  \
    X(GE, ge, x >= y)                 \
    X(EQU, equ, !((x < y) | (x > y))) \
    X(NEU, neu, x != y)               \
    X(LTU, ltu, !(x >= y))            \
    X(LEU, leu, !(x > y))             \
    X(GTU, gtu, !(x <= y))            \
    X(GEU, geu, !(x < y))             \
    X(NUM, num, (x == x) & (y == y))  \
    X(NAN, nan, (x != x) | (y != y))

#define FLUSHED(v) f32_of(f32_flush(v))
#define HALF(v)    f16_to_f32(v)
/* Flushing a half keeps its sign and drops the rest where the exponent is zero. */
#define HALF_FLUSHED(v) f16_to_f32((v)&0x7c00 ? (v) : (v)&0x8000)
#define BHALF(v)        f32_of((u32)(v) << 16)

#define X(C, c, EXPR)                                    \
    COMPARE(setp_##c##_f32, float, PLAIN, EXPR)          \
    COMPARE(setp_##c##_ftz_f32, u32, FLUSHED, EXPR)      \
    COMPARE(setp_##c##_f64, double, PLAIN, EXPR)         \
    COMPARE(setp_##c##_f16, u16, HALF, EXPR)             \
    COMPARE(setp_##c##_ftz_f16, u16, HALF_FLUSHED, EXPR) \
    COMPARE(setp_##c##_bf16, u16, BHALF, EXPR)
FLOATS(X)
#undef X

/* Pairs: p tells the low halves, q the high halves. */
#define COMPARE2(name, LOAD, EXPR)                                    \
    static void name(LANE_ARGS)                                       \
    {                                                                 \
        const u32 *xs = (const u32 *)lane_at(&op->src[0], base);      \
        const u32 *ys = (const u32 *)lane_at(&op->src[1], base);      \
        u32 m = 0, n = 0;                                             \
        LANE_FOR                                                      \
        {                                                             \
            float x = LOAD(xs[l] & 0xffff), y = LOAD(ys[l] & 0xffff); \
            m |= (u32)(EXPR) << l;                                    \
            x = LOAD(xs[l] >> 16), y = LOAD(ys[l] >> 16);             \
            n |= (u32)(EXPR) << l;                                    \
        }                                                             \
        finish(op, base, mask, m, n);                                 \
    }
#define X(C, c, EXPR)                                  \
    COMPARE2(setp_##c##_f16x2, HALF, EXPR)             \
    COMPARE2(setp_##c##_ftz_f16x2, HALF_FLUSHED, EXPR) \
    COMPARE2(setp_##c##_bf16x2, BHALF, EXPR)
FLOATS(X)
#undef X

/* set: the setp in op->inner, its mask turned into values of op->type; op->imm is `true`. */
static void set_masks(LANE_ARGS, u32 *p, u32 *q)
{
    struct lane_op inner = *op;
    u32 out[2] = {0, 0};
    char *bases[LANE_BASES + 1];
    for (unsigned i = 0; i < LANE_BASES; i++)
        bases[i] = base[i];
    bases[LANE_BASES] = (char *)out;
    inner.d = (struct lane_ref){.sel = LANE_BASES};
    inner.d2 = (struct lane_ref){.sel = LANE_BASES, .off = sizeof out[0]};
    op->inner(&inner, bases, mask);
    *p = out[0];
    *q = out[1];
}

static void set_16(LANE_ARGS)
{
    u16 *d = (u16 *)lane_at(&op->d, base);
    const u16 one = (u16)op->imm;
    u32 p, q;
    set_masks(op, base, mask, &p, &q);
    LANE_STORE(u16, d, mask, LANE_MASK(u16, p) & one);
}

static void set_32(LANE_ARGS)
{
    u32 *d = (u32 *)lane_at(&op->d, base);
    const u32 one = op->imm;
    u32 p, q;
    set_masks(op, base, mask, &p, &q);
    LANE_STORE(u32, d, mask, LANE_MASK(u32, p) & one);
}

static void set_16x2(LANE_ARGS)
{
    u32 *d = (u32 *)lane_at(&op->d, base);
    const u32 one = op->imm;
    u32 p, q;
    set_masks(op, base, mask, &p, &q);
    LANE_STORE(u32, d, mask, (LANE_MASK(u32, p) & one) | (LANE_MASK(u32, q) & one) << 16);
}

#define TEST(name, T, EXPR)                                         \
    static void name(LANE_ARGS)                                     \
    {                                                               \
        const T *xs = (const T *)lane_at(&op->src[0], base);        \
        u32 m = 0;                                                  \
        LANE_FOR                                                    \
        {                                                           \
            const T x = xs[l] & (T) ~((T)1 << (8 * sizeof(T) - 1)); \
            m |= (u32)(EXPR) << l;                                  \
        }                                                           \
        lane_set_pred(&op->d, base, mask, m);                       \
    }
#define TESTS(T, INF, MIN)                                         \
    TEST(testp_finite_##T, T, x < INF)                             \
    TEST(testp_infinite_##T, T, x == INF)                          \
    TEST(testp_number_##T, T, x <= INF)                            \
    TEST(testp_notanumber_##T, T, x > INF)                         \
    /* Zero counts as normal. */                                   \
    TEST(testp_normal_##T, T, (x < INF) & ((x >= MIN) | (x == 0))) \
    TEST(testp_subnormal_##T, T, (x < MIN) & (x != 0))
TESTS(u32, F32_INF, 0x00800000)
TESTS(u64, F64_INF, 0x0010000000000000)

#define INT_ROWS(T, t)                                    \
    LANE_ROW(SETP, T, NOTYPE, PTX_M_EQ, setp_eq_##t),     \
        LANE_ROW(SETP, T, NOTYPE, PTX_M_NE, setp_ne_##t), \
        LANE_ROW(SETP, T, NOTYPE, PTX_M_LT, setp_lt_##t), \
        LANE_ROW(SETP, T, NOTYPE, PTX_M_LE, setp_le_##t), \
        LANE_ROW(SETP, T, NOTYPE, PTX_M_GT, setp_gt_##t), \
        LANE_ROW(SETP, T, NOTYPE, PTX_M_GE, setp_ge_##t),
#define FLOAT_ROWS(C, c, EXPR)                                                       \
    LANE_ROW(SETP, F32, NOTYPE, PTX_M_##C, setp_##c##_f32),                          \
        LANE_ROW(SETP, F32, NOTYPE, PTX_M_##C | LV_CMP_FTZ, setp_##c##_ftz_f32),     \
        LANE_ROW(SETP, F64, NOTYPE, PTX_M_##C, setp_##c##_f64),                      \
        LANE_ROW(SETP, F16, NOTYPE, PTX_M_##C, setp_##c##_f16),                      \
        LANE_ROW(SETP, F16, NOTYPE, PTX_M_##C | LV_CMP_FTZ, setp_##c##_ftz_f16),     \
        LANE_ROW(SETP, BF16, NOTYPE, PTX_M_##C, setp_##c##_bf16),                    \
        LANE_ROW(SETP, F16X2, NOTYPE, PTX_M_##C, setp_##c##_f16x2),                  \
        LANE_ROW(SETP, F16X2, NOTYPE, PTX_M_##C | LV_CMP_FTZ, setp_##c##_ftz_f16x2), \
        LANE_ROW(SETP, BF16X2, NOTYPE, PTX_M_##C, setp_##c##_bf16x2),
#define TEST_ROWS(T, t)                                                     \
    LANE_ROW(TESTP, T, NOTYPE, PTX_M_FINITE, testp_finite_##t),             \
        LANE_ROW(TESTP, T, NOTYPE, PTX_M_INFINITE, testp_infinite_##t),     \
        LANE_ROW(TESTP, T, NOTYPE, PTX_M_NUMBER, testp_number_##t),         \
        LANE_ROW(TESTP, T, NOTYPE, PTX_M_NOTANUMBER, testp_notanumber_##t), \
        LANE_ROW(TESTP, T, NOTYPE, PTX_M_NORMAL, testp_normal_##t),         \
        LANE_ROW(TESTP, T, NOTYPE, PTX_M_SUBNORMAL, testp_subnormal_##t),

const struct lane_entry MV(lanes_cmp)[] = {
    INTS(INT_ROWS) FLOATS(FLOAT_ROWS) TEST_ROWS(F32, u32) TEST_ROWS(F64, u64)
        LANE_ROW(SET, U16, NOTYPE, 0, set_16),
    LANE_ROW(SET, U32, NOTYPE, 0, set_32),
    LANE_ROW(SET, F16X2, NOTYPE, 0, set_16x2),
    {0},
};
