/* A table of slots that grows before it is full. */
#include "base/u64map.h"

#include <stdlib.h>
#include <string.h>

static struct u64map_slot *find(const struct u64map *m, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    size_t i = (h ^ (h >> 32)) & (m->nslots - 1);
    while (m->slots[i].used && m->slots[i].key != key)
        i = (i + 1) & (m->nslots - 1);
    return &m->slots[i];
}

uint64_t *u64map_get(const struct u64map *m, uint64_t key)
{
    if (!m->count)
        return NULL;
    struct u64map_slot *s = find(m, key);
    return s->used ? &s->value : NULL;
}

void u64map_put(struct u64map *m, uint64_t key, uint64_t value)
{
    if (m->count * 2 >= m->nslots) {
        struct u64map old = *m;
        m->nslots = old.nslots ? old.nslots * 2 : 32;
        m->slots = xcalloc(m->nslots, sizeof *m->slots);
        for (size_t i = 0; i < old.nslots; i++)
            if (old.slots[i].used)
                *find(m, old.slots[i].key) = old.slots[i];
        free(old.slots);
    }
    struct u64map_slot *s = find(m, key);
    m->count += !s->used;
    *s = (struct u64map_slot){key, value, true};
}

void u64map_free(struct u64map *m)
{
    free(m->slots);
    memset(m, 0, sizeof *m);
}
