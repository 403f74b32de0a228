/* Many runs of many designs, for `parsim compare` and `parsim figure`: child processes, what they
 * gave, and tables and pictures of it.
 *
 * A design is written NAME[+NAME...][@KEY=VALUE...]: techniques for `parsim run --with`, and fields
 * for `--set`; "base" stands for no technique. "{profile}" in a value is a code for entropy coding
 * from all that an earlier run of the workload read and wrote. In experiments about data alone a
 * design is a codec of `parsim codec`, @sample=BYTES its sampling phase, @values=N the codewords of
 * its table, and shannon-L the bound for symbols of L bits. */
#ifndef APPS_EXPERIMENT_H
#define APPS_EXPERIMENT_H

#include "base/err.h"

#include <stdio.h>

struct json_object;

/* EXP_DUMP: the arrays of a program as a file, for EXP_CODEC. */
enum exp_kind { EXP_RUN, EXP_CODEC, EXP_DUMP };

enum { EXP_BUILD = 17 }; /* 16 hexadecimal digits and a NUL */

/* What all runs of a command share. */
struct exp_setup {
    const char *build; /* whose results are known (exp_build()) */
    const char *size;
    uint64_t threads, jobs; /* host threads of a run; runs at once */
    uint64_t limit;         /* seconds after which a run is stopped; 0: never */
    uint64_t time;          /* seconds after which all are stopped; 0: never */
    const char *folder;     /* for dumps and codes; NULL: none are kept */
    bool quiet;             /* no progress */
};

struct exp_job {
    enum exp_kind kind;
    const char *gpu;
    const char *workload; /* a name of `parsim workloads`; NULL: */
    char *const *program; /* the arguments of a program, ended by NULL */
    const char *design;
    unsigned rank;              /* lower ones first */
    struct json_object *result; /* of --json, without kernels and machine; NULL: failed */
    char *error;
    double seconds, cpu_seconds;
};

struct exp_store;

/* --- experiment_run.c --- */

/* Runs all jobs; results that `store` (may be NULL) has are taken from there, others are put there
 * as soon as they come. A job that fails or takes too long has an error; false: nothing more could
 * be run. A job that needs a file of another must have that one among `jobs` (exp_plan_add()). */
bool exp_run(const struct exp_setup *s, struct exp_job *jobs, size_t n, struct exp_store *store,
             struct err *err);
/* Only what the store has, and why the rest failed. */
void exp_recall(const struct exp_setup *s, struct exp_job *jobs, size_t n, struct exp_store *store);
void exp_jobs_free(struct exp_job *jobs, size_t n);

/* --- experiment_child.c --- */

/* Refuses a design that `parsim run` does not know. */
bool exp_check_design(const struct exp_job *j, struct err *err);
/* `name` in the folder of this binary. */
char *exp_beside(const char *name);

/* --- experiment_plan.c: the jobs of several figures, each once --- */

struct exp_plan;
struct exp_plan *exp_plan_new(void);
void exp_plan_free(struct exp_plan *p);
/* The job's number, that of an equal one if there is one; `j`'s texts must outlive the plan. Jobs
 * that make files which it needs are added too. */
size_t exp_plan_add(struct exp_plan *p, const struct exp_job *j);
struct exp_job *exp_plan_jobs(struct exp_plan *p, size_t *n);

/* --- experiment_store.c: results in an SQLite file, so that a killed run goes on. Results of
 * another build of Parsim (its library and its workloads, byte by byte), or of a machine's file
 * that has changed, are not used unless the setup names that build. --- */

struct exp_store *exp_store_open(const char *path, struct err *err);
void exp_store_close(struct exp_store *st);
/* The build `id`, or the "newest", of which there are results. */
bool exp_store_build(struct exp_store *st, const char *id, char build[EXP_BUILD], struct err *err);
/* Adds the results of another file that are not here, of whatever build. */
bool exp_store_import(struct exp_store *st, const char *path, struct err *err);
/* One line a build; `build` is this one. */
void exp_store_list(struct exp_store *st, const char *build, FILE *out);
/* NULL: it is not there; *error (may be NULL) is then why, or NULL. */
struct json_object *exp_store_get(struct exp_store *st, const struct exp_setup *s,
                                  const struct exp_job *j, double *seconds, char **error);
/* The result or the error of a job. */
bool exp_store_put(struct exp_store *st, const struct exp_setup *s, const struct exp_job *j,
                   struct err *err);
/* How long it, or another design of the program, took before, by any build; `of_any_size`: at
 * another size if need be. NAN: not known. */
double exp_store_expect(struct exp_store *st, const struct exp_setup *s, const struct exp_job *j,
                        bool of_any_size);
/* Which Parsim this is. */
void exp_build(char id[EXP_BUILD]);

/* --- experiment_metric.c --- */

/* A number of a result: a name of the table there ("cycles", "energy", "ratio" ...), a path in the
 * JSON ("stats.l2.hit_rate"), a sum of them (a+b) or a quotient of sums (a+b/c+d). NAN: the result
 * has none. */
double exp_metric(const struct json_object *result, const char *design, const char *metric);
/* What the run's report calls its bottleneck; "" if it does not say. */
const char *exp_bottleneck(const struct json_object *result);
/* Adds what kernels say of a run that stays when they are left out of it. */
void exp_digest(struct json_object *result);

/* --- experiment_table.c: programs down, designs across --- */

enum exp_norm { EXP_AS_IS, EXP_OVER_BASE, EXP_BASE_OVER, EXP_SHARE };
enum exp_mean { EXP_GEOMETRIC, EXP_ARITHMETIC };

/* Of a program, on the machine without techniques. */
struct exp_fact {
    double bus, ratio;      /* share of the DRAM bus; bursts raw to encoded */
    double gain;            /* measured, of twice the DRAM bandwidth at base */
    const char *bottleneck; /* as the report says */
    bool kept;              /* by the paper's own rule */
};

struct exp_table {
    const char *title, *unit;
    const char *const *rows, *const *columns;
    size_t nrows, ncolumns;
    size_t stack;             /* so many columns side by side are parts of one whole; 1: none are */
    const char *const *parts; /* their names */
    double *values;           /* NAN: none */
    double *means;            /* of the rows that every column has */
    double *kept_means;       /* of those that are kept too */
    double *reported;         /* by a paper; NAN: not said */
    size_t complete, kept;    /* rows of both means */
    struct exp_fact *facts;   /* by row; NULL: not asked for */
    const char *rule;         /* which programs are kept */
    size_t missing;           /* runs that gave nothing: the table is not whole */
    enum exp_mean mean;
};

void exp_table_init(struct exp_table *t, size_t nrows, size_t ncolumns);
void exp_table_free(struct exp_table *t);
/* Divides by (or divides) column `reference`, row by row; or divides the columns of a stack by
 * their sum. */
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
