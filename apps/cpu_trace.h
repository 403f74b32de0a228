/* The timeline of a run on a core: functions of the program, regions of interest. */
#ifndef APPS_CPU_TRACE_H
#define APPS_CPU_TRACE_H

#include "a64/machine.h"

struct cpu_trace;

/* NULL with an error. It observes the core from now on. */
struct cpu_trace *cpu_trace_new(const char *path, struct cpu *cpu, const struct a64_process *p,
                                const struct cpu_cfg *cfg, struct err *err);
void cpu_trace_free(struct cpu_trace *t);
void cpu_trace_region(struct cpu_trace *t, bool is_begin, cycle_t now);
bool cpu_trace_close(struct cpu_trace *t, int interrupted, struct err *err);

#endif
