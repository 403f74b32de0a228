/* What is bound at the pipeline's seams is asked, where it wants to be (sm->asked). */
#include "sm/sm_int.h"

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
        const uint32_t bank = p->bank(p->self, e, k, plain);
        if (UNLIKELY(bank >= MAX_BANKS))
            breach_note(sm->seams.l1.breach, SEAM_registers,
                        "bank() is not below RF_BANKS_MAX (%d): %u", RF_BANKS_MAX, bank);
        sm->banks[i][first + k] = (uint8_t)(bank < MAX_BANKS ? bank : plain);
    }
}

/* The calendar of results has room for RF_COST_MAX. */
static void raise_to(uint16_t *to, const struct sm *sm, uint32_t cycles, enum tech_seam seam,
                     const char *what)
{
    if (UNLIKELY(cycles > RF_COST_MAX)) {
        breach_note(sm->seams.l1.breach, seam, "%s asks for more cycles than RF_COST_MAX (%d): %u",
                    what, RF_COST_MAX, cycles);
        cycles = RF_COST_MAX;
    }
    *to = cycles > *to ? (uint16_t)cycles : *to;
}

static struct rf_event event_of(const struct dinst *d, unsigned slot, struct warp *w,
                                const struct step *s)
{
    return (struct rf_event){.d = d,
                             .w = w,
                             .base = w->base,
                             .all = w->all,
                             .active = s->active,
                             .mask = s->mask,
                             .slot = slot,
                             .partner = NO_PARTNER,
                             .is_deferred = warp_is_deferred(w)};
}

SM_APART void asked_cost(struct sm *sm, uint16_t i, unsigned slot, struct warp *w,
                         const struct step *s, bool is_extra)
{
    struct inflight *f = &sm->fl[i];
    const bool is_second = f->slot2 == (int)slot;
    const int other = is_second ? (int)f->slot : is_extra ? NO_PARTNER : pair_of(sm, slot);
    struct rf_event e = event_of(f->d, slot, w, s);
    e.partner = other;
    e.is_extra = is_extra;
    struct rf_cost cost = {0};
    uint32_t initiation = f->d->initiation;
    if (sm->asked & WANT_COST)
        sm->seams.registers->cost(sm->seams.registers->self, &e, &cost);
    if (sm->asked & WANT_INITIATION)
        initiation = sm->seams.issue->initiation(sm->seams.issue->self, &e, initiation);
    if (sm->asked & WANT_BANK)
        ask_banks(sm, i, &e, is_second ? SECOND_OPERANDS : 0);
    raise_to(&f->cost.hold, sm, cost.hold, SEAM_registers, "rf_cost.hold");
    raise_to(&f->cost.enter, sm, cost.enter, SEAM_registers, "rf_cost.enter");
    raise_to(&f->cost.write, sm, cost.write, SEAM_registers, "rf_cost.write");
    raise_to(&f->initiation, sm, initiation, SEAM_issue, "initiation()");
}

void asked_folded(struct sm *sm, unsigned slot, const struct dinst *d, const struct step *s)
{
    const struct rf_event e = event_of(d, slot, sm->slot[slot].w, s);
    sm->seams.registers->folded(sm->seams.registers->self, &e);
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

void asked_resumed(struct sm *sm, unsigned slot, const struct dinst *d, uint32_t mask)
{
    const struct value_policy *p = sm->seams.values;
    if (LIKELY(!(sm->asked & WANT_RESUMED)) || !mask)
        return;
    warp_use_frame(sm->slot[slot].w);
    p->resumed(p->self, sm, slot, sm->slot[slot].w, d, mask);
}

/* --- what goes before an instruction --- */

static const struct dinst *precede(struct sm *sm, unsigned slot, const struct dinst *d)
{
    const struct issue_policy *p = sm->seams.issue;
    struct warp *w = sm->slot[slot].w;
    warp_use_frame(w);
    sm->is_asking = true;
    const struct dinst *first = p->precede(p->self, sm, slot, w, d);
    sm->is_asking = false;
    if (LIKELY(!first || first->unit != UNIT_MEM))
        return first;
    breach_note(sm->seams.l1.breach, SEAM_issue, "precede() gives an instruction of memory");
    return NULL;
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

/* --- cycles in which holds kept schedulers from issuing --- */

void asked_held(struct sm *sm, uint64_t cycles)
{
    const struct issue_policy *p = sm->seams.issue;
    const unsigned per = (unsigned)sm->cfg->schedulers;
    const uint64_t else_ready = sm->has_inst & sm->ready & sm->held &
                                ~(sm->barrier | sm->deferred | sm->fenced | sm->blocked);
    if (!(sm->asked & WANT_HELD))
        return;
    for (unsigned j = 0; j < sm->nsched; j++) {
        const struct sched *s = &sm->sub[j / per].sched[j % per];
        if (s->stall != STALL_ACTIVE && (s->mask & else_ready))
            p->held(p->self, sm, j, cycles);
    }
}
