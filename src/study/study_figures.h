/* Experiments of a command line: run, tabled, drawn, and beside what a paper says. */
#ifndef STUDY_STUDY_FIGURES_H
#define STUDY_STUDY_FIGURES_H

#include "study/study_figure.h"

struct study_figures {
    struct study_setup setup;
    struct fig_choice choice;
    const char *report; /* the folder of pages of what is known, without runs; NULL: run */
    const char *import; /* a file of results that are added first */
    const char *build;  /* of which build results are taken; NULL: this one's */
    bool builds;        /* only says of which builds there are results */
    bool (*check_workload)(const char *name, struct err *err);
    void (*say)(const char *fmt, ...); /* one error; what can be done without it is done */
};

/* A name is that of an experiment, the start of some, or "all". Tables go to `out`. */
enum study_end study_figures(const struct study_figures *o, char **names, int n, FILE *out);
/* The experiments that come with Parsim, a line each. */
bool study_figures_list(FILE *out, struct err *err);

#endif
