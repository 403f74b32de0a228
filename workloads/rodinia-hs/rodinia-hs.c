/* rodinia-hs: HotSpot, the temperature of a chip over time from its power map. */
#include "gen.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 16, PYRAMID = 2 };

struct chip {
    int rows, cols;
    float step_cap, rx1, ry1, rz1;
};

struct state {
    struct chip chip;
    int launches;
    struct wl_array *power, *temp, *other;
};

/* Silicon 0.5 mm thick, 16 mm on a side; the time step that the steepest slope allows. */
static void set_physics(struct chip *c)
{
    const double thick = 0.0005, side = 0.016, conduct = 100, heat = 1.75e6, factor = 0.5;
    double h = side / c->rows, w = side / c->cols;
    double cap = factor * heat * thick * w * h, slope = 3.0e6 / (factor * thick * heat);
    c->step_cap = (float)(0.001 / slope / cap);
    c->rx1 = (float)(2 * conduct * thick * h / w);
    c->ry1 = (float)(2 * conduct * thick * w / h);
    c->rz1 = (float)(conduct * h * w / thick);
}

/* A floorplan: units of constant power density over a leaking background, most of them idle. In
 * watts a cell, as HotSpot's traces have them. */
static void fill_power(const struct state *s, struct rng *rng)
{
    int rows = s->chip.rows, cols = s->chip.cols;
    float *p = s->power->f32, unit = 16.0f / (float)rows / (float)cols;
    for (size_t i = 0; i < s->power->count; i++)
        p[i] = unit * 0.25f;
    for (int k = 0; k < 40; k++) {
        int h = 1 + (int)rng_below(rng, (uint32_t)rows / 4),
            w = 1 + (int)rng_below(rng, (uint32_t)cols / 4);
        int y0 = (int)rng_below(rng, (uint32_t)(rows - h)),
            x0 = (int)rng_below(rng, (uint32_t)(cols - w));
        float v = unit * (float)(1 + rng_below(rng, 64)) / (rng_below(rng, 3) ? 16 : 4);
        for (int y = y0; y < y0 + h; y++)
            for (int x = x0; x < x0 + w; x++)
                p[(size_t)y * cols + x] = v;
    }
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int side, launches;
    } sizes[WL_SIZES] = {{36, 2}, {144, 4}, {468, 6}, {1024, 6}, {512, 6}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->chip.rows = s->chip.cols = sizes[wl_size(w)].side;
    s->launches = sizes[wl_size(w)].launches;
    set_physics(&s->chip);
    size_t n = (size_t)s->chip.rows * s->chip.cols;
    s->power = wl_array(w, "power", WL_INPUT, WL_F32, n);
    s->temp = wl_array(w, "temp", WL_INOUT, WL_F32, n); /* an even number of launches ends here */
    wl_picture(s->power, (size_t)s->chip.cols, (size_t)s->chip.rows, 1);
    wl_picture(s->temp, (size_t)s->chip.cols, (size_t)s->chip.rows, 1);
    wl_judge(s->temp, "rmse");
    s->other = wl_array(w, "other", WL_SCRATCH, WL_F32, n);
    fill_power(s, &rng);
    int32_t *field = wl_alloc(w, n, sizeof *field);
    gen_fractal(&rng, field, (unsigned)s->chip.cols, (unsigned)s->chip.rows, 64, 20000);
    for (size_t i = 0; i < n; i++)
        s->temp->f32[i] = 332.0f + (float)field[i] / 8192; /* kelvin */
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    int steps = PYRAMID;
    unsigned inner = BLOCK - 2 * PYRAMID;
    for (int i = 0; i < s->launches; i++)
        wl_launch(
            w, "hotspot",
            WL_DIM(wl_blocks((size_t)s->chip.cols, inner), wl_blocks((size_t)s->chip.rows, inner)),
            WL_DIM(BLOCK, BLOCK), 0,
            WL_ARGS(&steps, &s->power->dev, i % 2 ? &s->other->dev : &s->temp->dev,
                    i % 2 ? &s->temp->dev : &s->other->dev, &s->chip));
}

static void step(const struct state *s, const float *t, float *out)
{
    const struct chip *c = &s->chip;
    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x < c->cols; x++) {
            size_t at = (size_t)y * c->cols + x, row = (size_t)c->cols;
            float north = t[y ? at - row : at], south = t[y < c->rows - 1 ? at + row : at];
            float west = t[x ? at - 1 : at], east = t[x < c->cols - 1 ? at + 1 : at];
            float flow = fmaf(south + north - 2.0f * t[at], c->ry1, s->power->f32[at]);
            flow = fmaf(east + west - 2.0f * t[at], c->rx1, flow);
            flow = fmaf(80.0f - t[at], c->rz1, flow);
            out[at] = fmaf(c->step_cap, flow, t[at]);
        }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    float *a = s->temp->expect_f32, *b = wl_alloc(w, s->temp->count, sizeof *b);
    memcpy(a, s->temp->initial, s->temp->count * sizeof *a);
    for (int i = 0; i < s->launches * PYRAMID; i += 2) {
        step(s, a, b);
        step(s, b, a);
    }
}

const struct workload workload_rodinia_hs = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "explicit time steps, two a launch on overlapping 16x16 tiles in shared memory",
    .input =
        "a floorplan of units with constant power density; a smooth temperature map around 332 K",
    .imitates = "Rodinia's maps of a chip (temp_512, power_512): power flat within "
                "units, temperature smooth",
    .tolerance = "bit-equal: fused multiply-adds in a fixed order",
};
