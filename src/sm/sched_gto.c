/* Greedy then oldest: the warp that issued last, as long as it can; else the oldest. */
#include "sm/sm_int.h"

unsigned sched_oldest_of(const struct sm *sm, uint64_t ready)
{
    unsigned best = first_of(ready);
    for (uint64_t m = ready & (ready - 1); m; m &= m - 1) {
        unsigned slot = first_of(m);
        if (sm->slot[slot].age < sm->slot[best].age)
            best = slot;
    }
    return best;
}

static unsigned pick_gto(struct sm *sm, struct sched *s, uint64_t ready)
{
    if (ready >> s->last & 1)
        return s->last;
    return sched_oldest_of(sm, ready);
}

const struct sched_ops sched_gto_ops = {.pick = pick_gto};

static unsigned pick_oldest(struct sm *sm, struct sched *s, uint64_t ready)
{
    (void)s;
    return sched_oldest_of(sm, ready);
}

const struct sched_ops sched_oldest_ops = {.pick = pick_oldest};
