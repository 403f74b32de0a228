/* The summary that a person reads. */
#include "gpu/report_int.h"

#include "base/interrupt.h"
#include "exec/oob.h"
#include "gpu/sample.h"
#include "gpu/selection.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void line(FILE *out, const char *name)
{
    fprintf(out, "  %-14s", name);
}

/* "1 launch", "2 launches". */
static void print_count(FILE *out, const char *before, uint64_t n, const char *one,
                        const char *ending)
{
    fprintf(out, "%s%llu %s%s", before, (unsigned long long)n, one, n == 1 ? "" : ending);
}

static void print_totals(const struct run_report *r, FILE *out)
{
    struct session_kernel all = {0};
    const struct session *s = r->session;
    size_t n = s ? session_kernel_count(s) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct session_kernel *k = session_kernel(s, i);
        all.launches += k->launches;
        all.warp_inst += k->warp_inst;
        all.thread_inst += k->thread_inst;
        all.seconds += k->seconds;
    }
    fprintf(out, "%s, %s", s ? session_machine(s)->gpu.name : "no GPU used",
            s && session_gpu(s) ? "timed" : "functional");
    print_count(out, ": ", n, "kernel", "s");
    print_count(out, ", ", all.launches, "launch", "es");
    print_count(out, ", ", all.warp_inst, "warp-instruction", "s");
    print_count(out, ", ", all.thread_inst, "thread-instruction", "s");
    fprintf(out, ", %.3f s", all.seconds);
    if (all.seconds > 0)
        fprintf(out, " (%.0f K warp-instructions/s)", 1e-3 * (double)all.warp_inst / all.seconds);
    fprintf(out, "%s\n", r->nfaults && !r->interrupted ? "; a kernel was stopped by a fault" : "");
    if (r->interrupted)
        fprintf(out, "  interrupted by %s: all numbers are up to there\n",
                interrupt_name(r->interrupted));
}

static void print_machine(const struct machine *m, FILE *out)
{
    line(out, "machine");
    fprintf(
        out,
        "%lld SMs at %g MHz, %u L2 slices with %.1f GB/s in all, interconnect %.1f, DRAM %.1f\n",
        (long long)m->gpu.sms, m->gpu.core_mhz, machine_slices(m), machine_l2_bandwidth(m) * 1e-9,
        machine_reply_bandwidth(m) * 1e-9, machine_dram_bandwidth(m) * 1e-9);
}

static void print_time(const struct report_facts *f, const struct machine *m, FILE *out)
{
    double us = f->seconds * 1e6;
    line(out, "cycles");
    fprintf(out, "%.0f at %g MHz: %.*f %s\n", f->cycles, m->gpu.core_mhz, us < 1000 ? 1 : 3,
            us < 1000 ? us : us * 1e-3, us < 1000 ? "us" : "ms");
    line(out, "IPC");
    fprintf(out, "%.2f warp, %.1f thread instructions a cycle on %lld SMs\n", f->warp_ipc,
            f->thread_ipc, (long long)m->gpu.sms);
    line(out, "issue slots");
    for (unsigned i = 0; i < FACT_SLOTS; i++)
        fprintf(out, "%s%s %.1f%%", i ? ", " : "", fact_slot_names[i], 100 * f->slots[i]);
    fputc('\n', out);
    line(out, "occupancy");
    fprintf(out, "%.1f of %lld warps; registers never allocated %.1f%%; SMs with blocks %.1f%%\n",
            f->occupancy_warps, (long long)m->sm.warps, 100 * f->unallocated, 100 * f->busy);
}

static void print_rate(FILE *out, const char *name, const struct fact_rate *r, bool *any)
{
    if (!r->reads)
        return;
    fprintf(out, "%s%s %.1f%%", *any ? ", " : "", name, 100 * r->hit);
    *any = true;
}

static void print_memory(const struct report_facts *f, FILE *out)
{
    bool any = false;
    line(out, "read hits");
    print_rate(out, "L1", &f->l1, &any);
    print_rate(out, "L2", &f->l2, &any);
    print_rate(out, "constant", &f->konst, &any);
    print_rate(out, "texture", &f->tex, &any);
    print_rate(out, "instruction", &f->inst, &any);
    fputs(any ? "\n" : "no reads\n", out);
    line(out, "DRAM");
    fprintf(out, "%.1f of %.1f GB/s (%.1f%%), %.2f MB; row hits %.1f%%\n", f->dram_rate * 1e-9,
            f->dram_peak * 1e-9, 100 * stat_ratio(f->dram_rate, f->dram_peak), f->dram_bytes * 1e-6,
            100 * f->row_hits);
    line(out, "loads");
    fprintf(out, "%.0f, %.0f cycles on average\n", f->loads, f->load_latency);
    if (f->spill_loads || f->spill_stores) {
        line(out, "spills");
        fprintf(out, "%.0f loads and %.0f stores of registers that kernels have no room for\n",
                f->spill_loads, f->spill_stores);
    }
    if (!f->misses)
        return;
    line(out, "L1 misses");
    fprintf(out, "%.0f, %.0f cycles on average:", f->misses, f->miss_latency);
    for (unsigned i = 0; i < FACT_STAGES; i++)
        fprintf(out, "%s %s %.0f", i ? "," : "", fact_stage_names[i], f->stages[i]);
    fputc('\n', out);
}

static void print_techniques(const struct gpu *g, FILE *out)
{
    const struct tech_part *p;
    for (size_t i = 0; (p = gpu_technique(g, i)); i++) {
        char text[256];
        if (!p->describe)
            continue;
        *text = 0;
        p->describe(p->self, text, sizeof text);
        for (char *c = text; *c; c++)
            *c = iscntrl((unsigned char)*c) ? ' ' : *c; /* one line, whatever a plug-in says */
        line(out, "technique");
        fprintf(out, "%s\n", text);
    }
}

/* --- energy, largest components first --- */

static void print_energy(const struct energy_summary *e, FILE *out)
{
    enum { SHOWN = 5 };
    bool shown[ENERGY_MOST] = {false};
    double mj = e->total_j * 1e3;
    line(out, "energy");
    fprintf(out, "%.*f %s, %.1f W on average, EDP %.3g Js:", mj < 1 ? 1 : 2, mj < 1 ? mj * 1e3 : mj,
            mj < 1 ? "uJ" : "mJ", e->average_w, e->edp_js);
    for (unsigned n = 0; n < SHOWN; n++) {
        size_t most = e->table->n;
        for (size_t i = 0; i < e->table->n; i++)
            if (!shown[i] && e->joules[i] > 0 &&
                (most == e->table->n || e->joules[i] > e->joules[most]))
                most = i;
        if (most == e->table->n)
            break;
        shown[most] = true;
        fprintf(out, "%s %s %.1f%%", n ? "," : "", e->table->help[most],
                100 * stat_ratio(e->joules[most], e->total_j));
    }
    fputc('\n', out);
}

static void print_passed(const struct run_report *r, FILE *out)
{
    const struct selection *sel = r->session ? session_selection(r->session) : NULL;
    if (!sel || !selection_passed(sel)->launches)
        return;
    const struct selection_passed *p = selection_passed(sel);
    line(out, "not timed");
    print_count(out, "", p->launches, "launch", "es");
    print_count(out, ", ", p->warp_inst, "warp-instruction", "s");
    fprintf(out, "; the L2 was %s behind them\n",
            session_options(r->session)->caches ? session_options(r->session)->caches : "warm");
}

static void print_sample(const struct run_report *r, FILE *out)
{
    struct sample *of = r->session ? session_sample(r->session) : NULL;
    const struct sample_stats *c = of ? sample_counts(of) : NULL;
    if (!c || !c->warp_inst)
        return;
    line(out, "sampled");
    fprintf(out, "%.1f%% of the warp-instructions",
            100 * stat_ratio((double)c->simulated_warp_inst, (double)c->warp_inst));
    print_count(out, " and ", c->launches, "launch", "es");
    fprintf(out,
            " of %llu simulated; instructions are counted, all else is extrapolated, cycles "
            "with an estimated error of %.1f%%\n",
            (unsigned long long)(c->launches + c->launches_not_simulated),
            100 * stat_ratio((double)c->error_cycles, (double)c->cycles));
    if (!c->launches_that_wait)
        return;
    line(out, "");
    print_count(out, "", c->launches_that_wait, "launch", "es");
    fprintf(out, " simulated whole: their threads wait for each other in loops\n");
}

static void print_outside(const struct run_report *r, FILE *out)
{
    const struct oob *o = r->session ? session_device(r->session)->oob : NULL;
    if (!o)
        return;
    line(out, "out of bounds");
    print_count(out, "", oob_accesses(o), "access", "es");
    print_count(out, " of threads at ", oob_places(o), "place", "s");
    fputc('\n', out);
}

void run_report_print(const struct run_report *r, FILE *out)
{
    struct gpu *g = r->session ? session_gpu(r->session) : NULL;
    print_totals(r, out);
    print_passed(r, out);
    print_sample(r, out);
    print_outside(r, out);
    if (!g || !gpu_kernel_count(g))
        return;
    const struct machine *m = session_machine(r->session);
    struct report_facts f;
    report_facts(&f, m, session_stats(r->session), gpu_cycles(g));
    print_machine(m, out);
    report_kernels_print(g, out);
    print_time(&f, m, out);
    print_memory(&f, out);
    print_techniques(g, out);
    report_values_print(g, out);
    report_quality_print(r->session, out);
    print_energy(&f.energy, out);
    line(out, "bottleneck");
    fprintf(out, "%s\n", f.bottleneck);
    report_hot_print(r->session, out);
}
