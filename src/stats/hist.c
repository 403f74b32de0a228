/* Means are exact, percentiles those of bins. */
#include "stats/hist.h"

uint64_t hist_bin_low(uint32_t bin)
{
    if (bin < HIST_EXACT)
        return bin;
    uint32_t octave = (bin - HIST_EXACT) / HIST_SUB + 6;
    return (uint64_t)(HIST_SUB + (bin - HIST_EXACT) % HIST_SUB) << (octave - 3);
}

void hist_merge(struct hist *into, const struct hist *from)
{
    if (!from->count)
        return;
    if (!into->count || from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
    into->count += from->count;
    into->sum += from->sum;
    for (uint32_t i = 0; i < HIST_BINS; i++)
        into->bins[i] += from->bins[i];
}

double hist_mean(const struct hist *h)
{
    return h->count ? (double)h->sum / (double)h->count : 0;
}

uint64_t hist_percentile(const struct hist *h, double p)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < HIST_BINS; i++) {
        seen += h->bins[i];
        if (seen && (double)seen >= p * (double)h->count)
            return hist_bin_low(i);
    }
    return h->max;
}
