/* The rows of sm_stats.def. */
#include "sm/sm_stats.h"

#define COUNTER(...)
#define HIST(...)
#define FORMULA(...) STAT_FN_FORMULA(sm_stats, __VA_ARGS__)
#include "sm/sm_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA

const struct stat_row sm_stat_rows[] = {
#define COUNTER(...) STAT_ROW_COUNTER(sm_stats, __VA_ARGS__)
#define HIST(...)    STAT_ROW_HIST(sm_stats, __VA_ARGS__)
#define FORMULA(...) STAT_ROW_FORMULA(sm_stats, __VA_ARGS__)
#include "sm/sm_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA
};

const size_t sm_nstat_rows = ARRAY_LEN(sm_stat_rows);
