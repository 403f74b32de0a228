/* Allocations, copies and fills: bounds first, then bytes, then the machine is told. */
#include "cuda/memory.h"

#include "cuda/graph.h"
#include "cuda/host_memory.h"
#include "cuda/pool.h"
#include "cuda/stream.h"

#include <string.h>
#include <sys/mman.h>

/* Pinned memory: pages of their own, so that nothing else of the host lies beside them. */
#define PAGE_BYTES       4096u
#define PITCH_ALIGN      512u
#define HOST_ALLOC_FLAGS 7u

int memory_alloc(struct ctx *c, void **out, size_t bytes, enum alloc_kind kind)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = NULL;
    if (!bytes)
        return CUDA_OK;
    const struct mem_alloc *a = devmem_alloc(c->dev->mem, bytes, 0, kind, NULL);
    if (!a)
        return CUDA_OUT_OF_MEMORY;
    *out = devmem_ptr(a->base);
    return CUDA_OK;
}

int memory_alloc_pitch(struct ctx *c, void **out, size_t *pitch, size_t row_bytes, size_t rows)
{
    size_t total;
    if (!out || !pitch || row_bytes > SIZE_MAX - PITCH_ALIGN)
        return CUDA_INVALID_VALUE;
    *pitch = align_up(row_bytes, PITCH_ALIGN);
    if (__builtin_mul_overflow(*pitch, rows, &total))
        return CUDA_OUT_OF_MEMORY;
    return memory_alloc(c, out, total, MEM_DEVICE);
}

int memory_free(struct ctx *c, void *p)
{
    if (!p)
        return CUDA_OK;
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)p, 1);
    if (!a || a->base != (addr_t)(uintptr_t)p || (a->kind != MEM_DEVICE && a->kind != MEM_MANAGED))
        return CUDA_INVALID_VALUE;
    if (graph_memory_is_ours(c, p))
        return CUDA_OK;
    pool_forget(c, p);
    return devmem_release(c->dev->mem, a->base) ? CUDA_OK : CUDA_INVALID_VALUE;
}

int memory_alloc_host(struct ctx *c, void **out, size_t bytes, unsigned flags)
{
    if (!out || (flags & ~HOST_ALLOC_FLAGS))
        return CUDA_INVALID_VALUE;
    *out = NULL;
    if (!bytes)
        return CUDA_OK;
    if (bytes > SIZE_MAX - PAGE_BYTES)
        return CUDA_OUT_OF_MEMORY;
    void *p = mmap(NULL, align_up(bytes, PAGE_BYTES), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return CUDA_OUT_OF_MEMORY;
    struct mem_alloc *a = devmem_register_host(c->dev->mem, p, bytes);
    if (!a) {
        munmap(p, align_up(bytes, PAGE_BYTES));
        return CUDA_OUT_OF_MEMORY;
    }
    u64map_put(&c->pinned, (uintptr_t)p, bytes);
    *out = p;
    return CUDA_OK;
}

int memory_free_host(struct ctx *c, void *p)
{
    uint64_t *bytes = p ? u64map_get(&c->pinned, (uintptr_t)p) : NULL;
    if (!p)
        return CUDA_OK;
    if (!bytes || !*bytes || !devmem_release(c->dev->mem, (addr_t)(uintptr_t)p))
        return CUDA_INVALID_VALUE;
    munmap(p, align_up(*bytes, PAGE_BYTES));
    *bytes = 0;
    return CUDA_OK;
}

int memory_device_pointer(struct ctx *c, void **out, void *host, unsigned flags)
{
    if (!out || !host || flags)
        return CUDA_INVALID_VALUE;
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)host, 1);
    if (!a || (a->kind != MEM_HOST && a->kind != MEM_MANAGED))
        return CUDA_INVALID_VALUE;
    *out = host;
    return CUDA_OK;
}

int memory_info(struct ctx *c, size_t *free_bytes, size_t *total_bytes)
{
    uint64_t total = devmem_capacity(c->dev->mem);
    if (free_bytes)
        *free_bytes = total - devmem_used(c->dev->mem);
    if (total_bytes)
        *total_bytes = total;
    return CUDA_OK;
}

int memory_attributes(struct ctx *c, struct cudaPointerAttributes *out, const void *p)
{
    if (!out || !p)
        return CUDA_INVALID_VALUE;
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)p, 1);
    memset(out, 0, sizeof *out);
    if (!a) {
        out->device = -2;
        out->hostPointer = (void *)(uintptr_t)p;
        return CUDA_OK;
    }
    out->type = a->kind == MEM_HOST ? 1 : a->kind == MEM_MANAGED ? 3 : 2;
    out->devicePointer = (void *)(uintptr_t)p;
    out->hostPointer = out->type == 2 ? NULL : (void *)(uintptr_t)p;
    return CUDA_OK;
}

int memory_range(struct ctx *c, void **base, size_t *bytes, const void *p)
{
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)p, 1);
    if (!a)
        return CUDA_NOT_FOUND;
    if (base)
        *base = devmem_ptr(a->base);
    if (bytes)
        *bytes = a->bytes;
    return CUDA_OK;
}

/* --- copies and fills --- */

int memory_check(struct ctx *c, const void *p, size_t bytes, bool must_be_device)
{
    addr_t addr = (addr_t)(uintptr_t)p;
    if (!bytes)
        return CUDA_OK;
    if (!p)
        return CUDA_INVALID_VALUE;
    const struct mem_alloc *whole = devmem_find(c->dev->mem, addr, bytes);
    if (whole)
        return host_memory_is_there(c, whole) ? CUDA_OK : CUDA_INVALID_VALUE;
    /* A device address that nobody owns, or a range that leaves its allocation, is nobody's host
     * memory either. */
    bool in_window = addr >= DEVICE_BASE && addr < DEVICE_BASE + 16 * WINDOW_BYTES;
    const struct mem_alloc *a = devmem_find(c->dev->mem, addr, 1);
    return must_be_device || in_window || (a && a->kind != MEM_HOST) ? CUDA_INVALID_VALUE : CUDA_OK;
}

/* Bytes from the first to the last of a box; false = more than there can be. */
static bool box_span(size_t row_bytes, size_t pitch, size_t rows, size_t slice, size_t slices,
                     size_t *span)
{
    size_t a, b;
    if (!row_bytes || !rows || !slices) {
        *span = 0;
        return true;
    }
    return !__builtin_mul_overflow(pitch, rows - 1, &a) &&
           !__builtin_mul_overflow(slice, slices - 1, &b) && !__builtin_add_overflow(a, b, &a) &&
           !__builtin_add_overflow(a, row_bytes, span);
}

static bool is_device_only(struct ctx *c, const void *p)
{
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)p, 1);
    return a && a->kind != MEM_HOST && a->kind != MEM_MANAGED;
}

int memory_copy_box(struct ctx *c, const struct op_copy *box, int kind, cudaStream_t s)
{
    size_t dst_span, src_span;
    if (kind < COPY_HOST_TO_HOST || kind > COPY_DEFAULT)
        return CUDA_INVALID_MEMCPY_DIRECTION;
    if (!stream_get(c, s))
        return CUDA_INVALID_HANDLE;
    if (!box_span(box->row_bytes, box->dst_pitch, box->rows, box->dst_slice, box->slices,
                  &dst_span) ||
        !box_span(box->row_bytes, box->src_pitch, box->rows, box->src_slice, box->slices,
                  &src_span))
        return CUDA_INVALID_VALUE;
    if (!dst_span)
        return CUDA_OK;
    bool to_device = kind == COPY_HOST_TO_DEVICE || kind == COPY_DEVICE_TO_DEVICE;
    bool from_device = kind == COPY_DEVICE_TO_HOST || kind == COPY_DEVICE_TO_DEVICE;
    int e = memory_check(c, box->dst, dst_span, to_device);
    if (!e)
        e = memory_check(c, box->src, src_span, from_device);
    if (!e && kind != COPY_DEFAULT &&
        ((!to_device && is_device_only(c, box->dst)) ||
         (!from_device && is_device_only(c, box->src))))
        e = CUDA_INVALID_VALUE;
    return e ? e : stream_submit(c, s, &(struct op){.kind = OP_COPY, .copy = *box});
}

int memory_copy(struct ctx *c, void *dst, const void *src, size_t bytes, int kind, cudaStream_t s)
{
    struct op_copy box = {.dst = dst, .src = src, .row_bytes = bytes, .rows = 1, .slices = 1};
    return memory_copy_box(c, &box, kind, s);
}

int memory_copy_2d(struct ctx *c, void *dst, size_t dpitch, const void *src, size_t spitch,
                   size_t width, size_t height, int kind, cudaStream_t s)
{
    struct op_copy box = {.dst = dst,
                          .src = src,
                          .dst_pitch = dpitch,
                          .src_pitch = spitch,
                          .row_bytes = width,
                          .rows = height,
                          .slices = 1};
    if (width && height && (width > dpitch || width > spitch))
        return CUDA_INVALID_PITCH;
    return memory_copy_box(c, &box, kind, s);
}

int memory_fill_box(struct ctx *c, const struct op_fill *box, cudaStream_t s)
{
    size_t row, span;
    if (!stream_get(c, s))
        return CUDA_INVALID_HANDLE;
    if (__builtin_mul_overflow(box->width, (size_t)box->value_bytes, &row) ||
        !box_span(row, box->pitch, box->rows, box->slice, box->slices, &span) ||
        (box->rows > 1 && row > box->pitch) || ((uintptr_t)box->dst & (box->value_bytes - 1)))
        return CUDA_INVALID_VALUE;
    if (!span)
        return CUDA_OK;
    int e = memory_check(c, box->dst, span, true);
    return e ? e : stream_submit(c, s, &(struct op){.kind = OP_FILL, .fill = *box});
}

int memory_fill(struct ctx *c, void *dst, size_t pitch, uint32_t value, uint32_t value_bytes,
                size_t width, size_t rows, cudaStream_t s)
{
    struct op_fill box = {.dst = dst,
                          .pitch = pitch,
                          .value = value,
                          .value_bytes = value_bytes,
                          .width = width,
                          .rows = rows,
                          .slices = 1};
    return memory_fill_box(c, &box, s);
}
