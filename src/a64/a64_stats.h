/* Statistics of a run on the core. */
#ifndef A64_A64_STATS_H
#define A64_A64_STATS_H

#include "a64/process.h"
#include "stats/stats.h"

struct a64_stats {
#define ROWS_FILE "a64/a64_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row a64_stat_rows[];
extern const size_t a64_nstat_rows;

/* What a process has counted until now. */
struct a64_stats a64_stats_of(const struct a64_process *p);

#endif
