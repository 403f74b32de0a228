/* CUDA arrays, mipmapped arrays, and copies of boxes that may lie in them.
 *
 * An array is a box of texels in device memory, row by row: nothing here is swizzled, so a texture
 * or surface reads it like pitched memory. */
#ifndef CUDA_ARRAY_H
#define CUDA_ARRAY_H

#include "cuda/op.h"

enum channel_kind {
    CHANNEL_SIGNED,
    CHANNEL_UNSIGNED,
    CHANNEL_FLOAT,
    CHANNEL_NONE,
    CHANNEL_UNORM_FIRST = 5, /* 8 bits x 1, 2, 4 channels, 16 bits x 1, 2, 4 */
    CHANNEL_SNORM_FIRST = 11,
    CHANNEL_SNORM_LAST = 16,
};

struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits */
    int f;          /* enum channel_kind */
};

enum array_flags {
    ARRAY_LAYERED = 1,
    ARRAY_SURFACE = 2,
    ARRAY_CUBEMAP = 4,
    ARRAY_GATHER = 8,
    ARRAY_COLOR = 0x20,
};

/* cudaArray_t, CUarray */
struct array {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as the program gave it: 0 = no such dimension */
    unsigned flags;
    uint32_t texel_bytes;
    addr_t data;
    size_t pitch_bytes, slice_bytes;
    struct mipmap *owner; /* NULL: the array is its own */
};

/* cudaMipmappedArray_t, CUmipmappedArray */
struct mipmap {
    struct array *levels;
    unsigned count;
};

struct cudaMemcpy3DParms {
    struct array *srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    struct array *dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    int kind;
};
static_assert(sizeof(struct cudaMemcpy3DParms) == 160, "ABI");

struct cudaMemcpy3DPeerParms {
    struct array *srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    struct array *dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};

/* Number and width of a texel's channels; an error if they cannot be. */
int channel_shape(const struct cudaChannelFormatDesc *d, uint32_t *channels, uint32_t *bits);

int array_create(struct ctx *c, struct array **out, const struct cudaChannelFormatDesc *desc,
                 struct cudaExtent extent, unsigned flags);
int array_destroy(struct ctx *c, struct array *a);
int array_info(struct ctx *c, struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
               unsigned *flags, struct array *a);
int mipmap_create(struct ctx *c, struct mipmap **out, const struct cudaChannelFormatDesc *desc,
                  struct cudaExtent extent, unsigned levels, unsigned flags);
int mipmap_level(struct ctx *c, struct array **out, struct mipmap *m, unsigned level);
int mipmap_destroy(struct ctx *c, struct mipmap *m);
/* Before cudaDeviceReset() takes the memory away. */
void array_close_all(struct ctx *c);

/* Where a box begins in an array; an error if it does not fit. */
int array_at(struct ctx *c, struct array *a, size_t x_bytes, size_t y, size_t z, size_t row_bytes,
             size_t rows, size_t slices, char **at);

/* One side of a copy in two dimensions: bytes at (x bytes, y rows) in an array. */
struct array_place {
    struct array *array;
    size_t x_bytes, y;
};

/* A null `dst.array` or `src.array` means the plain pointer beside it. */
int array_copy_2d(struct ctx *c, struct array_place dst, void *dst_ptr, size_t dpitch,
                  struct array_place src, const void *src_ptr, size_t spitch, size_t width_bytes,
                  size_t rows, int kind, cudaStream_t s);
/* The old linear copies: `bytes` from (x, y) on, row after row. */
int array_copy_linear(struct ctx *c, struct array_place at, void *ptr, bool to_array, size_t bytes,
                      int kind, cudaStream_t s);
int array_copy_3d(struct ctx *c, const struct cudaMemcpy3DParms *p, cudaStream_t s);
int array_copy_3d_peer(struct ctx *c, const struct cudaMemcpy3DPeerParms *p, cudaStream_t s);
/* The box that the parameters mean, for graphs' nodes; `kind` comes back for memory_copy_box(). */
int array_box_3d(struct ctx *c, const struct cudaMemcpy3DParms *p, struct op_copy *box);

#endif
