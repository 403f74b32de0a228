/* The rows of assist_stats.def. */
#include "tech/assist/assist_stats.h"

#define COUNTER(...)
#define FORMULA(...) STAT_FN_FORMULA(assist_stats, __VA_ARGS__)
#include "tech/assist/assist_stats.def"
#undef COUNTER
#undef FORMULA

const struct stat_row assist_stat_rows[] = {
#define COUNTER(...) STAT_ROW_COUNTER(assist_stats, __VA_ARGS__)
#define FORMULA(...) STAT_ROW_FORMULA(assist_stats, __VA_ARGS__)
#include "tech/assist/assist_stats.def"
#undef COUNTER
#undef FORMULA
};

const size_t assist_nstat_rows = ARRAY_LEN(assist_stat_rows);
