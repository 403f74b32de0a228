/* libcuda, the part that is rows: see driver.def. */
#include "cuda/device_info.h"
#include "cuda/driver_api.h"
#include "cuda/driver_array.h"
#include "cuda/driver_graph.h"
#include "cuda/host_memory.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "cuda/module.h"
#include "cuda/occupancy.h"
#include "cuda/stream.h"

#include <stdio.h>
#include <string.h>

static int set_int(int *out, int value)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = value;
    return CUDA_OK;
}

/* --- device --- */

static int get_name(struct ctx *c, char *name, int len, CUdevice device)
{
    if (device)
        return CUDA_INVALID_DEVICE;
    if (!name || len < 1)
        return CUDA_INVALID_VALUE;
    snprintf(name, (size_t)len, "%s", device_name(c));
    return CUDA_OK;
}

static int get_uuid(CUuuid *uuid, CUdevice device)
{
    if (device)
        return CUDA_INVALID_DEVICE;
    if (!uuid)
        return CUDA_INVALID_VALUE;
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid->bytes, "parsim", 6);
    return CUDA_OK;
}

static int get_capability(struct ctx *c, int *major, int *minor, CUdevice device)
{
    if (device)
        return CUDA_INVALID_DEVICE;
    int e = set_int(major, (int)(unsigned)c->machine->gpu.cc_major);
    return e ? e : set_int(minor, (int)(unsigned)c->machine->gpu.cc_minor);
}

static int get_priorities(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return CUDA_OK;
}

/* --- modules and functions --- */

static int count_functions(struct ctx *c, unsigned *count, CUmodule m)
{
    if (!handle_is(c, HANDLE_MODULE, m))
        return CUDA_INVALID_HANDLE;
    return set_int((int *)count, (int)module_function_count(m));
}

static int list_functions(struct ctx *c, CUfunction *out, unsigned n, CUmodule m)
{
    if (!handle_is(c, HANDLE_MODULE, m))
        return CUDA_INVALID_HANDLE;
    if (n && !out)
        return CUDA_INVALID_VALUE;
    unsigned have = module_function_count(m);
    for (unsigned i = 0; i < n; i++)
        out[i] = i < have ? module_function_at(c, m, i) : NULL;
    return CUDA_OK;
}

static int get_module(struct ctx *c, CUmodule *out, CUlibrary library)
{
    if (!handle_is(c, HANDLE_MODULE, library))
        return CUDA_INVALID_HANDLE;
    *out = library;
    return CUDA_OK;
}

static int get_kernel(struct ctx *c, CUfunction *out, CUkernel k)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = function_get(c, k);
    return *out ? CUDA_OK : CUDA_INVALID_HANDLE;
}

static int get_function_name(struct ctx *c, const char **name, CUfunction f)
{
    if (!function_get(c, f))
        return CUDA_INVALID_HANDLE;
    if (!name)
        return CUDA_INVALID_VALUE;
    *name = f->name;
    return CUDA_OK;
}

static int get_function_module(struct ctx *c, CUmodule *out, CUfunction f)
{
    if (!function_get(c, f))
        return CUDA_INVALID_HANDLE;
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = f->mod;
    return CUDA_OK;
}

static int get_function_attribute(struct ctx *c, int *value, int attr, CUfunction f)
{
    struct cudaFuncAttributes a;
    if (!value)
        return CUDA_INVALID_VALUE;
    int e = function_attributes(c, &a, function_get(c, f));
    if (e)
        return e;
    const int values[] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = a.maxThreadsPerBlock,
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)a.sharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)a.constSizeBytes,
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)a.localSizeBytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] = a.numRegs,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] = a.ptxVersion,
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = a.binaryVersion,
        [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = a.cacheModeCA,
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = a.maxDynamicSharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = a.preferredShmemCarveout,
        [15] = 0, /* clusters: none is demanded */
    };
    if (attr < 0 || (size_t)attr >= ARRAY_LEN(values))
        return CUDA_INVALID_VALUE;
    *value = values[attr];
    return CUDA_OK;
}

static int get_param(struct ctx *c, CUfunction f, size_t index, size_t *offset, size_t *bytes)
{
    if (!function_get(c, f))
        return CUDA_INVALID_HANDLE;
    int e = function_open(c, f);
    if (e)
        return e;
    const struct ptx_func *src = f->kernel->src;
    if (index >= src->nparams || !offset)
        return CUDA_INVALID_VALUE;
    *offset = src->params[index]->offset;
    if (bytes)
        *bytes = src->params[index]->bytes;
    return CUDA_OK;
}

/* --- launches --- */

/* Parameters as one block, in the list that `extra` is. */
static int unpack_extra(struct ctx *c, CUfunction f, void **extra, void **args, size_t nargs)
{
    char *block = NULL;
    size_t bytes = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            block = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = *(size_t *)extra[1];
        else
            return CUDA_INVALID_VALUE;
    }
    int e = function_open(c, f);
    if (e)
        return e;
    const struct ptx_func *src = f->kernel->src;
    if (src->nparams > nargs || (src->nparams && !block))
        return CUDA_INVALID_VALUE;
    for (uint32_t i = 0; i < src->nparams; i++) {
        const struct ptx_var *p = src->params[i];
        if (p->offset + p->bytes > bytes)
            return CUDA_INVALID_VALUE;
        args[i] = block + p->offset;
    }
    return CUDA_OK;
}

static int launch_function(struct ctx *c, CUfunction f, const struct launch_shape *shape,
                           CUstream stream, void **params, void **extra)
{
    void *args[1024];
    if (!function_get(c, f))
        return CUDA_INVALID_HANDLE;
    if (extra && !params) {
        int e = unpack_extra(c, f, extra, args, ARRAY_LEN(args));
        if (e)
            return e;
        params = args;
    }
    return launch_submit(c, function_get(c, f), shape, params, stream);
}

static int launch_config(struct ctx *c, const CUlaunchConfig *k, CUfunction f, void **params,
                         void **extra)
{
    if (!k)
        return CUDA_INVALID_VALUE;
    struct launch_shape shape = {.grid = {k->gridDimX, k->gridDimY, k->gridDimZ},
                                 .block = {k->blockDimX, k->blockDimY, k->blockDimZ},
                                 .shared_bytes = k->sharedMemBytes};
    int e = launch_attributes(&shape, k->attrs, k->numAttrs);
    return e ? e : launch_function(c, f, &shape, k->hStream, params, extra);
}

/* --- memory --- */

static int pointer_attribute(struct ctx *c, void *value, int attr, CUdeviceptr p)
{
    enum {
        CONTEXT = 1,
        TYPE,
        DEVICE_PTR,
        HOST_PTR,
        BUFFER_ID = 7,
        MANAGED,
        ORDINAL,
        START = 11,
        SIZE
    };
    const struct mem_alloc *a = devmem_find(c->dev->mem, p, 1);
    if (!value || !a)
        return CUDA_INVALID_VALUE;
    bool on_host = a->kind == MEM_HOST;
    switch (attr) {
    case CONTEXT:
        return driver_current(c, value);
    case TYPE:
        return set_int(value, on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case DEVICE_PTR:
        *(CUdeviceptr *)value = p;
        return CUDA_OK;
    case HOST_PTR:
        if (!on_host && a->kind != MEM_MANAGED)
            return CUDA_INVALID_VALUE;
        *(void **)value = devmem_ptr(p);
        return CUDA_OK;
    case BUFFER_ID:
        *(unsigned long long *)value = a->serial;
        return CUDA_OK;
    case MANAGED:
        *(bool *)value = a->kind == MEM_MANAGED;
        return CUDA_OK;
    case ORDINAL:
        return set_int(value, 0);
    case START:
        *(CUdeviceptr *)value = a->base;
        return CUDA_OK;
    case SIZE:
        *(size_t *)value = a->bytes;
        return CUDA_OK;
    default:
        return CUDA_NOT_SUPPORTED;
    }
}

static int pointer_attributes(struct ctx *c, unsigned n, int *attrs, void **values, CUdeviceptr p)
{
    if (!n || !attrs || !values)
        return CUDA_INVALID_VALUE;
    for (unsigned i = 0; i < n; i++)
        pointer_attribute(c, values[i], attrs[i], p);
    return CUDA_OK;
}

/* --- the rows, as functions and as a table of names --- */

#define DRIVER_FUNCTION(needs_context, name, params, call) \
    CUDA_EXPORT CUresult name params;                      \
    CUDA_EXPORT CUresult name params DRIVER_BODY(needs_context, call)
#define DRIVER(name, params, call)     DRIVER_FUNCTION(true, name, params, call)
#define DRIVER_ANY(name, params, call) DRIVER_FUNCTION(false, name, params, call)
#define DRIVER_S(name, params, call)          \
    DRIVER_FUNCTION(true, name, params, call) \
    DRIVER_FUNCTION(true, name##_ptsz, params, call)
#define DRIVER_D(name, params, call)          \
    DRIVER_FUNCTION(true, name, params, call) \
    DRIVER_FUNCTION(true, name##_ptds, params, call)
#include "cuda/driver.def"
#undef DRIVER
#undef DRIVER_ANY
#undef DRIVER_S
#undef DRIVER_D

static const struct {
    const char *name;
    void *fn;
} functions[] = {
#define DRIVER(name, params, call)     {#name, (void *)name},
#define DRIVER_ANY(name, params, call) {#name, (void *)name},
#define DRIVER_S(name, params, call)   {#name, (void *)name},
#define DRIVER_D(name, params, call)   {#name, (void *)name},
#include "cuda/driver.def"
};

void *driver_find(const char *name)
{
    static const char *const forms[] = {"_v4", "_v3", "_v2", ""};
    for (size_t f = 0; f < ARRAY_LEN(forms); f++) {
        char full[128];
        snprintf(full, sizeof full, "%s%s", name, forms[f]);
        for (size_t i = 0; i < ARRAY_LEN(functions); i++)
            if (!strcmp(functions[i].name, full))
                return functions[i].fn;
    }
    return NULL;
}
