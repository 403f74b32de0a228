/* sdk-jpeg: cosine transform, quantisation and entropy preparation of a gray image. */
#include "gen.h"
#include "workload.h"

#include <math.h>

struct state {
    int width, height, blocks;
    float cosines[64], steps[64];
    uint8_t zigzag[64];
    struct wl_array *image, *coefficients, *levels, *symbols, *counts, *bits;
};

/* cos(i pi / 16), i = 0..8, in single precision: written out, so that no libm is asked. */
static const float cos16[9] = {1.0f,        0.98078528f, 0.92387953f, 0.83146961f, 0.70710678f,
                               0.55557023f, 0.38268343f, 0.19509032f, 0.0f};

static float cosine(int i)
{
    i %= 32;
    if (i > 16)
        i = 32 - i;
    return i <= 8 ? cos16[i] : -cos16[16 - i];
}

/* The luminance steps grow with frequency, about as those of JPEG's example table at quality 75. */
static void make_tables(struct state *s)
{
    for (int k = 0; k < 8; k++)
        for (int x = 0; x < 8; x++)
            s->cosines[k * 8 + x] = cosine((2 * x + 1) * k) * (k ? 0.5f : 0.35355339f);
    for (int i = 0; i < 64; i++)
        s->steps[i] = 1.0f / (float)(6 + (i / 8 + i % 8) * 4);
    int at = 0;
    for (int d = 0; d < 15; d++)
        for (int i = 0; i <= d; i++) {
            int y = d % 2 ? i : d - i, x = d - y;
            if (x < 8 && y < 8)
                s->zigzag[at++] = (uint8_t)(y * 8 + x);
        }
}

static void make(struct wl *w, void *state)
{
    static const int widths[WL_SIZES] = {96, 544, 2016, 4096, 2016};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->width = widths[wl_size(w)];
    s->height = s->width / 32 * 24;
    s->blocks = s->width / 8 * (s->height / 8);
    size_t n = (size_t)s->width * s->height;
    make_tables(s);
    s->image = wl_array(w, "image", WL_INPUT, WL_U8, n);
    wl_picture(s->image, (size_t)s->width, (size_t)s->height, 1);
    s->coefficients = wl_array(w, "coefficients", WL_OUTPUT, WL_F32, n);
    wl_judge(s->coefficients, "rmse");
    s->levels = wl_array(w, "levels", WL_OUTPUT, WL_I32, n);
    wl_judge(s->levels, "wrong");
    s->symbols = wl_array(w, "symbols", WL_OUTPUT, WL_U16, n);
    wl_judge(s->symbols, "wrong");
    s->counts = wl_array(w, "counts", WL_OUTPUT, WL_I32, (size_t)s->blocks);
    wl_judge(s->counts, "wrong");
    s->bits = wl_array(w, "bits", WL_OUTPUT, WL_I32, (size_t)s->blocks);
    wl_judge(s->bits, "wrong");
    gen_photo(&rng, s->image->u8, (unsigned)s->width, (unsigned)s->height, 1);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    int n = s->blocks * 64;
    wl_set_symbol(w, "cosines", s->cosines, sizeof s->cosines);
    wl_set_symbol(w, "steps", s->steps, sizeof s->steps);
    wl_set_symbol(w, "zigzag", s->zigzag, sizeof s->zigzag);
    wl_launch(w, "dct8x8", WL_DIM(wl_blocks(s->blocks, 32)), WL_DIM(8, 32), 0,
              WL_ARGS(&s->coefficients->dev, &s->image->dev, &s->width, &s->blocks));
    wl_launch(w, "quantise", WL_DIM(wl_blocks(n, 256)), WL_DIM(256), 0,
              WL_ARGS(&s->levels->dev, &s->coefficients->dev, &n));
    wl_launch(
        w, "entropy_prepare", WL_DIM(wl_blocks(s->blocks, 64)), WL_DIM(64), 0,
        WL_ARGS(&s->symbols->dev, &s->counts->dev, &s->bits->dev, &s->levels->dev, &s->blocks));
}

/* One-dimensional transform of 8 values `step` apart. */
static void dct_line(const struct state *s, const float *in, float *out, int step)
{
    for (int k = 0; k < 8; k++) {
        float sum = 0;
        for (int x = 0; x < 8; x++)
            sum = fmaf(in[x * step], s->cosines[k * 8 + x], sum);
        out[k * step] = sum;
    }
}

static void reference_block(const struct state *s, int b, float *out)
{
    float in[64], half[64];
    int across = s->width / 8;
    const uint8_t *p = s->image->u8 + (size_t)(b / across) * 8 * s->width + b % across * 8;
    for (int i = 0; i < 64; i++)
        in[i] = (float)p[i / 8 * s->width + i % 8] - 128.0f;
    for (int y = 0; y < 8; y++)
        dct_line(s, in + y * 8, half + y * 8, 1);
    for (int x = 0; x < 8; x++)
        dct_line(s, half + x, out + x, 8);
}

static int bit_length(int v)
{
    int n = 0;
    for (unsigned u = (unsigned)(v < 0 ? -v : v); u; u >>= 1)
        n++;
    return n;
}

static void reference_symbols(struct state *s, int b)
{
    const int32_t *l = s->levels->expect_i32 + (size_t)b * 64;
    uint16_t *out = s->symbols->expect_u16 + (size_t)b * 64;
    int count = 0, bits = 0, last = 0, zeros = 0;
    for (int i = 1; i < 64; i++)
        last = l[i] ? i : last;
    for (int i = 0; i <= last; i++) {
        int v = i ? l[i] : l[0] - (b ? l[-64] : 0);
        if (i && !v) {
            zeros++;
            continue;
        }
        while (zeros >= 16) {
            out[count++] = 15 * 16;
            zeros -= 16;
        }
        out[count++] = (uint16_t)(zeros * 16 + bit_length(v));
        bits += bit_length(v);
        zeros = 0;
    }
    if (last < 63 && count < 64)
        out[count++] = 0;
    s->counts->expect_i32[b] = count;
    s->bits->expect_i32[b] = bits;
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (int b = 0; b < s->blocks; b++) {
        float *c = s->coefficients->expect_f32 + (size_t)b * 64;
        reference_block(s, b, c);
        for (int i = 0; i < 64; i++)
            s->levels->expect_i32[(size_t)b * 64 + i] =
                (int32_t)rintf(c[s->zigzag[i]] * s->steps[s->zigzag[i]]);
    }
    for (int b = 0; b < s->blocks; b++)
        reference_symbols(s, b);
}

const struct workload workload_sdk_jpeg = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "8x8 cosine transform by eight threads a block, quantisation in zigzag order, "
                 "run and size symbols by one thread a block",
    .input = "a gray photograph, bytes",
    .imitates = "a photograph, what JPEG is for",
    .tolerance = "bit-equal: fused multiply-adds in a fixed order, then integers",
};
