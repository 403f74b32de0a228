/* Stretches of windows at one level or another, and what they cost. */
#include "sim/host_level.h"

#include <stdlib.h>
#include <string.h>

/* A stretch lasts long enough for a thread to lose its core to others; a trial that changes less
 * than GAIN is no gain; at last one stretch in PAUSE_MAX is a trial. */
enum { STRETCH_WINDOWS = 16, PAUSE_MAX = 256 };
#define STRETCH_SECONDS 4e-3
#define GAIN            0.95

static bool is_fixed(void)
{
    const char *way = getenv("PARSIM_HOST_THREADS");
    return way && !strcmp(way, "all");
}

void host_level_init(struct host_level *l, unsigned threads, unsigned cores, double load)
{
    *l = (struct host_level){.cores = cores, .pause = 1, .left = 1};
    for (unsigned n = 1; n < threads && l->n + 1 < HOST_LEVELS_MAX && !is_fixed(); n *= 2)
        l->threads[l->n++] = n;
    l->threads[l->n++] = threads;
    const double free_cores = (double)cores - load;
    for (l->at = l->n - 1; l->at && (double)l->threads[l->at] > free_cores;)
        l->at--;
    l->tried = l->at;
}

unsigned host_level_threads(const struct host_level *l)
{
    return l->threads[l->tried];
}

static void trial_begin(struct host_level *l)
{
    if (l->n == 1)
        return;
    if (l->goes_up ? l->at + 1 == l->n : !l->at)
        l->goes_up = !l->goes_up;
    l->tried = l->goes_up ? l->at + 1 : l->at - 1;
}

static void trial_end(struct host_level *l, double cost)
{
    const bool is_better = cost < GAIN * l->cost;
    if (is_better) {
        l->at = l->tried;
        l->cost = cost;
        l->pause = 1;
    } else {
        l->goes_up = !l->goes_up;
        l->pause = l->pause * 2 < PAUSE_MAX ? l->pause * 2 : PAUSE_MAX;
    }
    l->tried = l->at;
    l->left = l->pause;
}

static void stretch_end(struct host_level *l)
{
    const double cost = l->seconds / (double)l->ticks;
    if (l->tried != l->at) {
        trial_end(l, cost);
        return;
    }
    l->cost = l->cost > 0 ? (l->cost + cost) / 2 : cost;
    if (!--l->left)
        trial_begin(l);
    if (!l->left)
        l->left = 1;
}

void host_level_count(struct host_level *l, uint64_t ticks, double seconds)
{
    l->ticks += ticks;
    l->seconds += seconds;
    l->windows++;
    if (l->windows < STRETCH_WINDOWS || l->seconds < STRETCH_SECONDS || !l->ticks)
        return;
    stretch_end(l);
    l->ticks = l->windows = 0;
    l->seconds = 0;
}
