/* Our models beside other simulators and hand calculation: every row of reference tables is a
 * check.
 */
#ifndef VALIDATE_VALIDATE_H
#define VALIDATE_VALIDATE_H

#include "base/err.h"

#include <stdio.h>

struct validate_options {
    const char *data; /* folder of the reference tables; NULL: tests/data/reference, looked for in
                       * the current folder and around the program */
    const char *json, *plot; /* a file; a folder for curves; NULL: none */
    bool quick;              /* fewer rows, shorter runs */
};

struct validate_count {
    size_t passed, failed;
};

/* noc, dram or gpu. */
bool validate_knows(const char *subject);
/* Prints a line a check to `out`; false: it could not be done. */
bool validate(const char *subject, const struct validate_options *o, FILE *out,
              struct validate_count *count, struct err *err);

#endif
