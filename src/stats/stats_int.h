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
    const char *const *claimed; /* NULL: none */
    struct arena arena;
    VEC(struct stats_group) groups;
    VEC(struct stats_note) notes;
    /* samples: for each, the cycle and the value of every counter of every group, in order */
    VEC(uint64_t) samples;
    size_t ncounters;
};

enum { STATS_SCHEMA_VERSION = 1 };

/* The sum over the group's instances: theirs if there is one, else the group's scratch. */
const void *stats_group_sum(const struct stats_group *g);

#endif
