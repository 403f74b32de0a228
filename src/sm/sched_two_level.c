/* Two levels: a small set of active warps issues round robin; a warp that waits for a register,
 * barrier or fence leaves it, and the next one in turn that can issue takes its place. */
#include "sm/sm_int.h"

static uint64_t narrow_two_level(struct sm *sm, struct sched *s, uint64_t valid, uint64_t can)
{
    s->active &= valid & sm->ready;
    while (can & ~s->active && __builtin_popcountll(s->active) < (int)sm->cfg->active_warps) {
        s->last_in = next_from(can & ~s->active, s->last_in + 1);
        s->active |= UINT64_C(1) << s->last_in;
    }
    return can & s->active;
}

static unsigned pick_two_level(struct sm *sm, struct sched *s, uint64_t ready)
{
    (void)sm;
    return next_from(ready, s->last + 1);
}

const struct sched_ops sched_two_level_ops = {.pick = pick_two_level, .narrow = narrow_two_level};
