/* A probe observes and never changes anything: a component fires events at the probes that were
 * added to it, by default at the null probe. What `event`, `a` and `b` mean is said by the
 * component's header. Several may observe the same component; the one that was added last is told
 * first. */
#ifndef SIM_PROBE_H
#define SIM_PROBE_H

#include "base/common.h"

struct probe {
    void (*fire)(void *ctx, cycle_t now, uint32_t event, uint64_t a, uint64_t b);
    void *ctx;
    const struct probe *next; /* the probes' own */
};

/* Does nothing. */
extern const struct probe probe_null;

/* `at` is the component's, &probe_null at first; `p` belongs to the observer and stays where it is
 * until it is dropped, or nothing is fired any more. Not while the component runs. */
void probe_add(const struct probe **at, struct probe *p);
/* Does nothing where it was not added. */
void probe_drop(const struct probe **at, struct probe *p);

static inline void probe_fire(const struct probe *p, cycle_t now, uint32_t event, uint64_t a,
                              uint64_t b)
{
    if (UNLIKELY(p->ctx))
        for (; p; p = p->next)
            p->fire(p->ctx, now, event, a, b);
}

#endif
