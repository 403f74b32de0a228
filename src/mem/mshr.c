/* Entries are found through a table of slots twice as large; waiters of an entry lie in an array
 * of their own. */
#include "mem/mshr.h"

#include <stdlib.h>
#include <string.h>

void mshr_init(struct mshr *m, uint32_t limit, uint32_t merges, uint32_t lines)
{
    const uint32_t entries = limit + lines;
    uint32_t slots = 8;
    while (slots < entries * 2)
        slots *= 2;
    *m = (struct mshr){
        .nfree = entries, .nentries = entries, .merges = merges, .limit = limit, .mask = slots - 1};
    m->entries = xcalloc(entries, sizeof *m->entries);
    m->waiters = xcalloc((size_t)entries * merges, sizeof *m->waiters);
    m->table = xcalloc(slots, sizeof *m->table);
    m->free = xcalloc(entries, sizeof *m->free);
    for (uint32_t i = 0; i < entries; i++)
        m->free[i] = entries - 1 - i;
}

void mshr_free(struct mshr *m)
{
    free(m->entries);
    free(m->waiters);
    free(m->table);
    free(m->free);
}

static uint32_t home(const struct mshr *m, addr_t line)
{
    return (uint32_t)((line * 0x9e3779b97f4a7c15u) >> 40) & m->mask;
}

uint32_t mshr_find(const struct mshr *m, addr_t line)
{
    for (uint32_t i = home(m, line); m->table[i]; i = (i + 1) & m->mask)
        if (m->entries[m->table[i] - 1].line == line)
            return m->table[i] - 1;
    return MSHR_NONE;
}

uint32_t mshr_add(struct mshr *m, addr_t line, uint32_t slot)
{
    assert(m->nfree);
    uint32_t e = m->free[--m->nfree];
    m->entries[e] = (struct mshr_entry){.line = line, .slot = slot};
    uint32_t i = home(m, line);
    while (m->table[i])
        i = (i + 1) & m->mask;
    m->table[i] = e + 1;
    return e;
}

void mshr_merge(struct mshr *m, uint32_t e, uint64_t token, uint16_t need, uint16_t flags)
{
    struct mshr_entry *en = &m->entries[e];
    assert(en->waiters < m->merges);
    m->waiters[(size_t)e * m->merges + en->waiters++] = (struct mshr_waiter){token, need, flags};
}

bool mshr_pop(struct mshr *m, uint32_t e, struct mshr_waiter *w)
{
    struct mshr_entry *en = &m->entries[e];
    struct mshr_waiter *at = m->waiters + (size_t)e * m->merges;
    for (uint32_t i = 0; i < en->waiters; i++) {
        if (at[i].need & en->pending)
            continue;
        *w = at[i];
        memmove(&at[i], &at[i + 1], (--en->waiters - i) * sizeof *at);
        return true;
    }
    return false;
}

/* Closes the gap at `i`, so that no search stops early. */
static void table_remove(struct mshr *m, uint32_t i)
{
    for (uint32_t j = (i + 1) & m->mask; m->table[j]; j = (j + 1) & m->mask) {
        uint32_t h = home(m, m->entries[m->table[j] - 1].line);
        if (((j - h) & m->mask) >= ((j - i) & m->mask)) {
            m->table[i] = m->table[j];
            i = j;
        }
    }
    m->table[i] = 0;
}

bool mshr_retire(struct mshr *m, uint32_t e)
{
    if (--m->entries[e].requests)
        return false;
    assert(!m->entries[e].pending && !m->entries[e].waiters);
    uint32_t i = home(m, m->entries[e].line);
    while (m->table[i] != e + 1)
        i = (i + 1) & m->mask;
    table_remove(m, i);
    m->free[m->nfree++] = e;
    return true;
}
