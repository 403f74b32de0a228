/* Requests in chunks, never given back before the pool is. */
#include "mem/mem_req_pool.h"

#include <stdlib.h>

enum { CHUNK = 128 };

struct mem_req_chunk {
    struct mem_req_chunk *next;
    struct {
        _Alignas(64) struct mem_req r; /* each begins with a cache line */
    } reqs[CHUNK];
};

void mem_req_pool_grow(struct mem_req_pool *p)
{
    struct mem_req_chunk *c = xalloc_aligned(_Alignof(struct mem_req_chunk), sizeof *c);
    c->next = p->chunks;
    p->chunks = c;
    for (int i = CHUNK - 1; i >= 0; i--) {
        c->reqs[i].r.next = p->free;
        p->free = &c->reqs[i].r;
    }
}

void mem_req_pool_free(struct mem_req_pool *p)
{
    while (p->chunks) {
        struct mem_req_chunk *next = p->chunks->next;
        free(p->chunks);
        p->chunks = next;
    }
    *p = (struct mem_req_pool){0};
}
