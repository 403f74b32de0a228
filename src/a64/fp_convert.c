/* Comparisons, integers, other widths. */
#include "a64/fp_parts.h"

/* -1, 0, 1 for numbers that are none of NaN. */
static int order(const struct fp_parts *a, const struct fp_parts *b)
{
    if (a->class == FP_IS_ZERO && b->class == FP_IS_ZERO)
        return 0;
    const int sign = a->class == FP_IS_ZERO ? (b->sign ? 1 : -1) : a->sign ? -1 : 1;
    if (a->class == FP_IS_ZERO || b->class == FP_IS_ZERO || a->sign != b->sign)
        return sign;
    if (a->class != b->class)
        return a->class == FP_IS_INFINITE ? sign : -sign;
    if (a->class == FP_IS_INFINITE)
        return 0;
    if (a->exponent != b->exponent)
        return a->exponent > b->exponent ? sign : -sign;
    return a->fraction == b->fraction ? 0 : a->fraction > b->fraction ? sign : -sign;
}

unsigned fp_compare(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b, bool signals)
{
    const struct fp_parts p = fp_unpack(c, k, a), q = fp_unpack(c, k, b);
    if (fp_is_nan(&p) || fp_is_nan(&q)) {
        if (signals || p.class == FP_IS_SIGNALLING || q.class == FP_IS_SIGNALLING)
            fp_raise(c, FPSR_INVALID);
        return A64_C | A64_V;
    }
    const int o = order(&p, &q);
    return o < 0 ? A64_N : o ? A64_C : A64_Z | A64_C;
}

uint64_t fp_max(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b, bool is_min,
                bool is_number)
{
    const uint64_t v[] = {a, b};
    const struct fp_parts p[] = {fp_unpack(c, k, a), fp_unpack(c, k, b)};
    const bool is_nan[] = {fp_is_nan(&p[0]), fp_is_nan(&p[1])};
    if (is_nan[0] || is_nan[1]) {
        const unsigned quiet = p[0].class == FP_IS_QUIET ? 0 : 1;
        if (!is_number || p[quiet].class != FP_IS_QUIET || is_nan[!quiet])
            return fp_nan_of(c, k, p, v, 2);
        /* what is left of a denormal may be zero */
        return p[!quiet].class == FP_IS_ZERO ? fp_zero(k, p[!quiet].sign) : v[!quiet];
    }
    if (p[0].class == FP_IS_ZERO && p[1].class == FP_IS_ZERO)
        return fp_zero(k, is_min ? p[0].sign || p[1].sign : p[0].sign && p[1].sign);
    const unsigned chosen = (order(&p[0], &p[1]) > 0) == is_min;
    return p[chosen].class == FP_IS_ZERO ? fp_zero(k, p[chosen].sign) : v[chosen];
}

/* --- integers --- */

/* The magnitude of a normal number times 2^places, rounded; `is_large`: 2^64 and more. */
static uint64_t magnitude(const struct fp_parts *p, enum fp_rounding r, unsigned places,
                          bool *is_large, bool *is_inexact)
{
    const int exponent = p->exponent + (int)places;
    *is_large = exponent > 63;
    *is_inexact = false;
    if (*is_large)
        return UINT64_MAX;
    const unsigned down = (unsigned)(63 - exponent);
    /* the whole part, and the rest as a fraction of 2^64 */
    const uint64_t whole = down > 63 ? 0 : p->fraction >> down;
    const uint64_t rest = down > 63   ? fp_jam(p->fraction, down - 64)
                          : down == 0 ? 0
                                      : p->fraction << (64 - down);
    *is_inexact = rest != 0;
    const uint64_t up = fp_rounds_up(r, p->sign, whole & 1, rest, UINT64_C(1) << 63);
    *is_large = up && whole == UINT64_MAX;
    return *is_large ? whole : whole + up;
}

uint64_t fp_to_int(struct a64_cpu *c, enum fp_kind k, uint64_t a, unsigned bits, bool is_signed,
                   enum fp_rounding r, unsigned places)
{
    const struct fp_parts p = fp_unpack(c, k, a);
    const uint64_t most = fp_low(is_signed ? bits - 1 : bits);
    const uint64_t lowest = is_signed ? most + 1 : 0; /* its magnitude */
    bool is_large = p.class == FP_IS_INFINITE, is_inexact = false;
    uint64_t v = 0;
    if (fp_is_nan(&p)) {
        fp_raise(c, FPSR_INVALID);
        return 0;
    }
    if (p.class == FP_IS_NORMAL)
        v = magnitude(&p, r, places, &is_large, &is_inexact);
    if (is_large || v > (p.sign ? lowest : most)) {
        fp_raise(c, FPSR_INVALID);
        return (p.sign ? -lowest : most) & fp_low(bits);
    }
    if (is_inexact)
        fp_raise(c, FPSR_INEXACT);
    return (p.sign ? -v : v) & fp_low(bits);
}

uint64_t fp_from_int(struct a64_cpu *c, enum fp_kind k, uint64_t v, bool is_signed, unsigned places)
{
    const bool sign = is_signed && v >> 63;
    if (!v)
        return 0;
    const uint64_t size = sign ? -v : v;
    const unsigned up = (unsigned)__builtin_clzll(size);
    return fp_pack(c, k, sign, 63 - (int)up - (int)places, size << up, fp_rounding_of(c));
}

uint64_t fp_round(struct a64_cpu *c, enum fp_kind k, uint64_t a, enum fp_rounding r, bool is_exact)
{
    const struct fp_parts p = fp_unpack(c, k, a);
    bool is_large, is_inexact;
    if (fp_is_nan(&p))
        return fp_nan_of(c, k, &p, &a, 1);
    if (p.class == FP_IS_ZERO)
        return fp_zero(k, p.sign);
    if (p.class == FP_IS_INFINITE || p.exponent >= (int)fp_formats[k].fraction)
        return a;
    const uint64_t v = magnitude(&p, r, 0, &is_large, &is_inexact);
    if (is_inexact && is_exact)
        fp_raise(c, FPSR_INEXACT);
    if (!v)
        return fp_zero(k, p.sign);
    const unsigned up = (unsigned)__builtin_clzll(v);
    return fp_pack(c, k, p.sign, 63 - (int)up, v << up, r);
}

/* --- widths --- */

/* A NaN keeps the upper bits of its payload. */
static uint64_t convert_nan(struct a64_cpu *c, enum fp_kind from, enum fp_kind to, uint64_t a,
                            const struct fp_parts *p)
{
    const unsigned old = fp_formats[from].fraction, new = fp_formats[to].fraction;
    const uint64_t payload = a & fp_low(old);
    if (p->class == FP_IS_SIGNALLING)
        fp_raise(c, FPSR_INVALID);
    if (to == FP16 && c->fpcr & FPCR_AHP) {
        fp_raise(c, FPSR_INVALID);
        return fp_zero(to, p->sign);
    }
    if (c->fpcr & FPCR_DN)
        return fp_default_nan(to);
    return fp_infinity(to, p->sign) | UINT64_C(1) << (new - 1) |
           (new > old ? payload << (new - old) : payload >> (old - new));
}

uint64_t fp_convert_by(struct a64_cpu *c, enum fp_kind from, enum fp_kind to, uint64_t a,
                       enum fp_rounding r)
{
    const struct fp_parts p = fp_unpack(c, from, a);
    if (fp_is_nan(&p))
        return convert_nan(c, from, to, a, &p);
    if (p.class == FP_IS_ZERO)
        return fp_zero(to, p.sign);
    if (p.class == FP_IS_INFINITE && to == FP16 && c->fpcr & FPCR_AHP) {
        fp_raise(c, FPSR_INVALID);
        return fp_zero(to, p.sign) | (fp_sign(to) - 1);
    }
    if (p.class == FP_IS_INFINITE)
        return fp_infinity(to, p.sign);
    return fp_pack(c, to, p.sign, p.exponent, p.fraction, r);
}

uint64_t fp_convert(struct a64_cpu *c, enum fp_kind from, enum fp_kind to, uint64_t a)
{
    return fp_convert_by(c, from, to, a, fp_rounding_of(c));
}

uint64_t fp_immediate(enum fp_kind k, unsigned imm8)
{
    const struct fp_format *f = &fp_formats[k];
    const uint64_t b = imm8 >> 6 & 1;
    const uint64_t exponent =
        (!b) << (f->exponent - 1) | (b ? fp_low(f->exponent - 3) << 2 : 0) | (imm8 >> 4 & 3);
    return fp_zero(k, imm8 >> 7) | exponent << f->fraction |
           (uint64_t)(imm8 & 15) << (f->fraction - 4);
}
