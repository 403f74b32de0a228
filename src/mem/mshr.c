/* Entries are found by their line; waiters of an entry lie in an array of their own. */
#include "mem/mshr.h"

#include <stdlib.h>
#include <string.h>

void mshr_init(struct mshr *m, uint32_t limit, uint32_t merges, uint32_t lines)
{
    const uint32_t entries = limit + lines;
    *m = (struct mshr){.merges = merges, .limit = limit};
    slots_init(&m->slots, entries);
    m->entries = xcalloc(entries, sizeof *m->entries);
    m->waiters = xcalloc((size_t)entries * merges, sizeof *m->waiters);
}

void mshr_free(struct mshr *m)
{
    slots_free(&m->slots);
    free(m->entries);
    free(m->waiters);
}

uint32_t mshr_find(const struct mshr *m, addr_t line)
{
    uint32_t e;
    for (uint32_t i = slots_first(&m->slots, line); (e = slots_at(&m->slots, i)) != SLOTS_NONE;
         i = slots_next(&m->slots, i))
        if (m->entries[e].line == line)
            break;
    return e;
}

uint32_t mshr_add(struct mshr *m, addr_t line, uint32_t slot)
{
    const uint32_t e = slots_take(&m->slots, line);
    m->entries[e] = (struct mshr_entry){.line = line, .slot = slot};
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

bool mshr_retire(struct mshr *m, uint32_t e)
{
    if (--m->entries[e].requests)
        return false;
    assert(!m->entries[e].pending && !m->entries[e].waiters);
    slots_give(&m->slots, m->entries[e].line, e);
    return true;
}
