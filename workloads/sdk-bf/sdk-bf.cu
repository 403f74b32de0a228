// Bilateral filter: each pixel becomes the mean of its neighbours, weighted by their distance (a
// table in constant memory) and by how far their colour is from its own (an exponential of the
// special function unit). A thread a pixel; all pixels come through the texture path.
#include "device.h"

#define MAX_WINDOW 64

__constant__ float gaussian[MAX_WINDOW];

WL_FN float likeness(struct wl_texel a, struct wl_texel b, float delta)
{
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
    float square = __fmaf_rn(z, z, __fmaf_rn(x, x, y * y));
    WL_MARK_ON("memo begin IN=%0", "+f"(square));
    float like = __expf(-square / (2.0f * delta * delta));
    WL_MARK_ON("memo end OUT=%0", "+f"(like));
    return like;
}

/* 0 to 1 as 0 to 255, rounded down. */
WL_FN unsigned byte_of(float v)
{
    return (unsigned)(fminf(fmaxf(fabsf(v), 0.0f), 1.0f) * 255.0f);
}

extern "C" __global__ void bilateral(unsigned *out, int width, int height, float delta, int radius,
                                     unsigned long long picture)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    WL_MARK("lnl load H=0 uses=1");
    struct wl_texel centre = wl_tex2d_f32x4(picture, (float)x, (float)y);
    WL_MARK("lnl begin loads=0");
    struct wl_texel sum = {0.0f, 0.0f, 0.0f, 0.0f};
    float weights = 0.0f;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            struct wl_texel near = wl_tex2d_f32x4(picture, (float)(x + dx), (float)(y + dy));
            float weight = gaussian[dy + radius] * gaussian[dx + radius];
            weight *= likeness(near, centre, delta);
            sum.x = __fmaf_rn(weight, near.x, sum.x);
            sum.y = __fmaf_rn(weight, near.y, sum.y);
            sum.z = __fmaf_rn(weight, near.z, sum.z);
            sum.w = __fmaf_rn(weight, near.w, sum.w);
            weights += weight;
        }
    unsigned colour = byte_of(sum.w / weights) << 24 | byte_of(sum.z / weights) << 16 |
                      byte_of(sum.y / weights) << 8 | byte_of(sum.x / weights);
    WL_MARK("lnl store u8x4");
    out[y * width + x] = colour;
    WL_MARK("lnl end");
}
