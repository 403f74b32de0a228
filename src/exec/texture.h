/* Texture and surface instructions, and the objects they read.
 *
 * A texture or surface object is a 64-bit handle into a table of the device. `.texref` and
 * `.surfref` variables of old PTX hold such a handle in their 8 bytes. */
#ifndef EXEC_TEXTURE_H
#define EXEC_TEXTURE_H

#include "base/arena.h"
#include "exec/code.h"

enum tex_filter { TEX_POINT, TEX_LINEAR };
enum tex_address { TEX_WRAP, TEX_CLAMP, TEX_MIRROR, TEX_BORDER };
enum tex_format { TEX_UNSIGNED, TEX_SIGNED, TEX_FLOAT };
enum tex_shape {
    TEX_BUFFER,
    TEX_1D,
    TEX_2D,
    TEX_3D,
    TEX_1D_LAYERED,
    TEX_2D_LAYERED,
    TEX_CUBE,
    TEX_CUBE_LAYERED
};

struct tex_object {
    uint64_t handle; /* in its table */
    bool is_used, is_surface;
    uint8_t shape;          /* enum tex_shape */
    uint8_t format;         /* enum tex_format: of one channel in memory */
    uint8_t channel_bits;   /* 8, 16, 32 */
    uint8_t channels;       /* 1, 2, 4 */
    uint8_t filter;         /* enum tex_filter */
    uint8_t address[3];     /* enum tex_address */
    bool normalized_coords; /* coordinates in [0, 1) */
    bool read_normalized;   /* integers come back as floats in [0, 1] or [-1, 1] */
    bool srgb;
    float border[4];
    addr_t data;                   /* texels, row by row */
    uint64_t pitch_bytes;          /* from row to row */
    uint64_t slice_bytes;          /* from slice, layer or face to the next */
    uint32_t width, height, depth; /* depth: slices; layers * faces for layered and cube shapes */
    uint32_t levels;               /* mipmap levels; 1 = none */
    const struct tex_object *level_objects; /* the levels from 1 on */
    uint8_t mip_filter;
    float mip_bias, mip_min, mip_max;
    uint32_t max_anisotropy;
};

struct tex_table {
    struct tex_object *objects;
    uint32_t count, cap;
    uint32_t removed; /* so far */
};

/* A new object with a copy of *init; the handle is never 0, nor that of one that was removed. */
uint64_t tex_table_add(struct tex_table *t, const struct tex_object *init);
bool tex_table_remove(struct tex_table *t, uint64_t handle);
const struct tex_object *tex_table_get(const struct tex_table *t, uint64_t handle);
/* The handle of one that is there; 0 = none is. */
uint64_t tex_table_first(const struct tex_table *t);
/* Those whose texels begin in a range of addresses. */
void tex_table_remove_range(struct tex_table *t, addr_t base, uint64_t bytes);
void tex_table_free(struct tex_table *t);

/* Like tensor_select(), for tex, tld4, txq, suld, sust, sured, suq, istypep. */
bool texture_select(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                    const char **why);

/* What the linear filter gives between two f32 texels, bits: a (256 - weight) / 256 + b weight /
 * 256. */
uint32_t texture_between(uint32_t a, uint32_t b, unsigned weight);

#endif
