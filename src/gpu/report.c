/* The files that a run's options ask for. */
#include "gpu/report.h"

#include "base/file.h"
#include "base/utf8.h"
#include "gpu/report_int.h"
#include "gpu/trace.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

FILE *report_open(const char *path, struct err *err)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;
    if (!f)
        err_set(err, "cannot write %s: %s", path, strerror(errno));
    return f;
}

bool report_close(FILE *f, const char *path, struct err *err)
{
    bool ok = !fflush(f) && !ferror(f);
    if (f != stdout)
        ok = !fclose(f) && ok;
    return ok || err_set(err, "cannot write %s: %s", path, strerror(errno));
}

bool run_report_write_json(const struct run_report *r, const char *path, struct err *err)
{
    FILE *f = report_open(path, err);
    if (!f)
        return false;
    struct json_object *o = run_report_to_json(r);
    char *text = utf8_repair(json_object_to_json_string_ext(
        o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE));
    fprintf(f, "%s\n", text);
    free(text);
    json_object_put(o);
    return report_close(f, path, err);
}

/* --- CSV --- */

/* "a/b.csv" and "series" give "a/b.series.csv". */
static char *beside(const char *path, const char *word)
{
    size_t n = strlen(path), stem = n > 4 && !strcmp(path + n - 4, ".csv") ? n - 4 : n;
    return xasprintf("%.*s.%s.csv", (int)stem, path, word);
}

static bool write_csv(const struct stats *st, const char *path, struct err *err)
{
    FILE *f = report_open(path, err);
    if (!f)
        return false;
    stats_write_csv(st, f);
    return report_close(f, path, err);
}

static bool write_series(const struct stats *st, const char *path, struct err *err)
{
    FILE *f = report_open(path, err);
    if (!f)
        return false;
    stats_write_series_csv(st, f);
    return report_close(f, path, err);
}

struct kernel_line {
    FILE *out;
    size_t number;
    const char *name;
};

static void kernel_value(void *ctx, const struct stat_value *v)
{
    const struct kernel_line *k = ctx;
    if (v->hist)
        fprintf(k->out, "%zu,%s,%s,%s.count,%s,%llu\n", k->number, k->name, v->group, v->row->name,
                v->row->unit, (unsigned long long)v->hist->count);
    fprintf(k->out, "%zu,%s,%s,%s%s,%s,%.17g\n", k->number, k->name, v->group, v->row->name,
            v->hist ? ".mean" : "", v->row->unit, v->value);
}

static bool write_kernels(const struct session *s, const char *path, struct err *err)
{
    FILE *f = report_open(path, err);
    if (!f)
        return false;
    fprintf(f, "kernel,kernel_name,group,name,unit,value\n");
    for (size_t i = 0; i < gpu_kernel_count(session_gpu(s)); i++) {
        struct kernel_line k = {f, i, gpu_kernel(session_gpu(s), i)->name};
        stats_each(session_kernel_stats(s, i), false, kernel_value, &k);
    }
    return report_close(f, path, err);
}

static bool write_all_csv(const struct session *s, struct err *err)
{
    const struct session_options *o = session_options(s);
    const struct stats *st = gpu_stats(session_gpu(s));
    char *series = beside(o->csv, "series"), *kernels = beside(o->csv, "kernels");
    bool ok = write_csv(st, o->csv, err) &&
              (!o->interval || o->series || write_series(st, series, err)) &&
              (!o->per_kernel || write_kernels(s, kernels, err));
    free(series);
    free(kernels);
    return ok;
}

/* --- SQLite --- */

static void note_run(struct stats *st, const struct session *s)
{
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
    free(yaml);
}

static bool write_db(const struct session *s, struct err *err)
{
    const struct gpu *g = session_gpu(s);
    const char *path = session_options(s)->db;
    struct stats *st = gpu_stats(session_gpu(s));
    note_run(st, s);
    bool ok = stats_write_sqlite(st, path, session_machine(s)->gpu.name, err);
    for (size_t i = 0; ok && session_options(s)->per_kernel && i < gpu_kernel_count(g); i++) {
        char *name = xasprintf("kernel %zu: %s", i, gpu_kernel(g, i)->name);
        ok = stats_write_sqlite(session_kernel_stats(s, i), path, name, err);
        free(name);
    }
    return ok;
}

/* --- all --- */

static bool dump_config(const struct session *s, struct err *err)
{
    const char *path = session_options(s)->dump_config;
    FILE *f = report_open(path, err);
    if (!f)
        return false;
    fprintf(f, "# The machine of a run by parsim %s, every field resolved.\n", PARSIM_VERSION);
    conf_dump(session_machine(s)->conf, f, true);
    return report_close(f, path, err);
}

bool run_report_write(const struct run_report *r, struct err *err)
{
    const struct session *s = r->session;
    const struct session_options *o = session_options(s);
    bool ok = (!o->json || run_report_write_json(r, o->json, err)) &&
              (!o->dump_config || dump_config(s, err));
    if (!session_gpu(s))
        return ok;
    const struct stats *st = gpu_stats(session_gpu(s));
    return ok && gpu_finish(session_gpu(s), err) && (!o->csv || write_all_csv(s, err)) &&
           (!o->series || write_series(st, o->series, err)) && (!o->db || write_db(s, err)) &&
           (!o->trace || trace_close(session_trace(s), err)) &&
           (!o->plot || report_plot(r, o->plot, err));
}
