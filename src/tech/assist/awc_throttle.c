/* Feedback: how much room the program has left over the last window. */
#include "tech/assist/awc_int.h"

static uint64_t delta(uint64_t now, uint64_t *before)
{
    const uint64_t d = now - *before;
    *before = now;
    return d;
}

void awc_measure(struct awc *c, const struct sm *sm, cycle_t now)
{
    const cycle_t cycles = now - c->window_from;
    const struct sm_stats *s = sm_stats(sm);
    const double slots = (double)cycles * sm_schedulers(sm);
    const double units = (double)cycles * (double)(c->sm_cfg->sp_units * c->sm_cfg->subcores);
    const double idle = 1 - (double)delta(s->issue_active, &c->window_active) / slots;
    const double use = (double)delta(s->sp_busy, &c->window_busy) / units;
    const double memory = (double)delta(s->lsu_stall, &c->window_lsu) / (double)cycles;
    c->window_from = now;
    c->measure_at = now + (cycle_t)c->cfg->throttle_window;
    c->is_throttled = idle < c->cfg->throttle_idle || use > c->cfg->throttle_use ||
                      memory > c->cfg->throttle_memory;
}
