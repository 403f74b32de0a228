/* Designs beside each other on one or more programs: cycles, bandwidth, compression, energy. */
#ifndef STUDY_STUDY_COMPARE_H
#define STUDY_STUDY_COMPARE_H

#include "study/study_matrix.h"

struct study_compare {
    struct study_matrix matrix;
    const char *json, *csv, *plot, *db; /* files; NULL: none */
};

/* Runs every design on every program; prints the table to `out`, unless the JSON goes to standard
 * output, and writes the files. */
enum study_end study_compare(struct study_compare *o, FILE *out, struct err *err);

#endif
