#ifndef TECH_ASSIST_ASSIST_STATS_H
#define TECH_ASSIST_ASSIST_STATS_H

#include "stats/stats.h"

struct assist_stats {
#define COUNTER(...) STAT_MEMBER_COUNTER(__VA_ARGS__)
#define FORMULA(...)
#include "tech/assist/assist_stats.def"
#undef COUNTER
#undef FORMULA
};

extern const struct stat_row assist_stat_rows[];
extern const size_t assist_nstat_rows;

#endif
