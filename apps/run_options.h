/* The options that `parsim run` and `parsim launch` share: the rows of gpu/session_options.def. */
#ifndef APPS_RUN_OPTIONS_H
#define APPS_RUN_OPTIONS_H

#include "base/vec.h"
#include "gpu/session.h"

#include <getopt.h>
#include <stdio.h>

enum { RUN_OPTION_FIRST = 1000, RUN_OPTIONS_MAX = 64 };

/* What options that may be repeated have named, as one more of the sets: "KEY=VALUE,VALUE". */
struct run_list {
    const char *key, *option; /* option: that needs a timed run, or NULL */
    char *text;
};

struct run_options {
    struct session_options o;
    VEC(const char *) sets;
    VEC(struct run_list) lists; /* plug-ins, techniques, files for techniques */
    VEC(char *) inputs;         /* files that these options read */
};

/* Appends the shared options to a command's own (ended by a zero row); `all` has RUN_OPTIONS_MAX
 * rows. */
void run_options_table(struct option *all, const struct option *own);
/* A line of help an option; with the variables of the environment if `variables`. */
void run_options_help(FILE *out, bool variables);
/* Takes an option that getopt_long() returned; *is_mine: it was one of these. */
bool run_options_take(struct run_options *r, int c, const char *value, bool *is_mine,
                      struct err *err);
/* After the last option: what was not given comes from the environment, as it would be read by
 * session_from_environment(). */
bool run_options_inherit(struct run_options *r, struct err *err);
/* After that: what they mean together; wrong machines, keys and values are refused, and
 * outputs that cannot be written. */
bool run_options_finish(struct run_options *r, struct err *err);
/* With further outputs and inputs of the command: no two outputs are the same file, and those of
 * these options replace nothing that is read. */
bool run_options_check_files(const struct run_options *r, const char *const *outputs, size_t n,
                             const char *const *inputs, size_t m, struct err *err);
/* Builds the machine with its techniques once, so that what they refuse (routines, saved codes)
 * stops the run before the program starts. */
bool run_options_try(const struct run_options *r, struct err *err);
/* Sets the environment for session_from_environment(); paths become absolute. */
bool run_options_export(const struct run_options *r, struct err *err);
void run_options_free(struct run_options *r);

#endif
