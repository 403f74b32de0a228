/* Whether the way to memory has room for what nobody waits for. Measured over windows that end at
 * the first trigger after their time, so that nothing has to be awake for them. */
#include "tech/assist/awc_int.h"

enum { ENOUGH_LINES = 64, ENOUGH_INSTANCES = 256 };

static uint64_t delta(uint64_t now, uint64_t *before)
{
    const uint64_t d = now - *before;
    *before = now;
    return d;
}

/* Routines that found nothing to fetch; or lines that they brought and that have left unread.
 * Judged when there were enough of them, over as many windows as that takes. */
static bool is_wasteful(struct awc *c, const struct l1_stats *l1)
{
    struct memory_meter *m = &c->meter;
    const uint64_t read = l1->prefetch_useful + l1->prefetch_late - m->read;
    const uint64_t all = read + l1->prefetch_unused - m->unused;
    const uint64_t fetches = l1->prefetch_fetches - m->fetches;
    bool is_bad = false;
    if (m->taken >= ENOUGH_INSTANCES) {
        is_bad = (double)fetches < c->cfg->prefetch_yield * (double)m->taken;
        m->fetches += fetches;
        m->taken = 0;
    }
    if (all >= ENOUGH_LINES) {
        is_bad |= (double)read < c->cfg->prefetch_accuracy * (double)all;
        m->read += read;
        m->unused = l1->prefetch_unused;
    }
    return is_bad;
}

static void end_window(struct awc *c, const struct sm *sm, cycle_t now)
{
    struct memory_meter *m = &c->meter;
    const struct l1_stats *l1 = sm_cache_stats(sm, SM_CACHE_DATA);
    assert(m->samples);
    const double cycles = (double)(now - m->from);
    const double stalled = (double)delta(sm_stats(sm)->lsu_stall, &m->lsu) / cycles;
    const double replies = (double)delta(l1->replies, &m->replies) / cycles;
    const double mshrs = (double)m->mshrs / (double)m->samples;
    if (m->rest)
        m->rest--;
    if (is_wasteful(c, l1))
        m->rest = (uint32_t)c->cfg->prefetch_rest;
    m->is_busy = m->rest || stalled > c->cfg->prefetch_lsu ||
                 mshrs > c->cfg->prefetch_mshrs * c->aws->mshrs ||
                 replies > c->cfg->prefetch_bandwidth * c->aws->fair_replies;
    m->from = now;
    m->mshrs = m->samples = 0;
}

bool awc_memory_is_busy(struct awc *c, const struct sm *sm, cycle_t now)
{
    struct memory_meter *m = &c->meter;
    if (!c->cfg->prefetch_throttle)
        return false;
    m->mshrs += extra_mshrs(sm);
    m->samples++;
    if (now - m->from >= (cycle_t)c->cfg->prefetch_window)
        end_window(c, sm, now);
    m->taken += !m->is_busy;
    return m->is_busy;
}
