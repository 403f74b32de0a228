/* Rows, slices and levels of an array in plain device memory, and boxes copied between such
 * places. */
#include "cuda/array.h"

#include "cuda/memory.h"

#include <string.h>

#define ROW_ALIGN   64u /* enough for every texel, small enough for narrow levels of mipmaps */
#define ARRAY_ALIGN 512u
#define ARRAY_FLAGS (ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBEMAP | ARRAY_GATHER | ARRAY_COLOR)
#define SIDE_MAX    (UINT32_C(1) << 17)
#define LEVELS_MAX  32u

int channel_shape(const struct cudaChannelFormatDesc *d, uint32_t *channels, uint32_t *bits)
{
    const int b[4] = {d->x, d->y, d->z, d->w};
    uint32_t n = 0;
    while (n < 4 && b[n])
        n++;
    for (uint32_t i = 0; i < 4; i++)
        if (b[i] != (i < n ? b[0] : 0))
            return CUDA_INVALID_CHANNEL_DESCRIPTOR;
    bool known_kind = (d->f >= CHANNEL_SIGNED && d->f <= CHANNEL_FLOAT) ||
                      (d->f >= CHANNEL_UNORM_FIRST && d->f <= CHANNEL_SNORM_LAST);
    bool known_bits = b[0] == 8 || b[0] == 16 || b[0] == 32;
    if (!n || n == 3 || !known_kind || !known_bits || (d->f == CHANNEL_FLOAT && b[0] == 8))
        return CUDA_INVALID_CHANNEL_DESCRIPTOR;
    *channels = n;
    *bits = (uint32_t)b[0];
    return CUDA_OK;
}

static size_t rows_of(const struct array *a)
{
    return a->extent.height ? a->extent.height : 1;
}

static size_t slices_of(const struct array *a)
{
    return a->extent.depth ? a->extent.depth : 1;
}

static bool extent_is_valid(struct cudaExtent e, unsigned flags)
{
    if (!e.width || e.width > SIDE_MAX || e.height > SIDE_MAX || e.depth > SIDE_MAX)
        return false;
    if ((flags & ARRAY_CUBEMAP) && (e.width != e.height || !e.depth || e.depth % 6))
        return false;
    /* Only layered arrays of one dimension have a depth without a height. */
    return !e.depth || e.height || (flags & ARRAY_LAYERED);
}

static int array_init(struct ctx *c, struct array *a, const struct cudaChannelFormatDesc *desc,
                      struct cudaExtent extent, unsigned flags)
{
    uint32_t channels, bits;
    int e = channel_shape(desc, &channels, &bits);
    if (e)
        return e;
    if (!extent_is_valid(extent, flags) || (flags & ~ARRAY_FLAGS))
        return CUDA_INVALID_VALUE;
    *a = (struct array){.desc = *desc, .extent = extent, .flags = flags};
    a->texel_bytes = channels * bits / 8;
    a->pitch_bytes = align_up(extent.width * a->texel_bytes, ROW_ALIGN);
    a->slice_bytes = a->pitch_bytes * rows_of(a);
    const struct mem_alloc *m =
        devmem_alloc(c->dev->mem, a->slice_bytes * slices_of(a), ARRAY_ALIGN, MEM_ARRAY, NULL);
    if (!m)
        return CUDA_OUT_OF_MEMORY;
    a->data = m->base;
    handle_add(c, HANDLE_ARRAY, a);
    return CUDA_OK;
}

static void array_fini(struct ctx *c, struct array *a)
{
    handle_remove(c, a);
    devmem_release(c->dev->mem, a->data);
}

int array_create(struct ctx *c, struct array **out, const struct cudaChannelFormatDesc *desc,
                 struct cudaExtent extent, unsigned flags)
{
    if (!out || !desc)
        return CUDA_INVALID_VALUE;
    struct array *a = xcalloc(1, sizeof *a);
    int e = array_init(c, a, desc, extent, flags);
    if (e) {
        free(a);
        return e;
    }
    vec_push(&c->arrays, a);
    *out = a;
    return CUDA_OK;
}

int array_destroy(struct ctx *c, struct array *a)
{
    if (!a)
        return CUDA_OK;
    if (!handle_is(c, HANDLE_ARRAY, a) || a->owner)
        return CUDA_INVALID_HANDLE;
    array_fini(c, a);
    vec_drop(&c->arrays, a);
    free(a);
    return CUDA_OK;
}

int array_info(struct ctx *c, struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
               unsigned *flags, struct array *a)
{
    if (!handle_is(c, HANDLE_ARRAY, a))
        return CUDA_INVALID_HANDLE;
    if (desc)
        *desc = a->desc;
    if (extent)
        *extent = a->extent;
    if (flags)
        *flags = a->flags;
    return CUDA_OK;
}

/* --- mipmaps --- */

static size_t half_of(size_t side)
{
    return side > 1 ? side / 2 : side;
}

int mipmap_create(struct ctx *c, struct mipmap **out, const struct cudaChannelFormatDesc *desc,
                  struct cudaExtent extent, unsigned levels, unsigned flags)
{
    size_t side = extent.width;
    unsigned most = 1;
    if (!out || !desc || !levels)
        return CUDA_INVALID_VALUE;
    bool is_layered = flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);
    side = extent.height > side ? extent.height : side;
    side = !is_layered && extent.depth > side ? extent.depth : side;
    for (; side > 1 && most < LEVELS_MAX; side /= 2)
        most++;
    struct mipmap *m = xcalloc(1, sizeof *m);
    unsigned count = levels < most ? levels : most;
    m->levels = xcalloc(count, sizeof *m->levels);
    handle_add(c, HANDLE_MIPMAP, m);
    for (; m->count < count; m->count++) {
        int e = array_init(c, &m->levels[m->count], desc, extent, flags);
        if (e) {
            mipmap_destroy(c, m);
            return e;
        }
        m->levels[m->count].owner = m;
        extent.width = half_of(extent.width);
        extent.height = half_of(extent.height);
        extent.depth = is_layered ? extent.depth : half_of(extent.depth);
    }
    vec_push(&c->mipmaps, m);
    *out = m;
    return CUDA_OK;
}

int mipmap_level(struct ctx *c, struct array **out, struct mipmap *m, unsigned level)
{
    if (!handle_is(c, HANDLE_MIPMAP, m))
        return CUDA_INVALID_HANDLE;
    if (!out || level >= m->count)
        return CUDA_INVALID_VALUE;
    *out = &m->levels[level];
    return CUDA_OK;
}

int mipmap_destroy(struct ctx *c, struct mipmap *m)
{
    if (!m)
        return CUDA_OK;
    if (!handle_is(c, HANDLE_MIPMAP, m))
        return CUDA_INVALID_HANDLE;
    handle_remove(c, m);
    for (unsigned i = 0; i < m->count; i++)
        array_fini(c, &m->levels[i]);
    vec_drop(&c->mipmaps, m);
    free(m->levels);
    free(m);
    return CUDA_OK;
}

void array_close_all(struct ctx *c)
{
    while (c->arrays.len)
        array_destroy(c, vec_last(&c->arrays));
    while (c->mipmaps.len)
        mipmap_destroy(c, vec_last(&c->mipmaps));
    vec_free(&c->arrays);
    vec_free(&c->mipmaps);
}

/* --- copies --- */

int array_at(struct ctx *c, struct array *a, size_t x_bytes, size_t y, size_t z, size_t row_bytes,
             size_t rows, size_t slices, char **at)
{
    if (!handle_is(c, HANDLE_ARRAY, a))
        return CUDA_INVALID_HANDLE;
    size_t width = a->extent.width * a->texel_bytes;
    if (x_bytes > width || row_bytes > width - x_bytes || y > rows_of(a) || rows > rows_of(a) - y ||
        z > slices_of(a) || slices > slices_of(a) - z)
        return CUDA_INVALID_VALUE;
    *at = (char *)devmem_ptr(a->data) + x_bytes + y * a->pitch_bytes + z * a->slice_bytes;
    return CUDA_OK;
}

int array_copy_2d(struct ctx *c, struct array_place dst, void *dst_ptr, size_t dpitch,
                  struct array_place src, const void *src_ptr, size_t spitch, size_t width_bytes,
                  size_t rows, int kind, cudaStream_t s)
{
    char *to = dst_ptr, *from = (char *)(uintptr_t)src_ptr;
    int e = CUDA_OK;
    if (dst.array || !dst_ptr) {
        e = array_at(c, dst.array, dst.x_bytes, dst.y, 0, width_bytes, rows, 1, &to);
        dpitch = e ? 0 : dst.array->pitch_bytes;
    }
    if (!e && (src.array || !src_ptr)) {
        e = array_at(c, src.array, src.x_bytes, src.y, 0, width_bytes, rows, 1, &from);
        spitch = e ? 0 : src.array->pitch_bytes;
    }
    return e ? e : memory_copy_2d(c, to, dpitch, from, spitch, width_bytes, rows, kind, s);
}

int array_copy_linear(struct ctx *c, struct array_place at, void *ptr, bool to_array, size_t bytes,
                      int kind, cudaStream_t s)
{
    char *p = ptr;
    if (!handle_is(c, HANDLE_ARRAY, at.array))
        return CUDA_INVALID_HANDLE;
    if (!ptr)
        return CUDA_INVALID_VALUE;
    size_t width = at.array->extent.width * at.array->texel_bytes;
    if (at.x_bytes > width)
        return CUDA_INVALID_VALUE;
    while (bytes) {
        size_t left = width - at.x_bytes, part = bytes < left ? bytes : left;
        struct array_place none = {0};
        int e = to_array ? array_copy_2d(c, at, NULL, 0, none, p, part, part, 1, kind, s)
                         : array_copy_2d(c, none, p, part, at, NULL, 0, part, 1, kind, s);
        if (e)
            return e;
        p += part;
        bytes -= part;
        at.x_bytes = 0;
        at.y++;
    }
    return CUDA_OK;
}

/* One side of a copy in three dimensions: an array, or pitched memory. */
static int place_3d(struct ctx *c, struct array *a, const struct cudaPitchedPtr *p,
                    struct cudaPos pos, const struct op_copy *box, char **at, size_t *pitch,
                    size_t *slice)
{
    if (a) {
        int e = handle_is(c, HANDLE_ARRAY, a) ? CUDA_OK : CUDA_INVALID_HANDLE;
        if (!e)
            e = pos.x > SIZE_MAX / a->texel_bytes
                    ? CUDA_INVALID_VALUE
                    : array_at(c, a, pos.x * a->texel_bytes, pos.y, pos.z, box->row_bytes,
                               box->rows, box->slices, at);
        *pitch = e ? 0 : a->pitch_bytes;
        *slice = e ? 0 : a->slice_bytes;
        return e;
    }
    if (!p->ptr)
        return CUDA_INVALID_VALUE;
    size_t row_end, down, in;
    if (__builtin_add_overflow(pos.x, box->row_bytes, &row_end) ||
        __builtin_mul_overflow(p->pitch, p->ysize, slice) ||
        __builtin_mul_overflow(p->pitch, pos.y, &down) ||
        __builtin_mul_overflow(*slice, pos.z, &in) || __builtin_add_overflow(down, in, &in) ||
        __builtin_add_overflow(pos.x, in, &in) || in > (size_t)UINTPTR_MAX - (uintptr_t)p->ptr)
        return CUDA_INVALID_VALUE;
    if (row_end > p->pitch && (box->rows > 1 || box->slices > 1))
        return CUDA_INVALID_PITCH;
    *pitch = p->pitch;
    *at = (char *)p->ptr + in;
    return CUDA_OK;
}

int array_box_3d(struct ctx *c, const struct cudaMemcpy3DParms *p, struct op_copy *box)
{
    char *to, *from;
    if (!p || (p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return CUDA_INVALID_VALUE;
    struct array *unit = p->srcArray ? p->srcArray : p->dstArray;
    if (unit && !handle_is(c, HANDLE_ARRAY, unit))
        return CUDA_INVALID_HANDLE;
    *box = (struct op_copy){.rows = p->extent.height, .slices = p->extent.depth};
    if (__builtin_mul_overflow(p->extent.width, unit ? unit->texel_bytes : 1u, &box->row_bytes))
        return CUDA_INVALID_VALUE;
    int e =
        place_3d(c, p->dstArray, &p->dstPtr, p->dstPos, box, &to, &box->dst_pitch, &box->dst_slice);
    if (!e)
        e = place_3d(c, p->srcArray, &p->srcPtr, p->srcPos, box, &from, &box->src_pitch,
                     &box->src_slice);
    if (!e) {
        box->dst = to;
        box->src = from;
    }
    return e;
}

int array_copy_3d(struct ctx *c, const struct cudaMemcpy3DParms *p, cudaStream_t s)
{
    struct op_copy box;
    if (!p)
        return CUDA_INVALID_VALUE;
    if (p->kind < COPY_HOST_TO_HOST || p->kind > COPY_DEFAULT)
        return CUDA_INVALID_MEMCPY_DIRECTION;
    int e = array_box_3d(c, p, &box);
    return e ? e : memory_copy_box(c, &box, p->kind, s);
}

int array_copy_3d_peer(struct ctx *c, const struct cudaMemcpy3DPeerParms *p, cudaStream_t s)
{
    if (!p)
        return CUDA_INVALID_VALUE;
    if (p->srcDevice || p->dstDevice)
        return CUDA_INVALID_DEVICE;
    struct cudaMemcpy3DParms q = {.srcArray = p->srcArray,
                                  .srcPos = p->srcPos,
                                  .srcPtr = p->srcPtr,
                                  .dstArray = p->dstArray,
                                  .dstPos = p->dstPos,
                                  .dstPtr = p->dstPtr,
                                  .extent = p->extent,
                                  .kind = COPY_DEVICE_TO_DEVICE};
    return array_copy_3d(c, &q, s);
}
