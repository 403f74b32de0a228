/* From a configuration to components and the ports between them. */
#include "gpu/gpu_int.h"
#include "gpu/gpu_tech.h"
#include "gpu/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REQUEST = 0, REPLY = 1 };

/* Partitions: the networks, the channels with their slices, the SMs. */
static unsigned channel_partition(const struct gpu *g, uint32_t channel)
{
    return (unsigned)g->m->gpu.networks + channel;
}

static unsigned sm_partition(const struct gpu *g, uint32_t sm)
{
    return channel_partition(g, g->nchannels) + sm;
}

struct wires {
    struct component *noc[2], **sm, **l2, **mc, **dram;
};

static struct component *add(struct gpu *g, struct sim_clock *clock, unsigned partition,
                             const char *what, uint32_t i, const struct component_ops *ops,
                             void *self)
{
    char name[32];
    snprintf(name, sizeof name, "%s%u", what, i);
    return sim_add(g->sim, clock, partition, name, ops, self);
}

/* SMs take the nodes that the slices leave. */
static void place_nodes(struct gpu *g)
{
    const struct gpu_cfg *c = &g->m->gpu;
    bool used[1024] = {false};
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nslices; i++) {
        g->slice_nodes[i] = (uint16_t)(c->slice_nodes.len ? c->slice_nodes.at[i] : g->nsms + i);
        used[g->slice_nodes[i]] = true;
    }
    for (uint32_t i = 0; i < g->nsms; i++, n++) {
        while (used[n])
            n++;
        g->sm_nodes[i] = (uint16_t)n;
    }
}

static void add_sms(struct gpu *g, struct wires *w)
{
    const struct machine *m = g->m;
    for (uint32_t i = 0; i < g->nsms; i++) {
        g->sms[i] = sm_new(&(struct sm_parts){
            .cfg = &m->sm,
            .data = &m->l1,
            .konst = &m->l1c,
            .tex = &m->l1t,
            .inst = &m->l1i,
            .il = &g->il,
            .id = i,
            .node = g->sm_nodes[i],
            .slice_nodes = g->slice_nodes,
            .seams = tech_sm_seams(&g->tech->seams, i),
            .clocks = {m->gpu.core_mhz / m->gpu.noc_mhz, m->gpu.core_mhz / m->gpu.l2_mhz},
            .notes = &g->notes[i],
        });
        g->effects[i] = sm_effects(g->sms[i]);
        g->may_vary |= tech_sm_seams(&g->tech->seams, i).warps->extra_registers !=
                       warp_source_null.extra_registers;
        w->sm[i] = add(g, g->core, sm_partition(g, i), "sm", i, &sm_component_ops, g->sms[i]);
    }
}

static void add_memory(struct gpu *g, struct wires *w)
{
    const struct machine *m = g->m;
    const struct tech_seams *seams = &g->tech->seams;
    for (uint32_t i = 0; i < g->nslices; i++) {
        const uint32_t channel = i / (uint32_t)m->map.slices;
        const struct slice_seams bound = tech_slice_seams(seams, i, channel);
        g->l2[i] = l2_new(&m->l2, &g->il, &bound);
        unsigned p = channel_partition(g, channel);
        w->l2[i] = add(g, g->l2_clock, p, "l2_", i, &l2_component_ops, g->l2[i]);
    }
    for (uint32_t i = 0; i < g->nchannels; i++) {
        const struct channel_seams bound = tech_channel_seams(seams, i);
        g->mc[i] = mem_ctrl_new(&m->mc, &g->il, (uint32_t)m->map.slices, &bound);
        unsigned p = channel_partition(g, i);
        w->mc[i] = add(g, g->l2_clock, p, "mc", i, &mem_ctrl_component_ops, g->mc[i]);
        g->dram[i] = dram_new(&m->dram_resolved, NULL, NULL);
        w->dram[i] = add(g, g->dram_clock, p, "dram", i, &dram_component_ops, g->dram[i]);
    }
}

static struct port *wire(struct gpu *g, const char *what, uint32_t i, struct component *from,
                         struct component *to, uint32_t latency, uint32_t depth)
{
    char name[32];
    snprintf(name, sizeof name, "%s%u", what, i);
    return sim_add_port(g->sim, name, from, to, latency, latency, depth);
}

static void wire_noc(struct gpu *g, const struct wires *w)
{
    const struct gpu_cfg *c = &g->m->gpu;
    const uint32_t far = (uint32_t)c->port_cycles, near = (uint32_t)g->m->l2.reply_queue;
    const bool two = c->networks == 2;
    struct noc *req = g->noc[REQUEST], *rep = g->noc[two ? REPLY : REQUEST];
    struct component *wreq = w->noc[REQUEST], *wrep = w->noc[two ? REPLY : REQUEST];
    const uint32_t reply_class = two ? 0 : 1;
    for (uint32_t i = 0; i < g->nsms; i++) {
        struct port *out = wire(g, "sm_out", i, w->sm[i], wreq, far, 8 + 2 * far);
        struct port *in =
            wire(g, "sm_in", i, wrep, w->sm[i], far, (uint32_t)c->sm_replies + 2 * far);
        sm_bind(g->sms[i], w->sm[i], out, in);
        noc_bind(req, g->sm_nodes[i], 0, false, out, NULL);
        noc_bind(rep, g->sm_nodes[i], reply_class, true, NULL, in);
    }
    for (uint32_t i = 0; i < g->nslices; i++) {
        struct port *in = wire(g, "l2_in", i, wreq, w->l2[i], far, 8 + 2 * far);
        struct port *out = wire(g, "l2_out", i, w->l2[i], wrep, far, near + 2 * far);
        const uint32_t k = i % (uint32_t)g->m->map.slices, ch = i / (uint32_t)g->m->map.slices;
        struct port *down = wire(g, "l2_mc", i, w->l2[i], w->mc[ch], 1, 8);
        struct port *up = wire(g, "mc_l2", i, w->mc[ch], w->l2[i], 1, 8);
        noc_bind(req, g->slice_nodes[i], 0, false, NULL, in);
        noc_bind(rep, g->slice_nodes[i], reply_class, true, out, NULL);
        l2_bind(g->l2[i], in, out, down, up);
        mem_ctrl_bind_slice(g->mc[ch], k, down, up);
    }
}

static void wire_dram(struct gpu *g, const struct wires *w)
{
    for (uint32_t i = 0; i < g->nchannels; i++) {
        struct port *in = wire(g, "mc_dram", i, w->mc[i], w->dram[i], 1, 8);
        struct port *out = wire(g, "dram_mc", i, w->dram[i], w->mc[i], 1, 8);
        mem_ctrl_bind_dram(g->mc[i], in, out);
        dram_bind(g->dram[i], in, out);
    }
}

const char *const gpu_stat_groups[] = {
    "sm",          "load_stages", "l1",     "l1c",     "l1t",        "l1i",     "noc",
    "noc_request", "noc_reply",   "l2",     "mc",      "dram",       "limits",  "energy",
    "l1_usage",    "l1_evicted",  "scalar", "noc_sms", "noc_slices", "quality", NULL};

static void add_stats(struct gpu *g)
{
    static const char *const caches[SM_CACHES] = {"l1", "l1c", "l1t", "l1i"};
    const struct machine *m = g->m;
    struct stats *st = g->stats;
    for (uint32_t i = 0; i < g->nsms; i++)
        stats_add(st, "sm", sm_stat_rows, sm_nstat_rows, sm_stats(g->sms[i]));
    for (uint32_t i = 0; i < g->nsms; i++)
        stats_add(st, "load_stages", load_stage_rows, load_nstage_rows, sm_load_stages(g->sms[i]));
    for (unsigned c = 0; c < SM_CACHES; c++)
        for (uint32_t i = 0; i < g->nsms; i++)
            stats_add(st, caches[c], l1_stat_rows, l1_nstat_rows,
                      sm_cache_stats(g->sms[i], (enum sm_cache)c));
    for (uint32_t i = 0; i < 2 && g->noc[i]; i++)
        stats_add(st,
                  i           ? "noc_reply"
                  : g->noc[1] ? "noc_request"
                              : "noc",
                  noc_stat_rows, noc_nstat_rows, noc_stats(g->noc[i]));
    for (uint32_t i = 0; i < g->nslices; i++)
        stats_add(st, "l2", l2_stat_rows, l2_nstat_rows, l2_stats(g->l2[i]));
    for (uint32_t i = 0; i < g->nchannels; i++)
        stats_add(st, "mc", mem_ctrl_stat_rows, mem_ctrl_nstat_rows, mem_ctrl_stats(g->mc[i]));
    for (uint32_t i = 0; i < g->nchannels; i++)
        stats_add(st, "dram", dram_stat_rows, dram_nstat_rows, dram_stats(g->dram[i]));
    stats_add(st, "limits", limit_stat_rows, limit_nstat_rows, limits_stats(g->limits));
    stats_add(st, "energy", m->energy_table.stats, m->energy_table.n + 1, &g->energy);
}

static uint64_t hz(double mhz)
{
    return (uint64_t)llround(mhz * 1e6);
}

bool gpu_build(struct gpu *g, struct err *err)
{
    const struct machine *m = g->m;
    stats_claim(g->stats, gpu_stat_groups);
    if (!(g->tech = gpu_tech_new(g, err)))
        return false;
    g->sim = sim_new();
    g->core = sim_add_clock(g->sim, "core", hz(m->gpu.core_mhz));
    g->noc_clock = sim_add_clock(g->sim, "noc", hz(m->gpu.noc_mhz));
    g->l2_clock = sim_add_clock(g->sim, "l2", hz(m->gpu.l2_mhz));
    g->dram_clock = sim_add_clock(g->sim, "dram", hz(m->gpu.dram_mhz * m->dram.bandwidth_scale));
    struct wires w = {.sm = xcalloc(g->nsms, sizeof(void *)),
                      .l2 = xcalloc(g->nslices, sizeof(void *)),
                      .mc = xcalloc(g->nchannels, sizeof(void *)),
                      .dram = xcalloc(g->nchannels, sizeof(void *))};
    place_nodes(g);
    for (uint32_t i = 0; i < (uint32_t)m->gpu.networks; i++) {
        g->noc[i] = noc_new(&m->noc, NULL, NULL);
        w.noc[i] = add(g, g->noc_clock, i, "noc", i, &noc_component_ops, g->noc[i]);
    }
    add_memory(g, &w);
    add_sms(g, &w);
    wire_noc(g, &w);
    wire_dram(g, &w);
    add_stats(g);
    sim_at_sync(g->sim, gpu_meet, g);
    free(w.sm);
    free(w.l2);
    free(w.mc);
    free(w.dram);
    return gpu_tech_check_energy(g->tech, g->stats, err) && sim_prepare(g->sim, err);
}
