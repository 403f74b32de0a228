/* libcuda, the part that is not rows: start, contexts, errors, lookup by name. */
#define _GNU_SOURCE /* dladdr */
#include "cuda/batch.h"
#include "cuda/device_info.h"
#include "cuda/driver_api.h"

#include <dlfcn.h>
#include <string.h>

#define EXPORT(name, params)          \
    CUDA_EXPORT CUresult name params; \
    CUDA_EXPORT CUresult name params

static bool is_initialized;
static struct CUctx_st primary = {.is_primary = true};

/* --- entering and leaving --- */

CUresult driver_enter(struct ctx **out, bool needs_context, const char *function)
{
    struct ctx *cold = ctx_lock_cold();
    bool ready = is_initialized || cold->primary_active; /* by the runtime API */
    struct ctx *c = ready ? ctx_lock_for(function) : NULL;
    CUcontext current = NULL;
    ctx_unlock(cold);
    *out = c;
    if (!c)
        return ready ? CUDA_ERROR_NO_DEVICE : CUDA_ERROR_NOT_INITIALIZED;
    if (c->fault)
        return (CUresult)c->fault;
    driver_current(c, &current);
    return needs_context && !current ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

CUresult driver_leave(struct ctx *c, int error)
{
    static const struct {
        int runtime, driver;
    } map[] = {{CUDA_INVALID_CONFIGURATION, CUDA_INVALID_VALUE},
               {CUDA_INVALID_PITCH, CUDA_INVALID_VALUE},
               {CUDA_INVALID_SYMBOL, CUDA_NOT_FOUND},
               {CUDA_INVALID_DEVICE_POINTER, CUDA_INVALID_VALUE},
               {CUDA_INVALID_MEMCPY_DIRECTION, CUDA_INVALID_VALUE},
               {CUDA_INVALID_DEVICE_FUNCTION, CUDA_NOT_FOUND}};
    error = batch_error(c, error);
    if (c)
        ctx_unlock(c);
    for (size_t i = 0; i < ARRAY_LEN(map); i++)
        if (map[i].runtime == error)
            return (CUresult)map[i].driver;
    return (CUresult)error;
}

EXPORT(cuInit, (unsigned flags))
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    struct ctx *c = ctx_lock();
    if (!c)
        return CUDA_ERROR_NO_DEVICE;
    is_initialized = true;
    ctx_unlock(c);
    return CUDA_SUCCESS;
}

EXPORT(cuDriverGetVersion, (int *version))
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

EXPORT(cuGetErrorName, (CUresult error, const char **name))
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = error_name((int)error, true);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT(cuGetErrorString, (CUresult error, const char **text))
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = error_name((int)error, true) ? error_text((int)error) : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* --- lookup by name --- */

static CUresult find_address(const char *symbol, void **fn, int *found)
{
    if (!symbol || !fn)
        return CUDA_ERROR_INVALID_VALUE;
    *fn = driver_find(symbol);
    if (!*fn) {
        static void *self;
        Dl_info info;
        if (!self && dladdr((void *)find_address, &info))
            self = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        *fn = self ? dlsym(self, symbol) : NULL;
    }
    if (found)
        *found = *fn ? 0 : 1;
    return *fn ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

EXPORT(cuGetProcAddress, (const char *symbol, void **fn, int version, uint64_t flags))
{
    (void)version, (void)flags;
    return find_address(symbol, fn, NULL);
}

EXPORT(cuGetProcAddress_v2,
       (const char *symbol, void **fn, int version, uint64_t flags, int *found))
{
    (void)version, (void)flags;
    return find_address(symbol, fn, found);
}

/* --- contexts: names for the one there is --- */

int driver_current(struct ctx *c, CUcontext *out)
{
    const struct ctx_thread *t = ctx_thread();
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = t->ncontexts ? t->contexts[t->ncontexts - 1] : c->primary_active ? &primary : NULL;
    return CUDA_OK;
}

static bool is_context(struct ctx *c, CUcontext ctx)
{
    return ctx == &primary || handle_is(c, HANDLE_CONTEXT, ctx);
}

int driver_context_push(struct ctx *c, CUcontext ctx)
{
    struct ctx_thread *t = ctx_thread();
    if (!is_context(c, ctx))
        return CUDA_INVALID_CONTEXT;
    if (t->ncontexts == ARRAY_LEN(t->contexts))
        return CUDA_OUT_OF_MEMORY;
    t->contexts[t->ncontexts++] = ctx;
    return CUDA_OK;
}

int driver_context_new(struct ctx *c, CUcontext *out, unsigned flags, CUdevice device)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    if (device)
        return CUDA_INVALID_DEVICE;
    struct CUctx_st *ctx = xcalloc(1, sizeof *ctx);
    ctx->flags = flags;
    handle_add(c, HANDLE_CONTEXT, ctx);
    *out = ctx;
    return driver_context_push(c, ctx);
}

int driver_context_free(struct ctx *c, CUcontext ctx)
{
    struct ctx_thread *t = ctx_thread();
    if (!handle_is(c, HANDLE_CONTEXT, ctx))
        return CUDA_INVALID_CONTEXT;
    if (t->ncontexts && t->contexts[t->ncontexts - 1] == ctx)
        t->ncontexts--;
    handle_remove(c, ctx);
    free(ctx);
    return CUDA_OK;
}

int driver_context_pop(struct ctx *c, CUcontext *out)
{
    struct ctx_thread *t = ctx_thread();
    (void)c;
    if (!t->ncontexts)
        return CUDA_INVALID_CONTEXT;
    CUcontext ctx = t->contexts[--t->ncontexts];
    if (out)
        *out = ctx;
    return CUDA_OK;
}

int driver_context_set(struct ctx *c, CUcontext ctx)
{
    struct ctx_thread *t = ctx_thread();
    if (ctx && !is_context(c, ctx))
        return CUDA_INVALID_CONTEXT;
    if (t->ncontexts)
        t->ncontexts--;
    return ctx ? driver_context_push(c, ctx) : CUDA_OK;
}

int driver_primary_retain(struct ctx *c, CUcontext *out, CUdevice device)
{
    (void)c;
    if (device)
        return CUDA_INVALID_DEVICE;
    if (!out)
        return CUDA_INVALID_VALUE;
    primary.retained++;
    *out = &primary;
    return CUDA_OK;
}

int driver_primary_release(struct ctx *c, CUdevice device)
{
    (void)c;
    if (device)
        return CUDA_INVALID_DEVICE;
    if (!primary.retained)
        return CUDA_INVALID_CONTEXT;
    primary.retained--;
    return CUDA_OK;
}

int driver_primary_state(struct ctx *c, CUdevice device, unsigned *flags, int *active)
{
    if (device)
        return CUDA_INVALID_DEVICE;
    if (!flags || !active)
        return CUDA_INVALID_VALUE;
    *flags = primary.flags;
    *active = primary.retained || c->primary_active;
    return CUDA_OK;
}
