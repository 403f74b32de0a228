/* What workloads are on a machine, a row each: how much memory, how many blocks, what they do to
 * SMs, L2 and DRAM, and what twice the bandwidth of DRAM gains. */
#ifndef STUDY_STUDY_SURVEY_H
#define STUDY_STUDY_SURVEY_H

#include "study/study.h"

enum study_output { STUDY_TEXT, STUDY_JSON, STUDY_CSV };

struct study_survey {
    struct study_setup setup; /* its folder keeps the results, together with those of figures */
    const char *gpu;
    const char *const *workloads;
    size_t n;
    enum study_output output;
};

/* Runs each as it is and with twice the bandwidth, unless the folder has the results; writes the
 * table to `out`. */
enum study_end study_survey(const struct study_survey *o, FILE *out, struct err *err);

#endif
