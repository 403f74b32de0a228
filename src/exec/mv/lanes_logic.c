/* Bits: logic, shifts, fields, permutations, counting. */
#include "exec/lanes_loop.h"

#define FOR_WIDTHS(X) X(16) X(32) X(64)

/* Shift amounts are clamped to the width. */
static inline u32 shl_16(u16 x, u32 n)
{
    return n > 15 ? 0 : (u32)x << (n & 15);
}
static inline u32 shr_u16(u16 x, u32 n)
{
    return n > 15 ? 0 : (u32)x >> (n & 15);
}
static inline u32 shr_s16(s16 x, u32 n)
{
    return (u32)(x >> (n > 15 ? 15 : n));
}
#define SHIFTS(B)                                    \
    static inline u##B shl_##B(u##B x, u32 n)        \
    {                                                \
        return n > B - 1 ? 0 : x << (n & (B - 1));   \
    }                                                \
    static inline u##B shr_u##B(u##B x, u32 n)       \
    {                                                \
        return n > B - 1 ? 0 : x >> (n & (B - 1));   \
    }                                                \
    static inline u##B shr_s##B(s##B x, u32 n)       \
    {                                                \
        return (u##B)(x >> (n > B - 1 ? B - 1 : n)); \
    }
SHIFTS(32)
SHIFTS(64)

#define DEFINE(B)                                        \
    LANE_FN2(and_b##B, u##B, u##B, u##B, x &y)           \
    LANE_FN2(or_b##B, u##B, u##B, u##B, x | y)           \
    LANE_FN2(xor_b##B, u##B, u##B, u##B, x ^ y)          \
    LANE_FN1(not_b##B, u##B, u##B, ~x)                   \
    LANE_FN1(cnot_b##B, u##B, u##B, x == 0)              \
    LANE_FN2(shl_b##B, u##B, u##B, u32, shl_##B(x, y))   \
    LANE_FN2(shr_bu##B, u##B, u##B, u32, shr_u##B(x, y)) \
    LANE_FN2(shr_bs##B, u##B, s##B, u32, shr_s##B(x, y))
FOR_WIDTHS(DEFINE)
#undef DEFINE

#define PRED(name, EXPR)                                                              \
    static void name(LANE_ARGS)                                                       \
    {                                                                                 \
        const u32 x = lane_pred(&op->src[0], base), y = lane_pred(&op->src[1], base); \
        lane_set_pred(&op->d, base, mask, EXPR);                                      \
    }
PRED(and_pred, x &y)
PRED(or_pred, x | y)
PRED(xor_pred, x ^ y)

static void not_pred(LANE_ARGS)
{
    lane_set_pred(&op->d, base, mask, ~lane_pred(&op->src[0], base));
}

/* The truth table as a sum of products; the table's bits become masks once per warp. */
struct lut {
    u32 m[8];
};
static inline struct lut lut_of(u32 table)
{
    struct lut t;
    for (unsigned i = 0; i < 8; i++)
        t.m[i] = 0 - (table >> i & 1);
    return t;
}
static inline u32 lop3(const struct lut *t, u32 x, u32 y, u32 z)
{
    const u32 z0 = (t->m[0] & ~z) | (t->m[1] & z), z1 = (t->m[2] & ~z) | (t->m[3] & z);
    const u32 z2 = (t->m[4] & ~z) | (t->m[5] & z), z3 = (t->m[6] & ~z) | (t->m[7] & z);
    return (~x & ((~y & z0) | (y & z1))) | (x & ((~y & z2) | (y & z3)));
}

static void lop3_b32(LANE_ARGS)
{
    u32 *d = (u32 *)lane_at(&op->d, base);
    const u32 *xs = (const u32 *)lane_at(&op->src[0], base);
    const u32 *ys = (const u32 *)lane_at(&op->src[1], base);
    const u32 *zs = (const u32 *)lane_at(&op->src[2], base);
    const struct lut t = lut_of(op->imm);
    LANE_STORE(u32, d, mask, lop3(&t, xs[l], ys[l], zs[l]));
}

/* lop3.BoolOp d|p, a, b, c, immLut, q: p = (d != 0) BoolOp q; d may be the sink. */
static void lop3_bool(LANE_ARGS)
{
    const u32 *xs = (const u32 *)lane_at(&op->src[0], base);
    const u32 *ys = (const u32 *)lane_at(&op->src[1], base);
    const u32 *zs = (const u32 *)lane_at(&op->src[2], base);
    const u32 q = lane_pred(&op->src[3], base);
    const struct lut t = lut_of(op->imm);
    u32 r[WARP_LANES], p = 0;
    LANE_FOR
    {
        r[l] = lop3(&t, xs[l], ys[l], zs[l]);
        p |= (u32)(r[l] != 0) << l;
    }
    p = op->boolop == PTX_M_AND ? p & q : op->boolop == PTX_M_OR ? p | q : p ^ q;
    if (!op->d.none) {
        u32 *d = (u32 *)lane_at(&op->d, base);
        LANE_STORE(u32, d, mask, r[l]);
    }
    lane_set_pred(&op->d2, base, mask, p);
}

/* Funnel shifts of y:x. */
static inline u32 funnel_left(u32 x, u32 y, u32 n)
{
    return (u32)((((u64)y << 32 | x) << n) >> 32);
}
static inline u32 funnel_right(u32 x, u32 y, u32 n)
{
    return (u32)(((u64)y << 32 | x) >> n);
}
LANE_FN3(shf_l_clamp, u32, u32, u32, u32, funnel_left(x, y, z > 32 ? 32 : z))
/* In halves of 32 bits: shifting by 32 takes two steps. */
LANE_FN3(shf_l_wrap, u32, u32, u32, u32, (y << (z & 31)) | ((x >> 1) >> (~z & 31)))
LANE_FN3(shf_r_clamp, u32, u32, u32, u32, funnel_right(x, y, z > 32 ? 32 : z))
LANE_FN3(shf_r_wrap, u32, u32, u32, u32, (x >> (z & 31)) | ((y << 1) << (~z & 31)))

/* Byte permutation. The default takes four selectors of four bits from z, whose top bit replicates
 * the byte's sign; the other modes take selectors from a table by the two low bits of z. */
static inline u32 prmt(u32 x, u32 y, u32 sel)
{
    const u64 both = (u64)y << 32 | x;
    u32 r = 0;
    for (unsigned i = 0; i < 4; i++) {
        const u32 s = sel >> (4 * i) & 15;
        const u32 byte = (u32)(both >> (8 * (s & 7))) & 0xff;
        r |= (s & 8 ? 0xff & (0 - (byte >> 7)) : byte) << (8 * i);
    }
    return r;
}

static inline u32 prmt_mode(u32 x, u32 y, u32 z, const u16 *table)
{
    return prmt(x, y, table[z & 3]);
}

static const u16 prmt_f4e[4] = {0x3210, 0x4321, 0x5432, 0x6543};
static const u16 prmt_b4e[4] = {0x5670, 0x6701, 0x7012, 0x0123};
static const u16 prmt_rc8[4] = {0x0000, 0x1111, 0x2222, 0x3333};
static const u16 prmt_ecl[4] = {0x3210, 0x3211, 0x3222, 0x3333};
static const u16 prmt_ecr[4] = {0x0000, 0x1110, 0x2210, 0x3210};
static const u16 prmt_rc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
LANE_FN3(prmt_index, u32, u32, u32, u32, prmt(x, y, z))
LANE_FN3(prmt_b32_f4e, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_f4e))
LANE_FN3(prmt_b32_b4e, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_b4e))
LANE_FN3(prmt_b32_rc8, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_rc8))
LANE_FN3(prmt_b32_ecl, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_ecl))
LANE_FN3(prmt_b32_ecr, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_ecr))
LANE_FN3(prmt_b32_rc16, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_rc16))

/* Counting. Population count is written out because it is no vector operation on most hosts and
 * this shape is. */
static inline u32 popc_32(u32 x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return (x * 0x01010101) >> 24;
}
static inline u32 popc_64(u64 x)
{
    return popc_32((u32)x) + popc_32((u32)(x >> 32));
}
static inline u32 clz_32(u32 x)
{
    return x ? (u32)__builtin_clz(x) : 32;
}
static inline u32 clz_64(u64 x)
{
    return x ? (u32)__builtin_clzll(x) : 64;
}
static inline u32 brev_32(u32 x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}
static inline u64 brev_64(u64 x)
{
    return (u64)brev_32((u32)x) << 32 | brev_32((u32)(x >> 32));
}
/* The place of the highest bit that differs from the sign; -1 if there is none. */
static inline u32 bfind_32(u32 x)
{
    return 31 - clz_32(x);
}
static inline u32 bfind_64(u64 x)
{
    return 63 - clz_64(x);
}
#define UNSIGN(B, x) ((x) ^ (u##B)((s##B)(x) >> (B - 1)))
#define COUNTS(B)                                                                \
    LANE_FN1(popc_b##B, u32, u##B, popc_##B(x))                                  \
    LANE_FN1(clz_b##B, u32, u##B, clz_##B(x))                                    \
    LANE_FN1(brev_b##B, u##B, u##B, brev_##B(x))                                 \
    LANE_FN1(bfind_u##B, u32, u##B, bfind_##B(x))                                \
    LANE_FN1(bfind_s##B, u32, u##B, bfind_##B(UNSIGN(B, x)))                     \
    LANE_FN1(bfind_shift_u##B, u32, u##B, x ? B - 1 - bfind_##B(x) : UINT32_MAX) \
    LANE_FN1(bfind_shift_s##B, u32, u##B,                                        \
             UNSIGN(B, x) ? B - 1 - bfind_##B(UNSIGN(B, x)) : UINT32_MAX)
COUNTS(32)
COUNTS(64)

/* Fields: position and length are taken from the low 8 bits by the 32-bit forms, whole by the
 * 64-bit ones. A field that begins beyond the word is empty (bfe.s: all sign), one that ends beyond
 * it is cut (bfe.s: sign-extended). */
static inline u32 place_32(u32 v)
{
    return v & 0xff;
}
static inline u32 place_64(u32 v)
{
    return v > 0xff ? 0xff : v;
}
#define FIELDS(B)                                                                   \
    static inline u##B low_mask_##B(u32 len)                                        \
    {                                                                               \
        return len > B - 1 ? (u##B) - 1 : ((u##B)1 << (len & (B - 1))) - 1;         \
    }                                                                               \
    static inline u##B bfe_u##B(u##B x, u32 pos, u32 len)                           \
    {                                                                               \
        return shr_u##B(x, place_##B(pos)) & low_mask_##B(place_##B(len));          \
    }                                                                               \
    static inline u##B bfe_s##B(u##B x, u32 pos, u32 len)                           \
    {                                                                               \
        pos = place_##B(pos);                                                       \
        len = place_##B(len);                                                       \
        const u32 top = pos + len - 1 < B - 1 ? pos + len - 1 : B - 1;              \
        const u##B sign = 0 - (x >> (top & (B - 1)) & 1), keep = low_mask_##B(len); \
        const u##B field = pos > B - 1 ? sign : x >> (pos & (B - 1));               \
        const u##B fits = pos > B - 1 ? 0 : low_mask_##B(B - pos) & keep;           \
        return len ? (field & fits) | (sign & ~fits) : 0;                           \
    }                                                                               \
    static inline u##B bfi_##B(u##B x, u##B y, u32 pos, u32 len)                    \
    {                                                                               \
        pos = place_##B(pos);                                                       \
        const u##B m = shl_##B(low_mask_##B(place_##B(len)), pos);                  \
        return (shl_##B(x, pos) & m) | (y & ~m);                                    \
    }                                                                               \
    LANE_FN3(bfe_bu##B, u##B, u##B, u32, u32, bfe_u##B(x, y, z))                    \
    LANE_FN3(bfe_bs##B, u##B, u##B, u32, u32, bfe_s##B(x, y, z))                    \
    LANE_FN4(bfi_b##B, u##B, u##B, u##B, u32, u32, bfi_##B(x, y, z, w))
FIELDS(32)
FIELDS(64)

/* bmsk: a mask of y bits from bit x on. szext: x extended from its low y bits. */
static inline u32 bmsk_clamp(u32 pos, u32 len)
{
    return shl_32(low_mask_32(len), pos);
}
static inline u32 szext_u(u32 x, u32 n)
{
    return x & low_mask_32(n);
}
static inline u32 szext_s(u32 x, u32 n)
{
    const u32 keep = low_mask_32(n);
    const u32 sign = n ? 0 - (x >> ((n > 31 ? 31 : n - 1) & 31) & 1) : 0;
    return (x & keep) | (sign & ~keep);
}
LANE_FN2(bmsk_clamp_b32, u32, u32, u32, bmsk_clamp(x, y))
LANE_FN2(bmsk_wrap_b32, u32, u32, u32, bmsk_clamp(x & 31, y & 31))
LANE_FN2(szext_clamp_u32, u32, u32, u32, szext_u(x, y))
LANE_FN2(szext_wrap_u32, u32, u32, u32, szext_u(x, y & 31))
LANE_FN2(szext_clamp_s32, u32, u32, u32, szext_s(x, y))
LANE_FN2(szext_wrap_s32, u32, u32, u32, szext_s(x, y & 31))

/* fns: the place of the n-th set bit of x, counted from bit `from` upwards (n > 0) or downwards
 * (n < 0); n = 0 asks whether bit `from` itself is set. */
static inline u32 fns(u32 x, u32 from, s32 n)
{
    if (from > 31)
        return UINT32_MAX;
    if (n == 0)
        return x >> from & 1 ? from : UINT32_MAX;
    const int step = n > 0 ? 1 : -1;
    u32 left = n > 0 ? (u32)n : 0 - (u32)n;
    for (int at = (int)from; at >= 0 && at < 32; at += step)
        if ((x >> at & 1) && --left == 0)
            return (u32)at;
    return UINT32_MAX;
}
LANE_FN3(fns_b32, u32, u32, u32, s32, fns(x, y, z))

#define ROWS(B)                                                                               \
    LANE_ROW(AND, U##B, NOTYPE, 0, and_b##B), LANE_ROW(OR, U##B, NOTYPE, 0, or_b##B),         \
        LANE_ROW(XOR, U##B, NOTYPE, 0, xor_b##B), LANE_ROW(NOT, U##B, NOTYPE, 0, not_b##B),   \
        LANE_ROW(CNOT, U##B, NOTYPE, 0, cnot_b##B), LANE_ROW(SHL, U##B, NOTYPE, 0, shl_b##B), \
        LANE_ROW(SHR, U##B, NOTYPE, 0, shr_bu##B), LANE_ROW(SHR, S##B, NOTYPE, 0, shr_bs##B),
#define COUNT_ROWS(B)                                                                             \
    LANE_ROW(POPC, U##B, NOTYPE, 0, popc_b##B), LANE_ROW(CLZ, U##B, NOTYPE, 0, clz_b##B),         \
        LANE_ROW(BREV, U##B, NOTYPE, 0, brev_b##B), LANE_ROW(BFIND, U##B, NOTYPE, 0, bfind_u##B), \
        LANE_ROW(BFIND, S##B, NOTYPE, 0, bfind_s##B),                                             \
        LANE_ROW(BFIND, U##B, NOTYPE, LV_RIGHT, bfind_shift_u##B),                                \
        LANE_ROW(BFIND, S##B, NOTYPE, LV_RIGHT, bfind_shift_s##B),                                \
        LANE_ROW(BFE, U##B, NOTYPE, 0, bfe_bu##B), LANE_ROW(BFE, S##B, NOTYPE, 0, bfe_bs##B),     \
        LANE_ROW(BFI, U##B, NOTYPE, 0, bfi_b##B),

const struct lane_entry MV(lanes_logic)[] = {
    FOR_WIDTHS(ROWS) COUNT_ROWS(32) COUNT_ROWS(64) LANE_ROW(AND, PRED, NOTYPE, 0, and_pred),
    LANE_ROW(OR, PRED, NOTYPE, 0, or_pred),
    LANE_ROW(XOR, PRED, NOTYPE, 0, xor_pred),
    LANE_ROW(NOT, PRED, NOTYPE, 0, not_pred),
    LANE_ROW(LOP3, U32, NOTYPE, 0, lop3_b32),
    LANE_ROW(LOP3, PRED, NOTYPE, 0, lop3_bool),
    LANE_ROW(SHF, U32, NOTYPE, 0, shf_l_clamp),
    LANE_ROW(SHF, U32, NOTYPE, LV_WRAP, shf_l_wrap),
    LANE_ROW(SHF, U32, NOTYPE, LV_RIGHT, shf_r_clamp),
    LANE_ROW(SHF, U32, NOTYPE, LV_RIGHT | LV_WRAP, shf_r_wrap),
    LANE_ROW(PRMT, U32, NOTYPE, 0, prmt_index),
    LANE_ROW(PRMT, U32, NOTYPE, PTX_M_F4E, prmt_b32_f4e),
    LANE_ROW(PRMT, U32, NOTYPE, PTX_M_B4E, prmt_b32_b4e),
    LANE_ROW(PRMT, U32, NOTYPE, PTX_M_RC8, prmt_b32_rc8),
    LANE_ROW(PRMT, U32, NOTYPE, PTX_M_ECL, prmt_b32_ecl),
    LANE_ROW(PRMT, U32, NOTYPE, PTX_M_ECR, prmt_b32_ecr),
    LANE_ROW(PRMT, U32, NOTYPE, PTX_M_RC16, prmt_b32_rc16),
    LANE_ROW(BMSK, U32, NOTYPE, 0, bmsk_clamp_b32),
    LANE_ROW(BMSK, U32, NOTYPE, LV_WRAP, bmsk_wrap_b32),
    LANE_ROW(SZEXT, U32, NOTYPE, 0, szext_clamp_u32),
    LANE_ROW(SZEXT, U32, NOTYPE, LV_WRAP, szext_wrap_u32),
    LANE_ROW(SZEXT, S32, NOTYPE, 0, szext_clamp_s32),
    LANE_ROW(SZEXT, S32, NOTYPE, LV_WRAP, szext_wrap_s32),
    LANE_ROW(FNS, U32, NOTYPE, 0, fns_b32),
    {0},
};
