/* Facts of a run as functions of its counters, for every writer the same. */
#include "gpu/report_int.h"

#include <string.h>

const char *const fact_slot_names[FACT_SLOTS] = {"active", "compute stall", "memory stall",
                                                 "data-dependence stall", "idle"};
const char *const fact_slot_keys[FACT_SLOTS] = {"active", "compute_stall", "memory_stall",
                                                "data_stall", "idle"};
const char *const fact_stage_names[FACT_STAGES] = {"L1 queue", "interconnect", "L2", "DRAM",
                                                   "interconnect back"};
const char *const fact_stage_keys[FACT_STAGES] = {"l1_queue", "noc_request", "l2", "dram",
                                                  "noc_reply"};

double fact_get(const struct stats *st, const char *key)
{
    double v = 0;
    stats_get(st, key, &v);
    return v;
}

static double get2(const struct stats *st, const char *group, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "%s.%s", group, name);
    return fact_get(st, key);
}

static struct fact_rate hit_rate(const struct stats *st, const char *group)
{
    return (struct fact_rate){get2(st, group, "reads"), get2(st, group, "hit_rate")};
}

static void slots(struct report_facts *f, const struct stats *st)
{
    double all = 0;
    for (unsigned i = 0; i < FACT_SLOTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "issue_%s", fact_slot_keys[i]);
        f->slots[i] = get2(st, "sm", name);
        all += f->slots[i];
    }
    for (unsigned i = 0; i < FACT_SLOTS; i++)
        f->slots[i] = stat_ratio(f->slots[i], all);
}

/* The mean of a histogram is its value; how many it counted is told by its users. */
struct hist_count {
    const char *group, *name;
    uint64_t count;
};

static void find_count(void *ctx, const struct stat_value *v)
{
    struct hist_count *c = ctx;
    if (v->hist && !strcmp(v->group, c->group) && !strcmp(v->row->name, c->name))
        c->count = v->hist->count;
}

static double hist_count(const struct stats *st, const char *group, const char *name)
{
    struct hist_count c = {group, name, 0};
    stats_each(st, false, find_count, &c);
    return (double)c.count;
}

static void loads(struct report_facts *f, const struct stats *st)
{
    f->loads = hist_count(st, "sm", "load_latency");
    f->load_latency = fact_get(st, "sm.load_latency");
    f->misses = hist_count(st, "load_stages", "total");
    f->miss_latency = fact_get(st, "load_stages.total");
    for (unsigned i = 0; i < FACT_STAGES; i++)
        f->stages[i] = get2(st, "load_stages", fact_stage_keys[i]);
}

void report_facts(struct report_facts *f, const struct machine *m, const struct stats *st,
                  cycle_t cycles)
{
    double busy = fact_get(st, "sm.busy_cycles");
    *f = (struct report_facts){
        .cycles = (double)cycles,
        .seconds = (double)cycles / (m->gpu.core_mhz * 1e6),
        .spill_loads = fact_get(st, "sm.spill_loads"),
        .spill_stores = fact_get(st, "sm.spill_stores"),
        .warp_inst = fact_get(st, "sm.warp_inst") - fact_get(st, "sm.extra_inst") -
                     fact_get(st, "sm.spill_loads") - fact_get(st, "sm.spill_stores"),
        .thread_inst = fact_get(st, "sm.thread_inst") - fact_get(st, "sm.extra_thread_inst") -
                       fact_get(st, "sm.spill_thread_inst"),
        .dram_bytes = fact_get(st, "mc.bytes_moved"),
        .dram_peak = machine_dram_bandwidth(m),
        .row_hits = fact_get(st, "dram.row_hit_rate"),
        .l1 = hit_rate(st, "l1"),
        .l2 = hit_rate(st, "l2"),
        .konst = hit_rate(st, "l1c"),
        .tex = hit_rate(st, "l1t"),
        .inst = hit_rate(st, "l1i")};
    f->warp_ipc = stat_ratio(f->warp_inst, f->cycles);
    f->thread_ipc = stat_ratio(f->thread_inst, f->cycles);
    f->busy = stat_ratio(busy, f->cycles * (double)m->gpu.sms);
    f->occupancy_warps = stat_ratio(fact_get(st, "sm.warp_cycles"), busy);
    f->unallocated =
        busy > 0 ? 1 - fact_get(st, "sm.register_cycles") / (busy * (double)m->sm.registers) : 0;
    f->dram_rate = stat_ratio(f->dram_bytes, f->seconds);
    slots(f, st);
    loads(f, st);
    energy_summarize(&m->energy_table, st, f->seconds, &f->energy);
    report_bottleneck(f, m, st);
}
