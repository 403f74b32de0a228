/* First guesses for reciprocals and their roots: 8 bits, as the architecture has them. */
#include "a64/fp_parts.h"

/* Of a in [256, 512), which stands for [0.5, 1): in [256, 512), for [1, 2). */
static unsigned recip_of(unsigned a)
{
    const unsigned b = (1u << 19) / (2 * a + 1);
    return (b + 1) / 2;
}

/* Of a in [128, 512), which stands for [0.25, 1). */
static unsigned root_of(unsigned a)
{
    a = a < 256 ? 2 * a + 1 : ((a >> 1 << 1) + 1) * 2;
    unsigned b = 512;
    while (a * (b + 1) * (b + 1) < 1u << 28)
        b++;
    return (b + 1) / 2;
}

uint32_t fp_recip_guess_int(uint32_t a)
{
    return a >> 31 ? recip_of(a >> 23) << 23 : UINT32_MAX;
}

uint32_t fp_root_guess_int(uint32_t a)
{
    return a >> 30 ? root_of(a >> 23) << 23 : UINT32_MAX;
}

/* The largest number, or infinity, as the rounding has it. */
static uint64_t too_large(struct a64_cpu *c, enum fp_kind k, bool sign)
{
    const enum fp_rounding r = fp_rounding_of(c);
    const bool is_infinite = r == FP_NEAREST || r == (sign ? FP_DOWN : FP_UP);
    fp_raise(c, FPSR_OVERFLOW | FPSR_INEXACT);
    return fp_infinity(k, sign) - !is_infinite;
}

uint64_t fp_recip_guess(struct a64_cpu *c, enum fp_kind k, uint64_t a)
{
    const struct fp_format *f = &fp_formats[k];
    const struct fp_parts p = fp_unpack(c, k, a);
    if (fp_is_nan(&p))
        return fp_nan_of(c, k, &p, &a, 1);
    if (p.class == FP_IS_INFINITE)
        return fp_zero(k, p.sign);
    if (p.class == FP_IS_ZERO) {
        fp_raise(c, FPSR_DIVIDE);
        return fp_infinity(k, p.sign);
    }
    if (p.exponent < -f->bias - 1)
        return too_large(c, k, p.sign);
    if (c->fpcr & FPCR_FZ && p.exponent >= f->bias - 1) {
        fp_raise(c, FPSR_UNDERFLOW);
        return fp_zero(k, p.sign);
    }
    const int exponent = 2 * f->bias - 1 - (p.exponent + f->bias);
    uint64_t fraction = (uint64_t)(recip_of((unsigned)(p.fraction >> 55)) & 255)
                        << (f->fraction - 8);
    if (exponent <= 0) /* denormal: the leading one is written */
        fraction = (fraction | UINT64_C(1) << f->fraction) >> (1 - exponent);
    return fp_zero(k, p.sign) | (uint64_t)(exponent > 0 ? exponent : 0) << f->fraction | fraction;
}

uint64_t fp_root_guess(struct a64_cpu *c, enum fp_kind k, uint64_t a)
{
    const struct fp_format *f = &fp_formats[k];
    const struct fp_parts p = fp_unpack(c, k, a);
    if (fp_is_nan(&p))
        return fp_nan_of(c, k, &p, &a, 1);
    if (p.class == FP_IS_ZERO) {
        fp_raise(c, FPSR_DIVIDE);
        return fp_infinity(k, p.sign);
    }
    if (p.sign)
        return fp_invalid(c, k);
    if (p.class == FP_IS_INFINITE)
        return fp_zero(k, false);
    const int biased = p.exponent + f->bias;
    const unsigned scaled = (unsigned)(p.fraction >> (biased & 1 ? 56 : 55));
    const int twice = 3 * f->bias - 1 - biased;
    const int exponent = twice >> 1;
    return (uint64_t)exponent << f->fraction | (uint64_t)(root_of(scaled) & 255)
                                                   << (f->fraction - 8);
}

uint64_t fp_recip_power(struct a64_cpu *c, enum fp_kind k, uint64_t a)
{
    const struct fp_format *f = &fp_formats[k];
    const struct fp_parts p = fp_unpack(c, k, a);
    if (fp_is_nan(&p))
        return fp_nan_of(c, k, &p, &a, 1);
    const uint64_t ones = fp_low(f->exponent), exponent = a >> f->fraction & ones;
    return fp_zero(k, p.sign) | (exponent ? ~exponent & ones : ones - 1) << f->fraction;
}
