/* Entries side by side, found through a table of slots with room to spare. */
#include "base/strmap.h"

#include <stdlib.h>
#include <string.h>

uint32_t str_hash(const char *s, size_t len)
{
    uint64_t h = 0xcbf29ce484222325u ^ len;
    for (; len >= 8; s += 8, len -= 8) {
        uint64_t w;
        memcpy(&w, s, 8);
        h = (h ^ w) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    for (; len; s++, len--)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    h ^= h >> 32;
    return (uint32_t)(h * 0x85ebca6bu);
}

static uint32_t find_slot(const struct strmap *m, const char *key, size_t len, uint32_t hash)
{
    uint32_t i = hash & (m->nslots - 1);
    for (; m->slots[i]; i = (i + 1) & (m->nslots - 1)) {
        const struct strmap_entry *e = &m->entries[m->slots[i] - 1];
        if (e->hash == hash && e->len == len && !memcmp(e->key, key, len))
            break;
    }
    return i;
}

void *strmap_get(const struct strmap *m, const char *key, size_t len)
{
    if (!m->count)
        return NULL;
    uint32_t slot = m->slots[find_slot(m, key, len, str_hash(key, len))];
    return slot ? m->entries[slot - 1].value : NULL;
}

static void grow(struct strmap *m)
{
    m->cap = m->cap ? m->cap * 2 : 16;
    m->entries = xrealloc(m->entries, m->cap * sizeof *m->entries);
    m->nslots = m->cap * 2;
    free(m->slots);
    m->slots = xcalloc(m->nslots, sizeof *m->slots);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct strmap_entry *e = &m->entries[i];
        m->slots[find_slot(m, e->key, e->len, e->hash)] = i + 1;
    }
}

void *strmap_put(struct strmap *m, const char *key, size_t len, void *value)
{
    if (m->count == m->cap)
        grow(m);
    uint32_t hash = str_hash(key, len);
    uint32_t i = find_slot(m, key, len, hash);
    if (m->slots[i]) {
        struct strmap_entry *e = &m->entries[m->slots[i] - 1];
        void *old = e->value;
        e->value = value;
        return old;
    }
    m->entries[m->count] = (struct strmap_entry){key, (uint32_t)len, hash, value};
    m->slots[i] = ++m->count;
    return NULL;
}

void strmap_free(struct strmap *m)
{
    free(m->entries);
    free(m->slots);
    memset(m, 0, sizeof *m);
}
