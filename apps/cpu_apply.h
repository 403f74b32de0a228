/* parsim cpu profile --apply: a memoized program out of an executable. */
#ifndef APPS_CPU_APPLY_H
#define APPS_CPU_APPLY_H

#include "a64/pure.h"

struct cpu_apply_options {
    const char *out;
    const struct a64_timing_cfg *timing;
    unsigned cut;
    bool is_trusted; /* paths that were not taken are not looked at */
    bool is_quiet;
};

/* Chooses among the functions that a run has shown, says which and why not others, and writes
 * o->out. False with an error: also if there is none. */
bool cpu_apply(const struct a64_process *p, const struct pure_finder *f,
               const struct cpu_apply_options *o, struct err *err);

#endif
