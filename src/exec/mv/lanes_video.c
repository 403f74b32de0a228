/* Video instructions: parts of words, saturation, a secondary operation or a merge with c.
 *
 * The lane_op holds: type, type2, mode = types of d, a, b; sel_a, sel_b = parts of a and b; sel_d =
 * part of d that is written; boolop = secondary operation; cmp; sat;
 * flag = .wrap of the shifts; imm = LANE_VMAD_*. */
#include "exec/lanes_loop.h"

enum kind { ADD, SUB, ABSDIFF, AVRG, MIN, MAX, SET, SHL, SHR };

/* A part of a word. */
struct part {
    unsigned shift, bits;
};

struct shape {
    bool signed_d, signed_a, signed_b, sat, wrap;
    struct part a, b, d;
    u32 written; /* the bits of d that come from the operation, if not all or a sum */
    u8 second, cmp;
};

static inline struct part part_of(u8 sel)
{
    if (sel >= PTX_M_B0 && sel <= PTX_M_B3)
        return (struct part){8u * (unsigned)(sel - PTX_M_B0), 8};
    if (sel == PTX_M_H0 || sel == PTX_M_H1)
        return (struct part){16u * (unsigned)(sel - PTX_M_H0), 16};
    return (struct part){0, 32};
}

static inline struct shape shape_of(const struct lane_op *op)
{
    const struct part d = part_of(op->sel_d);
    return (struct shape){
        .signed_d = ptx_type_is_signed((enum ptx_type)op->type),
        .signed_a = ptx_type_is_signed((enum ptx_type)op->type2),
        .signed_b = ptx_type_is_signed((enum ptx_type)op->mode),
        .sat = op->sat,
        .wrap = op->flag,
        .a = part_of(op->sel_a),
        .b = part_of(op->sel_b),
        .d = d,
        .written = (u32)(((u64)1 << d.bits) - 1) << d.shift,
        .second = op->boolop,
        .cmp = op->cmp,
    };
}

static inline s64 extend(u32 v, unsigned bits, bool is_signed)
{
    const u64 top = (u64)v << (64 - bits);
    return is_signed ? (s64)top >> (64 - bits) : (s64)(top >> (64 - bits));
}

static inline s64 select_part(u32 v, struct part p, bool is_signed)
{
    return extend(v >> p.shift, p.bits, is_signed);
}

static inline s64 saturate(s64 v, unsigned bits, bool is_signed)
{
    const s64 hi = is_signed ? ((s64)1 << (bits - 1)) - 1 : ((s64)1 << bits) - 1;
    const s64 lo = is_signed ? -((s64)1 << (bits - 1)) : 0;
    return v > hi ? hi : v < lo ? lo : v;
}

static inline bool compare(u8 cmp, s64 x, s64 y)
{
    switch (cmp) {
    case PTX_M_EQ:
        return x == y;
    case PTX_M_NE:
        return x != y;
    case PTX_M_LT:
        return x < y;
    case PTX_M_LE:
        return x <= y;
    case PTX_M_GT:
        return x > y;
    default:
        return x >= y;
    }
}

/* A left shift by up to 32 of a 33-bit value; what does not fit stays beyond any saturation. */
static inline s64 shift_left(s64 x, u32 n)
{
    const s64 limit = INT64_MAX >> n;
    return x > limit ? INT64_MAX - (INT64_MAX & 0xffffffff) + (s64)((u64)x << n & 0xffffffff)
                     : (s64)((u64)x << n);
}

static inline s64 apply(enum kind k, const struct shape *s, s64 x, s64 y)
{
    const u32 n = s->wrap ? (u32)y & 31 : y > 32 || y < 0 ? 32 : (u32)y;
    switch (k) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case ABSDIFF:
        return x > y ? x - y : y - x;
    case MIN:
        return x < y ? x : y;
    case MAX:
        return x > y ? x : y;
    case SET:
        return compare(s->cmp, x, y);
    case SHL:
        return shift_left(x, n);
    default:
        return x >> n;
    }
}

/* The scalar forms. */
static inline u32 scalar(enum kind k, const struct shape *s, u32 a, u32 b, u32 c)
{
    const s64 x = select_part(a, s->a, s->signed_a), y = select_part(b, s->b, s->signed_b);
    s64 t = apply(k, s, x, y);
    if (s->sat)
        t = saturate(t, s->d.bits, s->signed_d);
    if (s->d.bits < 32)
        return ((u32)t << s->d.shift & s->written) | (c & ~s->written);
    const s64 u = extend((u32)t, 32, s->signed_d), v = extend(c, 32, s->signed_d);
    switch (s->second) {
    case PTX_M_ADD:
        return (u32)t + c;
    case PTX_M_MIN:
        return (u32)(u < v ? u : v);
    case PTX_M_MAX:
        return (u32)(u > v ? u : v);
    default:
        return (u32)t;
    }
}

/* One element of the SIMD forms, where 32 bits are enough for everything. */
static inline s32 element(enum kind k, const struct shape *s, u32 a, u32 b, unsigned bits)
{
    const u32 m = ((u32)1 << bits) - 1;
    const u32 top_a = (u32)s->signed_a << (bits - 1), top_b = (u32)s->signed_b << (bits - 1);
    const s32 x = (s32)((a & m) ^ top_a) - (s32)top_a, y = (s32)((b & m) ^ top_b) - (s32)top_b;
    const s32 t = k == ADD       ? x + y
                  : k == SUB     ? x - y
                  : k == ABSDIFF ? (x > y ? x - y : y - x)
                  : k == AVRG    ? (x + y + (x + y >= 0)) >> 1
                  : k == MIN     ? (x < y ? x : y)
                  : k == MAX     ? (x > y ? x : y)
                                 : compare(s->cmp, x, y);
    const s32 most = (s32)(m >> s->signed_d), least = s->signed_d ? -most - 1 : 0;
    const s32 hi = s->sat ? most : INT32_MAX, lo = s->sat ? least : INT32_MIN;
    return t > hi ? hi : t < lo ? lo : t;
}

/* The SIMD forms: elements of `bits`; those not written come from c, or all are added to it. */
static inline u32 simd(enum kind k, const struct shape *s, u32 a, u32 b, u32 c, unsigned bits)
{
    u32 sum = c, merged = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        const u32 t = (u32)element(k, s, a >> at, b >> at, bits), m = (u32)(((u64)1 << bits) - 1);
        sum += t & (0 - (s->written >> at & 1));
        merged |= (t & m) << at;
    }
    return s->second == PTX_M_ADD ? sum : (merged & s->written) | (c & ~s->written);
}

#define VIDEO(name, EXPR)                                                               \
    static void name(LANE_ARGS)                                                         \
    {                                                                                   \
        const struct shape s = shape_of(op);                                            \
        u32 *d = (u32 *)lane_at(&op->d, base);                                          \
        const u32 *xs = (const u32 *)lane_at(&op->src[0], base);                        \
        const u32 *ys = (const u32 *)lane_at(&op->src[1], base);                        \
        const u32 *zs = op->src[2].none ? xs : (const u32 *)lane_at(&op->src[2], base); \
        LANE_STORE(u32, d, mask, EXPR);                                                 \
    }
#define SCALAR(name, k) VIDEO(name, scalar(k, &s, xs[l], ys[l], zs[l]))
#define SIMD2(name, k)  VIDEO(name, simd(k, &s, xs[l], ys[l], zs[l], 16))
#define SIMD4(name, k)  VIDEO(name, simd(k, &s, xs[l], ys[l], zs[l], 8))
SCALAR(vadd, ADD)
SCALAR(vsub, SUB)
SCALAR(vabsdiff, ABSDIFF)
SCALAR(vmin, MIN)
SCALAR(vmax, MAX)
SCALAR(vset, SET)
SCALAR(vshl, SHL)
SCALAR(vshr, SHR)
SIMD2(vadd2, ADD)
SIMD2(vsub2, SUB)
SIMD2(vabsdiff2, ABSDIFF)
SIMD2(vavrg2, AVRG)
SIMD2(vmin2, MIN)
SIMD2(vmax2, MAX)
SIMD2(vset2, SET)
SIMD4(vadd4, ADD)
SIMD4(vsub4, SUB)
SIMD4(vabsdiff4, ABSDIFF)
SIMD4(vavrg4, AVRG)
SIMD4(vmin4, MIN)
SIMD4(vmax4, MAX)
SIMD4(vset4, SET)

/* vmad: a product of parts plus c in 128 bits, scaled down, saturated. Negation is a complement and
 * a one, which .po adds by itself. */
static inline u32 multiply_add(const struct shape *s, u32 how, u32 a, u32 b, u32 c)
{
    const bool negate = how & LANE_VMAD_NEG_PRODUCT, negate_c = how & LANE_VMAD_NEG_C;
    const bool is_signed = s->signed_a || s->signed_b || negate || negate_c;
    s128 t = (s128)select_part(a, s->a, s->signed_a) * select_part(b, s->b, s->signed_b);
    u32 one = 0;
    if (how & LANE_VMAD_PO) {
        one = 1;
    } else if (negate) {
        t = ~t;
        one = 1;
    } else if (negate_c) {
        c = ~c;
        one = 1;
    }
    t += (s128)extend(c, 32, is_signed || s->signed_d) + one;
    t >>= how & LANE_VMAD_SHR7 ? 7 : how & LANE_VMAD_SHR15 ? 15 : 0;
    if (!s->sat)
        return (u32)t;
    const s128 hi = is_signed ? INT32_MAX : UINT32_MAX, lo = is_signed ? INT32_MIN : 0;
    return (u32)(t > hi ? hi : t < lo ? lo : t);
}
VIDEO(vmad, multiply_add(&s, op->imm, xs[l], ys[l], zs[l]))

#define ROW(OP, fn) LANE_ROW(OP, NOTYPE, NOTYPE, LV_ANY, fn)

const struct lane_entry MV(lanes_video)[] = {
    ROW(VADD, vadd),     ROW(VSUB, vsub),   ROW(VABSDIFF, vabsdiff),   ROW(VMIN, vmin),
    ROW(VMAX, vmax),     ROW(VSET, vset),   ROW(VSHL, vshl),           ROW(VSHR, vshr),
    ROW(VMAD, vmad),     ROW(VADD2, vadd2), ROW(VSUB2, vsub2),         ROW(VABSDIFF2, vabsdiff2),
    ROW(VAVRG2, vavrg2), ROW(VMIN2, vmin2), ROW(VMAX2, vmax2),         ROW(VSET2, vset2),
    ROW(VADD4, vadd4),   ROW(VSUB4, vsub4), ROW(VABSDIFF4, vabsdiff4), ROW(VAVRG4, vavrg4),
    ROW(VMIN4, vmin4),   ROW(VMAX4, vmax4), ROW(VSET4, vset4),         {0},
};
