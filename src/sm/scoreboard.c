/* Which registers of a warp have a write on its way. Registers are folded onto SCOREBOARD counters,
 * which is exact for kernels with that many registers. */
#include "sm/sm_int.h"

bool scoreboard_is_free(const struct sm *sm, unsigned slot, const struct dinst *d)
{
    const uint8_t *p = sm->pending[slot];
    for (unsigned k = 0; k < d->nregs; k++)
        if (p[d->regs[k] % SCOREBOARD])
            return false;
    return true;
}

void scoreboard_reserve(struct sm *sm, unsigned slot, const struct dinst *d)
{
    uint8_t *p = sm->pending[slot];
    for (unsigned k = 0; k < d->ndst; k++)
        p[d->regs[k] % SCOREBOARD]++;
}

void scoreboard_release(struct sm *sm, unsigned slot, const struct dinst *d)
{
    uint8_t *p = sm->pending[slot];
    const uint64_t bit = UINT64_C(1) << slot;
    for (unsigned k = 0; k < d->ndst; k++) {
        assert_often(p[d->regs[k] % SCOREBOARD]);
        p[d->regs[k] % SCOREBOARD]--;
    }
    if (UNLIKELY(sm->follows & bit)) {
        pair_look_again(sm, bit);
        return;
    }
    if ((sm->has_inst & bit) && !(sm->ready & bit) && sm_can_go(sm, slot, sm->slot[slot].next)) {
        sm->ready |= bit;
        sm_warm(&sm->slot[slot]);
    }
}
