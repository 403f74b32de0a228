/* A program on a core: run, observed, written. */
#include "cpu_run.h"

#include "a64/a64_stats.h"
#include "base/interrupt.h"
#include "base/wall_clock.h"
#include "cli.h"
#include "cmd.h"
#include "cpu_trace.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/stats_files.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE = 1 << 20 };

struct run {
    const struct cpu_run_options *o;
    struct a64_process *p;
    struct cpu *cpu; /* NULL: functional */
    struct a64_stats counted;
    struct cpu_energy energy;
    struct stats *stats;
    struct stats *before, *roi; /* at its begin; of the region of interest, NULL: there was none */
    struct cpu_trace *trace;
    char *trouble; /* why it did not end by itself */
    int exit_code;
    double seconds;
};

/* What is not counted as it happens. */
static void count(struct run *r)
{
    r->counted = a64_stats_of(r->p);
    if (!r->cpu)
        return;
    const double seconds =
        (double)a64_core_stats(cpu_core(r->cpu))->cycles / ((double)r->o->machine->core.mhz * 1e6);
    const struct memo_cfg *memo = r->p->cpu.memo ? &r->o->machine->memo : NULL;
    r->energy = cpu_energy_of(&r->o->machine->energy, memo, r->stats, seconds);
}

/* --- running --- */

static void show(struct progress *progress, const struct run *r)
{
    const struct progress_state s = {.name = r->p->o.argv[0],
                                     .done = r->p->cpu.inst,
                                     .all = r->o->max_inst,
                                     .things = "instructions",
                                     .work = r->p->cpu.inst,
                                     .unit = "instructions"};
    progress_show(progress, &s);
}

/* Whether a signal has ended it. */
static bool is_interrupted(struct run *r)
{
    if (!interrupt_signal() || r->p->cpu.stop.kind)
        return false;
    r->p->cpu.stop.kind = A64_INTERRUPTED;
    return true;
}

/* In slices, between which signals are noticed and the progress is shown. */
static void run_functional(struct run *r, struct progress *progress)
{
    struct a64_process *p = r->p;
    const uint64_t most = r->o->max_inst;
    while (!p->cpu.stop.kind && (!most || p->cpu.inst < most)) {
        const uint64_t left = most ? most - p->cpu.inst : SLICE;
        a64_process_run(p, left < SLICE ? left : SLICE);
        is_interrupted(r);
        show(progress, r);
    }
}

static bool run_timed(struct run *r, struct progress *progress, struct err *err)
{
    const uint64_t slice = r->o->interval && r->o->interval < SLICE ? r->o->interval : SLICE;
    cycle_t next = r->o->interval;
    for (cycle_t limit = 0; !a64_core_is_done(cpu_core(r->cpu));) {
        limit += slice;
        if (next && limit > next)
            limit = next;
        if (!cpu_run(r->cpu, limit, err))
            return false;
        count(r);
        if (next && limit == next && !a64_core_is_done(cpu_core(r->cpu))) {
            stats_sample(r->stats, limit);
            next += r->o->interval;
        }
        if (is_interrupted(r))
            break;
        show(progress, r);
    }
    count(r);
    if (r->o->interval)
        stats_sample(r->stats, a64_core_stats(cpu_core(r->cpu))->cycles);
    return true;
}

/* The region of interest: the first, if there are several. */
static void watch(void *ctx, bool is_begin)
{
    struct run *r = ctx;
    count(r);
    if (is_begin && !r->before)
        r->before = stats_sums(r->stats, NULL);
    else if (!is_begin && r->before && !r->roi)
        r->roi = stats_sums(r->stats, r->before);
    if (r->trace)
        cpu_trace_region(r->trace, is_begin, a64_core_stats(cpu_core(r->cpu))->cycles);
}

/* --- why it ended --- */

static char *trouble_of(const struct a64_process *p, uint64_t max_inst)
{
    if (p->cpu.stop.kind == A64_EXIT)
        return NULL;
    if (p->cpu.stop.kind && p->cpu.stop.kind != A64_INTERRUPTED)
        return a64_process_why(p);
    char *place = a64_process_place(p, p->cpu.pc), *text;
    if (p->cpu.stop.kind == A64_INTERRUPTED)
        text = xasprintf("ended by %s at pc %s", interrupt_name(interrupt_signal()), place);
    else
        text = xasprintf("stopped at pc %s: the limit is %llu instructions", place,
                         (unsigned long long)max_inst);
    free(place);
    return text;
}

/* --- what it writes --- */

/* The unit's share of a processor with two, as the text counts it. */
static void add_area(json *o, const struct cpu_cfg *machine)
{
    json *area = json_child(o, "area");
    const double unit = cpu_energy_unit_mm2(machine->memo.l1_bytes);
    json_add_real(area, "unit_mm2", unit);
    json_add_real(area, "share_of_two", 2 * unit / CPU_ENERGY_PROCESSOR_MM2);
    json_add_real(area, "lut_pj",
                  machine->energy.scale * cpu_energy_lut_pj(machine->memo.l1_bytes));
}

static void write_json(FILE *out, const void *arg)
{
    const struct run *r = arg;
    json *o = json_object_new_object();
    json_add_text(o, "program", r->p->o.path);
    json_object_object_add(o, "arguments", json_strings(r->p->o.argv + 1, r->p->o.argc - 1));
    json_add_text(o, "mode", r->cpu ? "timed" : "functional");
    json_add_count(o, "exit_code", (uint64_t)r->exit_code);
    json_add_text(o, "error", r->trouble);
    json_object_object_add(o, "configuration", json_conf(r->o->machine->conf));
    json_object_object_add(o, "statistics", json_stats(r->stats, false));
    if (r->p->cpu.memo)
        add_area(o, r->o->machine);
    if (r->roi)
        json_object_object_add(o, "region_of_interest", json_stats(r->roi, false));
    if (r->o->interval)
        json_object_object_add(o, "series", json_series(r->stats, r->o->interval));
    json_write(o, out);
    json_object_put(o);
}

static void write_csv(FILE *out, const void *arg)
{
    stats_write_csv(((const struct run *)arg)->stats, out);
}

static void write_roi(FILE *out, const void *arg)
{
    stats_write_csv(((const struct run *)arg)->roi, out);
}

static void write_series(FILE *out, const void *arg)
{
    stats_write_series_csv(((const struct run *)arg)->stats, out);
}

static bool write_csv_files(const struct run *r, struct err *err)
{
    char *series = out_beside(r->o->csv, "series"), *roi = out_beside(r->o->csv, "roi");
    const bool is_written =
        out_write_file(r->o->csv, write_csv, r, err) &&
        (!r->o->interval || out_write_file(series, write_series, r, err)) &&
        (!r->roi || !strcmp(r->o->csv, "-") || out_write_file(roi, write_roi, r, err));
    free(series);
    free(roi);
    return is_written;
}

static bool write_db(const struct run *r, struct err *err)
{
    struct stats_db *db = stats_db_open(r->o->db, err);
    if (!db)
        return false;
    const bool is_added = stats_db_add(db, r->stats, r->p->o.argv[0], err) &&
                          (!r->roi || stats_db_add(db, r->roi, "region of interest", err));
    return stats_db_close(db, is_added, err) && is_added;
}

static bool write_files(const struct run *r, struct err *err)
{
    return (!r->o->json || out_write_file(r->o->json, write_json, r, err)) &&
           (!r->o->csv || write_csv_files(r, err)) && (!r->o->db || write_db(r, err)) &&
           (!r->trace || cpu_trace_close(r->trace, interrupt_signal(), err));
}

static void print_line(const struct run *r)
{
    const double seconds = r->seconds > 0 ? r->seconds : 1e-9;
    const unsigned long long inst = r->p->cpu.inst, calls = r->p->syscalls;
    const double rate = (double)inst / seconds * 1e-6;
    if (!r->cpu) {
        fprintf(stderr, "parsim cpu: %llu instructions in %.2f s (%.0f M/s), %llu system calls\n",
                inst, seconds, rate, calls);
        return;
    }
    const struct a64_core_stats *s = a64_core_stats(cpu_core(r->cpu));
    const double ms = (double)s->cycles / (double)r->o->machine->core.mhz * 1e-3;
    fprintf(stderr,
            "parsim cpu: %llu instructions, %llu cycles (%.3f ms, %.2f a cycle) in %.2f s "
            "(%.1f M/s), %llu system calls\n",
            inst, (unsigned long long)s->cycles, ms, stat_ratio((double)s->inst, (double)s->cycles),
            seconds, rate, calls);
}

/* --- the whole --- */

static bool start(struct run *r, struct err *err)
{
    r->p = a64_process_new(&r->o->guest, err);
    if (!r->p)
        return false;
    r->stats = stats_new();
    stats_note(r->stats, "program", r->p->o.path);
    stats_add(r->stats, "a64", a64_stat_rows, a64_nstat_rows, &r->counted);
    if (r->p->cpu.memo)
        memo_add_stats(r->p->cpu.memo, r->stats);
    if (r->o->is_functional)
        return true;
    r->cpu = cpu_new(r->o->machine, r->p, err);
    if (!r->cpu)
        return false;
    cpu_add_stats(r->cpu, r->stats);
    stats_add(r->stats, "energy", cpu_energy_rows, cpu_energy_nrows, &r->energy);
    a64_core_limit(cpu_core(r->cpu), r->o->max_inst);
    a64_core_watch(cpu_core(r->cpu), watch, r);
    r->trace = r->o->trace ? cpu_trace_new(r->o->trace, r->cpu, r->p, r->o->machine, err) : NULL;
    return !r->o->trace || r->trace;
}

static void end(struct run *r)
{
    cpu_trace_free(r->trace);
    stats_free(r->stats);
    stats_free(r->before);
    stats_free(r->roi);
    cpu_free(r->cpu);
    a64_process_free(r->p);
    free(r->trouble);
}

static int finish(struct run *r, struct err *err)
{
    count(r);
    r->trouble = trouble_of(r->p, r->o->max_inst);
    r->exit_code = r->p->cpu.stop.kind ? a64_process_exit_code(r->p) : EXIT_FAILED;
    if (!r->o->is_quiet)
        print_line(r);
    if (r->trouble)
        cli_fail("cpu", "%s", r->trouble);
    if (!write_files(r, err))
        return cli_fail("cpu", "%s", err->msg);
    return r->exit_code;
}

int cpu_run_program(const struct cpu_run_options *o, struct err *err)
{
    struct run r = {.o = o};
    int code;
    if (!start(&r, err)) {
        end(&r);
        return cli_fail("cpu", "%s", err->msg);
    }
    interrupt_catch();
    struct progress progress = {0};
    const double begin = wall_seconds();
    progress_start(&progress);
    bool is_run = true;
    if (r.cpu)
        is_run = run_timed(&r, &progress, err);
    else
        run_functional(&r, &progress);
    progress_end(&progress);
    r.seconds = wall_seconds() - begin;
    code = is_run ? finish(&r, err) : cli_fail("cpu", "%s", err->msg);
    end(&r);
    return code;
}
