/* `parsim characterize`: what its files share. */
#ifndef APPS_CMD_CHARACTERIZE_H
#define APPS_CMD_CHARACTERIZE_H

#include "base/err.h"
#include "base/vec.h"

#include <stdio.h>

struct json_object;

/* Every workload runs at three bandwidths; the one in the middle is observed. */
enum { BANDWIDTHS = 3, BANDWIDTH_ONE = 1 };
extern const char *const bandwidth_texts[BANDWIDTHS]; /* of the configuration: "0.5" ... */
extern const char *const bandwidth_names[BANDWIDTHS]; /* in words: "1/2x" ... */

struct characterize {
    VEC(const char *) workloads;
    VEC(const char *) sets; /* "section.field=value", for every run */
    const char *size, *gpu, *json, *csv, *plot, *results;
    uint64_t jobs;
    bool is_quiet;
};

/* --- runs: cmd_characterize_run.c --- */

/* Runs what is not in the results' folder yet; false if a run failed or could not start. */
bool characterize_run(const struct characterize *c, struct err *err);
/* The file that the run of workload `w` at bandwidth `b` leaves; to be freed. */
char *characterize_path(const struct characterize *c, size_t w, unsigned b);

/* --- rows: cmd_characterize_row.c --- */

enum column_group {
#define GROUP(id, ...) GROUP_##id,
#define COLUMN(...)
#include "cmd_characterize.def"
#undef GROUP
#undef COLUMN
    GROUPS
};

enum column_id {
#define GROUP(...)
#define COLUMN(group, id, ...) COLUMN_##id,
#include "cmd_characterize.def"
#undef GROUP
#undef COLUMN
    COLUMNS
};

struct column {
    enum column_group group;
    const char *id, *title, *help;
    int decimals;
};
extern const struct column columns[COLUMNS];
extern const char *const group_titles[GROUPS];
extern const char *const group_papers[GROUPS]; /* what the papers report, or NULL */

/* One workload. Shares are in percent; NAN: there is none. */
struct row {
    const char *workload;
    const char *bound; /* memory, compute or latency: see bound_rule */
    const char *said;  /* the same as the papers have it, of the original */
    char *bottleneck;  /* the run's own words */
    double at[COLUMNS];
};
extern const char bound_rule[];

/* All workloads in order, from the files; the caller frees them with rows_free(). */
struct row *rows_read(const struct characterize *c, struct err *err);
void rows_free(struct row *rows, size_t n);
/* The mean over the rows that have a value. */
double rows_mean(const struct row *rows, size_t n, enum column_id id);

/* --- output: cmd_characterize_report.c, cmd_characterize_plot.c --- */

void characterize_print(const struct characterize *c, const struct row *rows, FILE *out);
bool characterize_write_csv(const struct characterize *c, const struct row *rows, struct err *err);
bool characterize_write_json(const struct characterize *c, const struct row *rows, struct err *err);
bool characterize_plot(const struct characterize *c, const struct row *rows, struct err *err);

#endif
