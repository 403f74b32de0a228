/* sdk-lib: Monte Carlo pricing of swaptions in the LIBOR market model, with and without the
 * derivative to the last forward rate. */
#include "gen.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { MAX_RATES = 80, MAX_STEPS = 40, OPTIONS = 15 };
#define DELTA 0.25f

struct model {
    int rates, steps;
};

struct state {
    struct model model;
    int paths;
    uint32_t seed;
    struct wl_array *initial, *volatility, *maturities, *strikes;
    struct wl_array *values, *values2, *deltas;
};

/* A forward curve around 5 %, volatilities that fall with time, five maturities with three strikes
 * each: below, at and above the money. */
static void make_market(struct state *s, struct rng *rng)
{
    int32_t curve[MAX_RATES];
    int open = s->model.rates - s->model.steps;
    gen_fractal(rng, curve, MAX_RATES, 1, 32, 30000);
    for (int i = 0; i < MAX_RATES; i++) {
        s->initial->f32[i] = 0.05f + (float)curve[i] / 16777216;
        s->volatility->f32[i] = 0.25f - 0.001f * (float)i;
    }
    for (int i = 0; i < OPTIONS; i++) {
        s->maturities->i32[i] = open * (i / 3 + 1) / 5;
        s->strikes->f32[i] =
            0.045f + 0.005f * (float)(i % 3) + (float)rng_below(rng, 100) * 0.00001f;
    }
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int rates, steps, paths;
    } sizes[WL_SIZES] = {
        {10, 5, 160}, {20, 10, 1152}, {40, 20, 4608}, {80, 40, 6144}, {40, 20, 7168}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->model = (struct model){sizes[wl_size(w)].rates, sizes[wl_size(w)].steps};
    s->paths = sizes[wl_size(w)].paths;
    s->seed = (uint32_t)rng_u64(&rng);
    s->initial = wl_array(w, "initial", WL_INPUT, WL_F32, MAX_RATES);
    s->volatility = wl_array(w, "volatility", WL_INPUT, WL_F32, MAX_RATES);
    s->maturities = wl_array(w, "maturities", WL_INPUT, WL_I32, OPTIONS);
    s->strikes = wl_array(w, "strikes", WL_INPUT, WL_F32, OPTIONS);
    s->values = wl_array(w, "values", WL_OUTPUT, WL_F32, (size_t)s->paths);
    s->values2 = wl_array(w, "values2", WL_OUTPUT, WL_F32, (size_t)s->paths);
    s->deltas = wl_array(w, "deltas", WL_OUTPUT, WL_F32, (size_t)s->paths);
    make_market(s, &rng);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct wl_dim grid = WL_DIM(wl_blocks((size_t)s->paths, 64)), block = WL_DIM(64);
    wl_set_symbol(w, "initial", s->initial->data, MAX_RATES * sizeof(float));
    wl_set_symbol(w, "volatility", s->volatility->data, MAX_RATES * sizeof(float));
    wl_set_symbol(w, "maturities", s->maturities->data, OPTIONS * sizeof(int32_t));
    wl_set_symbol(w, "strikes", s->strikes->data, OPTIONS * sizeof(float));
    wl_launch(w, "price_and_delta", grid, block, 0,
              WL_ARGS(&s->values->dev, &s->deltas->dev, &s->paths, &s->seed, &s->model));
    wl_launch(w, "price", grid, block, 0,
              WL_ARGS(&s->values2->dev, &s->paths, &s->seed, &s->model));
}

static float growth(float rate)
{
    return fmaf(DELTA, rate, 1.0f);
}

/* The same operations as on the device: argument = k ln 2 + r, a polynomial in r, k into the
 * exponent. */
static float exponential(float x)
{
    static const float c[] = {
        1.38888889e-3f, 8.33333333e-3f, 4.16666667e-2f, 0.166666667f, 0.5f, 1.0f, 1.0f};
    float k = fmaf(x, 1.44269504f, 12582912.0f) - 12582912.0f;
    float r = fmaf(k, -1.42860677e-6f, fmaf(k, -0.693145752f, x)), p = c[0];
    for (int i = 1; i < 7; i++)
        p = fmaf(p, r, c[i]);
    int32_t bits;
    memcpy(&bits, &p, 4);
    bits += (int32_t)k * (1 << 23);
    memcpy(&p, &bits, 4);
    return p;
}

static float normal(uint32_t *random)
{
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++) {
        *random = *random * 1664525u + 1013904223u;
        sum += *random >> 16;
    }
    return ((float)sum - 131070.0f) * (1.0f / 37837.0f);
}

/* path[n]: all rates after n steps. */
static void follow(const struct state *s, int p, float path[MAX_STEPS + 1][MAX_RATES])
{
    uint32_t random = (uint32_t)(p + 1) * 2654435761u ^ s->seed;
    memcpy(path[0], s->initial->f32, sizeof path[0]);
    for (int n = 0; n < s->model.steps; n++) {
        float z = 0.5f * normal(&random), v = 0;
        memcpy(path[n + 1], path[n], sizeof path[n]);
        for (int i = n + 1; i < s->model.rates; i++) {
            float lam = s->volatility->f32[i - n - 1], con = DELTA * lam, old = path[n][i];
            v += con * old / growth(old);
            path[n + 1][i] = old * exponential(fmaf(con, v, lam * fmaf(-0.5f, con, z)));
        }
    }
}

/* Values the portfolio at the rates `l` and leaves the derivatives in `lb`. */
static float evaluate(const struct state *s, const float *l, float *lb)
{
    float bond[MAX_RATES], sum[MAX_RATES], bond_b[MAX_RATES] = {0}, sum_b[MAX_RATES] = {0};
    int steps = s->model.steps, n = s->model.rates - steps;
    float v = 0, b = 1;
    for (int i = 0; i < n; i++) {
        bond[i] = (i ? bond[i - 1] : 1) / growth(l[steps + i]);
        sum[i] = fmaf(DELTA, bond[i], i ? sum[i - 1] : 0);
    }
    for (int i = 0; i < OPTIONS; i++) {
        int at = s->maturities->i32[i] - 1;
        float swap = fmaf(s->strikes->f32[i], sum[at], bond[at]) - 1;
        if (swap >= 0)
            continue;
        v = fmaf(-100, swap, v);
        sum_b[at] = fmaf(-100, s->strikes->f32[i], sum_b[at]);
        bond_b[at] -= 100;
    }
    for (int i = 0; i < steps; i++)
        b /= growth(l[i]);
    for (int i = n - 1; i >= 0; i--) {
        float g = growth(l[steps + i]);
        bond_b[i] = fmaf(DELTA, sum_b[i], bond_b[i]);
        lb[steps + i] = b * (-bond_b[i] * bond[i] * (DELTA / g));
        if (i) {
            sum_b[i - 1] += sum_b[i];
            bond_b[i - 1] += bond_b[i] / g;
        }
    }
    v *= b;
    for (int i = 0; i < steps; i++)
        lb[i] = -v * DELTA / growth(l[i]);
    return v;
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    float(*path)[MAX_RATES] = wl_alloc(w, MAX_STEPS + 1, sizeof *path);
    float lb[MAX_RATES];
    for (int p = 0; p < s->paths; p++) {
        follow(s, p, path);
        float v = evaluate(s, path[s->model.steps], lb);
        s->values->expect_f32[p] = s->values2->expect_f32[p] = v;
        for (int n = s->model.steps - 1; n >= 0; n--) {
            float sum = 0;
            for (int i = s->model.rates - 1; i > n; i--) {
                float lam = s->volatility->f32[i - n - 1], f = DELTA / growth(path[n][i]);
                sum = fmaf(lam * path[n + 1][i], lb[i], sum);
                lb[i] = fmaf(lb[i], path[n + 1][i] / path[n][i], sum * lam * f * f);
            }
        }
        s->deltas->expect_f32[p] = lb[s->model.rates - 1];
    }
}

const struct workload workload_sdk_lib = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "a thread a path of up to 80 forward rates in local memory; with the adjoint, which "
        "keeps the whole path there, and without",
    .input = "a forward curve around 5 %, falling volatilities, 15 swaptions; normal numbers are "
             "made on the device",
    .imitates = "the SDK's own: a flat curve of 5 % with volatility 0.2, here neither "
                "is flat",
    .tolerance = "bit-equal: the exponential is a polynomial of fused multiply-adds",
    .idle = "two blocks an SM",
};
