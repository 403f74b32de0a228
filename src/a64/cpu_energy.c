/* Events times picojoules. */
#include "a64/cpu_energy.h"

#include "energy/energy.h"

#define FIELD(name, dflt, min, max, unit, help) \
    CONF_FIELD(cpu_energy_cfg, REAL, name, dflt, min, max, unit, help)
const struct conf_field cpu_energy_fields[] = {
    FIELD(scale, "1", 0.001, 100, "", "of the on-chip energies below, which are those of 40 nm")
        FIELD(background_w, "0.456", 0, 100, "W", "of a rank of DRAM, idle (IDD)")
            FIELD(leakage_w, "0.1", 0, 100, "W",
                  "of the core and its caches: our estimate, 8 mm2 at 32 nm")
                CONF_FIELD(cpu_energy_cfg, INT, ranks, "4", 0, 1024, "", "of DRAM, in all channels")
#define CHIP(component, name, pj, events, source)  FIELD(name, #pj, 0, 1e9, "pJ", source)
#define BOARD(component, name, pj, events, source) FIELD(name, #pj, 0, 1e9, "pJ", source)
#include "a64/cpu_energy.def"
#undef CHIP
#undef BOARD
};
const size_t cpu_energy_nfields = ARRAY_LEN(cpu_energy_fields);

/* --- as statistics --- */

static double processor(const void *p)
{
    const struct cpu_energy *e = p;
    return (double)(e->core + e->l1d + e->l2 + e->memo);
}

#define COUNTED(name, help) STAT_ROW_COUNTER(cpu_energy, name, "pJ", help)
const struct stat_row cpu_energy_rows[] = {
    COUNTED(core, "instructions: fetch, decode, registers, units") COUNTED(l1d, "data cache")
        COUNTED(l2, "second-level cache")
            COUNTED(memo, "memoization unit, its lines of the second-level cache among it")
                COUNTED(dram, "memory, with its background")
                    COUNTED(leakage, "of core and caches (energy.leakage_w), in no other sum"){
                        "processor", STAT_FORMULA, sizeof(struct cpu_energy), "pJ",
                        "all but the memory", processor},
};
const size_t cpu_energy_nrows = ARRAY_LEN(cpu_energy_rows);

/* --- counting --- */

/* Table 4.6 has 4, 8 and 16 KB; in between and beyond, as along their lines. */
static double along(const double at[3], const double v[3], uint64_t bytes)
{
    const unsigned k = bytes < (uint64_t)at[1] ? 0 : 1;
    const double slope = (v[k + 1] - v[k]) / (at[k + 1] - at[k]);
    return bytes ? v[k] + ((double)bytes - at[k]) * slope : 0;
}

double cpu_energy_lut_pj(uint64_t bytes)
{
    static const double at[] = {4096, 8192, 16384}, pj[] = {4.070, 5.528, 9.043};
    return along(at, pj, bytes);
}

double cpu_energy_unit_mm2(uint64_t bytes)
{
    static const double at[] = {4096, 8192, 16384}, mm2[] = {0.0217, 0.0364, 0.0673};
    const double crc = 0.0146, hvr = 0.0018;
    return crc + hvr + along(at, mm2, bytes);
}

/* An invalidation accesses every way of a set once. */
static double tables_pj(const struct cpu_energy_cfg *cfg, const struct memo_cfg *m,
                        const struct stats *st)
{
    const double l1 = energy_events(st, "memo.lookups + memo.updates + memo.fills") +
                      memo_ways(m) * energy_events(st, "memo.invalidates");
    const double l2 =
        energy_events(st, "memo.lookups - memo.l1_hits + memo.updates + memo.evict_l1");
    return l1 * cpu_energy_lut_pj(m->l1_bytes) + (m->l2_ways ? l2 * cfg->l2_line : 0);
}

struct cpu_energy cpu_energy_of(const struct cpu_energy_cfg *cfg, const struct memo_cfg *memo,
                                const struct stats *st, double seconds)
{
    struct {
        double core, l1d, l2, memo, dram, leakage;
    } pj = {0};
#define CHIP(component, name, unused, events, source) \
    pj.component += cfg->scale * cfg->name * energy_events(st, events);
#define BOARD(component, name, unused, events, source) \
    pj.component += cfg->name * energy_events(st, events);
#include "a64/cpu_energy.def"
#undef CHIP
#undef BOARD
    if (memo)
        pj.memo += cfg->scale * tables_pj(cfg, memo, st);
    pj.dram += cfg->background_w * (double)cfg->ranks * seconds * 1e12;
    pj.leakage = cfg->leakage_w * seconds * 1e12;
#define WHOLE(name) .name = (uint64_t)(pj.name + 0.5)
    return (struct cpu_energy){WHOLE(core), WHOLE(l1d),  WHOLE(l2),
                               WHOLE(memo), WHOLE(dram), WHOLE(leakage)};
#undef WHOLE
}
