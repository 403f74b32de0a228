/* What workloads do on a machine: each runs at three bandwidths of DRAM, as child processes whose
 * results stay in a folder, and gives one row of numbers, which are printed, written and drawn. */
#ifndef STUDY_CHARACTERIZE_CHARACTERIZE_H
#define STUDY_CHARACTERIZE_CHARACTERIZE_H

#include "base/err.h"
#include "base/vec.h"

#include <stdio.h>

struct characterize_workload {
    const char *name;
    const char *said; /* by the papers of the original: memory, compute or latency */
};

struct characterize {
    VEC(struct characterize_workload) workloads;
    VEC(const char *) sets; /* "section.field=value", for every run */
    const char *size, *gpu;
    char *plugins;                 /* of every run, with commas between; NULL: none */
    const char *json, *csv, *plot; /* files, a folder of pictures; NULL: none */
    const char *results;           /* the folder of the runs' own results */
    uint64_t jobs;                 /* runs at once */
    bool is_quiet;
};

/* Whether the outputs can be written. */
bool characterize_probe(const struct characterize *c, struct err *err);
/* Runs what is not in the results' folder yet; false if a run failed or could not start. */
bool characterize_run(const struct characterize *c, struct err *err);
/* From the results' folder: tables to `out`, unless "-" is among the files, and the files. */
bool characterize_report(const struct characterize *c, FILE *out, struct err *err);

#endif
