/* Pictures of a timed run: where issue slots and the time of misses went, how long loads took, and
 * what happened over time. */
#include "gpu/report_int.h"

#include "base/interrupt.h"
#include "base/vec.h"
#include "out/plot.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BARS = 24, MOST_NAME = 28 };

/* Where pictures go, and of which run. */
struct gallery {
    struct outfolder *out;
    const struct run_report *report;
    char *warning;
};

static bool hang(const struct gallery *g, const char *name, const char *title,
                 const struct plot_panel *panels, size_t n, struct err *err)
{
    const struct machine *m = session_machine(g->report->session);
    char *whole = xasprintf("%s, %s", title, m->gpu.name);
    const struct plot p = {whole, g->warning, panels, n};
    bool ok = plot_save(&p, g->out, name, err);
    free(whole);
    return ok;
}

/* --- bars: the run and, where they are known, its kernels --- */

struct bars {
    VEC(char *) names;
    VEC(double) slots, stages;
};

static void add_bar(struct bars *b, const struct session *s, const struct stats *st, cycle_t cycles,
                    char *name)
{
    struct report_facts f;
    report_facts(&f, session_machine(s), st, cycles);
    if (strlen(name) > MOST_NAME)
        strcpy(&name[MOST_NAME - 2], "..");
    vec_push(&b->names, name);
    for (unsigned i = 0; i < FACT_SLOTS; i++)
        vec_push(&b->slots, 100 * f.slots[i]);
    for (unsigned i = 0; i < FACT_STAGES; i++)
        vec_push(&b->stages, f.stages[i]);
}

static void add_bars(struct bars *b, const struct session *s)
{
    struct gpu *g = session_gpu(s);
    add_bar(b, s, session_stats(s), gpu_cycles(g), xstrdup("all"));
    for (size_t k = 0; k < gpu_kernel_count(g) && k < MOST_BARS; k++)
        if (session_kernel_stats(s, k))
            add_bar(b, s, session_kernel_stats(s, k), gpu_kernel(g, k)->together_cycles,
                    report_kernel_names(g, k));
}

static bool plot_bars(const struct gallery *g, struct err *err)
{
    struct bars b = {0};
    add_bars(&b, g->report->session);
    struct plot_bars slots = {.groups = (const char *const *)b.names.data,
                              .ngroups = b.names.len,
                              .nbars = 1,
                              .parts = fact_slot_names,
                              .nparts = FACT_SLOTS,
                              .values = b.slots.data,
                              .base = FACT_SLOTS - 1}; /* idle */
    struct plot_bars stages = slots;
    stages.base = SIZE_MAX;
    stages.parts = fact_stage_names;
    stages.nparts = FACT_STAGES;
    stages.values = b.stages.data;
    const struct plot_panel of_slots = {.y = "issue slots (%)", .top = 100, .bars = &slots};
    const struct plot_panel of_stages = {.y = "mean of an L1 miss (core cycles)", .bars = &stages};
    bool ok = hang(g, "issue_slots", "Issue slots", &of_slots, 1, err) &&
              hang(g, "load_stages", "Where L1 misses spend their time", &of_stages, 1, err);
    for (size_t i = 0; i < b.names.len; i++)
        free(b.names.data[i]);
    vec_free(&b.names);
    vec_free(&b.slots);
    vec_free(&b.stages);
    return ok;
}

/* --- distribution of latencies --- */

struct curve {
    const char *name;
    double *x, *y;
    size_t n;
};

struct curves {
    VEC(struct curve) at;
};

static const char *curve_name(const struct stat_value *v)
{
    if (!strcmp(v->group, "sm"))
        return !strcmp(v->row->name, "load_latency") ? "load, issue to registers" : NULL;
    if (strcmp(v->group, "load_stages"))
        return NULL;
    for (unsigned i = 0; i < FACT_STAGES; i++)
        if (!strcmp(v->row->name, fact_stage_keys[i]))
            return fact_stage_names[i];
    return !strcmp(v->row->name, "total") ? "L1 miss, all stages" : v->row->name;
}

/* Of a histogram: the share of its values that are at most so high. */
static void add_curve(void *ctx, const struct stat_value *v)
{
    struct curves *all = ctx;
    uint64_t seen = 0;
    if (!v->hist || !v->hist->count || !curve_name(v))
        return;
    struct curve c = {curve_name(v), xcalloc(HIST_BINS + 1, sizeof *c.x),
                      xcalloc(HIST_BINS + 1, sizeof *c.y), 0};
    for (uint32_t i = 0; i < HIST_BINS; i++) {
        if (!v->hist->bins[i])
            continue;
        seen += v->hist->bins[i];
        if (!c.n)
            c.x[c.n++] = (double)hist_bin_low(i); /* up from nothing */
        c.x[c.n] = (double)hist_bin_low(i);
        c.y[c.n++] = 100.0 * (double)seen / (double)v->hist->count;
    }
    vec_push(&all->at, c);
}

static bool plot_latencies(const struct gallery *g, struct err *err)
{
    struct curves all = {0};
    VEC(struct plot_line) lines = {0};
    stats_each(session_stats(g->report->session), false, add_curve, &all);
    for (size_t i = 0; i < all.at.len; i++) {
        const struct curve *c = &all.at.data[i];
        vec_push(&lines, ((struct plot_line){
                             .name = c->name, .x = c->x, .y = c->y, .n = c->n, .is_step = true}));
    }
    const struct plot_panel panel = {.x = "core cycles",
                                     .y = "loads that took at most so long (%)",
                                     .top = 100,
                                     .lines = lines.data,
                                     .nlines = lines.len};
    bool ok = hang(g, "load_latency", "How long loads take", &panel, 1, err);
    for (size_t i = 0; i < all.at.len; i++) {
        free(all.at.data[i].x);
        free(all.at.data[i].y);
    }
    vec_free(&all.at);
    vec_free(&lines);
    return ok;
}

/* --- time --- */

struct point {
    cycle_t cycle;
    double thread_inst, bytes, l1_reads, l1_hits, l2_reads, l2_hits;
};

static void add_delta(void *ctx, cycle_t cycle, const char *group, const char *name, uint64_t delta)
{
    struct point *p = ctx;
    const struct {
        const char *group, *name;
        double *to;
    } rows[] = {{"sm", "thread_inst", &p->thread_inst}, {"mc", "bytes_moved", &p->bytes},
                {"l1", "reads", &p->l1_reads},          {"l1", "read_hits", &p->l1_hits},
                {"l2", "reads", &p->l2_reads},          {"l2", "read_hits", &p->l2_hits}};
    p->cycle = cycle;
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        if (!strcmp(group, rows[i].group) && !strcmp(name, rows[i].name))
            *rows[i].to = (double)delta;
}

enum { IPC, DRAM, L1, L2, CURVES };
struct series {
    double *x, *y[CURVES];
    size_t n;
};

static struct series series_of(const struct session *s)
{
    const struct stats *st = session_stats(s);
    const double hz = session_machine(s)->gpu.core_mhz * 1e6;
    const size_t most = stats_sample_count(st);
    struct series r = {.x = xcalloc(most + 1, sizeof *r.x)};
    cycle_t before = 0;
    for (unsigned i = 0; i < CURVES; i++)
        r.y[i] = xcalloc(most + 1, sizeof *r.y[i]);
    for (size_t i = 0; i < most; i++) {
        struct point p = {0};
        stats_sample_each(st, i, add_delta, &p);
        if (p.cycle <= before)
            continue;
        const double cycles = (double)(p.cycle - before);
        const double now[CURVES] = {p.thread_inst / cycles, p.bytes / (cycles / hz) * 1e-9,
                                    100 * stat_ratio(p.l1_hits, p.l1_reads),
                                    100 * stat_ratio(p.l2_hits, p.l2_reads)};
        for (unsigned k = 0; k < CURVES; k++)
            r.y[k][r.n] = now[k];
        r.x[r.n++] = (double)p.cycle;
        before = p.cycle;
    }
    return r;
}

static bool plot_series(const struct gallery *g, struct err *err)
{
    struct series s = series_of(g->report->session);
    const struct plot_line ipc = {.x = s.x, .y = s.y[IPC], .n = s.n, .colour = 1};
    const struct plot_line dram = {.x = s.x, .y = s.y[DRAM], .n = s.n, .colour = 4};
    const struct plot_line hits[] = {{.name = "L1", .x = s.x, .y = s.y[L1], .n = s.n, .colour = 3},
                                     {.name = "L2", .x = s.x, .y = s.y[L2], .n = s.n, .colour = 2}};
    const struct plot_panel panels[] = {
        {.y = "thread instructions a cycle", .lines = &ipc, .nlines = 1, .height = 150},
        {.y = "DRAM (GB/s)", .lines = &dram, .nlines = 1, .height = 150},
        {.x = "core cycle",
         .y = "read hits (%)",
         .top = 100,
         .lines = hits,
         .nlines = 2,
         .height = 150}};
    bool ok = hang(g, "series", "Over time", panels, ARRAY_LEN(panels), err);
    free(s.x);
    for (unsigned i = 0; i < CURVES; i++)
        free(s.y[i]);
    return ok;
}

bool report_plot(const struct run_report *r, const char *dir, struct err *err)
{
    struct gallery g = {outfolder_open(dir, err), r, NULL};
    if (!g.out)
        return false;
    if (r->interrupted)
        g.warning = xasprintf("interrupted by %s", interrupt_name(r->interrupted));
    bool ok = plot_bars(&g, err) && plot_latencies(&g, err) &&
              (stats_sample_count(session_stats(r->session)) < 2 || plot_series(&g, err));
    free(g.warning);
    return outfolder_close(g.out, ok, err);
}
