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
#define ROW(TYPE, name, ...) CONF_MEMBER_##TYPE name;
#include "energy/energy_cfg.def"
#undef ROW
#define COMPONENT(...)
#define CHIP(component, name, ...)  double name;
#define BOARD(component, name, ...) double name;
#include "energy/energy.def"
#undef COMPONENT
#undef CHIP
#undef BOARD
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
#define CHIP(...)
#define BOARD(...)
#include "energy/energy.def"
#undef COMPONENT
#undef CHIP
#undef BOARD
    ENERGY_COMPONENTS
};
extern const char *const energy_component_names[ENERGY_COMPONENTS];
extern const char *const energy_component_help[ENERGY_COMPONENTS];

/* Picojoules by component; a statistics group of its own. */
struct energy_stats {
    uint64_t pj[ENERGY_COMPONENTS];
};
extern const struct stat_row energy_stat_rows[];
extern const size_t energy_nstat_rows;

/* Fills in `out` from `cycles` core cycles and the counters in `st`. */
void energy_count(const struct energy_cfg *cfg, const struct energy_machine *m,
                  const struct stats *st, double cycles, struct energy_stats *out);

/* The rows, for documentation and tests. */
struct energy_row {
    enum energy_component component;
    const char *name, *events, *source;
    double pj; /* the default */
    bool is_chip;
};
extern const struct energy_row energy_rows[];
extern const size_t energy_nrows;

/* A run's energy as a person reads it. */
struct energy_summary {
    double joules[ENERGY_COMPONENTS];
    double total_j, average_w, edp_js; /* energy x delay: joules x seconds */
};
/* From the group `energy` of `st`, which took `seconds`. */
void energy_summarize(const struct stats *st, double seconds, struct energy_summary *out);

#endif
