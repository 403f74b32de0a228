/* Every function of libcuda that has no definition elsewhere in this room: it says so. */
#include "cuda/ctx.h"

#define DRIVER_NAME(name)                             \
    CUDA_EXPORT __attribute__((weak)) int name(void); \
    CUDA_EXPORT __attribute__((weak)) int name(void)  \
    {                                                 \
        return ctx_missing(#name);                    \
    }
#include "cuda/driver_names.def"
