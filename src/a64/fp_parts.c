/* Taking numbers apart, rounding, NaNs. */
#include "a64/fp_parts.h"

const struct fp_format fp_formats[] = {
    [FP16] = {5, 10, 15}, [FP32] = {8, 23, 127}, [FP64] = {11, 52, 1023}};

uint64_t fp_zero(enum fp_kind k, bool sign)
{
    return sign ? fp_sign(k) : 0;
}

static uint64_t exponent_ones(enum fp_kind k)
{
    const struct fp_format *f = &fp_formats[k];
    return fp_low(f->exponent) << f->fraction;
}

uint64_t fp_infinity(enum fp_kind k, bool sign)
{
    return fp_zero(k, sign) | exponent_ones(k);
}

uint64_t fp_default_nan(enum fp_kind k)
{
    return exponent_ones(k) | UINT64_C(1) << (fp_formats[k].fraction - 1);
}

uint64_t fp_invalid(struct a64_cpu *c, enum fp_kind k)
{
    fp_raise(c, FPSR_INVALID);
    return fp_default_nan(k);
}

/* The alternative half precision has neither infinities nor NaNs. */
static bool is_alternative(const struct a64_cpu *c, enum fp_kind k)
{
    return k == FP16 && c->fpcr & FPCR_AHP;
}

static bool flushes(const struct a64_cpu *c, enum fp_kind k)
{
    return k != FP16 && c->fpcr & FPCR_FZ;
}

static struct fp_parts unpack_small(struct a64_cpu *c, enum fp_kind k, bool sign, uint64_t fraction)
{
    const struct fp_format *f = &fp_formats[k];
    if (fraction && flushes(c, k)) {
        fp_raise(c, FPSR_DENORMAL);
        fraction = 0;
    }
    if (!fraction)
        return (struct fp_parts){.class = FP_IS_ZERO, .sign = sign};
    const unsigned up = (unsigned)__builtin_clzll(fraction);
    return (struct fp_parts){.class = FP_IS_NORMAL,
                             .sign = sign,
                             .exponent = 1 - f->bias + 63 - (int)f->fraction - (int)up,
                             .fraction = fraction << up};
}

struct fp_parts fp_unpack(struct a64_cpu *c, enum fp_kind k, uint64_t v)
{
    const struct fp_format *f = &fp_formats[k];
    const bool sign = v >> (f->exponent + f->fraction) & 1;
    const uint64_t e = v >> f->fraction & fp_low(f->exponent), fraction = v & fp_low(f->fraction);
    if (!e)
        return unpack_small(c, k, sign, fraction);
    if (e == fp_low(f->exponent) && !is_alternative(c, k)) {
        const bool is_quiet = fraction >> (f->fraction - 1);
        return (struct fp_parts){.class = !fraction  ? FP_IS_INFINITE
                                          : is_quiet ? FP_IS_QUIET
                                                     : FP_IS_SIGNALLING,
                                 .sign = sign};
    }
    return (struct fp_parts){.class = FP_IS_NORMAL,
                             .sign = sign,
                             .exponent = (int)e - f->bias,
                             .fraction = (fraction | UINT64_C(1) << f->fraction)
                                         << (63 - f->fraction)};
}

bool fp_rounds_up(enum fp_rounding r, bool sign, bool is_odd, uint64_t rest, uint64_t half)
{
    switch (r) {
    case FP_NEAREST:
        return rest > half || (rest == half && is_odd);
    case FP_AWAY:
        return rest >= half;
    case FP_UP:
        return rest && !sign;
    case FP_DOWN:
        return rest && sign;
    default:
        return false;
    }
}

static uint64_t overflow(struct a64_cpu *c, enum fp_kind k, bool sign, enum fp_rounding r)
{
    if (is_alternative(c, k)) {
        fp_raise(c, FPSR_INVALID);
        return fp_zero(k, sign) | (fp_sign(k) - 1);
    }
    const bool is_infinite =
        r == FP_NEAREST || r == FP_AWAY || (r == FP_UP && !sign) || (r == FP_DOWN && sign);
    fp_raise(c, FPSR_OVERFLOW | FPSR_INEXACT);
    return is_infinite ? fp_infinity(k, sign) : fp_infinity(k, sign) - 1;
}

uint64_t fp_pack(struct a64_cpu *c, enum fp_kind k, bool sign, int exponent, uint64_t fraction,
                 enum fp_rounding r)
{
    const struct fp_format *f = &fp_formats[k];
    const unsigned drop = 63 - f->fraction;
    int e = exponent + f->bias;
    const bool is_tiny = e <= 0; /* before rounding */
    if (is_tiny && flushes(c, k)) {
        fp_raise(c, FPSR_UNDERFLOW);
        return fp_zero(k, sign);
    }
    if (is_tiny) {
        fraction = fp_jam(fraction, (unsigned)(1 - e));
        e = 0;
    }
    const uint64_t rest = fraction & fp_low(drop);
    uint64_t kept = fraction >> drop;
    kept += fp_rounds_up(r, sign, kept & 1, rest, UINT64_C(1) << (drop - 1));
    kept |= r == FP_ODD && rest; /* the lowest bit stands for what is lost */
    if (kept >> (f->fraction + 1)) {
        kept >>= 1;
        e++;
    }
    const int most = (int)fp_low(f->exponent) - !is_alternative(c, k);
    if (e > most)
        return overflow(c, k, sign, r);
    if (rest)
        fp_raise(c, FPSR_INEXACT | (is_tiny ? FPSR_UNDERFLOW : 0));
    /* one more in the fraction of a denormal makes it the smallest normal number */
    const uint64_t body =
        is_tiny ? kept : ((uint64_t)e << f->fraction) + (kept - (UINT64_C(1) << f->fraction));
    return fp_zero(k, sign) | body;
}

uint64_t fp_nan_of(struct a64_cpu *c, enum fp_kind k, const struct fp_parts *p, const uint64_t *v,
                   unsigned n)
{
    unsigned found = n;
    for (unsigned i = n; i-- > 0;)
        if (p[i].class == FP_IS_QUIET)
            found = i;
    for (unsigned i = n; i-- > 0;)
        if (p[i].class == FP_IS_SIGNALLING) {
            found = i;
            fp_raise(c, FPSR_INVALID);
        }
    if (c->fpcr & FPCR_DN)
        return fp_default_nan(k);
    return v[found] | UINT64_C(1) << (fp_formats[k].fraction - 1);
}
