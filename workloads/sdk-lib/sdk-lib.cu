// LIBOR market model: each thread follows one random path of the forward rates and prices a portfolio
// of swaptions on it; the second kernel also finds the price's derivative to the last rate by going
// the path backwards, for which it keeps every step in local memory.
#include "device.h"

#define MAX_RATES 80
#define MAX_STEPS 40
#define OPTIONS 15
#define DELTA 0.25f

struct model {
    int rates, steps;
};

__constant__ float initial[MAX_RATES];    // forward rates today
__constant__ float volatility[MAX_RATES]; // by time to maturity
__constant__ int maturities[OPTIONS];
__constant__ float strikes[OPTIONS];

// e^x to about one ulp for |x| < 80, from exact operations only, so that a CPU gets the same bits.
WL_FN float exp_exact(float x)
{
    float k = __fmaf_rn(x, 1.44269504f, 12582912.0f) - 12582912.0f;
    float r = __fmaf_rn(k, -1.42860677e-6f, __fmaf_rn(k, -0.693145752f, x));
    float p = __fmaf_rn(r, 1.38888889e-3f, 8.33333333e-3f);
    p = __fmaf_rn(p, r, 4.16666667e-2f);
    p = __fmaf_rn(p, r, 0.166666667f);
    p = __fmaf_rn(p, r, 0.5f);
    p = __fmaf_rn(p, r, 1.0f);
    p = __fmaf_rn(p, r, 1.0f);
    return __int_as_float(__float_as_int(p) + (__float2int_rn(k) << 23));
}

// About normal: four 16-bit uniform numbers, scaled to deviation 1.
WL_FN float next_normal(unsigned *state)
{
    unsigned sum = 0;
    for (int i = 0; i < 4; i++) {
        *state = *state * 1664525u + 1013904223u;
        sum += *state >> 16;
    }
    return ((float)(int)sum - 131070.0f) * (1.0f / 37837.0f);
}

// One step of all rates that are still open.
WL_FN void advance(float *l, struct model m, int step, float z)
{
    float root = 0.5f * z, v = 0.0f; // sqrt(DELTA) z
    for (int i = step + 1; i < m.rates; i++) {
        float lam = volatility[i - step - 1], con = DELTA * lam;
        v = v + con * l[i] / __fmaf_rn(DELTA, l[i], 1.0f);
        l[i] = l[i] * exp_exact(__fmaf_rn(con, v, lam * __fmaf_rn(-0.5f, con, root)));
    }
}

WL_FN float discount(const float *l, int from, int to)
{
    float b = 1.0f;
    for (int i = from; i < to; i++)
        b = b / __fmaf_rn(DELTA, l[i], 1.0f);
    return b;
}

WL_FN float portfolio(const float *l, struct model m)
{
    float bonds[MAX_RATES], sums[MAX_RATES], b = 1.0f, s = 0.0f, v = 0.0f;
    for (int i = m.steps; i < m.rates; i++) {
        b = b / __fmaf_rn(DELTA, l[i], 1.0f);
        s = __fmaf_rn(DELTA, b, s);
        bonds[i - m.steps] = b;
        sums[i - m.steps] = s;
    }
    for (int i = 0; i < OPTIONS; i++) {
        int at = maturities[i] - 1;
        float swap = __fmaf_rn(strikes[i], sums[at], bonds[at]) - 1.0f;
        if (swap < 0.0f)
            v = __fmaf_rn(-100.0f, swap, v);
    }
    return v * discount(l, 0, m.steps);
}

// The portfolio's value and, in lb, its derivatives to all rates.
WL_FN float portfolio_back(const float *l, float *lb, struct model m)
{
    float bonds[MAX_RATES], sums[MAX_RATES], bonds_b[MAX_RATES], sums_b[MAX_RATES];
    int n = m.rates - m.steps;
    float b = 1.0f, s = 0.0f, v = 0.0f;
    for (int i = 0; i < n; i++) {
        b = b / __fmaf_rn(DELTA, l[m.steps + i], 1.0f);
        s = __fmaf_rn(DELTA, b, s);
        bonds[i] = b;
        sums[i] = s;
        bonds_b[i] = sums_b[i] = 0.0f;
    }
    for (int i = 0; i < OPTIONS; i++) {
        int at = maturities[i] - 1;
        float swap = __fmaf_rn(strikes[i], sums[at], bonds[at]) - 1.0f;
        if (swap < 0.0f) {
            v = __fmaf_rn(-100.0f, swap, v);
            sums_b[at] = __fmaf_rn(-100.0f, strikes[i], sums_b[at]);
            bonds_b[at] = bonds_b[at] - 100.0f;
        }
    }
    b = discount(l, 0, m.steps);
    for (int i = n - 1; i >= 0; i--) {
        float growth = __fmaf_rn(DELTA, l[m.steps + i], 1.0f);
        bonds_b[i] = __fmaf_rn(DELTA, sums_b[i], bonds_b[i]);
        lb[m.steps + i] = b * (-bonds_b[i] * bonds[i] * (DELTA / growth));
        if (i > 0) {
            sums_b[i - 1] = sums_b[i - 1] + sums_b[i];
            bonds_b[i - 1] = bonds_b[i - 1] + bonds_b[i] / growth;
        }
    }
    v = v * b;
    for (int i = 0; i < m.steps; i++)
        lb[i] = -v * DELTA / __fmaf_rn(DELTA, l[i], 1.0f);
    return v;
}

// Takes lb from the end of the path, whose steps are in `path`, to its beginning.
WL_FN void path_back(const float *path, float *lb, struct model m)
{
    for (int step = m.steps - 1; step >= 0; step--) {
        const float *old = path + step * m.rates, *now = old + m.rates;
        float v = 0.0f;
        for (int i = m.rates - 1; i > step; i--) {
            float lam = volatility[i - step - 1], f = DELTA / __fmaf_rn(DELTA, old[i], 1.0f);
            v = __fmaf_rn(lam * now[i], lb[i], v);
            lb[i] = __fmaf_rn(lb[i], now[i] / old[i], v * lam * f * f);
        }
    }
}

extern "C" __global__ void price(float *values, int paths, unsigned seed, struct model m)
{
    float l[MAX_RATES];
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < paths; p += blockDim.x * gridDim.x) {
        unsigned random = (p + 1) * 2654435761u ^ seed;
        for (int i = 0; i < m.rates; i++)
            l[i] = initial[i];
        for (int step = 0; step < m.steps; step++)
            advance(l, m, step, next_normal(&random));
        values[p] = portfolio(l, m);
    }
}

extern "C" __global__ void price_and_delta(float *values, float *deltas, int paths, unsigned seed,
                                           struct model m)
{
    float l[MAX_RATES], lb[MAX_RATES], path[(MAX_STEPS + 1) * MAX_RATES];
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < paths; p += blockDim.x * gridDim.x) {
        unsigned random = (p + 1) * 2654435761u ^ seed;
        for (int i = 0; i < m.rates; i++)
            path[i] = l[i] = initial[i];
        for (int step = 0; step < m.steps; step++) {
            advance(l, m, step, next_normal(&random));
            for (int i = 0; i < m.rates; i++)
                path[(step + 1) * m.rates + i] = l[i];
        }
        values[p] = portfolio_back(l, lb, m);
        path_back(path, lb, m);
        deltas[p] = lb[m.rates - 1];
    }
}
