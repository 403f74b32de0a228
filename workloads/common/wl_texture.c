/* Pictures that kernels fetch through the texture path. */
#include "wl_int.h"

static size_t row_bytes(const struct wl_texels *t)
{
    return (size_t)t->width * t->channels * (t->type == WL_F32 ? 4 : 1);
}

static int format_of(const struct wl *w, const struct wl_texels *t)
{
    if (t->type == WL_F32)
        return CU_AD_FORMAT_FLOAT;
    if (t->type != WL_U8)
        wl_die(w, "texels are u8 or f32, not %s", wl_type_name(t->type));
    return CU_AD_FORMAT_UNSIGNED_INT8;
}

static struct wl_texture *add_texture(struct wl *w, struct wl_texels texels)
{
    struct wl_texture *t = wl_alloc(w, 1, sizeof *t);
    t->texels = texels;
    t->next = w->textures;
    w->textures = t;
    return t;
}

static void create_object(struct wl *w, struct wl_texture *t, const CUDA_RESOURCE_DESC *resource)
{
    int clamp = CU_TR_ADDRESS_MODE_CLAMP;
    CUDA_TEXTURE_DESC desc = {
        .addressMode = {clamp, clamp, clamp},
        .filterMode = t->texels.is_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .flags = t->texels.type == WL_U8 && !t->texels.is_unit ? CU_TRSF_READ_AS_INTEGER : 0,
    };
    wl_check_cuda(w, cuTexObjectCreate(&t->object, resource, &desc, NULL), "making", "a texture");
}

/* Rows that do not fill the array to the byte are a mistake of the workload. */
static void check_size(const struct wl *w, const struct wl_texels *t, const struct wl_array *a)
{
    if (wl_bytes(a) != row_bytes(t) * t->height)
        wl_die(w, "%s has %zu bytes, %u rows of texels need %zu each", a->name, wl_bytes(a),
               t->height, row_bytes(t));
}

struct wl_texture *wl_texture_over(struct wl *w, const struct wl_array *a, struct wl_texels texels)
{
    struct wl_texture *t = add_texture(w, texels);
    check_size(w, &texels, a);
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    resource.res.pitch2D.devPtr = a->dev;
    resource.res.pitch2D.format = format_of(w, &texels);
    resource.res.pitch2D.numChannels = texels.channels;
    resource.res.pitch2D.width = texels.width;
    resource.res.pitch2D.height = texels.height;
    resource.res.pitch2D.pitchInBytes = row_bytes(&texels);
    create_object(w, t, &resource);
    return t;
}

struct wl_texture *wl_texture_array(struct wl *w, struct wl_texels texels)
{
    struct wl_texture *t = add_texture(w, texels);
    CUDA_ARRAY_DESCRIPTOR desc = {texels.width, texels.height, format_of(w, &texels),
                                  texels.channels};
    wl_check_cuda(w, cuArrayCreate(&t->array, &desc), "allocating", "a CUDA array");
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    resource.res.array.hArray = t->array;
    create_object(w, t, &resource);
    return t;
}

void wl_texture_load(struct wl *w, const struct wl_texture *t, const struct wl_array *from)
{
    check_size(w, &t->texels, from);
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = from->dev,
        .srcPitch = row_bytes(&t->texels),
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .dstArray = t->array,
        .WidthInBytes = row_bytes(&t->texels),
        .Height = t->texels.height,
    };
    wl_check_cuda(w, cuMemcpy2D(&copy), "copying to a texture from", from->name);
}

void wl_free_textures(struct wl *w)
{
    for (const struct wl_texture *t = w->textures; t; t = t->next) {
        if (t->object)
            cuTexObjectDestroy(t->object);
        if (t->array)
            cuArrayDestroy(t->array);
    }
    w->textures = NULL;
}
