/* libcudart, the part that is rows: see runtime.def. */
#include "cuda/batch.h"
#include "cuda/device_info.h"
#include "cuda/driver_api.h"
#include "cuda/host_memory.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "cuda/module.h"
#include "cuda/occupancy.h"
#include "cuda/runtime_api.h"
#include "cuda/stream.h"

#include <stdio.h>
#include <string.h>

enum { DRIVER_VERSION = 13000, DEVICE_FLAGS = 0x1F };

int runtime_enter(struct ctx **out, const char *function)
{
    struct ctx *c = ctx_lock_for(function);
    *out = c;
    if (UNLIKELY(!c))
        return CUDA_NO_DEVICE;
    c->primary_active = true;
    return c->fault;
}

int runtime_leave(struct ctx *c, int error)
{
    error = batch_error(c, error);
    if (error)
        ctx_thread()->last_error = error;
    if (c)
        ctx_unlock(c);
    return error;
}

static int runtime_device_sync(struct ctx *c)
{
    (void)c;
    return CUDA_OK;
}

static int set_int(int *out, int value)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = value;
    return CUDA_OK;
}

static int check_device(int device)
{
    return device ? CUDA_INVALID_DEVICE : CUDA_OK;
}

static int set_device_flags(struct ctx *c, unsigned flags)
{
    if (flags & ~(unsigned)DEVICE_FLAGS)
        return CUDA_INVALID_VALUE;
    c->device_flags = flags;
    return CUDA_OK;
}

static int priority_range(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return CUDA_OK;
}

static int can_access_peer(int *can, int device, int peer)
{
    if (!can)
        return CUDA_INVALID_VALUE;
    if (device || peer)
        return CUDA_INVALID_DEVICE;
    *can = 0;
    return CUDA_OK;
}

static const char pci_id[] = "0000:01:00.0";

static int pci_bus_id(char *id, int len, int device)
{
    if (!id || len < 1)
        return CUDA_INVALID_VALUE;
    if (device)
        return CUDA_INVALID_DEVICE;
    snprintf(id, (size_t)len, "%s", pci_id);
    return CUDA_OK;
}

static int by_pci_bus_id(int *device, const char *id)
{
    if (!device || !id)
        return CUDA_INVALID_VALUE;
    *device = 0;
    return strcmp(id, pci_id) && strcmp(id, pci_id + 5) ? CUDA_INVALID_DEVICE : CUDA_OK;
}

static int attach_memory(struct ctx *c, cudaStream_t s, void *p)
{
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)p, 1);
    if (!stream_get(c, s))
        return CUDA_INVALID_HANDLE;
    return a && a->kind == MEM_MANAGED ? CUDA_OK : CUDA_INVALID_VALUE;
}

/* Hints about managed memory, whose later parameters differ between toolkits: there is only one
 * place where it can be. */
static int check_managed(struct ctx *c, const void *p, size_t bytes)
{
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)p, bytes ? bytes : 1);
    return a && (a->kind == MEM_MANAGED || a->kind == MEM_VARIABLE) ? CUDA_OK : CUDA_INVALID_VALUE;
}

static int stream_attribute(struct ctx *c, cudaStream_t s, const void *value)
{
    if (!stream_get(c, s))
        return CUDA_INVALID_HANDLE;
    return value ? CUDA_OK : CUDA_INVALID_VALUE;
}

/* --- memory --- */

static int alloc_3d(struct ctx *c, struct cudaPitchedPtr *p, const struct cudaExtent *extent)
{
    size_t rows;
    if (!p || __builtin_mul_overflow(extent->height, extent->depth, &rows))
        return CUDA_INVALID_VALUE;
    p->xsize = extent->width;
    p->ysize = extent->height;
    return memory_alloc_pitch(c, &p->ptr, &p->pitch, extent->width, rows);
}

static int fill_3d(struct ctx *c, const struct cudaPitchedPtr *p, int value,
                   const struct cudaExtent *extent, cudaStream_t s)
{
    struct op_fill box = {.dst = p->ptr,
                          .pitch = p->pitch,
                          .slice = p->pitch * p->ysize,
                          .value = (uint8_t)value,
                          .value_bytes = 1,
                          .width = extent->width,
                          .rows = extent->height,
                          .slices = extent->depth};
    return memory_fill_box(c, &box, s);
}

static int host_flags(struct ctx *c, unsigned *flags, void *p)
{
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)p, 1);
    if (!flags || !a || a->kind != MEM_HOST)
        return CUDA_INVALID_VALUE;
    *flags = 2; /* mapped, as all pinned memory is with unified addresses */
    return CUDA_OK;
}

static int copy_peer(struct ctx *c, void *dst, int dst_device, const void *src, int src_device,
                     size_t bytes, cudaStream_t s)
{
    if (dst_device || src_device)
        return CUDA_INVALID_DEVICE;
    return memory_copy(c, dst, src, bytes, COPY_DEVICE_TO_DEVICE, s);
}

static int copy_symbol(struct ctx *c, const void *symbol, void *other, size_t bytes, size_t offset,
                       int kind, bool to_symbol, cudaStream_t s)
{
    void *addr;
    size_t size;
    int e = symbol_address(c, &addr, &size, symbol);
    if (e)
        return e;
    int wrong = to_symbol ? COPY_DEVICE_TO_HOST : COPY_HOST_TO_DEVICE;
    if (kind == wrong || kind == COPY_HOST_TO_HOST || kind < 0 || kind > COPY_DEFAULT)
        return CUDA_INVALID_MEMCPY_DIRECTION;
    if (offset > size || bytes > size - offset)
        return CUDA_INVALID_VALUE;
    addr = (char *)addr + offset;
    return to_symbol ? memory_copy(c, addr, other, bytes, kind, s)
                     : memory_copy(c, other, addr, bytes, kind, s);
}

/* --- kernels --- */

static int get_function(struct ctx *c, struct function **out, const void *stub)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = function_get(c, stub);
    return *out ? CUDA_OK : stub ? CUDA_INVALID_HANDLE : CUDA_INVALID_DEVICE_FUNCTION;
}

static int launch(struct ctx *c, const void *f, struct dim3 grid, struct dim3 block, void **args,
                  size_t shared, cudaStream_t s, bool cooperative)
{
    struct launch_shape shape = {
        .grid = grid, .block = block, .shared_bytes = shared, .is_cooperative = cooperative};
    return f ? launch_submit(c, function_get(c, f), &shape, args, s) : CUDA_INVALID_DEVICE_FUNCTION;
}

static int launch_config(struct ctx *c, const struct cudaLaunchConfig *config, const void *f,
                         void **args)
{
    if (!config)
        return CUDA_INVALID_VALUE;
    struct launch_shape shape = {.grid = config->gridDim,
                                 .block = config->blockDim,
                                 .shared_bytes = config->dynamicSmemBytes};
    int e = launch_attributes(&shape, config->attrs, config->numAttrs);
    return e ? e : launch_submit(c, function_get(c, f), &shape, args, config->stream);
}

/* The driver's functions by name; `found` is 0 if there is such a one, else 1. */
static int driver_entry(const char *symbol, void **fn, int *found)
{
    if (!symbol || !fn)
        return CUDA_INVALID_VALUE;
    *fn = driver_find(symbol);
    if (found)
        *found = !*fn;
    return *fn || found ? CUDA_OK : CUDA_INVALID_SYMBOL;
}

static int function_name(struct ctx *c, const char **name, const void *f)
{
    struct function *fn = function_get(c, f);
    if (!name)
        return CUDA_INVALID_VALUE;
    if (!fn)
        return CUDA_INVALID_DEVICE_FUNCTION;
    *name = fn->name;
    return CUDA_OK;
}

#include "cuda/runtime.def"
