/* A machine with one core: its file and settings, and what is built of them. */
#ifndef A64_MACHINE_H
#define A64_MACHINE_H

#include "a64/core.h"
#include "a64/cpu_energy.h"
#include "dram/dram.h"
#include "mem/l2.h"
#include "mem/mem_ctrl.h"

/* The files of cpus/, in the program. */
struct cpu_file {
    const char *name, *text;
};
const struct cpu_file *cpu_files(void);

struct cpu_cfg {
    struct conf *conf;
    struct a64_core_cfg core;
    struct a64_timing_cfg timing;
    struct l1_cfg l1i, l1d;
    struct l2_cfg l2; /* of a slice, all of its ways */
    struct interleave_cfg map;
    struct mem_ctrl_cfg mc;
    struct dram_cfg dram, dram_resolved;
    struct memo_cfg memo;
    struct cpu_energy_cfg energy;
};

/* `name` of a file of cpus/, or a path (*.yaml); settings "section.field=value". NULL with an error
 * that says where. */
struct cpu_cfg *cpu_cfg_new(const char *name, char *const *settings, size_t nsettings,
                            struct err *err);
void cpu_cfg_free(struct cpu_cfg *c);
/* Sets of the memoization unit's second table in a way of the whole L2. */
unsigned cpu_cfg_way_sets(const struct cpu_cfg *c);

struct cpu;

/* A process on a core of that configuration, which must live as long. */
struct cpu *cpu_new(const struct cpu_cfg *cfg, struct a64_process *process, struct err *err);
void cpu_free(struct cpu *c);
struct a64_core *cpu_core(struct cpu *c);
/* Until the core's cycle `limit`, or its end. An error: nothing goes on. */
bool cpu_run(struct cpu *c, cycle_t limit, struct err *err);
/* Groups core, a64_l1i, a64_l1d, a64_l2, mc, dram. */
void cpu_add_stats(const struct cpu *c, struct stats *st);
/* For tests: components of equal time in another order; ticked in every cycle. */
void cpu_shuffle(struct cpu *c, uint64_t seed);

#endif
