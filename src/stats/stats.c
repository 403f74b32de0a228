/* The registry: groups, instances, sums, samples. */
#include "stats/stats_int.h"

#include <string.h>

struct stats *stats_new(void)
{
    return xcalloc(1, sizeof(struct stats));
}

void stats_free(struct stats *st)
{
    if (!st)
        return;
    for (size_t i = 0; i < st->groups.len; i++) {
        vec_free(&st->groups.data[i].instances);
        free(st->groups.data[i].sum);
    }
    vec_free(&st->groups);
    vec_free(&st->notes);
    vec_free(&st->samples);
    arena_free(&st->arena);
    free(st);
}

static size_t rows_bytes(const struct stat_row *rows, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        size_t size = rows[i].kind == STAT_COUNTER ? sizeof(uint64_t)
                      : rows[i].kind == STAT_HIST  ? sizeof(struct hist)
                                                   : 0;
        if (rows[i].offset + size > bytes)
            bytes = rows[i].offset + size;
    }
    return bytes;
}

static struct stats_group *group_find(const struct stats *st, const char *name)
{
    for (size_t i = 0; i < st->groups.len; i++)
        if (!strcmp(st->groups.data[i].name, name))
            return &st->groups.data[i];
    return NULL;
}

void stats_claim(struct stats *st, const char *const *groups)
{
    st->claimed = groups;
}

bool stats_fits(const struct stats *st, const char *group, const struct stat_row *rows, size_t n)
{
    const struct stats_group *g = group_find(st, group);
    for (const char *const *c = st->claimed; c && *c; c++)
        if (!strcmp(*c, group))
            return false;
    return !g || (g->rows == rows && g->nrows == n);
}

void stats_add(struct stats *st, const char *group, const struct stat_row *rows, size_t n,
               const void *base)
{
    struct stats_group *g = group_find(st, group);
    if (!g) {
        struct stats_group fresh = {.name = arena_strndup(&st->arena, group, strlen(group)),
                                    .rows = rows,
                                    .nrows = n,
                                    .bytes = rows_bytes(rows, n)};
        fresh.sum = xcalloc(1, fresh.bytes + 1);
        vec_push(&st->groups, fresh);
        g = &vec_last(&st->groups);
        for (size_t i = 0; i < n; i++)
            st->ncounters += rows[i].kind == STAT_COUNTER;
    }
    if (g->rows != rows)
        panic("statistics group %s has two kinds of rows", group);
    vec_push(&g->instances, base);
}

void stats_note(struct stats *st, const char *key, const char *value)
{
    struct stats_note n = {arena_strndup(&st->arena, key, strlen(key)),
                           arena_strndup(&st->arena, value, strlen(value))};
    vec_push(&st->notes, n);
}

static const uint64_t *row_counter(const struct stat_row *r, const void *base)
{
    return (const uint64_t *)((const char *)base + r->offset);
}

static const struct hist *row_hist(const struct stat_row *r, const void *base)
{
    return (const struct hist *)((const char *)base + r->offset);
}

const void *stats_group_sum(const struct stats_group *g)
{
    if (g->instances.len == 1)
        return g->instances.data[0];
    memset(g->sum, 0, g->bytes);
    for (size_t k = 0; k < g->instances.len; k++)
        for (size_t i = 0; i < g->nrows; i++) {
            const struct stat_row *r = &g->rows[i];
            if (r->kind == STAT_COUNTER)
                *(uint64_t *)((char *)g->sum + r->offset) += *row_counter(r, g->instances.data[k]);
            else if (r->kind == STAT_HIST)
                hist_merge((struct hist *)((char *)g->sum + r->offset),
                           row_hist(r, g->instances.data[k]));
        }
    return g->sum;
}

static struct stat_value value_read(const struct stats_group *g, int instance,
                                    const struct stat_row *r, const void *base)
{
    struct stat_value v = {.group = g->name, .instance = instance, .row = r};
    switch (r->kind) {
    case STAT_COUNTER:
        v.count = *row_counter(r, base);
        v.value = (double)v.count;
        break;
    case STAT_HIST:
        v.hist = row_hist(r, base);
        v.value = hist_mean(v.hist);
        break;
    case STAT_FORMULA:
        v.value = r->formula(base);
        break;
    }
    return v;
}

void stats_each(const struct stats *st, bool instances,
                void (*fn)(void *ctx, const struct stat_value *v), void *ctx)
{
    for (size_t gi = 0; gi < st->groups.len; gi++) {
        const struct stats_group *g = &st->groups.data[gi];
        int last = instances && g->instances.len > 1 ? (int)g->instances.len : 0;
        for (int k = -1; k < last; k++) {
            const void *base = k < 0 ? stats_group_sum(g) : g->instances.data[k];
            for (size_t i = 0; i < g->nrows; i++) {
                struct stat_value v = value_read(g, k, &g->rows[i], base);
                fn(ctx, &v);
            }
        }
    }
}

bool stats_get(const struct stats *st, const char *key, double *value)
{
    const char *dot = strrchr(key, '.');
    for (size_t gi = 0; dot && gi < st->groups.len; gi++) {
        const struct stats_group *g = &st->groups.data[gi];
        size_t len = strlen(g->name);
        if (len != (size_t)(dot - key) || strncmp(g->name, key, len))
            continue;
        for (size_t i = 0; i < g->nrows; i++)
            if (!strcmp(g->rows[i].name, dot + 1)) {
                *value = value_read(g, -1, &g->rows[i], stats_group_sum(g)).value;
                return true;
            }
    }
    return false;
}

void stats_sample(struct stats *st, cycle_t cycle)
{
    vec_push(&st->samples, cycle);
    for (size_t gi = 0; gi < st->groups.len; gi++) {
        const struct stats_group *g = &st->groups.data[gi];
        const void *sum = stats_group_sum(g);
        for (size_t i = 0; i < g->nrows; i++)
            if (g->rows[i].kind == STAT_COUNTER)
                vec_push(&st->samples, *row_counter(&g->rows[i], sum));
    }
}

size_t stats_sample_count(const struct stats *st)
{
    return st->samples.len / (st->ncounters + 1);
}

void stats_sample_each(const struct stats *st, size_t i,
                       void (*fn)(void *ctx, cycle_t cycle, const char *group, const char *name,
                                  uint64_t delta),
                       void *ctx)
{
    const uint64_t *now = &st->samples.data[i * (st->ncounters + 1)];
    const uint64_t *before = i ? now - (st->ncounters + 1) : NULL;
    size_t at = 1;
    for (size_t gi = 0; gi < st->groups.len; gi++) {
        const struct stats_group *g = &st->groups.data[gi];
        for (size_t k = 0; k < g->nrows; k++)
            if (g->rows[k].kind == STAT_COUNTER) {
                fn(ctx, now[0], g->name, g->rows[k].name, now[at] - (before ? before[at] : 0));
                at++;
            }
    }
}
