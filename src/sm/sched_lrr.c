/* Loose round robin: the next slot after the one that issued last, among those that can. */
#include "sm/sm_int.h"

static unsigned pick_lrr(struct sm *sm, struct sched *s, uint64_t ready)
{
    (void)sm;
    return next_from(ready, s->last + 1);
}

const struct sched_ops sched_lrr_ops = {.pick = pick_lrr};
