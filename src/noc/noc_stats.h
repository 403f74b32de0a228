/* Statistics of one network. */
#ifndef NOC_NOC_STATS_H
#define NOC_NOC_STATS_H

#include "stats/stats.h"

struct noc_stats {
#define ROWS_FILE "noc/noc_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row noc_stat_rows[];
extern const size_t noc_nstat_rows;

#endif
