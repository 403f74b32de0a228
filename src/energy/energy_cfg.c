/* A field for every row of energy.def. */
#include "energy/energy.h"

const struct conf_field energy_fields[] = {
#define ROWS_FILE   "energy/energy_cfg.def"
#define ROWS_STRUCT energy_cfg
#include "parsim/rows_entries.h"
#define CHIP(component, name, pj, events, source) \
    CONF_FIELD(energy_cfg, REAL, name, #pj, 0, 1e9, "pJ", #events "; " source)
#define BOARD(...) CHIP(__VA_ARGS__)
#include "energy/energy.def"
};
const size_t energy_nfields = ARRAY_LEN(energy_fields);

const struct energy_row energy_rows[] = {
#define CHIP(component, name, pj, events, source) {#component, NULL, #name, pj, #events, source},
#define BOARD(...)                                CHIP(__VA_ARGS__)
#include "energy/energy.def"
};
const size_t energy_nrows = ARRAY_LEN(energy_rows);
