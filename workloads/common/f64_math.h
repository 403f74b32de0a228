/* Exponential, logarithm and cosine of doubles for device code and its CPU reference: fused
 * multiply-adds and integers only, so that both get the same bits; within a few ulp of the true
 * value, as a compiler's own inlined functions would be. No checks of the range. */
#ifndef WORKLOADS_COMMON_F64_MATH_H
#define WORKLOADS_COMMON_F64_MATH_H

#if defined(__CUDA__) || defined(__CUDACC__)
#include "device.h"
#define F64_FN                 WL_FN
#define f64_fma(a, b, c)       __fma_rn(a, b, c)
#define f64_from_bits(bits)    __longlong_as_double(bits)
#define f64_to_bits(value)     __double_as_longlong(value)
#define f64_square_root(value) __dsqrt_rn(value)
#else
#include <math.h>
#include <string.h>
#define F64_FN                 static inline
#define f64_fma(a, b, c)       fma(a, b, c)
#define f64_square_root(value) sqrt(value)
F64_FN double f64_from_bits(long long bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
F64_FN long long f64_to_bits(double value)
{
    long long bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
#endif

/* The nearest whole number, ties to even, for |x| < 2^51. */
F64_FN double f64_round(double x)
{
    const double shift = 6755399441055744.0; /* 1.5 * 2^52 */

    return (x + shift) - shift;
}

/* e^x for |x| < 700: 2^n e^r with |r| < 0.35, the series of e^r up to r^12. */
F64_FN double f64_exp(double x)
{
    double n = f64_round(x * 1.4426950408889634);
    double r = f64_fma(-n, 1.9082149292705877e-10, f64_fma(-n, 0.6931471803691238, x));
    double sum = 2.08767569878681e-09; /* 1/12! */

    sum = f64_fma(sum, r, 2.505210838544172e-08);
    sum = f64_fma(sum, r, 2.755731922398589e-07);
    sum = f64_fma(sum, r, 2.7557319223985893e-06);
    sum = f64_fma(sum, r, 2.48015873015873e-05);
    sum = f64_fma(sum, r, 0.0001984126984126984);
    sum = f64_fma(sum, r, 0.001388888888888889);
    sum = f64_fma(sum, r, 0.008333333333333333);
    sum = f64_fma(sum, r, 0.041666666666666664);
    sum = f64_fma(sum, r, 0.16666666666666666);
    sum = f64_fma(sum, r, 0.5);
    sum = f64_fma(sum, r, 1.0);
    sum = f64_fma(sum, r, 1.0);
    return sum * f64_from_bits((long long)((int)n + 1023) << 52);
}

/* ln x for normal x > 0: x = 2^n m with m in sqrt(1/2) .. sqrt(2), ln m = 2 artanh((m-1)/(m+1)). */
F64_FN double f64_log(double x)
{
    long long bits = f64_to_bits(x);
    int n = (int)(bits >> 52) - 1023;
    double m = f64_from_bits((bits & 0xfffffffffffffll) | (1023ll << 52));

    if (m > 1.4142135623730951) {
        m *= 0.5;
        n++;
    }
    double t = (m - 1.0) / (m + 1.0), t2 = t * t, sum = 1.0 / 19.0;
    for (int k = 17; k >= 1; k -= 2)
        sum = f64_fma(sum, t2, 1.0 / k);
    return f64_fma((double)n, 0.6931471805599453, 2.0 * t * sum);
}

/* cos(2 pi x) for |x| < 2^50: x to -1/2 .. 1/2, the series of cos(2 pi x / 4), doubled twice. */
F64_FN double f64_cos_turns(double x)
{
    double angle = (x - f64_round(x)) * 1.5707963267948966, a2 = angle * angle;
    double sum = -1.5619206968586225e-16; /* 1 - cos, as a series in the angle's square, over it */

    sum = f64_fma(sum, a2, 4.779477332387385e-14);
    sum = f64_fma(sum, a2, -1.1470745597729725e-11);
    sum = f64_fma(sum, a2, 2.08767569878681e-09);
    sum = f64_fma(sum, a2, -2.755731922398589e-07);
    sum = f64_fma(sum, a2, 2.48015873015873e-05);
    sum = f64_fma(sum, a2, -0.001388888888888889);
    sum = f64_fma(sum, a2, 0.041666666666666664);
    sum = f64_fma(sum, a2, -0.5);
    double less = -sum * a2; /* 1 - cos keeps small angles' digits */
    less = less * (4.0 - 2.0 * less);
    less = less * (4.0 - 2.0 * less);
    return 1.0 - less;
}

#endif
