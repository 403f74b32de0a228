/* Designs beside each other on one or more programs: cycles, bandwidth, compression, energy. */
#ifndef STUDY_STUDY_COMPARE_H
#define STUDY_STUDY_COMPARE_H

#include "study/study_file.h"

struct study_compare {
    struct study_setup setup;
    const char *gpu;
    const char *plugins;           /* libraries with designs, with commas between; NULL: none */
    const char *json, *csv, *plot; /* files; NULL: none */
    struct study_list designs;     /* the first is the base of speedups */
    char **programs;               /* names of workloads */
    size_t nprograms;
    char *const *program; /* or one with its arguments; NULL: workloads */
};

/* Runs every design on every program; prints the table to `out`, unless the JSON goes to standard
 * output, and writes the files. */
enum study_end study_compare(const struct study_compare *o, FILE *out, struct err *err);

#endif
