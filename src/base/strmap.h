/* Map from strings to pointers. Keys are not copied: they must outlive the map.
 * Iteration order is insertion order, so that nothing downstream depends on hash order. */
#ifndef BASE_STRMAP_H
#define BASE_STRMAP_H

#include "base/common.h"

struct strmap_entry {
    const char *key;
    uint32_t len;
    uint32_t hash;
    void *value;
};

struct strmap {
    struct strmap_entry *entries; /* in insertion order */
    uint32_t *slots;              /* index + 1 into entries; 0 = empty */
    uint32_t count, cap, nslots;
};

/* A zero-initialised map is empty. */
void *strmap_get(const struct strmap *m, const char *key, size_t len);
/* Inserts or replaces; returns the former value or NULL. */
void *strmap_put(struct strmap *m, const char *key, size_t len, void *value);
void strmap_free(struct strmap *m);
uint32_t str_hash(const char *s, size_t len);

#endif
