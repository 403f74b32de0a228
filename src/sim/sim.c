/* Building a machine and running it. */
#include "sim/sim_int.h"

#include <inttypes.h>
#include <string.h>

enum { PERIOD_MAX = 1 << 24 };

struct sim *sim_new(void)
{
    return xcalloc(1, sizeof(struct sim));
}

void sim_free(struct sim *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->ports.len; i++)
        port_free(s->ports.data[i]);
    host_pool_free(s->pool);
    vec_free(&s->clocks);
    vec_free(&s->comps);
    vec_free(&s->ports);
    vec_free(&s->syncs);
    arena_free(&s->arena);
    free(s);
}

struct sim_clock *sim_add_clock(struct sim *s, const char *name, uint64_t hz)
{
    assert(!s->prepared && hz > 0);
    struct sim_clock *c = arena_new(&s->arena, struct sim_clock);
    c->name = arena_strndup(&s->arena, name, strlen(name));
    c->hz = hz;
    vec_push(&s->clocks, c);
    return c;
}

struct component *sim_add(struct sim *s, struct sim_clock *clock, unsigned partition,
                          const char *name, const struct component_ops *ops, void *self)
{
    assert(!s->prepared);
    struct component *c = arena_new(&s->arena, struct component);
    *c = (struct component){.name = arena_strndup(&s->arena, name, strlen(name)),
                            .ops = ops,
                            .self = self,
                            .clock = clock,
                            .partition = partition};
    vec_push(&s->comps, c);
    if (partition >= s->nparts)
        s->nparts = partition + 1;
    return c;
}

const char *component_name(const struct component *c)
{
    return c->name;
}

void sim_at_sync(struct sim *s, void (*fn)(void *ctx, uint64_t time), void *ctx)
{
    struct sync_fn f = {fn, ctx};
    vec_push(&s->syncs, f);
}

void sim_stop(struct sim *s)
{
    atomic_store_explicit(&s->stop, true, memory_order_relaxed);
}

void sim_set_watchdog(struct sim *s, const struct sim_clock *clock, cycle_t cycles)
{
    s->dog_clock = clock;
    s->dog_cycles = cycles;
}

void sim_shuffle(struct sim *s, uint64_t seed)
{
    s->shuffle = true;
    s->rng.state = seed;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static bool clocks_prepare(struct sim *s, struct err *err)
{
    uint64_t common = 1;
    for (size_t i = 0; i < s->clocks.len; i++) {
        uint64_t hz = s->clocks.data[i]->hz, step = hz / gcd(common, hz);
        if (__builtin_mul_overflow(common, step, &common))
            return err_set(err,
                           "clock %s: %" PRIu64 " Hz has no common multiple with the others "
                           "that fits; round it",
                           s->clocks.data[i]->name, hz);
    }
    for (size_t i = 0; i < s->clocks.len; i++) {
        struct sim_clock *c = s->clocks.data[i];
        c->period = common / c->hz;
        if (c->period > PERIOD_MAX)
            return err_set(err,
                           "clock %s: %" PRIu64 " Hz is an awkward ratio to the others; "
                           "round it (to whole MHz, say)",
                           c->name, c->hz);
    }
    return true;
}

static struct lane *lane_of(struct sim *s, struct component *c)
{
    struct partition *p = &s->parts[c->partition];
    for (size_t i = 0; i < p->nlanes; i++)
        if (p->lanes[i].clock == c->clock)
            return &p->lanes[i];
    struct lane *l = &p->lanes[p->nlanes++];
    l->clock = c->clock;
    l->next = arena_array(&s->arena, cycle_t, s->comps.len);
    l->comps = arena_array(&s->arena, struct component *, s->comps.len);
    return l;
}

static void lanes_prepare(struct sim *s)
{
    s->parts = arena_array(&s->arena, struct partition, s->nparts);
    for (unsigned i = 0; i < s->nparts; i++)
        s->parts[i].lanes = arena_array(&s->arena, struct lane, s->clocks.len);
    for (size_t i = 0; i < s->comps.len; i++) {
        struct component *c = s->comps.data[i];
        c->lane = lane_of(s, c);
        c->part = &s->parts[c->partition];
        c->index = c->lane->n++;
        c->lane->comps[c->index] = c;
    }
}

/* The ports between partitions, by partition. */
static void crossings_prepare(struct sim *s)
{
    for (size_t i = 0; i < s->ports.len; i++) {
        struct port *p = s->ports.data[i];
        p->local = p->producer->partition == p->consumer->partition;
        p->producer->part->nout += !p->local;
        p->consumer->part->nin += !p->local;
    }
    for (unsigned i = 0; i < s->nparts; i++) {
        struct partition *p = &s->parts[i];
        p->noted = arena_array(&s->arena, struct port *, p->nout);
        p->out = arena_array(&s->arena, struct port *, p->nout);
        p->in = arena_array(&s->arena, struct port *, p->nin);
        p->nout = p->nin = 0;
    }
    for (size_t i = 0; i < s->ports.len; i++) {
        struct port *p = s->ports.data[i];
        if (p->local)
            continue;
        p->producer->part->out[p->producer->part->nout++] = p;
        p->consumer->part->in[p->consumer->part->nin++] = p;
    }
}

static void ports_prepare(struct sim *s)
{
    crossings_prepare(s);
    for (size_t i = 0; i < s->ports.len; i++) {
        struct port *p = s->ports.data[i];
        p->out_period = p->producer->clock->period;
        p->in_period = p->consumer->clock->period;
        const uint64_t latency = p->latency_cycles * p->out_period;
        const uint64_t credit = p->credit_cycles * p->in_period;
        if (p->local)
            continue;
        port_note(p);
        uint64_t least = latency < credit ? latency : credit;
        if (!s->window || least < s->window)
            s->window = least;
    }
}

bool sim_prepare(struct sim *s, struct err *err)
{
    if (s->prepared)
        return true;
    if (!clocks_prepare(s, err))
        return false;
    lanes_prepare(s);
    ports_prepare(s);
    s->prepared = true;
    return true;
}

cycle_t sim_now(const struct sim *s, const struct sim_clock *clock)
{
    return clock->period ? (s->now + clock->period - 1) / clock->period : 0;
}

cycle_t sim_cycle_at(const struct sim_clock *clock, uint64_t time)
{
    return (time + clock->period - 1) / clock->period;
}

/* `cycle`, or the first that has not been run yet. */
static cycle_t not_before(const struct sim *s, const struct sim_clock *clock, cycle_t cycle)
{
    return cycle * clock->period >= s->now ? cycle : sim_cycle_at(clock, s->now);
}

/* What crossed partitions wakes its receiver. False: nothing is left there. */
static bool wake_consumer(const struct sim *s, struct port *p)
{
    const cycle_t ready = port_next(p);
    if (ready != CYCLE_NEVER)
        port_wake_consumer(p, not_before(s, p->consumer->clock, ready));
    return ready != CYCLE_NEVER;
}

static void wake_producer(const struct sim *s, struct port *p)
{
    if (p->starved && p->reclaimed < port_head(p)) {
        const cycle_t freed = p->slots[p->reclaimed & p->mask].freed;
        port_wake_producer(p, not_before(s, p->producer->clock, freed));
    }
}

void ports_sync(struct sim *s)
{
    for (unsigned i = 0; i < s->nparts; i++) {
        struct partition *part = &s->parts[i];
        size_t left = 0;
        for (size_t k = 0; k < part->nnoted; k++) {
            struct port *p = part->noted[k];
            const bool is_full = wake_consumer(s, p);
            wake_producer(s, p);
            p->is_noted = is_full || p->starved;
            if (p->is_noted)
                part->noted[left++] = p;
        }
        part->nnoted = left;
    }
    s->is_synced = true;
}

/* What others have written comes from their cores: all of it is asked for before any is waited for.
 * What they do meanwhile in the next window is not visible in it: who is woken for that now would
 * be woken for it then. */
void partition_sync(const struct sim *s, struct partition *part)
{
    for (uint32_t i = 0; i < part->nin; i++)
        __builtin_prefetch(&part->in[i]->tail);
    for (uint32_t i = 0; i < part->nout; i++)
        __builtin_prefetch(&part->out[i]->head);
    for (uint32_t i = 0; i < part->nin; i++)
        wake_consumer(s, part->in[i]);
    for (uint32_t i = 0; i < part->nout; i++)
        wake_producer(s, part->out[i]);
}

void sim_feed_watchdog(struct sim *s)
{
    s->dog_since = s->now;
}

/* True when the watchdog has seen nothing move for too long. */
static bool watchdog_bites(struct sim *s)
{
    /* Rarely: it looks at memory that other threads write. */
    if (!s->dog_cycles || s->now < s->dog_next)
        return false;
    s->dog_next = s->now + s->dog_cycles * s->dog_clock->period / 16;
    uint64_t moved = 0;
    for (size_t i = 0; i < s->ports.len; i++)
        moved += atomic_load(&s->ports.data[i]->head) + atomic_load(&s->ports.data[i]->tail);
    if (moved != s->dog_moved) {
        s->dog_moved = moved;
        s->dog_since = s->now;
    }
    return s->now - s->dog_since >= s->dog_cycles * s->dog_clock->period;
}

static uint64_t next_time(const struct sim *s)
{
    uint64_t t = CYCLE_NEVER;
    for (unsigned i = 0; i < s->nparts; i++) {
        uint64_t n = partition_next(&s->parts[i]);
        if (n < t)
            t = n;
    }
    return t;
}

static uint64_t window_end(const struct sim *s, uint64_t start, uint64_t limit)
{
    uint64_t length = s->window;
    if (!length && s->dog_cycles) /* one partition: stop now and then for the watchdog */
        length = s->dog_cycles * s->dog_clock->period / 4 + 1;
    if (!length)
        return limit;
    /* At fixed times: where partitions meet must not depend on who slept. */
    uint64_t stop = (start / length + 1) * length;
    return stop < limit ? stop : limit;
}

static uint64_t reached_time(const struct sim *s)
{
    uint64_t t = 0;
    for (unsigned i = 0; i < s->nparts; i++)
        if (s->parts[i].reached > t)
            t = s->parts[i].reached;
    return t;
}

/* To and fro: who ran last is still in the host's caches, which all of them are too large for. */
static void parts_run_alone(struct sim *s, uint64_t stop)
{
    const unsigned n = s->nparts;
    s->goes_back = !s->goes_back;
    for (unsigned i = 0; i < n; i++)
        partition_run(s, &s->parts[s->goes_back ? n - 1 - i : i], stop, n == 1);
}

/* Runs all partitions up to `stop`; returns what is known of their next tick (host_pool_run). */
static uint64_t parts_run(struct sim *s, unsigned threads, uint64_t stop)
{
    uint64_t next = CYCLE_NEVER;
    if (threads > 1)
        next = host_pool_run(s->pool, stop);
    else
        parts_run_alone(s, stop);
    s->is_synced = false;
    return next;
}

/* One window from `start`; what it leads to, or SIM_LIMIT to go on. */
static enum sim_status window_run(struct sim *s, unsigned threads, uint64_t start, uint64_t end)
{
    uint64_t stop = window_end(s, start > s->now ? start : s->now, end);
    const uint64_t next = parts_run(s, threads, stop);
    bool stopped = atomic_load_explicit(&s->stop, memory_order_relaxed);
    s->now = stopped && s->nparts == 1 ? reached_time(s) : stop;
    for (size_t i = 0; i < s->syncs.len; i++)
        s->syncs.data[i].fn(s->syncs.data[i].ctx, s->now);
    if (atomic_load_explicit(&s->stop, memory_order_relaxed))
        return SIM_STOPPED;
    if (next < window_end(s, s->now, end)) { /* in the next window, whoever else is woken */
        s->next = s->now;
        return watchdog_bites(s) ? SIM_STUCK : SIM_LIMIT;
    }
    ports_sync(s);
    s->next = next_time(s);
    if (s->next == CYCLE_NEVER) {
        s->now = reached_time(s);
        return SIM_IDLE;
    }
    return watchdog_bites(s) ? SIM_STUCK : SIM_LIMIT;
}

/* Threads stay from run to run: there may be thousands of short ones. */
static unsigned pool_prepare(struct sim *s, unsigned threads)
{
    if (threads > s->nparts)
        threads = s->nparts;
    if (threads <= 1 || s->shuffle)
        return 1;
    if (s->pool && !host_pool_fits(s->pool, threads)) {
        host_pool_free(s->pool);
        s->pool = NULL;
    }
    if (!s->pool)
        s->pool = host_pool_new(s, threads);
    return threads;
}

enum sim_status sim_run(struct sim *s, const struct sim_clock *clock, cycle_t limit,
                        unsigned threads)
{
    struct err err;
    if (!sim_prepare(s, &err))
        panic("%s", err.msg);
    uint64_t end = limit > CYCLE_NEVER / clock->period ? CYCLE_NEVER : limit * clock->period;
    enum sim_status status = SIM_LIMIT;
    threads = pool_prepare(s, threads);
    atomic_store(&s->stop, false);
    s->dog_since = s->now;
    if (!s->is_synced)
        ports_sync(s);
    s->next = next_time(s);
    while (s->now < end && status == SIM_LIMIT) {
        const uint64_t start = s->next;
        if (start == CYCLE_NEVER)
            status = SIM_IDLE;
        else if (start >= end)
            s->now = end;
        else
            status = window_run(s, threads, start, end);
    }
    return status;
}

void sim_report_blocked(const struct sim *s, FILE *out)
{
    for (size_t i = 0; i < s->ports.len; i++) {
        const struct port *p = s->ports.data[i];
        if (port_count(p))
            fprintf(out, "port %s: %" PRIu64 " of %" PRIu32 " wait; %s%s -> %s\n", p->name,
                    port_count(p), p->depth, p->producer->name,
                    port_count(p) == p->depth ? " (blocked)" : "", p->consumer->name);
    }
    for (size_t i = 0; i < s->comps.len; i++) {
        const struct component *c = s->comps.data[i];
        if (!c->ops->dump)
            continue;
        fprintf(out, "%s:\n", c->name);
        c->ops->dump(c->self, out);
    }
}
