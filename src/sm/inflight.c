/* The pool of instructions in flight: indices, so that queues are small; it only grows. */
#include "sm/sm_int.h"

#include <stdlib.h>
#include <string.h>

SM_COLD static void grow(struct sm *sm)
{
    uint32_t n = sm->nfl ? sm->nfl * 2 : 256;
    assert(n <= NO_INFLIGHT);
    sm->fl = xrealloc(sm->fl, n * sizeof *sm->fl);
    memset(sm->fl + sm->nfl, 0, (n - sm->nfl) * sizeof *sm->fl);
    for (uint32_t i = n; i-- > sm->nfl;) {
        sm->fl[i].next = sm->fl_free;
        sm->fl_free = (uint16_t)i;
    }
    sm->nfl = n;
    if (sm->asked & WANT_BANK)
        sm->banks = xrealloc(sm->banks, n * sizeof *sm->banks);
}

uint16_t inflight_get(struct sm *sm)
{
    if (UNLIKELY(sm->fl_free == NO_INFLIGHT))
        grow(sm);
    uint16_t i = sm->fl_free;
    struct inflight *f = &sm->fl[i];
    sm->fl_free = f->next;
    struct line_access *acc = f->acc;
    uint32_t cap = f->acc_cap;
    *f = (struct inflight){.acc = acc, .acc_cap = cap, .next = NO_INFLIGHT, .slot2 = NO_PARTNER};
    sm->fl_used++;
    return i;
}

void inflight_put(struct sm *sm, uint16_t i)
{
    sm->fl[i].next = sm->fl_free;
    sm->fl_free = i;
    sm->fl_used--;
}

/* --- lists --- */

uint16_t fl_take_due(struct sm *sm, struct fl_list *l, cycle_t now)
{
    uint16_t before = NO_INFLIGHT, i = l->head;
    for (uint32_t k = 0; k < l->n; k++, before = i, i = sm->fl[i].next) {
        if (sm->fl[i].due > now)
            continue;
        if (before == NO_INFLIGHT)
            return fl_take(sm, l);
        sm->fl[before].next = sm->fl[i].next;
        if (l->tail == i)
            l->tail = before;
        l->n--;
        return i;
    }
    return NO_INFLIGHT;
}

cycle_t fl_next_due(const struct sm *sm, const struct fl_list *l)
{
    cycle_t next = CYCLE_NEVER;
    uint16_t i = l->head;
    for (uint32_t k = 0; k < l->n; k++, i = sm->fl[i].next)
        if (sm->fl[i].due < next)
            next = sm->fl[i].due;
    return next;
}
