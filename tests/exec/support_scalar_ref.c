/* Second opinion on integers; which family an instruction is of; how close an approximation must
 * be. */
#include "exec/support_scalar_ref.h"

#include "exec/support_scalar_parts.h"

#include <math.h>
#include <string.h>

/* The whole product, its low or its high half; in unsigned arithmetic where 128 signed bits would
 * not hold it. */
static ref_s128 ref_product(const struct ptx_inst *i, bool hi, unsigned n, ref_s128 x, ref_s128 y,
                            ref_u128 ux, ref_u128 uy, bool is_signed)
{
    if (ref_has(i, PTX_M_WIDE))
        return x * y;
    if (hi)
        return is_signed ? (x * y) >> n : (ref_s128)((ux * uy) >> n);
    return (ref_s128)(ux * uy);
}

/* Sums, products, quotients. */
bool ref_integer(const struct ptx_inst *i, const uint64_t *s, bool cc, uint64_t *d, bool *cc_out)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    const unsigned n = ptx_type_bits(t);
    const bool sg = ptx_type_is_signed(t), hi = ref_has(i, PTX_M_HI), sat = ref_has(i, PTX_M_SAT);
    if (ptx_type_is_float(t) || t == PTX_U16X2 || t == PTX_S16X2 || t == PTX_PRED)
        return false;
    const ref_s128 x = ref_value(s[0], n, sg), y = ref_value(s[1], n, sg);
    const ref_s128 z = ref_value(s[2], n, sg), m = (ref_s128)1 << n;
    const ref_u128 ux = (ref_u128)ref_value(s[0], n, false),
                   uy = (ref_u128)ref_value(s[1], n, false);
    const bool reads = i->op == PTX_OP_ADDC || i->op == PTX_OP_SUBC || i->op == PTX_OP_MADC;
    const unsigned carry = reads && cc;
    ref_s128 r;
    switch (i->op) {
    case PTX_OP_ADD:
    case PTX_OP_ADDC:
        r = x + y + carry;
        *cc_out = (ux + uy + carry) >> n & 1;
        break;
    case PTX_OP_SUB:
    case PTX_OP_SUBC:
        /* The flag is the carry of x + ~y + 1: set if nothing was borrowed. */
        r = x - y - (i->op == PTX_OP_SUBC && !cc);
        *cc_out = ux >= uy + (i->op == PTX_OP_SUBC && !cc);
        break;
    case PTX_OP_NEG:
        r = -x;
        break;
    case PTX_OP_ABS:
        r = x < 0 ? -x : x;
        break;
    case PTX_OP_MIN:
        r = x < y ? x : y;
        r = ref_has(i, PTX_M_RELU) && r < 0 ? 0 : r;
        break;
    case PTX_OP_MAX:
        r = x > y ? x : y;
        r = ref_has(i, PTX_M_RELU) && r < 0 ? 0 : r;
        break;
    case PTX_OP_SAD:
        r = z + (x < y ? y - x : x - y);
        break;
    case PTX_OP_MUL:
        r = ref_product(i, hi, n, x, y, ux, uy, sg);
        break;
    case PTX_OP_MAD:
    case PTX_OP_MADC: {
        const ref_s128 p = ref_product(i, hi, n, x, y, ux, uy, sg);
        const ref_u128 part = (ref_u128)p & ((ref_u128)m - 1);
        r = (ref_s128)((ref_u128)p +
                       (ref_has(i, PTX_M_WIDE) ? (ref_u128)s[2] : (ref_u128)z + carry));
        *cc_out = (part + (ref_u128)ref_value(s[2], n, false) + carry) >> n & 1;
        break;
    }
    case PTX_OP_MUL24:
    case PTX_OP_MAD24: {
        const ref_s128 p = ref_value(s[0], 24, sg) * ref_value(s[1], 24, sg);
        r = (hi ? p >> 16 : p) + (i->op == PTX_OP_MAD24 ? z : 0);
        break;
    }
    case PTX_OP_DIV:
        r = y == 0 ? -1 : x / y;
        break;
    case PTX_OP_REM:
        r = y == 0 ? -1 : x % y;
        break;
    default:
        return false;
    }
    /* 64-bit products of 64-bit numbers may not fit 128 bits signed: the low part is unsigned. */
    if ((i->op == PTX_OP_MAD || i->op == PTX_OP_MADC) && n == 64 && !hi)
        r = (ref_s128)(ux * uy + s[2] + carry);
    if (hi && n == 64 && !sg &&
        (i->op == PTX_OP_MUL || i->op == PTX_OP_MAD || i->op == PTX_OP_MADC)) {
        r = (ref_s128)((ux * uy) >> 64);
        *cc_out = ((ref_u128)r + s[2] + carry) >> 64 & 1;
        if (i->op != PTX_OP_MUL)
            r += s[2] + (ref_s128)carry;
    }
    if (!ref_has(i, PTX_M_CC))
        *cc_out = cc;
    d[0] = (uint64_t)(sat ? ref_clamp(r, n, sg) : r);
    return true;
}

static bool ref_dot(const struct ptx_inst *i, const uint64_t *s, uint64_t *d)
{
    const bool sa = i->types[0] == PTX_S32, sb = i->types[1] == PTX_S32;
    ref_s128 sum = (ref_s128)s[2];
    if (i->op != PTX_OP_DP4A && i->op != PTX_OP_DP2A)
        return false;
    const unsigned n = i->op == PTX_OP_DP4A ? 4 : 2, wide = 32 / n;
    const unsigned first = n == 2 && ref_has(i, PTX_M_HI) ? 2 : 0;
    for (unsigned k = 0; k < n; k++)
        sum +=
            ref_value(s[0] >> (wide * k), wide, sa) * ref_value(s[1] >> (8 * (first + k)), 8, sb);
    d[0] = (uint64_t)sum;
    return true;
}

static bool ref_pairs(const struct ptx_inst *i, const uint64_t *s, uint64_t *d)
{
    struct ptx_inst half = *i;
    bool cc;
    if (i->types[0] != PTX_U16X2 && i->types[0] != PTX_S16X2)
        return false;
    half.types[0] = i->types[0] == PTX_U16X2 ? PTX_U16 : PTX_S16;
    uint64_t lo, hi;
    const uint64_t l[4] = {s[0] & 0xffff, s[1] & 0xffff}, h[4] = {s[0] >> 16, s[1] >> 16};
    if (!ref_integer(&half, l, false, &lo, &cc) || !ref_integer(&half, h, false, &hi, &cc))
        return false;
    d[0] = (lo & 0xffff) | (hi & 0xffff) << 16;
    return true;
}

static bool ref_moves(const struct ptx_inst *i, const uint64_t *s, uint64_t *d)
{
    switch (i->op) {
    case PTX_OP_MOV:
        d[0] = s[0];
        return true;
    case PTX_OP_SELP:
        d[0] = s[2] & 1 ? s[0] : s[1];
        return true;
    case PTX_OP_SLCT:
        if (i->types[1] == PTX_S32)
            d[0] = (int32_t)s[2] >= 0 ? s[0] : s[1];
        else
            d[0] = ref_compare(PTX_M_GE, PTX_F32, ref_has(i, PTX_M_FTZ), s[2], 0) ? s[0] : s[1];
        return true;
    case PTX_OP_COPYSIGN: {
        const uint64_t sign = i->types[0] == PTX_F64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
        d[0] = (s[0] & sign) | (s[1] & ~sign);
        return true;
    }
    default:
        return false;
    }
}

bool scalar_ref(const struct ptx_inst *i, const uint64_t src[4], bool cc_in, uint64_t dst[2],
                bool *cc_out)
{
    dst[0] = dst[1] = 0;
    *cc_out = cc_in;
    return ref_dot(i, src, dst) || ref_pairs(i, src, dst) || ref_moves(i, src, dst) ||
           ref_video(i, src, dst) || ref_bits(i, src, dst) || ref_compares(i, src, dst) ||
           ref_convert(i, src, dst) || ref_float(i, src, dst) ||
           ref_integer(i, src, cc_in, dst, cc_out);
}

bool scalar_ref_is_approx(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_EX2:
    case PTX_OP_LG2:
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_TANH:
    case PTX_OP_RSQRT:
        return true;
    case PTX_OP_DIV:
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
        return ref_has(i, PTX_M_APPROX) || ref_has(i, PTX_M_FULL);
    default:
        return false;
    }
}

static bool close_one(const struct ptx_inst *i, enum ptx_type t, uint64_t want, uint64_t got)
{
    const struct sf_format f = ref_format(t);
    const struct sf w = sf_unpack(f, want), g = sf_unpack(f, got);
    if (want == got || (w.kind == SF_NAN && g.kind == SF_NAN))
        return true;
    if (w.kind == SF_NAN || g.kind == SF_NAN)
        return false;
    /* The fast 64-bit forms keep 20 bits of significand. */
    const bool is_high = t == PTX_F64 && ref_has(i, PTX_M_FTZ);
    const uint64_t room = t == PTX_F32 ? 2 : is_high ? UINT64_C(2) << 32 : 4;
    if ((want ^ got) >> (ptx_type_bits(t) - 1) == 0) {
        const uint64_t far = want > got ? want - got : got - want;
        if (far <= room)
            return true;
    }
    if (w.kind == SF_INF || g.kind == SF_INF)
        return false;
    const double vw = ldexp((double)w.sig, w.exp) * (w.neg ? -1 : 1);
    const double vg = ldexp((double)g.sig, g.exp) * (g.neg ? -1 : 1);
    const double dist = fabs((w.kind == SF_ZERO ? 0 : vw) - (g.kind == SF_ZERO ? 0 : vg));
    switch (i->op) {
    case PTX_OP_SIN:
    case PTX_OP_COS:
        return dist <= 0x1p-22;
    case PTX_OP_LG2:
        return dist <= 0x1p-23;
    case PTX_OP_TANH:
        return dist <= 0x1p-11 * fabs(vw);
    default:
        return false;
    }
}

bool scalar_ref_close(const struct ptx_inst *i, uint64_t want, uint64_t got)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    if (t == PTX_F16X2 || t == PTX_BF16X2) {
        const enum ptx_type h = t == PTX_F16X2 ? PTX_F16 : PTX_BF16;
        return close_one(i, h, want & 0xffff, got & 0xffff) &&
               close_one(i, h, want >> 16 & 0xffff, got >> 16 & 0xffff);
    }
    return close_one(i, t, want, got);
}
