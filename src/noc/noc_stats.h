/* Statistics of one network. */
#ifndef NOC_NOC_STATS_H
#define NOC_NOC_STATS_H

#include "stats/stats.h"

struct noc_stats {
#define COUNTER(...) STAT_MEMBER_COUNTER(__VA_ARGS__)
#define HIST(...)    STAT_MEMBER_HIST(__VA_ARGS__)
#define FORMULA(...)
#include "noc/noc_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA
};

extern const struct stat_row noc_stat_rows[];
extern const size_t noc_nstat_rows;

#endif
