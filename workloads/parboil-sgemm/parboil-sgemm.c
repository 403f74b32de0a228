/* parboil-sgemm: dense matrix product in single precision; the compute-bound control. */
#include "gen.h"
#include "workload.h"

#include <math.h>

struct state {
    int m, n, k;
    float alpha, beta;
    struct wl_array *a, *b, *c;
};

static void make(struct wl *w, void *state)
{
    static const struct {
        int m, n, k;
    } sizes[WL_SIZES] = {
        {128, 16, 128}, {384, 144, 144}, {1024, 512, 240}, {2048, 1024, 512}, {1024, 512, 240}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->m = sizes[wl_size(w)].m;
    s->n = sizes[wl_size(w)].n;
    s->k = sizes[wl_size(w)].k;
    s->alpha = 1.0f;
    s->beta = 0.5f;
    s->a = wl_array(w, "a", WL_INPUT, WL_F32, (size_t)s->m * s->k);
    s->b = wl_array(w, "b", WL_INPUT, WL_F32, (size_t)s->n * s->k);
    s->c = wl_array(w, "c", WL_INOUT, WL_F32, (size_t)s->m * s->n);
    for (size_t i = 0; i < s->a->count; i++)
        s->a->f32[i] = (float)(gen_normal(&rng) * 0.05);
    for (size_t i = 0; i < s->b->count; i++) {
        double v = gen_normal(&rng);
        s->b->f32[i] = v > 0 ? (float)v : 0.0f;
    }
    for (size_t i = 0; i < s->c->count; i++)
        s->c->f32[i] = (float)(gen_normal(&rng) * 0.1);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    wl_launch(w, "sgemm_nt", WL_DIM((unsigned)s->m / 128, (unsigned)s->n / 16), WL_DIM(16, 8), 0,
              WL_ARGS(&s->a->dev, &s->m, &s->b->dev, &s->n, &s->c->dev, &s->m, &s->k, &s->alpha,
                      &s->beta));
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    const float *initial = s->c->initial;
    float *sum = s->c->expect_f32;
    (void)w;
    for (int j = 0; j < s->n; j++)
        for (int l = 0; l < s->k; l++)
            for (int i = 0; i < s->m; i++) {
                float *x = &sum[(size_t)j * s->m + i];
                *x = fmaf(s->a->f32[(size_t)l * s->m + i], s->b->f32[(size_t)l * s->n + j], *x);
            }
    for (size_t i = 0; i < s->c->count; i++)
        sum[i] = fmaf(s->alpha, sum[i], initial[i] * s->beta);
}

const struct workload workload_parboil_sgemm = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "128x16 tiles, 16 results a thread in registers, B through shared memory",
    .input = "a layer of a network: normal weights, activations of which half are 0",
    .imitates = "a layer of a neural network; Parboil's matrices are random",
    .tolerance = "bit-equal: fused multiply-adds in the order of k",
};
