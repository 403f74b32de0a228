/* Chunks of 256 KB, or as large as what does not fit into one. */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)256 * 1024)
#define ARENA_ALIGN 16u

struct arena_chunk {
    struct arena_chunk *next;
    size_t bytes;
};

static void arena_grow(struct arena *a, size_t need)
{
    size_t head = align_up(sizeof(struct arena_chunk), ARENA_ALIGN);
    size_t bytes = head + (need > CHUNK_BYTES ? need : CHUNK_BYTES);
    struct arena_chunk *c = xcalloc(1, bytes);
    c->next = a->chunks;
    c->bytes = bytes;
    a->chunks = c;
    a->cur = (char *)c + head;
    a->end = (char *)c + bytes;
    a->total_bytes += bytes;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    bytes = align_up(bytes ? bytes : 1, ARENA_ALIGN);
    if ((size_t)(a->end - a->cur) < bytes)
        arena_grow(a, bytes);
    void *p = a->cur;
    a->cur += bytes;
    return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
    char *p = arena_alloc(a, len + 1);
    memcpy(p, s, len);
    p[len] = 0;
    return p;
}

void arena_free(struct arena *a)
{
    for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    memset(a, 0, sizeof *a);
}
