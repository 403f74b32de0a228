/* Statistics of one DRAM channel. */
#ifndef DRAM_DRAM_STATS_H
#define DRAM_DRAM_STATS_H

#include "stats/stats.h"

struct dram_stats {
#define ROWS_FILE "dram/dram_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row dram_stat_rows[];
extern const size_t dram_nstat_rows;

#endif
