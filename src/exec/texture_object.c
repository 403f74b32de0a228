/* Texture and surface objects, and single texels. */
#include "exec/softfp.h"
#include "exec/texture_int.h"

#include <stdlib.h>
#include <string.h>

/* Handles look nothing like addresses or small integers, so that a stray value is caught: a tag,
 * how many had been removed when it was made (so that it stays dead after its own removal), and the
 * place in the table. */
#define HANDLE_TAG   UINT64_C(0x7e00000000000000)
#define HANDLE_PLACE UINT64_C(0xffffff)

static uint64_t handle_at(const struct tex_table *t, uint32_t i)
{
    return HANDLE_TAG | (uint64_t)t->removed << 24 | ((i + 1) & HANDLE_PLACE);
}

uint64_t tex_table_add(struct tex_table *t, const struct tex_object *init)
{
    uint32_t i = 0;
    while (i < t->count && t->objects[i].is_used)
        i++;
    if (i == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 16;
        t->objects = xrealloc(t->objects, t->cap * sizeof *t->objects);
    }
    if (i == t->count)
        t->count++;
    t->objects[i] = *init;
    t->objects[i].is_used = true;
    t->objects[i].handle = handle_at(t, i);
    return t->objects[i].handle;
}

const struct tex_object *tex_table_get(const struct tex_table *t, uint64_t handle)
{
    const uint64_t i = (handle & HANDLE_PLACE) - 1;
    const struct tex_object *o = i < t->count ? &t->objects[i] : NULL;
    return o && o->is_used && o->handle == handle ? o : NULL;
}

bool tex_table_remove(struct tex_table *t, uint64_t handle)
{
    const struct tex_object *o = tex_table_get(t, handle);
    if (!o)
        return false;
    t->objects[o - t->objects].is_used = false;
    t->removed++;
    return true;
}

uint64_t tex_table_first(const struct tex_table *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->objects[i].is_used)
            return t->objects[i].handle;
    return 0;
}

void tex_table_remove_range(struct tex_table *t, addr_t base, uint64_t bytes)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->objects[i].is_used && t->objects[i].data - base < bytes)
            tex_table_remove(t, t->objects[i].handle);
}

void tex_table_free(struct tex_table *t)
{
    free(t->objects);
    *t = (struct tex_table){0};
}

unsigned texture_dims(enum tex_shape shape)
{
    switch (shape) {
    case TEX_BUFFER:
    case TEX_1D:
    case TEX_1D_LAYERED:
        return 1;
    case TEX_2D:
    case TEX_2D_LAYERED:
        return 2;
    default:
        return 3;
    }
}

int texture_shape_of(const struct ptx_inst *inst)
{
    static const struct {
        uint8_t mod, shape;
    } rows[] = {{PTX_M_G1D, TEX_1D},
                {PTX_M_G2D, TEX_2D},
                {PTX_M_G3D, TEX_3D},
                {PTX_M_GA1D, TEX_1D_LAYERED},
                {PTX_M_GA2D, TEX_2D_LAYERED},
                {PTX_M_CUBE, TEX_CUBE},
                {PTX_M_ACUBE, TEX_CUBE_LAYERED}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (ptx_inst_has(inst, (enum ptx_mod)rows[i].mod))
            return rows[i].shape;
    return -1;
}

/* Linear light of an 8-bit sRGB value, as the hardware rounds it: the upper half of a float. */
static const uint16_t srgb_linear[256] = {
    0x0000, 0x39a0, 0x3a20, 0x3a70, 0x3aa0, 0x3ac8, 0x3af0, 0x3b0c, 0x3b20, 0x3b34, 0x3b48, 0x3b5c,
    0x3b70, 0x3b84, 0x3b90, 0x3b9c, 0x3baa, 0x3bb8, 0x3bc6, 0x3bd6, 0x3be6, 0x3bf6, 0x3c03, 0x3c0c,
    0x3c16, 0x3c1f, 0x3c29, 0x3c34, 0x3c3e, 0x3c49, 0x3c55, 0x3c60, 0x3c6c, 0x3c7a, 0x3c83, 0x3c8a,
    0x3c91, 0x3c98, 0x3c9f, 0x3ca6, 0x3cae, 0x3cb6, 0x3cbe, 0x3cc6, 0x3cce, 0x3cd7, 0x3ce0, 0x3ce9,
    0x3cf2, 0x3cfc, 0x3d03, 0x3d08, 0x3d0d, 0x3d12, 0x3d17, 0x3d1c, 0x3d22, 0x3d28, 0x3d2d, 0x3d33,
    0x3d39, 0x3d3f, 0x3d45, 0x3d4c, 0x3d52, 0x3d58, 0x3d60, 0x3d66, 0x3d6c, 0x3d74, 0x3d7a, 0x3d81,
    0x3d85, 0x3d88, 0x3d8c, 0x3d90, 0x3d94, 0x3d98, 0x3d9c, 0x3da0, 0x3da4, 0x3da9, 0x3dad, 0x3db1,
    0x3db6, 0x3dba, 0x3dbf, 0x3dc3, 0x3dc8, 0x3dcd, 0x3dd1, 0x3dd6, 0x3ddb, 0x3de0, 0x3de5, 0x3dea,
    0x3df0, 0x3df4, 0x3dfa, 0x3e00, 0x3e02, 0x3e05, 0x3e08, 0x3e0b, 0x3e0e, 0x3e11, 0x3e14, 0x3e17,
    0x3e1a, 0x3e1d, 0x3e20, 0x3e23, 0x3e26, 0x3e29, 0x3e2c, 0x3e30, 0x3e33, 0x3e36, 0x3e3a, 0x3e3d,
    0x3e40, 0x3e44, 0x3e47, 0x3e4b, 0x3e4e, 0x3e52, 0x3e56, 0x3e59, 0x3e5d, 0x3e61, 0x3e65, 0x3e68,
    0x3e6c, 0x3e70, 0x3e74, 0x3e78, 0x3e7c, 0x3e80, 0x3e82, 0x3e84, 0x3e86, 0x3e88, 0x3e8a, 0x3e8d,
    0x3e8f, 0x3e91, 0x3e93, 0x3e95, 0x3e98, 0x3e9a, 0x3e9c, 0x3e9e, 0x3ea1, 0x3ea3, 0x3ea5, 0x3ea8,
    0x3eaa, 0x3ead, 0x3eaf, 0x3eb2, 0x3eb4, 0x3eb6, 0x3eb9, 0x3ebc, 0x3ebe, 0x3ec1, 0x3ec3, 0x3ec6,
    0x3ec8, 0x3ecb, 0x3ece, 0x3ed1, 0x3ed3, 0x3ed6, 0x3ed9, 0x3edb, 0x3ede, 0x3ee1, 0x3ee4, 0x3ee7,
    0x3eea, 0x3eed, 0x3ef0, 0x3ef2, 0x3ef6, 0x3ef8, 0x3efc, 0x3efe, 0x3f01, 0x3f02, 0x3f04, 0x3f05,
    0x3f07, 0x3f09, 0x3f0a, 0x3f0c, 0x3f0d, 0x3f0f, 0x3f11, 0x3f12, 0x3f14, 0x3f16, 0x3f17, 0x3f19,
    0x3f1b, 0x3f1c, 0x3f1e, 0x3f20, 0x3f21, 0x3f23, 0x3f25, 0x3f27, 0x3f29, 0x3f2a, 0x3f2c, 0x3f2e,
    0x3f30, 0x3f32, 0x3f33, 0x3f35, 0x3f37, 0x3f39, 0x3f3b, 0x3f3d, 0x3f3f, 0x3f41, 0x3f43, 0x3f45,
    0x3f47, 0x3f49, 0x3f4b, 0x3f4d, 0x3f4f, 0x3f51, 0x3f53, 0x3f55, 0x3f57, 0x3f59, 0x3f5b, 0x3f5d,
    0x3f5f, 0x3f61, 0x3f63, 0x3f65, 0x3f68, 0x3f6a, 0x3f6c, 0x3f6e, 0x3f70, 0x3f72, 0x3f74, 0x3f76,
    0x3f7a, 0x3f7c, 0x3f7e, 0x3f80,
};

static uint32_t widen(const struct tex_object *o, const char *p)
{
    uint64_t raw = 0;
    lane_copy(&raw, p, o->channel_bits / 8u);
    const uint32_t v = (uint32_t)raw;
    if (o->format == TEX_SIGNED)
        return o->channel_bits == 8    ? (uint32_t)(int8_t)v
               : o->channel_bits == 16 ? (uint32_t)(int16_t)v
                                       : v;
    if (o->format != TEX_FLOAT || o->channel_bits == 32)
        return v;
    const uint32_t sign = (v & 0x8000) << 16, e = (v >> 10) & 31, frac = v & 1023;
    if (!e)
        return f32_bits((float)frac * 0x1p-24f) | sign;
    return sign | (e == 31 ? 255 : e + 112) << 23 | frac << 13;
}

void texture_load(const struct tex_object *o, uint32_t x, uint32_t y, uint32_t z,
                  struct tex_value *out)
{
    const unsigned step = o->channel_bits / 8;
    const char *p = devmem_ptr(texture_texel_addr(o, x, y, z));
    if (o->channel_bits == 32) { /* nothing to widen, and never sRGB */
        *out = (struct tex_value){{0, 0, 0, 0}};
        for (unsigned c = 0; c < o->channels; c++)
            memcpy(&out->v[c], p + (size_t)c * 4, 4);
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        const uint32_t v = c < o->channels ? widen(o, p + (size_t)c * step) : 0;
        out->v[c] = texture_is_srgb(o, c) ? (uint32_t)srgb_linear[v & 255] << 16 : v;
    }
}
