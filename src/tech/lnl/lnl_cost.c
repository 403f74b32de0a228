/* Behind an instruction: registers as they were, comparisons, cycles, counts. */
#include "tech/lnl/lnl_int.h"

/* --- counts --- */

/* Of eight arrays of a register, four lanes each, those without a lane that executes. */
static unsigned idle_arrays(uint32_t mask)
{
    unsigned idle = 0;
    for (unsigned k = 0; k < WARP_LANES; k += 4)
        idle += !(mask >> k & 15);
    return idle;
}

static void count_skipped(struct lnl_sm *m, const struct lnl_slot *s, const struct rf_event *e)
{
    struct lnl_stats *st = &m->stats;
    const unsigned skipped = lanes_in(s->would & ~e->mask);
    if (e->d->flags & DINST_CONTROL)
        return;
    st->lanes_skipped += skipped;
    st->sfu_lanes_skipped += e->d->unit == UNIT_SFU ? skipped : 0;
    st->dp_lanes_skipped += e->d->unit == UNIT_DP ? skipped : 0;
    if (m->g->cfg->gate_arrays && s->role == LNL_BY_ANCHORS)
        st->read_saved8 += (uint64_t)e->d->nsrc * idle_arrays(e->mask);
}

static void count_inst(struct lnl_sm *m, const struct lnl_slot *s, const struct rf_event *e)
{
    struct lnl_stats *st = &m->stats;
    st->inst++;
    if (!s->inst || !(s->inst->flags & LNL_INSIDE))
        return;
    st->region_inst++;
    if (s->role == LNL_AS_EVER)
        return;
    if (e->partner < 0)
        st->lone_inst++;
    else if (e->slot == s->pair->slot[s->pair->leader]) /* once for both */
        st->fused_inst++;
    if (s->role == LNL_BY_ALL) {
        st->precise_inst++;
    } else {
        st->approx_inst++;
        count_skipped(m, s, e);
    }
}

/* --- the texture filter --- */

/* Cycles until it has done the registers of a store that comes now. */
static uint32_t filter_time(struct lnl_sm *m)
{
    const cycle_t now = sm_now(m->sm);
    const cycle_t each =
        (cycle_t)((WARP_LANES + m->g->cfg->filter_lanes - 1) / m->g->cfg->filter_lanes);
    const cycle_t begin = m->filter_free > now ? m->filter_free : now;
    m->filter_free = begin + each * m->filtered;
    m->stats.filter_busy += each * m->filtered;
    const cycle_t wait = m->filter_free - now;
    return (uint32_t)(wait < RF_COST_MAX ? wait : RF_COST_MAX);
}

/* --- instructions --- */

/* START_APPROX, or an interpolation at the end of a region. */
static void note_put(struct lnl_sm *m, const struct rf_event *e, struct rf_cost *cost)
{
    const struct lnl_put *put = (const struct lnl_put *)(const void *)e->d;
    struct lnl_slot *s = &m->slots[e->slot];
    m->stats.start_lanes += lanes_in(e->mask);
    if (!put->out) {
        m->stats.wait_loads += sm_now(m->sm) - s->next_since;
        s->next_since = CYCLE_NEVER;
        lnl_begin(m, e->slot, e->w, put->area);
        return;
    }
    m->filtered = 0;
    lnl_fill_register(m, s, e->w, &e->d->fn->fn->regs[put->out->reg], put->out->format,
                      s->mask & warp_top(e->w)->mask);
    s->nouts++;
    if (m->filtered)
        cost->enter += filter_time(m);
}

static void note_inst(struct lnl_sm *m, const struct rf_event *e, struct rf_cost *cost)
{
    struct lnl_slot *s = &m->slots[e->slot];
    if (m->nsaved)
        lnl_put_back(m, e->base);
    if (s->role == LNL_BY_FIRST)
        lnl_prior_share(m, e, s->would);
    count_inst(m, s, e);
    if (UNLIKELY(m->g->is_watched))
        lnl_watch_store(m, s, e);
    if (!s->inst)
        return;
    if ((s->inst->flags & LNL_CHECKED) && e->mask && !(m->g->design.uses & LNL_USE_WARP))
        cost->write += lnl_check_load(m, s, e);
    if (m->g->design.uses & LNL_USE_PERTURB)
        lnl_perturb_load(m, s, e);
    if (m->filtered)
        cost->enter += filter_time(m);
    if (UNLIKELY(m->g->cfg->errors) && (s->inst->flags & LNL_STORE) && s->role == LNL_AS_EVER)
        lnl_errors_store(m, s, e);
    if (s->control && (s->inst->flags & LNL_STORE))
        lnl_adapt_store(m, s, e);
    if (UNLIKELY(m->g->has_places) && (s->inst->flags & LNL_STORE))
        lnl_where_store(m, s, e);
    if ((m->g->design.uses & LNL_USE_WARP) && (s->inst->flags & LNL_INSIDE))
        cost->enter += 1; /* operands are compared */
    if (UNLIKELY(m->g->verify) && s->area && s->role != LNL_AS_EVER)
        lnl_stale_written(s, e->d, e->mask);
    if (s->w)
        lnl_fuse_after(m, e);
}

void lnl_cost(void *self, const struct rf_event *e, struct rf_cost *cost)
{
    struct lnl_sm *m = self;
    m->inner.cost(m->inner.self, e, cost);
    if (!e->is_extra)
        note_inst(m, e, cost);
    else if (e->d->by == m->g)
        note_put(m, e, cost);
}
