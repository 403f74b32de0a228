/* Pictures of a timed run: for each, NAME.dat, NAME.gp, and what gnuplot makes of them, NAME.svg
 * and NAME.pdf. */
#include "gpu/report_int.h"

#include "base/interrupt.h"
#include "base/outfolder.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BARS = 24 };

static const char style[] = "set style line 1 lc rgb '#1b5e20'; set style line 2 lc rgb '#c62828'\n"
                            "set style line 3 lc rgb '#1565c0'; set style line 4 lc rgb '#f9a825'\n"
                            "set style line 5 lc rgb '#9e9e9e'; set style line 6 lc rgb '#6a1b9a'\n"
                            "set style line 7 lc rgb '#000000'\n"
                            "set style increment user\n"
                            "set border 3; set tics nomirror; set grid ytics lc rgb '#dddddd'\n";

/* Where pictures go, and of which run. */
struct gallery {
    struct outfolder *out;
    const struct run_report *report;
};

/* Writes NAME.EXT through `fill`. */
static bool write_file(const struct gallery *g, const char *name, const char *ext,
                       void (*fill)(FILE *out, const void *arg), const void *arg, struct err *err)
{
    FILE *f = outfolder_begin(g->out, name, ext, err);
    if (!f)
        return false;
    fill(f, arg);
    return outfolder_end(g->out, f, err);
}

static bool write_data(const struct gallery *g, const char *name,
                       void (*fill)(FILE *out, const void *session), struct err *err)
{
    return write_file(g, name, "dat", fill, g->report->session, err);
}

/* A picture: the commands that draw it, once for each form. */
struct picture {
    const char *name, *body;
    double width, height; /* inches */
};

struct script {
    const struct picture *picture;
    int interrupted;
};

static void fill_script(FILE *out, const void *arg)
{
    const struct script *s = arg;
    const struct picture *p = s->picture;
    fprintf(out, "# gnuplot %s.gp\n%s", p->name, style);
    if (s->interrupted)
        fprintf(out, "set label 1000 'interrupted by %s' at screen 0.01,0.02 tc rgb '#c62828'\n",
                interrupt_name(s->interrupted));
    fprintf(out, "set terminal svg size %.0f,%.0f font 'Helvetica,14' background rgb 'white'\n",
            p->width * 100, p->height * 100);
    fprintf(out, "set output '%s.svg'\n%s", p->name, p->body);
    fprintf(out, "set terminal pdfcairo size %.1fin,%.1fin font 'Helvetica,12'\n", p->width,
            p->height);
    fprintf(out, "set output '%s.pdf'\n%sunset output\n", p->name, p->body);
}

static bool draw(const struct gallery *g, const struct picture *p, struct err *err)
{
    const struct script s = {p, g->report->interrupted};
    return write_file(g, p->name, "gp", fill_script, &s, err) &&
           outfolder_plot(g->out, p->name, err);
}

/* --- bars: the run and, where they are known, its kernels --- */

static void bar_name(FILE *out, const char *name)
{
    fputc('"', out);
    for (size_t i = 0; name[i] && i < 24; i++)
        fputc(name[i] == '"' || name[i] == '\\' ? ' ' : name[i], out);
    fputc('"', out);
}

static void fill_bars(FILE *out, const struct session *s, bool stages)
{
    const struct machine *m = session_machine(s);
    struct gpu *g = session_gpu(s);
    struct report_facts f;
    fprintf(out, "name");
    for (unsigned i = 0; i < FACT_SLOTS; i++)
        fprintf(out, " \"%s\"", stages ? fact_stage_names[i] : fact_slot_names[i]);
    for (size_t k = 0; k <= gpu_kernel_count(g) && k <= MOST_BARS; k++) {
        const struct stats *st = k ? session_kernel_stats(s, k - 1) : gpu_stats(g);
        if (!st)
            continue;
        report_facts(&f, m, st, k ? gpu_kernel(g, k - 1)->together_cycles : gpu_cycles(g));
        fputc('\n', out);
        char *name = k ? report_kernel_names(g, k - 1) : xstrdup("all");
        bar_name(out, name);
        free(name);
        for (unsigned i = 0; i < FACT_SLOTS; i++)
            fprintf(out, " %.6g", stages ? f.stages[i] : 100 * f.slots[i]);
    }
    fputc('\n', out);
}

static void fill_slots(FILE *out, const void *s)
{
    fill_bars(out, s, false);
}

static void fill_stages(FILE *out, const void *s)
{
    _Static_assert(FACT_SLOTS == FACT_STAGES, "one table for both");
    fill_bars(out, s, true);
}

#define STACKED                                                                        \
    "set style data histograms; set style histogram rowstacked; set boxwidth 0.7\n"    \
    "set style fill solid border lc rgb 'white'; set xtics rotate by -35 noenhanced\n" \
    "set key outside right reverse Left invert\n"

static bool plot_bars(const struct gallery *g, struct err *err)
{
    static const struct picture slots = {
        "issue_slots",
        STACKED "set ylabel 'issue slots (%)'; set yrange [0:100]\n"
                "plot for [i=2:6] 'issue_slots.dat' using i:xtic(1) title columnhead(i) ls i-1\n",
        7, 4};
    static const struct picture stages = {
        "load_stages",
        STACKED "set ylabel 'cycles of an L1 miss (mean)'; set yrange [0:*]\n"
                "plot for [i=2:6] 'load_stages.dat' using i:xtic(1) title columnhead(i) ls i-1\n",
        7, 4};
    return write_data(g, "issue_slots", fill_slots, err) && draw(g, &slots, err) &&
           write_data(g, "load_stages", fill_stages, err) && draw(g, &stages, err);
}

/* --- distribution of latencies --- */

static void fill_hist(void *ctx, const struct stat_value *v)
{
    FILE *out = ctx;
    uint64_t seen = 0;
    bool is_load = !strcmp(v->group, "sm") && !strcmp(v->row->name, "load_latency");
    if (!v->hist || !v->hist->count || (strcmp(v->group, "load_stages") && !is_load))
        return;
    fprintf(out, "\"%s\"\n", is_load ? "load, issue to registers" : v->row->name);
    for (uint32_t i = 0; i < HIST_BINS; i++) {
        if (!v->hist->bins[i])
            continue;
        seen += v->hist->bins[i];
        fprintf(out, "%llu %.6g\n", (unsigned long long)hist_bin_low(i),
                100.0 * (double)seen / (double)v->hist->count);
    }
    fprintf(out, "\n\n");
}

static void fill_latencies(FILE *out, const void *arg)
{
    const struct session *s = arg;
    fprintf(out, "# blocks of: cycles, share of the loads (%%) that took at most so long\n");
    stats_each(gpu_stats(session_gpu(s)), false, fill_hist, out);
}

static bool plot_latencies(const struct gallery *g, struct err *err)
{
    static const struct picture p = {
        "load_latency",
        "stats 'load_latency.dat' using 1 nooutput\n"
        "set xlabel 'cycles'; set ylabel 'share at most so long (%)'; set yrange [0:100]\n"
        "set key bottom right noenhanced; set xrange [0:*]\n"
        "if (STATS_records > 0) plot for [i=0:STATS_blocks-2] 'load_latency.dat' index i "
        "using 1:2 with steps ls (i%7+1) lw 2 title columnhead(1)\n",
        6, 4};
    return write_data(g, p.name, fill_latencies, err) && draw(g, &p, err);
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

static void fill_series(FILE *out, const void *arg)
{
    const struct session *s = arg;
    const struct stats *st = gpu_stats(session_gpu(s));
    const double hz = session_machine(s)->gpu.core_mhz * 1e6;
    cycle_t before = 0;
    fprintf(out, "cycle IPC GB/s L1 L2\n");
    for (size_t i = 0; i < stats_sample_count(st); i++) {
        struct point p = {0};
        stats_sample_each(st, i, add_delta, &p);
        if (p.cycle <= before)
            continue;
        double cycles = (double)(p.cycle - before);
        fprintf(out, "%llu %.6g %.6g %.6g %.6g\n", (unsigned long long)p.cycle,
                p.thread_inst / cycles, p.bytes / (cycles / hz) * 1e-9,
                100 * stat_ratio(p.l1_hits, p.l1_reads), 100 * stat_ratio(p.l2_hits, p.l2_reads));
        before = p.cycle;
    }
}

static bool plot_series(const struct gallery *g, struct err *err)
{
    static const struct picture p = {
        "series",
        "set multiplot layout 3,1; set yrange [0:*]; set key top right; set lmargin 10\n"
        "set ytics font ',10'\n"
        "set format x ''; set ylabel 'thread IPC'\n"
        "plot 'series.dat' using 1:2 with lines ls 3 lw 2 notitle\n"
        "set ylabel 'DRAM (GB/s)'\n"
        "plot 'series.dat' using 1:3 with lines ls 2 lw 2 notitle\n"
        "set format x '%g'; set xlabel 'core cycle'; set ylabel 'read hits (%)'\n"
        "set yrange [0:105]\n"
        "plot 'series.dat' using 1:4 with lines ls 1 lw 2 title 'L1', "
        "'' using 1:5 with lines ls 4 lw 2 title 'L2'\n"
        "unset multiplot; unset xlabel; unset ytics\n",
        7, 7};
    return write_data(g, p.name, fill_series, err) && draw(g, &p, err);
}

bool report_plot(const struct run_report *r, const char *dir, struct err *err)
{
    const struct gallery g = {outfolder_open(dir, err), r};
    if (!g.out)
        return false;
    bool ok = plot_bars(&g, err) && plot_latencies(&g, err) &&
              (stats_sample_count(gpu_stats(session_gpu(r->session))) < 2 || plot_series(&g, err));
    return outfolder_close(g.out, ok, err);
}
