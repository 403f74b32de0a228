/* A field for every row of energy.def. */
#include "energy/energy.h"

const struct conf_field energy_fields[] = {
#define ROW(...) CONF_FIELD(energy_cfg, __VA_ARGS__)
#include "energy/energy_cfg.def"
#undef ROW
#define COMPONENT(...)
#define CHIP(component, name, pj, events, source) \
    CONF_FIELD(energy_cfg, REAL, name, #pj, 0, 1e9, "pJ", #events "; " source)
#define BOARD(...) CHIP(__VA_ARGS__)
#include "energy/energy.def"
#undef COMPONENT
#undef CHIP
#undef BOARD
};
const size_t energy_nfields = ARRAY_LEN(energy_fields);

const struct energy_row energy_rows[] = {
#define COMPONENT(...)
#define CHIP(component, name, pj, events, source) {#component, NULL, #name, pj, #events, source},
#define BOARD(...)                                CHIP(__VA_ARGS__)
#include "energy/energy.def"
#undef COMPONENT
#undef CHIP
#undef BOARD
};
const size_t energy_nrows = ARRAY_LEN(energy_rows);
