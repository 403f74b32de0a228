/* Loose round robin: the next slot after the one that issued last, among those that can. */
#include "sm/sm_int.h"

unsigned sched_next_after(unsigned last, uint64_t ready)
{
    uint64_t behind = last + 1 < MAX_WARPS ? ready & (UINT64_MAX << (last + 1)) : 0;
    return first_of(behind ? behind : ready);
}

static unsigned pick_lrr(struct sm *sm, struct sched *s, uint64_t ready)
{
    (void)sm;
    return sched_next_after(s->last, ready);
}

const struct sched_ops sched_lrr_ops = {.pick = pick_lrr};
