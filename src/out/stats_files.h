/* Files of statistics: who writes them, what they are called, rows of parts of a run. */
#ifndef OUT_STATS_FILES_H
#define OUT_STATS_FILES_H

#include "stats/stats.h"

/* Writes `path` through `fill`; "-" is standard output. */
bool out_write_file(const char *path, void (*fill)(FILE *out, const void *arg), const void *arg,
                    struct err *err);
/* "a/b.csv" and "series" give "a/b.series.csv"; the caller frees it. */
char *out_beside(const char *path, const char *word);
/* The statistics of a part of a run (a kernel): lines of part, its name, group, name, unit, value.
 */
void out_part_csv(FILE *out, size_t part, const char *part_name, const struct stats *st);

#endif
