/* Every combination of some values of some fields and some techniques, on some programs. */
#ifndef STUDY_STUDY_SWEEP_H
#define STUDY_STUDY_SWEEP_H

#include "study/study_matrix.h"

enum { SWEEP_AXES = 16, SWEEP_POINTS = 4096 };

struct study_axis {
    char *key;                /* a field of the machine; "with": techniques */
    struct study_list values; /* in order */
};

struct study_sweep {
    struct study_matrix matrix; /* designs: made by study_sweep_points() */
    struct study_axis axes[SWEEP_AXES];
    size_t naxes;
    struct study_list metrics;
    const char *json, *csv, *plot, *db; /* files; NULL: none */
    bool collects;                      /* runs nothing */
    size_t only;                        /* runs this job and prints nothing; SIZE_MAX: all */
    const char *slurm; /* of --slurm: the words of the command line; NULL: not asked */
};

/* "KEY=V,V" */
bool study_sweep_add_set(struct study_sweep *s, const char *text, struct err *err);
/* The techniques, "base" for none. */
bool study_sweep_add_with(struct study_sweep *s, const char *text, struct err *err);
/* After the last axis: matrix.designs. */
bool study_sweep_points(struct study_sweep *s, struct err *err);
enum study_end study_sweep(struct study_sweep *s, FILE *out, struct err *err);
void study_sweep_free(struct study_sweep *s);

/* study_slurm.c: writes FOLDER/slurm.sh, an array job with a task for every run that is not kept,
 * and submits it. */
bool study_slurm_submit(const struct study_sweep *s, FILE *out, struct err *err);

#endif
