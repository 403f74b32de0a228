/* How many of its threads a pool uses: as many as make time pass fastest, which depends on how much
 * there is to do in a window, on the host's cores and on what else it does. It is found by trying:
 * now and then a stretch of windows runs on half or twice as many, and what went faster, by ticks
 * of components, stays. What a trial has not bettered is tried again later and later. With
 * PARSIM_HOST_THREADS=all in the environment all take part in every window, for tests. */
#ifndef SIM_HOST_LEVEL_H
#define SIM_HOST_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

enum { HOST_LEVELS_MAX = 16 };

struct host_level {
    unsigned cores;                    /* that this process may use */
    unsigned threads[HOST_LEVELS_MAX]; /* of each level, upwards */
    unsigned n, at;
    unsigned tried;          /* the level of this stretch: `at` when it is no trial */
    bool goes_up;            /* the next trial does */
    unsigned pause, left;    /* stretches from trial to trial, and until the next */
    double cost;             /* of a tick at level `at`, in seconds; 0: not known */
    uint64_t ticks, windows; /* of this stretch */
    double seconds;
};

/* For at most `threads`, on `cores` of which others use `load`. */
void host_level_init(struct host_level *l, unsigned threads, unsigned cores, double load);
/* How many take part in the next window. */
unsigned host_level_threads(const struct host_level *l);
/* A window with so many ticks took so long. */
void host_level_count(struct host_level *l, uint64_t ticks, double seconds);

#endif
