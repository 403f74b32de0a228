/* What the subcommands share: numbers, sizes, triples. */
#ifndef APPS_CLI_H
#define APPS_CLI_H

#include "base/err.h"

#include <stdio.h>

/* "8", "0x10", "64K", "2M", "1G". */
bool cli_u64(const char *s, uint64_t *v);
/* "x", "x,y" or "x,y,z"; missing ones are 1. */
bool cli_dims(const char *s, uint32_t dims[3]);
/* Prints "parsim NAME: message" to stderr; returns EXIT_USAGE. */
int cli_fail(const char *command, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
