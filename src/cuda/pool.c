/* Pools are bookkeeping: what they give is allocated at once. */
#include "cuda/pool.h"

#include "cuda/capture.h"
#include "cuda/memory.h"
#include "cuda/stream.h"

#include <string.h>

/* What came from a pool: address -> pool, and its size. */
static struct u64map owners, sizes;

int pool_create(struct ctx *c, struct mem_pool **out)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    struct mem_pool *p = xcalloc(1, sizeof *p);
    for (int i = POOL_REUSE_EVENTS; i <= POOL_REUSE_INTERNAL; i++)
        p->attrs[i] = 1;
    handle_add(c, HANDLE_POOL, p);
    *out = p;
    return CUDA_OK;
}

struct mem_pool *pool_default(struct ctx *c)
{
    if (!c->default_pool)
        pool_create(c, &c->default_pool);
    return c->default_pool;
}

struct mem_pool *pool_current(struct ctx *c)
{
    return c->current_pool ? c->current_pool : pool_default(c);
}

struct mem_pool *pool_get(struct ctx *c, struct mem_pool *p)
{
    return handle_is(c, HANDLE_POOL, p) ? p : NULL;
}

int pool_destroy(struct ctx *c, struct mem_pool *p)
{
    if (!pool_get(c, p) || p == c->default_pool)
        return CUDA_INVALID_VALUE;
    handle_remove(c, p);
    if (c->current_pool == p)
        c->current_pool = NULL;
    free(p);
    return CUDA_OK;
}

int pool_set_current(struct ctx *c, struct mem_pool *p)
{
    if (!pool_get(c, p))
        return CUDA_INVALID_VALUE;
    c->current_pool = p;
    return CUDA_OK;
}

int pool_set_attr(struct ctx *c, struct mem_pool *p, int attr, const void *value)
{
    if (!pool_get(c, p) || !value || attr < POOL_REUSE_EVENTS || attr >= POOL_ATTRS)
        return CUDA_INVALID_VALUE;
    uint64_t v = 0;
    memcpy(&v, value, attr < POOL_RELEASE_THRESHOLD ? sizeof(int) : sizeof v);
    /* The high-water marks may only be reset; what is in use now cannot be set at all. */
    bool is_mark = attr == POOL_RESERVED_HIGH || attr == POOL_USED_HIGH;
    if (attr == POOL_RESERVED_CURRENT || attr == POOL_USED_CURRENT || (is_mark && v))
        return CUDA_INVALID_VALUE;
    p->attrs[attr] = is_mark ? p->attrs[attr - 1] : v;
    return CUDA_OK;
}

int pool_get_attr(struct ctx *c, struct mem_pool *p, int attr, void *value)
{
    if (!pool_get(c, p) || !value || attr < POOL_REUSE_EVENTS || attr >= POOL_ATTRS)
        return CUDA_INVALID_VALUE;
    memcpy(value, &p->attrs[attr],
           attr < POOL_RELEASE_THRESHOLD ? sizeof(int) : sizeof p->attrs[attr]);
    return CUDA_OK;
}

/* What is reserved above the use goes back at once unless the threshold keeps it. */
static void settle(struct mem_pool *p, uint64_t keep)
{
    uint64_t used = p->attrs[POOL_USED_CURRENT];
    uint64_t *reserved = &p->attrs[POOL_RESERVED_CURRENT];
    if (*reserved > keep)
        *reserved = used > keep ? used : keep;
    if (*reserved < used)
        *reserved = used;
    if (p->attrs[POOL_USED_HIGH] < used)
        p->attrs[POOL_USED_HIGH] = used;
    if (p->attrs[POOL_RESERVED_HIGH] < *reserved)
        p->attrs[POOL_RESERVED_HIGH] = *reserved;
}

int pool_trim(struct ctx *c, struct mem_pool *p)
{
    if (!pool_get(c, p))
        return CUDA_INVALID_VALUE;
    settle(p, 0);
    return CUDA_OK;
}

int pool_alloc(struct ctx *c, void **out, size_t bytes, struct mem_pool *p, cudaStream_t s)
{
    struct CUstream_st *stream = stream_get(c, s);
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if (!pool_get(c, p) || !out)
        return CUDA_INVALID_VALUE;
    if (stream->capture)
        return capture_alloc(c, stream, out, bytes);
    int e = memory_alloc(c, out, bytes, MEM_DEVICE);
    if (e || !*out)
        return e;
    u64map_put(&owners, (uintptr_t)*out, (uintptr_t)p);
    u64map_put(&sizes, (uintptr_t)*out, bytes);
    p->attrs[POOL_USED_CURRENT] += bytes;
    settle(p, p->attrs[POOL_RELEASE_THRESHOLD]);
    return CUDA_OK;
}

void pool_forget(struct ctx *c, const void *ptr)
{
    uint64_t *owner = u64map_get(&owners, (uintptr_t)ptr);
    if (!owner || !*owner)
        return;
    struct mem_pool *p = pool_get(c, (void *)(uintptr_t)*owner);
    *owner = 0;
    if (!p)
        return;
    p->attrs[POOL_USED_CURRENT] -= *u64map_get(&sizes, (uintptr_t)ptr);
    settle(p, p->attrs[POOL_RELEASE_THRESHOLD]);
}

int pool_free(struct ctx *c, void *ptr, cudaStream_t s)
{
    struct CUstream_st *stream = stream_get(c, s);
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)ptr, 1);
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if (!ptr)
        return CUDA_OK;
    if (!a || a->base != (addr_t)(uintptr_t)ptr || a->kind != MEM_DEVICE)
        return CUDA_INVALID_VALUE;
    return stream_submit(c, s, &(struct op){.kind = OP_FREE, .mem = ptr});
}
