/* Energy of a run on a core, from its statistics. */
#ifndef A64_CPU_ENERGY_H
#define A64_CPU_ENERGY_H

#include "conf/conf.h"
#include "memo/memo.h"
#include "stats/stats.h"

struct cpu_energy_cfg {
    double scale;        /* of what is on the chip, which the rows have at 40 nm */
    double background_w; /* of a rank of DRAM */
    double leakage_w;    /* of the core and its caches */
    int64_t ranks;       /* of all channels */
#define CHIP(component, name, ...)  double name;
#define BOARD(component, name, ...) double name;
#include "a64/cpu_energy.def"
#undef CHIP
#undef BOARD
};
extern const struct conf_field cpu_energy_fields[];
extern const size_t cpu_energy_nfields;

/* Picojoules. */
struct cpu_energy {
    uint64_t core, l1d, l2, memo, dram, leakage;
};
extern const struct stat_row cpu_energy_rows[];
extern const size_t cpu_energy_nrows;

/* From the counters in `st` and the seconds that they took. `memo` NULL: no unit. */
struct cpu_energy cpu_energy_of(const struct cpu_energy_cfg *cfg, const struct memo_cfg *memo,
                                const struct stats *st, double seconds);
/* An access to a table of that size, at 40 nm. */
double cpu_energy_lut_pj(uint64_t bytes);
/* Area of a unit with a first table of that size, at 32 nm (Table 4.6), and of the processor. */
double cpu_energy_unit_mm2(uint64_t bytes);
#define CPU_ENERGY_PROCESSOR_MM2 8.0

#endif
