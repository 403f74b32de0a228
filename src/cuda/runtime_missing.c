/* Every function of libcudart that has no definition elsewhere in this room: it says so. Weak, so
 * that writing the real one is all that is needed. */
#include "cuda/ctx.h"

#define RUNTIME_NAME(name)                                    \
    CUDA_EXPORT __attribute__((weak)) cudaError_t name(void); \
    CUDA_EXPORT __attribute__((weak)) cudaError_t name(void)  \
    {                                                         \
        return ctx_thread()->last_error = ctx_missing(#name); \
    }
#include "cuda/runtime_names.def"
