/* One run of parsim cpu: functional or in time, what it writes, how it ends. */
#ifndef APPS_CPU_RUN_H
#define APPS_CPU_RUN_H

#include "a64/machine.h"

struct cpu_run_options {
    struct a64_options guest;
    const struct cpu_cfg *machine;
    uint64_t max_inst, interval;
    const char *json, *csv, *db, *trace;
    bool is_functional, is_quiet;
};

/* The exit code of the command. */
int cpu_run_program(const struct cpu_run_options *o, struct err *err);

#endif
