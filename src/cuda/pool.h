/* Memory pools and stream-ordered allocation. Work runs as it is given, so memory is there at once
 * and goes at once; a pool only counts what came from it. Under capture both become graph nodes. */
#ifndef CUDA_POOL_H
#define CUDA_POOL_H

#include "cuda/ctx.h"

enum pool_attr {
    POOL_REUSE_EVENTS = 1,
    POOL_REUSE_OPPORTUNISTIC,
    POOL_REUSE_INTERNAL,
    POOL_RELEASE_THRESHOLD, /* from here on 64-bit values */
    POOL_RESERVED_CURRENT,
    POOL_RESERVED_HIGH,
    POOL_USED_CURRENT,
    POOL_USED_HIGH,
    POOL_ATTRS
};

/* cudaMemPool_t, CUmemoryPool */
struct mem_pool {
    uint64_t attrs[POOL_ATTRS];
};

int pool_create(struct ctx *c, struct mem_pool **out);
int pool_destroy(struct ctx *c, struct mem_pool *p);
/* NULL = the device's default pool; an unknown handle gives NULL. */
struct mem_pool *pool_get(struct ctx *c, struct mem_pool *p);
struct mem_pool *pool_default(struct ctx *c);
struct mem_pool *pool_current(struct ctx *c);
int pool_set_current(struct ctx *c, struct mem_pool *p);
int pool_set_attr(struct ctx *c, struct mem_pool *p, int attr, const void *value);
int pool_get_attr(struct ctx *c, struct mem_pool *p, int attr, void *value);
int pool_trim(struct ctx *c, struct mem_pool *p);

int pool_alloc(struct ctx *c, void **out, size_t bytes, struct mem_pool *p, cudaStream_t s);
int pool_free(struct ctx *c, void *ptr, cudaStream_t s);
/* Told by every release of memory, whatever call it was: the pool's counts follow. */
void pool_forget(struct ctx *c, const void *ptr);

#endif
