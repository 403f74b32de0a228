/* Requests of one owner, recycled: no allocation once the owner has as many as it ever has in
 * flight. Not shared between host threads; a request goes back to the pool it came from. */
#ifndef MEM_MEM_REQ_POOL_H
#define MEM_MEM_REQ_POOL_H

#include "mem/mem_req.h"

struct mem_req_chunk;

struct mem_req_pool {
    struct mem_req *free;
    struct mem_req_chunk *chunks;
    uint64_t out; /* requests given and not yet back */
};

/* A zero-initialised pool is an empty one. Frees all requests, also those still out. */
void mem_req_pool_free(struct mem_req_pool *p);
void mem_req_pool_grow(struct mem_req_pool *p);

/* A zeroed request. */
static inline struct mem_req *mem_req_get(struct mem_req_pool *p)
{
    if (UNLIKELY(!p->free))
        mem_req_pool_grow(p);
    struct mem_req *r = p->free;
    p->free = r->next;
    p->out++;
    *r = (struct mem_req){0};
    return r;
}

static inline void mem_req_put(struct mem_req_pool *p, struct mem_req *r)
{
    r->next = p->free;
    p->free = r;
    p->out--;
}

#endif
