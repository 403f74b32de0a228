/* One line that names what holds a run back. Every resource has a share of its capacity that was
 * used; the fullest one is the bottleneck if it is full enough, else latency is. */
#include "gpu/report_int.h"

#include <string.h>

/* Queues grow without bound well before a shared resource is used all the time: DRAM loses cycles
 * to rows and turn-arounds, an allocator to conflicts. */
#define FULL_ENOUGH 0.55

struct resource {
    const char *name;
    double share;
    char how[128];
};

static void consider(struct resource *best, const char *name, double used, double of,
                     const char *unit)
{
    double share = stat_ratio(used, of);
    if (share <= best->share)
        return;
    best->name = name;
    best->share = share;
    snprintf(best->how, sizeof best->how, "%.3g of %.3g %s (%.0f%%)", used, of, unit, 100 * share);
}

static void consider_pipes(struct resource *best, const struct report_facts *f,
                           const struct machine *m, const struct stats *st)
{
    const struct {
        const char *name, *key;
        int64_t units;
    } pipes[] = {{"integer and float pipes", "sm.sp_busy", m->sm.sp_units},
                 {"special-function units", "sm.sfu_busy", m->sm.sfu_units},
                 {"double-precision units", "sm.dp_busy", m->sm.dp_units},
                 {"matrix units", "sm.tensor_busy", m->sm.tensor_units}};
    for (unsigned i = 0; i < ARRAY_LEN(pipes); i++)
        consider(best, pipes[i].name, stat_ratio(fact_get(st, pipes[i].key), f->cycles),
                 (double)(m->gpu.sms * m->sm.subcores * pipes[i].units), "units busy");
}

/* Flits a cycle that the narrower side of the interconnect can give or take. */
static double noc_ports(const struct machine *m)
{
    double slices = machine_slices(m), sms = (double)m->gpu.sms;
    return (slices < sms ? slices : sms) * (double)m->noc.eject_flits;
}

static void consider_noc(struct resource *best, const struct report_facts *f,
                         const struct machine *m, const struct stats *st)
{
    static const char there[] = "interconnect, requests", back[] = "interconnect, replies",
                      unit[] = "flits a cycle";
    double cycles = f->cycles * m->gpu.noc_mhz / m->gpu.core_mhz, ports = noc_ports(m);
    double both = stat_ratio(fact_get(st, "noc.flits_out"), cycles);
    consider(best, there, stat_ratio(fact_get(st, "noc_request.flits_out"), cycles), ports, unit);
    consider(best, back, stat_ratio(fact_get(st, "noc_reply.flits_out"), cycles), ports, unit);
    if (!both)
        return;
    /* One network for both: what reads fetched, and half of the headers, went back. */
    double sectors = fact_get(st, "l1.sectors_asked") + fact_get(st, "l1c.sectors_asked") +
                     fact_get(st, "l1t.sectors_asked") + fact_get(st, "l1i.sectors_asked");
    double bytes = sectors * (double)m->l2.sector_bytes +
                   fact_get(st, "noc.packets_out") / 2 * (double)m->noc.header_bytes;
    double share = stat_ratio(bytes, fact_get(st, "noc.bytes"));
    consider(best, back, both * share, ports, unit);
    consider(best, there, both * (1 - share), ports, unit);
}

static void consider_memory(struct resource *best, const struct report_facts *f,
                            const struct machine *m, const struct stats *st)
{
    double l2_cycles = f->cycles * m->gpu.l2_mhz / m->gpu.core_mhz;
    double pipe = fact_get(st, "sm.accesses") + fact_get(st, "sm.shared_inst") +
                  fact_get(st, "sm.shared_conflicts");
    consider(best, "memory bandwidth", f->dram_rate * 1e-9, f->dram_peak * 1e-9, "GB/s");
    consider(best, "L2 data ports", stat_ratio(fact_get(st, "l2.data_busy"), l2_cycles),
             machine_slices(m), "ports busy");
    consider(best, "load/store units", stat_ratio(pipe, f->cycles), (double)m->gpu.sms,
             "accesses a cycle");
}

/* A part whose ports are not busy all the time can still be one for which misses queue: links
 * inside a mesh, or slices that the addresses use unevenly. */
static bool describe_queues(struct report_facts *f, const struct machine *m,
                            const struct resource *best)
{
    double noc = f->stages[1] + f->stages[4], l2 = f->stages[2];
    double lookup = (double)m->l2.latency * m->gpu.core_mhz / m->gpu.l2_mhz;
    if (f->load_latency <= 100)
        return false;
    if (noc > 0.5 * f->miss_latency)
        snprintf(f->bottleneck, sizeof f->bottleneck,
                 "interconnect: an L1 miss spends %.0f of its %.0f cycles in it; nothing else is "
                 "more than %.0f%% used (%s)",
                 noc, f->miss_latency, 100 * best->share, best->name);
    else if (l2 > 0.5 * f->miss_latency && l2 > 3 * lookup)
        snprintf(f->bottleneck, sizeof f->bottleneck,
                 "L2 queues: an L1 miss spends %.0f of its %.0f cycles in the L2, whose lookup "
                 "takes %.0f; slices are used unevenly or their replies wait to leave",
                 l2, f->miss_latency, lookup);
    return *f->bottleneck != 0;
}

static void describe_latency(struct report_facts *f, const struct machine *m,
                             const struct resource *best)
{
    char *to = f->bottleneck;
    const size_t size = sizeof f->bottleneck;
    if (describe_queues(f, m, best))
        return;
    if (f->busy < 0.5)
        snprintf(to, size,
                 "too little parallel work: an SM has blocks only %.0f%% of the time; nothing else "
                 "is more than %.0f%% used (%s)",
                 100 * f->busy, 100 * best->share, best->name);
    else if (f->loads > 0 && f->load_latency > 100)
        snprintf(to, size,
                 "memory latency: a load takes %.0f cycles and %.1f of %lld warps cannot hide it; "
                 "nothing is more than %.0f%% used (%s)",
                 f->load_latency, f->occupancy_warps, (long long)m->sm.warps, 100 * best->share,
                 best->name);
    else
        snprintf(to, size,
                 "dependences: %.0f%% of the issue slots wait for results, with %.1f of %lld "
                 "warps; nothing is more than %.0f%% used (%s)",
                 100 * f->slots[3], f->occupancy_warps, (long long)m->sm.warps, 100 * best->share,
                 best->name);
}

void report_bottleneck(struct report_facts *f, const struct machine *m, const struct stats *st)
{
    struct resource best = {.name = "nothing"};
    double schedulers = (double)(m->gpu.sms * m->sm.subcores * m->sm.schedulers);
    if (!f->cycles)
        return;
    consider(&best, "issue slots", f->warp_ipc, schedulers, "instructions a cycle");
    consider_pipes(&best, f, m, st);
    consider_noc(&best, f, m, st);
    consider_memory(&best, f, m, st);
    if (best.share >= FULL_ENOUGH)
        snprintf(f->bottleneck, sizeof f->bottleneck, "%s: %s", best.name, best.how);
    else
        describe_latency(f, m, &best);
}
