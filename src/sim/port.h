/* A port: one producer, one consumer, in order, bounded.
 *
 * An item pushed at a producer's cycle becomes visible `latency` (at least 1) producer cycles
 * later; a pop frees its slot `credit` (at least 1) consumer cycles later, as the producer sees it.
 * A push wakes the consumer, a pop wakes it again for the item behind, and a pop wakes a producer
 * that found the port full. A component has one alarm, which each tick resets: a tick must answer
 * with port_next() of its input ports at the latest, and poll while it leaves a visible item.
 * Items are pointers and belong to whoever popped them. The two sides may live on different host
 * threads as long as both latencies reach beyond the window (see sim.h). */
#ifndef SIM_PORT_H
#define SIM_PORT_H

#include "sim/sim.h"

#include <stdatomic.h>

struct port_slot {
    cycle_t ready; /* of the consumer's clock: it is visible */
    cycle_t freed; /* of the producer's clock: it has left */
    void *item;
};

/* Two lines of the host's cache: what only the producer writes, and what only the consumer writes.
 * What nobody writes is in the first, which the consumer looks at anyway. */
struct port {
    _Alignas(64) _Atomic uint64_t tail;
    uint64_t reclaimed; /* slots known to be free again */
    struct component *producer;
    struct port_slot *slots;
    uint32_t mask, depth;
    uint64_t out_period, in_period; /* of the producer's and the consumer's clock */
    uint32_t latency_cycles;
    bool starved;  /* the producer found it full and waits */
    bool local;    /* both sides in one partition: wake each other directly */
    bool is_noted; /* its consumer will be woken between windows, or need not be */
    _Alignas(64) _Atomic uint64_t head;
    struct component *consumer;
    uint32_t credit_cycles;
    const char *name;
};
static_assert(sizeof(struct port) == 128, "two lines");

/* A port between two components of `s` (prepared later with it and freed by it). */
struct port *sim_add_port(struct sim *s, const char *name, struct component *producer,
                          struct component *consumer, uint32_t latency, uint32_t credit,
                          uint32_t depth);
/* A port without a simulator, both sides on one clock, for a unit between mocks. */
struct port *port_new(const char *name, uint32_t latency, uint32_t depth);
void port_free(struct port *p);

/* Called by the inline part below. */
void port_wake_consumer(struct port *p, cycle_t ready);
void port_wake_producer(struct port *p, cycle_t freed);
void port_note(struct port *p);

/* `cycles` after cycle `now` of a clock with period `from`: the first cycle of one with period
 * `to`. Once an item, so that nobody who looks at it divides. */
static inline cycle_t port_across(cycle_t now, uint32_t cycles, uint64_t from, uint64_t to)
{
    return LIKELY(from == to) ? now + cycles : ((now + cycles) * from + to - 1) / to;
}

/* How many items take a place at the producer's cycle `now`: until it knows that they are gone. */
static inline uint64_t port_taken(struct port *p, cycle_t now, uint64_t head)
{
    while (p->reclaimed < head && p->slots[p->reclaimed & p->mask].freed <= now)
        p->reclaimed++;
    return atomic_load_explicit(&p->tail, memory_order_relaxed) - p->reclaimed;
}

static inline uint64_t port_head(const struct port *p)
{
    return atomic_load_explicit(&p->head, memory_order_acquire);
}

/* How many more items fit at the producer's cycle `now`. */
static inline uint64_t port_room(struct port *p, cycle_t now)
{
    uint64_t head = port_head(p);
    uint64_t room = p->depth - port_taken(p, now, head);
    p->starved = !room;
    if (UNLIKELY(!room) && p->producer && p->reclaimed < head)
        port_wake_producer(p, p->slots[p->reclaimed & p->mask].freed);
    return room;
}

static inline bool port_can_push(struct port *p, cycle_t now)
{
    return port_room(p, now) > 0;
}

/* Only when port_can_push. */
static inline void port_push(struct port *p, cycle_t now, void *item)
{
    uint64_t tail = atomic_load_explicit(&p->tail, memory_order_relaxed);
    assert_often(tail - p->reclaimed < p->depth);
    struct port_slot *slot = &p->slots[tail & p->mask];
    slot->ready = port_across(now, p->latency_cycles, p->out_period, p->in_period);
    slot->item = item;
    atomic_store_explicit(&p->tail, tail + 1, memory_order_release);
    if (p->local)
        port_wake_consumer(p, slot->ready);
    else if (!p->is_noted)
        port_note(p);
}

static inline bool port_is_empty(const struct port *p)
{
    return atomic_load_explicit(&p->head, memory_order_relaxed) ==
           atomic_load_explicit(&p->tail, memory_order_acquire);
}

/* The next item if it is visible at the consumer's cycle `now`, else NULL. */
static inline void *port_peek(const struct port *p, cycle_t now)
{
    if (port_is_empty(p))
        return NULL;
    const uint64_t head = atomic_load_explicit(&p->head, memory_order_relaxed);
    const struct port_slot *slot = &p->slots[head & p->mask];
    return slot->ready <= now ? slot->item : NULL;
}

/* The next item, visible or not, for what changes nothing but the host's caches. */
static inline const void *port_coming(const struct port *p)
{
    const uint64_t head = atomic_load_explicit(&p->head, memory_order_relaxed);
    return port_is_empty(p) ? NULL : p->slots[head & p->mask].item;
}

/* As port_peek, and takes it. */
static inline void *port_pop(struct port *p, cycle_t now)
{
    void *item = port_peek(p, now);
    if (!item)
        return NULL;
    uint64_t head = atomic_load_explicit(&p->head, memory_order_relaxed);
    struct port_slot *slot = &p->slots[head & p->mask];
    slot->freed = port_across(now, p->credit_cycles, p->in_period, p->out_period);
    atomic_store_explicit(&p->head, head + 1, memory_order_release);
    if (p->local && p->starved)
        port_wake_producer(p, slot->freed);
    if (p->consumer && head + 1 != atomic_load_explicit(&p->tail, memory_order_acquire)) {
        const cycle_t ready = p->slots[(head + 1) & p->mask].ready;
        port_wake_consumer(p, ready > now ? ready : now + 1);
    }
    return item;
}

/* The consumer's cycle at which the next item is visible; CYCLE_NEVER when there is none yet. */
static inline cycle_t port_next(const struct port *p)
{
    if (port_is_empty(p))
        return CYCLE_NEVER;
    const uint64_t head = atomic_load_explicit(&p->head, memory_order_relaxed);
    return p->slots[head & p->mask].ready;
}

/* The consumer's cycle up to which nothing that is pushed from `now` on can be visible, which is
 * the window's end where the producer is in another partition: until then a consumer that has
 * looked at the port need not look whether it has got more. */
cycle_t port_hides_until(const struct port *p, cycle_t now);

/* Items inside, visible or not. Not while the other side's thread may run. */
static inline uint64_t port_count(const struct port *p)
{
    return atomic_load_explicit(&p->tail, memory_order_relaxed) -
           atomic_load_explicit(&p->head, memory_order_relaxed);
}

#endif
