/* Descriptions of textures, checked as CUDA does, into rows of the device's table. */
#include "cuda/texobj.h"

#include "cuda/memory.h"

#include <string.h>

/* What an object was made from, for the questions about it. */
struct texture_record {
    struct cudaResourceDesc res;
    struct cudaTextureDesc tex;
    struct cudaResourceViewDesc view;
    struct tex_object *levels; /* of a mipmap, from 1 on */
};

enum { READ_ELEMENT, READ_NORMALIZED_FLOAT };
enum { INVALID_FILTER_SETTING = 26, INVALID_NORM_SETTING = 27 };

static int set_format(struct tex_object *o, const struct cudaChannelFormatDesc *d)
{
    uint32_t channels, bits;
    int e = channel_shape(d, &channels, &bits);
    if (e)
        return e;
    o->channels = (uint8_t)channels;
    o->channel_bits = (uint8_t)bits;
    bool is_unorm = d->f >= CHANNEL_UNORM_FIRST && d->f < CHANNEL_SNORM_FIRST;
    bool is_snorm = d->f >= CHANNEL_SNORM_FIRST && d->f <= CHANNEL_SNORM_LAST;
    o->read_normalized = is_unorm || is_snorm;
    o->format = d->f == CHANNEL_FLOAT                ? TEX_FLOAT
                : d->f == CHANNEL_SIGNED || is_snorm ? TEX_SIGNED
                                                     : TEX_UNSIGNED;
    return CUDA_OK;
}

static uint8_t array_shape(const struct array *a)
{
    bool is_layered = a->flags & ARRAY_LAYERED;
    if (a->flags & ARRAY_CUBEMAP)
        return is_layered ? TEX_CUBE_LAYERED : TEX_CUBE;
    if (is_layered)
        return a->extent.height ? TEX_2D_LAYERED : TEX_1D_LAYERED;
    return a->extent.depth ? TEX_3D : a->extent.height ? TEX_2D : TEX_1D;
}

static int set_array(struct ctx *c, struct tex_object *o, const struct array *a)
{
    if (!handle_is(c, HANDLE_ARRAY, a))
        return CUDA_INVALID_HANDLE;
    o->shape = array_shape(a);
    o->data = a->data;
    o->pitch_bytes = a->pitch_bytes;
    o->slice_bytes = a->slice_bytes;
    o->width = (uint32_t)a->extent.width;
    o->height = a->extent.height ? (uint32_t)a->extent.height : 1;
    o->depth = a->extent.depth ? (uint32_t)a->extent.depth : 1;
    return set_format(o, &a->desc);
}

static int set_linear(struct ctx *c, struct tex_object *o, const struct cudaResourceDesc *r)
{
    int e = set_format(o, &r->res.linear.desc);
    if (e)
        return e;
    uint32_t texel = o->channels * o->channel_bits / 8u;
    o->shape = TEX_BUFFER;
    o->data = (addr_t)(uintptr_t)r->res.linear.devPtr;
    o->width = (uint32_t)(r->res.linear.sizeInBytes / texel);
    o->height = o->depth = 1;
    o->pitch_bytes = o->slice_bytes = r->res.linear.sizeInBytes;
    return o->width ? memory_check(c, r->res.linear.devPtr, r->res.linear.sizeInBytes, true)
                    : CUDA_INVALID_VALUE;
}

static int set_pitch_2d(struct ctx *c, struct tex_object *o, const struct cudaResourceDesc *r)
{
    int e = set_format(o, &r->res.pitch2D.desc);
    size_t width = r->res.pitch2D.width, rows = r->res.pitch2D.height;
    if (e)
        return e;
    size_t texel = o->channels * o->channel_bits / 8u, pitch = r->res.pitch2D.pitchInBytes;
    if (!width || !rows || width > UINT32_MAX || rows > UINT32_MAX || width * texel > pitch ||
        pitch > SIZE_MAX / rows)
        return CUDA_INVALID_VALUE;
    o->shape = TEX_2D;
    o->data = (addr_t)(uintptr_t)r->res.pitch2D.devPtr;
    o->pitch_bytes = pitch;
    o->slice_bytes = pitch * rows;
    o->width = (uint32_t)width;
    o->height = (uint32_t)rows;
    o->depth = 1;
    return memory_check(c, r->res.pitch2D.devPtr, pitch * (rows - 1) + width * texel, true);
}

static int set_resource(struct ctx *c, struct tex_object *o, const struct cudaResourceDesc *r)
{
    o->levels = 1;
    switch (r->resType) {
    case RESOURCE_ARRAY:
        return set_array(c, o, r->res.array);
    case RESOURCE_MIPMAP:
        if (!handle_is(c, HANDLE_MIPMAP, r->res.mipmap))
            return CUDA_INVALID_HANDLE;
        o->levels = r->res.mipmap->count;
        return set_array(c, o, &r->res.mipmap->levels[0]);
    case RESOURCE_LINEAR:
        return set_linear(c, o, r);
    case RESOURCE_PITCH_2D:
        return set_pitch_2d(c, o, r);
    default:
        return CUDA_INVALID_VALUE;
    }
}

static int set_sampling(struct tex_object *o, const struct cudaTextureDesc *t)
{
    bool normalizes = t->readMode == READ_NORMALIZED_FLOAT && o->format != TEX_FLOAT;
    for (int i = 0; i < 3; i++) {
        if (t->addressMode[i] < TEX_WRAP || t->addressMode[i] > TEX_BORDER)
            return CUDA_INVALID_VALUE;
        /* Wrapping and mirroring need normalized coordinates; without them the GPU clamps. */
        bool repeats = t->addressMode[i] == TEX_WRAP || t->addressMode[i] == TEX_MIRROR;
        o->address[i] = (uint8_t)(repeats && !t->normalizedCoords ? TEX_CLAMP : t->addressMode[i]);
    }
    if (t->filterMode < TEX_POINT || t->filterMode > TEX_LINEAR || t->readMode < READ_ELEMENT ||
        t->readMode > READ_NORMALIZED_FLOAT)
        return CUDA_INVALID_VALUE;
    if (normalizes && o->channel_bits == 32)
        return INVALID_NORM_SETTING;
    o->read_normalized |= normalizes;
    if (t->filterMode == TEX_LINEAR && o->format != TEX_FLOAT && !o->read_normalized)
        return INVALID_FILTER_SETTING;
    /* Buffers are fetched by index, whatever the description asks for. */
    o->filter = (uint8_t)(o->shape == TEX_BUFFER ? TEX_POINT : t->filterMode);
    o->normalized_coords = t->normalizedCoords != 0;
    o->srgb = t->sRGB != 0;
    memcpy(o->border, t->borderColor, sizeof o->border);
    o->mip_filter = (uint8_t)(t->mipmapFilterMode == TEX_LINEAR ? TEX_LINEAR : TEX_POINT);
    o->mip_bias = t->mipmapLevelBias;
    o->mip_min = t->minMipmapLevelClamp;
    o->mip_max = t->maxMipmapLevelClamp;
    o->max_anisotropy = t->maxAnisotropy;
    return CUDA_OK;
}

/* Formats of a view: 1 to 24 are the plain ones, in groups of (1, 2, 4) channels. */
static bool view_format(struct tex_object *o, int format)
{
    static const struct {
        uint8_t format, bits;
    } groups[] = {{TEX_UNSIGNED, 8},  {TEX_SIGNED, 8},  {TEX_UNSIGNED, 16}, {TEX_SIGNED, 16},
                  {TEX_UNSIGNED, 32}, {TEX_SIGNED, 32}, {TEX_FLOAT, 16},    {TEX_FLOAT, 32}};
    static const uint8_t channels[] = {1, 2, 4};
    if (!format)
        return true;
    if (format < 0 || (unsigned)format > ARRAY_LEN(groups) * 3)
        return false;
    unsigned group = (unsigned)(format - 1) / 3, n = channels[(format - 1) % 3];
    uint32_t texel_bits = o->channels * o->channel_bits;
    o->format = groups[group].format;
    o->channel_bits = groups[group].bits;
    o->channels = (uint8_t)n;
    return o->channels * o->channel_bits == texel_bits;
}

static int set_view(struct tex_object *o, const struct cudaResourceViewDesc *v)
{
    if (!view_format(o, v->format))
        return CUDA_INVALID_VALUE;
    bool is_layered = o->shape >= TEX_1D_LAYERED;
    if (is_layered && v->firstLayer < o->depth) {
        o->data += v->firstLayer * o->slice_bytes;
        o->depth = (v->lastLayer >= v->firstLayer && v->lastLayer < o->depth ? v->lastLayer + 1
                                                                             : o->depth) -
                   v->firstLayer;
    }
    return CUDA_OK;
}

/* The levels from 1 on, each an object of its own that samples like the first. */
static struct tex_object *make_levels(struct ctx *c, const struct tex_object *first,
                                      const struct mipmap *m)
{
    struct tex_object *levels = xcalloc(m->count, sizeof *levels);
    for (unsigned i = 1; i < m->count; i++) {
        struct tex_object *o = &levels[i - 1];
        *o = *first;
        set_array(c, o, &m->levels[i]);
        o->format = first->format;
        o->read_normalized = first->read_normalized;
        o->levels = 1;
    }
    return levels;
}

static int publish(struct ctx *c, uint64_t *out, struct tex_object *o, struct texture_record *r)
{
    o->is_used = true;
    o->level_objects = r->levels;
    *out = tex_table_add(&c->dev->textures, o);
    u64map_put(&c->textures, *out, (uintptr_t)r);
    return CUDA_OK;
}

int texture_create(struct ctx *c, uint64_t *out, const struct cudaResourceDesc *res,
                   const struct cudaTextureDesc *tex, const struct cudaResourceViewDesc *view)
{
    struct tex_object o = {0};
    if (!out || !res || !tex)
        return CUDA_INVALID_VALUE;
    int e = set_resource(c, &o, res);
    if (!e && view)
        e = set_view(&o, view);
    if (!e)
        e = set_sampling(&o, tex);
    if (e)
        return e;
    struct texture_record *r = xcalloc(1, sizeof *r);
    r->res = *res;
    r->tex = *tex;
    if (view)
        r->view = *view;
    if (o.levels > 1)
        r->levels = make_levels(c, &o, res->res.mipmap);
    return publish(c, out, &o, r);
}

int surface_create(struct ctx *c, uint64_t *out, const struct cudaResourceDesc *res)
{
    struct tex_object o = {.is_surface = true};
    if (!out || !res || res->resType != RESOURCE_ARRAY)
        return CUDA_INVALID_VALUE;
    int e = set_resource(c, &o, res);
    if (e)
        return e;
    struct texture_record *r = xcalloc(1, sizeof *r);
    r->res = *res;
    return publish(c, out, &o, r);
}

static struct texture_record *record_of(struct ctx *c, uint64_t handle, bool is_surface)
{
    const struct tex_object *o = tex_table_get(&c->dev->textures, handle);
    const uint64_t *r = u64map_get(&c->textures, handle);
    return o && o->is_surface == is_surface && r ? (void *)(uintptr_t)*r : NULL;
}

int texture_destroy(struct ctx *c, uint64_t handle, bool is_surface)
{
    struct texture_record *r = record_of(c, handle, is_surface);
    if (!handle)
        return CUDA_OK;
    if (!r)
        return CUDA_INVALID_VALUE;
    tex_table_remove(&c->dev->textures, handle);
    u64map_put(&c->textures, handle, 0);
    free(r->levels);
    free(r);
    return CUDA_OK;
}

void texture_close_all(struct ctx *c)
{
    struct tex_table *t = &c->dev->textures;
    for (uint64_t h; (h = tex_table_first(t));)
        if (texture_destroy(c, h, tex_table_get(t, h)->is_surface))
            tex_table_remove(t, h); /* the record went with its memory */
}

int texture_describe(struct ctx *c, uint64_t handle, bool is_surface, struct cudaResourceDesc *res,
                     struct cudaTextureDesc *tex, struct cudaResourceViewDesc *view)
{
    const struct texture_record *r = record_of(c, handle, is_surface);
    if (!r || (!res && !tex && !view))
        return CUDA_INVALID_VALUE;
    if (res)
        *res = r->res;
    if (tex)
        *tex = r->tex;
    if (view)
        *view = r->view;
    return CUDA_OK;
}
