/* Miss status registers: lines on their way, each with a FIFO of who waits for which sectors. */
#ifndef MEM_MSHR_H
#define MEM_MSHR_H

#include "base/slots.h"

#define MSHR_NONE SLOTS_NONE

struct mshr_waiter {
    uint64_t token;
    uint16_t need;  /* sectors */
    uint16_t flags; /* the cache's */
};

struct mshr_entry {
    addr_t line;
    uint32_t slot;     /* the cache's: where the line will lie */
    uint16_t pending;  /* sectors asked for and not there yet */
    uint16_t requests; /* sent for them and not answered; one may bring what others ask for */
    uint16_t waiters;
};

struct mshr {
    struct mshr_entry *entries;
    struct mshr_waiter *waiters; /* `merges` for each entry */
    struct slots slots;          /* entries by line */
    uint32_t merges;
    uint32_t limit;  /* lines on their way */
    uint32_t parked; /* entries whose line is here and waits for something else */
};

/* `lines` more than `entries` may be parked at a time. */
void mshr_init(struct mshr *m, uint32_t entries, uint32_t merges, uint32_t lines);
void mshr_free(struct mshr *m);

/* The entry of `line`, or MSHR_NONE. */
uint32_t mshr_find(const struct mshr *m, addr_t line);
static inline bool mshr_full(const struct mshr *m)
{
    return !m->slots.nfree || slots_used(&m->slots) - m->parked >= m->limit;
}
static inline uint32_t mshr_used(const struct mshr *m)
{
    return slots_used(&m->slots);
}
/* A new entry; only when not full and `line` has none. */
uint32_t mshr_add(struct mshr *m, addr_t line, uint32_t slot);
static inline bool mshr_can_merge(const struct mshr *m, uint32_t e)
{
    return m->entries[e].waiters < m->merges;
}
/* Only when mshr_can_merge. */
void mshr_merge(struct mshr *m, uint32_t e, uint64_t token, uint16_t need, uint16_t flags);
/* A request for `sectors` of the entry is sent. */
static inline void mshr_ask(struct mshr *m, uint32_t e, uint16_t sectors)
{
    m->entries[e].pending |= sectors;
    m->entries[e].requests++;
}
/* `sectors` of the entry are there. */
static inline void mshr_arrive(struct mshr *m, uint32_t e, uint16_t sectors)
{
    m->entries[e].pending &= (uint16_t)~sectors;
}
/* Takes the oldest waiter that needs nothing pending; false when there is none. */
bool mshr_pop(struct mshr *m, uint32_t e, struct mshr_waiter *w);
/* A request of the entry is answered. Frees it if that was the last; then nothing is pending and
 * nobody waits. True if it did. */
bool mshr_retire(struct mshr *m, uint32_t e);

#endif
