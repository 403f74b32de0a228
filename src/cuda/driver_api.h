/* What turns a row of driver.def into an exported function of libcuda. */
#ifndef CUDA_DRIVER_API_H
#define CUDA_DRIVER_API_H

#define PARSIM_CUDA_IMPLEMENTATION
#include "cuda/ctx.h"
#include "cuda/cuda.h"

struct CUctx_st {
    unsigned flags;
    unsigned retained; /* of the primary context */
    bool is_primary;
};

/* The lock and the GPU, or an error: cuInit() was not called, a kernel's fault, and where
 * `needs_context`, no current context. */
CUresult driver_enter(struct ctx **c, bool needs_context, const char *function);
/* Releases the lock; numbers that only the runtime has become the driver's. */
CUresult driver_leave(struct ctx *c, int error);

int driver_current(struct ctx *c, CUcontext *out);
int driver_context_new(struct ctx *c, CUcontext *out, unsigned flags, CUdevice device);
int driver_context_free(struct ctx *c, CUcontext ctx);
int driver_context_push(struct ctx *c, CUcontext ctx);
int driver_context_pop(struct ctx *c, CUcontext *out);
int driver_context_set(struct ctx *c, CUcontext ctx);
int driver_primary_retain(struct ctx *c, CUcontext *out, CUdevice device);
int driver_primary_release(struct ctx *c, CUdevice device);
int driver_primary_state(struct ctx *c, CUdevice device, unsigned *flags, int *active);

int driver_link_create(struct ctx *c, CUlinkState *out);
int driver_link_add(struct ctx *c, CUlinkState l, int type, const void *data, size_t bytes);
int driver_link_add_file(struct ctx *c, CUlinkState l, int type, const char *path);
int driver_link_complete(struct ctx *c, CUlinkState l, void **image, size_t *bytes);
int driver_link_destroy(struct ctx *c, CUlinkState l);
int driver_load_file(struct ctx *c, CUmodule *out, const char *path);

/* Address of the driver function `name`, in its newest form; NULL if there is none. */
void *driver_find(const char *name);

#define DRIVER_BODY(needs_context, call)                        \
    {                                                           \
        struct ctx *c;                                          \
        int e = (int)driver_enter(&c, needs_context, __func__); \
        if (!e)                                                 \
            e = (call);                                         \
        return driver_leave(c, e);                              \
    }

#endif
