/* sdk-sf: Sobel filter of a gray photograph, by texture fetches. */
#include "gen.h"
#include "workload.h"

#include <stdlib.h>

enum { BLOCK = 384 };

static const float scale = 1.0f;

struct state {
    int width, height;
    struct wl_array *in, *out;
};

static void make(struct wl *w, void *state)
{
    /* Rows are longer than a block, but not a multiple of it. */
    static const int sizes[WL_SIZES][2] = {
        {400, 24}, {512, 216}, {1024, 1024}, {2048, 2048}, {1024, 1024}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->width = sizes[wl_size(w)][0];
    s->height = sizes[wl_size(w)][1];
    size_t n = (size_t)s->width * (size_t)s->height;
    s->in = wl_array(w, "in", WL_INPUT, WL_U8, n);
    s->out = wl_array(w, "out", WL_OUTPUT, WL_U8, n);
    wl_picture(s->in, (size_t)s->width, (size_t)s->height, 1);
    wl_picture(s->out, (size_t)s->width, (size_t)s->height, 1);
    wl_judge(s->out, "rmse");
    gen_photo(&rng, s->in->u8, (unsigned)s->width, (unsigned)s->height, 1);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    float factor = scale;
    struct wl_texels texels = {
        .type = WL_U8, .channels = 1, .width = (unsigned)s->width, .height = (unsigned)s->height};
    struct wl_texture *picture = wl_texture_array(w, texels);
    wl_texture_load(w, picture, s->in);
    wl_launch(w, "sobel", WL_DIM((unsigned)s->height), WL_DIM(BLOCK), 0,
              WL_ARGS(&s->out->dev, &s->width, &s->width, &factor, &picture->object));
}

static int pixel(const struct state *s, int x, int y)
{
    x = x < 0 ? 0 : x >= s->width ? s->width - 1 : x;
    y = y < 0 ? 0 : y >= s->height ? s->height - 1 : y;
    return s->in->u8[(size_t)y * (size_t)s->width + (size_t)x];
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            int across = 0, down = 0;
            for (int k = -1; k <= 1; k++) {
                across += (2 - abs(k)) * (pixel(s, x + 1, y + k) - pixel(s, x - 1, y + k));
                down += (2 - abs(k)) * (pixel(s, x + k, y - 1) - pixel(s, x + k, y + 1));
            }
            int sum = (int)(scale * (float)(abs(across) + abs(down)));
            s->out->expect_u8[(size_t)y * (size_t)s->width + (size_t)x] =
                (uint8_t)(sum > 255 ? 255 : sum);
        }
}

const struct workload workload_sdk_sf = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "a block a row, whose threads walk it in steps of 384; nine pixels around each "
                 "fetched as bytes through textures from a CUDA array; absolute sums, clamped",
    .input = "a gray photograph, bytes",
    .imitates = "a photograph of 1024x1024, as Lock and Load's text has it; the SDK's "
                "is lena.pgm",
    .tolerance = "equal: whole numbers",
};
