/* One function a kind of work, and what it tells the machine that keeps time. */
#include "cuda/op.h"

#include "base/fresh_blocks.h"
#include "base/pages.h"
#include "base/wall_clock.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "cuda/stream.h"
#include "exec/check.h"

#include <string.h>
#include <sys/mman.h>

#define LAZY_ZEROS_FROM (UINT64_C(8) << 20)
#define PIECE_BYTES     (UINT64_C(512) << 10)
#define SPARSE_FROM     (UINT64_C(8) << 20)
#define MAKE_FROM       (UINT64_C(16) << 10)
/* Linux from 5.14 on; others answer that they do not know it. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Tells a checker what the host has done, row by row. */
static void note_copy(struct ctx *c, const struct op_copy *o)
{
    for (size_t z = 0; z < o->slices; z++)
        for (size_t y = 0; y < o->rows; y++)
            check_copied(c->dev->check, c->dev->mem,
                         (addr_t)(uintptr_t)o->dst + z * o->dst_slice + y * o->dst_pitch,
                         (addr_t)(uintptr_t)o->src + z * o->src_slice + y * o->src_pitch,
                         o->row_bytes);
}

static void note_fill(struct ctx *c, const struct op_fill *o)
{
    for (size_t z = 0; z < o->slices; z++)
        for (size_t y = 0; y < o->rows; y++)
            check_written(c->dev->check, c->dev->mem,
                          (addr_t)(uintptr_t)o->dst + z * o->slice + y * o->pitch,
                          o->width * o->value_bytes);
}

/* Tells the timed GPU what was copied or filled, row by row. */
static void tell(struct ctx *c, void (*what)(struct session *s, addr_t addr, uint64_t bytes),
                 const void *dst, size_t slices, size_t slice, size_t rows, size_t pitch,
                 size_t row_bytes)
{
    addr_t to = (addr_t)(uintptr_t)dst;
    if (!session_gpu(c->session))
        return;
    for (size_t z = 0; z < slices; z++)
        for (size_t y = 0; y < rows; y++) {
            addr_t row = to + z * slice + y * pitch;
            const struct mem_alloc *a = devmem_find(c->dev->mem, row, row_bytes);
            if (a && a->kind != MEM_HOST)
                what(c->session, row, row_bytes);
        }
}

/* Whether the page of an address has to be made when it is first written. */
static bool is_fresh(uintptr_t at)
{
    unsigned char there;
    return !mincore((void *)(at & ~(uintptr_t)(PAGE_BYTES - 1)), PAGE_BYTES, &there) &&
           !(there & 1);
}

/* Of bytes that are about to be written, has the pages made all at once: a third cheaper than one
 * by one. A host that cannot do it makes them when they are written. */
static void make_pages(const char *dst, size_t n)
{
    const uintptr_t first = (uintptr_t)dst & ~(uintptr_t)(PAGE_BYTES - 1);
    const uintptr_t end = align_up((uintptr_t)dst + n, PAGE_BYTES);
    if (is_fresh(end - 1))
        (void)madvise((void *)first, end - first, MADV_POPULATE_WRITE);
}

static void copy_made(char *dst, const char *src, size_t n)
{
    if (n >= MAKE_FROM)
        make_pages(dst, n);
    memcpy(dst, src, n);
}

/* Zeros over what mostly is zeros already: looking is cheaper than writing, and takes no new pages
 * of the host where nobody has written yet. */
static void zero_sparse(char *dst, size_t n)
{
    for (size_t at = 0, part; at < n; at += part) {
        part = PAGE_BYTES - (uintptr_t)(dst + at) % PAGE_BYTES;
        part = n - at < part ? n - at : part;
        if (dst[at] || memcmp(dst + at, dst + at + 1, part - 1) != 0)
            memset(dst + at, 0, part);
    }
}

/* Of a piece of device memory, copies the pages that exist: the others are zeros, and reading them
 * would make them. */
static void copy_sparse(int pages, char *dst, const char *src, size_t n)
{
    enum { MAX_PAGES = PIECE_BYTES / PAGE_BYTES + 1 };
    bool is_made[MAX_PAGES];
    const char *first = src - (uintptr_t)src % PAGE_BYTES;
    const size_t npages = ((size_t)(src - first) + n + PAGE_BYTES - 1) / PAGE_BYTES;
    if (!pages_made(pages, first, npages, is_made)) {
        copy_made(dst, src, n);
        return;
    }
    for (size_t i = 0, end, done = 0, upto; i < npages; i = end, done = upto) {
        for (end = i + 1; end < npages && is_made[end] == is_made[i]; end++)
            ;
        upto = end == npages ? n : (size_t)(first + end * PAGE_BYTES - src);
        if (is_made[i])
            copy_made(dst + done, src + done, upto - done);
        else
            zero_sparse(dst + done, upto - done);
    }
}

/* By pieces, which are still in the host's caches when they are written. */
static void copy_pieces(int pages, char *dst, const char *src, size_t n)
{
    for (size_t at = 0, piece; at < n; at += piece) {
        piece = n - at < PIECE_BYTES ? n - at : PIECE_BYTES;
        if (pages >= 0)
            copy_sparse(pages, dst + at, src + at, piece);
        else
            copy_made(dst + at, src + at, piece);
    }
}

/* Whether there are pages all over a block. */
static bool is_whole(int pages, const char *src)
{
    enum { N = BLOCK_BYTES / PAGE_BYTES };
    _Static_assert((int)N <= (int)PAGES_AT_ONCE, "a block is looked at as one");
    bool is_made[N];
    unsigned n = 0;
    if (!pages_made(pages, src - (uintptr_t)src % PAGE_BYTES, N, is_made))
        return true;
    for (unsigned i = 0; i < N; i++)
        n += is_made[i];
    return n == N;
}

/* A whole block of memory; where it is new and nothing of it stays zeros, its pages are a matter of
 * cost. */
static void copy_block(int pages, char *dst, const char *src)
{
    if (!is_fresh((uintptr_t)dst) || !is_fresh((uintptr_t)dst + BLOCK_BYTES - 1) ||
        (pages >= 0 && !is_whole(pages, src))) {
        copy_pieces(pages, dst, src, BLOCK_BYTES);
        return;
    }
    const struct fresh_block block = fresh_block_begin(dst);
    copy_pieces(pages, dst, src, BLOCK_BYTES);
    fresh_block_end(&block);
}

static void copy_bytes(const struct devmem *mem, char *dst, const char *src, size_t n)
{
    if ((uintptr_t)dst - (uintptr_t)src < n || (uintptr_t)src - (uintptr_t)dst < n) {
        memmove(dst, src, n);
        return;
    }
    const bool may_be_sparse = n >= SPARSE_FROM && devmem_is_backed(mem, (addr_t)(uintptr_t)src, n);
    const int pages = may_be_sparse ? pages_open() : -1;
    const size_t before = (0 - (uintptr_t)dst) % BLOCK_BYTES;
    size_t at = n < before ? n : before;
    copy_pieces(pages, dst, src, at);
    for (; n - at >= BLOCK_BYTES; at += BLOCK_BYTES)
        copy_block(pages, dst + at, src + at);
    copy_pieces(pages, dst + at, src + at, n - at);
    pages_close(pages);
}

static void run_copy(const struct devmem *mem, const struct op_copy *o)
{
    bool whole_rows =
        o->rows == 1 || (o->dst_pitch == o->row_bytes && o->src_pitch == o->row_bytes);
    for (size_t z = 0; z < o->slices; z++) {
        char *dst = (char *)o->dst + z * o->dst_slice;
        const char *src = (const char *)o->src + z * o->src_slice;
        if (whole_rows) {
            copy_bytes(mem, dst, src, o->row_bytes * o->rows);
            continue;
        }
        for (size_t y = 0; y < o->rows; y++)
            copy_bytes(mem, dst + y * o->dst_pitch, src + y * o->src_pitch, o->row_bytes);
    }
}

/* Zeros that nobody reads soon, as programs make over all that they allocate, take no pages; what
 * is small enough to be in the host's caches is filled, since new pages cost more than that. */
static void fill_row(const struct devmem *mem, char *dst, uint32_t value, uint32_t value_bytes,
                     size_t n)
{
    if (!value && n * value_bytes >= LAZY_ZEROS_FROM) {
        devmem_zero(mem, (addr_t)(uintptr_t)dst, n * value_bytes);
        return;
    }
    if (value_bytes == 1) {
        memset(dst, (int)value, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        memcpy(dst + i * value_bytes, &value, value_bytes);
}

static void run_fill(const struct devmem *mem, const struct op_fill *o)
{
    for (size_t z = 0; z < o->slices; z++)
        for (size_t y = 0; y < o->rows; y++)
            fill_row(mem, (char *)o->dst + z * o->slice + y * o->pitch, o->value, o->value_bytes,
                     o->width);
}

static void call_callback(void *arg)
{
    const struct op_host *h = arg;
    h->callback(h->stream, CUDA_OK, h->arg);
}

static int run_host(struct ctx *c, const struct op_host *h)
{
    struct op_host copy = *h;
    if (h->callback)
        ctx_call_host(c, call_callback, &copy);
    else
        ctx_call_host(c, h->fn, h->arg);
    return CUDA_OK;
}

/* A GPU that keeps time has its own; copies take none of it. */
static double seconds_of(const struct ctx *c)
{
    const struct gpu *g = session_gpu(c->session);
    return g ? (double)gpu_cycles(g) / (c->machine->gpu.core_mhz * 1e6) : wall_seconds();
}

int op_run(struct ctx *c, const struct op *o)
{
    switch (o->kind) {
    case OP_KERNEL:
        return launch_run(c, &o->kernel);
    case OP_COPY:
        run_copy(c->dev->mem, &o->copy);
        tell(c, session_copied, o->copy.dst, o->copy.slices, o->copy.dst_slice, o->copy.rows,
             o->copy.dst_pitch, o->copy.row_bytes);
        if (UNLIKELY(c->dev->check != NULL))
            note_copy(c, &o->copy);
        return CUDA_OK;
    case OP_FILL:
        run_fill(c->dev->mem, &o->fill);
        tell(c, session_filled, o->fill.dst, o->fill.slices, o->fill.slice, o->fill.rows,
             o->fill.pitch, o->fill.width * o->fill.value_bytes);
        if (UNLIKELY(c->dev->check != NULL))
            note_fill(c, &o->fill);
        return CUDA_OK;
    case OP_HOST:
        return run_host(c, &o->host);
    case OP_RECORD:
        o->event->seconds = seconds_of(c);
        o->event->is_recorded = true;
        return CUDA_OK;
    case OP_FREE:
        return memory_free(c, o->mem);
    case OP_EMPTY:
    case OP_WAIT:
        break;
    }
    return CUDA_OK;
}

struct op op_clone(const struct op *o)
{
    struct op copy = *o;
    if (o->kind == OP_KERNEL) {
        copy.kernel.params = xmalloc(o->kernel.param_bytes + 1);
        memcpy(copy.kernel.params, o->kernel.params, o->kernel.param_bytes);
    }
    return copy;
}

void op_free(struct op *o)
{
    if (o->kind == OP_KERNEL)
        free(o->kernel.params);
    o->kind = OP_EMPTY;
}
