/* The device side of a run, and the arrays. */
#include "wl_int.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct wl_block {
    struct wl_block *next;
    max_align_t bytes[];
};

_Noreturn void wl_die(const struct wl *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fflush(stdout);
    fprintf(stderr, "parsim-workloads: %s: ", w->row->name);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

void wl_check_cuda(const struct wl *w, CUresult r, const char *what, const char *name)
{
    const char *text = NULL;
    if (r == CUDA_SUCCESS)
        return;
    cuGetErrorString(r, &text);
    wl_die(w, "%s %s: %s (CUDA error %d)", what, name, text ? text : "unknown", (int)r);
}

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [WL_U8] = {"u8", 1},   [WL_U16] = {"u16", 2}, [WL_I32] = {"i32", 4}, [WL_U32] = {"u32", 4},
    [WL_F32] = {"f32", 4}, [WL_U64] = {"u64", 8}, [WL_F64] = {"f64", 8},
};

const char *wl_type_name(enum wl_type type)
{
    return types[type].name;
}

const char *wl_role_name(enum wl_role role)
{
    static const char *const names[] = {"scratch", "input", "output", "inout"};
    return names[role];
}

size_t wl_bytes(const struct wl_array *a)
{
    return a->count * types[a->type].bytes;
}

void *wl_alloc(struct wl *w, size_t count, size_t bytes)
{
    if (bytes && count > (SIZE_MAX - sizeof(struct wl_block)) / bytes)
        wl_die(w, "%zu elements are too many", count);
    struct wl_block *b = calloc(1, sizeof *b + count * bytes);
    if (!b)
        wl_die(w, "out of memory (%zu bytes)", count * bytes);
    b->next = w->blocks;
    w->blocks = b;
    return b->bytes;
}

struct wl_array *wl_array(struct wl *w, const char *name, enum wl_role role, enum wl_type type,
                          size_t count)
{
    assert(w->narrays < WL_MAX_ARRAYS && count && !w->has_device);
    struct wl_array *a = wl_alloc(w, 1, sizeof *a);
    *a = (struct wl_array){.name = name, .type = type, .role = role, .count = count};
    if (role != WL_SCRATCH)
        a->data = wl_alloc(w, wl_bytes(a), 1);
    if ((role & WL_OUTPUT) && w->check)
        a->expect = wl_alloc(w, wl_bytes(a), 1);
    w->arrays[w->narrays++] = a;
    return a;
}

void wl_picture(struct wl_array *a, size_t width, size_t height, unsigned channels)
{
    const size_t elements = a->type == WL_U32 ? 1 : channels;
    assert(width && height && width * height * elements <= a->count);
    a->picture.width = (unsigned)width;
    a->picture.height = (unsigned)height;
    a->picture.channels = channels;
}

void wl_set_symbol(struct wl *w, const char *symbol, const void *data, size_t bytes)
{
    CUdeviceptr p;
    size_t have;
    wl_check_cuda(w, cuModuleGetGlobal(&p, &have, w->module, symbol), "symbol", symbol);
    assert(bytes <= have);
    wl_write(w, p, data, bytes);
}

void wl_launch(struct wl *w, const char *kernel, struct wl_dim grid, struct wl_dim block,
               unsigned shared_bytes, void **args)
{
    CUfunction f;
    wl_check_cuda(w, cuModuleGetFunction(&f, w->module, kernel), "kernel", kernel);
    wl_check_cuda(w,
                  cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes,
                                 NULL, args, NULL),
                  "launch of", kernel);
    w->launches++;
}

void wl_read(struct wl *w, CUdeviceptr from, void *data, size_t bytes)
{
    wl_check_cuda(w, cuMemcpyDtoH(data, from, bytes), "copy", "from the device");
}

void wl_write(struct wl *w, CUdeviceptr to, const void *data, size_t bytes)
{
    wl_check_cuda(w, cuMemcpyHtoD(to, data, bytes), "copy", "to the device");
}

enum wl_size wl_size(const struct wl *w)
{
    return w->size;
}

bool wl_variant(const struct wl *w)
{
    return w->variant != NULL;
}

struct rng wl_rng(const struct wl *w, uint32_t stream)
{
    struct rng r = {w->seed * 0x2545f4914f6cdd1du + stream};
    return (struct rng){rng_u64(&r)};
}

void wl_run_make(struct wl *w)
{
    const struct workload *wl = w->row->workload;
    w->state = wl_alloc(w, 1, wl->state_bytes);
    wl->make(w, w->state);
    for (unsigned i = 0; i < w->narrays; i++) {
        struct wl_array *a = w->arrays[i];
        if (a->role != WL_INOUT)
            continue;
        a->initial = wl_alloc(w, wl_bytes(a), 1);
        memcpy(a->initial, a->data, wl_bytes(a));
    }
}

static void open_device(struct wl *w)
{
    CUdevice device;
    wl_check_cuda(w, cuInit(0), "cuInit", "");
    wl_check_cuda(w, cuDeviceGet(&device, 0), "device", "0");
    wl_check_cuda(w, cuDevicePrimaryCtxRetain(&w->context, device), "context of device", "0");
    wl_check_cuda(w, cuCtxSetCurrent(w->context), "context of device", "0");
    wl_check_cuda(w, cuModuleLoadData(&w->module, w->row->ptx), "loading", "the device code");
    w->has_device = true;
}

static void place_array(struct wl *w, struct wl_array *a)
{
    wl_check_cuda(w, cuMemAlloc(&a->dev, wl_bytes(a)), "allocating", a->name);
    if (a->role & WL_INPUT)
        wl_write(w, a->dev, a->data, wl_bytes(a));
    else
        wl_check_cuda(w, cuMemsetD8(a->dev, 0, wl_bytes(a)), "clearing", a->name);
}

void wl_run_device(struct wl *w)
{
    open_device(w);
    for (unsigned i = 0; i < w->narrays; i++)
        place_array(w, w->arrays[i]);
    w->row->workload->run(w, w->state);
    wl_check_cuda(w, cuCtxSynchronize(), "running", "the kernels");
    for (unsigned i = 0; i < w->narrays; i++)
        if (w->arrays[i]->role & WL_OUTPUT)
            wl_read(w, w->arrays[i]->dev, w->arrays[i]->data, wl_bytes(w->arrays[i]));
    if (w->row->workload->finish)
        w->row->workload->finish(w, w->state);
}

void wl_free(struct wl *w)
{
    for (unsigned i = 0; i < w->narrays; i++)
        if (w->arrays[i]->dev)
            cuMemFree(w->arrays[i]->dev);
    wl_free_textures(w);
    if (w->has_device)
        cuModuleUnload(w->module);
    while (w->blocks) {
        struct wl_block *next = w->blocks->next;
        free(w->blocks);
        w->blocks = next;
    }
}
