/* parsim cpu profile --apply: a memoized program out of an executable. */
#ifndef APPS_CPU_APPLY_H
#define APPS_CPU_APPLY_H

#include "a64/pure.h"

/* Chooses among the functions that a run has shown, says which and why not others, and writes
 * `out`. False with an error: also if there is none. */
bool cpu_apply(const struct a64_process *p, const struct pure_finder *f, const char *out,
               unsigned cut, bool is_quiet, struct err *err);

#endif
