/* The runtime API's functions for arrays, textures and surfaces. */
#include "cuda/array.h"
#include "cuda/runtime_api.h"
#include "cuda/texobj.h"

#define LINEAR_TEXELS_MAX (UINT32_C(1) << 28)

static struct array_place at(struct array *a, size_t x_bytes, size_t y)
{
    return (struct array_place){.array = a, .x_bytes = x_bytes, .y = y};
}

static int to_array(struct ctx *c, struct array_place dst, const void *src, size_t spitch,
                    size_t width, size_t height, int kind, cudaStream_t s)
{
    if (dst.array && !src)
        return CUDA_INVALID_VALUE;
    return array_copy_2d(c, dst, NULL, 0, at(NULL, 0, 0), src, spitch, width, height, kind, s);
}

static int from_array(struct ctx *c, void *dst, size_t dpitch, struct array_place src, size_t width,
                      size_t height, int kind, cudaStream_t s)
{
    if (src.array && !dst)
        return CUDA_INVALID_VALUE;
    return array_copy_2d(c, at(NULL, 0, 0), dst, dpitch, src, NULL, 0, width, height, kind, s);
}

static int linear_width(size_t *width)
{
    if (!width)
        return CUDA_INVALID_VALUE;
    *width = LINEAR_TEXELS_MAX;
    return CUDA_OK;
}

CUDA_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);
CUDA_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

#include "cuda/runtime_array.def"
