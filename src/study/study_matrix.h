/* Programs times designs: the runs of `parsim compare` and `parsim sweep`, made once and, where
 * there is a folder for them, kept. */
#ifndef STUDY_STUDY_MATRIX_H
#define STUDY_STUDY_MATRIX_H

#include "study/study_file.h"

struct study_program {
    const char *name;     /* of a workload, or for tables */
    char *const *program; /* its arguments, ended by NULL; NULL: a workload */
};

struct study_matrix {
    struct study_setup setup; /* setup.folder: where results are kept; NULL: nowhere */
    const char *gpu;
    const char *plugins;       /* libraries with designs, with commas between; NULL: none */
    struct study_list designs; /* the first is the base of speedups */
    struct study_program *programs;
    size_t nprograms;
    char build[STUDY_BUILD];
    struct study_job
        *jobs; /* by program and design; the struct's own from study_matrix_plan() on */
    size_t n;
};

void study_matrix_plan(struct study_matrix *m);
void study_matrix_free(struct study_matrix *m);
/* Designs that `parsim run` does not know. */
bool study_matrix_check(const struct study_matrix *m, struct err *err);
/* What is not kept is run; `only`: just that job, SIZE_MAX: all. */
bool study_matrix_run(struct study_matrix *m, size_t only, struct err *err);
/* Takes what is kept and runs nothing; how many are missing. */
bool study_matrix_recall(struct study_matrix *m, size_t *missing, struct err *err);

size_t study_matrix_missing(const struct study_matrix *m);
/* The first job that failed, as an error. */
bool study_matrix_holds(const struct study_matrix *m, struct err *err);
/* A number of a run; NAN: it has none. */
double study_matrix_value(const struct study_matrix *m, size_t job, const char *metric);
/* Says of runs that are sampled, or too short to mean anything, that they are. */
void study_matrix_warn(const struct study_matrix *m, FILE *out);

/* study_sqlite.c: every run with its notes and statistics, in the tables that `run --db` makes. */
/* Whether it can be written there: to a new file or an old one. NULL: nothing is to be. */
bool study_matrix_probe_db(const char *path, struct err *err);
bool study_matrix_write_db(const struct study_matrix *m, const char *path, struct err *err);

#endif
