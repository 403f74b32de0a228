/* Sections of a machine's file, how they fit together, and the machine: core, L2 slices, memory
 * controllers, DRAM channels. */
#include "a64/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- configuration --- */

static bool is_path(const char *name)
{
    const size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml"));
}

static const struct cpu_file *find_file(const char *name)
{
    for (const struct cpu_file *f = cpu_files(); f->name; f++)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}

static const char *find_base(void *ctx, const char *name)
{
    (void)ctx;
    const struct cpu_file *f = is_path(name) ? NULL : find_file(name);
    return f ? f->text : NULL;
}

/* Of the cores that come with Parsim. */
static void list_names(char *to, size_t size)
{
    size_t n = 0;
    *to = 0;
    for (const struct cpu_file *f = cpu_files(); f->name && n < size; f++)
        n += (size_t)snprintf(to + n, size - n, "%s%s", n ? ", " : "", f->name);
}

static bool load(struct cpu_cfg *c, const char *name, struct err *err)
{
    if (is_path(name))
        return conf_load(c->conf, name, err) &&
               (*c->core.name ||
                err_set(err, "%s: no machine: it names neither a 'base' nor a core.name", name));
    const struct cpu_file *f = find_file(name);
    if (f) {
        char *place = xasprintf("cpus/%s.yaml", name);
        const bool is_read = conf_parse(c->conf, place, f->text, strlen(f->text), err);
        free(place);
        return is_read;
    }
    char names[512];
    list_names(names, sizeof names);
    return err_set(err, "no CPU '%s'; there are: %s, and files of yours (FILE.yaml)", name, names);
}

static bool check_lines(const struct cpu_cfg *c, struct err *err)
{
    const int64_t line = c->l1d.line_bytes;
    const struct {
        const char *name;
        int64_t value;
    } all[] = {{"l1i.line_bytes", c->l1i.line_bytes},     {"l2.line_bytes", c->l2.line_bytes},
               {"l1i.sector_bytes", c->l1i.sector_bytes}, {"l1d.sector_bytes", c->l1d.sector_bytes},
               {"l2.sector_bytes", c->l2.sector_bytes},   {"mc.sector_bytes", c->mc.sector_bytes},
               {"mc.block_bytes", c->mc.block_bytes}};
    for (unsigned i = 0; i < ARRAY_LEN(all); i++)
        if (all[i].value != line)
            return err_set(err, "%s is %lld, but l1d.line_bytes %lld: a line has one size here",
                           all[i].name, (long long)all[i].value, (long long)line);
    if (c->mc.burst_bytes != c->dram_resolved.access_bytes)
        return err_set(err, "mc.burst_bytes is %lld, but a DRAM access moves %lld bytes",
                       (long long)c->mc.burst_bytes, (long long)c->dram_resolved.access_bytes);
    return c->l1d.enabled && c->l1i.enabled
               ? true
               : err_set(err, "l1i.enabled and l1d.enabled must be true");
}

static bool check_ways(const struct cpu_cfg *c, struct err *err)
{
    if (c->memo.enabled && c->memo.l2_ways >= c->l2.ways)
        return err_set(err, "memo.l2_ways: %lld of %lld ways leave no cache (l2.ways)",
                       (long long)c->memo.l2_ways, (long long)c->l2.ways);
    const unsigned sets = cpu_cfg_way_sets(c) * (unsigned)c->memo.l2_ways;
    return !c->memo.enabled || !sets || is_pow2(sets) ||
           err_set(err, "memo.l2_ways: %u sets of the second table are not a power of two", sets);
}

static bool check(struct cpu_cfg *c, struct err *err)
{
    c->dram_resolved = c->dram;
    return a64_core_cfg_check(&c->core, err) && l1_cfg_check(&c->l1i, "l1i", err) &&
           l1_cfg_check(&c->l1d, "l1d", err) && l2_cfg_check(&c->l2, "l2", err) &&
           interleave_cfg_check(&c->map, "map", err) && mem_ctrl_cfg_check(&c->mc, "mc", err) &&
           dram_cfg_resolve(&c->dram_resolved, err) && memo_cfg_check(&c->memo, err) &&
           check_lines(c, err) && check_ways(c, err) &&
           (c->map.channels * c->map.slices <= 16 ||
            err_set(err, "map: %lld channels of %lld slices are more than 16 slices",
                    (long long)c->map.channels, (long long)c->map.slices));
}

struct cpu_cfg *cpu_cfg_new(const char *name, char *const *settings, size_t nsettings,
                            struct err *err)
{
    struct cpu_cfg *c = xcalloc(1, sizeof *c);
    c->conf = conf_new();
    char names[512];
    list_names(names, sizeof names);
    conf_set_finder(c->conf, find_base, names, NULL);
    conf_add(c->conf, "core", a64_core_fields, a64_core_nfields, &c->core);
    conf_add(c->conf, "timing", a64_timing_fields, a64_timing_nfields, &c->timing);
    conf_add(c->conf, "l1i", l1_fields, l1_nfields, &c->l1i);
    conf_add(c->conf, "l1d", l1_fields, l1_nfields, &c->l1d);
    conf_add(c->conf, "l2", l2_fields, l2_nfields, &c->l2);
    conf_add(c->conf, "map", interleave_fields, interleave_nfields, &c->map);
    conf_add(c->conf, "mc", mem_ctrl_fields, mem_ctrl_nfields, &c->mc);
    conf_add(c->conf, "dram", dram_fields, dram_nfields, &c->dram);
    conf_add(c->conf, "memo", memo_fields, memo_nfields, &c->memo);
    conf_add(c->conf, "energy", cpu_energy_fields, cpu_energy_nfields, &c->energy);
    bool is_ok = load(c, name, err);
    for (size_t i = 0; i < nsettings && is_ok; i++)
        is_ok = conf_set(c->conf, settings[i], err);
    if (is_ok && check(c, err))
        return c;
    cpu_cfg_free(c);
    return NULL;
}

void cpu_cfg_free(struct cpu_cfg *c)
{
    if (!c)
        return;
    conf_free(c->conf);
    free(c);
}

unsigned cpu_cfg_way_sets(const struct cpu_cfg *c)
{
    const uint64_t slices = (uint64_t)(c->map.channels * c->map.slices);
    return (unsigned)(c->l2.size * slices / (uint64_t)c->l2.ways / MEMO_SET_BYTES);
}

/* --- the machine --- */

enum { MOST = 16, PORT_DEPTH = 8 };

struct cpu {
    struct sim *sim;
    struct sim_clock *clock, *dram_clock;
    struct interleave map;
    struct a64_core *core;
    struct l2 *l2[MOST];
    struct mem_ctrl *mc[MOST];
    struct dram *dram[MOST];
    unsigned channels, slices; /* slices: of a channel */
    cycle_t progress_at;       /* when an instruction was seen to have issued */
    uint64_t issued;
};

/* The ways that the memoization unit has taken are missing. */
static struct l2_cfg l2_cfg_of(const struct cpu_cfg *c)
{
    struct l2_cfg l2 = c->l2;
    const int64_t taken = c->memo.enabled ? c->memo.l2_ways : 0;
    l2.size = l2.size / (uint64_t)l2.ways * (uint64_t)(l2.ways - taken);
    l2.ways -= taken;
    return l2;
}

static struct a64_core *core_of(struct cpu *c, const struct cpu_cfg *cfg,
                                struct a64_process *process)
{
    const struct a64_core_parts parts = {.cfg = &cfg->core,
                                         .timing = &cfg->timing,
                                         .l1i = &cfg->l1i,
                                         .l1d = &cfg->l1d,
                                         .map = &c->map,
                                         .process = process};
    return a64_core_new(&parts);
}

static void wire_slice(struct cpu *c, const struct cpu_cfg *cfg, struct component *core,
                       struct component *mc, unsigned channel, unsigned slice)
{
    const unsigned n = channel * c->slices + slice;
    const uint32_t forth = (uint32_t)cfg->core.bus_forward, back = (uint32_t)cfg->core.bus_back;
    struct component *l2 = sim_add(c->sim, c->clock, 0, "l2", &l2_component_ops, c->l2[n]);
    struct port *to = sim_add_port(c->sim, "core-l2", core, l2, forth, 1, PORT_DEPTH);
    struct port *from = sim_add_port(c->sim, "l2-core", l2, core, back, 1, PORT_DEPTH);
    struct port *down = sim_add_port(c->sim, "l2-mc", l2, mc, 1, 1, PORT_DEPTH);
    struct port *up = sim_add_port(c->sim, "mc-l2", mc, l2, 1, 1, PORT_DEPTH);
    a64_core_bind(c->core, n, to, from);
    l2_bind(c->l2[n], to, from, down, up);
    mem_ctrl_bind_slice(c->mc[channel], slice, down, up);
}

static void wire_channel(struct cpu *c, const struct cpu_cfg *cfg, struct component *core,
                         unsigned channel)
{
    struct component *mc =
        sim_add(c->sim, c->clock, 0, "mc", &mem_ctrl_component_ops, c->mc[channel]);
    struct component *dram =
        sim_add(c->sim, c->dram_clock, 0, "dram", &dram_component_ops, c->dram[channel]);
    struct port *to = sim_add_port(c->sim, "mc-dram", mc, dram, 1, 1, PORT_DEPTH);
    struct port *from = sim_add_port(c->sim, "dram-mc", dram, mc, 1, 1, PORT_DEPTH);
    mem_ctrl_bind_dram(c->mc[channel], to, from);
    dram_bind(c->dram[channel], to, from);
    for (unsigned s = 0; s < c->slices; s++)
        wire_slice(c, cfg, core, mc, channel, s);
}

struct cpu *cpu_new(const struct cpu_cfg *cfg, struct a64_process *process, struct err *err)
{
    enum { MHZ = 1000000 };
    struct cpu *c = xcalloc(1, sizeof *c);
    const struct l2_cfg l2 = l2_cfg_of(cfg);
    c->channels = (unsigned)cfg->map.channels;
    c->slices = (unsigned)cfg->map.slices;
    interleave_init(&c->map, &cfg->map);
    c->sim = sim_new();
    c->clock = sim_add_clock(c->sim, "core", (uint64_t)cfg->core.mhz * MHZ);
    c->dram_clock = sim_add_clock(c->sim, "dram", (uint64_t)cfg->core.dram_mhz * MHZ);
    c->core = core_of(c, cfg, process);
    struct component *core = sim_add(c->sim, c->clock, 0, "core", &a64_core_component_ops, c->core);
    a64_core_bind_sim(c->core, c->sim, core);
    for (unsigned i = 0; i < c->channels; i++) {
        c->mc[i] = mem_ctrl_new(&cfg->mc, &c->map, c->slices, &channel_seams_null);
        c->dram[i] = dram_new(&cfg->dram_resolved, NULL, NULL);
        for (unsigned s = 0; s < c->slices; s++)
            c->l2[i * c->slices + s] = l2_new(&l2, &c->map, &slice_seams_null);
        wire_channel(c, cfg, core, i);
    }
    if (sim_prepare(c->sim, err))
        return c;
    cpu_free(c);
    return NULL;
}

void cpu_free(struct cpu *c)
{
    if (!c)
        return;
    a64_core_free(c->core);
    for (unsigned i = 0; i < MOST; i++) {
        l2_free(c->l2[i]);
        mem_ctrl_free(c->mc[i]);
        dram_free(c->dram[i]);
    }
    sim_free(c->sim);
    free(c);
}

struct a64_core *cpu_core(struct cpu *c)
{
    return c->core;
}

void cpu_shuffle(struct cpu *c, uint64_t seed)
{
    sim_shuffle(c->sim, seed);
}

bool cpu_run(struct cpu *c, cycle_t limit, struct err *err)
{
    enum { STUCK = 1 << 20 }; /* cycles without an instruction */
    const enum sim_status s = sim_run(c->sim, c->clock, limit, 1);
    const uint64_t issued = a64_core_stats(c->core)->inst;
    if (issued != c->issued)
        c->progress_at = limit;
    c->issued = issued;
    if (s == SIM_STOPPED || (s == SIM_LIMIT && limit - c->progress_at < STUCK))
        return true;
    return err_set(err, "the core waits for something that will never happen (cycle %llu)",
                   (unsigned long long)sim_now(c->sim, c->clock));
}

void cpu_add_stats(const struct cpu *c, struct stats *st)
{
    stats_add(st, "core", a64_core_stat_rows, a64_core_nstat_rows, a64_core_stats(c->core));
    stats_add(st, "a64_l1i", l1_stat_rows, l1_nstat_rows, a64_core_l1i_stats(c->core));
    stats_add(st, "a64_l1d", l1_stat_rows, l1_nstat_rows, a64_core_l1d_stats(c->core));
    for (unsigned i = 0; i < c->channels * c->slices; i++)
        stats_add(st, "a64_l2", l2_stat_rows, l2_nstat_rows, l2_stats(c->l2[i]));
    for (unsigned i = 0; i < c->channels; i++) {
        stats_add(st, "mc", mem_ctrl_stat_rows, mem_ctrl_nstat_rows, mem_ctrl_stats(c->mc[i]));
        stats_add(st, "dram", dram_stat_rows, dram_nstat_rows, dram_stats(c->dram[i]));
    }
}
