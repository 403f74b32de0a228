/* What is bound at the pipeline's seams is asked, where it wants to be (sm->asked). */
#include "sm/sm_int.h"

enum { MAX_COST = 1000 }; /* cycles: the calendar of results must hold them */

void asked_init(struct sm *sm)
{
    const struct sm_seams *s = &sm->seams;
    sm->asked = s->registers->wants | s->issue->wants | s->values->wants | s->schedulers->wants;
}

/* --- an instruction that was executed --- */

static void ask_banks(struct sm *sm, uint16_t i, const struct rf_event *e, unsigned first)
{
    const struct rf_policy *p = sm->seams.registers;
    for (unsigned k = 0; k < e->d->ndst + e->d->nsrc; k++) {
        const uint32_t plain = (e->d->regs[k] + e->slot) % (uint32_t)sm->cfg->banks;
        sm->banks[i][first + k] = (uint8_t)(p->bank(p->self, e, k, plain) % MAX_BANKS);
    }
}

static void raise_to(uint16_t *to, uint32_t cycles)
{
    const uint16_t n = (uint16_t)(cycles < MAX_COST ? cycles : MAX_COST);
    *to = n > *to ? n : *to;
}

void asked_cost(struct sm *sm, uint16_t i, unsigned slot, struct warp *w, const struct step *s,
                bool is_extra)
{
    struct inflight *f = &sm->fl[i];
    const bool is_second = f->slot2 == (int)slot;
    const int other = is_second ? (int)f->slot : is_extra ? NO_PARTNER : pair_of(sm, slot);
    const struct rf_event e = {.d = f->d,
                               .w = w,
                               .base = w->base,
                               .all = w->all,
                               .active = s->active,
                               .mask = s->mask,
                               .slot = slot,
                               .partner = other,
                               .is_extra = is_extra};
    struct rf_cost cost = {0};
    uint32_t initiation = f->d->initiation;
    if (sm->asked & WANT_COST)
        sm->seams.registers->cost(sm->seams.registers->self, &e, &cost);
    if (sm->asked & WANT_INITIATION)
        initiation = sm->seams.issue->initiation(sm->seams.issue->self, &e, initiation);
    if (sm->asked & WANT_BANK)
        ask_banks(sm, i, &e, is_second ? SECOND_OPERANDS : 0);
    raise_to(&f->cost.hold, cost.hold);
    raise_to(&f->cost.enter, cost.enter);
    raise_to(&f->cost.write, cost.write);
    raise_to(&f->initiation, initiation);
}

bool asked_step(struct sm *sm, unsigned slot, const struct dinst *d, cycle_t now, struct step *s)
{
    struct warp *w = sm->slot[slot].w;
    const struct frame ran = *warp_top(w)->frame; /* a call or return leaves it */
    if (sm->asked & WANT_BEFORE) {
        warp_use_frame(w);
        sm->seams.issue->before(sm->seams.issue->self, sm, slot, w, d);
    }
    if (!warp_step(w, sm->effects, now, s))
        return false;
    w->base[LANE_REGS] = w->regs + ran.reg_off;
    w->base[LANE_CONST] = ran.fn->consts;
    if ((sm->asked & WANT_LOADED) && (d->flags & DINST_LOAD) && d->ndst && s->mask &&
        !warp_is_deferred(w))
        sm->seams.values->loaded(sm->seams.values->self, sm, slot, w, d, s->mask);
    return true;
}

/* --- what goes before an instruction --- */

static const struct dinst *precede(struct sm *sm, unsigned slot, const struct dinst *d)
{
    const struct issue_policy *p = sm->seams.issue;
    struct warp *w = sm->slot[slot].w;
    warp_use_frame(w);
    const struct dinst *first = p->precede(p->self, sm, slot, w, d);
    assert(!first || first->unit != UNIT_MEM);
    return first;
}

const struct dinst *asked_next(struct sm *sm, unsigned slot, const struct dinst *d)
{
    const struct warp_slot *ws = &sm->slot[slot];
    if (d->flags & DINST_SPILL) {
        pair_part(sm, slot);
        return d;
    }
    if (sm->asked & WANT_PARTNER)
        pair_look(sm, slot, d);
    if (!(sm->asked & WANT_PRECEDE))
        return d;
    const struct dinst *first = precede(sm, slot, d);
    if (!first && ws->is_joined)
        first = precede(sm, (unsigned)ws->partner, d);
    return first ? first : d;
}

void asked_issue_first(struct sm *sm, unsigned slot, cycle_t now)
{
    const struct warp_slot *leader = &sm->slot[slot];
    const struct dinst *first = leader->next;
    if (leader->is_joined && !precede(sm, slot, leader->ib[leader->ib_at]))
        slot = (unsigned)leader->partner; /* the follower's */
    struct warp_slot *ws = &sm->slot[slot];
    warp_use_frame(ws->w);
    sm->step.x = NULL;
    sm->step.active = sm->step.mask = ws->w->all;
    sm->step.naccesses = 0;
    sm_send(sm, slot, ws->w, first, now, true);
    sm->stats.extra_inst++;
    sm->stats.extra_thread_inst += (unsigned)__builtin_popcount(ws->w->all);
    ws->inflight++;
    scoreboard_reserve(sm, slot, first);
    sm_look_at_warp(sm, slot);
}
