/* Private to src/stats and its tests. */
#ifndef STATS_STATS_INT_H
#define STATS_STATS_INT_H

#include "base/arena.h"
#include "base/vec.h"
#include "stats/stats.h"

struct stats_group {
    const char *name;
    const struct stat_row *rows;
    size_t nrows;
    size_t bytes; /* of the statistics struct */
    VEC(const void *) instances;
    void *sum; /* scratch */
};

struct stats_note {
    const char *key, *value;
};

struct stats {
    struct arena arena;
    VEC(struct stats_group) groups;
    VEC(struct stats_note) notes;
    /* samples: for each, the cycle and the value of every counter of every group, in order */
    VEC(uint64_t) samples;
    size_t ncounters;
};

enum { STATS_SCHEMA_VERSION = 1 };

/* Visits the counters of sample `i` as differences to the sample before. */
size_t stats_sample_count(const struct stats *st);
void stats_sample_each(const struct stats *st, size_t i,
                       void (*fn)(void *ctx, cycle_t cycle, const char *group, const char *name,
                                  uint64_t delta),
                       void *ctx);

#endif
