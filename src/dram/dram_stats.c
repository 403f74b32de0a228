/* The rows of dram_stats.def. */
#include "dram/dram_stats.h"

#define ROWS_FILE   "dram/dram_stats.def"
#define ROWS_STRUCT dram_stats
#include "parsim/rows_formulas.h"

const struct stat_row dram_stat_rows[] = {
#define ROWS_FILE   "dram/dram_stats.def"
#define ROWS_STRUCT dram_stats
#include "parsim/rows_entries.h"
};

const size_t dram_nstat_rows = ARRAY_LEN(dram_stat_rows);
