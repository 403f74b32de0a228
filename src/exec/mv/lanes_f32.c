/* Single precision. Every result that is a NaN is the hardware's one NaN. */
#include "exec/lanes_loop.h"
#include "exec/softfp.h"

/* What follows the operation, with the flags as constants. */
static inline u32 post(float r, bool ftz, bool sat)
{
    u32 u = f32_bits(r);
    if (sat)
        return f32_saturate(ftz ? f32_flush(u) : u);
    u = r != r ? F32_NAN : u;
    return ftz ? f32_flush(u) : u;
}

#define F(v)  f32_of(v)
#define FZ(v) f32_of(f32_flush(v))

#define FLAVOURS1(name, EXPR)                                \
    LANE_FN1(name, u32, u32, post(EXPR(F(x)), false, false)) \
    LANE_FN1(name##_ftz, u32, u32, post(EXPR(FZ(x)), true, false))
#define FLAVOURS2(name, EXPR)                                           \
    LANE_FN2(name, u32, u32, u32, post(EXPR(F(x), F(y)), false, false)) \
    LANE_FN2(name##_ftz, u32, u32, u32, post(EXPR(FZ(x), FZ(y)), true, false))
#define SAT_FLAVOURS2(name, EXPR)                                            \
    LANE_FN2(name##_sat, u32, u32, u32, post(EXPR(F(x), F(y)), false, true)) \
    LANE_FN2(name##_ftz_sat, u32, u32, u32, post(EXPR(FZ(x), FZ(y)), true, true))
#define FLAVOURS3(name, EXPR)                                                              \
    LANE_FN3(name, u32, u32, u32, u32, post(EXPR(F(x), F(y), F(z)), false, false))         \
    LANE_FN3(name##_ftz, u32, u32, u32, u32, post(EXPR(FZ(x), FZ(y), FZ(z)), true, false)) \
    LANE_FN3(name##_sat, u32, u32, u32, u32, post(EXPR(F(x), F(y), F(z)), false, true))    \
    LANE_FN3(name##_ftz_sat, u32, u32, u32, u32, post(EXPR(FZ(x), FZ(y), FZ(z)), true, true))

#define ADD(x, y)    ((x) + (y))
#define SUB(x, y)    ((x) - (y))
#define MUL(x, y)    ((x) * (y))
#define DIV(x, y)    ((x) / (y))
#define RCP(x)       (1.0f / (x))
#define SQRT(x)      __builtin_sqrtf(x)
#define FMA(x, y, z) __builtin_fmaf(x, y, z)
FLAVOURS2(add, ADD)
SAT_FLAVOURS2(add, ADD)
FLAVOURS2(sub, SUB)
SAT_FLAVOURS2(sub, SUB)
FLAVOURS2(mul, MUL)
SAT_FLAVOURS2(mul, MUL)
FLAVOURS3(fmadd, FMA)
FLAVOURS2(div, DIV)
FLAVOURS1(rcp, RCP)
FLAVOURS1(root, SQRT)

/* div.approx is a product with a reciprocal that underflows to zero beyond 2^126. */
static inline float div_fast(float x, float y)
{
    const float q = x / y, none = x * 0.0f * y;
    const u32 m = f32_bits(y) & ~F32_SIGN;
    return f32_of(sel32(m - 0x7e800001 < F32_INF - 0x7e800001, f32_bits(none), f32_bits(q)));
}
FLAVOURS2(div_approx, div_fast)

LANE_FN1(abs_f32, u32, u32, f32_canon(x) & ~F32_SIGN)
LANE_FN1(abs_ftz, u32, u32, f32_flush(f32_canon(x)) & ~F32_SIGN)
LANE_FN1(neg_f32, u32, u32, f32_canon(x ^ F32_SIGN))
LANE_FN1(neg_ftz, u32, u32, f32_flush(f32_canon(x ^ F32_SIGN)))
LANE_FN2(copysign_f32, u32, u32, u32, (x & F32_SIGN) | (y & ~F32_SIGN))

/* Total order of the bits, so that -0 < +0. */
static inline s32 order(u32 u)
{
    return (s32)(u ^ ((u32)((s32)u >> 31) & ~F32_SIGN));
}

static inline u32 is_nan(u32 u)
{
    return (u & ~F32_SIGN) > F32_INF;
}

/* min and max drop a NaN operand unless .NaN is given. */
static inline u32 pick(u32 x, u32 y, bool max, bool nan)
{
    const bool first = max ? order(x) > order(y) : order(x) < order(y);
    const u32 r = first ? x : y;
    if (nan)
        return (is_nan(x) | is_nan(y)) ? F32_NAN : r;
    return is_nan(x) ? f32_canon(y) : is_nan(y) ? x : r;
}

/* .xorsign.abs: compares magnitudes; the sign is the product's. */
static inline u32 pick_xorsign(u32 x, u32 y, bool max, bool nan)
{
    const u32 r = pick(x & ~F32_SIGN, y & ~F32_SIGN, max, nan);
    return is_nan(r) ? r : r | ((x ^ y) & F32_SIGN);
}

#define ID(v) (v)
#define PICKS(name, MAX, NAN_, FLUSH)                                                    \
    LANE_FN2(name, u32, u32, u32, pick(FLUSH(x), FLUSH(y), MAX, NAN_))                   \
    LANE_FN2(name##_xorsign, u32, u32, u32, pick_xorsign(FLUSH(x), FLUSH(y), MAX, NAN_)) \
    LANE_FN3(name##_3, u32, u32, u32, u32,                                               \
             pick(pick(FLUSH(x), FLUSH(y), MAX, NAN_), FLUSH(z), MAX, NAN_))             \
    LANE_FN3(name##_xorsign_3, u32, u32, u32, u32,                                       \
             pick_xorsign(pick_xorsign(FLUSH(x), FLUSH(y), MAX, NAN_), FLUSH(z), MAX, NAN_))
PICKS(min, false, false, ID)
PICKS(min_ftz, false, false, f32_flush)
PICKS(min_nan, false, true, ID)
PICKS(min_ftz_nan, false, true, f32_flush)
PICKS(max, true, false, ID)
PICKS(max_ftz, true, false, f32_flush)
PICKS(max_nan, true, true, ID)
PICKS(max_ftz_nan, true, true, f32_flush)

/* Packed pairs of floats. */
static inline u64 pair(u32 lo, u32 hi)
{
    return lo | (u64)hi << 32;
}
#define LO(v) ((u32)(v))
#define HI(v) ((u32)((v) >> 32))
#define PAIR2(name, IN, FTZ, EXPR)                              \
    LANE_FN2(name, u64, u64, u64,                               \
             pair(post(EXPR(IN(LO(x)), IN(LO(y))), FTZ, false), \
                  post(EXPR(IN(HI(x)), IN(HI(y))), FTZ, false)))
#define PAIR3(name, IN, FTZ)                                              \
    LANE_FN3(name, u64, u64, u64, u64,                                    \
             pair(post(FMA(IN(LO(x)), IN(LO(y)), IN(LO(z))), FTZ, false), \
                  post(FMA(IN(HI(x)), IN(HI(y)), IN(HI(z))), FTZ, false)))
PAIR2(add_x2, F, false, ADD)
PAIR2(add_x2_ftz, FZ, true, ADD)
PAIR2(sub_x2, F, false, SUB)
PAIR2(sub_x2_ftz, FZ, true, SUB)
PAIR2(mul_x2, F, false, MUL)
PAIR2(mul_x2_ftz, FZ, true, MUL)
PAIR3(fmadd_x2, F, false)
PAIR3(fmadd_x2_ftz, FZ, true)

#define ROWS(OP, name) \
    LANE_ROW(OP, F32, NOTYPE, 0, name), LANE_ROW(OP, F32, NOTYPE, LV_FTZ, name##_ftz),
#define SAT_ROWS(OP, name)                                          \
    LANE_ROW(OP, F32, NOTYPE, LV_SAT, name##_sat),                  \
        LANE_ROW(OP, F32, NOTYPE, LV_SAT | LV_FTZ, name##_ftz_sat), \
        LANE_ROW(OP, F32X2, NOTYPE, 0, name##_x2),                  \
        LANE_ROW(OP, F32X2, NOTYPE, LV_FTZ, name##_x2_ftz),
#define PICK_ROWS(OP, name, V)                                                                     \
    LANE_ROW(OP, F32, NOTYPE, V, name), LANE_ROW(OP, F32, NOTYPE, V | LV_XORSIGN, name##_xorsign), \
        LANE_ROW(OP, F32, NOTYPE, V | LV_THREE, name##_3),                                         \
        LANE_ROW(OP, F32, NOTYPE, V | LV_THREE | LV_XORSIGN, name##_xorsign_3),

const struct lane_entry MV(lanes_f32)[] = {
    ROWS(ADD, add) SAT_ROWS(ADD, add) ROWS(SUB, sub) SAT_ROWS(SUB, sub) ROWS(MUL, mul)
        SAT_ROWS(MUL, mul) ROWS(FMA, fmadd) SAT_ROWS(FMA, fmadd) ROWS(DIV, div) ROWS(RCP, rcp)
            ROWS(SQRT, root) PICK_ROWS(MIN, min, 0) PICK_ROWS(MIN, min_ftz, LV_FTZ)
                PICK_ROWS(MIN, min_nan, LV_NAN) PICK_ROWS(MIN, min_ftz_nan, LV_FTZ | LV_NAN)
                    PICK_ROWS(MAX, max, 0) PICK_ROWS(MAX, max_ftz, LV_FTZ)
                        PICK_ROWS(MAX, max_nan, LV_NAN) PICK_ROWS(MAX, max_ftz_nan, LV_FTZ | LV_NAN)
                            LANE_ROW(DIV, F32, NOTYPE, LV_APPROX, div_approx),
    LANE_ROW(DIV, F32, NOTYPE, LV_APPROX | LV_FTZ, div_approx_ftz),
    LANE_ROW(ABS, F32, NOTYPE, 0, abs_f32),
    LANE_ROW(ABS, F32, NOTYPE, LV_FTZ, abs_ftz),
    LANE_ROW(NEG, F32, NOTYPE, 0, neg_f32),
    LANE_ROW(NEG, F32, NOTYPE, LV_FTZ, neg_ftz),
    LANE_ROW(COPYSIGN, F32, NOTYPE, 0, copysign_f32),
    {0},
};
