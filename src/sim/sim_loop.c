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

static void lane_tick(struct lane *l, cycle_t now)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->next[i] <= now)
            component_tick(l, i, now);
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
            lane_tick(l, l->earliest);
        }
        if (is_stopped(s, alone))
            return;
    }
}

/* A counter that threads wait on: by spinning first (some 50 us), since rounds are short, then
 * asleep in the kernel, since the host may have fewer free cores than we have threads. Where it is
 * known to have fewer, who spins only keeps others from what it waits for. */
struct gate {
    _Alignas(64) atomic_uint value;
    atomic_uint sleepers;
    unsigned spins;
    unsigned wake_at; /* nobody waits for less */
};

enum { SPINS = 1500 };

static unsigned spins_of(unsigned threads)
{
    /* not asked for one thread, which never waits: a run may be of one cycle, and sysconf() reads
     * files */
    const long cores = threads > 1 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    return cores > 0 && (unsigned long)cores < threads ? 1 : SPINS;
}

static inline void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

static void gate_wait(struct gate *g, unsigned value)
{
    for (unsigned i = 0; i < g->spins; i++) {
        if (atomic_load_explicit(&g->value, memory_order_acquire) == value)
            return;
        spin_pause();
    }
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
    const unsigned value = atomic_fetch_add(&g->value, 1) + 1;
    if (value >= g->wake_at && atomic_load(&g->sleepers))
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
    /* by partition: the round in which it was taken last, and by whom */
    struct claim {
        _Alignas(64) atomic_uint round;
        atomic_uint owner;
    } * claims;
    _Alignas(64) uint64_t end;
    unsigned rounds;
    bool quit;
};

static void claim_run(struct host_pool *p, unsigned i, unsigned index)
{
    struct claim *c = &p->claims[i];
    unsigned before = p->rounds - 1;
    if (!atomic_compare_exchange_strong(&c->round, &before, p->rounds))
        return;
    atomic_store_explicit(&c->owner, index, memory_order_relaxed);
    partition_run(p->sim, &p->sim->parts[i], p->end, false);
}

/* A thread runs the partitions it ran in the last round, whose data its core has at hand, then what
 * the others have not begun yet. Who runs a partition has no influence on it. */
static void share_run(struct host_pool *p, unsigned index)
{
    const unsigned n = p->sim->nparts;
    for (unsigned i = 0; p->threads == 1 && i < n; i++)
        partition_run(p->sim, &p->sim->parts[i], p->end, n == 1);
    if (p->threads == 1)
        return;
    for (unsigned i = 0; i < n; i++)
        if (atomic_load_explicit(&p->claims[i].owner, memory_order_relaxed) == index)
            claim_run(p, i, index);
    for (unsigned i = n; i-- > 0;)
        if (atomic_load_explicit(&p->claims[i].round, memory_order_relaxed) != p->rounds)
            claim_run(p, i, index);
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    for (unsigned round = 1;; round++) {
        gate_wait(&w->pool->round, round);
        if (w->pool->quit)
            return NULL;
        share_run(w->pool, w->index);
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
    p->round.spins = p->done.spins = spins_of(p->threads);
    p->done.wake_at = p->threads - 1;
    p->ids = xcalloc(p->threads, sizeof *p->ids);
    p->claims = xalloc_aligned(64, (s->nparts ? s->nparts : 1) * sizeof *p->claims);
    for (unsigned i = 0; i < s->nparts; i++) {
        atomic_init(&p->claims[i].round, 0);
        atomic_init(&p->claims[i].owner, i * p->threads / s->nparts);
    }
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
    p->rounds++;
    atomic_store(&p->done.value, 0);
    gate_add(&p->round);
    share_run(p, 0);
    gate_wait(&p->done, p->threads - 1);
}

void host_pool_free(struct host_pool *p)
{
    p->quit = true;
    gate_add(&p->round);
    for (unsigned i = 1; i < p->threads; i++)
        pthread_join(p->ids[i], NULL);
    free(p->ids);
    free(p->claims);
    free(p->workers);
    free(p);
}
