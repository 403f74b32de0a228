/* sdk-ray: ray tracing of spheres over a plane. */
#include "gen.h"
#include "workload.h"

#include <math.h>

enum { MAX_SPHERES = 32, BOUNCES = 5, NONE = -2, PLANE = -1 };

struct vec {
    float x, y, z;
};

struct sphere {
    struct vec centre;
    float radius;
    struct vec colour;
    float mirror;
};

struct state {
    int width, height, n;
    struct vec eye, light;
    struct wl_array *scene, *image;
};

static float part(struct rng *rng, float low, float high)
{
    return low + (high - low) * (float)rng_below(rng, 1024) / 1024;
}

/* Spheres of different sizes that lie on the plane or float above it. */
static void make_scene(struct state *s, struct rng *rng)
{
    struct sphere *all = s->scene->data;
    for (int i = 0; i < s->n; i++) {
        float radius = part(rng, 0.2f, 0.9f);
        all[i] = (struct sphere){
            {part(rng, -4, 4), radius + (float)rng_below(rng, 3) * 0.4f, part(rng, -7, 0)},
            radius,
            {part(rng, 0.1f, 1), part(rng, 0.1f, 1), part(rng, 0.1f, 1)},
            rng_below(rng, 2) ? 0.0625f : part(rng, 0.3f, 0.8f)};
    }
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int width, spheres;
    } sizes[WL_SIZES] = {{36, 8}, {144, 16}, {480, 20}, {960, 24}, {480, 20}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->width = sizes[wl_size(w)].width;
    s->height = s->width * 3 / 4;
    s->n = sizes[wl_size(w)].spheres;
    s->eye = (struct vec){0.25f, 2.0f, 5.0f};
    s->light = (struct vec){0.48f, 0.8f, 0.36f};
    s->scene = wl_array(w, "scene", WL_INPUT, WL_F32, (size_t)s->n * sizeof(struct sphere) / 4);
    s->image = wl_array(w, "image", WL_OUTPUT, WL_U32, (size_t)s->width * s->height);
    wl_picture(s->image, (size_t)s->width, (size_t)s->height, 4);
    make_scene(s, &rng);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    wl_set_symbol(w, "spheres", s->scene->data, (size_t)s->n * sizeof(struct sphere));
    wl_launch(w, "render", WL_DIM(wl_blocks((size_t)s->width, 16), wl_blocks((size_t)s->height, 8)),
              WL_DIM(16, 8), 0,
              WL_ARGS(&s->image->dev, &s->width, &s->height, &s->n, &s->eye, &s->light));
}

static float dot(struct vec a, struct vec b)
{
    return fmaf(a.z, b.z, fmaf(a.y, b.y, a.x * b.x));
}

static struct vec along(struct vec a, struct vec b, float s)
{
    return (struct vec){fmaf(b.x, s, a.x), fmaf(b.y, s, a.y), fmaf(b.z, s, a.z)};
}

static struct vec minus(struct vec a, struct vec b)
{
    return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static struct vec unit(struct vec a)
{
    float s = 1.0f / sqrtf(dot(a, a));
    return (struct vec){a.x * s, a.y * s, a.z * s};
}

struct ray {
    struct vec from, dir;
};

static float sphere_distance(struct ray r, const struct sphere *s)
{
    struct vec oc = minus(r.from, s->centre);
    float b = dot(oc, r.dir), disc = b * b - (dot(oc, oc) - s->radius * s->radius);
    return disc > 0 ? -b - sqrtf(disc) : -1;
}

static int find_hit(const struct state *s, struct ray r, float *distance)
{
    const struct sphere *all = s->scene->data;
    int found = NONE;
    *distance = 1.0e30f;
    for (int i = 0; i <= s->n; i++) {
        float t = i < s->n             ? sphere_distance(r, &all[i])
                  : r.dir.y < -0.0001f ? -r.from.y / r.dir.y
                                       : -1;
        if (t > 0.001f && t < *distance) {
            *distance = t;
            found = i < s->n ? i : PLANE;
        }
    }
    return found;
}

static float light_at(const struct state *s, struct vec at, struct vec normal)
{
    const struct sphere *all = s->scene->data;
    float lit = dot(normal, s->light);
    if (lit <= 0)
        return 0;
    for (int i = 0; i < s->n; i++)
        if (sphere_distance((struct ray){at, s->light}, &all[i]) > 0.001f)
            return 0;
    return lit;
}

static struct vec trace(const struct state *s, struct ray r)
{
    const struct sphere *all = s->scene->data;
    struct vec sum = {0};
    float weight = 1, t;
    for (int bounce = 0; bounce < BOUNCES && weight > 0.02f; bounce++) {
        int what = find_hit(s, r, &t);
        if (what == NONE)
            return along(sum, (struct vec){0.5f, 0.7f, 1.0f}, weight * (0.6f + 0.4f * r.dir.y));
        struct vec at = along(r.from, r.dir, t), normal = {0, 1, 0}, colour = {0.2f, 0.2f, 0.25f};
        float mirror = 0.125f;
        if (what != PLANE) {
            normal = unit(minus(at, all[what].centre));
            colour = all[what].colour;
            mirror = all[what].mirror;
        } else if (((int)floorf(at.x) + (int)floorf(at.z)) & 1) {
            colour = (struct vec){0.9f, 0.9f, 0.9f};
        }
        at = along(at, normal, 0.002f);
        float lit = light_at(s, at, normal);
        sum = along(sum, colour, weight * (1.0f - mirror) * (0.15f + 0.85f * lit));
        weight *= mirror;
        r = (struct ray){at, along(r.dir, normal, -2.0f * dot(r.dir, normal))};
    }
    return sum;
}

static uint32_t level(float v)
{
    return (uint32_t)((v < 1 ? v : 1) * 255);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    float scale = 1.0f / (float)s->height;
    (void)w;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            struct vec dir = {(float)(2 * x - s->width) * scale,
                              (float)(s->height - 2 * y) * scale - 0.3f, -2};
            struct vec c = trace(s, (struct ray){s->eye, unit(dir)});
            s->image->expect_u32[(size_t)y * s->width + x] =
                level(c.x) | level(c.y) << 8 | level(c.z) << 16 | 0xff000000u;
        }
}

const struct workload workload_sdk_ray = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "a thread a pixel; spheres in constant memory, shadow rays, up to five reflections",
    .input = "8 to 24 spheres of random place, size, colour and mirror over a chequered plane",
    .imitates = "the original's scene of spheres over a plane",
    .tolerance = "bit-equal: correctly rounded operations in a fixed order",
};
