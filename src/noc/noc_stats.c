/* The rows of noc_stats.def. */
#include "noc/noc_stats.h"

#define COUNTER(...)
#define HIST(...)
#define FORMULA(...) STAT_FN_FORMULA(noc_stats, __VA_ARGS__)
#include "noc/noc_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA

const struct stat_row noc_stat_rows[] = {
#define COUNTER(...) STAT_ROW_COUNTER(noc_stats, __VA_ARGS__)
#define HIST(...)    STAT_ROW_HIST(noc_stats, __VA_ARGS__)
#define FORMULA(...) STAT_ROW_FORMULA(noc_stats, __VA_ARGS__)
#include "noc/noc_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA
};

const size_t noc_nstat_rows = ARRAY_LEN(noc_stat_rows);
