/* The vector parts of texture reads, one version a CPU level: what texture_fetch.c and
 * texture_mix.c do for one lane, to the bit, for 32. */
#ifndef EXEC_TEXTURE_LANES_H
#define EXEC_TEXTURE_LANES_H

#include "base/cpu.h"
#include "exec/texture_int.h"

/* How coordinates along one axis become texels. */
struct tex_axis {
    uint32_t size;
    uint8_t mode; /* enum tex_address */
    bool normalized, linear, is_whole;
};

/* Places of texels (TEX_OUTSIDE: there is the border) and where between the two, in 1/256. */
struct tex_axis_lanes {
    int32_t at[2][WARP_LANES];
    int32_t frac[WARP_LANES];
};

/* Four texels of every lane and their weights in 1/256. */
struct tex_sum_lanes {
    int32_t weight[4][WARP_LANES];
    struct texel_lanes texel[4];
};

struct texture_lanes {
    /* `at` are floats, or whole texels. */
    void (*resolve)(const struct tex_axis *axis, const uint32_t *at, struct tex_axis_lanes *out);
    /* The texels of every lane, `outside` where a place is TEX_OUTSIDE: those channels that the
     * object has. Not for sRGB. */
    void (*load)(const struct tex_object *o, const int32_t *x, const int32_t *y, const int32_t *z,
                 const struct tex_value *outside, struct texel_lanes *out);
    /* Channels that the object has not are 0. */
    void (*clear)(const struct tex_object *o, struct texel_lanes *v);
    /* Integers become floats. */
    void (*normalize)(const struct tex_object *o, struct texel_lanes *v);
    /* The weights of the four texels at x.at[i & 1], y.at[i >> 1]. */
    void (*weigh)(const int32_t *fx, const int32_t *fy, int32_t weight[4][WARP_LANES]);
    /* One channel of the weighted sums. The result are the lanes that texture_mix() has to do:
     * infinities, NaNs and subnormal results. */
    uint32_t (*mix_float)(const struct tex_object *o, const struct tex_sum_lanes *s,
                          unsigned channel, uint32_t *out);
    void (*mix_normalized)(const struct tex_object *o, const struct tex_sum_lanes *s,
                           unsigned channel, uint32_t *out);
};

const struct texture_lanes *texture_lanes_get(void);

#endif
