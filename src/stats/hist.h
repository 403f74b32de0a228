/* Histogram of non-negative integers: exact below 64, then 8 bins an octave (within 12.5%). */
#ifndef STATS_HIST_H
#define STATS_HIST_H

#include "base/common.h"

enum { HIST_EXACT = 64, HIST_SUB = 8, HIST_OCTAVES = 34, HIST_BINS = 64 + 8 * 34 };

struct hist {
    uint64_t count, sum, min, max;
    uint64_t bins[HIST_BINS];
};

static inline uint32_t hist_bin(uint64_t v)
{
    if (v < HIST_EXACT)
        return (uint32_t)v;
    uint32_t octave = 63u - (uint32_t)__builtin_clzll(v); /* >= 6 */
    uint32_t bin = HIST_EXACT + (octave - 6) * HIST_SUB + ((uint32_t)(v >> (octave - 3)) & 7);
    return bin < HIST_BINS ? bin : HIST_BINS - 1;
}

/* The smallest value that falls into `bin`. */
uint64_t hist_bin_low(uint32_t bin);

static inline void hist_add(struct hist *h, uint64_t v)
{
    if (!h->count || v < h->min)
        h->min = v;
    if (v > h->max)
        h->max = v;
    h->count++;
    h->sum += v;
    h->bins[hist_bin(v)]++;
}

void hist_merge(struct hist *into, const struct hist *from);
double hist_mean(const struct hist *h);
/* The smallest value below or at which a share `p` (0 to 1) of the samples lies. */
uint64_t hist_percentile(const struct hist *h, double p);

#endif
