/* Private to textures and surfaces. */
#ifndef EXEC_TEXTURE_INT_H
#define EXEC_TEXTURE_INT_H

#include "exec/texture.h"
#include "exec/warp.h"

/* The place of a texel that is not in the texture. */
enum { TEX_OUTSIDE = -1 };

/* Where the texels of one lane's read lie: two levels of 2 x 2 x 2 at most. */
enum { TEX_MAX_TEXELS = 16 };
struct tex_texels {
    unsigned n;
    addr_t at[TEX_MAX_TEXELS];
};

/* What one lane asks for. */
struct tex_query {
    double at[3];     /* x, y, z; of a cube: a direction */
    int64_t place[3]; /* the same as whole texels, if is_whole */
    uint32_t layer;
    bool is_whole, is_gather;
    bool has_level;            /* given, and the object's bias applies */
    float level;               /* of detail */
    struct tex_texels *texels; /* what is read is noted here, if not NULL */
};

/* The four channels: floats, or integers extended to 32 bits, by the object's format. */
struct tex_value {
    uint32_t v[4];
};

/* What 32 lanes ask for: floats or whole texels by lane. */
struct tex_lanes {
    const uint32_t *at[3];
    const uint32_t *layer; /* NULL: none */
    bool is_whole;
};
struct texel_lanes {
    uint32_t v[4][WARP_LANES]; /* by channel */
};

/* A filtered read (tex). */
void texture_fetch(const struct tex_object *o, enum tex_shape shape, const struct tex_query *q,
                   struct tex_value *out);
/* The same for a warp, of the base level. The result are the lanes that it cannot do, for which
 * texture_fetch() is there; lanes that take no part may hold anything and get anything. */
uint32_t texture_fetch_lanes(const struct tex_object *o, const struct tex_lanes *q,
                             struct texel_lanes *out);
/* One channel of the four texels that a linear 2D read would mix (tld4). */
void texture_gather(const struct tex_object *o, const struct tex_query *q, unsigned channel,
                    struct tex_value *out);
/* Level of detail (without bias) of a read whose coordinates change by dx and dy to the neighbours.
 */
float texture_level(const struct tex_object *o, const float *dx, const float *dy, unsigned dims);

/* A texel has this many bytes, and lies there. */
static inline unsigned texture_texel_bytes(const struct tex_object *o)
{
    return o->channels * (o->channel_bits / 8u);
}
static inline addr_t texture_texel_addr(const struct tex_object *o, uint32_t x, uint32_t y,
                                        uint32_t z)
{
    return o->data + z * o->slice_bytes + y * o->pitch_bytes + (addr_t)x * texture_texel_bytes(o);
}
/* One texel as the shader sees it, at places inside the texture. */
void texture_load(const struct tex_object *o, uint32_t x, uint32_t y, uint32_t z,
                  struct tex_value *out);
void texture_border(const struct tex_object *o, struct tex_value *out);
/* Along axis k. Wrapping and mirroring need normalised coordinates; else the edge is repeated. */
enum tex_address texture_address_mode(const struct tex_object *o, unsigned k);
/* The first slice of a layer; TEX_OUTSIDE if there is no such layer and the read is by texel. */
int32_t texture_layer(const struct tex_object *o, enum tex_shape shape, uint32_t layer,
                      bool is_whole);
/* How many coordinates the shape has, without the layer. */
unsigned texture_dims(enum tex_shape shape);
/* The shape that an instruction names, or -1. */
int texture_shape_of(const struct ptx_inst *inst);

/* A weighted sum of texels, as the filter unit forms it. weights[slice][texel] in 1/256. */
struct tex_sum {
    unsigned slices; /* 1, or 2 for 3D and between levels */
    uint16_t weight[2][4];
    const struct tex_value *texel[2][4];
};
uint32_t texture_mix(const struct tex_object *o, const struct tex_sum *s, unsigned channel);

static inline bool texture_is_float(const struct tex_object *o)
{
    return o->format == TEX_FLOAT || o->read_normalized;
}

/* sRGB channels become floats as they are loaded; alpha stays an integer. */
static inline bool texture_is_srgb(const struct tex_object *o, unsigned channel)
{
    return o->srgb && o->read_normalized && o->channel_bits == 8 && channel < 3;
}

/* How many coordinates an address operand [a, {x, y}] or [a, sampler, {x, y}] has, and the first
 * one's place among its references. */
unsigned texture_coordinates(const struct ptx_operand *address, unsigned *first);

/* Whether the handle that the operand starts with has no offset, and lies within the .global
 * variable if it names one. */
bool texture_handle_fits(const struct ptx_operand *operand);
/* The object of a lane, or NULL with a fault. `operand` is the one that starts with the handle. */
const struct tex_object *texture_object(struct warp *w, const struct xinst *x, unsigned operand,
                                        unsigned lane, bool is_surface);

bool surface_select(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                    const char **why);

#endif
