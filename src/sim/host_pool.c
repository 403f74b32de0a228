/* The host threads that share a window's partitions out. Who runs a partition has no influence on
 * it: what crosses partitions is not visible before the window's end.
 *
 * Each thread has a list of partitions, those that it ran in the last round, whose data its core
 * has at hand. It takes from the front of its own list, then from the ends of the others'. Lists
 * are written by their owner alone, and how much of one is left is a word beside the round's
 * number, so that nobody can take from a list that is not there yet. What takes long (a network)
 * goes to the front.
 *
 * Each thread is called through a line of the host's cache of its own, with all that it needs to
 * know: one that all of them read would reach the last of sixteen 4 us late. Not all need to be
 * called for a round (`active`): host_level.c says how many are worth it. */
#include "sim/host_level.h"
#include "sim/sim_int.h"

#include "base/cpu.h"
#include "base/wall_clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- waiting --- */

/* A number that a thread waits on: by spinning first (some 50 us), since rounds are short, then
 * asleep in the kernel, since the host may have fewer free cores than we have threads. */
struct gate {
    atomic_uint value;
    atomic_uint sleepers;
};

enum { SPINS = 1500 };

static inline void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* Until the value is no longer `old`; returns it. */
static unsigned gate_wait(struct gate *g, unsigned old, unsigned spins)
{
    for (unsigned i = 0; i < spins; i++) {
        const unsigned value = atomic_load_explicit(&g->value, memory_order_acquire);
        if (value != old)
            return value;
        spin_pause();
    }
    atomic_fetch_add(&g->sleepers, 1);
    unsigned value;
    while ((value = atomic_load(&g->value)) == old)
        syscall(SYS_futex, &g->value, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
    atomic_fetch_sub(&g->sleepers, 1);
    return value;
}

static void gate_await(struct gate *g, unsigned value, unsigned spins)
{
    for (unsigned seen = atomic_load(&g->value); seen != value;)
        seen = gate_wait(g, seen, spins);
}

static void gate_wake(struct gate *g)
{
    if (atomic_load(&g->sleepers))
        syscall(SYS_futex, &g->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* --- lists --- */

struct worker {
    /* of this round's list: round << 32 | first << 16 | end of what nobody has taken */
    _Alignas(64) _Atomic uint64_t left;
    /* by who calls: the round, the window's end, how many take part and how long they spin */
    _Alignas(64) struct gate call;
    uint64_t end;
    unsigned active, spins;
    _Alignas(64) struct host_pool *pool;
    unsigned index;
    pthread_t id;
    uint16_t *lists[2]; /* by the round's last bit */
    uint32_t n;         /* partitions in the next round's */
    uint32_t nheavy;    /* of those, at its front */
    uint64_t next;      /* the first tick of those, as far as they know */
    uint64_t ticks;
};

struct host_pool {
    struct sim *sim;
    unsigned threads;
    pid_t pid; /* of the process that has the threads */
    struct worker *workers;
    struct host_level level;
    uint64_t
        next; /* the first tick of all partitions, as far as they know; CYCLE_NEVER: not asked */
    uint32_t round;
    bool quit;
    _Alignas(64) struct gate done; /* those of a round, but the one that calls */
};

enum { THREADS_MAX = 512, NONE = -1 };

static uint64_t left_make(uint32_t round, uint32_t first, uint32_t end)
{
    return (uint64_t)round << 32 | first << 16 | end;
}

/* A partition of the worker's list, from its front or from its end; NONE: there is none left. */
static int take(struct worker *w, uint32_t round, bool is_front)
{
    uint64_t left = atomic_load_explicit(&w->left, memory_order_acquire);
    for (;;) {
        const uint32_t first = left >> 16 & 0xffff, end = left & 0xffff;
        if (left >> 32 != round || first == end)
            return NONE;
        const uint64_t rest =
            is_front ? left_make(round, first + 1, end) : left_make(round, first, end - 1);
        if (atomic_compare_exchange_weak_explicit(&w->left, &left, rest, memory_order_acq_rel,
                                                  memory_order_acquire))
            return w->lists[round & 1][is_front ? first : end - 1];
    }
}

static void list_add(struct worker *w, uint16_t *list, unsigned partition, bool is_heavy)
{
    uint32_t at = w->n++;
    if (UNLIKELY(is_heavy)) {
        list[at] = list[w->nheavy];
        at = w->nheavy++;
    }
    list[at] = (uint16_t)partition;
}

static void list_publish(struct worker *w, uint32_t round)
{
    atomic_store_explicit(&w->left, left_make(round, 0, w->n), memory_order_release);
}

/* --- a round --- */

/* Runs the partition and counts its ticks. */
static uint64_t run_counted(struct sim *s, struct partition *part, uint64_t end)
{
    const uint64_t before = part->ticks;
    partition_run(s, part, end, false);
    return part->ticks - before;
}

static void run_one(struct host_pool *p, struct worker *w, unsigned i, uint32_t round)
{
    struct partition *part = &p->sim->parts[i];
    partition_sync(p->sim, part);
    w->ticks += run_counted(p->sim, part, w->end);
    const uint64_t next = partition_next(part);
    w->next = next < w->next ? next : w->next;
    list_add(w, w->lists[~round & 1], i, part->is_heavy);
}

static void share_run(struct host_pool *p, struct worker *w, uint32_t round)
{
    int i;
    w->n = w->nheavy = 0;
    w->ticks = 0;
    w->next = CYCLE_NEVER;
    while ((i = take(w, round, true)) != NONE)
        run_one(p, w, (unsigned)i, round);
    for (unsigned k = 1; k < p->threads; k++) {
        struct worker *other = &p->workers[(w->index + k) % p->threads];
        while ((i = take(other, round, false)) != NONE)
            run_one(p, w, (unsigned)i, round);
    }
    list_publish(w, round + 1);
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct host_pool *p = w->pool;
    unsigned spins = 1;
    for (uint32_t round = 0;;) {
        round = gate_wait(&w->call, round, spins);
        if (p->quit)
            return NULL;
        const unsigned others = w->active - 1;
        spins = w->spins;
        share_run(p, w, round);
        if (atomic_fetch_add(&p->done.value, 1) + 1 == others)
            gate_wake(&p->done);
    }
}

/* --- a pool --- */

/* Of a partition with many more ports than others: it has the traffic of many of them. */
static void find_heavy(struct sim *s)
{
    size_t all = 0;
    for (unsigned i = 0; i < s->nparts; i++)
        all += s->parts[i].nin + s->parts[i].nout;
    for (unsigned i = 0; i < s->nparts; i++)
        s->parts[i].is_heavy = (s->parts[i].nin + s->parts[i].nout) * s->nparts > 4 * all;
}

static void lists_init(struct host_pool *p)
{
    const unsigned n = p->sim->nparts;
    for (unsigned i = 0; i < p->threads; i++) {
        struct worker *w = &p->workers[i];
        *w = (struct worker){.pool = p, .index = i};
        for (unsigned k = 0; k < 2; k++)
            w->lists[k] = xalloc_aligned(64, align_up(n * sizeof(uint16_t), 64));
    }
    for (unsigned i = 0; i < n; i++) {
        struct worker *w = &p->workers[i % p->threads];
        list_add(w, w->lists[1], i, p->sim->parts[i].is_heavy);
    }
    for (unsigned i = 0; i < p->threads; i++)
        list_publish(&p->workers[i], 1);
}

/* Signals are for the threads of the program, but for those that a thread's own instructions raise:
 * a handler is to see these. */
static void threads_start(struct host_pool *p)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    sigset_t all, old;
    sigfillset(&all);
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (unsigned i = 1; i < p->threads; i++)
        if (pthread_create(&p->workers[i].id, NULL, worker_main, &p->workers[i]))
            panic("cannot start host thread %u", i);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static double host_load(void)
{
    double load = 0;
    return getloadavg(&load, 1) == 1 ? load : 0;
}

static unsigned threads_of(unsigned threads)
{
    return threads < THREADS_MAX ? threads : THREADS_MAX;
}

struct host_pool *host_pool_new(struct sim *s, unsigned threads)
{
    struct host_pool *p = xalloc_aligned(64, sizeof *p);
    p->sim = s;
    p->threads = threads_of(threads);
    p->pid = getpid();
    p->workers = xalloc_aligned(64, p->threads * sizeof *p->workers);
    host_level_init(&p->level, p->threads, cpu_count(), host_load());
    find_heavy(s);
    lists_init(p);
    threads_start(p);
    return p;
}

bool host_pool_fits(const struct host_pool *p, unsigned threads)
{
    return p->threads == threads_of(threads) && p->pid == getpid();
}

/* The first `active` threads to the next round. */
static void call(struct host_pool *p, unsigned active, uint64_t end, unsigned spins)
{
    p->round++;
    for (unsigned i = 0; i < active; i++)
        __builtin_prefetch(&p->workers[i].call, 1);
    for (unsigned i = 0; i < active; i++) {
        struct worker *w = &p->workers[i];
        w->end = end;
        w->active = active;
        w->spins = spins;
        atomic_store(&w->call.value, p->round);
    }
    for (unsigned i = 1; i < active; i++)
        gate_wake(&p->workers[i].call);
}

void host_pool_free(struct host_pool *p)
{
    if (!p)
        return;
    const bool is_ours = p->pid == getpid(); /* in a child of that process there are no threads */
    if (is_ours) {
        p->quit = true;
        call(p, p->threads, 0, 1);
    }
    for (unsigned i = 0; i < p->threads; i++) {
        if (i && is_ours)
            pthread_join(p->workers[i].id, NULL);
        free(p->workers[i].lists[0]);
        free(p->workers[i].lists[1]);
    }
    free(p->workers);
    free(p);
}

/* --- a window --- */

static uint64_t run_alone(struct sim *s, uint64_t end)
{
    uint64_t ticks = 0;
    if (!s->is_synced)
        ports_sync(s);
    for (unsigned i = 0; i < s->nparts; i++)
        ticks += run_counted(s, &s->parts[i], end);
    return ticks;
}

static uint64_t run_shared(struct host_pool *p, unsigned active, uint64_t end)
{
    const unsigned spins = active <= p->level.cores ? SPINS : 1;
    atomic_store_explicit(&p->done.value, 0, memory_order_relaxed);
    call(p, active, end, spins);
    share_run(p, &p->workers[0], p->round);
    gate_await(&p->done, active - 1, spins);
    uint64_t ticks = 0;
    p->next = CYCLE_NEVER;
    for (unsigned i = 0; i < active; i++) {
        const struct worker *w = &p->workers[i];
        ticks += w->ticks;
        p->next = w->next < p->next ? w->next : p->next;
    }
    return ticks;
}

uint64_t host_pool_run(struct host_pool *p, uint64_t end)
{
    const unsigned active = host_level_threads(&p->level);
    const double start = wall_seconds();
    p->next = CYCLE_NEVER;
    const uint64_t ticks = active == 1 ? run_alone(p->sim, end) : run_shared(p, active, end);
    host_level_count(&p->level, ticks, wall_seconds() - start);
    return p->next;
}
