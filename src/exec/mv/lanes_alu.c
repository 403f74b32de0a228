/* Moves, selections, and integer arithmetic without multiplication. */
#include "exec/lanes_loop.h"

/* X(bits): the loops that are the same for all three widths. */
#define FOR_WIDTHS(X) X(16) X(32) X(64)

#define DEFINE(B)                                                              \
    LANE_FN2(add_##B, u##B, u##B, u##B, x + y)                                 \
    LANE_FN2(sub_##B, u##B, u##B, u##B, x - y)                                 \
    LANE_FN1(neg_##B, u##B, u##B, 0 - x)                                       \
    LANE_FN1(abs_##B, u##B, s##B, x < 0 ? 0 - (u##B)x : (u##B)x)               \
    LANE_FN2(min_u##B, u##B, u##B, u##B, x < y ? x : y)                        \
    LANE_FN2(max_u##B, u##B, u##B, u##B, x > y ? x : y)                        \
    LANE_FN2(min_s##B, u##B, s##B, s##B, x < y ? x : y)                        \
    LANE_FN2(max_s##B, u##B, s##B, s##B, x > y ? x : y)                        \
    LANE_FN3(sad_u##B, u##B, u##B, u##B, u##B, z + (x < y ? y - x : x - y))    \
    LANE_FN3(sad_s##B, u##B, s##B, s##B, u##B,                                 \
             z + (x < y ? (u##B)y - (u##B)x : (u##B)x - (u##B)y))              \
    LANE_FN1(mov_##B, u##B, u##B, x)                                           \
    LANE_FN3(slct_s_##B, u##B, u##B, u##B, s32, z >= 0 ? x : y)                \
    LANE_FN3(slct_f_##B, u##B, u##B, u##B, u32, select_ge0(z) ? x : y)         \
    LANE_FN3(slct_f_ftz_##B, u##B, u##B, u##B, u32, select_ge0_ftz(z) ? x : y) \
    static void selp_##B(LANE_ARGS)                                            \
    {                                                                          \
        u##B *d = (u##B *)lane_at(&op->d, base);                               \
        const u##B *xs = (const u##B *)lane_at(&op->src[0], base);             \
        const u##B *ys = (const u##B *)lane_at(&op->src[1], base);             \
        const u32 p = lane_pred(&op->src[2], base);                            \
        LANE_STORE(u##B, d, mask, ({                                           \
                       const u##B s = LANE_MASK(u##B, p);                      \
                       (xs[l] & s) | (ys[l] & (u##B) ~s);                      \
                   }));                                                        \
    }

/* c >= 0 as f32 bits: positive and not NaN, or a negative zero. */
static inline bool select_ge0(u32 c)
{
    return (c <= 0x7f800000) | (c == 0x80000000);
}

static inline bool select_ge0_ftz(u32 c)
{
    return (c <= 0x7f800000) | (c - 0x80000000 < 0x00800000);
}

FOR_WIDTHS(DEFINE)
#undef DEFINE

static inline u32 add_sat(u32 x, u32 y)
{
    const u32 r = x + y, limit = 0x7fffffff + (x >> 31);
    return (s32)(~(x ^ y) & (x ^ r)) < 0 ? limit : r;
}

static inline u32 sub_sat(u32 x, u32 y)
{
    const u32 r = x - y, limit = 0x7fffffff + (x >> 31);
    return (s32)((x ^ y) & (x ^ r)) < 0 ? limit : r;
}

LANE_FN2(add_sat_s32, u32, u32, u32, add_sat(x, y))
LANE_FN2(sub_sat_s32, u32, u32, u32, sub_sat(x, y))
LANE_FN2(min_relu_s32, u32, s32, s32, (x < y ? x : y) > 0 ? (x < y ? x : y) : 0)
LANE_FN2(max_relu_s32, u32, s32, s32, (x > y ? x : y) > 0 ? (x > y ? x : y) : 0)

/* Packed pairs are 64 lanes of 16 bits. */
#define PAIRS(name, T, EXPR)                                       \
    static void name(LANE_ARGS)                                    \
    {                                                              \
        u32 *d = (u32 *)lane_at(&op->d, base);                     \
        const u32 *xs = (const u32 *)lane_at(&op->src[0], base);   \
        const u32 *ys = (const u32 *)lane_at(&op->src[1], base);   \
        LANE_STORE(u32, d, mask, ({                                \
                       T x = (T)xs[l], y = (T)ys[l];               \
                       const u32 lo = (u16)(EXPR);                 \
                       x = (T)(xs[l] >> 16), y = (T)(ys[l] >> 16); \
                       lo | (u32)(u16)(EXPR) << 16;                \
                   }));                                            \
    }
PAIRS(add_16x2, u16, x + y)
PAIRS(sub_16x2, u16, x - y)
PAIRS(min_u16x2, u16, x < y ? x : y)
PAIRS(max_u16x2, u16, x > y ? x : y)
PAIRS(min_s16x2, s16, x < y ? x : y)
PAIRS(max_s16x2, s16, x > y ? x : y)
PAIRS(min_relu_s16x2, s16, (x < y ? x : y) > 0 ? (x < y ? x : y) : 0)
PAIRS(max_relu_s16x2, s16, (x > y ? x : y) > 0 ? (x > y ? x : y) : 0)

static void mov_128(LANE_ARGS)
{
    u64 *d = (u64 *)lane_at(&op->d, base);
    const u64 *xs = (const u64 *)lane_at(&op->src[0], base);
    for (unsigned l = 0; l < WARP_LANES; l++)
        if (mask >> l & 1) {
            d[2 * l] = xs[2 * l];
            d[2 * l + 1] = xs[2 * l + 1];
        }
}

static void mov_pred(LANE_ARGS)
{
    lane_set_pred(&op->d, base, mask, lane_pred(&op->src[0], base));
}

/* The extended-precision family. The flag is the adder's carry: subtraction adds the complement and
 * a one, so that its flag says that nothing was borrowed. Y is y or its complement, START the
 * incoming carry where the instruction reads none. */
#define CARRY(name, B, Y, START)                                                    \
    static void name(LANE_ARGS)                                                     \
    {                                                                               \
        u##B *d = (u##B *)lane_at(&op->d, base), r_[WARP_LANES];                    \
        const u##B *xs = (const u##B *)lane_at(&op->src[0], base);                  \
        const u##B *ys = (const u##B *)lane_at(&op->src[1], base);                  \
        const u32 in = op->mode & LANE_CARRY_IN ? lane_pred(&op->cc, base) : START; \
        u32 out = 0;                                                                \
        LANE_FOR                                                                    \
        {                                                                           \
            const u##B x = xs[l], y = ys[l], c = (u##B)(in >> l & 1);               \
            const u##B r = x + (Y) + c;                                             \
            r_[l] = r;                                                              \
            out |= (u32)((r < x) | ((r == x) & c)) << l;                            \
        }                                                                           \
        LANE_STORE(u##B, d, mask, r_[l]);                                           \
        if (op->mode & LANE_CARRY_OUT)                                              \
            lane_set_pred(&op->cc, base, mask, out);                                \
    }
CARRY(add_carry_32, 32, y, 0)
CARRY(add_carry_64, 64, y, 0)
CARRY(sub_carry_32, 32, ~y, LANE_ALL)
CARRY(sub_carry_64, 64, ~y, LANE_ALL)

#define ROWS(B)                                                                             \
    LANE_ROW(ADD, U##B, NOTYPE, 0, add_##B), LANE_ROW(SUB, U##B, NOTYPE, 0, sub_##B),       \
        LANE_ROW(NEG, U##B, NOTYPE, 0, neg_##B), LANE_ROW(ABS, U##B, NOTYPE, 0, abs_##B),   \
        LANE_ROW(MIN, U##B, NOTYPE, 0, min_u##B), LANE_ROW(MAX, U##B, NOTYPE, 0, max_u##B), \
        LANE_ROW(MIN, S##B, NOTYPE, 0, min_s##B), LANE_ROW(MAX, S##B, NOTYPE, 0, max_s##B), \
        LANE_ROW(SAD, U##B, NOTYPE, 0, sad_u##B), LANE_ROW(SAD, S##B, NOTYPE, 0, sad_s##B), \
        LANE_ROW(MOV, U##B, NOTYPE, 0, mov_##B), LANE_ROW(SLCT, U##B, S32, 0, slct_s_##B),  \
        LANE_ROW(SLCT, U##B, F32, 0, slct_f_##B),                                           \
        LANE_ROW(SLCT, U##B, F32, LV_FTZ, slct_f_ftz_##B),                                  \
        LANE_ROW(SELP, U##B, NOTYPE, 0, selp_##B),

const struct lane_entry MV(lanes_alu)[] = {
    FOR_WIDTHS(ROWS) LANE_ROW(ADD, S32, NOTYPE, LV_SAT, add_sat_s32),
    LANE_ROW(SUB, S32, NOTYPE, LV_SAT, sub_sat_s32),
    LANE_ROW(MIN, S32, NOTYPE, LV_RELU, min_relu_s32),
    LANE_ROW(MAX, S32, NOTYPE, LV_RELU, max_relu_s32),
    LANE_ROW(ADD, U16X2, NOTYPE, 0, add_16x2),
    LANE_ROW(SUB, U16X2, NOTYPE, 0, sub_16x2),
    LANE_ROW(MIN, U16X2, NOTYPE, 0, min_u16x2),
    LANE_ROW(MAX, U16X2, NOTYPE, 0, max_u16x2),
    LANE_ROW(MIN, S16X2, NOTYPE, 0, min_s16x2),
    LANE_ROW(MAX, S16X2, NOTYPE, 0, max_s16x2),
    LANE_ROW(MIN, S16X2, NOTYPE, LV_RELU, min_relu_s16x2),
    LANE_ROW(MAX, S16X2, NOTYPE, LV_RELU, max_relu_s16x2),
    LANE_ROW(MOV, B128, NOTYPE, 0, mov_128),
    LANE_ROW(MOV, PRED, NOTYPE, 0, mov_pred),
    LANE_ROW(ADDC, U32, NOTYPE, 0, add_carry_32),
    LANE_ROW(ADDC, U64, NOTYPE, 0, add_carry_64),
    LANE_ROW(SUBC, U32, NOTYPE, 0, sub_carry_32),
    LANE_ROW(SUBC, U64, NOTYPE, 0, sub_carry_64),
    {0},
};
