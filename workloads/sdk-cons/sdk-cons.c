/* sdk-cons: separable convolution of an image of floats with a 17-tap filter. */
#include "convolution.h"

#include <math.h>

static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES][2] = {
        {56, 42}, {288, 216}, {1152, 864}, {2304, 1728}, {1024, 1024}};
    convolution_make(w, state, sizes[wl_size(w)][0], sizes[wl_size(w)][1]);
}

static void run(struct wl *w, void *state)
{
    struct convolution *s = state;
    wl_set_symbol(w, "filter", s->filter, sizeof s->filter);
    wl_launch(w, "convolve_rows", WL_DIM(wl_blocks(s->width, 128), s->height), WL_DIM(128), 0,
              WL_ARGS(&s->rows->dev, &s->in->dev, &s->width));
    wl_launch(w, "convolve_columns", WL_DIM(wl_blocks(s->width, 16), wl_blocks(s->height, 48)),
              WL_DIM(16, 8), 0, WL_ARGS(&s->out->dev, &s->rows->dev, &s->width, &s->height));
}

/* One pass: `step` elements from one neighbour to the next, `len` of them in a line. */
static float convolve(const struct convolution *s, const float *in, int at, int len, size_t step)
{
    float sum = 0;
    for (int k = -CONVOLUTION_RADIUS; k <= CONVOLUTION_RADIUS; k++) {
        bool inside = at + k >= 0 && at + k < len;
        sum = fmaf(inside ? in[(size_t)(at + k) * step] : 0.0f, s->filter[CONVOLUTION_RADIUS - k],
                   sum);
    }
    return sum;
}

static void reference(struct wl *w, void *state)
{
    struct convolution *s = state;
    size_t width = (size_t)s->width;
    float *rows = wl_alloc(w, width * s->height, sizeof *rows);
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            rows[y * width + x] = convolve(s, s->in->f32 + y * width, x, s->width, 1);
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            s->out->expect_f32[y * width + x] = convolve(s, rows + x, y, s->height, width);
}

const struct workload workload_sdk_cons = {
    .state_bytes = sizeof(struct convolution),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "rows, then columns, 17 taps, tiles with apron in shared memory, filter in "
                 "constant memory",
    .input =
        "a gray photograph as floats 0 to 255; a filter of whole numbers 0 to 15, as in the SDK",
    .imitates = "a photograph of 1024x1024, as Lock and Load's text has it; the SDK's "
                "program fills its image with uniform noise 0 to 15, of which nothing "
                "is alike",
    .tolerance = "bit-equal: fused multiply-adds in a fixed order",
};
