/* The rows of noc_stats.def. */
#include "noc/noc_stats.h"

#define ROWS_FILE   "noc/noc_stats.def"
#define ROWS_STRUCT noc_stats
#include "parsim/rows_formulas.h"

const struct stat_row noc_stat_rows[] = {
#define ROWS_FILE   "noc/noc_stats.def"
#define ROWS_STRUCT noc_stats
#include "parsim/rows_entries.h"
};

const size_t noc_nstat_rows = ARRAY_LEN(noc_stat_rows);
