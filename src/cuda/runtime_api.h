/* What turns a row of runtime_*.def into an exported function of libcudart. */
#ifndef CUDA_RUNTIME_API_H
#define CUDA_RUNTIME_API_H

#include "cuda/ctx.h"

/* The lock and the GPU, or an error that the function returns at once: a kernel's fault, or that
 * the GPU did not start (then *c is NULL). */
int runtime_enter(struct ctx **c, const char *function);
/* Records the error for cudaGetLastError() and releases the lock. */
int runtime_leave(struct ctx *c, int error);

#define RUNTIME_BODY(call)                   \
    {                                        \
        struct ctx *c;                       \
        int e = runtime_enter(&c, __func__); \
        if (!e)                              \
            e = (call);                      \
        return runtime_leave(c, e);          \
    }

#define RUNTIME(name, params, call)      \
    CUDA_EXPORT cudaError_t name params; \
    CUDA_EXPORT cudaError_t name params RUNTIME_BODY(call)

/* With a stream argument: also exported for programs compiled with per-thread default streams. All
 * work runs in the order of the calls, so both names mean the same. */
#define RUNTIME_S(name, params, call) \
    RUNTIME(name, params, call)       \
    RUNTIME(name##_ptsz, params, call)
#define RUNTIME_D(name, params, call) \
    RUNTIME(name, params, call)       \
    RUNTIME(name##_ptds, params, call)

#endif
