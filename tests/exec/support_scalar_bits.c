/* Second opinion on logic, shifts and bit fields. */
#include "exec/support_scalar_parts.h"

static bool bit(uint64_t v, unsigned at)
{
    return v >> at & 1;
}

static uint64_t find_top(uint64_t v, unsigned n)
{
    for (unsigned k = n; k-- > 0;)
        if (bit(v, k))
            return k;
    return UINT32_MAX;
}

/* Places and lengths have 8 bits in the 32-bit forms, 32 in the others. */
static uint64_t field_arg(uint64_t v, unsigned n)
{
    return n == 32 ? v & 0xff : v & UINT32_MAX;
}

static uint64_t extract_field(const uint64_t *s, unsigned n, bool sg)
{
    const uint64_t pos = field_arg(s[1], n), len = field_arg(s[2], n);
    uint64_t top = pos + len - 1;
    top = top > n - 1 ? n - 1 : top;
    const bool sign = sg && len && bit(s[0], (unsigned)top);
    uint64_t r = 0;
    for (unsigned k = 0; k < n; k++) {
        const bool inside = k < len && pos + k <= n - 1;
        r |= (uint64_t)(inside ? bit(s[0], (unsigned)pos + k) : sign) << k;
    }
    return r;
}

static uint64_t insert_field(const uint64_t *s, unsigned n)
{
    const uint64_t pos = field_arg(s[2], n), len = field_arg(s[3], n);
    uint64_t r = s[1];
    for (unsigned k = 0; k < len && pos + k < n; k++) {
        const uint64_t at = UINT64_C(1) << (pos + k);
        r = bit(s[0], k) ? r | at : r & ~at;
    }
    return r;
}

static uint64_t permute(const struct ptx_inst *i, const uint64_t *s)
{
    const uint64_t both = (s[1] << 32) | (s[0] & 0xffffffff);
    const unsigned c = s[2] & 3;
    uint64_t r = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned from = s[2] >> (4 * k) & 7;
        bool sign = s[2] >> (4 * k) & 8;
        if (i->nmods)
            sign = false;
        if (ref_has(i, PTX_M_F4E))
            from = c + k;
        if (ref_has(i, PTX_M_B4E))
            from = (c + 8 - k) & 7;
        if (ref_has(i, PTX_M_RC8))
            from = c;
        if (ref_has(i, PTX_M_ECL))
            from = k > c ? k : c;
        if (ref_has(i, PTX_M_ECR))
            from = k < c ? k : c;
        if (ref_has(i, PTX_M_RC16))
            from = 2 * (c & 1) + (k & 1);
        uint64_t byte = both >> (8 * from) & 0xff;
        if (sign)
            byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * k);
    }
    return r;
}

/* The place of the n-th set bit from `base` on, upwards or downwards. */
static uint64_t find_nth(uint32_t v, uint32_t base, int32_t n)
{
    int64_t left = n;
    if (base > 31)
        return UINT32_MAX;
    if (n == 0)
        return bit(v, base) ? base : UINT32_MAX;
    for (int at = (int)base; at >= 0 && at<32; at += n> 0 ? 1 : -1)
        if (bit(v, (unsigned)at)) {
            left += n > 0 ? -1 : 1;
            if (left == 0)
                return (uint64_t)at;
        }
    return UINT32_MAX;
}

static uint64_t table_lookup(const struct ptx_inst *i, const uint64_t *s)
{
    uint64_t r = 0;
    for (unsigned k = 0; k < 32; k++)
        r |= (uint64_t)bit((uint64_t)i->ops[4].imm,
                           4 * bit(s[0], k) + 2 * bit(s[1], k) + bit(s[2], k))
             << k;
    return r;
}

static bool logic(const struct ptx_inst *i, const uint64_t *s, uint64_t *d)
{
    switch (i->op) {
    case PTX_OP_AND:
        *d = s[0] & s[1];
        return true;
    case PTX_OP_OR:
        *d = s[0] | s[1];
        return true;
    case PTX_OP_XOR:
        *d = s[0] ^ s[1];
        return true;
    case PTX_OP_NOT:
        *d = ~s[0];
        return true;
    default:
        return false;
    }
}

bool ref_bits(const struct ptx_inst *i, const uint64_t *s, uint64_t *d)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    const unsigned n = ptx_type_bits(t);
    const bool sg = ptx_type_is_signed(t), wrap = ref_has(i, PTX_M_WRAP);
    const uint64_t v = n < 64 ? s[0] & ((UINT64_C(1) << n) - 1) : s[0];
    const uint32_t count = (uint32_t)s[1], c32 = (uint32_t)s[2];
    if (logic(i, s, d))
        return true;
    switch (i->op) {
    case PTX_OP_CNOT:
        d[0] = v == 0;
        return true;
    case PTX_OP_SHL:
        d[0] = count < n ? v << count : 0;
        return true;
    case PTX_OP_SHR:
        d[0] = (uint64_t)(ref_value(s[0], n, sg) >> (count > n ? n : count));
        return true;
    case PTX_OP_SHF: {
        const uint64_t both = (uint64_t)(uint32_t)s[1] << 32 | (uint32_t)s[0];
        const unsigned by = wrap ? c32 & 31 : c32 > 32 ? 32 : c32;
        d[0] = ref_has(i, PTX_M_L) ? (uint64_t)(((ref_u128)both << by) >> 32) : both >> by;
        d[0] &= UINT32_MAX;
        return true;
    }
    case PTX_OP_LOP3:
        d[0] = table_lookup(i, s);
        d[1] = d[0] != 0;
        if (ref_has(i, PTX_M_AND))
            d[1] &= s[3] & 1;
        if (ref_has(i, PTX_M_OR))
            d[1] |= s[3] & 1;
        if (ref_has(i, PTX_M_XOR))
            d[1] ^= s[3] & 1;
        return true;
    case PTX_OP_PRMT:
        d[0] = permute(i, s);
        return true;
    case PTX_OP_BFE:
        d[0] = extract_field(s, n, sg);
        return true;
    case PTX_OP_BFI:
        d[0] = insert_field(s, n);
        return true;
    case PTX_OP_BFIND: {
        const uint64_t top = find_top(sg && bit(v, n - 1) ? ~s[0] : v, n);
        d[0] = ref_has(i, PTX_M_SHIFTAMT) && top != UINT32_MAX ? n - 1 - top : top;
        return true;
    }
    case PTX_OP_BMSK: {
        const uint32_t a = wrap ? s[0] & 31 : (uint32_t)s[0], b = wrap ? count & 31 : count;
        for (uint64_t k = a; k < 32 && k < (uint64_t)a + b; k++)
            d[0] |= UINT64_C(1) << k;
        return true;
    }
    case PTX_OP_SZEXT: {
        const unsigned keep = wrap ? count & 31 : count > 32 ? 32 : count;
        d[0] = keep ? (uint64_t)ref_value(s[0], keep, sg) : 0;
        return true;
    }
    case PTX_OP_BREV:
        for (unsigned k = 0; k < n; k++)
            d[0] |= (uint64_t)bit(v, k) << (n - 1 - k);
        return true;
    case PTX_OP_POPC:
        for (unsigned k = 0; k < n; k++)
            d[0] += bit(v, k);
        return true;
    case PTX_OP_CLZ:
        d[0] = v ? n - 1 - find_top(v, n) : n;
        return true;
    case PTX_OP_FNS:
        d[0] = find_nth((uint32_t)s[0], count, (int32_t)s[2]);
        return true;
    default:
        return false;
    }
}
