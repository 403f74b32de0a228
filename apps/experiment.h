/* Many runs of many designs, for `parsim compare` and `parsim figure`: child processes, what they
 * gave, and tables and pictures of it.
 *
 * A design is written NAME[+NAME...][@KEY=VALUE...]: techniques for `parsim run --with`, and fields
 * for `--set`; "base" stands for no technique. "{profile}" in a value is a code for entropy coding
 * from all that an earlier run of the workload read and wrote; it is made when it is not there. In
 * experiments about data alone a design is a codec of `parsim codec`, @sample=BYTES its sampling
 * phase, and shannon-L the bound for symbols of L bits. */
#ifndef APPS_EXPERIMENT_H
#define APPS_EXPERIMENT_H

#include "base/err.h"

#include <stdio.h>

struct json_object;

enum exp_kind { EXP_RUN, EXP_CODEC };

/* What all runs of an experiment share. */
struct exp_setup {
    enum exp_kind kind;
    const char *gpu, *size;
    uint64_t threads, jobs; /* host threads of a run; runs at once */
    const char *folder;     /* for dumps; NULL: none is kept */
    bool quiet;             /* no progress */
};

struct exp_job {
    const char *workload; /* a name of `parsim workloads`; NULL: */
    char *const *program; /* the arguments of a program, ended by NULL */
    const char *design;
    struct json_object *result; /* of --json, without kernels and machine; NULL: failed */
    char *error;
    double seconds;
};

struct exp_store;

/* --- experiment_run.c --- */

/* Refuses a design that `parsim run` does not know. */
bool exp_check_design(const struct exp_setup *s, const char *design, struct err *err);
/* Runs all jobs; results that `store` (may be NULL) has are taken from there, others are put there
 * as soon as they come. A job that fails has an error; false: nothing more could be run. */
bool exp_run(const struct exp_setup *s, struct exp_job *jobs, size_t n, struct exp_store *store,
             struct err *err);
void exp_jobs_free(struct exp_job *jobs, size_t n);
/* `name` in the folder of this binary. */
char *exp_beside(const char *name);

/* --- experiment_store.c: results in an SQLite file, so that a killed run goes on. Results of
 * another build of Parsim, or of a machine's file that has changed, are not used. --- */

struct exp_store *exp_store_open(const char *path, struct err *err);
void exp_store_close(struct exp_store *st);
/* NULL: it is not there. */
struct json_object *exp_store_get(struct exp_store *st, const struct exp_setup *s,
                                  const struct exp_job *j, double *seconds);
bool exp_store_put(struct exp_store *st, const struct exp_setup *s, const struct exp_job *j,
                   struct err *err);

/* --- experiment_metric.c --- */

/* A number of a result: a name of the table there ("cycles", "energy", "ratio" ...) or a path in
 * the JSON ("stats.l2.hit_rate"). NAN: the result has none. */
double exp_metric(const struct json_object *result, const char *design, const char *metric);

/* --- experiment_table.c: programs down, designs across --- */

enum exp_norm { EXP_AS_IS, EXP_OVER_BASE, EXP_BASE_OVER };
enum exp_mean { EXP_GEOMETRIC, EXP_ARITHMETIC };

struct exp_table {
    const char *title, *unit;
    const char *const *rows, *const *columns;
    size_t nrows, ncolumns;
    double *values;   /* NAN: none */
    double *means;    /* of the rows that every column has */
    double *reported; /* by a paper; NAN: not said */
    size_t complete;  /* rows that every column has */
    enum exp_mean mean;
};

void exp_table_init(struct exp_table *t, size_t nrows, size_t ncolumns);
void exp_table_free(struct exp_table *t);
/* Divides by (or divides) column `reference`, row by row. */
void exp_table_normalise(struct exp_table *t, enum exp_norm norm, size_t reference);
void exp_table_average(struct exp_table *t, enum exp_mean mean);
void exp_table_print(const struct exp_table *t, FILE *out);
void exp_table_markdown(const struct exp_table *t, FILE *out);
void exp_table_csv(const struct exp_table *t, FILE *out);
/* One sentence a design whose mean the paper says. */
void exp_table_beside_paper(const struct exp_table *t, FILE *out, const char *prefix);
/* Bars in groups; experiment_svg.c. */
void exp_table_svg(const struct exp_table *t, FILE *out);

double exp_mean_of(const double *values, size_t n, enum exp_mean mean);

#endif
