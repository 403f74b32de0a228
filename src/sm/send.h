/* An executed instruction on its way to its pipe. Private to src/sm. */
#ifndef SM_SEND_H
#define SM_SEND_H

#include "sm/sm_int.h"

static inline void count_inst(struct sm *sm, const struct dinst *d, uint32_t mask)
{
    static const uint16_t by_unit[UNITS] = {
        [UNIT_SP] = offsetof(struct sm_stats, sp_inst),
        [UNIT_SFU] = offsetof(struct sm_stats, sfu_inst),
        [UNIT_DP] = offsetof(struct sm_stats, dp_inst),
        [UNIT_TENSOR] = offsetof(struct sm_stats, tensor_inst),
        [UNIT_MEM] = offsetof(struct sm_stats, mem_inst),
        [UNIT_INT] = offsetof(struct sm_stats, sp_inst),
    };
    struct sm_stats *st = &sm->stats;
    st->warp_inst += d->parts;
    st->thread_inst += (uint64_t)lanes_in(mask) * d->parts;
    *sm_counter(sm, by_unit[d->unit]) += d->parts;
    if (d->flags & DINST_CONTROL)
        st->control_inst++;
    if (d->flags & DINST_BARRIER)
        st->barrier_inst++;
}

/* Past the collectors: what techniques cost there makes the latency longer. */
static inline void send_fixed(struct sm *sm, struct subcore *sub, uint16_t i)
{
    struct inflight *f = &sm->fl[i];
    const uint8_t pipe = f->d->pipe;
    f->cost.write = (uint16_t)(f->cost.write + f->cost.hold + f->cost.enter);
    f->cost.hold = f->cost.enter = 0;
    sm->stats.rf_reads += f->to_read;
    f->to_read = 0;
    sub->entry[pipe][sub->nentry[pipe]++] = i;
}

/* sm_send(), for who sends many. */
SM_INLINE uint16_t send_step(struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d,
                             cycle_t now, bool is_extra)
{
    uint16_t i = inflight_get(sm);
    struct inflight *f = &sm->fl[i];
    struct subcore *sub = &sm->sub[sm_subcore_of(sm, slot)];
    count_inst(sm, d, sm->step.mask);
    f->d = d;
    f->issued = now;
    f->mask = sm->step.mask;
    f->slot = (uint16_t)slot;
    f->to_read = d->nsrc;
    if (LIKELY(!(sm->asked & (WANT_COST | WANT_INITIATION | WANT_BANK))))
        f->initiation = d->initiation;
    else
        asked_cost(sm, i, slot, w, &sm->step, is_extra);
    if (sm->is_fixed && d->pipe != PIPE_AUX)
        send_fixed(sm, sub, i);
    else
        sub->port[d->pipe][sub->nport[d->pipe]++] = i;
    return i;
}

#endif
