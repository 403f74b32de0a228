// A ray tracer: spheres over a chequered plane, one thread a pixel, shadows and up to five mirror
// reflections. Neighbouring rays part ways at every edge.
#include "device.h"

#define MAX_SPHERES 32
#define BOUNCES 5
#define NONE -2
#define PLANE -1

struct vec {
    float x, y, z;
};

struct sphere {
    struct vec centre;
    float radius;
    struct vec colour;
    float mirror;
};

__constant__ struct sphere spheres[MAX_SPHERES];

WL_FN float dot(struct vec a, struct vec b)
{
    return __fmaf_rn(a.z, b.z, __fmaf_rn(a.y, b.y, a.x * b.x));
}
// a + b * s
WL_FN struct vec along(struct vec a, struct vec b, float s)
{
    return {__fmaf_rn(b.x, s, a.x), __fmaf_rn(b.y, s, a.y), __fmaf_rn(b.z, s, a.z)};
}
WL_FN struct vec minus(struct vec a, struct vec b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
WL_FN struct vec unit(struct vec a)
{
    float s = 1.0f / __fsqrt_rn(dot(a, a));
    return {a.x * s, a.y * s, a.z * s};
}

// Distance along the ray to the sphere, or a negative number.
WL_FN float hit_sphere(struct vec from, struct vec dir, const struct sphere *s)
{
    struct vec oc = minus(from, s->centre);
    float b = dot(oc, dir), disc = b * b - (dot(oc, oc) - s->radius * s->radius);
    return disc > 0.0f ? -b - __fsqrt_rn(disc) : -1.0f;
}

WL_FN int nearest(struct vec from, struct vec dir, int n, float *distance)
{
    int found = NONE;
    float best = 1.0e30f;
    for (int i = 0; i < n; i++) {
        float t = hit_sphere(from, dir, &spheres[i]);
        if (t > 0.001f && t < best) {
            best = t;
            found = i;
        }
    }
    if (dir.y < -0.0001f) {
        float t = -from.y / dir.y;
        if (t > 0.001f && t < best) {
            best = t;
            found = PLANE;
        }
    }
    *distance = best;
    return found;
}

WL_FN bool in_shadow(struct vec from, struct vec light, int n)
{
    for (int i = 0; i < n; i++)
        if (hit_sphere(from, light, &spheres[i]) > 0.001f)
            return true;
    return false;
}

WL_FN struct vec trace(struct vec from, struct vec dir, struct vec light, int n)
{
    struct vec sum = {0.0f, 0.0f, 0.0f};
    float weight = 1.0f;
    for (int bounce = 0; bounce < BOUNCES && weight > 0.02f; bounce++) {
        float t, mirror = 0.125f;
        int what = nearest(from, dir, n, &t);
        if (what == NONE)
            return along(sum, {0.5f, 0.7f, 1.0f}, weight * (0.6f + 0.4f * dir.y));
        struct vec at = along(from, dir, t), normal = {0.0f, 1.0f, 0.0f}, colour;
        if (what == PLANE) {
            int odd = (__float2int_rz(floorf(at.x)) + __float2int_rz(floorf(at.z))) & 1;
            colour = odd ? (struct vec){0.9f, 0.9f, 0.9f} : (struct vec){0.2f, 0.2f, 0.25f};
        } else {
            normal = unit(minus(at, spheres[what].centre));
            colour = spheres[what].colour;
            mirror = spheres[what].mirror;
        }
        at = along(at, normal, 0.002f);
        float lit = fmaxf(dot(normal, light), 0.0f);
        if (lit > 0.0f && in_shadow(at, light, n))
            lit = 0.0f;
        sum = along(sum, colour, weight * (1.0f - mirror) * (0.15f + 0.85f * lit));
        weight = weight * mirror;
        dir = along(dir, normal, -2.0f * dot(dir, normal));
        from = at;
    }
    return sum;
}

WL_FN unsigned level(float v)
{
    return (unsigned)__float2int_rz(fminf(v, 1.0f) * 255.0f);
}

extern "C" __global__ void render(unsigned *image, int width, int height, int n, struct vec eye,
                                  struct vec light)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float scale = 1.0f / (float)height;
    struct vec dir = {(float)(2 * x - width) * scale, (float)(height - 2 * y) * scale - 0.3f, -2.0f};
    struct vec c = trace(eye, unit(dir), light, n);
    image[y * width + x] = level(c.x) | level(c.y) << 8 | level(c.z) << 16 | 0xff000000u;
}
