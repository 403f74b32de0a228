/* Statistics of one SM. */
#ifndef SM_SM_STATS_H
#define SM_SM_STATS_H

#include "stats/stats.h"

struct sm_stats {
#define ROWS_FILE "sm/sm_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row sm_stat_rows[];
extern const size_t sm_nstat_rows;

#endif
