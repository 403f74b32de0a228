/* The states of a warp (../shared/spec/lnl.md, 2.4): precise, or in an approximated region, from
 * its START_APPROX until the lanes that executed it have left. */
#include "exec/grid.h"
#include "tech/lnl/lnl_int.h"

#include <stdlib.h>
#include <string.h>

/* --- warps come and go --- */

static const struct lnl_plan *plan_of(const struct lnl *g, const struct kernel *k)
{
    const struct lnl_plan *p = (const struct lnl_plan *)kernel_plans_find(g->plans, k);
    return p && p->nfuncs ? p : NULL;
}

/* Lanes with which a row of the block begins. */
static uint32_t rows_of(const struct warp *w)
{
    const uint32_t width = w->grid->launch->block[0];
    uint32_t rows = 0;
    for (unsigned l = 0; l < WARP_LANES; l++)
        rows |= (w->first_thread + l) % width ? 0 : UINT32_C(1) << l;
    return rows;
}

void lnl_slot_start(struct lnl_sm *m, unsigned slot, const struct warp *w)
{
    struct lnl_slot *s = &m->slots[slot];
    const struct lnl_slot was = *s; /* room that it had */
    const bool by_rows = m->g->cfg->rows || (m->g->design.uses & LNL_USE_ADAPT);
    *s = (struct lnl_slot){.plan = plan_of(m->g, w->grid->kernel),
                           .begun_pc = PTX_NO_PC,
                           .next_since = CYCLE_NEVER,
                           .groups = {(unsigned)m->g->cfg->group, by_rows ? rows_of(w) : 0},
                           .sibling = LNL_NO_SLOT,
                           .visits = was.visits,
                           .visits_cap = was.visits_cap,
                           .stale = was.stale,
                           .stale_cap = was.stale_cap,
                           .stored = was.stored,
                           .stored_cap = was.stored_cap};
    if (UNLIKELY(m->g->is_watched)) {
        s->launch = lnl_watch_number(m->g, w->grid->kernel);
        if (s->stored)
            memset(s->stored, 0, s->stored_cap * sizeof *s->stored);
    }
    if (s->plan && lnl_fuses(m->g))
        lnl_fuse_start(m, slot, w);
}

void lnl_slot_end(struct lnl_sm *m, unsigned slot)
{
    struct lnl_slot *s = &m->slots[slot];
    m->stats.left_entries += lanes_in(lnl_history_valid(&s->history));
    if (s->w)
        lnl_fuse_end(m, slot);
    s->plan = NULL;
    s->func = NULL;
    s->area = NULL;
}

/* --- regions --- */

bool lnl_has_begun(const struct lnl_slot *s, uint32_t pc, uint32_t split)
{
    return s->begun_pc == pc && s->begun_mask == split;
}

void lnl_note_place(struct lnl_slot *s, uint32_t split, uint32_t pc)
{
    const struct lnl_area *a = s->area;
    if (!a || (s->func == a->func && pc >= a->begin && pc < a->end))
        return;
    s->mask &= ~split;
    if (!s->mask)
        s->area = NULL;
}

static void enter(struct lnl_slot *s, const struct lnl_area *a, uint32_t split, bool verify)
{
    s->area = a;
    s->mask = split;
    s->nouts = 0;
    if (verify)
        lnl_stale_reset(s);
}

void lnl_begin(struct lnl_sm *m, unsigned slot, struct warp *w, const struct lnl_area *a)
{
    struct lnl_slot *s = &m->slots[slot];
    struct lnl_stats *st = &m->stats;
    const uint32_t split = warp_top(w)->mask;
    lnl_note_place(s, split, a->begin);
    s->begun_pc = a->begin;
    s->begun_mask = split;
    if (s->area) {
        st->nested++;
        return;
    }
    if (UNLIKELY(m->g->cfg->errors))
        lnl_errors_begin(s, a->loads);
    struct lnl_answer answer = lnl_history_start(&s->history, a->loads);
    st->starts++;
    st->invalid_entries += answer.invalid;
    st->mask_grew += (split & ~answer.loaded) != 0;
    answer.is_approximable &= !(m->g->design.uses & LNL_USE_PERTURB);
    if (answer.is_approximable && (m->g->design.uses & LNL_USE_ADAPT))
        answer.is_approximable = lnl_adapt_begin(m, s, w, a);
    ++*(answer.is_approximable ? &st->approx_regions : &st->precise_regions);
    if (answer.is_approximable)
        enter(s, a, split, m->g->verify);
    if (s->w)
        lnl_fuse_arrive(m, slot, a, answer.is_approximable);
}
