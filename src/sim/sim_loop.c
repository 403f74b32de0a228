/* The inner loop: one partition up to a time. */
#include "sim/sim_int.h"

void component_wake(struct component *c, cycle_t cycle)
{
    struct lane *l = c->lane;
    if (cycle < l->next[c->index])
        l->next[c->index] = cycle;
    if (cycle < l->earliest)
        lane_set_earliest(l, cycle);
}

cycle_t component_alone_until(const struct sim *s, const struct component *c)
{
    const struct partition *p = &s->parts[c->partition];
    uint64_t t = p->end;
    for (size_t i = 0; i < p->nlanes; i++) {
        const struct lane *l = &p->lanes[i];
        if (l != c->lane && l->due < t)
            t = l->due;
    }
    cycle_t until = t / c->clock->period + (t % c->clock->period != 0);
    for (size_t i = 0; i < c->lane->n; i++)
        until = c->lane->next[i] < until ? c->lane->next[i] : until;
    return until;
}

void component_went_on(const struct sim *s, const struct component *c, cycle_t cycle)
{
    s->parts[c->partition].reached = cycle * c->clock->period + 1;
}

/* Swaps components about; each keeps its own next cycle. */
static void lane_shuffle(struct lane *l, struct rng *rng)
{
    for (size_t i = l->n; i > 1; i--) {
        size_t k = rng_below(rng, (uint32_t)i);
        struct component *c = l->comps[i - 1];
        cycle_t next = l->next[i - 1];
        l->comps[i - 1] = l->comps[k];
        l->next[i - 1] = l->next[k];
        l->comps[k] = c;
        l->next[k] = next;
        l->comps[i - 1]->index = i - 1;
        l->comps[k]->index = k;
    }
}

/* Ticks component `i` of the lane; wakes during the tick stay. */
static inline void component_tick(struct lane *l, size_t i, cycle_t now)
{
    struct component *c = l->comps[i];
    l->next[i] = CYCLE_NEVER;
    cycle_t next = c->ops->tick(c->self, now);
    if (UNLIKELY(next <= now))
        panic("%s at cycle %llu asks for cycle %llu", c->name, (unsigned long long)now,
              (unsigned long long)next);
    if (next < l->next[i])
        l->next[i] = next;
}

static void lane_tick(struct partition *p, struct lane *l, cycle_t now)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->next[i] <= now) {
            p->ticks++;
            component_tick(l, i, now);
        }
    cycle_t earliest = CYCLE_NEVER;
    for (size_t i = 0; i < l->n; i++)
        earliest = l->next[i] < earliest ? l->next[i] : earliest;
    lane_set_earliest(l, earliest);
}

static inline bool is_stopped(const struct sim *s, bool alone)
{
    return alone && UNLIKELY(atomic_load_explicit(&s->stop, memory_order_relaxed));
}

/* A component that has the partition to itself: there is nobody to choose from. */
static void single_run(struct sim *s, struct partition *p, uint64_t end, bool alone)
{
    struct lane *l = p->lanes;
    const uint64_t period = l->clock->period;
    while (l->next[0] != CYCLE_NEVER && l->next[0] * period < end) {
        const cycle_t now = l->next[0];
        p->reached = now * period + 1;
        p->ticks++;
        component_tick(l, 0, now);
        if (is_stopped(s, alone))
            break;
    }
    lane_set_earliest(l, l->next[0]);
}

void partition_run(struct sim *s, struct partition *p, uint64_t end, bool alone)
{
    p->end = end;
    if (p->nlanes == 1 && p->lanes->n == 1) {
        single_run(s, p, end, alone);
        return;
    }
    for (;;) {
        uint64_t t = partition_next(p);
        if (t >= end)
            return;
        p->reached = t + 1;
        size_t first = UNLIKELY(s->shuffle) ? rng_below(&s->rng, (uint32_t)p->nlanes) : 0;
        for (size_t i = 0; i < p->nlanes; i++) {
            const size_t k = first + i;
            struct lane *l = &p->lanes[k < p->nlanes ? k : k - p->nlanes];
            if (l->due != t)
                continue;
            if (UNLIKELY(s->shuffle))
                lane_shuffle(l, &s->rng);
            lane_tick(p, l, l->earliest);
        }
        if (is_stopped(s, alone))
            return;
    }
}
