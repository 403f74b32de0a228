/* Functions that give the same bits with every C library: nothing but + - * /. */
#ifndef WORKLOADS_COMMON_EXACT_MATH_H
#define WORKLOADS_COMMON_EXACT_MATH_H

/* e^x within about 1e-13 relative for |x| < 500: the series of x / 1024, squared ten times. */
static inline double exact_exp(double x)
{
    double y = x / 1024, term = 1, sum = 1;

    for (int i = 1; i <= 12; i++) {
        term = term * y / i;
        sum += term;
    }
    for (int i = 0; i < 10; i++)
        sum *= sum;
    return sum;
}

/* cos x within about 1e-12 for |x| < 10: the series of x / 64, the angle doubled six times. Kept as
 * 1 - cos, which small angles would lose. */
static inline double exact_cos(double x)
{
    double y = x / 64, term = 1, less = 0;

    for (int i = 1; i <= 8; i++) {
        term = -term * y * y / ((2 * i - 1) * (2 * i));
        less -= term;
    }
    for (int i = 0; i < 6; i++)
        less = less * (4 - 2 * less);
    return 1 - less;
}

#endif
