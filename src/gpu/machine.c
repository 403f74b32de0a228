/* A name or a file and `--set`, resolved; and what must hold between sections. */
#include "gpu/machine.h"

#include "gpu/observe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BANDWIDTH_TOLERANCE 0.01 /* data sheets round */

static const struct conf_field gpu_fields[] = {
#define ROWS_FILE   "gpu/gpu_cfg.def"
#define ROWS_STRUCT gpu_cfg
#include "parsim/rows_entries.h"
};

/* --- files --- */

const struct machine_file *machine_find(const char *name)
{
    for (const struct machine_file *f = machine_files(); f->name; f++)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}

static bool is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml"));
}

static const char *find_base(void *ctx, const char *name)
{
    (void)ctx;
    const struct machine_file *f = is_path(name) ? NULL : machine_find(name);
    return f ? f->text : NULL;
}

/* Of the machines that come with Parsim. */
static void list_names(char *to, size_t size)
{
    size_t n = 0;
    *to = 0;
    for (const struct machine_file *f = machine_files(); f->name && n < size; f++)
        n += (size_t)snprintf(to + n, size - n, "%s%s", n ? ", " : "", f->name);
}

/* The file of a machine, as messages name it; to be freed. */
static char *file_of(const char *name)
{
    return is_path(name) ? xstrdup(name) : xasprintf("gpus/%s.yaml", name);
}

static bool load(struct machine *m, const char *name, const char *file, struct err *err)
{
    if (is_path(name))
        return conf_load(m->conf, name, err) &&
               (*m->gpu.name ||
                err_set(err, "%s: no machine: it names neither a 'base' nor a gpu.name", name));
    const struct machine_file *f = machine_find(name);
    if (f)
        return conf_parse(m->conf, file, f->text, strlen(f->text), err);
    char names[512];
    list_names(names, sizeof names);
    return err_set(err, "no GPU '%s'; there are: %s, and files of yours (FILE.yaml)", name, names);
}

/* --- parts that must fit together --- */

/* Timings are times: at another bandwidth they are other numbers of cycles. What moves data (burst,
 * column to column) keeps its cycles, of a clock that is scaled. */
static void scale_bandwidth(struct dram_cfg *d)
{
    int64_t *const times[] = {&d->t_cl,    &d->t_cwl,  &d->t_rcd_rd, &d->t_rcd_wr, &d->t_rp,
                              &d->t_ras,   &d->t_rc,   &d->t_rrd_s,  &d->t_rrd_l,  &d->t_wtr_s,
                              &d->t_wtr_l, &d->t_wr,   &d->t_rtp,    &d->t_ppd,    &d->t_faw,
                              &d->t_32aw,  &d->t_refi, &d->t_rfc,    &d->t_rtp_l};
    for (unsigned i = 0; i < ARRAY_LEN(times); i++)
        *times[i] = (int64_t)ceil((double)*times[i] * d->bandwidth_scale - 1e-9);
}

static bool check_nodes(const struct machine *m, struct err *err)
{
    const uint32_t slices = machine_slices(m), nodes = noc_cfg_nodes(&m->noc);
    const uint32_t need = (uint32_t)m->gpu.sms + slices;
    if (m->gpu.slice_nodes.len && m->gpu.slice_nodes.len != slices)
        return err_set(err, "gpu.slice_nodes: %u nodes for %u slices (map.channels x map.slices)",
                       m->gpu.slice_nodes.len, slices);
    if (nodes < need)
        return err_set(err,
                       "noc: %u nodes for %lld SMs and %u L2 slices (noc.nodes, or noc.width x "
                       "noc.height)",
                       nodes, (long long)m->gpu.sms, slices);
    bool used[1024] = {false};
    for (uint32_t i = 0; i < m->gpu.slice_nodes.len; i++) {
        uint32_t n = m->gpu.slice_nodes.at[i];
        if (n >= nodes || used[n])
            return err_set(err, "gpu.slice_nodes: node %u is %s", n,
                           n >= nodes ? "not in the interconnect" : "named twice");
        used[n] = true;
    }
    if ((m->gpu.networks == 2) != (m->noc.classes == 1))
        return err_set(err, "noc.classes: must be %d with gpu.networks = %lld",
                       m->gpu.networks == 2 ? 1 : 2, (long long)m->gpu.networks);
    return true;
}

static bool check_sectors(const struct machine *m, struct err *err)
{
    const int64_t s = m->l1.sector_bytes;
    if (m->l1c.sector_bytes != s || m->l1t.sector_bytes != s || m->l1i.sector_bytes != s ||
        m->l2.sector_bytes != s || m->mc.sector_bytes != s)
        return err_set(err, "sector_bytes must be the same in l1, l1c, l1t, l1i, l2 and mc");
    if (m->sm.coalesce_bytes > m->l1.line_bytes || m->l1.line_bytes > m->l2.line_bytes)
        return err_set(err, "sm.coalesce_bytes <= l1.line_bytes <= l2.line_bytes does not hold");
    if (m->l1c.line_bytes > m->l2.line_bytes || m->l1t.line_bytes > m->l2.line_bytes ||
        m->l1i.line_bytes > m->l2.line_bytes)
        return err_set(err, "lines of l1c, l1t and l1i must not be longer than l2.line_bytes");
    if (m->sm.coalesce_bytes > m->l1t.line_bytes)
        return err_set(err, "sm.coalesce_bytes <= l1t.line_bytes does not hold");
    if (m->l2.line_bytes != m->mc.block_bytes)
        return err_set(err, "mc.block_bytes must be l2.line_bytes");
    if (m->mc.burst_bytes != m->dram_resolved.access_bytes)
        return err_set(err,
                       "mc.burst_bytes is %lld, but a DRAM access moves %lld bytes "
                       "(dram.access_bytes)",
                       (long long)m->mc.burst_bytes, (long long)m->dram_resolved.access_bytes);
    return m->mc.bursts_per_request == 1 || m->dram.queues == DRAM_QUEUES_SLOTS ||
           err_set(err, "mc.bursts_per_request: more than one only with dram.queues = slots");
}

/* --- the bandwidth that is stated --- */

/* Which of two values was given later: defaults, bases, the machine's file, --set. */
static int layer_of(const struct machine *m, const char *file, const char *key)
{
    const char *source = conf_source(m->conf, key);
    const size_t n = strlen(file);
    if (!strcmp(source, "default"))
        return 0;
    if (!strcmp(source, "--set"))
        return 3;
    return !strncmp(source, file, n) && source[n] == ':' ? 2 : 1;
}

/* Whether the bandwidth is stated where what makes it is, or later. A base's statement is not that
 * of a machine which changes its channels. */
static bool is_stated_here(const struct machine *m, const char *file)
{
    static const char *const keys[] = {"map.channels",      "gpu.dram_mhz",
                                       "dram.device",       "dram.pseudo_channels",
                                       "dram.access_bytes", "dram.burst_cycles"};
    const int stated = layer_of(m, file, "gpu.dram_gbs");
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (layer_of(m, file, keys[i]) > stated)
            return false;
    return true;
}

static bool check_bandwidth(struct machine *m, const char *file, struct err *err)
{
    const struct dram_cfg *d = &m->dram_resolved;
    const double gbs = machine_dram_bandwidth(m) / d->bandwidth_scale * 1e-9;
    if (m->gpu.dram_gbs <= 0 || fabs(gbs / m->gpu.dram_gbs - 1) <= BANDWIDTH_TOLERANCE)
        return true;
    if (!is_stated_here(m, file)) {
        m->gpu.dram_gbs = 0;
        return true;
    }
    return err_set(err,
                   "gpu.dram_gbs (%s): %g GB/s are stated, but the DRAM makes %.1f: map.channels "
                   "%lld x dram.pseudo_channels %lld x dram.access_bytes %lld / dram.burst_cycles "
                   "%lld x gpu.dram_mhz %g (0 = nothing is stated)",
                   conf_source(m->conf, "gpu.dram_gbs"), m->gpu.dram_gbs, gbs,
                   (long long)m->map.channels, (long long)d->pseudo_channels,
                   (long long)d->access_bytes, (long long)d->burst_cycles, m->gpu.dram_mhz);
}

/* Components that techniques report their energy by. */
static bool check_energy(struct machine *m, struct err *err)
{
    const struct technique *t;
    energy_table_init(&m->energy_table);
    for (size_t i = 0; (t = tech_list_at(m->techs, i)); i++)
        if (!energy_table_add(&m->energy_table, t->energy, t->nenergy, err))
            return err_prefix(err, "technique %s", t->name);
    return true;
}

static bool load_plugins(void *ctx, struct err *err)
{
    const struct machine *m = ctx;
    return tech_list_load(m->techs, m->gpu.plugin, err);
}

static bool check(struct machine *m, const char *file, struct err *err)
{
    if (m->noc.topology == NOC_CROSSBAR && conf_source(m->conf, "noc.nodes") &&
        !strcmp(conf_source(m->conf, "noc.nodes"), "default"))
        m->noc.nodes = m->gpu.sms + machine_slices(m);
    m->dram_resolved = m->dram;
    if (!dram_cfg_resolve(&m->dram_resolved, err))
        return false;
    scale_bandwidth(&m->dram_resolved);
    return sm_cfg_check(&m->sm, err) && l1_cfg_check(&m->l1, "l1", err) &&
           l1_cfg_check(&m->l1c, "l1c", err) && l1_cfg_check(&m->l1t, "l1t", err) &&
           l1_cfg_check(&m->l1i, "l1i", err) && l2_cfg_check(&m->l2, "l2", err) &&
           mem_ctrl_cfg_check(&m->mc, "mc", err) && interleave_cfg_check(&m->map, "map", err) &&
           noc_cfg_check(&m->noc, err) && check_nodes(m, err) && check_sectors(m, err) &&
           check_bandwidth(m, file, err) &&
           (!*m->gpu.observe || observe_check(m->gpu.observe, err)) &&
           tech_list_check(m->techs, m->gpu.with, err) && check_energy(m, err);
}

/* Its own, without those of techniques. */
static void add_sections(struct machine *m)
{
    conf_add(m->conf, "gpu", gpu_fields, ARRAY_LEN(gpu_fields), &m->gpu);
    conf_add(m->conf, "sm", sm_fields, sm_nfields, &m->sm);
    conf_add(m->conf, "l1", l1_fields, l1_nfields, &m->l1);
    conf_add(m->conf, "l1c", l1_fields, l1_nfields, &m->l1c);
    conf_add(m->conf, "l1t", l1_fields, l1_nfields, &m->l1t);
    conf_add(m->conf, "l1i", l1_fields, l1_nfields, &m->l1i);
    conf_add(m->conf, "noc", noc_fields, noc_nfields, &m->noc);
    conf_add(m->conf, "map", interleave_fields, interleave_nfields, &m->map);
    conf_add(m->conf, "l2", l2_fields, l2_nfields, &m->l2);
    conf_add(m->conf, "mc", mem_ctrl_fields, mem_ctrl_nfields, &m->mc);
    conf_add(m->conf, "dram", dram_fields, dram_nfields, &m->dram);
    conf_add(m->conf, "energy", energy_fields, energy_nfields, &m->energy);
}

void machine_write_fields(FILE *out)
{
    struct machine m = {.conf = conf_new()};
    add_sections(&m);
    conf_write_docs(m.conf, out);
    conf_free(m.conf);
}

struct machine *machine_new(const char *name, const char *const *sets, size_t n, struct err *err)
{
    struct machine *m = xcalloc(1, sizeof *m);
    m->conf = conf_new();
    char names[512];
    list_names(names, sizeof names);
    conf_set_finder(m->conf, find_base, names, NULL);
    add_sections(m);
    m->techs = tech_list_new(m->conf);
    conf_watch(m->conf, "gpu.plugin", load_plugins, m);
    char *file = file_of(name);
    bool ok = load(m, name, file, err);
    for (size_t i = 0; ok && i < n; i++)
        ok = conf_set(m->conf, sets[i], err);
    ok = ok && check(m, file, err);
    free(file);
    if (ok)
        return m;
    machine_free(m);
    return NULL;
}

void machine_free(struct machine *m)
{
    if (!m)
        return;
    tech_list_free(m->techs);
    conf_free(m->conf);
    free(m);
}

uint32_t machine_slices(const struct machine *m)
{
    return (uint32_t)(m->map.channels * m->map.slices);
}

double machine_dram_bandwidth(const struct machine *m)
{
    const struct dram_cfg *d = &m->dram_resolved;
    return (double)m->map.channels * (double)d->pseudo_channels * (double)d->access_bytes /
           (double)d->burst_cycles * m->gpu.dram_mhz * 1e6 * d->bandwidth_scale;
}

double machine_l2_bandwidth(const struct machine *m)
{
    return (double)machine_slices(m) * (double)m->l2.port_bytes * m->gpu.l2_mhz * 1e6;
}

double machine_reply_bandwidth(const struct machine *m)
{
    return (double)m->gpu.sms * (double)m->noc.flit_bytes * (double)m->noc.eject_flits *
           m->gpu.noc_mhz * 1e6;
}

struct energy_machine machine_energy(const struct machine *m)
{
    const struct dram_cfg *d = &m->dram_resolved;
    return (struct energy_machine){.channels = (double)m->map.channels,
                                   .core_hz = m->gpu.core_mhz * 1e6,
                                   .flit_bytes = (double)m->noc.flit_bytes,
                                   .l2_port_bytes = (double)m->l2.port_bytes,
                                   .dram_access_bytes = (double)d->access_bytes,
                                   .dram_row_bytes = (double)d->row_bytes,
                                   .bandwidth_scale = d->bandwidth_scale};
}

struct ptx_reg_limits machine_reg_limits(const struct machine *m)
{
    return (struct ptx_reg_limits){.thread = (uint32_t)m->sm.thread_registers,
                                   .sm = (uint32_t)m->sm.registers,
                                   .unit = (uint32_t)m->sm.register_unit};
}

static struct device *with_limits(const struct machine *m, struct device *d)
{
    if (d) {
        d->sm_count = (uint32_t)m->gpu.sms;
        d->block_shared_bytes =
            (uint32_t)(m->gpu.block_shared < m->sm.shared_bytes ? m->gpu.block_shared
                                                                : m->sm.shared_bytes);
        d->regs = machine_reg_limits(m);
        snprintf(d->name, sizeof d->name, "%s", m->gpu.name);
    }
    return d;
}

struct device *machine_device(const struct machine *m, struct err *err)
{
    return with_limits(m, device_new((uint64_t)m->gpu.memory_mb << 20, err));
}

struct device *machine_device_32(const struct machine *m, struct err *err)
{
    uint64_t bytes = (uint64_t)m->gpu.memory_mb << 20, most = UINT64_C(3) << 30;
    return with_limits(m, device_new_32(bytes < most ? bytes : most, err));
}

struct device *machine_default_device(struct err *err)
{
    struct machine *m = machine_new(MACHINE_DEFAULT, NULL, 0, err);
    struct device *d = m ? machine_device(m, err) : NULL;
    machine_free(m);
    return d;
}
