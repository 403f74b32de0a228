/* Texture and surface objects: CUDA's descriptions become entries of the device's table. */
#ifndef CUDA_TEXOBJ_H
#define CUDA_TEXOBJ_H

#include "cuda/array.h"

enum resource_kind { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH_2D };

/* CUDA 13's has 80 reserved bytes after these, which nobody reads. */
struct cudaResourceDesc {
    int resType;
    union {
        struct array *array;
        struct mipmap *mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
static_assert(sizeof(struct cudaResourceDesc) == 64, "ABI");

struct cudaTextureDesc {
    int addressMode[3], filterMode, readMode, sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
static_assert(sizeof(struct cudaTextureDesc) == 72, "ABI");

struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
    unsigned reserved[16];
};

int texture_create(struct ctx *c, uint64_t *out, const struct cudaResourceDesc *res,
                   const struct cudaTextureDesc *tex, const struct cudaResourceViewDesc *view);
int surface_create(struct ctx *c, uint64_t *out, const struct cudaResourceDesc *res);
/* 0 is allowed. */
int texture_destroy(struct ctx *c, uint64_t handle, bool is_surface);

/* Before cudaDeviceReset() takes the memory away. */
void texture_close_all(struct ctx *c);

/* What the object was made from; any of the pointers may be NULL. */
int texture_describe(struct ctx *c, uint64_t handle, bool is_surface, struct cudaResourceDesc *res,
                     struct cudaTextureDesc *tex, struct cudaResourceViewDesc *view);

#endif
