/* Sums at a moment, what has been added since, and sums of multiples. */
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

struct stats *stats_zero(const struct stats *st)
{
    struct stats *copy = stats_new();
    for (size_t i = 0; i < st->groups.len; i++) {
        const struct stats_group *g = &st->groups.data[i];
        void *sum = arena_alloc(&copy->arena, g->bytes + 1);
        memset(sum, 0, g->bytes);
        stats_add(copy, g->name, g->rows, g->nrows, sum);
    }
    return copy;
}

static uint64_t times(uint64_t n, double factor)
{
    return (uint64_t)((double)n * factor + 0.5);
}

static void hist_add_scaled(struct hist *to, const struct hist *from, double factor)
{
    struct hist h = *from;
    h.count = 0;
    h.sum = times(from->sum, factor);
    for (uint32_t i = 0; i < HIST_BINS; i++) {
        h.bins[i] = times(from->bins[i], factor);
        h.count += h.bins[i];
    }
    if (from->count)
        hist_merge(to, &h);
}

void stats_add_scaled(struct stats *to, const struct stats *part, double factor)
{
    for (size_t i = 0; i < to->groups.len && i < part->groups.len; i++) {
        const struct stats_group *g = &to->groups.data[i];
        char *sum = (char *)(uintptr_t)g->instances.data[0]; /* its own: stats_zero() */
        const char *more = stats_group_sum(&part->groups.data[i]);
        assert(g->rows == part->groups.data[i].rows);
        for (size_t k = 0; k < g->nrows; k++) {
            const struct stat_row *r = &g->rows[k];
            if (r->kind == STAT_COUNTER)
                *(uint64_t *)(void *)(sum + r->offset) +=
                    times(*(const uint64_t *)(const void *)(more + r->offset), factor);
            else if (r->kind == STAT_HIST)
                hist_add_scaled((struct hist *)(void *)(sum + r->offset),
                                (const struct hist *)(const void *)(more + r->offset), factor);
        }
    }
}

bool stats_has(const struct stats *st, const char *group)
{
    for (size_t i = 0; i < st->groups.len; i++)
        if (!strcmp(st->groups.data[i].name, group))
            return true;
    return false;
}
