/* A probe observes and never changes anything: a component fires events at the probe it was given,
 * by default the null probe. What `event`, `a` and `b` mean is said by the component's header. */
#ifndef SIM_PROBE_H
#define SIM_PROBE_H

#include "base/common.h"

struct probe {
    void (*fire)(void *ctx, cycle_t now, uint32_t event, uint64_t a, uint64_t b);
    void *ctx;
};

/* Does nothing. */
extern const struct probe probe_null;

static inline void probe_fire(const struct probe *p, cycle_t now, uint32_t event, uint64_t a,
                              uint64_t b)
{
    if (UNLIKELY(p->ctx))
        p->fire(p->ctx, now, event, a, b);
}

#endif
