/* Floating-point instructions and comparisons. */
#include "exec/support_scalar_parts.h"

#include <math.h>

enum sf_round ref_rounding(const struct ptx_inst *i)
{
    return ref_has(i, PTX_M_RZ)   ? SF_RZ
           : ref_has(i, PTX_M_RM) ? SF_RM
           : ref_has(i, PTX_M_RP) ? SF_RP
                                  : SF_RN;
}

struct sf_format ref_format(enum ptx_type t)
{
    return t == PTX_F64 ? SF_F64 : t == PTX_F16 ? SF_F16 : t == PTX_BF16 ? SF_BF16 : SF_F32;
}

bool ref_is_nan(enum ptx_type t, uint64_t v)
{
    return sf_unpack(ref_format(t), v).kind == SF_NAN;
}

bool ref_is_subnormal(enum ptx_type t, uint64_t v)
{
    const struct sf_format f = ref_format(t);
    const struct sf x = sf_unpack(f, v);
    return x.kind == SF_FINITE && !(x.sig >> (f.prec - 1));
}

static uint64_t sign_of(enum ptx_type t)
{
    return UINT64_C(1) << (ptx_type_bits(t) - 1);
}

uint64_t ref_flush(enum ptx_type t, uint64_t v)
{
    return ref_is_subnormal(t, v) ? v & sign_of(t) : v;
}

static uint64_t quiet(uint64_t v)
{
    return v | UINT64_C(1) << 51;
}

/* The NaN that an operation on these operands gives. */
static uint64_t nan_of(enum ptx_type t, const uint64_t *s, unsigned n)
{
    if (t != PTX_F64)
        return sign_of(t) - 1;
    static const unsigned order_of[] = {1, 2, 0};
    for (unsigned k = 0; k < ARRAY_LEN(order_of); k++)
        if (order_of[k] < n && ref_is_nan(t, s[order_of[k]]))
            return quiet(s[order_of[k]]);
    return UINT64_C(0xfff8000000000000);
}

static uint64_t one_of(enum ptx_type t)
{
    return t == PTX_F64   ? 0x3ff0000000000000
           : t == PTX_F32 ? 0x3f800000
           : t == PTX_F16 ? 0x3c00
                          : 0x3f80;
}

/* Flags of the result. */
static uint64_t finish(const struct ptx_inst *i, enum ptx_type t, uint64_t v)
{
    if (ref_has(i, PTX_M_FTZ) && t != PTX_F64)
        v = ref_flush(t, v);
    if (ref_has(i, PTX_M_SAT)) {
        if (ref_is_nan(t, v) || v & sign_of(t))
            v = 0;
        else if (v > one_of(t))
            v = one_of(t);
    }
    if (ref_has(i, PTX_M_RELU) && !ref_is_nan(t, v) && v & sign_of(t))
        v = 0;
    return v;
}

/* -1, 0, 1, or 2 if unordered. -0 equals +0. */
static int order(enum ptx_type t, uint64_t x, uint64_t y)
{
    const uint64_t sign = sign_of(t);
    if (ref_is_nan(t, x) || ref_is_nan(t, y))
        return 2;
    if (!(x & ~sign) && !(y & ~sign))
        return 0;
    const bool nx = x & sign, ny = y & sign;
    if (nx != ny)
        return nx ? -1 : 1;
    const int mag = x == y ? 0 : x < y ? -1 : 1;
    return nx ? -mag : mag;
}

bool ref_compare(enum ptx_mod cmp, enum ptx_type t, bool ftz, uint64_t x, uint64_t y)
{
    int o;
    if (ptx_type_is_float(t)) {
        ftz = ftz && (t == PTX_F32 || t == PTX_F16);
        o = order(t, ftz ? ref_flush(t, x) : x, ftz ? ref_flush(t, y) : y);
    } else {
        const unsigned n = ptx_type_bits(t);
        const ref_s128 a = ref_value(x, n, ptx_type_is_signed(t));
        const ref_s128 b = ref_value(y, n, ptx_type_is_signed(t));
        o = a < b ? -1 : a > b;
    }
    const bool un = o == 2;
    switch (cmp) {
    case PTX_M_EQ:
        return !un && o == 0;
    case PTX_M_NE:
        return !un && o != 0;
    case PTX_M_LT:
        return !un && o < 0;
    case PTX_M_LE:
        return !un && o <= 0;
    case PTX_M_GT:
        return !un && o > 0;
    case PTX_M_GE:
        return !un && o >= 0;
    case PTX_M_EQU:
        return un || o == 0;
    case PTX_M_NEU:
        return un || o != 0;
    case PTX_M_LTU:
        return un || o < 0;
    case PTX_M_LEU:
        return un || o <= 0;
    case PTX_M_GTU:
        return un || o > 0;
    case PTX_M_GEU:
        return un || o >= 0;
    case PTX_M_NUM:
        return !un;
    default:
        return un;
    }
}

enum ptx_mod ref_comparison(const struct ptx_inst *i, bool is_float)
{
    for (unsigned k = 0; k < i->nmods; k++) {
        const enum ptx_mod m = (enum ptx_mod)i->mods[k];
        if (!is_float && (m == PTX_M_LO || m == PTX_M_LS || m == PTX_M_HI || m == PTX_M_HS))
            return m == PTX_M_LO   ? PTX_M_LT
                   : m == PTX_M_LS ? PTX_M_LE
                   : m == PTX_M_HI ? PTX_M_GT
                                   : PTX_M_GE;
        if (m >= PTX_M_EQ && m <= PTX_M_NAN)
            return m;
    }
    return PTX_NOMOD;
}

/* min and max of two; .xorsign.abs works on magnitudes and gives the product's sign. */
static uint64_t choose(const struct ptx_inst *i, enum ptx_type t, uint64_t x, uint64_t y)
{
    const bool xorsign = ref_has(i, PTX_M_XORSIGN), max = i->op == PTX_OP_MAX;
    const uint64_t sign = sign_of(t), product = xorsign ? (x ^ y) & sign : 0;
    const uint64_t s[2] = {x, y};
    if (xorsign) {
        x &= ~sign;
        y &= ~sign;
    }
    const bool nx = ref_is_nan(t, x), ny = ref_is_nan(t, y);
    if ((nx && ny) || ((nx || ny) && ref_has(i, PTX_M_NAN_)))
        return nan_of(t, s, 2);
    if (nx || ny)
        return (nx ? y : x) | product;
    const int o = order(t, x, y);
    bool first = max ? o > 0 : o < 0;
    if (o == 0)
        first = max ? y & sign : x & sign; /* -0 is less than +0 */
    return (first ? x : y) | product;
}

static long double value_of(enum ptx_type t, uint64_t v)
{
    const struct sf x = sf_unpack(ref_format(t), v);
    if (x.kind == SF_NAN)
        return NAN;
    const long double m =
        x.kind == SF_INF ? (long double)INFINITY : ldexpl((long double)x.sig, x.exp);
    return x.neg ? -m : m;
}

static uint64_t round_to(enum ptx_type t, long double v, enum sf_round rnd)
{
    struct sf x = {.kind = isnan(v)   ? SF_NAN
                           : isinf(v) ? SF_INF
                           : v == 0   ? SF_ZERO
                                      : SF_FINITE,
                   .neg = signbit(v)};
    if (x.kind == SF_FINITE) {
        int e;
        const long double m = frexpl(fabsl(v), &e);
        x.sig = (uint64_t)ldexpl(m, 64);
        x.exp = e - 64;
        if (x.exp < -1500)
            x.kind = SF_ZERO;
        if (e > 1100 || (t == PTX_F16 && e > 16))
            x.kind = SF_INF; /* also where the hardware cuts off */
    }
    const struct sf_wide w = sf_widen(x);
    return sf_pack(ref_format(t), &w, rnd);
}

/* sin and cos are defined on 25 bits of a turn, as the hardware has it: the product with 1 / (2 pi)
 * and its fraction are cut off, and even quarters are mirrored by complement. */
static long double circle(bool is_cos, uint64_t bits)
{
    const struct sf x = sf_unpack(SF_F32, bits & 0x7fffffff), c = sf_unpack(SF_F32, 0x3e22f983);
    const long double two_pi = 6.283185307179586476925286766559L;
    if (x.kind == SF_NAN || x.kind == SF_INF)
        return NAN;
    const struct sf_wide p = sf_fma(x, c, (struct sf){.kind = SF_ZERO}, false);
    const long double turns = value_of(PTX_F32, sf_pack(SF_F32, &p, SF_RZ));
    uint32_t k = turns >= 0x1p23L ? 0 : (uint32_t)((turns - floorl(turns)) * 0x1p25L);
    k = (k + (is_cos ? 1u << 23 : 0)) & 0x1ffffff;
    const uint32_t within = k & 0x7fffff, mirrored = k >> 23 & 1 ? 0x7fffff - within : within;
    const long double r = mirrored ? sinl(two_pi * (long double)mirrored / 0x1p25L) : 0;
    const bool neg = (k >> 24) != (!is_cos && bits >> 31 & 1);
    return r == 0 ? (!is_cos && bits >> 31 & 1 ? -0.0L : 0) : neg ? -r : r;
}

static uint64_t approximate(const struct ptx_inst *i, enum ptx_type t, const uint64_t *s)
{
    const bool ftz = ref_has(i, PTX_M_FTZ), is_high = t == PTX_F64 && ftz;
    uint64_t b[2] = {s[0], s[1]};
    for (unsigned k = 0; k < 2; k++) {
        if (is_high)
            b[k] &= UINT64_C(0xffffffff00000000);
        if (ftz)
            b[k] = ref_flush(t, b[k]);
    }
    const long double x = value_of(t, b[0]), y = value_of(t, b[1]);
    long double r;
    switch (i->op) {
    case PTX_OP_EX2:
        r = exp2l(x);
        break;
    case PTX_OP_LG2:
        r = log2l(x);
        break;
    case PTX_OP_SIN:
        r = circle(false, b[0]);
        break;
    case PTX_OP_COS:
        r = circle(true, b[0]);
        break;
    case PTX_OP_TANH:
        r = tanhl(x);
        break;
    case PTX_OP_RSQRT:
        r = 1 / sqrtl(x);
        break;
    case PTX_OP_RCP:
        r = 1 / x;
        break;
    case PTX_OP_SQRT:
        r = sqrtl(x);
        break;
    default: /* div: .approx underflows for large divisors */
        r = x / y;
        if (ref_has(i, PTX_M_APPROX) && !isinf(y) && fabsl(y) > 0x1p126L)
            r = x * 0 * y;
        break;
    }
    const bool cut = t == PTX_F16 && (i->op == PTX_OP_EX2 || i->op == PTX_OP_TANH);
    const uint64_t u = round_to(t, r, cut ? SF_RZ : SF_RN);
    if (ref_is_nan(t, u))
        return nan_of(t, s, 1);
    return ftz ? ref_flush(t, is_high ? u & UINT64_C(0xffffffff00000000) : u) : u;
}

/* One operation on values of type t; a, b and c may be of other types (mixed precision). */
static bool operate(const struct ptx_inst *i, enum ptx_type t, const enum ptx_type *from,
                    const uint64_t *src, uint64_t *d)
{
    const struct sf one = sf_from_int(false, 1);
    const bool ftz = ref_has(i, PTX_M_FTZ) && t != PTX_F64;
    const enum sf_round rnd = ref_rounding(i);
    const bool down = rnd == SF_RM;
    uint64_t s[3];
    struct sf v[3];
    for (unsigned k = 0; k < 3; k++) {
        s[k] = ftz ? ref_flush(from[k], src[k]) : src[k];
        v[k] = sf_unpack(ref_format(from[k]), s[k]);
    }
    struct sf_wide r;
    unsigned used = 2;
    switch (i->op) {
    case PTX_OP_ADD:
        r = sf_fma(v[0], one, v[1], down);
        break;
    case PTX_OP_SUB:
        v[1].neg = !v[1].neg;
        r = sf_fma(v[0], one, v[1], down);
        break;
    case PTX_OP_MUL: {
        const struct sf zero = {.kind = SF_ZERO, .neg = v[0].neg != v[1].neg};
        r = sf_fma(v[0], v[1], zero, down);
        break;
    }
    case PTX_OP_FMA:
    case PTX_OP_MAD:
        r = sf_fma(v[0], v[1], v[2], down);
        used = 3;
        break;
    case PTX_OP_DIV:
        r = sf_div(v[0], v[1]);
        break;
    case PTX_OP_RCP:
        r = sf_div(one, v[0]);
        used = 1;
        break;
    case PTX_OP_SQRT:
        r = sf_sqrt(v[0]);
        used = 1;
        break;
    case PTX_OP_ABS:
    case PTX_OP_NEG:
        *d = i->op == PTX_OP_ABS ? s[0] & ~sign_of(t) : s[0] ^ sign_of(t);
        if (v[0].kind == SF_NAN)
            *d = nan_of(t, s, 1);
        return true;
    case PTX_OP_MIN:
    case PTX_OP_MAX:
        *d = choose(i, t, s[0], s[1]);
        if (i->nops == 4)
            *d = choose(i, t, *d, s[2]);
        return true;
    default:
        return false;
    }
    if (i->op == PTX_OP_DIV && t == PTX_F64 && ref_is_nan(t, s[0]))
        used = 1; /* the dividend's NaN goes first */
    *d = finish(i, t, r.kind == SF_NAN ? nan_of(t, s, used) : sf_pack(ref_format(t), &r, rnd));
    return true;
}

static bool float_one(const struct ptx_inst *i, enum ptx_type t, const uint64_t *s, uint64_t *d)
{
    if (scalar_ref_is_approx(i)) {
        *d = approximate(i, t, s);
        return true;
    }
    const enum ptx_type other = i->ntypes > 1 ? (enum ptx_type)i->types[1] : t;
    const bool fma = i->op == PTX_OP_FMA;
    const enum ptx_type from[3] = {other, fma ? other : t, t};
    return operate(i, t, from, s, d);
}

bool ref_float(const struct ptx_inst *i, const uint64_t *s, uint64_t *d)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    if (!ptx_type_is_float(t))
        return false;
    const bool x2 = t == PTX_F16X2 || t == PTX_BF16X2 || t == PTX_F32X2;
    if (!x2)
        return float_one(i, t, s, d);
    const enum ptx_type half = t == PTX_F16X2 ? PTX_F16 : t == PTX_BF16X2 ? PTX_BF16 : PTX_F32;
    const unsigned n = ptx_type_bits(half);
    const uint64_t m = (UINT64_C(1) << n) - 1;
    uint64_t lo[3], hi[3], dl, dh;
    for (unsigned k = 0; k < 3; k++) {
        lo[k] = s[k] & m;
        hi[k] = s[k] >> n & m;
    }
    if (!float_one(i, half, lo, &dl) || !float_one(i, half, hi, &dh))
        return false;
    *d = dl | dh << n;
    return true;
}

static bool test(enum ptx_mod how, enum ptx_type t, uint64_t v)
{
    const enum sf_kind k = sf_unpack(ref_format(t), v).kind;
    switch (how) {
    case PTX_M_FINITE:
        return k == SF_ZERO || k == SF_FINITE;
    case PTX_M_INFINITE:
        return k == SF_INF;
    case PTX_M_NUMBER:
        return k != SF_NAN;
    case PTX_M_NOTANUMBER:
        return k == SF_NAN;
    case PTX_M_NORMAL:
        return k == SF_ZERO || (k == SF_FINITE && !ref_is_subnormal(t, v));
    default:
        return ref_is_subnormal(t, v);
    }
}

/* setp, set, testp. */
bool ref_compares(const struct ptx_inst *i, const uint64_t *s, uint64_t *d)
{
    if (i->op == PTX_OP_TESTP) {
        d[0] = test((enum ptx_mod)i->mods[0], (enum ptx_type)i->types[0], s[0]);
        return true;
    }
    if (i->op != PTX_OP_SETP && i->op != PTX_OP_SET)
        return false;
    const enum ptx_type t = (enum ptx_type)i->types[i->op == PTX_OP_SET ? 1 : 0];
    const bool x2 = t == PTX_F16X2 || t == PTX_BF16X2, ftz = ref_has(i, PTX_M_FTZ);
    const enum ptx_mod cmp = ref_comparison(i, ptx_type_is_float(t));
    const enum ptx_type one = t == PTX_F16X2 ? PTX_F16 : t == PTX_BF16X2 ? PTX_BF16 : t;
    bool p, q;
    if (x2) {
        p = ref_compare(cmp, one, ftz, s[0] & 0xffff, s[1] & 0xffff);
        q = ref_compare(cmp, one, ftz, s[0] >> 16, s[1] >> 16);
    } else {
        p = ref_compare(cmp, t, ftz, s[0], s[1]);
        q = !p;
    }
    const bool c = s[2] & 1;
    if (ref_has(i, PTX_M_AND)) {
        p &= c;
        q &= c;
    } else if (ref_has(i, PTX_M_OR)) {
        p |= c;
        q |= c;
    } else if (ref_has(i, PTX_M_XOR)) {
        p ^= c;
        q ^= c;
    }
    d[0] = p;
    d[1] = q;
    if (i->op == PTX_OP_SETP)
        return true;
    const enum ptx_type dt = (enum ptx_type)i->types[0];
    const enum ptx_type dh = dt == PTX_F16X2 ? PTX_F16 : dt == PTX_BF16X2 ? PTX_BF16 : dt;
    const uint64_t yes = ptx_type_is_float(dt) ? one_of(dh) : UINT64_MAX;
    d[0] = p ? yes : 0;
    if (dh != dt)
        d[0] |= (q ? yes : 0) << 16;
    return true;
}
