/* Map from 64-bit keys (numbers or pointers) to 64-bit values. Never iterated, so that nothing can
 * depend on hash order. */
#ifndef BASE_U64MAP_H
#define BASE_U64MAP_H

#include "base/common.h"

struct u64map {
    struct u64map_slot {
        uint64_t key, value;
        bool used;
    } * slots;
    size_t count, nslots;
};

/* A zero-initialised map is empty. NULL if absent. The pointer is good until the next put. */
uint64_t *u64map_get(const struct u64map *m, uint64_t key);
void u64map_put(struct u64map *m, uint64_t key, uint64_t value);
void u64map_free(struct u64map *m);

#endif
