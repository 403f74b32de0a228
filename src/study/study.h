/* Many runs of many designs, for `parsim compare`, `figure` and `workloads --table`: child
 * processes, what they gave, and tables and pictures of it.
 *
 * A design is written NAME[+NAME...][@KEY=VALUE...]: techniques for `parsim run --with`, and fields
 * for `--set`; "base" stands for no technique. "{FIELD}" as a value is a file that an earlier run
 * of the workload wrote (study_kind_run.c). In experiments about data alone a design is a codec of
 * `parsim codec`, @sample=BYTES its sampling phase, @values=N the codewords of its table, and
 * shannon-L the bound for symbols of L bits. */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "base/err.h"

#include <stdio.h>

struct json_object;

enum study_kind {
#define KIND(id, name) STUDY_##id,
#define PART           KIND
#include "study/study_kinds.def"
};

/* How a study ended; the worse, the larger. */
enum study_end {
    STUDY_DONE,
    STUDY_INCOMPLETE, /* a run failed */
    STUDY_REFUSED     /* wrong input, or an output that cannot be written */
};

static inline enum study_end study_worse(enum study_end a, enum study_end b)
{
    return a > b ? a : b;
}

enum { STUDY_BUILD = 17 }; /* 16 hexadecimal digits and a NUL */

/* What all runs of a command share. */
struct study_setup {
    const char *build; /* whose results are known (study_build()) */
    const char *size;
    uint64_t threads, jobs; /* host threads of a run; runs at once */
    uint64_t limit;         /* seconds after which a run is stopped; 0: never */
    uint64_t time;          /* seconds after which all are stopped; 0: never */
    const char *folder;     /* for dumps and codes; NULL: none are kept */
    bool quiet;             /* no progress */
    bool is_sampled;        /* `run --sample`; of compare and sweep */
};

struct study_job {
    enum study_kind kind;
    const char *gpu;
    const char *workload; /* a name of `parsim workloads`, or a program (below); NULL: */
    char *const *program; /* the arguments of a program, ended by NULL */
    const char *design;
    const char *plugins; /* libraries with designs, with commas between; NULL: none */
    const char *saves;   /* the field by which it writes a file that others need; NULL: none */
    unsigned rank;       /* lower ones first */
    bool is_sampled;     /* `run --sample` */
    bool keeps_kernels;  /* with their statistics; such a result is not for a store */
    struct json_object
        *result; /* of --json, without kernels and machine unless kept; NULL: failed */
    char *error;
    double seconds, cpu_seconds;
};

struct study_store;

/* --- study_pool.c --- */

/* Runs all jobs; results that `store` (may be NULL) has are taken from there, others are put there
 * as soon as they come. A job that fails or takes too long has an error; false: nothing more could
 * be run. A job that needs a file of another must have that one among `jobs` (study_plan_add()). */
bool study_run(const struct study_setup *s, struct study_job *jobs, size_t n,
               struct study_store *store, struct err *err);
/* Only what the store has, and why the rest failed. */
void study_recall(const struct study_setup *s, struct study_job *jobs, size_t n,
                  struct study_store *store);
void study_jobs_free(struct study_job *jobs, size_t n);

/* --- study_kind.c, study_child.c, study_words.c --- */

/* A name with a slash is a user's program, with its arguments behind blanks: "./scan 1000", quoted
 * as in a shell. */
bool study_is_program(const char *workload);
/* What a workload is called in names of files; to be freed. */
char *study_file_name(const char *workload);
/* The program's file; to be freed. NULL: it cannot be read. */
char *study_program_file(const char *workload, struct err *err);

/* The file that execvp() would run; to be freed. */
char *study_find_program(const char *name);

/* Refuses a design that `parsim run` does not know. */
bool study_check_design(const struct study_job *j, struct err *err);
/* `name` in the folder of this binary. */
char *study_beside(const char *name);

/* --- study_plan.c: the jobs of several figures, each once --- */

struct study_plan;
struct study_plan *study_plan_new(void);
void study_plan_free(struct study_plan *p);
/* The job's number, that of an equal one if there is one; `j`'s texts must outlive the plan. Jobs
 * that make files which it needs are added too. */
size_t study_plan_add(struct study_plan *p, const struct study_job *j);
struct study_job *study_plan_jobs(struct study_plan *p, size_t *n);

/* --- study_store.c: results in an SQLite file, so that a killed run goes on. Results of
 * another build of Parsim (its library and its workloads, byte by byte), or of a machine's file
 * that has changed, are not used unless the setup names that build. --- */

struct study_store *study_store_open(const char *path, struct err *err);
/* results.db of a folder, which is made if need be, and whose results are known there. */
struct study_store *study_store_of(const char *folder, char build[STUDY_BUILD], struct err *err);
void study_store_close(struct study_store *st);
/* The build `id`, or the "newest", of which there are results. */
bool study_store_build(struct study_store *st, const char *id, char build[STUDY_BUILD],
                       struct err *err);
/* Adds the results of another file that are not here, of whatever build. */
bool study_store_import(struct study_store *st, const char *path, struct err *err);
/* One line a build; `build` is this one. */
void study_store_list(struct study_store *st, const char *build, FILE *out);
/* NULL: it is not there; *error (may be NULL) is then why, or NULL. */
struct json_object *study_store_get(struct study_store *st, const struct study_setup *s,
                                    const struct study_job *j, double *seconds, char **error);
/* The result or the error of a job. */
bool study_store_put(struct study_store *st, const struct study_setup *s, const struct study_job *j,
                     struct err *err);
/* How long it, or another design of the program, took before, by any build; `of_any_size`: at
 * another size if need be. NAN: not known. */
double study_store_expect(struct study_store *st, const struct study_setup *s,
                          const struct study_job *j, bool of_any_size);
/* Which Parsim this is. */
void study_build(char id[STUDY_BUILD]);

/* --- study_metric.c --- */

/* A number of a result: a name of the table there ("cycles", "energy", "ratio" ...), a path in the
 * JSON ("stats.l2.hit_rate"), a sum of them (a+b) or a quotient of sums (a+b/c+d). NAN: the result
 * has none. */
double study_metric(const struct json_object *result, const char *design, const char *metric);
/* How much faster `other` is; NAN: one of them failed. */
double study_gain(const struct study_job *base, const struct study_job *other);
/* The measure of being bound by bandwidth: what this gains over "base". */
#define STUDY_TWICE_THE_BANDWIDTH "base@dram.bandwidth_scale=2"
/* What the run's report calls its bottleneck; "" if it does not say. */
const char *study_bottleneck(const struct json_object *result);
/* Adds what kernels say of a run that stays when they are left out of it. */
void study_digest(struct json_object *result);

/* --- study_table.c: programs down, designs across --- */

enum study_norm { STUDY_AS_IS, STUDY_OVER_BASE, STUDY_BASE_OVER, STUDY_SHARE };
enum study_mean { STUDY_GEOMETRIC, STUDY_ARITHMETIC };

/* Of a program, on the machine without techniques. */
struct study_fact {
    double bus, ratio;      /* share of the DRAM bus; bursts raw to encoded */
    double gain;            /* measured, of twice the DRAM bandwidth at base */
    const char *bottleneck; /* as the report says */
    bool kept;              /* by the paper's own rule */
};

struct study_table {
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
    struct study_fact *facts; /* by row; NULL: not asked for */
    const char *rule;         /* which programs are kept */
    size_t missing;           /* runs that gave nothing: the table is not whole */
    enum study_mean mean;
    size_t base; /* the column that others are divided by; SIZE_MAX: none is */
};

void study_table_init(struct study_table *t, size_t nrows, size_t ncolumns);
void study_table_free(struct study_table *t);
/* Divides by (or divides) column `reference`, row by row; or divides the columns of a stack by
 * their sum. */
void study_table_normalise(struct study_table *t, enum study_norm norm, size_t reference);
void study_table_average(struct study_table *t, enum study_mean mean);
void study_table_print(const struct study_table *t, FILE *out);
void study_table_markdown(const struct study_table *t, FILE *out);
void study_table_csv(const struct study_table *t, FILE *out);
/* A field of CSV, in quotes if it has commas, quotes or ends of lines. */
void study_csv_text(FILE *out, const char *text);
/* One sentence a design whose mean the paper says. */
void study_table_beside_paper(const struct study_table *t, FILE *out, const char *prefix);
/* As SVG: bars in groups; study_plot.c. */
void study_table_plot(const struct study_table *t, FILE *out);

/* "-" where there is none. */
void study_put_number(FILE *out, double v, int width, int digits);
double study_mean_of(const double *values, size_t n, enum study_mean mean);

#endif
