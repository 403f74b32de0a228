/* The rows of sm_stats.def. */
#include "sm/sm_stats.h"

#define ROWS_FILE   "sm/sm_stats.def"
#define ROWS_STRUCT sm_stats
#include "parsim/rows_formulas.h"

const struct stat_row sm_stat_rows[] = {
#define ROWS_FILE   "sm/sm_stats.def"
#define ROWS_STRUCT sm_stats
#include "parsim/rows_entries.h"
};

const size_t sm_nstat_rows = ARRAY_LEN(sm_stat_rows);
