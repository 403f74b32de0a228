#include "energy/energy.h"

#include <stdio.h>

/* What formulas of events may use: F(...). */
struct energy_facts {
    double sm_busy_ns;
    double flit_hops_32, noc_link_mm; /* hops of 32 bytes */
    double l2_sectors, dram_sectors;  /* of 32 bytes */
    double dram_access_bytes, dram_row_bytes, dram_channel_ns, bandwidth_scale;
    double is_e2mc; /* 1: the engines are those of entropy coding */
};

static double get(const struct stats *st, const char *key)
{
    double v = 0;
    stats_get(st, key, &v);
    return v;
}

static double flits_over_routers(const struct stats *st)
{
    return get(st, "noc.hops") + get(st, "noc_request.hops") + get(st, "noc_reply.hops");
}

static struct energy_facts facts_of(const struct energy_cfg *cfg, const struct energy_machine *m,
                                    const struct stats *st, double seconds)
{
    return (struct energy_facts){
        .sm_busy_ns = get(st, "sm.busy_cycles") / m->core_hz * 1e9,
        .flit_hops_32 = flits_over_routers(st) * m->flit_bytes / 32,
        .noc_link_mm = cfg->noc_link_mm,
        .l2_sectors = (get(st, "l2.data_busy") + get(st, "l2.fill_busy")) * m->l2_port_bytes / 32,
        .dram_sectors = (get(st, "dram.rd") + get(st, "dram.wr")) * m->dram_access_bytes / 32,
        .dram_access_bytes = m->dram_access_bytes,
        .dram_row_bytes = m->dram_row_bytes,
        .dram_channel_ns = m->channels * seconds * 1e9,
        .bandwidth_scale = m->bandwidth_scale,
        .is_e2mc = get(st, "e2mc.compress_units") > 0};
}

void energy_count(const struct energy_cfg *cfg, const struct energy_machine *m,
                  const struct stats *st, double cycles, struct energy_stats *out)
{
    const double seconds = cycles / m->core_hz;
    const struct energy_facts f = facts_of(cfg, m, st, seconds);
    double pj[ENERGY_COMPONENTS] = {0};
    pj[ENERGY_leakage] = cfg->static_w * seconds * 1e12;
#define F(fact)           f.fact
#define K(group, counter) get(st, #group "." #counter)
#define COMPONENT(...)
#define CHIP(component, name, unused, events, source) \
    pj[ENERGY_##component] += cfg->scale * cfg->name * (events);
#define BOARD(component, name, unused, events, source) \
    pj[ENERGY_##component] += cfg->name * (events);
#include "energy/energy.def"
#undef COMPONENT
#undef CHIP
#undef BOARD
#undef F
#undef K
    for (unsigned i = 0; i < ENERGY_COMPONENTS; i++)
        out->pj[i] = (uint64_t)(pj[i] + 0.5);
}

/* --- as statistics --- */

static double total_pj(const void *p)
{
    const struct energy_stats *s = p;
    double sum = 0;
    for (unsigned i = 0; i < ENERGY_COMPONENTS; i++)
        sum += (double)s->pj[i];
    return sum;
}

const struct stat_row energy_stat_rows[] = {
#define CHIP(...)
#define BOARD(...)
#define COMPONENT(name, help) \
    {#name, STAT_COUNTER, (uint32_t)(ENERGY_##name * sizeof(uint64_t)), "pJ", help, NULL},
#include "energy/energy.def"
#undef COMPONENT
#undef CHIP
#undef BOARD
    {"total", STAT_FORMULA, 0, "pJ", "all components", total_pj},
};
const size_t energy_nstat_rows = ARRAY_LEN(energy_stat_rows);

void energy_summarize(const struct stats *st, double seconds, struct energy_summary *out)
{
    *out = (struct energy_summary){0};
    for (unsigned i = 0; i < ENERGY_COMPONENTS; i++) {
        char key[64];
        snprintf(key, sizeof key, "energy.%s", energy_component_names[i]);
        out->joules[i] = get(st, key) * 1e-12;
        out->total_j += out->joules[i];
    }
    out->average_w = stat_ratio(out->total_j, seconds);
    out->edp_js = out->total_j * seconds;
}
