/* The options of commands that run many programs: what a line says of struct study_setup. */
#ifndef APPS_SETUP_OPTIONS_H
#define APPS_SETUP_OPTIONS_H

#include "base/err.h"
#include "study/study.h"

#include <getopt.h>

enum {
    SETUP_OPTION_FIRST = 1000,
    SETUP_SIZE = SETUP_OPTION_FIRST,
    SETUP_JOBS,
    SETUP_THREADS,
    SETUP_QUIET,
    SETUP_LIMIT,
    SETUP_OUT,
    SETUP_SAMPLE
};

/* Rows of a command's table; the second: of one that keeps its results. */
#define SETUP_OPTIONS                                                                             \
    {"size", required_argument, NULL, SETUP_SIZE}, {"jobs", required_argument, NULL, SETUP_JOBS}, \
        {"threads", required_argument, NULL, SETUP_THREADS},                                      \
    {                                                                                             \
        "quiet", no_argument, NULL, SETUP_QUIET                                                   \
    }
#define SETUP_OPTIONS_KEPT                           \
    {"limit", required_argument, NULL, SETUP_LIMIT}, \
    {                                                \
        "out", required_argument, NULL, SETUP_OUT    \
    }

/* Of one whose runs may be sampled. */
#define SETUP_OPTION_SAMPLE                       \
    {                                             \
        "sample", no_argument, NULL, SETUP_SAMPLE \
    }

/* Takes one of these, which is SETUP_OPTION_FIRST or more, with its value. */
bool setup_options_take(struct study_setup *s, int c, const char *value, struct err *err);

#endif
