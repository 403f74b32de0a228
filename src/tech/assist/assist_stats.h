/* What an SM counts of its assist warps. */
#ifndef TECH_ASSIST_ASSIST_STATS_H
#define TECH_ASSIST_ASSIST_STATS_H

#include "stats/stats.h"

struct assist_stats {
#define ROWS_FILE "tech/assist/assist_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row assist_stat_rows[];
extern const size_t assist_nstat_rows;

/* ... and of those that encode lines. */
struct assist_codec_stats {
#define ROWS_FILE "tech/assist/assist_codec_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row assist_codec_stat_rows[];
extern const size_t assist_codec_nstat_rows;

/* ... and of those that handle interrupts. */
struct assist_interrupt_stats {
#define ROWS_FILE "tech/assist/assist_interrupt_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row assist_interrupt_stat_rows[];
extern const size_t assist_interrupt_nstat_rows;

#endif
