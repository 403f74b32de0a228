/* sdk-bf: bilateral filter of a colour photograph. */
#include "gen.h"
#include "workload.h"

#include <math.h>

enum { RADIUS = 5, WINDOW = 2 * RADIUS + 1, BLOCK = 16 };

static const float colour_delta = 0.1f;

struct state {
    int width, height;
    float gaussian[WINDOW];
    struct wl_array *in, *out;
};

/* exp(-x^2 / (2 d^2)) with d = 4 at 0 to RADIUS, rounded to floats: a table, since exp() is not the
 * same on every machine. */
static const float gaussian_half[RADIUS + 1] = {0x1p+0f,        0x1.f03f56p-1f, 0x1.c3d6a2p-1f,
                                                0x1.827a56p-1f, 0x1.368b30p-1f, 0x1.d4d244p-2f};

static void make(struct wl *w, void *state)
{
    /* Rows are multiples of 32 bytes; blocks at the right and lower border are partly idle. */
    static const int sizes[WL_SIZES][2] = {
        {24, 12}, {88, 56}, {248, 184}, {1024, 1024}, {1024, 1024}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->width = sizes[wl_size(w)][0];
    s->height = sizes[wl_size(w)][1];
    size_t n = (size_t)s->width * (size_t)s->height;
    s->in = wl_array(w, "in", WL_INPUT, WL_U8, 4 * n);
    s->out = wl_array(w, "out", WL_OUTPUT, WL_U8, 4 * n);
    wl_picture(s->in, (size_t)s->width, (size_t)s->height, 4);
    wl_picture(s->out, (size_t)s->width, (size_t)s->height, 4);
    wl_judge(s->out, "rmse");
    gen_photo(&rng, s->in->u8, (unsigned)s->width, (unsigned)s->height, 4);
    for (int i = -RADIUS; i <= RADIUS; i++)
        s->gaussian[i + RADIUS] = gaussian_half[i < 0 ? -i : i];
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    int radius = RADIUS;
    float delta = colour_delta;
    struct wl_texels texels = {.type = WL_U8,
                               .channels = 4,
                               .width = (unsigned)s->width,
                               .height = (unsigned)s->height,
                               .is_unit = true};
    struct wl_texture *picture = wl_texture_over(w, s->in, texels);
    wl_set_symbol(w, "gaussian", s->gaussian, sizeof s->gaussian);
    wl_launch(w, "bilateral",
              WL_DIM(wl_blocks((size_t)s->width, BLOCK), wl_blocks((size_t)s->height, BLOCK)),
              WL_DIM(BLOCK, BLOCK), 0,
              WL_ARGS(&s->out->dev, &s->width, &s->height, &delta, &radius, &picture->object));
}

static int clamp(int i, int size)
{
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

static void unit_texel(const struct state *s, int x, int y, float texel[4])
{
    size_t at = (size_t)clamp(y, s->height) * (size_t)s->width + (size_t)clamp(x, s->width);
    for (int c = 0; c < 4; c++)
        texel[c] = (float)s->in->u8[4 * at + (size_t)c] / 255.0f;
}

static float likeness(const float a[4], const float b[4])
{
    float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    float square = fmaf(z, z, fmaf(x, x, y * y));
    return expf(-square / (2.0f * colour_delta * colour_delta));
}

static void filter_pixel(const struct state *s, int x, int y, uint8_t out[4])
{
    float centre[4], near[4], sum[4] = {0}, weights = 0;
    unit_texel(s, x, y, centre);
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            unit_texel(s, x + dx, y + dy, near);
            float weight = s->gaussian[dy + RADIUS] * s->gaussian[dx + RADIUS];
            weight *= likeness(near, centre);
            for (int c = 0; c < 4; c++)
                sum[c] = fmaf(weight, near[c], sum[c]);
            weights += weight;
        }
    for (int c = 0; c < 4; c++)
        out[c] = (uint8_t)(fminf(sum[c] / weights, 1.0f) * 255.0f);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            filter_pixel(s, x, y,
                         s->out->expect_u8 + 4 * ((size_t)y * (size_t)s->width + (size_t)x));
}

const struct workload workload_sdk_bf = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .byte_tol = 1,
    .algorithm = "a thread a pixel adds 11x11 neighbours, fetched through textures, weighted by "
                 "distance (a table in constant memory) and colour (an exponential of the special "
                 "function unit)",
    .input = "a colour photograph, RGBA bytes",
    .imitates = "a photograph; the SDK's is nature_monte.bmp, the text's 1024x1024",
    .tolerance = "within one level of 255: the exponential is approximate, and levels are rounded "
                 "down",
};
