/* warp_step(): one turn of the loop, and a record of what it touched. */
#include "exec/step.h"

#include "exec/memory.h"

#include <string.h>

/* An instruction that goes through its lanes one by one makes accesses that belong together. */
static bool joins(struct step_access *to, const struct access *a, uint16_t bytes)
{
    if (to->bytes != bytes || to->space != a->space || to->is_write != a->is_write ||
        (to->mask & a->mask))
        return false;
    FOR_LANES (l, a->mask)
        to->addr[l] = a->addr[l];
    to->mask |= a->mask;
    return true;
}

void step_record(struct step *s, const struct access *a)
{
    const uint16_t bytes = (uint16_t)(a->bytes * a->count);
    for (unsigned k = s->naccesses; k-- > 0;)
        if (joins(&s->access[k], a, bytes))
            return;
    if (s->naccesses == STEP_MAX_ACCESSES)
        return;
    struct step_access *to = &s->access[s->naccesses++];
    memcpy(to->addr, a->addr, sizeof to->addr);
    to->mask = a->mask;
    to->bytes = bytes;
    to->space = a->space;
    to->is_write = a->is_write;
}

/* Branches, barriers and meetings are all lanes' business. */
static bool is_of_all(const struct xinst *x)
{
    return x->kind == X_CTRL || x->kind == X_MEET;
}

static inline bool step(struct warp *w, struct effects *fx, cycle_t now, struct step *out,
                        bool is_seen)
{
    struct split *s = warp_top(w);
    const struct xinst *x = &s->frame->fn->code[s->pc];
    warp_use_frame(w);
    const uint32_t lanes = is_of_all(x) ? s->mask : s->mask & w->lanes;
    const uint32_t m = x->has_guard ? warp_guard_mask(w, x, lanes) : lanes;
    out->x = x;
    out->active = s->mask;
    out->mask = m;
    out->naccesses = 0;
    w->grid->clock = now;
    w->grid->turn_from = ++w->ninst;
    w->nthread_inst += lanes_in(m);
    if (x->kind == X_LANE) {
        if (m)
            x->lane.fn(&x->lane, w->base, m);
        s->pc++;
        return true;
    }
    if (x->kind == X_CTRL || (x->kind == X_MEET && m))
        return x->fn(w, x, m);
    s->pc++;
    if (x->kind == X_NOP || !m)
        return true;
    if (x->is_deferred) {
        effects_defer(fx, w, x, m, now);
        return true;
    }
    w->step = is_seen ? out : NULL;
    w->effects = fx;
    bool ok = x->fn(w, x, m);
    w->step = NULL;
    w->effects = NULL;
    return ok;
}

bool warp_step(struct warp *w, struct effects *fx, cycle_t now, struct step *out)
{
    return step(w, fx, now, out, true);
}

bool warp_step_unseen(struct warp *w, struct effects *fx, cycle_t now, struct step *out)
{
    return step(w, fx, now, out, false);
}

bool warp_step_on(struct warp *w, uint32_t n, const struct ldst_place *places, uint32_t *masks)
{
    struct split *s = warp_top(w);
    const struct xinst *x = &s->frame->fn->code[s->pc];
    const uint32_t lanes = s->mask & w->lanes;
    warp_use_frame(w);
    for (uint32_t i = 0; i < n; i++, x++) {
        const uint32_t m = x->has_guard ? warp_guard_mask(w, x, lanes) : lanes;
        masks[i] = m;
        if (places[i].fn) {
            places[i].fn(w, x, m, places[i].at);
            continue;
        }
        if (!m || x->kind == X_NOP)
            continue;
        if (x->kind == X_LANE)
            x->lane.fn(&x->lane, w->base, m);
        else if (!x->fn(w, x, m))
            return false;
    }
    s->pc += n;
    w->ninst += n;
    return true;
}
