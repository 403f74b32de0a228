/* DRAM against DRAMsim3, Ramulator, GPGPU-Sim's and hand calculation. Each config_id of the
 * reference is a list of settings; nothing else depends on the row. */
#include "dram/dram_traffic.h"
#include "gpu/machine.h"
#include "validate/validate_int.h"

#include <stdlib.h>
#include <string.h>

/* A part of a config_id, and what it sets. Matched from the left, longest first. */
static const struct {
    const char *part;
    const char *sets[8];
} parts[] = {
    {"g5", {0}},
    {"ram1",
     {"dram.queues=direct", "dram.drain=watermark", "dram.write_high=25", "dram.write_low=6",
      "dram.merge=false"}},
    {"bg4", {"dram.bank_groups=4"}},
    {"nobg", {"dram.bank_groups=1", "dram.t_ccd_l=2"}},
    {"rowmap", {"dram.map=row:bank:group:col"}},
    {"bankmap", {"dram.map=row:col:bank:group"}},
    {"bus32", {"dram.access_bytes=32"}},
    {"refresh", {"dram.t_refi=3900", "dram.t_rfc=160"}},
    {"perrank32", {"dram.queues=shared", "dram.command_queue=32"}},
    {"unified", {"dram.unified=true"}},
    {"frfcfs32",
     {"dram.queues=shared", "dram.command_queue=32", "dram.unified=true", "dram.read_queue=2"}},
    {"FRFCFS_Cap", {"dram.scheduler=first_ready", "dram.row_hit_cap=16"}},
    {"FRFCFS_PriorHit", {"dram.scheduler=row_hit_first"}},
    {"twobuses", {"dram.command_buses=2"}}, /* ours, for a hand check */
};

static bool config_apply(struct conf *c, const char *id, struct err *err)
{
    while (*id) {
        size_t best = 0, len = 0;
        for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
            size_t n = strlen(parts[i].part);
            if (n > len && !strncmp(id, parts[i].part, n) && (id[n] == '_' || !id[n])) {
                best = i;
                len = n;
            }
        }
        if (!len)
            return err_set(err, "no settings are known for '%s' of a reference config_id", id);
        for (size_t k = 0; parts[best].sets[k]; k++)
            if (!conf_set(c, parts[best].sets[k], err))
                return false;
        id += len + (id[len] == '_');
    }
    return true;
}

struct run {
    struct dram_stats stats;
    double cycles, bandwidth, row_hits;
};

static bool run_one(const char *config, const char *pattern, const char *load, uint64_t requests,
                    struct run *out, struct err *err)
{
    struct dram_cfg cfg;
    struct conf *c = conf_new();
    conf_add(c, "dram", dram_fields, dram_nfields, &cfg);
    bool ok = config_apply(c, config, err) && dram_cfg_resolve(&cfg, err);
    int p = dram_pattern_find(pattern), l = dram_load_find(load);
    if (ok && (p < 0 || l < 0))
        ok = err_set(err, "unknown workload '%s' or load mode '%s'", pattern, load);
    if (ok) {
        struct dram_traffic t = {.pattern = (enum dram_pattern)p,
                                 .load = (enum dram_load)l,
                                 .requests = requests,
                                 .seed = 1};
        out->cycles = (double)dram_traffic_run(&cfg, &t, &out->stats);
        double columns = (double)(out->stats.rd + out->stats.wr);
        out->bandwidth = columns * (double)cfg.burst_cycles / out->cycles;
        out->row_hits =
            (double)(out->stats.rd_row_hits + out->stats.wr_row_hits) / (columns ? columns : 1);
    }
    conf_free(c);
    return ok;
}

enum { QUICK_SHARE = 10 };

static bool table_check(const struct validate_run *o, const char *file, struct checks *r,
                        struct err *err)
{
    struct reference t;
    bool ok = reference_load(&t, o->data, file, err);
    for (size_t i = 0; ok && i < t.nrows; i++) {
        const char *config = reference_text(&t, i, "config_id"),
                   *load = reference_text(&t, i, "load_mode");
        const char *work = reference_text(&t, i, "workload");
        bool high = !strcmp(load, "high"), random = strstr(work, "random");
        uint64_t n = (uint64_t)reference_number(&t, i, "requests");
        struct run run;
        ok = run_one(config, work, load, o->quick ? n / QUICK_SHARE : n, &run, err);
        if (!ok)
            break;
        checks_add(r, file, "bus fraction", run.bandwidth,
                   reference_number(&t, i, "bandwidth_fraction_of_peak"), 0.02, "%s %s %s", config,
                   work, load);
        if (o->quick)
            continue;
        if (high && !random)
            checks_add(r, file, "cycles", run.cycles, reference_number(&t, i, "total_cycles"),
                       0.001, "%s %s %s", config, work, load);
        if (!high)
            checks_add(r, file, "read latency", hist_mean(&run.stats.read_latency),
                       reference_number(&t, i, "avg_read_latency"), 0.02, "%s %s %s", config, work,
                       load);
    }
    reference_free(&t);
    return ok;
}

enum metric { M_BUS, M_MIN, M_MAX, M_MEAN, M_HITS, M_CYCLES_EACH };

/* The rows of hand_checks.csv, by how they begin, and what measures them. */
static const struct {
    const char *begins, *config, *pattern, *load;
    uint64_t requests;
    enum metric metric;
    double bound;
} hand[] = {
    {"row-hit read latency", "g5", "a_seq_read", "one_per_100", 32, M_MIN, 0},
    {"closed-bank read", "g5", "a_seq_read", "one_per_100", 1, M_MAX, 0},
    {"row-conflict read", "g5", "c2_newrow_each_1bank", "one_per_100", 10, M_MAX, 0},
    {"(b) random reads one", "g5", "b_random_read", "one_per_100", 6000, M_MEAN, 0.001},
    {"(a) sequential one", "g5", "a_seq_read", "one_per_100", 6000, M_MEAN, 0},
    {"(c2) new row", "g5", "c2_newrow_each_1bank", "high", 100000, M_BUS, 0.001},
    {"(c1) two-row", "g5", "c1_pingpong2rows_1bank", "high", 100000, M_BUS, 0.001},
    {"(c1) same, row-hit", "g5", "c1_pingpong2rows_1bank", "high", 100000, M_HITS, 0.001},
    {"(c1) full queue, no bank", "g5_nobg", "c1_pingpong2rows_1bank", "high", 100000, M_BUS, 0.001},
    {"(c1) full queue, strict", "ram1_FRFCFS_PriorHit", "c1_pingpong2rows_1bank", "high", 100000,
     M_BUS, 0.001},
    {"(c1/c2) one outstanding", "g5", "c2_newrow_each_1bank", "one_outstanding", 6000,
     M_CYCLES_EACH, 0.001},
    {"(e1) stride one row", "g5_twobuses", "e1_stride_1row", "high", 100000, M_BUS, 0.001},
    {"(e1) same, with one", "g5", "e1_stride_1row", "high", 100000, M_BUS, 0.001},
    {"(e1 under bankmap, bank", "g5_bankmap", "e1_stride_1row", "high", 100000, M_BUS, 0.002},
    {"(e1 under bankmap, no", "g5_nobg_bankmap", "e1_stride_1row", "high", 100000, M_BUS, 0.002},
};

static double metric_of(const struct run *run, enum metric m, uint64_t requests)
{
    const struct hist *h = &run->stats.read_latency;
    const double values[] = {run->bandwidth, (double)h->min, (double)h->max,
                             hist_mean(h),   run->row_hits,  run->cycles / (double)requests};
    return values[m];
}

static bool hand_check(const struct validate_run *o, struct checks *r, struct err *err)
{
    struct reference t;
    bool ok = reference_load(&t, o->data, "hand_checks.csv", err);
    for (size_t i = 0; ok && i < ARRAY_LEN(hand); i++)
        for (size_t k = 0; ok && k < t.nrows; k++) {
            const char *what = reference_text(&t, k, "quantity");
            if (strncmp(what, hand[i].begins, strlen(hand[i].begins)))
                continue;
            struct run run;
            ok =
                run_one(hand[i].config, hand[i].pattern, hand[i].load, hand[i].requests, &run, err);
            if (ok)
                checks_add(r, "hand_checks.csv", "by hand",
                           metric_of(&run, hand[i].metric, hand[i].requests),
                           reference_number(&t, k, "expected_by_hand"), hand[i].bound, "%.58s",
                           what);
        }
    reference_free(&t);
    return ok;
}

/* The traffic of a row of gpgpusim_dram.csv: arrays that are walked, or random lines. */
static struct dram_traffic row_traffic(const struct reference *t, size_t i, bool quick)
{
    const uint64_t n = (uint64_t)reference_number(t, i, "requests");
    struct dram_traffic w = {.pattern = DRAM_PATTERN_f_streams,
                             .load = DRAM_LOAD_high,
                             .requests = quick ? n / QUICK_SHARE : n,
                             .seed = 1,
                             .request_bytes = (uint32_t)reference_number(t, i, "request_bytes"),
                             .streams = {.arrays = (uint32_t)reference_number(t, i, "streams"),
                                         .run = (uint32_t)reference_number(t, i, "run"),
                                         .apart = (uint32_t)reference_number(t, i, "apart"),
                                         .written = (uint32_t)reference_number(t, i, "written"),
                                         .rewritten = reference_number(t, i, "rewritten") != 0}};
    if (!w.streams.arrays)
        w.pattern = w.streams.written ? DRAM_PATTERN_d2_random_2R1W : DRAM_PATTERN_b_random_read;
    return w;
}

/* The channel of a machine as it is in gpus/, against that of the simulator its paper used. */
static bool machine_check(const struct validate_run *o, struct checks *r, struct err *err)
{
    static const char file[] = "gpgpusim_dram.csv";
    struct reference t;
    bool ok = reference_load(&t, o->data, file, err);
    for (size_t i = 0; ok && i < t.nrows; i++) {
        const char *name = reference_text(&t, i, "machine");
        struct machine *m = machine_new(name, NULL, 0, err);
        if (!(ok = m))
            break;
        const struct dram_traffic w = row_traffic(&t, i, o->quick);
        struct dram_stats st;
        const double cycles = (double)dram_traffic_run(&m->dram_resolved, &w, &st);
        const char *work = reference_text(&t, i, "workload");
        checks_add(r, file, "bus fraction", (double)st.bus_busy / cycles,
                   reference_number(&t, i, "bandwidth_fraction_of_peak"), 0.02,
                   "%s %s, %u in turn, %u rows", name, work, w.streams.run, w.streams.apart);
        if (!o->quick && w.pattern == DRAM_PATTERN_f_streams)
            checks_add(r, file, "cycles", cycles, reference_number(&t, i, "total_cycles"), 0.001,
                       "%s %s, %u in turn, %u rows", name, work, w.streams.run, w.streams.apart);
        machine_free(m);
    }
    reference_free(&t);
    return ok;
}

/* Bus fractions of the rows of one other simulator, whose tables begin with `files`. */
static void add_points(const struct checks *r, const char *files, struct curve *to)
{
    for (size_t i = 0; i < r->at.len; i++) {
        const struct check *c = &r->at.data[i];
        if (strcmp(c->metric, "bus fraction") || strncmp(c->file, files, strlen(files)))
            continue;
        vec_push(&to->theirs, c->theirs);
        vec_push(&to->ours, c->ours);
    }
}

/* Bus fraction of every row, ours over theirs. */
static bool plot(const struct validate_run *o, const struct checks *r, struct err *err)
{
    static const double x[] = {0, 1}, most[] = {0, 1 / 1.02}, less[] = {0, 0.98};
    struct curve dramsim = {0}, ramulator = {0}, gpgpusim = {0};
    add_points(r, "dramsim", &dramsim);
    add_points(r, "ram", &ramulator);
    add_points(r, "gpgpusim", &gpgpusim);
    const struct plot_line lines[] = {
        {.name = "equal", .x = x, .y = x, .n = 2, .colour = 3},
        {.name = "2% more or less", .x = most, .y = x, .n = 2, .colour = 3, .is_dashed = true},
        {.x = x, .y = less, .n = 2, .colour = 3, .is_dashed = true},
        {.name = "DRAMsim3",
         .x = dramsim.theirs.data,
         .y = dramsim.ours.data,
         .n = dramsim.ours.len,
         .colour = 1,
         .has_points = true},
        {.name = "Ramulator",
         .x = ramulator.theirs.data,
         .y = ramulator.ours.data,
         .n = ramulator.ours.len,
         .colour = 2,
         .has_points = true},
        {.name = "GPGPU-Sim 3.2",
         .x = gpgpusim.theirs.data,
         .y = gpgpusim.ours.data,
         .n = gpgpusim.ours.len,
         .colour = 4,
         .has_points = true}};
    const struct plot_panel panel = {.x = "the other simulator (share of the bus)",
                                     .y = "Parsim (share of the bus)",
                                     .top = 1,
                                     .lines = lines,
                                     .nlines = ARRAY_LEN(lines),
                                     .height = 460};
    const struct plot p = {.title =
                               "Share of the data bus used, one GDDR5 channel, every reference row",
                           .panels = &panel,
                           .npanels = 1};
    bool ok = plot_save(&p, o->pictures, "dram_bus_fraction", err);
    curve_free(&dramsim);
    curve_free(&ramulator);
    curve_free(&gpgpusim);
    return ok;
}

bool validate_dram(const struct validate_run *o, struct checks *r, struct err *err)
{
    return hand_check(o, r, err) && table_check(o, "dramsim3_gddr5.csv", r, err) &&
           table_check(o, "ramulator1_gddr5.csv", r, err) && machine_check(o, r, err) &&
           (!o->pictures || plot(o, r, err));
}
