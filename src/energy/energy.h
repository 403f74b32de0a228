/* Energy from statistics: events times the picojoules of energy.def.
 *
 * Nothing in the machine knows about energy; it is computed from the counters of a run, or of a
 * part of it, and kept as counters itself (whole picojoules), so that it is sampled, differenced
 * and written like every other statistic. Energy is linear in the events but for the mean number of
 * lanes, which is that of the whole run so far. */
#ifndef ENERGY_ENERGY_H
#define ENERGY_ENERGY_H

#include "conf/conf.h"
#include "stats/stats.h"

struct energy_cfg {
#define ROWS_FILE "energy/energy_cfg.def"
#include "parsim/rows_members.h"
#define CHIP(component, name, ...)  double name;
#define BOARD(component, name, ...) double name;
#include "energy/energy.def"
};

extern const struct conf_field energy_fields[];
extern const size_t energy_nfields;

/* What is known besides the counters. */
struct energy_machine {
    double channels;
    double core_hz;
    double flit_bytes, l2_port_bytes;
    double dram_access_bytes, dram_row_bytes, bandwidth_scale;
};

enum energy_component {
#define COMPONENT(name, help) ENERGY_##name,
#include "energy/energy.def"
    ENERGY_COMPONENTS,
    ENERGY_MOST = 32 /* with those of techniques */
};

/* What a machine's energy is reported by: the components of energy.def, then those that techniques
 * have brought; a statistics group of its own. */
struct energy_table {
    size_t n;
    const char *names[ENERGY_MOST], *help[ENERGY_MOST];
    struct stat_row stats[ENERGY_MOST + 1]; /* n + 1 of them: with the total */
};
void energy_table_init(struct energy_table *t);
/* The components of a technique's rows. False: a row names one that nobody has described, or its
 * events are none. */
bool energy_table_add(struct energy_table *t, const struct energy_row *rows, size_t n,
                      struct err *err);

/* False and an error: the row counts what none of the statistics of a machine is. */
bool energy_check_row(const struct energy_row *r, const struct stats *st, struct err *err);

/* A row's events, "group.name + group.name / 16 ...", counted. */
double energy_events(const struct stats *st, const char *events);

/* Picojoules by component. */
struct energy_stats {
    uint64_t pj[ENERGY_MOST];
};

/* Rows of techniques that are on the machine, with their picojoules as configured. */
struct energy_extra {
    const struct energy_row *row;
    double pj;
};

/* What it is counted by on one machine. */
struct energy_model {
    const struct energy_cfg *cfg;
    const struct energy_table *table;
    struct energy_machine machine;
    const struct energy_extra *extras;
    size_t nextras;
};

/* Fills in `out` from `cycles` core cycles and the counters in `st`. */
void energy_count(const struct energy_model *e, const struct stats *st, double cycles,
                  struct energy_stats *out);

/* The rows of energy.def, for documentation and tests. */
extern const struct energy_row energy_rows[];
extern const size_t energy_nrows;

/* A run's energy as a person reads it. */
struct energy_summary {
    const struct energy_table *table;
    double joules[ENERGY_MOST];        /* by component of the table */
    double total_j, average_w, edp_js; /* energy x delay: joules x seconds */
};
/* From the group `energy` of `st`, which took `seconds`. */
void energy_summarize(const struct energy_table *t, const struct stats *st, double seconds,
                      struct energy_summary *out);

#endif
