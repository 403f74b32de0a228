/* Video instructions, after the pseudo-code of the PTX manual. */
#include "exec/support_scalar_parts.h"

static unsigned part_bits(uint8_t sel)
{
    return sel >= PTX_M_B0 && sel <= PTX_M_B3 ? 8 : sel == PTX_M_H0 || sel == PTX_M_H1 ? 16 : 32;
}

static unsigned part_shift(uint8_t sel)
{
    const unsigned n = part_bits(sel);
    return n == 8    ? 8u * (unsigned)(sel - PTX_M_B0)
           : n == 16 ? 16u * (unsigned)(sel - PTX_M_H0)
                     : 0;
}

static ref_s128 part(uint64_t v, uint8_t sel, bool is_signed)
{
    return ref_value((uint32_t)v >> part_shift(sel), part_bits(sel), is_signed);
}

static ref_s128 primary(const struct ptx_inst *i, ref_s128 x, ref_s128 y)
{
    const bool wrap = ref_has(i, PTX_M_WRAP);
    const unsigned by = wrap ? (unsigned)y & 31 : y > 32 || y < 0 ? 32 : (unsigned)y;
    switch (i->op) {
    case PTX_OP_VADD:
    case PTX_OP_VADD2:
    case PTX_OP_VADD4:
        return x + y;
    case PTX_OP_VSUB:
    case PTX_OP_VSUB2:
    case PTX_OP_VSUB4:
        return x - y;
    case PTX_OP_VABSDIFF:
    case PTX_OP_VABSDIFF2:
    case PTX_OP_VABSDIFF4:
        return x < y ? y - x : x - y;
    case PTX_OP_VAVRG2:
    case PTX_OP_VAVRG4:
        return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
    case PTX_OP_VMIN:
    case PTX_OP_VMIN2:
    case PTX_OP_VMIN4:
        return x < y ? x : y;
    case PTX_OP_VMAX:
    case PTX_OP_VMAX2:
    case PTX_OP_VMAX4:
        return x < y ? y : x;
    case PTX_OP_VSHL:
        return x * ((ref_s128)1 << by);
    case PTX_OP_VSHR:
        return x >> by;
    default:
        switch (ref_comparison(i, false)) {
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
}

static uint64_t multiply(const struct ptx_inst *i, const uint64_t *s, bool sa, bool sb)
{
    const struct ptx_operand *o = i->ops;
    const bool np = o[1].neg != o[2].neg, nc = o[3].neg, sg = sa || sb || np || nc;
    ref_s128 t = part(s[0], o[1].selector, sa) * part(s[1], o[2].selector, sb);
    const bool sd = ptx_type_is_signed((enum ptx_type)i->types[0]);
    const ref_s128 c = ref_value(nc && !np && !ref_has(i, PTX_M_PO) ? ~s[2] : s[2], 32, sg || sd);
    if (ref_has(i, PTX_M_PO))
        t += c + 1;
    else if (np)
        t = c - t; /* ~t + 1 + c */
    else
        t += c + nc;
    t >>= ref_has(i, PTX_M_SHR7) ? 7 : ref_has(i, PTX_M_SHR15) ? 15 : 0;
    return (uint64_t)(ref_has(i, PTX_M_SAT) ? ref_clamp(t, 32, sg) : t);
}

bool ref_video(const struct ptx_inst *i, const uint64_t *s, uint64_t *d)
{
    if (i->op < PTX_OP_VABSDIFF || i->op > PTX_OP_VSUB4 || i->op == PTX_OP_VOTE)
        return false;
    const char *name = ptx_op_name((enum ptx_op)i->op);
    char last = 0;
    for (const char *p = name; *p; p++)
        last = *p;
    const unsigned bits = last == '2' ? 16 : last == '4' ? 8 : 32;
    const bool is_set = i->op == PTX_OP_VSET || i->op == PTX_OP_VSET2 || i->op == PTX_OP_VSET4;
    const unsigned at = is_set ? 0 : 1;
    const bool sa = ptx_type_is_signed((enum ptx_type)i->types[at]);
    const bool sb = ptx_type_is_signed((enum ptx_type)i->types[at + 1]);
    const bool sd = is_set ? sa : ptx_type_is_signed((enum ptx_type)i->types[0]);
    const bool sat = ref_has(i, PTX_M_SAT);
    const uint8_t dsel = i->ops[0].selector;
    if (i->op == PTX_OP_VMAD) {
        d[0] = multiply(i, s, sa, sb);
        return true;
    }
    if (bits == 32) {
        ref_s128 t =
            primary(i, part(s[0], i->ops[1].selector, sa), part(s[1], i->ops[2].selector, sb));
        if (sat)
            t = ref_clamp(t, part_bits(dsel), sd);
        const ref_s128 u = ref_value((uint64_t)t, 32, sd), c = ref_value(s[2], 32, sd);
        if (part_bits(dsel) < 32) {
            const uint64_t m = ((UINT64_C(1) << part_bits(dsel)) - 1) << part_shift(dsel);
            d[0] = ((uint64_t)t << part_shift(dsel) & m) | (s[2] & ~m);
        } else {
            d[0] = (uint64_t)(ref_has(i, PTX_M_ADD)   ? u + c
                              : ref_has(i, PTX_M_MIN) ? (u < c ? u : c)
                              : ref_has(i, PTX_M_MAX) ? (u < c ? c : u)
                                                      : u);
        }
        return true;
    }
    uint64_t sum = s[2], merged = 0;
    for (unsigned k = 0; k < 32; k += bits) {
        const uint64_t m = ((UINT64_C(1) << bits) - 1) << k;
        const bool on = part_bits(dsel) == 32 || part_shift(dsel) == k;
        ref_s128 t = primary(i, ref_value(s[0] >> k, bits, sa), ref_value(s[1] >> k, bits, sb));
        if (sat)
            t = ref_clamp(t, bits, sd);
        sum += on ? (uint64_t)t : 0;
        merged |= (on ? (uint64_t)t << k : s[2]) & m;
    }
    d[0] = ref_has(i, PTX_M_ADD) ? sum : merged;
    return true;
}
