/* Arithmetic on numbers taken apart. */
#include "a64/fp_parts.h"

typedef unsigned __int128 u128;

static u128 jam128(u128 v, unsigned by)
{
    if (by >= 128)
        return v != 0;
    return by ? v >> by | ((v << (128 - by)) != 0) : v;
}

/* A sum or difference of numbers in 127 bits with the same exponent, rounded. */
static uint64_t pack128(struct a64_cpu *c, enum fp_kind k, bool sign, int exponent, u128 v)
{
    const uint64_t high = (uint64_t)(v >> 64);
    const unsigned up =
        high ? (unsigned)__builtin_clzll(high) : 64 + (unsigned)__builtin_clzll((uint64_t)v);
    v <<= up;
    const uint64_t fraction = (uint64_t)(v >> 64) | ((uint64_t)v != 0);
    return fp_pack(c, k, sign, exponent + 1 - (int)up, fraction, fp_rounding_of(c));
}

/* Both with bit 126 as the highest, each with its exponent. */
struct wide {
    bool sign;
    int exponent;
    u128 v;
};

static uint64_t add_wide(struct a64_cpu *c, enum fp_kind k, struct wide a, struct wide b)
{
    if (a.exponent < b.exponent) {
        const struct wide t = a;
        a = b;
        b = t;
    }
    b.v = jam128(b.v, (unsigned)(a.exponent - b.exponent));
    if (a.sign == b.sign)
        return pack128(c, k, a.sign, a.exponent, a.v + b.v);
    if (a.v == b.v)
        return fp_zero(k, fp_rounding_of(c) == FP_DOWN);
    const bool is_larger = a.v > b.v;
    return pack128(c, k, is_larger ? a.sign : b.sign, a.exponent,
                   is_larger ? a.v - b.v : b.v - a.v);
}

static struct wide widen(const struct fp_parts *p)
{
    return (struct wide){.sign = p->sign, .exponent = p->exponent, .v = (u128)p->fraction << 63};
}

static uint64_t sum(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b, bool is_minus)
{
    const uint64_t v[] = {a, b};
    struct fp_parts p[] = {fp_unpack(c, k, a), fp_unpack(c, k, b)};
    if (fp_is_nan(&p[0]) || fp_is_nan(&p[1]))
        return fp_nan_of(c, k, p, v, 2);
    p[1].sign ^= is_minus;
    if (p[0].class == FP_IS_INFINITE || p[1].class == FP_IS_INFINITE) {
        if (p[0].class == p[1].class && p[0].sign != p[1].sign)
            return fp_invalid(c, k);
        return fp_infinity(k, p[p[0].class != FP_IS_INFINITE].sign);
    }
    if (p[0].class == FP_IS_ZERO && p[1].class == FP_IS_ZERO)
        return fp_zero(k, p[0].sign == p[1].sign ? p[0].sign : fp_rounding_of(c) == FP_DOWN);
    for (unsigned i = 0; i < 2; i++)
        if (p[i].class == FP_IS_ZERO)
            return fp_pack(c, k, p[!i].sign, p[!i].exponent, p[!i].fraction, fp_rounding_of(c));
    return add_wide(c, k, widen(&p[0]), widen(&p[1]));
}

uint64_t fp_add(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b)
{
    return sum(c, k, a, b, false);
}

uint64_t fp_sub(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b)
{
    return sum(c, k, a, b, true);
}

/* Zero times infinity, in either order. */
static bool is_undefined(const struct fp_parts *p)
{
    return (p[0].class == FP_IS_ZERO && p[1].class == FP_IS_INFINITE) ||
           (p[0].class == FP_IS_INFINITE && p[1].class == FP_IS_ZERO);
}

static struct wide product(const struct fp_parts *p)
{
    const u128 v = (u128)p[0].fraction * p[1].fraction; /* the lowest bits are zeros */
    const bool is_long = (uint64_t)(v >> 127);
    return (struct wide){.sign = p[0].sign ^ p[1].sign,
                         .exponent = p[0].exponent + p[1].exponent + is_long,
                         .v = is_long ? v >> 1 : v};
}

static uint64_t multiply(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b, bool is_x)
{
    const uint64_t v[] = {a, b};
    const struct fp_parts p[] = {fp_unpack(c, k, a), fp_unpack(c, k, b)};
    const bool sign = p[0].sign ^ p[1].sign;
    if (fp_is_nan(&p[0]) || fp_is_nan(&p[1]))
        return fp_nan_of(c, k, p, v, 2);
    if (is_undefined(p))
        return is_x
                   ? fp_zero(k, sign) | (uint64_t)(fp_formats[k].bias + 1) << fp_formats[k].fraction
                   : fp_invalid(c, k);
    if (p[0].class == FP_IS_INFINITE || p[1].class == FP_IS_INFINITE)
        return fp_infinity(k, sign);
    if (p[0].class == FP_IS_ZERO || p[1].class == FP_IS_ZERO)
        return fp_zero(k, sign);
    const struct wide w = product(p);
    return pack128(c, k, sign, w.exponent, w.v);
}

uint64_t fp_mul(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b)
{
    return multiply(c, k, a, b, false);
}

uint64_t fp_mulx(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b)
{
    return multiply(c, k, a, b, true);
}

/* Times 2^scale, before it is rounded. */
static uint64_t fused(struct a64_cpu *c, enum fp_kind k, uint64_t add, uint64_t a, uint64_t b,
                      int scale)
{
    const uint64_t v[] = {add, a, b};
    const struct fp_parts p[] = {fp_unpack(c, k, add), fp_unpack(c, k, a), fp_unpack(c, k, b)};
    const bool sign = p[1].sign ^ p[2].sign;
    if (p[0].class == FP_IS_QUIET && is_undefined(p + 1))
        return fp_invalid(c, k);
    if (fp_is_nan(&p[0]) || fp_is_nan(&p[1]) || fp_is_nan(&p[2]))
        return fp_nan_of(c, k, p, v, 3);
    const bool is_infinite = p[1].class == FP_IS_INFINITE || p[2].class == FP_IS_INFINITE;
    if (is_undefined(p + 1) || (is_infinite && p[0].class == FP_IS_INFINITE && p[0].sign != sign))
        return fp_invalid(c, k);
    if (is_infinite || p[0].class == FP_IS_INFINITE)
        return fp_infinity(k, is_infinite ? sign : p[0].sign);
    const bool is_zero = p[1].class == FP_IS_ZERO || p[2].class == FP_IS_ZERO;
    if (is_zero && p[0].class == FP_IS_ZERO)
        return fp_zero(k, p[0].sign == sign ? sign : fp_rounding_of(c) == FP_DOWN);
    if (is_zero)
        return fp_pack(c, k, p[0].sign, p[0].exponent + scale, p[0].fraction, fp_rounding_of(c));
    struct wide w = product(p + 1), v0 = widen(&p[0]);
    w.exponent += scale;
    v0.exponent += scale;
    if (p[0].class == FP_IS_ZERO)
        return pack128(c, k, w.sign, w.exponent, w.v);
    return add_wide(c, k, w, v0);
}

uint64_t fp_fma(struct a64_cpu *c, enum fp_kind k, uint64_t add, uint64_t a, uint64_t b)
{
    return fused(c, k, add, a, b, 0);
}

/* constant - a b, halved or not; what is undefined gives the constant so. */
static uint64_t step(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b, unsigned imm8,
                     int scale)
{
    enum { ONE_AND_A_HALF = 0x78 };
    const uint64_t minus = a ^ fp_sign(k);
    const struct fp_parts p[] = {fp_unpack(c, k, minus), fp_unpack(c, k, b)};
    const uint64_t constant = fp_immediate(k, imm8);
    if (is_undefined(p))
        return scale ? fp_immediate(k, ONE_AND_A_HALF) : constant;
    return fused(c, k, constant, minus, b, scale);
}

uint64_t fp_recip_step(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b)
{
    enum { TWO = 0x00 };
    return step(c, k, a, b, TWO, 0);
}

uint64_t fp_root_step(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b)
{
    enum { THREE = 0x08 };
    return step(c, k, a, b, THREE, -1);
}

uint64_t fp_div(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b)
{
    const uint64_t v[] = {a, b};
    const struct fp_parts p[] = {fp_unpack(c, k, a), fp_unpack(c, k, b)};
    const bool sign = p[0].sign ^ p[1].sign;
    if (fp_is_nan(&p[0]) || fp_is_nan(&p[1]))
        return fp_nan_of(c, k, p, v, 2);
    if (p[0].class == p[1].class && p[0].class != FP_IS_NORMAL)
        return fp_invalid(c, k);
    if (p[0].class == FP_IS_INFINITE)
        return fp_infinity(k, sign);
    if (p[1].class == FP_IS_ZERO) {
        fp_raise(c, FPSR_DIVIDE);
        return fp_infinity(k, sign);
    }
    if (p[0].class == FP_IS_ZERO || p[1].class == FP_IS_INFINITE)
        return fp_zero(k, sign);
    const bool is_short = p[0].fraction < p[1].fraction;
    const u128 dividend = (u128)p[0].fraction << (is_short ? 64 : 63);
    const uint64_t quotient = (uint64_t)(dividend / p[1].fraction);
    const bool has_rest = (uint64_t)(dividend % p[1].fraction);
    return fp_pack(c, k, sign, p[0].exponent - p[1].exponent - is_short, quotient | has_rest,
                   fp_rounding_of(c));
}

/* The root of v, whose lowest bit is set if there is a rest. */
static uint64_t root128(u128 v)
{
    u128 rest = v;
    uint64_t root = 0;
    for (unsigned bit = 64; bit-- > 0;) {
        const u128 step = ((u128)root << (bit + 1)) + ((u128)1 << (2 * bit));
        if (rest >= step) {
            rest -= step;
            root |= UINT64_C(1) << bit;
        }
    }
    return root | (rest != 0);
}

uint64_t fp_sqrt(struct a64_cpu *c, enum fp_kind k, uint64_t a)
{
    const struct fp_parts p = fp_unpack(c, k, a);
    if (fp_is_nan(&p))
        return fp_nan_of(c, k, &p, &a, 1);
    if (p.class == FP_IS_ZERO)
        return fp_zero(k, p.sign);
    if (p.sign)
        return fp_invalid(c, k);
    if (p.class == FP_IS_INFINITE)
        return fp_infinity(k, false);
    const bool is_odd = p.exponent & 1;
    const uint64_t root = root128((u128)p.fraction << (is_odd ? 64 : 63));
    return fp_pack(c, k, false, (p.exponent - is_odd) / 2, root, fp_rounding_of(c));
}
