/* Texture reads of a warp at once: the common shapes and formats, on one level. */
#include "exec/texture_lanes.h"

#include <string.h>

#define X(level) extern const struct texture_lanes texture_lanes_##level;
CPU_LEVELS(X)
#undef X

const struct texture_lanes *texture_lanes_get(void)
{
    static const struct texture_lanes *const tables[] = {
#define X(level) &texture_lanes_##level,
        CPU_LEVELS(X)
#undef X
    };
    return tables[cpu_level()];
}

static bool is_linear(const struct tex_object *o, const struct tex_lanes *q)
{
    return o->filter == TEX_LINEAR && texture_is_float(o) && !q->is_whole;
}

static bool is_batchable(const struct tex_object *o, const struct tex_lanes *q)
{
    const bool has_faces = o->shape == TEX_CUBE || o->shape == TEX_CUBE_LAYERED;
    return o->levels <= 1 && !has_faces && !(o->shape == TEX_3D && is_linear(o, q)) &&
           !texture_is_srgb(o, 0);
}

/* Along axis k; the texels of a missing one are the first. */
static void resolve(const struct tex_object *o, const struct tex_lanes *q, unsigned k,
                    uint32_t size, const uint32_t *at, struct tex_axis_lanes *out)
{
    const struct tex_axis axis = {.size = size,
                                  .mode = (uint8_t)texture_address_mode(o, k),
                                  .normalized = o->normalized_coords,
                                  .linear = is_linear(o, q),
                                  .is_whole = q->is_whole};
    texture_lanes_get()->resolve(&axis, at, out);
}

static void resolve_layers(const struct tex_object *o, const struct tex_lanes *q, int32_t *out)
{
    for (unsigned l = 0; l < WARP_LANES; l++)
        out[l] = texture_layer(o, (enum tex_shape)o->shape, q->layer[l], q->is_whole);
}

/* The places of every lane's texels; there is no filter along z. */
struct places {
    struct tex_axis_lanes x, y;
    int32_t z_room[WARP_LANES];
    const int32_t *z;
};

static void find_places(const struct tex_object *o, const struct tex_lanes *q, struct places *p)
{
    static const uint32_t none[WARP_LANES];
    static const int32_t first[WARP_LANES];
    const unsigned dims = texture_dims((enum tex_shape)o->shape);
    const struct tex_axis row = {.size = 1, .mode = TEX_CLAMP, .linear = is_linear(o, q)};
    struct tex_axis_lanes z;
    p->z = p->z_room;
    resolve(o, q, 0, o->width, q->at[0], &p->x);
    if (dims > 1)
        resolve(o, q, 1, o->height, q->at[1], &p->y);
    else if (o->shape == TEX_1D) /* a row of a 2D texture, read at its edge */
        resolve(o, q, 1, 1, none, &p->y);
    else
        texture_lanes_get()->resolve(&row, none, &p->y);
    if (dims > 2) {
        resolve(o, q, 2, o->depth, q->at[2], &z);
        memcpy(p->z_room, z.at[0], sizeof p->z_room);
    } else if (q->layer) {
        resolve_layers(o, q, p->z_room);
    } else {
        p->z = first;
    }
}

static void read_point(const struct tex_object *o, const struct places *p,
                       const struct tex_value *outside, struct texel_lanes *out)
{
    const struct texture_lanes *lanes = texture_lanes_get();
    lanes->load(o, p->x.at[0], p->y.at[0], p->z, outside, out);
    if (o->read_normalized && o->format != TEX_FLOAT)
        lanes->normalize(o, out);
    lanes->clear(o, out);
}

static uint32_t read_linear(const struct tex_object *o, const struct places *p,
                            const struct tex_value *outside, struct texel_lanes *out)
{
    const struct texture_lanes *lanes = texture_lanes_get();
    struct tex_sum_lanes sum;
    uint32_t left = 0;
    lanes->weigh(p->x.frac, p->y.frac, sum.weight);
    for (unsigned i = 0; i < 4; i++)
        lanes->load(o, p->x.at[i & 1], p->y.at[i >> 1], p->z, outside, &sum.texel[i]);
    lanes->clear(o, out);
    for (unsigned c = 0; c < o->channels; c++)
        if (o->format == TEX_FLOAT)
            left |= lanes->mix_float(o, &sum, c, out->v[c]);
        else
            lanes->mix_normalized(o, &sum, c, out->v[c]);
    return left;
}

static bool shows_border(const struct tex_object *o)
{
    return o->address[0] == TEX_BORDER || o->address[1] == TEX_BORDER ||
           o->address[2] == TEX_BORDER;
}

uint32_t texture_fetch_lanes(const struct tex_object *o, const struct tex_lanes *q,
                             struct texel_lanes *out)
{
    struct places p;
    struct tex_value outside = {{0, 0, 0, 0}};
    if (!is_batchable(o, q))
        return UINT32_MAX;
    if (!q->is_whole && shows_border(o))
        texture_border(o, &outside);
    find_places(o, q, &p);
    if (is_linear(o, q))
        return read_linear(o, &p, &outside, out);
    read_point(o, &p, &outside, out);
    return 0;
}
