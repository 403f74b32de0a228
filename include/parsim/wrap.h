/* Policies that wrap others (TAKE_WRAP): a technique puts its own functions into some members and
 * leaves the rest to what was bound before.
 *
 *   struct mine { struct rf_policy inner; ... };       the wrapped policy first
 *   m->inner = bound[i];
 *   bound[i] = rf_policy_wrap(&m->inner);              does what inner does; self is `m`
 *   bound[i].cost = my_cost;                           adds to what m->inner.cost() does
 *   bound[i].wants |= WANT_COST;                       or it is not asked */
#ifndef PARSIM_WRAP_H
#define PARSIM_WRAP_H

#include "parsim/seams_sm.h"

/* --- rf_policy: costs add up, a bank goes through both --- */

static inline void rf_wrap_cost(void *self, const struct rf_event *e, struct rf_cost *cost)
{
    const struct rf_policy *in = (const struct rf_policy *)self;
    in->cost(in->self, e, cost);
}

static inline uint32_t rf_wrap_bank(void *self, const struct rf_event *e, unsigned k, uint32_t bank)
{
    const struct rf_policy *in = (const struct rf_policy *)self;
    return in->bank(in->self, e, k, bank);
}

static inline void rf_wrap_start(void *self, unsigned slot, const struct warp *w,
                                 uint32_t registers)
{
    const struct rf_policy *in = (const struct rf_policy *)self;
    in->start(in->self, slot, w, registers);
}

static inline void rf_wrap_end(void *self, unsigned slot)
{
    const struct rf_policy *in = (const struct rf_policy *)self;
    in->end(in->self, slot);
}

static inline void rf_wrap_waited(void *self, unsigned bank, uint32_t operands)
{
    const struct rf_policy *in = (const struct rf_policy *)self;
    in->waited(in->self, bank, operands);
}

static inline void rf_wrap_folded(void *self, const struct rf_event *e)
{
    const struct rf_policy *in = (const struct rf_policy *)self;
    in->folded(in->self, e);
}

static inline struct rf_policy rf_policy_wrap(struct rf_policy *inner)
{
    const struct rf_policy p = {inner->wants, rf_wrap_cost,   rf_wrap_bank,   rf_wrap_start,
                                rf_wrap_end,  rf_wrap_waited, rf_wrap_folded, inner};
    return p;
}

/* --- issue_policy: precede and partner ask the outer one first --- */

static inline uint32_t issue_wrap_initiation(void *self, const struct rf_event *e,
                                             uint32_t initiation)
{
    const struct issue_policy *in = (const struct issue_policy *)self;
    return in->initiation(in->self, e, initiation);
}

static inline const struct dinst *issue_wrap_precede(void *self, struct sm *sm, unsigned slot,
                                                     struct warp *w, const struct dinst *d)
{
    const struct issue_policy *in = (const struct issue_policy *)self;
    return in->precede(in->self, sm, slot, w, d);
}

static inline void issue_wrap_before(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                     const struct dinst *d)
{
    const struct issue_policy *in = (const struct issue_policy *)self;
    in->before(in->self, sm, slot, w, d);
}

static inline int issue_wrap_partner(void *self, struct sm *sm, unsigned slot)
{
    const struct issue_policy *in = (const struct issue_policy *)self;
    return in->partner(in->self, sm, slot);
}

static inline void issue_wrap_held(void *self, struct sm *sm, unsigned sched, uint64_t cycles)
{
    const struct issue_policy *in = (const struct issue_policy *)self;
    in->held(in->self, sm, sched, cycles);
}

static inline struct issue_policy issue_policy_wrap(struct issue_policy *inner)
{
    const struct issue_policy p = {inner->wants,
                                   issue_wrap_initiation,
                                   issue_wrap_precede,
                                   issue_wrap_before,
                                   issue_wrap_partner,
                                   issue_wrap_held,
                                   inner};
    return p;
}

/* --- value_policy: what the inner one has left is what the outer one sees --- */

static inline void value_wrap_loaded(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                     const struct dinst *d, uint32_t mask)
{
    const struct value_policy *in = (const struct value_policy *)self;
    in->loaded(in->self, sm, slot, w, d, mask);
}

static inline void value_wrap_resumed(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                      const struct dinst *d, uint32_t mask)
{
    const struct value_policy *in = (const struct value_policy *)self;
    in->resumed(in->self, sm, slot, w, d, mask);
}

static inline struct value_policy value_policy_wrap(struct value_policy *inner)
{
    const struct value_policy p = {inner->wants, value_wrap_loaded, value_wrap_resumed, inner};
    return p;
}

/* --- sched_policy: narrow one after the other, pick asks the outer one first --- */

static inline uint64_t sched_wrap_narrow(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    const struct sched_policy *in = (const struct sched_policy *)self;
    return in->narrow(in->self, sm, sched, can);
}

static inline int sched_wrap_pick(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    const struct sched_policy *in = (const struct sched_policy *)self;
    return in->pick(in->self, sm, sched, can);
}

static inline struct sched_policy sched_policy_wrap(struct sched_policy *inner)
{
    const struct sched_policy p = {inner->wants, sched_wrap_narrow, sched_wrap_pick, inner};
    return p;
}

#endif
