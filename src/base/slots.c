/* Slots with open addressing that keep where each key would lie, so that a gap can be closed
 * without the keys. */
#include "base/slots.h"

#include <stdlib.h>

void slots_init(struct slots *s, uint32_t n)
{
    uint32_t nslots = 8;
    while (nslots < n * 2)
        nslots *= 2;
    *s = (struct slots){.nfree = n, .n = n, .mask = nslots - 1};
    s->at = xcalloc(nslots, sizeof *s->at);
    s->free = xcalloc(n, sizeof *s->free);
    for (uint32_t i = 0; i < n; i++)
        s->free[i] = n - 1 - i;
}

void slots_free(struct slots *s)
{
    free(s->at);
    free(s->free);
}

uint32_t slots_take(struct slots *s, uint64_t key)
{
    assert(s->nfree);
    const uint32_t number = s->free[--s->nfree], home = slots_first(s, key);
    uint32_t i = home;
    while (s->at[i].entry)
        i = slots_next(s, i);
    s->at[i] = (struct slot){number + 1, home};
    return number;
}

/* Closes the gap at `i`, so that no search stops early. */
static void close_gap(struct slots *s, uint32_t i)
{
    for (uint32_t j = slots_next(s, i); s->at[j].entry; j = slots_next(s, j))
        if (((j - s->at[j].home) & s->mask) >= ((j - i) & s->mask)) {
            s->at[i] = s->at[j];
            i = j;
        }
    s->at[i].entry = 0;
}

void slots_give(struct slots *s, uint64_t key, uint32_t number)
{
    uint32_t i = slots_first(s, key);
    while (slots_at(s, i) != number)
        i = slots_next(s, i);
    close_gap(s, i);
    s->free[s->nfree++] = number;
}
