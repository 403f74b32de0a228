/* The numbers of a table's entries, 0 to n - 1: each is free, or in use under a key. The table
 * keeps the entries, and knows which of a key's numbers it means. */
#ifndef BASE_SLOTS_H
#define BASE_SLOTS_H

#include "base/common.h"

#define SLOTS_NONE UINT32_MAX

struct slots {
    struct slot {
        uint32_t entry; /* number + 1, 0: empty */
        uint32_t home;  /* where its key would lie */
    } * at;             /* open addressing, twice as many as entries or more */
    uint32_t *free;     /* stack of free numbers */
    uint32_t nfree, n, mask;
};

void slots_init(struct slots *s, uint32_t n);
void slots_free(struct slots *s);
/* A free number (there must be one), now in use under the key. */
uint32_t slots_take(struct slots *s, uint64_t key);
/* Takes it back from the key. */
void slots_give(struct slots *s, uint64_t key, uint32_t number);

/* for (uint32_t i = slots_first(s, key), k; (k = slots_at(s, i)) != SLOTS_NONE;
 *      i = slots_next(s, i)): all numbers of the key, and some of others. */
static inline uint32_t slots_first(const struct slots *s, uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & s->mask;
}
static inline uint32_t slots_at(const struct slots *s, uint32_t i)
{
    return s->at[i].entry - 1;
}
static inline uint32_t slots_next(const struct slots *s, uint32_t i)
{
    return (i + 1) & s->mask;
}
static inline uint32_t slots_used(const struct slots *s)
{
    return s->n - s->nfree;
}

#endif
