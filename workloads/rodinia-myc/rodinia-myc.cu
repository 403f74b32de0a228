// Heart cells, a thread a cell: adaptive steps of Fehlberg's method of order 7 with 8 over 91 equations.
// A cell's values, its 13 stages and its errors are rows of its own, so that neighbouring threads read
// words far apart.
#include "myocyte.h"

#define STAGES   13
#define ATTEMPTS 12

// One cell's rows.
struct cell {
    const float *parameters;
    float *moved, *slopes, *errors; // slopes: one row a stage
};

WL_FN float value_or(float value, float other)
{
    return fabsf(value) < 3e38f ? value : other;
}

// Where the values would be after a part of the step, by the slopes of the stages before.
template <int STAGE>
WL_FN void move(const struct cell &c, const float (&factors)[12], float step, const float *from)
{
    for (int i = 0; i < MYC_EQUATIONS; i++) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < STAGE; k++)
            if (factors[k] != 0)
                sum = __fmaf_rn(factors[k], c.slopes[k * MYC_EQUATIONS + i], sum);
        c.moved[i] = __fmaf_rn(step, sum, from[i]);
    }
}

// Moves the values to a stage; returns its part of the step.
WL_FN float move_to(int stage, const struct cell &c, float step, const float *from)
{
    switch (stage) {
#define X(number, part, ...)                  \
    case number: {                            \
        const float factors[12] = __VA_ARGS__; \
        move<number>(c, factors, step, from); \
        return part;                          \
    }
#include "fehlberg.def"
#undef X
    }
    return 0;
}

WL_FN void try_step(const struct cell &c, float time, float step, const float *from, float *to)
{
    for (int s = 0; s < STAGES; s++) {
        float *slope = c.slopes + s * MYC_EQUATIONS, part = move_to(s, c, step, from);
        myc_derive(__fmaf_rn(part, step, time), c.moved, c.parameters, slope);
        for (int i = 0; i < MYC_EQUATIONS; i++)
            slope[i] = value_or(slope[i], 1e-4f);
    }
    for (int i = 0; i < MYC_EQUATIONS; i++) {
        const float *slope = c.slopes + i;
        float ends = slope[0] + slope[10 * MYC_EQUATIONS];
        float sum = 41.0f / 840.0f * ends;
        sum = __fmaf_rn(34.0f / 105.0f, slope[5 * MYC_EQUATIONS], sum);
        sum = __fmaf_rn(9.0f / 35.0f, slope[6 * MYC_EQUATIONS] + slope[7 * MYC_EQUATIONS], sum);
        sum = __fmaf_rn(9.0f / 280.0f, slope[8 * MYC_EQUATIONS] + slope[9 * MYC_EQUATIONS], sum);
        to[i] = __fmaf_rn(step, sum, from[i]);
        c.errors[i] = fabsf(41.0f / 840.0f * step *
                            (ends - slope[11 * MYC_EQUATIONS] - slope[12 * MYC_EQUATIONS]));
    }
}

// How much longer the step could have been; below 1 it was too long for some equation.
WL_FN float scale_of(const struct cell &c, const float *from, float tolerance, bool *outside)
{
    float least = 4.0f;
    *outside = false;
    for (int i = 0; i < MYC_EQUATIONS; i++) {
        float allowed = tolerance * (from[i] == 0 ? tolerance : fabsf(from[i]));
        if (c.errors[i] > allowed)
            *outside = true;
        least = fminf(least, 0.8f * myc_pow(allowed / c.errors[i], 1.0f / 7.0f));
    }
    return fmaxf(least, 0.125f);
}

extern "C" __global__ void myc_solve(int cells, int times, float tolerance, float *values,
                                     const float *parameters, float *ended, float *moved,
                                     float *slopes, float *errors)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    struct cell c = {parameters + i * MYC_PARAMETERS, moved + i * MYC_EQUATIONS,
                     slopes + i * STAGES * MYC_EQUATIONS, errors + i * MYC_EQUATIONS};
    for (int t = 1; t <= times; t++) {
        float *to = values + (i * (times + 1) + t) * MYC_EQUATIONS, *from = to - MYC_EQUATIONS;
        float step = 1.0f;
        bool outside;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try_step(c, (float)t, step, from, to);
            float scale = scale_of(c, from, tolerance, &outside);
            if (!outside)
                break;
            step = fminf(step * scale, 0.9f);
        }
        ended[i * (times + 1) + t] = (float)t + step;
    }
}
