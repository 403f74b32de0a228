/* Private to src/sim and its tests. */
#ifndef SIM_SIM_INT_H
#define SIM_SIM_INT_H

#include "base/arena.h"
#include "base/rng.h"
#include "base/vec.h"
#include "sim/port.h"
#include "sim/sim.h"

struct sim_clock {
    const char *name;
    uint64_t hz;
    uint64_t period; /* in time; 0 before sim_prepare */
};

/* The components of one clock in one partition, ticked together. */
struct lane {
    struct sim_clock *clock;
    cycle_t *next; /* one a component, in ticking order */
    struct component **comps;
    size_t n;
    cycle_t earliest; /* min of next[] */
    uint64_t due;     /* its time; CYCLE_NEVER when the lane sleeps */
};

/* The lane has nothing to do before `cycle`. */
static inline void lane_set_earliest(struct lane *l, cycle_t cycle)
{
    l->earliest = cycle;
    l->due = cycle == CYCLE_NEVER ? CYCLE_NEVER : cycle * l->clock->period;
}

struct component {
    const char *name;
    const struct component_ops *ops;
    void *self;
    struct sim_clock *clock;
    unsigned partition;
    struct lane *lane;
    struct partition *part;
    size_t index; /* in the lane */
};

struct partition {
    struct lane *lanes;
    size_t nlanes;
    uint64_t reached; /* just after its last tick */
    uint64_t end;     /* of the run: nothing ticks from then on */
    uint64_t ticks;
    /* ports to other partitions with items or a waiting producer, and some that had */
    struct port **noted;
    size_t nnoted;
    /* ports from and to other partitions */
    struct port **in, **out;
    uint32_t nin, nout;
    bool is_heavy; /* has many more ports than others, and so the traffic of many */
};

struct sync_fn {
    void (*fn)(void *ctx, uint64_t time);
    void *ctx;
};

struct sim {
    struct arena arena;
    VEC(struct sim_clock *) clocks;
    VEC(struct component *) comps;
    VEC(struct port *) ports;
    VEC(struct sync_fn) syncs;
    struct partition *parts;
    unsigned nparts;
    bool prepared;
    bool is_synced;         /* ports_sync() was called since the last window */
    uint64_t now;           /* everything before this time has run */
    uint64_t next;          /* the first tick of all partitions, between windows */
    uint64_t window;        /* 0 = one partition */
    struct host_pool *pool; /* NULL: not made yet */
    bool shuffle, goes_back;
    struct rng rng;
    atomic_bool stop;
    const struct sim_clock *dog_clock;
    cycle_t dog_cycles;
    uint64_t dog_moved, dog_since, dog_next;
};

/* Time of the partition's next tick; CYCLE_NEVER when it sleeps. */
static inline uint64_t partition_next(const struct partition *p)
{
    uint64_t t = CYCLE_NEVER;
    for (size_t i = 0; i < p->nlanes; i++)
        t = p->lanes[i].due < t ? p->lanes[i].due : t;
    return t;
}
/* Runs every tick before `end`; stops early after a time at which sim_stop was called, if `alone`.
 */
void partition_run(struct sim *s, struct partition *p, uint64_t end, bool alone);
/* What crossed partitions in the last window wakes its receivers: all of them, between windows; or,
 * before the partition's next window and on its host thread, those in one partition. */
void ports_sync(struct sim *s);
void partition_sync(const struct sim *s, struct partition *p);

struct host_pool;
/* Of 2 to as many threads as there are partitions. */
struct host_pool *host_pool_new(struct sim *s, unsigned threads);
/* Whether it is what host_pool_new() would make. */
bool host_pool_fits(const struct host_pool *p, unsigned threads);
/* Runs all partitions up to `end` on the pool's threads. Returns the first tick of all partitions,
 * as far as it is known before ports_sync(); CYCLE_NEVER: not at all. */
uint64_t host_pool_run(struct host_pool *p, uint64_t end);
void host_pool_free(struct host_pool *p);

#endif
