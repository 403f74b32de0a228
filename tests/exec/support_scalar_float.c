/* Floating point as sign, exponent and a wide significand, rounded once at the end. */
#include "exec/support_scalar_float.h"

#include <string.h>

typedef unsigned __int128 u128;

struct sf sf_unpack(struct sf_format f, uint64_t bits)
{
    const unsigned mbits = f.prec - 1;
    const int bias = (1 << (f.ebits - 1)) - 1;
    const uint64_t man = bits & ((UINT64_C(1) << mbits) - 1);
    const int field = (int)(bits >> mbits & ((1u << f.ebits) - 1));
    struct sf r = {.neg = bits >> (mbits + f.ebits) & 1, .sig = man};
    if (field == (1 << f.ebits) - 1) {
        r.kind = man ? SF_NAN : SF_INF;
    } else if (field == 0) {
        r.kind = man ? SF_FINITE : SF_ZERO;
        r.exp = 1 - bias - (int)mbits;
    } else {
        r.kind = SF_FINITE;
        r.sig = man | UINT64_C(1) << mbits;
        r.exp = field - bias - (int)mbits;
    }
    return r;
}

struct sf sf_from_int(bool neg, uint64_t magnitude)
{
    return (struct sf){
        .kind = magnitude ? SF_FINITE : SF_ZERO, .neg = neg && magnitude, .sig = magnitude};
}

static void wide_or(struct sf_wide *x, u128 sig, int exp)
{
    for (int i = 0; i < 128; i++)
        if (sig >> i & 1) {
            const int at = exp + i + SF_POINT;
            assert(at >= 0 && at < 64 * SF_WORDS);
            x->w[at / 64] |= UINT64_C(1) << (at % 64);
        }
}

static int wide_compare(const struct sf_wide *x, const struct sf_wide *y)
{
    for (int i = SF_WORDS - 1; i >= 0; i--)
        if (x->w[i] != y->w[i])
            return x->w[i] < y->w[i] ? -1 : 1;
    return 0;
}

static void wide_add(struct sf_wide *x, const struct sf_wide *y)
{
    u128 carry = 0;
    for (int i = 0; i < SF_WORDS; i++) {
        carry += (u128)x->w[i] + y->w[i];
        x->w[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void wide_sub(struct sf_wide *x, const struct sf_wide *y)
{
    uint64_t borrow = 0;
    for (int i = 0; i < SF_WORDS; i++) {
        const u128 take = (u128)y->w[i] + borrow;
        borrow = x->w[i] < take;
        x->w[i] = (uint64_t)(x->w[i] - take);
    }
}

static struct sf_wide special(enum sf_kind kind, bool neg)
{
    struct sf_wide r;
    memset(&r, 0, sizeof r);
    r.kind = kind;
    r.neg = neg;
    return r;
}

struct sf_wide sf_widen(struct sf x)
{
    struct sf_wide r = special(x.kind, x.neg);
    if (x.kind == SF_FINITE)
        wide_or(&r, x.sig, x.exp);
    return r;
}

struct sf_wide sf_fma(struct sf x, struct sf y, struct sf z, bool down)
{
    const bool neg = x.neg != y.neg;
    if (x.kind == SF_NAN || y.kind == SF_NAN || z.kind == SF_NAN)
        return special(SF_NAN, false);
    if (x.kind == SF_INF || y.kind == SF_INF) {
        if (x.kind == SF_ZERO || y.kind == SF_ZERO || (z.kind == SF_INF && z.neg != neg))
            return special(SF_NAN, false);
        return special(SF_INF, neg);
    }
    if (z.kind == SF_INF)
        return special(SF_INF, z.neg);

    struct sf_wide p = special(SF_ZERO, neg), c = sf_widen(z);
    if (x.kind == SF_FINITE && y.kind == SF_FINITE) {
        p.kind = SF_FINITE;
        wide_or(&p, (u128)x.sig * y.sig, x.exp + y.exp);
    }
    if (p.kind == SF_ZERO && c.kind == SF_ZERO)
        return special(SF_ZERO, p.neg == c.neg ? p.neg : down);
    p.kind = SF_FINITE;
    if (p.neg == c.neg) {
        wide_add(&p, &c);
        return p;
    }
    const int order = wide_compare(&p, &c);
    if (order == 0)
        return special(SF_ZERO, down);
    if (order > 0) {
        wide_sub(&p, &c);
        return p;
    }
    c.kind = SF_FINITE;
    wide_sub(&c, &p);
    return c;
}

/* The top bit of the significand goes to bit 52. */
static struct sf normalise(struct sf x)
{
    while (x.sig >> 52 == 0) {
        x.sig <<= 1;
        x.exp--;
    }
    return x;
}

struct sf_wide sf_div(struct sf x, struct sf y)
{
    const bool neg = x.neg != y.neg;
    if (x.kind == SF_NAN || y.kind == SF_NAN || (x.kind == y.kind && x.kind != SF_FINITE))
        return special(SF_NAN, false);
    if (x.kind == SF_INF || y.kind == SF_ZERO)
        return special(SF_INF, neg);
    if (x.kind == SF_ZERO || y.kind == SF_INF)
        return special(SF_ZERO, neg);
    x = normalise(x);
    y = normalise(y);
    struct sf_wide r = special(SF_FINITE, neg);
    const u128 n = (u128)x.sig << 70;
    wide_or(&r, n / y.sig, x.exp - y.exp - 70);
    r.more = n % y.sig != 0;
    return r;
}

struct sf_wide sf_sqrt(struct sf x)
{
    if (x.kind == SF_NAN || (x.neg && x.kind != SF_ZERO))
        return special(SF_NAN, false);
    if (x.kind != SF_FINITE)
        return special(x.kind, x.neg);
    x = normalise(x);
    u128 n = (u128)x.sig << (x.exp & 1 ? 71 : 70);
    const int exp = (x.exp - (x.exp & 1 ? 71 : 70)) / 2;
    u128 root = 0;
    for (int bit = 62; bit >= 0; bit--) {
        const u128 next = root | (u128)1 << bit;
        if (next * next <= n)
            root = next;
    }
    struct sf_wide r = special(SF_FINITE, false);
    wide_or(&r, root, exp);
    r.more = root * root != n;
    return r;
}

static bool wide_bit(const struct sf_wide *x, int at)
{
    return at >= 0 && at < 64 * SF_WORDS && (x->w[at / 64] >> (at % 64) & 1);
}

static bool wide_any_below(const struct sf_wide *x, int at)
{
    for (int i = 0; i < at / 64; i++)
        if (x->w[i])
            return true;
    for (int i = at & ~63; i < at; i++)
        if (wide_bit(x, i))
            return true;
    return x->more;
}

static bool rounds_up(enum sf_round rnd, bool neg, bool odd, bool half, bool rest)
{
    switch (rnd) {
    case SF_RN:
        return half && (rest || odd);
    case SF_RNA:
        return half;
    case SF_RM:
        return neg && (half || rest);
    case SF_RP:
        return !neg && (half || rest);
    default:
        return false;
    }
}

uint64_t sf_pack(struct sf_format f, const struct sf_wide *x, enum sf_round rnd)
{
    const unsigned mbits = f.prec - 1;
    const int bias = (1 << (f.ebits - 1)) - 1, emin = 1 - bias;
    const uint64_t sign = (uint64_t)x->neg << (mbits + f.ebits);
    const uint64_t inf = ((UINT64_C(1) << f.ebits) - 1) << mbits;
    if (x->kind == SF_NAN)
        return inf | ((UINT64_C(1) << mbits) - 1);
    if (x->kind == SF_INF)
        return sign | inf;
    if (x->kind == SF_ZERO)
        return sign;
    int top = 64 * SF_WORDS - 1;
    while (!x->w[top / 64])
        top -= 64;
    while (!wide_bit(x, top))
        top--;
    const int e = top - SF_POINT;
    int low = (e > emin ? e : emin) - (int)mbits; /* exponent of the last bit kept */
    uint64_t q = 0;
    for (int i = (int)mbits; i >= 0; i--)
        q = q << 1 | wide_bit(x, low + i + SF_POINT);
    const bool half = wide_bit(x, low - 1 + SF_POINT);
    const bool rest = wide_any_below(x, low - 1 + SF_POINT);
    q += rounds_up(rnd, x->neg, q & 1, half, rest);
    if (q >> f.prec) {
        q >>= 1;
        low++;
    }
    if (!(q >> mbits))
        return sign | q; /* subnormal, or zero */
    const int field = low + (int)mbits + bias;
    if (field >= (1 << f.ebits) - 1) {
        const bool to_inf = rnd == SF_RN || rnd == SF_RNA || rnd == (x->neg ? SF_RM : SF_RP);
        return sign | (to_inf ? inf : inf - 1);
    }
    return sign | (uint64_t)field << mbits | (q & ((UINT64_C(1) << mbits) - 1));
}

u128 sf_round_int(struct sf x, enum sf_round rnd)
{
    if (x.kind != SF_FINITE)
        return 0;
    if (x.exp >= 0)
        return x.exp > 63 ? (u128)1 << 100 : (u128)x.sig << x.exp;
    const int drop = -x.exp;
    if (drop > 64)
        return rounds_up(rnd, x.neg, false, false, true);
    const u128 q = (u128)x.sig >> drop, half = (u128)x.sig >> (drop - 1) & 1;
    const u128 rest = (u128)x.sig & (((u128)1 << (drop - 1)) - 1);
    return q + rounds_up(rnd, x.neg, q & 1, half != 0, rest != 0);
}
