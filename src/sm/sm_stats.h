/* Statistics of one SM. */
#ifndef SM_SM_STATS_H
#define SM_SM_STATS_H

#include "stats/stats.h"

struct sm_stats {
#define COUNTER(...) STAT_MEMBER_COUNTER(__VA_ARGS__)
#define HIST(...)    STAT_MEMBER_HIST(__VA_ARGS__)
#define FORMULA(...)
#include "sm/sm_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA
};

extern const struct stat_row sm_stat_rows[];
extern const size_t sm_nstat_rows;

#endif
