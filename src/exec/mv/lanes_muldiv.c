/* Integer multiplication, division and dot products. */
#include "exec/lanes_loop.h"

#define MUL(B, W)                                                           \
    LANE_FN2(mul_lo_##B, u##B, u##B, u##B, (u##W)x *y)                      \
    LANE_FN2(mul_hi_u##B, u##B, u##B, u##B, ((u##W)x * y) >> B)             \
    LANE_FN2(mul_hi_s##B, u##B, s##B, s##B, ((s##W)x * y) >> B)             \
    LANE_FN3(mad_lo_##B, u##B, u##B, u##B, u##B, (u##W)x *y + z)            \
    LANE_FN3(mad_hi_u##B, u##B, u##B, u##B, u##B, (((u##W)x * y) >> B) + z) \
    LANE_FN3(mad_hi_s##B, u##B, s##B, s##B, u##B, (u##B)(((s##W)x * y) >> B) + z)
MUL(16, 32)
MUL(32, 64)

/* The low half needs no wide product. */
LANE_FN2(mul_lo_64, u64, u64, u64, x *y)
LANE_FN3(mad_lo_64, u64, u64, u64, u64, x *y + z)
LANE_FN2(mul_hi_u64, u64, u64, u64, ((u128)x * y) >> 64)
LANE_FN2(mul_hi_s64, u64, s64, s64, ((s128)x * y) >> 64)
LANE_FN3(mad_hi_u64, u64, u64, u64, u64, (u64)(((u128)x * y) >> 64) + z)
LANE_FN3(mad_hi_s64, u64, s64, s64, u64, (u64)(((s128)x * y) >> 64) + z)

LANE_FN2(mul_wide_u16, u32, u16, u16, (u32)x *y)
LANE_FN2(mul_wide_s16, u32, s16, s16, (s32)x *y)
LANE_FN2(mul_wide_u32, u64, u32, u32, (u64)x *y)
LANE_FN2(mul_wide_s32, u64, s32, s32, (s64)x *y)
LANE_FN3(mad_wide_u16, u32, u16, u16, u32, (u32)x *y + z)
LANE_FN3(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)x *y) + z)
LANE_FN3(mad_wide_u32, u64, u32, u32, u64, (u64)x *y + z)
LANE_FN3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)x *y) + z)

static inline u32 clamp_s32(s64 v)
{
    return (u32)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

LANE_FN3(mad_hi_sat_s32, u32, s32, s32, s32, clamp_s32((((s64)x * y) >> 32) + z))

/* The 24-bit multipliers: hi is bits 47 to 16 of the product. */
#define U24(v) ((u64)((v)&0xffffff))
#define S24(v) ((s64)((s32)((v) << 8) >> 8))
LANE_FN2(mul24_lo_u32, u32, u32, u32, U24(x) * U24(y))
LANE_FN2(mul24_hi_u32, u32, u32, u32, (U24(x) * U24(y)) >> 16)
LANE_FN2(mul24_lo_s32, u32, u32, u32, S24(x) * S24(y))
LANE_FN2(mul24_hi_s32, u32, u32, u32, (S24(x) * S24(y)) >> 16)
LANE_FN3(mad24_lo_u32, u32, u32, u32, u32, U24(x) * U24(y) + z)
LANE_FN3(mad24_hi_u32, u32, u32, u32, u32, ((U24(x) * U24(y)) >> 16) + z)
LANE_FN3(mad24_lo_s32, u32, u32, u32, u32, (u32)(S24(x) * S24(y)) + z)
LANE_FN3(mad24_hi_s32, u32, u32, u32, u32, (u32)((S24(x) * S24(y)) >> 16) + z)
LANE_FN3(mad24_hi_sat_s32, u32, u32, u32, s32, clamp_s32(((S24(x) * S24(y)) >> 16) + z))

/* mad.cc and madc: the product's half plus z plus the flag. */
#define MAD_CARRY(name, B, TX, EXPR)                                            \
    static void name(LANE_ARGS)                                                 \
    {                                                                           \
        u##B *d = (u##B *)lane_at(&op->d, base), r_[WARP_LANES];                \
        const TX *xs = (const TX *)lane_at(&op->src[0], base);                  \
        const TX *ys = (const TX *)lane_at(&op->src[1], base);                  \
        const u##B *zs = (const u##B *)lane_at(&op->src[2], base);              \
        const u32 in = op->mode & LANE_CARRY_IN ? lane_pred(&op->cc, base) : 0; \
        u32 out = 0;                                                            \
        LANE_FOR                                                                \
        {                                                                       \
            const TX x = xs[l], y = ys[l];                                      \
            const u##B p = (u##B)(EXPR), c = (u##B)(in >> l & 1);               \
            const u##B r = p + zs[l] + c;                                       \
            r_[l] = r;                                                          \
            out |= (u32)((r < p) | ((r == p) & c)) << l;                        \
        }                                                                       \
        LANE_STORE(u##B, d, mask, r_[l]);                                       \
        if (op->mode & LANE_CARRY_OUT)                                          \
            lane_set_pred(&op->cc, base, mask, out);                            \
    }
MAD_CARRY(madc_lo_32, 32, u32, x *y)
MAD_CARRY(madc_hi_u32, 32, u32, ((u64)x * y) >> 32)
MAD_CARRY(madc_hi_s32, 32, s32, ((s64)x * y) >> 32)
MAD_CARRY(madc_lo_64, 64, u64, x *y)
MAD_CARRY(madc_hi_u64, 64, u64, ((u128)x * y) >> 64)
MAD_CARRY(madc_hi_s64, 64, s64, ((s128)x * y) >> 64)

/* Division of 16 and 32 bits goes through float and double, which the host divides as vectors. The
 * quotient's rounding error is below the distance to the next integer (x * 2^-24 < 1 and
 * x * 2^-53 < 1), so truncation is exact. A divisor of zero gives all ones. */
static inline u32 udiv_32(u32 x, u32 y)
{
    const double nx = (double)(s32)(x ^ 0x80000000) + 0x1p31;
    const double ny = (double)(s32)((y > 1 ? y : 2) ^ 0x80000000) + 0x1p31;
    const u32 q = (u32)(s32)(nx / ny);
    return y > 1 ? q : y == 1 ? x : UINT32_MAX;
}

static inline u32 sdiv_32(s32 x, s32 y)
{
    const bool easy = (y == 0) | (y == -1);
    const s32 q = (s32)((double)x / (double)(easy ? 1 : y));
    return !easy ? (u32)q : y ? 0 - (u32)x : UINT32_MAX;
}

static inline u32 udiv_16(u16 x, u16 y)
{
    const s32 q = (s32)((float)(s32)x / (float)(s32)(y ? y : 1));
    return y ? (u32)q : UINT32_MAX;
}

static inline u32 sdiv_16(s16 x, s16 y)
{
    const s32 q = (s32)((float)x / (float)(y ? y : 1));
    return y ? (u32)q : UINT32_MAX;
}

static inline u64 udiv_64(u64 x, u64 y)
{
    return y ? x / y : UINT64_MAX;
}

static inline u64 sdiv_64(s64 x, s64 y)
{
    return y == 0 ? UINT64_MAX : y == -1 ? 0 - (u64)x : (u64)(x / y);
}

#define DIV(B)                                                                            \
    LANE_FN2(div_u##B, u##B, u##B, u##B, udiv_##B(x, y))                                  \
    LANE_FN2(div_s##B, u##B, s##B, s##B, sdiv_##B(x, y))                                  \
    LANE_FN2(rem_u##B, u##B, u##B, u##B, y ? (u##B)(x - udiv_##B(x, y) * y) : (u##B) - 1) \
    LANE_FN2(rem_s##B, u##B, s##B, s##B,                                                  \
             y ? (u##B)((u##B)x - (u##B)sdiv_##B(x, y) * (u64)(u##B)y) : (u##B) - 1)
DIV(16)
DIV(32)
DIV(64)

/* Dot products of bytes; A and B read byte i of a word as signed or unsigned. */
#define UBYTE(w, i) ((s32)(((w) >> (8 * (i))) & 0xff))
#define SBYTE(w, i) ((s32)(s8)((w) >> (8 * (i))))
#define UHALF(w, i) ((s32)(((w) >> (16 * (i))) & 0xffff))
#define SHALF(w, i) ((s32)(s16)((w) >> (16 * (i))))
#define DOT4(A, B) \
    (z + (u32)(A(x, 0) * B(y, 0) + A(x, 1) * B(y, 1) + A(x, 2) * B(y, 2) + A(x, 3) * B(y, 3)))
#define DOT2(A, B, i) (z + (u32)(A(x, 0) * B(y, i)) + (u32)(A(x, 1) * B(y, (i) + 1)))
#define DOTS(name, A4, A2, B)                                    \
    LANE_FN3(dp4a_##name, u32, u32, u32, u32, DOT4(A4, B))       \
    LANE_FN3(dp2a_lo_##name, u32, u32, u32, u32, DOT2(A2, B, 0)) \
    LANE_FN3(dp2a_hi_##name, u32, u32, u32, u32, DOT2(A2, B, 2))
DOTS(uu, UBYTE, UHALF, UBYTE)
DOTS(us, UBYTE, UHALF, SBYTE)
DOTS(su, SBYTE, SHALF, UBYTE)
DOTS(ss, SBYTE, SHALF, SBYTE)

#define MUL_ROWS(B)                                                                                \
    LANE_ROW(MUL, U##B, NOTYPE, 0, mul_lo_##B), LANE_ROW(MUL, U##B, NOTYPE, LV_HI, mul_hi_u##B),   \
        LANE_ROW(MUL, S##B, NOTYPE, LV_HI, mul_hi_s##B),                                           \
        LANE_ROW(MAD, U##B, NOTYPE, 0, mad_lo_##B),                                                \
        LANE_ROW(MAD, U##B, NOTYPE, LV_HI, mad_hi_u##B),                                           \
        LANE_ROW(MAD, S##B, NOTYPE, LV_HI, mad_hi_s##B), LANE_ROW(DIV, U##B, NOTYPE, 0, div_u##B), \
        LANE_ROW(DIV, S##B, NOTYPE, 0, div_s##B), LANE_ROW(REM, U##B, NOTYPE, 0, rem_u##B),        \
        LANE_ROW(REM, S##B, NOTYPE, 0, rem_s##B),
#define WIDE_ROWS(T, t)                              \
    LANE_ROW(MUL, T, NOTYPE, LV_WIDE, mul_wide_##t), \
        LANE_ROW(MAD, T, NOTYPE, LV_WIDE, mad_wide_##t),
#define MUL24_ROWS(T, t)                                                                          \
    LANE_ROW(MUL24, T, NOTYPE, 0, mul24_lo_##t), LANE_ROW(MUL24, T, NOTYPE, LV_HI, mul24_hi_##t), \
        LANE_ROW(MAD24, T, NOTYPE, 0, mad24_lo_##t),                                              \
        LANE_ROW(MAD24, T, NOTYPE, LV_HI, mad24_hi_##t),
#define MADC_ROWS(B)                                                                            \
    LANE_ROW(MADC, U##B, NOTYPE, 0, madc_lo_##B), LANE_ROW(MADC, S##B, NOTYPE, 0, madc_lo_##B), \
        LANE_ROW(MADC, U##B, NOTYPE, LV_HI, madc_hi_u##B),                                      \
        LANE_ROW(MADC, S##B, NOTYPE, LV_HI, madc_hi_s##B),
#define DOT_ROWS(A, B, name)                                                       \
    LANE_ROW(DP4A, A, B, 0, dp4a_##name), LANE_ROW(DP2A, A, B, 0, dp2a_lo_##name), \
        LANE_ROW(DP2A, A, B, LV_HI, dp2a_hi_##name),

const struct lane_entry MV(lanes_muldiv)[] = {
    MUL_ROWS(16) MUL_ROWS(32) MUL_ROWS(64) WIDE_ROWS(U16, u16) WIDE_ROWS(S16, s16)
        WIDE_ROWS(U32, u32) WIDE_ROWS(S32, s32) MUL24_ROWS(U32, u32) MUL24_ROWS(S32, s32)
            MADC_ROWS(32) MADC_ROWS(64) DOT_ROWS(U32, U32, uu) DOT_ROWS(U32, S32, us)
                DOT_ROWS(S32, U32, su) DOT_ROWS(S32, S32, ss)
                    LANE_ROW(MAD, S32, NOTYPE, LV_HI | LV_SAT, mad_hi_sat_s32),
    LANE_ROW(MAD24, S32, NOTYPE, LV_HI | LV_SAT, mad24_hi_sat_s32),
    {0},
};
