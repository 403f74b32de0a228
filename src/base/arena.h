/* Bump allocator: many small objects with one lifetime, freed together. Memory comes zeroed. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/common.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks;
    char *cur, *end;
    size_t total_bytes;
};

/* A zero-initialised `struct arena` is an empty arena. */
void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strndup(struct arena *a, const char *s, size_t len);
void arena_free(struct arena *a);

#define arena_new(a, type)      ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

#endif
