/* Double precision. A NaN operand keeps its payload and becomes quiet (of several, that of the
 * second factor, then of the addend, but of a dividend before its divisor); an invalid operation
 * gives the default NaN, which is negative. */
#include "exec/lanes_loop.h"
#include "exec/softfp.h"

#define D(v) f64_of(v)

static inline u64 nan1(double r, u64 x)
{
    return r != r ? (f64_is_nan(x) ? x | F64_QBIT : F64_QNAN) : f64_bits(r);
}
static inline u64 nan2(double r, u64 x, u64 y)
{
    const u64 n = f64_is_nan(y) ? y | F64_QBIT : f64_is_nan(x) ? x | F64_QBIT : F64_QNAN;
    return r != r ? n : f64_bits(r);
}
static inline u64 nan3(double r, u64 x, u64 y, u64 z)
{
    const u64 n = f64_is_nan(z) ? z | F64_QBIT : f64_is_nan(x) ? x | F64_QBIT : F64_QNAN;
    return r != r ? (f64_is_nan(y) ? y | F64_QBIT : n) : f64_bits(r);
}

LANE_FN2(add_f64, u64, u64, u64, nan2(D(x) + D(y), x, y))
LANE_FN2(sub_f64, u64, u64, u64, nan2(D(x) - D(y), x, y))
LANE_FN2(mul_f64, u64, u64, u64, nan2(D(x) * D(y), x, y))
LANE_FN2(div_f64, u64, u64, u64, nan2(D(x) / D(y), y, x))
LANE_FN3(fma_f64, u64, u64, u64, u64, nan3(__builtin_fma(D(x), D(y), D(z)), x, y, z))
LANE_FN1(rcp_f64, u64, u64, nan1(1.0 / D(x), x))
LANE_FN1(sqrt_f64, u64, u64, nan1(__builtin_sqrt(D(x)), x))
LANE_FN1(rsqrt_f64, u64, u64, nan1(1.0 / __builtin_sqrt(D(x)), x))
LANE_FN1(abs_f64, u64, u64, f64_is_nan(x) ? x | F64_QBIT : x & ~F64_SIGN)
LANE_FN1(neg_f64, u64, u64, f64_is_nan(x) ? x | F64_QBIT : x ^ F64_SIGN)
LANE_FN2(copysign_f64, u64, u64, u64, (x & F64_SIGN) | (y & ~F64_SIGN))

static inline s64 order(u64 u)
{
    return (s64)(u ^ ((u64)((s64)u >> 63) & ~F64_SIGN));
}
static inline u64 pick(u64 x, u64 y, bool max)
{
    const bool first = max ? order(x) > order(y) : order(x) < order(y);
    const u64 q = f64_is_nan(y) ? y | F64_QBIT : y;
    return f64_is_nan(x) ? q : f64_is_nan(y) ? x : first ? x : y;
}
LANE_FN2(min_f64, u64, u64, u64, pick(x, y, false))
LANE_FN2(max_f64, u64, u64, u64, pick(x, y, true))

/* The .approx.ftz forms know only the upper word, and flush. */
#define HIGH 0xffffffff00000000u
static inline u64 high_in(u64 x)
{
    const u64 h = x & HIGH;
    return h & F64_INF ? h : h & F64_SIGN;
}
static inline u64 high_out(double r)
{
    const u64 u = f64_bits(r), h = u & F64_INF ? u & HIGH : u & F64_SIGN;
    return r != r ? 0x7fffffff00000000u : h;
}
LANE_FN1(rcp_high, u64, u64, high_out(1.0 / D(high_in(x))))
LANE_FN1(rsqrt_high, u64, u64, high_out(1.0 / __builtin_sqrt(D(high_in(x)))))

const struct lane_entry MV(lanes_f64)[] = {
    LANE_ROW(ADD, F64, NOTYPE, 0, add_f64),
    LANE_ROW(SUB, F64, NOTYPE, 0, sub_f64),
    LANE_ROW(MUL, F64, NOTYPE, 0, mul_f64),
    LANE_ROW(DIV, F64, NOTYPE, 0, div_f64),
    LANE_ROW(FMA, F64, NOTYPE, 0, fma_f64),
    LANE_ROW(RCP, F64, NOTYPE, 0, rcp_f64),
    LANE_ROW(RCP, F64, NOTYPE, LV_APPROX | LV_FTZ, rcp_high),
    LANE_ROW(SQRT, F64, NOTYPE, 0, sqrt_f64),
    LANE_ROW(RSQRT, F64, NOTYPE, LV_APPROX, rsqrt_f64),
    LANE_ROW(RSQRT, F64, NOTYPE, LV_APPROX | LV_FTZ, rsqrt_high),
    LANE_ROW(ABS, F64, NOTYPE, 0, abs_f64),
    LANE_ROW(NEG, F64, NOTYPE, 0, neg_f64),
    LANE_ROW(COPYSIGN, F64, NOTYPE, 0, copysign_f64),
    LANE_ROW(MIN, F64, NOTYPE, 0, min_f64),
    LANE_ROW(MAX, F64, NOTYPE, 0, max_f64),
    {0},
};
