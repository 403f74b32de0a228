/* The rows of assist_stats.def, assist_codec_stats.def and assist_interrupt_stats.def. */
#include "tech/assist/assist_stats.h"

#define ROWS_FILE   "tech/assist/assist_stats.def"
#define ROWS_STRUCT assist_stats
#include "parsim/rows_formulas.h"

const struct stat_row assist_stat_rows[] = {
#define ROWS_FILE   "tech/assist/assist_stats.def"
#define ROWS_STRUCT assist_stats
#include "parsim/rows_entries.h"
};

const size_t assist_nstat_rows = ARRAY_LEN(assist_stat_rows);

const struct stat_row assist_codec_stat_rows[] = {
#define ROWS_FILE   "tech/assist/assist_codec_stats.def"
#define ROWS_STRUCT assist_codec_stats
#include "parsim/rows_entries.h"
};

const size_t assist_codec_nstat_rows = ARRAY_LEN(assist_codec_stat_rows);

const struct stat_row assist_interrupt_stat_rows[] = {
#define ROWS_FILE   "tech/assist/assist_interrupt_stats.def"
#define ROWS_STRUCT assist_interrupt_stats
#include "parsim/rows_entries.h"
};

const size_t assist_interrupt_nstat_rows = ARRAY_LEN(assist_interrupt_stat_rows);
