/* The rows of dram_stats.def. */
#include "dram/dram_stats.h"

#define COUNTER(...)
#define HIST(...)
#define FORMULA(...) STAT_FN_FORMULA(dram_stats, __VA_ARGS__)
#include "dram/dram_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA

const struct stat_row dram_stat_rows[] = {
#define COUNTER(...) STAT_ROW_COUNTER(dram_stats, __VA_ARGS__)
#define HIST(...)    STAT_ROW_HIST(dram_stats, __VA_ARGS__)
#define FORMULA(...) STAT_ROW_FORMULA(dram_stats, __VA_ARGS__)
#include "dram/dram_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA
};

const size_t dram_nstat_rows = ARRAY_LEN(dram_stat_rows);
