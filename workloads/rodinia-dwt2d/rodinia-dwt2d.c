/* rodinia-dwt2d: wavelet transforms of a colour image, 5/3 and 9/7. */
#include "gen.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { WIDE = 64, HIGH = 8, COLOURS = 256, LEVELS = 2 };

/* As the device code's. */
struct size {
    int32_t width, height;
};

struct bands {
    CUdeviceptr low, high;
};

/* One of the two transforms: the colours' planes, room for low bands, and what comes out: the last
 * low band, then the high bands from the last level to the first. */
struct transform {
    bool integers;
    struct wl_array *planes[3], *low[LEVELS], *out[3];
};

struct state {
    struct size size;
    struct wl_array *image;
    struct transform t53, t97;
};

static struct size half(struct size s)
{
    return (struct size){(s.width + 1) / 2, (s.height + 1) / 2};
}

static size_t pixels(struct size s)
{
    return (size_t)s.width * (size_t)s.height;
}

static void declare(struct wl *w, struct transform *t, enum wl_type type, size_t n,
                    const char *const names[8])
{
    t->integers = type == WL_I32;
    for (int c = 0; c < 3; c++) {
        t->planes[c] = wl_array(w, names[c], WL_SCRATCH, type, n);
        t->out[c] = wl_array(w, names[3 + c], WL_OUTPUT, type, n);
    }
    for (int i = 0; i < LEVELS; i++)
        t->low[i] = wl_array(w, names[6 + i], WL_SCRATCH, type, n);
}

static void make(struct wl *w, void *state)
{
    static const struct size sizes[WL_SIZES] = {
        {48, 8}, {192, 104}, {640, 480}, {1280, 960}, {640, 480}};
    static const char *const names53[8] = {"red_53",       "green_53",    "blue_53", "out_red_53",
                                           "out_green_53", "out_blue_53", "even_53", "odd_53"};
    static const char *const names97[8] = {"red_97",       "green_97",    "blue_97", "out_red_97",
                                           "out_green_97", "out_blue_97", "even_97", "odd_97"};
    struct state *s = state;
    s->size = sizes[wl_size(w)];
    size_t n = pixels(s->size);
    s->image = wl_array(w, "image", WL_INPUT, WL_U8, (n + COLOURS - 1) / COLOURS * COLOURS * 3);
    declare(w, &s->t53, WL_I32, n, names53);
    declare(w, &s->t97, WL_F32, n, names97);
    wl_picture(s->image, (size_t)s->size.width, (size_t)s->size.height, 3);
    struct rng rng = wl_rng(w, 0);
    gen_photo(&rng, s->image->u8, (unsigned)s->size.width, (unsigned)s->size.height, 3);
}

static void run_transform(struct wl *w, const struct state *s, const struct transform *t)
{
    int n = (int)pixels(s->size);
    wl_launch(
        w, t->integers ? "dwt_colours_int" : "dwt_colours_float",
        WL_DIM(wl_blocks((size_t)n, COLOURS)), WL_DIM(COLOURS), 0,
        WL_ARGS(&s->image->dev, &t->planes[0]->dev, &t->planes[1]->dev, &t->planes[2]->dev, &n));
    for (int c = 0; c < 3; c++) {
        struct size size = s->size;
        CUdeviceptr in = t->planes[c]->dev;
        for (int level = 0; level < LEVELS; level++, size = half(size)) {
            CUdeviceptr out = t->out[c]->dev;
            struct bands bands = {level == LEVELS - 1 ? out : t->low[level]->dev,
                                  out + pixels(half(size)) * 4};
            wl_launch(
                w, t->integers ? "dwt_53" : "dwt_97",
                WL_DIM(wl_blocks((size_t)size.width, WIDE), wl_blocks((size_t)size.height, HIGH)),
                WL_DIM(WIDE), 0, WL_ARGS(&in, &bands, &size));
            in = bands.low;
        }
    }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    run_transform(w, s, &s->t53);
    run_transform(w, s, &s->t97);
}

/* The reference transforms whole rows and columns in place. A line: every `stride`-th number. */
struct line {
    size_t count, stride;
};

static size_t mirrored(long i, size_t count)
{
    size_t at = (size_t)(i < 0 ? -i : i);
    return at < count ? at : 2 * count - 2 - at;
}

static void lift_integers(int32_t *v, struct line l)
{
    for (int odd = 1; odd >= 0; odd--)
        for (long i = odd; i < (long)l.count; i += 2) {
            int32_t sum =
                v[mirrored(i - 1, l.count) * l.stride] + v[mirrored(i + 1, l.count) * l.stride];
            v[(size_t)i * l.stride] += odd ? -(sum / 2) : (sum + 2) / 4;
        }
}

static void lift_floats(float *v, struct line l)
{
    static const float factors[4] = {-1.586134342f, -0.05298011854f, 0.8829110762f, 0.4435068522f};
    for (int step = 0; step < 4; step++)
        for (long i = (step + 1) % 2; i < (long)l.count; i += 2) {
            float sum =
                v[mirrored(i - 1, l.count) * l.stride] + v[mirrored(i + 1, l.count) * l.stride];
            v[(size_t)i * l.stride] = fmaf(factors[step], sum, v[(size_t)i * l.stride]);
        }
}

static void lift(void *plane, bool integers, size_t first, struct line l)
{
    if (integers)
        lift_integers((int32_t *)plane + first, l);
    else
        lift_floats((float *)plane + first, l);
}

/* One level in place, the columns' and rows' factors of the 9/7 included. */
static void transform_level(void *plane, bool integers, struct size size)
{
    size_t width = (size_t)size.width, height = (size_t)size.height;
    for (size_t y = 0; y < height; y++)
        lift(plane, integers, y * width, (struct line){width, 1});
    for (size_t x = 0; x < width; x++)
        lift(plane, integers, x, (struct line){height, width});
    for (size_t i = 0; i < width * height && !integers; i++) {
        float *v = (float *)plane + i;
        *v *= i % width % 2 ? 1.149604398f : 0.8698644523f;
        *v *= i / width % 2 ? 1.149604398f : 0.8698644523f;
    }
}

/* Copies the bands of a transformed plane of 4-byte numbers to where they belong. */
static void part_bands(const uint32_t *plane, struct size size, uint32_t *low, uint32_t *high)
{
    size_t width = (size_t)size.width, height = (size_t)size.height;
    size_t low_wide = (width + 1) / 2, low_high = (height + 1) / 2;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            uint32_t *band = high;
            if (x % 2 == 0 && y % 2 == 0)
                band = low;
            else if (y % 2)
                band += width / 2 * low_high + (x % 2 ? low_wide * (height / 2) : 0);
            band[y / 2 * (x % 2 ? width / 2 : low_wide) + x / 2] = plane[y * width + x];
        }
}

static void check_transform(struct wl *w, const struct state *s, const struct transform *t)
{
    uint32_t *plane = wl_alloc(w, pixels(s->size), sizeof *plane);
    uint32_t *low = wl_alloc(w, pixels(s->size), sizeof *low);
    for (size_t c = 0; c < 3; c++) {
        struct size size = s->size;
        for (size_t i = 0; i < pixels(size); i++) {
            uint8_t level = s->image->u8[3 * i + c];
            if (t->integers)
                ((int32_t *)plane)[i] = level - 128;
            else
                ((float *)plane)[i] = (float)level / 255.0f - 0.5f;
        }
        for (int level = 0; level < LEVELS; level++, size = half(size)) {
            transform_level(plane, t->integers, size);
            part_bands(plane, size, low, t->out[c]->expect_u32 + pixels(half(size)));
            memcpy(plane, low, pixels(half(size)) * sizeof *low);
        }
        memcpy(t->out[c]->expect, low, pixels(size) * sizeof *low);
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    check_transform(w, s, &s->t53);
    check_transform(w, s, &s->t97);
}

const struct workload workload_rodinia_dwt2d = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "colours parted through shared memory; two levels of the 5/3 (integers) and the 9/7 "
        "wavelet (floats), blocks of 64x8 with a border in shared memory, rows by lifting, "
        "then columns with a thread each, four bands",
    .input = "a colour photograph, three bytes a pixel",
    .imitates = "a photograph, as Rodinia's rgb.bmp",
    .tolerance = "bit-equal: integers, and fused multiply-adds in a fixed order",
};
