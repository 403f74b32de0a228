/* Registers that a kernel has no room for: the loads before an instruction that reads them and the
 * stores behind one that writes them are instructions of the memory pipe, each with an issue slot,
 * a place in local memory and the spilled register on the scoreboard. They move no values, and they
 * are not fetched. */
#include "sm/sm_int.h"

const struct dinst *spill_before(const struct warp_slot *ws, const struct dinst *d)
{
    return ws->nloaded < d->nloads ? &d->spills[ws->nloaded] : d;
}

void spill_owe(struct sm *sm, unsigned slot, const struct dinst *d, uint32_t at)
{
    struct warp_slot *ws = &sm->slot[slot];
    ws->nloaded = 0;
    ws->nowed = d->nstores;
    ws->owed = d->spills + d->nloads;
    ws->owed_mask = sm->step.mask;
    ws->owed_at = at;
}

/* The step of a spill: one access of local memory at the same place of every lane. */
static void make_step(struct step *s, const struct dinst *d, uint32_t mask, uint32_t frame)
{
    struct step_access *a = &s->access[0];
    s->x = d->x;
    s->active = s->mask = mask;
    s->naccesses = mask ? 1 : 0;
    for (unsigned l = 0; l < WARP_LANES; l++)
        a->addr[l] = frame + d->place;
    a->mask = mask;
    a->bytes = d->bytes;
    a->space = PTX_SPACE_LOCAL;
    a->is_write = d->flags & DINST_STORE;
}

void spill_issue(struct sm *sm, unsigned slot, cycle_t now)
{
    struct warp_slot *ws = &sm->slot[slot];
    const struct dinst *d = ws->next;
    if (d->flags & DINST_LOAD) {
        const struct split *top = warp_top(ws->w);
        make_step(&sm->step, d, top->mask, top->frame->local_off);
        ws->nloaded++;
        sm->stats.spill_loads++;
    } else {
        make_step(&sm->step, d, ws->owed_mask, ws->owed_at);
        ws->owed++;
        ws->nowed--;
        sm->stats.spill_stores++;
    }
    sm->stats.spill_thread_inst += (unsigned)__builtin_popcount(sm->step.mask);
    uint16_t i = sm_send(sm, slot, ws->w, d, now, true);
    ws->inflight++;
    scoreboard_reserve(sm, slot, d);
    sm_send_memory(sm, slot, i);
    sm_look_at_warp(sm, slot);
}
