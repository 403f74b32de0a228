/* One figure: an experiment's file, the jobs that it needs, its table and what is written of it. */
#ifndef STUDY_FIGURE_H
#define STUDY_FIGURE_H

#include "study/study_file.h"

/* What the command line chose of the experiments. */
struct fig_choice {
    const char *workloads, *designs; /* comma-separated; NULL: all of the file */
    const char *gpu;                 /* NULL: the file's */
    const char *plugins;             /* of all runs (study_job) */
    bool is_strict;                  /* a name that the file does not have is an error */
};

struct fig {
    char *name; /* of its files */
    struct study_file *file;
    struct study_list workloads, designs;
    const char *gpu, *plugins;
    size_t *of;                       /* designs[i] is the file's design of[i] */
    size_t *jobs;                     /* numbers in the plan, by program and design */
    size_t *bases, *ratios, *doubles; /* the same, by program */
    char **columns;
    size_t reference; /* the column of the base */
    struct study_table table;
};

/* NULL with an error; *is_empty: nothing of it was chosen. */
struct fig *fig_load(const char *name, const struct fig_choice *choice, bool *is_empty,
                     struct err *err);
void fig_free(struct fig *f);
/* Refuses designs that `parsim run` does not know. */
bool fig_check(const struct fig *f, struct err *err);
/* Refuses a program that its kind of job does not have; `check` knows those of all others. */
bool fig_check_workload(const struct fig *f, const char *workload,
                        bool (*check)(const char *name, struct err *err), struct err *err);
void fig_plan(struct fig *f, struct study_plan *plan, unsigned rank);
/* When the plan's jobs have their results. */
bool fig_tabulate(struct fig *f, const struct study_job *jobs, struct err *err);
/* How many of its runs have no result; a line each if `out` is not NULL. */
size_t fig_missing(const struct fig *f, const struct study_job *jobs, FILE *out,
                   const char *prefix);
/* DIR/NAME.md and .svg, and .csv. */
bool fig_write(const struct fig *f, const struct study_setup *s, const struct study_job *jobs,
               const char *dir, bool with_csv, struct err *err);

/* study_overview.c: the table of all figures, in DIR/README.md, between the two marks that it
 * has for it; the rest of the file stays. A file that is not there is made. */
bool fig_overview(struct fig *const *figs, size_t n, const struct study_setup *s, const char *dir,
                  struct err *err);

#endif
