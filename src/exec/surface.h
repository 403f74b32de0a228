/* Surfaces: places and formats, without a warp. */
#ifndef EXEC_SURFACE_H
#define EXEC_SURFACE_H

#include "exec/texture_int.h"

struct surf_place {
    int64_t x; /* in bytes */
    int64_t y, z;
    uint32_t layer; /* beyond the last: clamped to it, so -1 is the last one */
};

/* The address of `bytes` bytes at a place; false if they are outside, and mode is not .clamp. */
bool surface_locate(const struct tex_object *o, enum tex_shape shape, const struct surf_place *p,
                    unsigned bytes, enum ptx_mod mode, addr_t *addr);
/* A formatted store (sust.p): n components into one texel. */
void surface_format(const struct tex_object *o, const uint32_t in[4], unsigned n, char *texel);

#endif
