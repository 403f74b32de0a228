/* Statistics declared once.
 *
 * A module lists its statistics in a table file of rows
 *     COUNTER(name, unit, help)
 *     HIST(name, unit, help)
 *     FORMULA(name, unit, help, expression in s->...)
 * includes it in `struct x_stats { ... }` with STAT_MEMBER_*, once for the formulas' functions, and
 * once in its row table (see dram/dram_stats.h for an example). The hot path is `st->x++` and
 * hist_add(); everything a user sees (text, JSON, CSV, SQLite) is written from the rows.
 *
 * Several instances of a module are added under one group name: the group's values are the sums
 * over its instances, its formulas are computed on the sums. */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "base/err.h"
#include "stats/hist.h"

#include <stdio.h>

struct json_object;

struct stats;

struct stats *stats_new(void);
void stats_free(struct stats *st);

/* Adds one instance of `group`; `base` must outlive `st`. Same group, same rows. */
void stats_add(struct stats *st, const char *group, const struct stat_row *rows, size_t n,
               const void *base);
/* Names, ended by NULL, of groups that their owner may add alone: for others stats_fits() is false.
 */
void stats_claim(struct stats *st, const char *const *groups);
/* Whether stats_add() can take these rows for the group. */
bool stats_fits(const struct stats *st, const char *group, const struct stat_row *rows, size_t n);
/* A fact about the run (version, seed, machine), written with the statistics. */
void stats_note(struct stats *st, const char *key, const char *value);

struct stat_value {
    const char *group;
    int instance; /* -1 = the sum over the group's instances */
    const struct stat_row *row;
    uint64_t count;          /* COUNTER */
    double value;            /* COUNTER and FORMULA; a HIST's mean */
    const struct hist *hist; /* HIST only; valid during the call */
};

/* Visits every value: sums first, then (if asked) each instance, group by group. */
void stats_each(const struct stats *st, bool instances,
                void (*fn)(void *ctx, const struct stat_value *v), void *ctx);
/* The sum of "group.name" (a HIST gives its mean); false when there is none. */
bool stats_get(const struct stats *st, const char *key, double *value);

/* Remembers every group's counters at `cycle`; the series writers give the differences. */
void stats_sample(struct stats *st, cycle_t cycle);

/* How many samples there are; visits the counters of sample `i` as differences to the sample
 * before. */
size_t stats_sample_count(const struct stats *st);
void stats_sample_each(const struct stats *st, size_t i,
                       void (*fn)(void *ctx, cycle_t cycle, const char *group, const char *name,
                                  uint64_t delta),
                       void *ctx);

/* A registry of its own with the sums of every group; with `before` (made from the same registry
 * earlier), what has been added since. Histograms then know their extremes by bin only. */
struct stats *stats_sums(const struct stats *st, const struct stats *before);

/* A registry of its own with the same groups, all 0; what another of the same groups has, `factor`
 * times, is added to it. Only to one that was made by stats_zero(). */
struct stats *stats_zero(const struct stats *st);
void stats_add_scaled(struct stats *to, const struct stats *part, double factor);
bool stats_has(const struct stats *st, const char *group);

void stats_write_text(const struct stats *st, FILE *out);
void stats_write_csv(const struct stats *st, FILE *out);
void stats_write_series_csv(const struct stats *st, FILE *out);
/* The caller owns the object. */
struct json_object *stats_to_json(const struct stats *st, bool instances);

/* A database of runs (tables run, note, machine, stat, sample; docs/data.md). Runs are added
 * between open and close, all of them or none; processes may add to the same file at the same time.
 */
struct stats_db;
/* Creates it when needed. */
struct stats_db *stats_db_open(const char *path, struct err *err);
bool stats_db_add(struct stats_db *db, const struct stats *st, const char *run_name,
                  struct err *err);
/* Of the run that was added last: a further note, a field of its machine. */
void stats_db_note(struct stats_db *db, const char *key, const char *value);
void stats_db_field(struct stats_db *db, const char *section, const char *field, const char *value);
/* Runs that are added from now on are parts of it. */
void stats_db_begin_parts(struct stats_db *db);
/* Keeps what was added; without `keep`, nothing of it. */
bool stats_db_close(struct stats_db *db, bool keep, struct err *err);
/* Whether `path` is such a database or can become one; nothing is changed. */
bool stats_db_probe(const char *path, struct err *err);

#endif
