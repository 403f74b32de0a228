/* sdk-fwt: dyadic convolution of a signal by three fast Walsh transforms. */
#include "gen.h"
#include "workload.h"

#include <string.h>

enum { SHARED_LOG2 = 11 };

struct state {
    int log2n, n;
    float scale;
    struct wl_array *data, *kernel;
};

static void make(struct wl *w, void *state)
{
    static const int logs[WL_SIZES] = {11, 16, 19, 21, 20};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->log2n = logs[wl_size(w)];
    s->n = 1 << s->log2n;
    s->scale = 1.0f / (float)s->n;
    s->data = wl_array(w, "data", WL_INOUT, WL_F32, (size_t)s->n);
    s->kernel = wl_array(w, "kernel", WL_INPUT, WL_F32, (size_t)s->n);
    int32_t *signal = wl_alloc(w, (size_t)s->n, sizeof *signal);
    gen_fractal(&rng, signal, (unsigned)s->n, 1, 512, 42000);
    for (int i = 0; i < s->n; i++)
        s->data->f32[i] = (float)(signal[i] / 32); /* about 13 bits, as from a converter */
    for (int i = 0; i < 128; i++)
        s->kernel->f32[i] = (float)(128 - i) / 128;
}

/* Strides from n/2 down: radix-4 passes (a stride of n/2 with one of n/4) till the rest fits into
 * shared memory. */
static void transform(struct wl *w, const struct state *s, CUdeviceptr data)
{
    int log2n = s->log2n;
    for (; log2n > SHARED_LOG2; log2n -= 2) {
        int stride = 1 << (log2n - 2);
        wl_launch(w, "fwt_global", WL_DIM((unsigned)s->n / 4 / 256), WL_DIM(256), 0,
                  WL_ARGS(&data, &stride));
    }
    wl_launch(w, "fwt_shared", WL_DIM(1u << (s->log2n - log2n)), WL_DIM(1u << (log2n - 2)),
              (unsigned)sizeof(float) << log2n, WL_ARGS(&data, &log2n));
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    unsigned blocks = s->n < 1 << 16 ? (unsigned)s->n / 256 : 256;
    transform(w, s, s->data->dev);
    transform(w, s, s->kernel->dev);
    wl_launch(w, "modulate", WL_DIM(blocks), WL_DIM(256), 0,
              WL_ARGS(&s->data->dev, &s->kernel->dev, &s->scale, &s->n));
    transform(w, s, s->data->dev);
}

static void transform_cpu(float *d, int n)
{
    for (int h = n / 2; h > 0; h /= 2)
        for (int i = 0; i < n; i++)
            if (!(i & h)) {
                float a = d[i], b = d[i + h];
                d[i] = a + b;
                d[i + h] = a - b;
            }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    size_t bytes = (size_t)s->n * sizeof(float);
    float *data = s->data->expect_f32, *kernel = wl_alloc(w, bytes, 1);
    memcpy(data, s->data->initial, bytes);
    memcpy(kernel, s->kernel->f32, bytes);
    transform_cpu(data, s->n);
    transform_cpu(kernel, s->n);
    for (int i = 0; i < s->n; i++)
        data[i] *= kernel[i] * s->scale;
    transform_cpu(data, s->n);
}

const struct workload workload_sdk_fwt = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "radix-4 butterflies, wide strides in global memory and the last 2^11 elements in "
                 "shared memory; two transforms, a product, the inverse",
    .input = "a 1/f signal of about 13 bits as floats, and a falling ramp of 128 as kernel",
    .imitates = "a recorded signal; the SDK's program draws uniform numbers",
    .tolerance = "bit-equal: butterflies in the order of falling strides",
};
