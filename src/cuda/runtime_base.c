/* libcudart, the part that is not rows: what the compiler's constructors and launch stubs call,
 * errors, versions, and functions whose layout depends on the toolkit. */
#include "cuda/batch.h"
#include "cuda/device_info.h"
#include "cuda/module.h"
#include "cuda/runtime_api.h"

#include <string.h>

#define EXPORT(ret, name, params) \
    CUDA_EXPORT ret name params;  \
    CUDA_EXPORT ret name params

/* --- registration, before main() --- */

EXPORT(void **, __cudaRegisterFatBinary, (void *wrapper))
{
    struct ctx *c = ctx_lock_cold();
    void **handle = (void **)module_register(c, wrapper);
    ctx_unlock(c);
    return handle;
}

EXPORT(void, __cudaRegisterFatBinaryEnd, (void **handle))
{
    (void)handle;
}

EXPORT(void, __cudaUnregisterFatBinary, (void **handle))
{
    struct ctx *c = ctx_lock_cold();
    batch_flush(c);
    module_unregister(c, (struct module *)handle);
    ctx_unlock(c);
}

EXPORT(void, __cudaRegisterFunction,
       (void **handle, const char *stub, char *fun, const char *name, int limit, void *tid,
        void *bid, void *bdim, void *gdim, int *wsize))
{
    struct ctx *c = ctx_lock_cold();
    (void)fun, (void)limit, (void)tid, (void)bid, (void)bdim, (void)gdim, (void)wsize;
    module_register_function(c, (struct module *)handle, stub, name);
    ctx_unlock(c);
}

EXPORT(void, __cudaRegisterVar,
       (void **handle, char *shadow, char *addr, const char *name, int is_extern, size_t bytes,
        int is_const, int is_global))
{
    struct ctx *c = ctx_lock_cold();
    (void)addr, (void)is_extern, (void)is_const, (void)is_global;
    module_register_var(c, (struct module *)handle, shadow, name, bytes, NULL);
    ctx_unlock(c);
}

EXPORT(void, __cudaRegisterManagedVar,
       (void **handle, void **pointer, char *addr, const char *name, int is_extern, size_t bytes,
        int is_const, int is_global))
{
    struct ctx *c = ctx_lock_cold();
    (void)addr, (void)is_extern, (void)is_const, (void)is_global;
    module_register_var(c, (struct module *)handle, pointer, name, bytes, pointer);
    ctx_unlock(c);
}

EXPORT(void, __cudaRegisterHostVar, (void **handle, const char *name, char *var, size_t bytes))
{
    (void)handle, (void)name, (void)var, (void)bytes;
}

EXPORT(char, __cudaInitModule, (void **handle))
{
    struct ctx *c = ctx_lock();
    if (!c)
        return 0;
    int e = module_open(c, (struct module *)handle);
    ctx_unlock(c);
    return e == CUDA_OK;
}

/* --- <<<>>> --- */

EXPORT(unsigned, __cudaPushCallConfiguration,
       (struct dim3 grid, struct dim3 block, size_t shared_bytes, cudaStream_t s))
{
    struct ctx_thread *t = ctx_thread();
    if (t->nconfigs == ARRAY_LEN(t->configs))
        return CUDA_INVALID_CONFIGURATION;
    t->configs[t->nconfigs++] = (struct call_config){grid, block, shared_bytes, s};
    return CUDA_OK;
}

EXPORT(cudaError_t, __cudaPopCallConfiguration,
       (struct dim3 * grid, struct dim3 *block, size_t *shared_bytes, cudaStream_t *s))
{
    struct ctx_thread *t = ctx_thread();
    if (!t->nconfigs)
        return t->last_error = CUDA_MISSING_CONFIGURATION;
    const struct call_config *k = &t->configs[--t->nconfigs];
    *grid = k->grid;
    *block = k->block;
    *shared_bytes = k->shared_bytes;
    *s = k->stream;
    return CUDA_OK;
}

/* --- errors --- */

EXPORT(cudaError_t, cudaPeekAtLastError, (void))
{
    return ctx_thread()->last_error;
}

EXPORT(cudaError_t, cudaGetLastError, (void))
{
    struct ctx *c = ctx_lock_cold();
    struct ctx_thread *t = ctx_thread();
    int e = t->last_error;
    if (!c->fault)
        t->last_error = CUDA_OK;
    ctx_unlock(c);
    return e;
}

EXPORT(const char *, cudaGetErrorName, (cudaError_t e))
{
    const char *name = error_name(e, false);
    return name ? name : "unrecognized error code";
}

EXPORT(const char *, cudaGetErrorString, (cudaError_t e))
{
    return error_name(e, false) ? error_text(e) : "unrecognized error code";
}

/* --- reset: also after a fault --- */

static cudaError_t reset_device(void)
{
    struct ctx *c = ctx_lock();
    return c ? runtime_leave(c, ctx_reset(c)) : CUDA_NO_DEVICE;
}

EXPORT(cudaError_t, cudaDeviceReset, (void))
{
    return reset_device();
}

EXPORT(cudaError_t, cudaThreadExit, (void))
{
    return reset_device();
}

/* --- what depends on the toolkit that compiled the program --- */

#define VERSIONED(name, toolkit, node, ret, params)            \
    CUDA_EXPORT ret name##_for_##toolkit params;               \
    __asm__(".symver " #name "_for_" #toolkit "," #name node); \
    CUDA_EXPORT ret name##_for_##toolkit params

#define PER_TOOLKIT(toolkit, version, node)                                                  \
    VERSIONED(cudaGetDeviceProperties, toolkit, node, cudaError_t, (void *prop, int device)) \
    RUNTIME_BODY(device_properties(c, prop, device, toolkit))                                \
    VERSIONED(cudaRuntimeGetVersion, toolkit, node, cudaError_t, (int *out))                 \
    {                                                                                        \
        if (!out)                                                                            \
            return CUDA_INVALID_VALUE;                                                       \
        *out = version;                                                                      \
        return CUDA_OK;                                                                      \
    }

PER_TOOLKIT(11, 11080, "@libcudart.so.11.0")
PER_TOOLKIT(12, 12000, "@libcudart.so.12")
PER_TOOLKIT(13, 13000, "@@libcudart.so.13")

/* Programs of toolkit 12 ask for their struct under this name. */
RUNTIME(cudaGetDeviceProperties_v2, (void *prop, int device),
        device_properties(c, prop, device, 12))
