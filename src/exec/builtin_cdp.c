/* The device runtime of dynamic parallelism, as far as kernels use it: launches, copies, memory,
 * streams (all of which are one queue here), errors (there are none to report later). */
#include "exec/builtin_int.h"
#include "exec/children.h"

#define CDP_PREFIX "__cudaCDP2"

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, ANY_STREAM = 0x100 };

/* (func, dim3 grid, dim3 block, shared bytes) */
static bool cdp_parameter_buffer(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask) {
        struct child_shape shape = {.func = arg_u64(w, x, 0, l),
                                    .shared_bytes = (uint32_t)arg_u64(w, x, 3, l)};
        arg_bytes(w, x, 1, l, shape.grid, sizeof shape.grid);
        arg_bytes(w, x, 2, l, shape.block, sizeof shape.block);
        return_u64(w, x, l, children_prepare(w->grid, &shape));
    }
    return true;
}

/* (parameters, stream) */
static bool cdp_launch(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask)
        return_u64(w, x, l, (uint64_t)children_launch(w->grid, arg_u64(w, x, 0, l)));
    return true;
}

/* (dst, src, bytes, kind, stream) */
static bool cdp_copy(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask) {
        addr_t src = arg_u64(w, x, 1, l);
        int e = src ? children_copy(w->grid, arg_u64(w, x, 0, l), src, 0, arg_u64(w, x, 2, l))
                    : INVALID_VALUE;
        return_u64(w, x, l, (uint64_t)e);
    }
    return true;
}

/* (dst, value, bytes, stream) */
static bool cdp_fill(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask) {
        int e = children_copy(w->grid, arg_u64(w, x, 0, l), 0, (uint8_t)arg_u64(w, x, 1, l),
                              arg_u64(w, x, 2, l));
        return_u64(w, x, l, (uint64_t)e);
    }
    return true;
}

/* Stores a pointer or handle where argument 0 says. */
static bool store_out(struct warp *w, const struct xinst *x, unsigned lane, uint64_t value)
{
    addr_t a[WARP_LANES];
    char buf[WARP_LANES][8];
    a[lane] = arg_u64(w, x, 0, lane);
    memcpy(buf[lane], &value, sizeof value);
    return warp_store(w, x, PTX_SPACE_GENERIC, a, 8, buf, 8, UINT32_C(1) << lane);
}

/* (void **out, bytes) */
static bool cdp_malloc(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask) {
        const uint64_t bytes = arg_u64(w, x, 1, l);
        const addr_t p = builtin_heap_alloc(w->grid->dev, bytes, 0);
        if (!store_out(w, x, l, p))
            return false;
        return_u64(w, x, l, p || !bytes ? 0 : OUT_OF_MEMORY);
    }
    return true;
}

static bool cdp_free(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask) {
        const addr_t p = arg_u64(w, x, 0, l);
        return_u64(w, x, l, !p || builtin_heap_free(w->grid->dev, p) ? 0 : INVALID_VALUE);
    }
    return true;
}

/* Streams and events: a handle that is not null, and nothing behind it. */
static bool cdp_create(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask) {
        if (!store_out(w, x, l, ANY_STREAM))
            return false;
        return_u64(w, x, l, 0);
    }
    return true;
}

static bool cdp_success(struct warp *w, const struct xinst *x, uint32_t mask)
{
    FOR_LANES (l, mask)
        return_u64(w, x, l, 0);
    return true;
}

static const struct {
    const char *name; /* after the prefix */
    warp_fn fn;
} functions[] = {
    {"GetParameterBufferV2", cdp_parameter_buffer},
    {"LaunchDeviceV2", cdp_launch},
    {"MemcpyAsync", cdp_copy},
    {"MemsetAsync", cdp_fill},
    {"Malloc", cdp_malloc},
    {"Free", cdp_free},
    {"StreamCreateWithFlags", cdp_create},
    {"StreamDestroy", cdp_success},
    {"StreamWaitEvent", cdp_success},
    {"EventCreateWithFlags", cdp_create},
    {"EventRecord", cdp_success},
    {"EventDestroy", cdp_success},
    {"GetLastError", cdp_success},
    {"PeekAtLastError", cdp_success},
    {"GetErrorString", cdp_success},
    {"GetErrorName", cdp_success},
};

warp_fn builtin_find_cdp(const char *name)
{
    if (!builtin_replaces(name))
        return NULL;
    for (unsigned i = 0; i < ARRAY_LEN(functions); i++)
        if (!strcmp(name + strlen(CDP_PREFIX), functions[i].name))
            return functions[i].fn;
    return NULL;
}

bool builtin_replaces(const char *name)
{
    return !strncmp(name, CDP_PREFIX, strlen(CDP_PREFIX));
}
