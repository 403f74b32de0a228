/* What the subcommands share: numbers, sizes, triples, the list of workloads. */
#ifndef APPS_CLI_H
#define APPS_CLI_H

#include "base/err.h"
#include "study/study_matrix.h"

#include <stdio.h>

/* What getopt_long() returned '?' for, as an error; false. */
bool cli_refuse_option(char **argv, struct err *err);
/* "8", "0x10", "64K", "2M", "1G". */
bool cli_u64(const char *s, uint64_t *v);
/* --NAME TEXT: 1 to 256 of something. */
bool cli_count(const char *name, const char *text, uint64_t *v, struct err *err);
/* Host threads; 0 becomes as many as this process may use processors. */
bool cli_threads(const char *text, uint64_t *v, struct err *err);
/* --NAME TEXT: that many seconds; 0 is no limit. */
bool cli_seconds(const char *name, const char *text, uint64_t *v, struct err *err);
/* "x", "x,y" or "x,y,z"; missing ones are 1. */
bool cli_dims(const char *s, uint32_t dims[3]);
/* The rows of workloads/workloads.def, ended by one without a name. */
struct cli_workload {
    const char *name, *origin, *domain, *type;
    const char *bound; /* memory, compute or latency, as the papers have it of the original */
};
extern const struct cli_workload cli_workloads[];
/* Names of `parsim workloads`, and of --size; an error says what is known. A name with a slash is a
 * program, which must be there; its row has an empty name. */
const struct cli_workload *cli_find_workload(const char *name, struct err *err);
bool cli_check_workload(const char *name, struct err *err);
bool cli_check_size(const char *name, struct err *err);
/* --plugin FILE: one more of *list, which has commas between, is NULL at first and to be freed. */
bool cli_add_plugin(char **list, const char *file, struct err *err);
/* The default machine with the techniques of such a list too; NULL with an error. */
struct machine *cli_machine(const char *plugins, struct err *err);
/* Whether it is there and can be run. */
bool cli_check_program(const char *name, struct err *err);
/* What is left of a command line at optind: workloads, or, behind "--", a program with its
 * arguments; to m->programs, which are to be freed. */
bool cli_programs(struct study_matrix *m, int argc, char **argv, struct err *err);
/* EXIT_DONE, EXIT_FAILED or EXIT_USAGE. */
int cli_exit_code(enum study_end end);
/* Prints "parsim NAME: message" to stderr; returns EXIT_USAGE. */
int cli_fail(const char *command, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
