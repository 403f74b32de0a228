/* Photographs with the statistics of natural ones: opaque leaves over each other. Their radii r
 * have a density of r^-3, the only one without a scale of its own: the picture looks alike from
 * near and far, so its power falls with about 1/f^2. A few large leaves lie in front, as walls and
 * sky do: without them hardly any part of a picture is flat. Integers and exact roots only. */
#include "gen.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_RADIUS = 2, PIXELS_PER_LEAF = 32, LARGE_LEAVES = 6 };

struct leaf {
    int x, y, radius, gray;
    bool is_disc;
};

/* Opaque leaves over each other. */
struct scene {
    unsigned nleaves;
    struct leaf *leaves; /* [0] is the background */
    uint32_t *seen;      /* which of them each pixel shows */
};

static void *zeroed(size_t count, size_t bytes)
{
    void *p = calloc(count, bytes);
    if (!p)
        abort();
    return p;
}

static bool leaf_covers(const struct leaf *l, int x, int y)
{
    int dx = abs(x - l->x), dy = abs(y - l->y);
    if (l->is_disc)
        return (int64_t)dx * dx + (int64_t)dy * dy <= (int64_t)l->radius * l->radius;
    return dx <= l->radius && dy <= l->radius / 2;
}

/* From `least` to `largest`: the share of radii above r falls with 1/r^2. */
static int random_radius(struct rng *rng, double least, double largest)
{
    double end = (least / largest) * (least / largest);
    return (int)(least / sqrt(end + (1 - end) * rng_unit(rng)));
}

static struct leaf random_leaf(struct rng *rng, unsigned width, unsigned height, bool is_large)
{
    unsigned largest = (width < height ? width : height) / 3 + LEAST_RADIUS;
    int radius = random_radius(rng, is_large ? (double)largest / 3 : LEAST_RADIUS, largest);
    return (struct leaf){(int)rng_below(rng, width), (int)rng_below(rng, height), radius,
                         30 + (int)rng_below(rng, 180), rng_below(rng, 3) != 0};
}

static void paint_leaf(const struct scene *s, uint32_t k, int width, int height)
{
    const struct leaf *l = &s->leaves[k];
    int top = l->y > l->radius ? l->y - l->radius : 0;
    int left = l->x > l->radius ? l->x - l->radius : 0;
    for (int y = top; y <= l->y + l->radius && y < height; y++)
        for (int x = left; x <= l->x + l->radius && x < width; x++)
            if (leaf_covers(l, x, y))
                s->seen[(size_t)y * (size_t)width + (size_t)x] = k;
}

static struct scene make_scene(struct rng *rng, unsigned width, unsigned height)
{
    size_t n = (size_t)width * height;
    unsigned small = (unsigned)(n / PIXELS_PER_LEAF);
    struct scene s = {.nleaves = 1 + small + LARGE_LEAVES};
    s.leaves = zeroed(s.nleaves, sizeof *s.leaves);
    s.seen = zeroed(n, sizeof *s.seen);
    s.leaves[0].gray = 110;
    for (uint32_t k = 1; k < s.nleaves; k++) {
        s.leaves[k] = random_leaf(rng, width, height, k > small);
        paint_leaf(&s, k, (int)width, (int)height);
    }
    return s;
}

static void free_scene(struct scene *s)
{
    free(s->leaves);
    free(s->seen);
}

/* What a sensor adds: one level up or down in three pixels of eight. */
static int random_noise(struct rng *rng)
{
    int noise = (int)rng_below(rng, 4);
    return (noise - (int)rng_below(rng, 4)) / 2;
}

static uint8_t level(int v)
{
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* How the surface of a leaf looks. */
struct surface {
    int colour[3]; /* added to its gray */
    int contrast;  /* levels that the shading moves it by, up and down; 0: flat and without noise */
};

static struct surface *random_surfaces(struct rng *rng, unsigned n)
{
    struct surface *s = zeroed(n, sizeof *s);
    for (unsigned k = 0; k < n; k++) {
        for (int c = 0; c < 3; c++)
            s[k].colour[c] = (int)rng_below(rng, 49) - 24;
        s[k].contrast = rng_below(rng, 2) ? 2 + (int)rng_below(rng, 22) : 0;
    }
    return s;
}

/* The mean of a pixel and its neighbours with weights 1 6 1 both ways, as a lens blurs. */
static int blur_at(const int32_t *plane, int x, int y, int width, int height)
{
    int64_t sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int px = x + dx < 0 ? 0 : x + dx >= width ? width - 1 : x + dx;
            int py = y + dy < 0 ? 0 : y + dy >= height ? height - 1 : y + dy;
            sum += (int64_t)(6 - 5 * abs(dx)) * (6 - 5 * abs(dy)) *
                   plane[(size_t)py * (size_t)width + (size_t)px];
        }
    return (int)(sum / 64);
}

/* One colour of the picture in 256ths of a level, before lens and sensor. */
static void paint_plane(const struct scene *s, const struct surface *surfaces, int colour,
                        const int32_t *shade, int32_t *plane, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct surface *f = &surfaces[s->seen[i]];
        int gray = s->leaves[s->seen[i]].gray + (colour < 0 ? 0 : f->colour[colour]);
        plane[i] = 256 * gray + shade[i] / 512 * f->contrast;
    }
}

void gen_photo(struct rng *rng, uint8_t *out, unsigned width, unsigned height, unsigned channels)
{
    size_t n = (size_t)width * height;
    int32_t *shade = zeroed(n, sizeof *shade), *plane = zeroed(n, sizeof *plane);
    gen_fractal(rng, shade, width, height, 256, 57344);
    struct scene s = make_scene(rng, width, height);
    struct surface *surfaces = random_surfaces(rng, s.nleaves);
    unsigned colours = channels < 3 ? 1 : 3;
    for (unsigned c = 0; c < colours; c++) {
        paint_plane(&s, surfaces, colours == 1 ? -1 : (int)c, shade, plane, n);
        for (size_t i = 0; i < n; i++) {
            int v = blur_at(plane, (int)(i % width), (int)(i / width), (int)width, (int)height);
            int noise = surfaces[s.seen[i]].contrast ? random_noise(rng) : 0;
            out[i * channels + c] = level((v + 128) / 256 + noise);
        }
    }
    for (size_t i = 0; channels == 4 && i < n; i++)
        out[i * 4 + 3] = 255;
    free(surfaces);
    free_scene(&s);
    free(plane);
    free(shade);
}
