/* Descriptors of the driver API, field by field, into those of array.h and texobj.h. */
#include "cuda/driver_array.h"

#include "cuda/memory.h"

#include <string.h>

enum { FORMAT_UNSIGNED_8 = 1, FORMAT_SIGNED_8 = 8, FORMAT_HALF = 0x10, FORMAT_FLOAT = 0x20 };

static const struct {
    int format, kind, bits;
} formats[] = {
    {FORMAT_UNSIGNED_8, CHANNEL_UNSIGNED, 8},
    {FORMAT_UNSIGNED_8 + 1, CHANNEL_UNSIGNED, 16},
    {FORMAT_UNSIGNED_8 + 2, CHANNEL_UNSIGNED, 32},
    {FORMAT_SIGNED_8, CHANNEL_SIGNED, 8},
    {FORMAT_SIGNED_8 + 1, CHANNEL_SIGNED, 16},
    {FORMAT_SIGNED_8 + 2, CHANNEL_SIGNED, 32},
    {FORMAT_HALF, CHANNEL_FLOAT, 16},
    {FORMAT_FLOAT, CHANNEL_FLOAT, 32},
};

static int channels_of(struct cudaChannelFormatDesc *d, int format, unsigned channels)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (formats[i].format == format && (channels == 1 || channels == 2 || channels == 4)) {
            int b = formats[i].bits;
            *d = (struct cudaChannelFormatDesc){b, channels > 1 ? b : 0, channels > 2 ? b : 0,
                                                channels > 2 ? b : 0, formats[i].kind};
            return CUDA_OK;
        }
    return CUDA_INVALID_VALUE;
}

/* --- arrays --- */

int driver_array_create_3d(struct ctx *c, struct array **out, const struct driver_array_3d_desc *d)
{
    struct cudaChannelFormatDesc desc;
    int e = d ? channels_of(&desc, d->format, d->channels) : CUDA_INVALID_VALUE;
    return e ? e
             : array_create(c, out, &desc, (struct cudaExtent){d->width, d->height, d->depth},
                            d->flags);
}

int driver_array_create(struct ctx *c, struct array **out, const struct driver_array_desc *d)
{
    if (!d)
        return CUDA_INVALID_VALUE;
    struct driver_array_3d_desc full = {
        .width = d->width, .height = d->height, .format = d->format, .channels = d->channels};
    return driver_array_create_3d(c, out, &full);
}

int driver_mipmap_create(struct ctx *c, struct mipmap **out, const struct driver_array_3d_desc *d,
                         unsigned levels)
{
    struct cudaChannelFormatDesc desc;
    int e = d ? channels_of(&desc, d->format, d->channels) : CUDA_INVALID_VALUE;
    return e ? e
             : mipmap_create(c, out, &desc, (struct cudaExtent){d->width, d->height, d->depth},
                             levels, d->flags);
}

int driver_array_describe(struct ctx *c, struct driver_array_3d_desc *d, struct array *a)
{
    if (!handle_is(c, HANDLE_ARRAY, a))
        return CUDA_INVALID_HANDLE;
    if (!d)
        return CUDA_INVALID_VALUE;
    *d = (struct driver_array_3d_desc){.width = a->extent.width,
                                       .height = a->extent.height,
                                       .depth = a->extent.depth,
                                       .channels = a->texel_bytes * 8 / (unsigned)a->desc.x,
                                       .flags = a->flags};
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (formats[i].kind == a->desc.f && formats[i].bits == a->desc.x)
            d->format = formats[i].format;
    return CUDA_OK;
}

int driver_array_describe_2d(struct ctx *c, struct driver_array_desc *d, struct array *a)
{
    struct driver_array_3d_desc full;
    int e = d ? driver_array_describe(c, &full, a) : CUDA_INVALID_VALUE;
    if (!e)
        *d = (struct driver_array_desc){full.width, full.height, full.format, full.channels};
    return e;
}

/* --- copies --- */

static int place_side(struct ctx *c, const struct driver_copy_side *s, const struct op_copy *box,
                      char **at, size_t *pitch, size_t *slice)
{
    if (s->type == CU_MEMORYTYPE_ARRAY) {
        int e = array_at(c, s->array, s->x_bytes, s->y, s->z, box->row_bytes, box->rows,
                         box->slices, at);
        *pitch = e ? 0 : s->array->pitch_bytes;
        *slice = e ? 0 : s->array->slice_bytes;
        return e;
    }
    if (s->type < CU_MEMORYTYPE_HOST || s->type > CU_MEMORYTYPE_UNIFIED)
        return CUDA_INVALID_VALUE;
    char *base = s->type == CU_MEMORYTYPE_HOST ? s->host : devmem_ptr(s->device);
    *pitch = s->pitch ? s->pitch : s->x_bytes + box->row_bytes;
    *slice = *pitch * (s->height ? s->height : box->rows);
    if (!base || s->x_bytes + box->row_bytes > *pitch)
        return CUDA_INVALID_VALUE;
    *at = base + s->z * *slice + s->y * *pitch + s->x_bytes;
    return CUDA_OK;
}

int driver_copy_box(struct ctx *c, const struct driver_copy_3d *m, struct op_copy *box)
{
    char *to, *from;
    if (!m)
        return CUDA_INVALID_VALUE;
    *box = (struct op_copy){.row_bytes = m->width_bytes, .rows = m->height, .slices = m->depth};
    int e = place_side(c, &m->src, box, &from, &box->src_pitch, &box->src_slice);
    if (!e)
        e = place_side(c, &m->dst, box, &to, &box->dst_pitch, &box->dst_slice);
    if (!e) {
        box->src = from;
        box->dst = to;
    }
    return e;
}

static bool is_host(const struct driver_copy_side *s)
{
    return s->type == CU_MEMORYTYPE_HOST;
}

int driver_copy_3d(struct ctx *c, const struct driver_copy_3d *m, cudaStream_t s)
{
    struct op_copy box;
    int e = driver_copy_box(c, m, &box);
    if (e)
        return e;
    bool unified = m->src.type == CU_MEMORYTYPE_UNIFIED || m->dst.type == CU_MEMORYTYPE_UNIFIED;
    int kind = unified            ? COPY_DEFAULT
               : is_host(&m->src) ? (is_host(&m->dst) ? COPY_HOST_TO_HOST : COPY_HOST_TO_DEVICE)
               : is_host(&m->dst) ? COPY_DEVICE_TO_HOST
                                  : COPY_DEVICE_TO_DEVICE;
    return memory_copy_box(c, &box, kind, s);
}

int driver_copy_2d(struct ctx *c, const CUDA_MEMCPY2D *m, cudaStream_t s)
{
    if (!m)
        return CUDA_INVALID_VALUE;
    struct driver_copy_3d full = {
        .src = {.x_bytes = m->srcXInBytes,
                .y = m->srcY,
                .type = m->srcMemoryType,
                .host = (void *)(uintptr_t)m->srcHost,
                .device = m->srcDevice,
                .array = m->srcArray,
                .pitch = m->srcPitch},
        .dst = {.x_bytes = m->dstXInBytes,
                .y = m->dstY,
                .type = m->dstMemoryType,
                .host = m->dstHost,
                .device = m->dstDevice,
                .array = m->dstArray,
                .pitch = m->dstPitch},
        .width_bytes = m->WidthInBytes,
        .height = m->Height,
        .depth = 1,
    };
    return driver_copy_3d(c, &full, s);
}

int driver_copy_row(struct ctx *c, struct array *a, size_t x_bytes, void *ptr, size_t bytes,
                    bool to_array, cudaStream_t s)
{
    struct array_place at = {.array = a, .x_bytes = x_bytes}, none = {0};
    if (!ptr)
        return CUDA_INVALID_VALUE;
    return to_array ? array_copy_2d(c, at, NULL, 0, none, ptr, bytes, bytes, 1, COPY_DEFAULT, s)
                    : array_copy_2d(c, none, ptr, bytes, at, NULL, 0, bytes, 1, COPY_DEFAULT, s);
}

/* --- textures and surfaces --- */

static int resource_of(struct cudaResourceDesc *out, const struct driver_resource *r)
{
    *out = (struct cudaResourceDesc){.resType = r->type};
    switch (r->type) {
    case RESOURCE_ARRAY:
        out->res.array = r->res.array;
        return CUDA_OK;
    case RESOURCE_MIPMAP:
        out->res.mipmap = r->res.mipmap;
        return CUDA_OK;
    case RESOURCE_LINEAR:
        out->res.linear.devPtr = devmem_ptr(r->res.linear.ptr);
        out->res.linear.sizeInBytes = r->res.linear.bytes;
        return channels_of(&out->res.linear.desc, r->res.linear.format, r->res.linear.channels);
    case RESOURCE_PITCH_2D:
        out->res.pitch2D.devPtr = devmem_ptr(r->res.pitch_2d.ptr);
        out->res.pitch2D.width = r->res.pitch_2d.width;
        out->res.pitch2D.height = r->res.pitch_2d.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch_2d.pitch;
        return channels_of(&out->res.pitch2D.desc, r->res.pitch_2d.format,
                           r->res.pitch_2d.channels);
    default:
        return CUDA_INVALID_VALUE;
    }
}

static const struct cudaChannelFormatDesc *channels_in(struct ctx *c,
                                                       const struct cudaResourceDesc *r)
{
    if (r->resType == RESOURCE_ARRAY)
        return handle_is(c, HANDLE_ARRAY, r->res.array) ? &r->res.array->desc : NULL;
    if (r->resType == RESOURCE_MIPMAP)
        return handle_is(c, HANDLE_MIPMAP, r->res.mipmap) ? &r->res.mipmap->levels[0].desc : NULL;
    return r->resType == RESOURCE_LINEAR ? &r->res.linear.desc : &r->res.pitch2D.desc;
}

int driver_texture_create(struct ctx *c, uint64_t *out, const struct driver_resource *r,
                          const struct driver_texture *t, const struct cudaResourceViewDesc *view)
{
    enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 16 };
    struct cudaResourceDesc res;
    if (!r || !t)
        return CUDA_INVALID_VALUE;
    int e = resource_of(&res, r);
    const struct cudaChannelFormatDesc *desc = e ? NULL : channels_in(c, &res);
    if (!desc)
        return e ? e : CUDA_INVALID_HANDLE;
    /* Small integers are read as fractions unless the flag says otherwise. */
    bool normalizes = desc->f != CHANNEL_FLOAT && desc->x < 32 && !(t->flags & READ_AS_INTEGER);
    struct cudaTextureDesc tex = {
        .filterMode = t->filter,
        .readMode = normalizes,
        .sRGB = (t->flags & SRGB) != 0,
        .normalizedCoords = (t->flags & NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = t->max_anisotropy,
        .mipmapFilterMode = t->mip_filter,
        .mipmapLevelBias = t->mip_bias,
        .minMipmapLevelClamp = t->mip_min,
        .maxMipmapLevelClamp = t->mip_max,
    };
    memcpy(tex.addressMode, t->address, sizeof tex.addressMode);
    memcpy(tex.borderColor, t->border, sizeof tex.borderColor);
    return texture_create(c, out, &res, &tex, view);
}

int driver_surface_create(struct ctx *c, uint64_t *out, const struct driver_resource *r)
{
    struct cudaResourceDesc res;
    int e = r ? resource_of(&res, r) : CUDA_INVALID_VALUE;
    return e ? e : surface_create(c, out, &res);
}
