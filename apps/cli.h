/* What the subcommands share: numbers, sizes, triples. */
#ifndef APPS_CLI_H
#define APPS_CLI_H

#include "base/err.h"

#include <stdio.h>

/* "8", "0x10", "64K", "2M", "1G". */
bool cli_u64(const char *s, uint64_t *v);
/* "x", "x,y" or "x,y,z"; missing ones are 1. */
bool cli_dims(const char *s, uint32_t dims[3]);
/* Names of `parsim workloads`, and of --size; an error says what is known. */
extern const char *const cli_workloads[];
extern const size_t cli_nworkloads;
bool cli_check_workload(const char *name, struct err *err);
bool cli_check_size(const char *name, struct err *err);
/* The file that execvp() would run; to be freed. */
char *cli_find_program(const char *name);
/* Whether it is there and can be run. */
bool cli_check_program(const char *name, struct err *err);
/* Prints "parsim NAME: message" to stderr; returns EXIT_USAGE. */
int cli_fail(const char *command, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
