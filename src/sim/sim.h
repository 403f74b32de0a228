/* The simulation kernel: clocks, components, a run loop that skips dead time, host threads.
 *
 * A component's `tick(self, now)` is called at cycle `now` of its clock and returns the next cycle
 * at which it has something to do (CYCLE_NEVER: not before something wakes it). A push into one of
 * its input ports wakes it when the item becomes visible, a pop from an output port that was found
 * full wakes it when the slot is free, so an idle machine costs nothing.
 *
 * Clocks have frequencies in whole Hz; edges are compared exactly, as integers of the least common
 * multiple of all frequencies ("time" below). Two edges at the same time may run in any order:
 * ports never show a component what another did at the same time.
 *
 * Components of one partition run on one host thread. Partitions talk only through ports and run
 * independently for a window as long as the shortest latency or credit latency of the ports
 * between them; results are the same, bit for bit, for every number of threads. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/err.h"

#include <stdio.h>

#define CYCLE_NEVER UINT64_MAX

struct sim;
struct sim_clock;
struct component;

struct component_ops {
    cycle_t (*tick)(void *self, cycle_t now);
    /* What is waiting and why, for the watchdog's report; may be NULL. */
    void (*dump)(const void *self, FILE *out);
};

struct sim *sim_new(void);
void sim_free(struct sim *s);

struct sim_clock *sim_add_clock(struct sim *s, const char *name, uint64_t hz);
/* `partition` is a small number from 0; the first tick is at cycle 0. `name` is copied. */
struct component *sim_add(struct sim *s, struct sim_clock *clock, unsigned partition,
                          const char *name, const struct component_ops *ops, void *self);
/* The component is ticked at `cycle` of its clock, or earlier if it asked for that. Only from the
 * same partition, and only for a cycle that lies ahead. */
void component_wake(struct component *c, cycle_t cycle);
/* Asked within its tick: the cycle before which nothing else of the partition is due, and the run
 * does not end. Until then it may go on with its own cycles in this tick, which saves the way
 * through the loop; what it pushes, pops or wakes brings that nearer. It says how far it went. */
cycle_t component_alone_until(const struct sim *s, const struct component *c);
void component_went_on(const struct sim *s, const struct component *c, cycle_t cycle);
const char *component_name(const struct component *c);

/* A function that runs alone at every window's end, in order of registration, when no component
 * is ticking: the place where effects between partitions meet. `time` is the window's end. It may
 * make a component tick earlier than that would have, never later. */
void sim_at_sync(struct sim *s, void (*fn)(void *ctx, uint64_t time), void *ctx);

/* Ends the run after the current window (after the current time, with one partition). Any thread.
 */
void sim_stop(struct sim *s);

/* Cycles of `clock` without any port moving after which a run counts as stuck; 0 = never. */
void sim_set_watchdog(struct sim *s, const struct sim_clock *clock, cycle_t cycles);
/* Something went on that no port shows: the watchdog starts anew. At a window's end only. */
void sim_feed_watchdog(struct sim *s);
/* Ticks components of equal time in an order drawn from `seed`: results must not change. */
void sim_shuffle(struct sim *s, uint64_t seed);

enum sim_status {
    SIM_STOPPED, /* sim_stop was called */
    SIM_IDLE,    /* nothing will ever happen again: done, or deadlocked if work is left */
    SIM_LIMIT,   /* the limit was reached */
    SIM_STUCK,   /* the watchdog fired */
};

/* Checks the clocks and fixes the time base; the first run does it otherwise. */
bool sim_prepare(struct sim *s, struct err *err);
/* Runs until cycle `limit` of `clock` (exclusive) on `threads` host threads. */
enum sim_status sim_run(struct sim *s, const struct sim_clock *clock, cycle_t limit,
                        unsigned threads);
/* The first cycle of `clock` that has not been run yet. */
cycle_t sim_now(const struct sim *s, const struct sim_clock *clock);
/* The first cycle of `clock` at or after `time`. */
cycle_t sim_cycle_at(const struct sim_clock *clock, uint64_t time);
/* Every port that holds something and every component's own account. */
void sim_report_blocked(const struct sim *s, FILE *out);

#endif
