/* Private to characterize_*.c: rows, and what is made of them. */
#ifndef STUDY_CHARACTERIZE_CHARACTERIZE_INT_H
#define STUDY_CHARACTERIZE_CHARACTERIZE_INT_H

#include "study/characterize/characterize.h"

/* Every workload runs at three bandwidths; the one in the middle is observed. */
enum { BANDWIDTHS = 3, BANDWIDTH_ONE = 1 };

/* --- runs: characterize_run.c --- */

/* The file that the run of workload `w` at bandwidth `b` leaves; to be freed. */
char *characterize_path(const struct characterize *c, size_t w, unsigned b);

/* --- rows: characterize_row.c --- */

enum column_group {
#define GROUP(id, ...) GROUP_##id,
#include "study/characterize/characterize.def"
    GROUPS
};

enum column_id {
#define COLUMN(group, id, ...) COLUMN_##id,
#include "study/characterize/characterize.def"
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

/* --- output: characterize_report.c, characterize_plot.c --- */

void rows_print(const struct characterize *c, const struct row *rows, FILE *out);
bool rows_write_csv(const struct characterize *c, const struct row *rows, struct err *err);
bool rows_write_json(const struct characterize *c, const struct row *rows, struct err *err);
bool rows_plot(const struct characterize *c, const struct row *rows, struct err *err);

#endif
