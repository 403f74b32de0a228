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

#endif
