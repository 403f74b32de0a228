/* The driver API's own descriptions of arrays, copies, textures and surfaces, in terms of array.h
 * and texobj.h. */
#ifndef CUDA_DRIVER_ARRAY_H
#define CUDA_DRIVER_ARRAY_H

#include "cuda/driver_api.h"
#include "cuda/texobj.h"

struct driver_array_desc {
    size_t width, height;
    int format;
    unsigned channels;
};

struct driver_array_3d_desc {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

/* CUDA_MEMCPY3D */
struct driver_copy_side {
    size_t x_bytes, y, z, lod;
    int type;
    void *host;
    CUdeviceptr device;
    struct array *array;
    void *reserved;
    size_t pitch, height;
};

struct driver_copy_3d {
    struct driver_copy_side src, dst;
    size_t width_bytes, height, depth;
};
static_assert(sizeof(struct driver_copy_3d) == 200, "ABI");

struct driver_resource {
    int type;
    union {
        struct array *array;
        struct mipmap *mipmap;
        struct {
            CUdeviceptr ptr;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            CUdeviceptr ptr;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitch_2d;
        int reserved[32];
    } res;
    unsigned flags;
};

struct driver_texture {
    int address[3], filter;
    unsigned flags, max_anisotropy;
    int mip_filter;
    float mip_bias, mip_min, mip_max, border[4];
    int reserved[12];
};

int driver_array_create(struct ctx *c, struct array **out, const struct driver_array_desc *d);
int driver_array_create_3d(struct ctx *c, struct array **out, const struct driver_array_3d_desc *d);
int driver_array_describe(struct ctx *c, struct driver_array_3d_desc *d, struct array *a);
int driver_array_describe_2d(struct ctx *c, struct driver_array_desc *d, struct array *a);
int driver_mipmap_create(struct ctx *c, struct mipmap **out, const struct driver_array_3d_desc *d,
                         unsigned levels);
int driver_copy_2d(struct ctx *c, const CUDA_MEMCPY2D *m, cudaStream_t s);
int driver_copy_3d(struct ctx *c, const struct driver_copy_3d *m, cudaStream_t s);
int driver_copy_box(struct ctx *c, const struct driver_copy_3d *m, struct op_copy *box);
/* Between host or device memory and a row of an array. */
int driver_copy_row(struct ctx *c, struct array *a, size_t x_bytes, void *ptr, size_t bytes,
                    bool to_array, cudaStream_t s);
int driver_texture_create(struct ctx *c, uint64_t *out, const struct driver_resource *r,
                          const struct driver_texture *t, const struct cudaResourceViewDesc *view);
int driver_surface_create(struct ctx *c, uint64_t *out, const struct driver_resource *r);

#endif
