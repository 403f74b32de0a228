/* Sums at a moment, and what has been added since. */
#include "stats/stats_int.h"

#include <string.h>

/* The smallest and largest value are known only by bin. */
static void hist_subtract(struct hist *h, const struct hist *before)
{
    uint64_t low = h->min, high = h->max;
    bool any = false;
    if (!before->count)
        return;
    h->count -= before->count;
    h->sum -= before->sum;
    for (uint32_t i = 0; i < HIST_BINS; i++) {
        h->bins[i] -= before->bins[i];
        if (!h->bins[i])
            continue;
        uint64_t last = i + 1 < HIST_BINS ? hist_bin_low(i + 1) - 1 : high;
        h->max = last < high ? last : high;
        if (!any)
            h->min = hist_bin_low(i) > low ? hist_bin_low(i) : low;
        any = true;
    }
    if (!any)
        h->min = h->max = 0;
}

static void group_subtract(const struct stats_group *g, void *from, const void *before)
{
    for (size_t i = 0; i < g->nrows; i++) {
        const struct stat_row *r = &g->rows[i];
        char *a = (char *)from + r->offset;
        const char *b = (const char *)before + r->offset;
        if (r->kind == STAT_COUNTER)
            *(uint64_t *)a -= *(const uint64_t *)b;
        else if (r->kind == STAT_HIST)
            hist_subtract((struct hist *)a, (const struct hist *)b);
    }
}

struct stats *stats_sums(const struct stats *st, const struct stats *before)
{
    struct stats *copy = stats_new();
    for (size_t i = 0; i < st->groups.len; i++) {
        const struct stats_group *g = &st->groups.data[i];
        void *sum = arena_alloc(&copy->arena, g->bytes + 1);
        memcpy(sum, stats_group_sum(g), g->bytes);
        if (before) {
            assert(i < before->groups.len && before->groups.data[i].rows == g->rows);
            group_subtract(g, sum, before->groups.data[i].instances.data[0]);
        }
        stats_add(copy, g->name, g->rows, g->nrows, sum);
    }
    return copy;
}
