/* parsim cpu profile and trace: what a program executed, and which of its regions repeat. */
#ifndef APPS_CPU_PROFILE_H
#define APPS_CPU_PROFILE_H

#include "a64/machine.h"
#include "a64/tracer.h"
#include "dddg/regions.h"

struct cpu_profile_options {
    struct a64_options guest;
    const struct cpu_cfg *machine;
    struct a64_window window;
    struct dddg_limits limits;
    uint64_t top; /* regions that are reported */
    const char *json, *csv;
    const char *apply; /* the memoized program that is made; NULL: none */
    unsigned cut;      /* bits off each of its functions' arguments */
    bool is_trusted;   /* paths of its functions that were not taken are not looked at */
    bool is_quiet;
};

/* Exit codes of the command. */
int cpu_profile_program(const struct cpu_profile_options *o, struct err *err);
/* The window's instructions as CSV, to o->csv or standard output. */
int cpu_trace_program(const struct cpu_profile_options *o, struct err *err);

#endif
