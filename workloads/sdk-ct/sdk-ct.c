/* sdk-ct: separable convolution of a photograph with a 17-tap filter, by texture fetches. */
#include "convolution.h"

#include <math.h>

enum { BLOCK_W = 16, BLOCK_H = 12 };

static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES][2] = {
        {72, 56}, {248, 184}, {1024, 1024}, {3072, 1536}, {1024, 1024}};
    convolution_make(w, state, sizes[wl_size(w)][0], sizes[wl_size(w)][1]);
}

static void run(struct wl *w, void *state)
{
    struct convolution *s = state;
    struct wl_dim grid =
        WL_DIM(wl_blocks((size_t)s->width, BLOCK_W), wl_blocks((size_t)s->height, BLOCK_H));
    struct wl_texels texels = {.type = WL_F32,
                               .channels = 1,
                               .width = (unsigned)s->width,
                               .height = (unsigned)s->height,
                               .is_linear = true};
    struct wl_texture *source = wl_texture_array(w, texels);
    wl_set_symbol(w, "filter", s->filter, sizeof s->filter);
    wl_texture_load(w, source, s->in);
    wl_launch(w, "convolve_rows", grid, WL_DIM(BLOCK_W, BLOCK_H), 0,
              WL_ARGS(&s->rows->dev, &s->width, &s->height, &source->object));
    wl_texture_load(w, source, s->rows);
    wl_launch(w, "convolve_columns", grid, WL_DIM(BLOCK_W, BLOCK_H), 0,
              WL_ARGS(&s->out->dev, &s->width, &s->height, &source->object));
}

/* One pass: `step` elements from one neighbour to the next, `len` of them in a line; beyond its
 * ends it goes on with its last elements. */
static float convolve(const struct convolution *s, const float *in, int at, int len, size_t step)
{
    float sum = 0;
    for (int k = CONVOLUTION_RADIUS; k >= -CONVOLUTION_RADIUS; k--) {
        int i = at + k < 0 ? 0 : at + k >= len ? len - 1 : at + k;
        sum = fmaf(in[(size_t)i * step], s->filter[CONVOLUTION_RADIUS - k], sum);
    }
    return sum;
}

static void reference(struct wl *w, void *state)
{
    struct convolution *s = state;
    size_t width = (size_t)s->width, height = (size_t)s->height;
    float *rows = wl_alloc(w, width * height, sizeof *rows);
    for (size_t i = 0; i < width * height; i++)
        rows[i] = convolve(s, s->in->f32 + i / width * width, (int)(i % width), s->width, 1);
    for (size_t i = 0; i < width * height; i++)
        s->out->expect_f32[i] = convolve(s, rows + i % width, (int)(i / width), s->height, width);
}

const struct workload workload_sdk_ct = {
    .state_bytes = sizeof(struct convolution),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "rows, then columns, 17 taps, each fetched through textures from a CUDA array; "
                 "filter in constant memory; a copy into the array between the passes",
    .input =
        "a gray photograph as floats 0 to 255; a filter of whole numbers 0 to 15, as in the SDK",
    .imitates = "a photograph of 1024x1024, as Lock and Load's text has it; the SDK's "
                "program fills its image with uniform noise",
    .tolerance = "bit-equal: fused multiply-adds in a fixed order",
};
