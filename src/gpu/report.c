/* The files that a run's options ask for. */
#include "gpu/report.h"

#include "base/interrupt.h"
#include "base/outfile.h"
#include "gpu/report_int.h"
#include "gpu/trace.h"
#include "out/json.h"
#include "out/stats_files.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void fill_json(FILE *out, const void *report)
{
    struct json_object *o = run_report_to_json(report);
    json_write(o, out);
    json_object_put(o);
}

bool run_report_write_json(const struct run_report *r, const char *path, struct err *err)
{
    return out_write_file(path, fill_json, r, err);
}

/* --- CSV --- */

/* The last row of a run that was stopped; readers find numbers in the last column. */
static void mark_interrupted(FILE *out, const struct run_report *r, const char *prefix)
{
    if (r->interrupted)
        fprintf(out, "%sinterrupted,signal,%d\n", prefix, r->interrupted);
}

static void fill_csv(FILE *out, const void *report)
{
    const struct run_report *r = report;
    stats_write_csv(session_stats(r->session), out);
    mark_interrupted(out, r, "run,,");
}

static void fill_series(FILE *out, const void *report)
{
    const struct run_report *r = report;
    stats_write_series_csv(session_stats(r->session), out);
    if (r->interrupted)
        fprintf(out, "%llu,run,interrupted,%d\n",
                (unsigned long long)gpu_cycles(session_gpu(r->session)), r->interrupted);
}

char *report_kernel_names(const struct gpu *g, size_t i)
{
    char *names = xstrdup(gpu_kernel(g, i)->name);
    for (size_t k = 1; k < gpu_kernel(g, i)->together; k++) {
        char *more = xasprintf("%s+%s", names, gpu_kernel(g, i + k)->name);
        free(names);
        names = more;
    }
    return names;
}

static void fill_kernels(FILE *out, const void *report)
{
    const struct run_report *r = report;
    const struct session *s = r->session;
    fprintf(out, "kernel,kernel_name,group,name,unit,value\n");
    for (size_t i = 0; i < gpu_kernel_count(session_gpu(s)); i++) {
        if (!session_kernel_stats(s, i))
            continue;
        char *names = report_kernel_names(session_gpu(s), i);
        out_part_csv(out, i, names, session_kernel_stats(s, i));
        free(names);
    }
    mark_interrupted(out, r, ",,run,");
}

static bool write_all_csv(const struct run_report *r, struct err *err)
{
    const struct session_options *o = session_options(r->session);
    char *series = out_beside(o->csv, "series"), *kernels = out_beside(o->csv, "kernels");
    bool ok = out_write_file(o->csv, fill_csv, r, err) &&
              (!o->interval || o->series || out_write_file(series, fill_series, r, err)) &&
              (!o->per_kernel || out_write_file(kernels, fill_kernels, r, err));
    free(series);
    free(kernels);
    return ok;
}

/* --- SQLite --- */

static void note_run(struct stats *st, const struct run_report *r)
{
    const struct session *s = r->session;
    char cycles[32];
    char *yaml = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&yaml, &len);
    conf_dump(session_machine(s)->conf, f, false);
    fclose(f);
    snprintf(cycles, sizeof cycles, "%llu", (unsigned long long)gpu_cycles(session_gpu(s)));
    stats_note(st, "version", PARSIM_VERSION);
    stats_note(st, "gpu", session_machine(s)->gpu.name);
    stats_note(st, "cycles", cycles);
    stats_note(st, "machine", yaml);
    if (r->interrupted)
        stats_note(st, "interrupted", interrupt_name(r->interrupted));
    free(yaml);
}

static void put_field(void *db, const char *section, const struct conf_field *f, const char *value)
{
    stats_db_field(db, section, f->name, value);
}

/* Which program, how it was called, when. */
static void note_origin(struct stats_db *db)
{
    char line[4096] = "", date[32];
    const time_t now = time(NULL);
    struct tm tm;
    size_t n = 0;
    FILE *f = fopen("/proc/self/cmdline", "r");
    if (f) {
        n = fread(line, 1, sizeof line - 1, f);
        fclose(f);
    }
    stats_db_note(db, "program", line);
    for (size_t i = 0; i + 1 < n; i++)
        line[i] = line[i] ? line[i] : ' ';
    stats_db_note(db, "command_line", line);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    stats_db_note(db, "date", date);
}

static bool add_kernels(struct stats_db *db, const struct session *s, struct err *err)
{
    const struct gpu *g = session_gpu(s);
    bool ok = true;
    for (size_t i = 0; ok && i < gpu_kernel_count(g); i++) {
        if (!session_kernel_stats(s, i))
            continue;
        char *names = report_kernel_names(g, i), *name = xasprintf("kernel %zu: %s", i, names);
        ok = stats_db_add(db, session_kernel_stats(s, i), name, err);
        free(names);
        free(name);
    }
    return ok;
}

static bool write_db(const struct run_report *r, struct err *err)
{
    const struct session *s = r->session;
    struct stats *st = session_stats(s);
    struct stats_db *db = stats_db_open(session_options(s)->db, err);
    if (!db)
        return false;
    note_run(st, r);
    bool ok = stats_db_add(db, st, session_machine(s)->gpu.name, err);
    if (ok) {
        note_origin(db);
        conf_each(session_machine(s)->conf, put_field, db);
        stats_db_begin_parts(db);
        ok = !session_options(s)->per_kernel || add_kernels(db, s, err);
    }
    return stats_db_close(db, ok, err) && ok;
}

/* --- all --- */

static void fill_config(FILE *out, const void *report)
{
    const struct run_report *r = report;
    fprintf(out, "# The machine of a run by parsim %s, every field resolved.\n", PARSIM_VERSION);
    conf_dump(session_machine(r->session)->conf, out, true);
}

/* What only a machine that keeps time has. */
static bool write_timed(const struct run_report *r, struct err *err)
{
    const struct session *s = r->session;
    const struct session_options *o = session_options(s);
    /* what techniques save is for other runs: only of a whole one */
    return (r->interrupted || gpu_finish(session_gpu(s), err)) &&
           (!o->csv || write_all_csv(r, err)) &&
           (!o->series || out_write_file(o->series, fill_series, r, err)) &&
           (!o->db || write_db(r, err)) &&
           (!o->trace || trace_close(session_trace(s), r->interrupted, err)) &&
           (!o->plot || report_plot(r, o->plot, err));
}

void report_paths_find(const struct session_options *o, struct report_paths *p)
{
    char *series = o->csv && o->interval && !o->series ? out_beside(o->csv, "series") : NULL,
         *kernels = o->csv && o->per_kernel ? out_beside(o->csv, "kernels") : NULL;
    *p = (struct report_paths){{o->json, o->dump_config, o->csv, series, kernels, o->series, o->db,
                                o->trace, o->checkpoint},
                               series,
                               kernels};
}

void report_paths_free(struct report_paths *p)
{
    free(p->series);
    free(p->kernels);
}

bool run_report_probe(const struct session_options *o, struct err *err)
{
    struct report_paths p;
    report_paths_find(o, &p);
    bool ok = outfile_probe_all(p.at, REPORT_PATHS, err) &&
              (!o->db || stats_db_probe(o->db, err)) &&
              (!o->plot || outfile_probe_folder(o->plot, err));
    report_paths_free(&p);
    return ok;
}

bool run_report_write(const struct run_report *r, struct err *err)
{
    const struct session_options *o = session_options(r->session);
    return (!o->json || run_report_write_json(r, o->json, err)) &&
           (!o->dump_config || out_write_file(o->dump_config, fill_config, r, err)) &&
           (!session_gpu(r->session) || write_timed(r, err));
}
