/* The inner loop: one partition up to a time; and the host threads that share partitions out. */
#include "sim/sim_int.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

void component_wake(struct component *c, cycle_t cycle)
{
    struct lane *l = c->lane;
    if (cycle < l->next[c->index])
        l->next[c->index] = cycle;
    if (cycle < l->earliest)
        l->earliest = cycle;
}

uint64_t partition_next(const struct partition *p)
{
    uint64_t t = CYCLE_NEVER;
    for (size_t i = 0; i < p->nlanes; i++) {
        const struct lane *l = &p->lanes[i];
        if (l->earliest != CYCLE_NEVER && l->earliest * l->clock->period < t)
            t = l->earliest * l->clock->period;
    }
    return t;
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

static void lane_tick(struct lane *l, cycle_t now)
{
    for (size_t i = 0; i < l->n; i++) {
        if (l->next[i] > now)
            continue;
        struct component *c = l->comps[i];
        l->next[i] = CYCLE_NEVER; /* wakes during the tick stay */
        cycle_t next = c->ops->tick(c->self, now);
        if (next <= now)
            panic("%s at cycle %llu asks for cycle %llu", c->name, (unsigned long long)now,
                  (unsigned long long)next);
        if (next < l->next[i])
            l->next[i] = next;
    }
    cycle_t earliest = CYCLE_NEVER;
    for (size_t i = 0; i < l->n; i++)
        earliest = l->next[i] < earliest ? l->next[i] : earliest;
    l->earliest = earliest;
}

void partition_run(struct sim *s, struct partition *p, uint64_t end, bool alone)
{
    for (;;) {
        uint64_t t = partition_next(p);
        if (t >= end)
            return;
        size_t first = UNLIKELY(s->shuffle) ? rng_below(&s->rng, (uint32_t)p->nlanes) : 0;
        for (size_t i = 0; i < p->nlanes; i++) {
            struct lane *l = &p->lanes[(first + i) % p->nlanes];
            if (l->earliest == CYCLE_NEVER || l->earliest * l->clock->period != t)
                continue;
            if (UNLIKELY(s->shuffle))
                lane_shuffle(l, &s->rng);
            lane_tick(l, l->earliest);
        }
        p->reached = t + 1;
        if (alone && UNLIKELY(atomic_load_explicit(&s->stop, memory_order_relaxed)))
            return;
    }
}

/* A counter that threads wait on: by spinning first, since rounds are short, then asleep in the
 * kernel, since the host may have fewer free cores than we have threads. */
struct gate {
    _Alignas(64) atomic_uint value;
    atomic_uint sleepers;
};

enum { SPINS = 2048 };

static void gate_wait(struct gate *g, unsigned value)
{
    for (unsigned i = 0; i < SPINS; i++)
        if (atomic_load_explicit(&g->value, memory_order_acquire) == value)
            return;
    atomic_fetch_add(&g->sleepers, 1);
    for (;;) {
        unsigned seen = atomic_load(&g->value);
        if (seen == value)
            break;
        syscall(SYS_futex, &g->value, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    }
    atomic_fetch_sub(&g->sleepers, 1);
}

static void gate_add(struct gate *g)
{
    atomic_fetch_add(&g->value, 1);
    if (atomic_load(&g->sleepers))
        syscall(SYS_futex, &g->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

struct host_pool {
    struct sim *sim;
    unsigned threads;
    pthread_t *ids;
    struct worker {
        struct host_pool *pool;
        unsigned index;
    } * workers;
    struct gate round, done;
    _Alignas(64) atomic_uint next; /* partition that nobody has taken in this round */
    _Alignas(64) uint64_t end;
    bool quit;
};

/* Whoever is free takes the next partition: which thread runs it has no influence on it. */
static void share_run(struct host_pool *p)
{
    const unsigned n = p->sim->nparts;
    for (unsigned i; (i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < n;)
        partition_run(p->sim, &p->sim->parts[i], p->end, n == 1);
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    for (unsigned round = 1;; round++) {
        gate_wait(&w->pool->round, round);
        if (w->pool->quit)
            return NULL;
        share_run(w->pool);
        gate_add(&w->pool->done);
    }
}

struct host_pool *host_pool_new(struct sim *s, unsigned threads)
{
    struct host_pool *p = xalloc_aligned(64, sizeof *p);
    p->sim = s;
    p->threads = threads < 1 || s->shuffle ? 1 : threads > s->nparts ? s->nparts : threads;
    if (p->threads < 1)
        p->threads = 1;
    p->ids = xcalloc(p->threads, sizeof *p->ids);
    p->workers = xcalloc(p->threads, sizeof *p->workers);
    for (unsigned i = 1; i < p->threads; i++) {
        p->workers[i] = (struct worker){p, i};
        if (pthread_create(&p->ids[i], NULL, worker_main, &p->workers[i]))
            panic("cannot start host thread %u", i);
    }
    return p;
}

void host_pool_run(struct host_pool *p, uint64_t end)
{
    p->end = end;
    atomic_store(&p->next, 0);
    atomic_store(&p->done.value, 0);
    gate_add(&p->round);
    share_run(p);
    gate_wait(&p->done, p->threads - 1);
}

void host_pool_free(struct host_pool *p)
{
    p->quit = true;
    gate_add(&p->round);
    for (unsigned i = 1; i < p->threads; i++)
        pthread_join(p->ids[i], NULL);
    free(p->ids);
    free(p->workers);
    free(p);
}
