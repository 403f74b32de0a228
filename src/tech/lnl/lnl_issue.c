/* Before an instruction: what is put there, and which lanes of an approximated warp execute it
 * (../shared/spec/lnl.md, 2.5). */
#include "tech/lnl/lnl_int.h"

/* The lanes of the warp's next instruction `x`, of those in `split`. */
static uint32_t guarded(const struct warp *w, const struct xinst *x, uint32_t split)
{
    return x->has_guard ? warp_guard_mask(w, x, split) : split;
}

const struct dinst *lnl_precede(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                const struct dinst *d)
{
    struct lnl_sm *m = self;
    struct lnl_slot *s = &m->slots[slot];
    const struct lnl_inst *i = lnl_look(s, d);
    const uint32_t pc = i ? lnl_pc(d) : PTX_NO_PC, split = warp_top(w)->mask;
    const struct lnl_area *a = s->area;
    if (!i || (!a && !(i->flags & LNL_BEGIN)))
        return NULL;
    if (a && a->func == s->func && a->end == pc && s->nouts < a->nouts && (split & s->mask))
        return &a->outs[s->nouts].d;
    if (!(i->flags & LNL_BEGIN) || !m->g->cfg->start || lnl_has_begun(s, pc, split))
        return NULL;
    m->sm = sm;
    if (s->next_since == CYCLE_NEVER)
        s->next_since = sm_now(sm);
    return &s->func->areas[i->area].start.d;
}

/* --- which lanes --- */

/* `in`: of the split's lanes those that are in the region; the others are as ever. */
static void execute_by_anchors(struct lnl_slot *s, struct warp *w, const struct dinst *d,
                               uint32_t in, uint32_t split)
{
    const unsigned n = s->groups.n;
    const bool is_late = s->inst->flags & LNL_ANCHOR_GUARD;
    const uint32_t mask = guarded(w, d->x, in);
    const uint32_t anchors = lnl_anchors(is_late ? in : mask, n);
    s->role = LNL_BY_ANCHORS;
    s->would = is_late ? lnl_spread(mask, in, n) : mask;
    w->lanes = anchors | (split & ~in);
}

/* In an approximated region. */
static void approximate(struct lnl_sm *m, struct lnl_slot *s, struct warp *w, const struct dinst *d)
{
    const unsigned flags = s->inst->flags;
    const uint32_t split = warp_top(w)->mask, in = split & s->mask;
    s->role = LNL_BY_ALL;
    s->would = guarded(w, d->x, in);
    if (flags & LNL_STORE) {
        lnl_fill_store(m, s, w, d->x, (enum lnl_format)s->inst->format, s->would);
    } else if (flags & LNL_BRANCH) {
        s->role = LNL_BY_ANCHORS;
        s->would = in;
        lnl_spread_branch(m, s, w, d->x, in);
    } else if (!(flags & (LNL_PRECISE | LNL_ALL))) {
        execute_by_anchors(s, w, d, in, split);
    }
    if (UNLIKELY(m->g->verify)) {
        const bool is_all = flags & (LNL_PRECISE | LNL_ALL);
        const uint32_t lanes = s->would & w->lanes;
        lnl_stale_read(m, s, d, is_all ? lanes : lnl_anchors(lanes, s->groups.n));
    }
}

/* Prior work: by its operands. */
static void approximate_alone(struct lnl_sm *m, struct lnl_slot *s, struct warp *w,
                              const struct dinst *d)
{
    const uint32_t mask = guarded(w, d->x, warp_top(w)->mask);
    s->would = mask;
    s->role = LNL_BY_ALL;
    if ((s->inst->flags & LNL_PRECISE) || !mask || !lnl_prior_can(m, w, d->x, mask))
        return;
    s->role = LNL_BY_FIRST;
    w->lanes = mask & -mask;
}

/* The region's first instruction. */
static void note_begin(struct lnl_sm *m, unsigned slot, struct warp *w, uint32_t pc)
{
    struct lnl_slot *s = &m->slots[slot];
    if (!m->g->cfg->start && !(m->g->design.uses & LNL_USE_WARP))
        lnl_begin(m, slot, w, &s->func->areas[s->inst->area]);
    if (lnl_has_begun(s, pc, warp_top(w)->mask))
        s->begun_pc = PTX_NO_PC;
}

void lnl_before(void *self, struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d)
{
    struct lnl_sm *m = self;
    struct lnl_slot *s = &m->slots[slot];
    m->sm = sm;
    m->filtered = 0;
    w->lanes = UINT32_MAX;
    s->role = LNL_AS_EVER;
    s->inst = lnl_look(s, d);
    if (!s->inst)
        return;
    if (s->area)
        lnl_note_place(s, warp_top(w)->mask, lnl_pc(d));
    if (s->inst->flags & LNL_BEGIN)
        note_begin(m, slot, w, lnl_pc(d));
    if (!(s->inst->flags & LNL_INSIDE))
        return;
    if (m->g->design.uses & LNL_USE_WARP)
        approximate_alone(m, s, w, d);
    else if (s->area && (s->mask & warp_top(w)->mask))
        approximate(m, s, w, d);
    if (s->w)
        lnl_fuse_before(m, slot, w, d);
}
