/* Which events of the program begin which routines. */
#include "tech/assist/awc_int.h"

#include <string.h>

static enum extra_event event_of(enum routine_on on)
{
    switch (on) {
    case ON_LOAD:
        return EXTRA_LOAD;
    case ON_STORE:
        return EXTRA_STORE;
    case ON_MISS:
        return EXTRA_MISS;
    case ON_DIVERGENCE:
        return EXTRA_SPLIT;
    default:
        return EXTRA_ISSUE;
    }
}

/* Others begin them: the L1, or where the warp is (awc_memo.c). */
static bool is_codec(const struct routine *r)
{
    return r->decl.on == ON_FILL || r->decl.on == ON_STORE_LINE;
}

static bool is_memo(const struct routine *r)
{
    return r->decl.on == ON_MEMO_BEGIN || r->decl.on == ON_MEMO_END;
}

uint32_t awc_events(const struct awc *c)
{
    uint32_t events = 0;
    for (uint32_t i = 0; i < c->aws->nroutines; i++)
        if (!is_codec(&c->aws->routines[i]))
            events |= event_of(c->aws->routines[i].decl.on);
    return events;
}

/* The counter has reached its next mark. Cycles are counted by the SM only now and then. */
static bool is_due(struct awc *c, const struct sm *sm, const struct routine *r, cycle_t now,
                   uint64_t *value)
{
    struct awc_context *x = &c->contexts[r->id];
    memcpy(value, (const char *)sm_stats(sm) + r->decl.counter, sizeof *value);
    if (r->decl.counter == offsetof(struct sm_stats, cycles))
        *value = now;
    if (*value < x->next_at)
        return false;
    x->next_at = (*value / r->decl.every + 1) * r->decl.every;
    return true;
}

/* The timer has rung: `value` is when. Rings that come while nothing issues are one. */
static bool has_rung(struct awc *c, const struct routine *r, cycle_t now, uint64_t *value)
{
    struct awc_context *x = &c->contexts[r->id];
    if (now < x->next_at)
        return false;
    const uint64_t every = awc_interrupt_cycles(c, r);
    *value = x->next_at;
    c->interrupt_stats.merged += (now - x->next_at) / every;
    x->next_at = (now / every + 1) * every;
    return true;
}

static bool applies(struct awc *c, const struct sm *sm, const struct routine *r,
                    const struct extra_trigger *t, cycle_t now, uint64_t *value)
{
    if (is_codec(r) || is_memo(r) || event_of(r->decl.on) != t->event)
        return false;
    *value = 0;
    if (r->decl.on == ON_INTERRUPT)
        return has_rung(c, r, now, value);
    if (r->decl.on == ON_EVERY)
        return is_due(c, sm, r, now, value);
    if (t->d->x->src)
        *value = t->d->x->src->line;
    return r->decl.on != ON_INST || *value == r->decl.line;
}

bool awc_has_spares(const struct awc *c, const struct sm *sm, const struct routine *r)
{
    return !r->decl.on_spares || !c->cfg->count_registers ||
           r->kernel->regs * WARP_LANES <= extra_spare_registers(sm);
}

/* Too many wait already, or memory has better things to do. */
static bool is_dropped(struct awc *c, const struct sm *sm, const struct routine *r, cycle_t now)
{
    if (!awc_has_spares(c, sm, r)) {
        c->stats.no_registers++;
        return true;
    }
    if (r->decl.when_memory_idle && awc_memory_is_busy(c, sm, now)) {
        c->stats.memory_busy++;
        return true;
    }
    if (r->decl.is_high || (c->waiting_low < (uint32_t)c->cfg->waiting &&
                            (!r->decl.waiting || c->contexts[r->id].nwaiting < r->decl.waiting)))
        return false;
    c->stats.overflow++;
    return true;
}

static struct instance *instance_of(struct awc *c, const struct routine *r,
                                    const struct extra_trigger *t, uint64_t value)
{
    struct instance *in = instance_new(c, false);
    in->r = r;
    in->slot = t->slot;
    in->mask = t->mask;
    in->addr = t->addr;
    in->value = value;
    in->inst = t->d->load;
    if (t->addrs)
        FOR_LANES (l, t->addr_mask)
            in->addrs[l] = t->addrs[l];
    return in;
}

void awc_event(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now)
{
    struct awc *c = self;
    if (t->event == EXTRA_ISSUE && c->memo.lookup && c->memo.update)
        awc_memo_event(c, sm, t->slot, now);
    for (uint32_t i = 0; i < c->aws->nroutines; i++) {
        const struct routine *r = &c->aws->routines[i];
        uint64_t value;
        if (!applies(c, sm, r, t, now, &value))
            continue;
        c->stats.triggered++;
        if (r->is_empty) {
            c->stats.empty++;
            continue;
        }
        if (!is_dropped(c, sm, r, now))
            awc_trigger(c, sm, instance_of(c, r, t, value), now);
    }
}
