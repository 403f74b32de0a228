/* rodinia-myc: heart muscle cells over some milliseconds. */
#include "myocyte.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32, STAGES = 13, ATTEMPTS = 12 };

static const struct {
    float part, factors[12];
} stages[STAGES] = {
#define X(number, part, ...) {part, __VA_ARGS__},
#include "fehlberg.def"
#undef X
};

struct state {
    int cells, times;
    float tolerance;
    struct wl_array *values, *parameters, *ended, *moved, *slopes, *errors;
};

/* A cell at rest, but for how much its stores hold. */
static void rest(float *y, struct rng *rng)
{
    static const float start[MYC_CALMODULIN] = {
        0.001f, 0.98f, 0.98f, 1e-4f, 0.98f,  0.01f,   0.93f,   0.93f, 0.01f,  0.93f,
        0.06f,  0.02f, 0.02f, 0.02f, 0.9f,   1e-4f,   1e-4f,   3.5f,  0.8f,   0.009f,
        0.12f,  0.03f, 0.03f, 0.02f, 0.05f,  0.0022f, 2e-5f,   5e-5f, 0.001f, 0.002f,
        0.55f,  8.8f,  8.8f,  8.8f,  135.0f, 1.7e-4f, 1.1e-4f, 9e-5f, -85.7f, 0,
        0,      0,     0,     0,     0,      0};
    static const float calmodulin[15] = {4.0f,   0.05f,  0.001f, 0.3f, 0.02f, 0.01f, 0.01f, 0.005f,
                                         0.001f, 0.001f, 0.001f, 0.2f, 0.05f, 0.01f, 0.005f};
    for (int i = 0; i < MYC_EQUATIONS; i++) {
        float value = i < MYC_CALMODULIN ? start[i] : calmodulin[(i - MYC_CALMODULIN) % 15];
        float spread = i == MYC_VOLTAGE ? 0.02f : 0.1f;
        y[i] = value * (1 + spread * ((float)rng_below(rng, 1024) / 512 - 1));
    }
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int cells, times;
        float tolerance;
    } sizes[WL_SIZES] = {
        {6, 1, 10.0f}, {64, 1, 0.01f}, {1792, 1, 0.01f}, {3584, 2, 0.01f}, {3584, 1, 0.01f}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->cells = sizes[wl_size(w)].cells;
    s->times = sizes[wl_size(w)].times;
    s->tolerance = sizes[wl_size(w)].tolerance;
    size_t n = (size_t)s->cells, times = (size_t)s->times + 1;
    s->values = wl_array(w, "values", WL_INOUT, WL_F32, n * times * MYC_EQUATIONS);
    s->parameters = wl_array(w, "parameters", WL_INPUT, WL_F32, n * MYC_PARAMETERS);
    s->ended = wl_array(w, "ended", WL_OUTPUT, WL_F32, n * times);
    s->moved = wl_array(w, "moved", WL_SCRATCH, WL_F32, n * MYC_EQUATIONS);
    s->slopes = wl_array(w, "slopes", WL_SCRATCH, WL_F32, n * STAGES * MYC_EQUATIONS);
    s->errors = wl_array(w, "errors", WL_OUTPUT, WL_F32, n * MYC_EQUATIONS);
    for (size_t i = 0; i < n; i++) {
        float *p = s->parameters->f32 + i * MYC_PARAMETERS;
        rest(s->values->f32 + i * times * MYC_EQUATIONS, &rng);
        for (int place = 0; place < 3; place++) { /* buffer, kinase, phosphatase */
            p[5 * place] = 24.2f;
            p[5 * place + 1] = place ? 0.5f : 1.2f;
            p[5 * place + 2] = place ? 0.3f : 3.6f;
        }
        p[15] = 300 + (float)rng_below(&rng, 700); /* the cycle's length */
    }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    wl_launch(w, "myc_solve", WL_DIM(wl_blocks((size_t)s->cells, BLOCK)), WL_DIM(BLOCK), 0,
              WL_ARGS(&s->cells, &s->times, &s->tolerance, &s->values->dev, &s->parameters->dev,
                      &s->ended->dev, &s->moved->dev, &s->slopes->dev, &s->errors->dev));
}

static void try_step(const float *p, float time, float step, const float *from, float *to,
                     float *errors)
{
    float slopes[STAGES][MYC_EQUATIONS], moved[MYC_EQUATIONS];
    for (int s = 0; s < STAGES; s++) {
        for (int i = 0; i < MYC_EQUATIONS; i++) {
            float sum = 0;
            for (int k = 0; k < s; k++)
                if (stages[s].factors[k] != 0)
                    sum = fmaf(stages[s].factors[k], slopes[k][i], sum);
            moved[i] = fmaf(step, sum, from[i]);
        }
        myc_derive(fmaf(stages[s].part, step, time), moved, p, slopes[s]);
        for (int i = 0; i < MYC_EQUATIONS; i++)
            if (!(fabsf(slopes[s][i]) < 3e38f))
                slopes[s][i] = 1e-4f;
    }
    for (int i = 0; i < MYC_EQUATIONS; i++) {
        float ends = slopes[0][i] + slopes[10][i], sum = 41.0f / 840.0f * ends;
        sum = fmaf(34.0f / 105.0f, slopes[5][i], sum);
        sum = fmaf(9.0f / 35.0f, slopes[6][i] + slopes[7][i], sum);
        sum = fmaf(9.0f / 280.0f, slopes[8][i] + slopes[9][i], sum);
        to[i] = fmaf(step, sum, from[i]);
        errors[i] = fabsf(41.0f / 840.0f * step * (ends - slopes[11][i] - slopes[12][i]));
    }
}

/* Whether all errors are small enough; if not, the step becomes shorter. */
static bool accept(const struct state *s, const float *from, const float *errors, float *step)
{
    float least = 4.0f;
    bool inside = true;
    for (int i = 0; i < MYC_EQUATIONS; i++) {
        float allowed = s->tolerance * (from[i] == 0 ? s->tolerance : fabsf(from[i]));
        inside &= errors[i] <= allowed;
        least = fminf(least, 0.8f * myc_pow(allowed / errors[i], 1.0f / 7.0f));
    }
    if (!inside)
        *step = fminf(*step * fmaxf(least, 0.125f), 0.9f);
    return inside;
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    memcpy(s->values->expect, s->values->initial, s->values->count * sizeof(float));
    for (int c = 0; c < s->cells; c++)
        for (int t = 1; t <= s->times; t++) {
            float *to = s->values->expect_f32 + (c * (s->times + 1) + t) * MYC_EQUATIONS;
            float *errors = s->errors->expect_f32 + c * MYC_EQUATIONS, step = 1;
            const float *p = s->parameters->f32 + c * MYC_PARAMETERS, *from = to - MYC_EQUATIONS;
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                try_step(p, (float)t, step, from, to, errors);
                if (accept(s, from, errors, &step))
                    break;
            }
            s->ended->expect_f32[c * (s->times + 1) + t] = (float)t + step;
        }
}

const struct workload workload_rodinia_myc = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "a thread a heart cell of 91 equations, adaptive steps of Fehlberg's method with 13 "
        "evaluations; long scalar code on rows of a thread's own, words far apart",
    .input = "cells at rest with values spread by 10 %, stimulated in cycles of 300 to 1000 ms",
    .imitates = "Rodinia's initial state of a cell; there all cells have the same",
    .tolerance = "bit-equal: exponential and logarithm are polynomials of fused multiply-adds; the "
                 "equations are the same source on both sides",
    .idle = "two warps an SM, and the length of a step adapts: cells need different"
            " numbers of them",
};
