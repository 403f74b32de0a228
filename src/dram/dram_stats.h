/* Statistics of one DRAM channel. */
#ifndef DRAM_DRAM_STATS_H
#define DRAM_DRAM_STATS_H

#include "stats/stats.h"

struct dram_stats {
#define COUNTER(...) STAT_MEMBER_COUNTER(__VA_ARGS__)
#define HIST(...)    STAT_MEMBER_HIST(__VA_ARGS__)
#define FORMULA(...)
#include "dram/dram_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA
};

extern const struct stat_row dram_stat_rows[];
extern const size_t dram_nstat_rows;

#endif
