/* The table of workloads: its columns, its outputs, its runs. */
#include "study/study_survey.h"

#include "out/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The runs of a workload, side by side; the first is observed for the kinds of its instructions. */
static const char *const designs[] = {"base@gpu.observe=scalar", STUDY_TWICE_THE_BANDWIDTH};
enum { BASE, TWICE, RUNS };

/* `metric`, as study_metric() knows it, of the first run; NULL: what the second gains over it. */
static const struct column {
    const char *key, *metric, *head[2], *help;
    double scale;
    int width, digits;
} columns[] = {
    {"footprint_bytes",
     "memory_bytes",
     {"footprint", "MB"},
     "device memory allocated at one time, at most",
     1e-6,
     11,
     3},
    {"launches", "launches", {"", "launches"}, "of kernels", 1, 10, 0},
    {"blocks", "blocks", {"", "blocks"}, "of all launches", 1, 9, 0},
    {"sms_busy",
     "summary.busy_share",
     {"SMs busy", "%"},
     "share of the SMs that have a block, mean over the kernels' cycles",
     100,
     10,
     1},
    {"l2_hits",
     "summary.hit_rates.l2",
     {"L2 hits", "%"},
     "of its reads; those that join a miss under way are none",
     100,
     9,
     1},
    {"dram_bytes_per_warp_instruction",
     "summary.dram_bytes/warp_instructions",
     {"DRAM bytes/", "warp inst."},
     "moved over its bus, a warp instruction of the program",
     1,
     13,
     2},
    {"special_share",
     "stats.scalar.special/warp_instructions",
     {"special", "funct. %"},
     "sine, exponential, reciprocal, root and the like, of the warp instructions",
     100,
     10,
     1},
    {"gain_of_twice_the_bandwidth",
     NULL,
     {"gain of 2x", "bandwidth"},
     "cycles over those with twice the DRAM bandwidth (dram.bandwidth_scale=2)",
     1,
     12,
     2},
};
enum { COLUMNS = ARRAY_LEN(columns) };

static double value(const struct study_job *runs, unsigned c)
{
    if (!columns[c].metric)
        return study_gain(&runs[BASE], &runs[TWICE]);
    return runs[BASE].result ? study_metric(runs[BASE].result, runs[BASE].design, columns[c].metric)
                             : NAN;
}

/* Of the first run that failed; NULL: none has. */
static const char *error_of(const struct study_job *runs)
{
    return runs[BASE].error ? runs[BASE].error : runs[TWICE].error;
}

/* --- its outputs --- */

static int name_width(const struct study_survey *o)
{
    size_t most = 0;
    for (size_t w = 0; w < o->n; w++)
        most = strlen(o->workloads[w]) > most ? strlen(o->workloads[w]) : most;
    return (int)most;
}

static void print_head(const struct study_survey *o, FILE *out)
{
    fprintf(out, "%zu workload%s at %s on %s\n", o->n, o->n == 1 ? "" : "s", o->setup.size, o->gpu);
    for (unsigned line = 0; line < 2; line++) {
        fprintf(out, "%*s", name_width(o), "");
        for (unsigned c = 0; c < COLUMNS; c++)
            fprintf(out, "%*s", columns[c].width, columns[c].head[line]);
        fputc('\n', out);
    }
}

static void print_notes(const struct study_survey *o, FILE *out)
{
    fputc('\n', out);
    for (unsigned c = 0; c < COLUMNS; c++)
        fprintf(out, "%s%s%s: %s\n", columns[c].head[0], *columns[c].head[0] ? " " : "",
                columns[c].head[1], columns[c].help);
    if (!strcmp(o->setup.size, "tiny"))
        fprintf(out, "At tiny kernels are too short to fill a machine, and arrays fit into its "
                     "caches: these numbers say\nlittle about the programs (--size small).\n");
}

static void write_text(const struct study_survey *o, const struct study_job *jobs, FILE *out)
{
    print_head(o, out);
    for (size_t w = 0; w < o->n; w++) {
        const struct study_job *runs = &jobs[w * RUNS];
        fprintf(out, "%-*s", name_width(o), o->workloads[w]);
        for (unsigned c = 0; c < COLUMNS; c++)
            study_put_number(out, value(runs, c) * columns[c].scale, columns[c].width,
                             columns[c].digits);
        fprintf(out, "%s%s\n", error_of(runs) ? "  " : "", error_of(runs) ? error_of(runs) : "");
    }
    print_notes(o, out);
}

static void write_csv(const struct study_survey *o, const struct study_job *jobs, FILE *out)
{
    fprintf(out, "workload");
    for (unsigned c = 0; c < COLUMNS; c++)
        fprintf(out, ",%s", columns[c].key);
    fputs(",error\n", out);
    for (size_t w = 0; w < o->n; w++) {
        fprintf(out, "%s", o->workloads[w]);
        for (unsigned c = 0; c < COLUMNS; c++) {
            const double v = value(&jobs[w * RUNS], c);
            fputc(',', out);
            if (!isnan(v))
                fprintf(out, "%.17g", v);
        }
        fputc(',', out);
        if (error_of(&jobs[w * RUNS]))
            study_csv_text(out, error_of(&jobs[w * RUNS]));
        fputc('\n', out);
    }
}

static void write_json(const struct study_survey *o, const struct study_job *jobs, FILE *out)
{
    json *all = json_object_new_object(), *rows = json_object_new_array();
    json_add_text(all, "gpu", o->gpu);
    json_add_text(all, "size", o->setup.size);
    for (size_t w = 0; w < o->n; w++) {
        json *row = json_object_new_object();
        json_add_text(row, "name", o->workloads[w]);
        for (unsigned c = 0; c < COLUMNS; c++) {
            const double v = value(&jobs[w * RUNS], c);
            json_object_object_add(row, columns[c].key,
                                   isnan(v) ? NULL : json_object_new_double(v));
        }
        json_add_text(row, "error", error_of(&jobs[w * RUNS]));
        json_object_array_add(rows, row);
    }
    json_object_object_add(all, "workloads", rows);
    json_write(all, out);
    json_object_put(all);
}

/* --- its runs --- */

static enum study_end show(const struct study_survey *o, const struct study_job *jobs, FILE *out,
                           struct err *err)
{
    void (*const write[])(const struct study_survey *o, const struct study_job *jobs, FILE *out) = {
        [STUDY_TEXT] = write_text, [STUDY_JSON] = write_json, [STUDY_CSV] = write_csv};
    write[o->output](o, jobs, out);
    for (size_t w = 0; w < o->n; w++)
        if (error_of(&jobs[w * RUNS])) {
            err_set(err, "%s: %s", o->workloads[w], error_of(&jobs[w * RUNS]));
            return STUDY_INCOMPLETE;
        }
    return STUDY_DONE;
}

static enum study_end run(const struct study_survey *o, struct study_job *jobs, FILE *out,
                          struct err *err)
{
    struct study_setup setup = o->setup;
    char build[STUDY_BUILD];
    for (unsigned d = 0; d < RUNS; d++)
        if (!study_check_design(&jobs[d], err))
            return STUDY_REFUSED;
    struct study_store *store = study_store_of(setup.folder, build, err);
    setup.build = build;
    const bool ok = store && study_run(&setup, jobs, o->n * RUNS, store, err);
    study_store_close(store);
    return ok ? show(o, jobs, out, err) : STUDY_REFUSED;
}

enum study_end study_survey(const struct study_survey *o, FILE *out, struct err *err)
{
    struct study_job *jobs = xcalloc(o->n * RUNS, sizeof *jobs);
    for (size_t i = 0; i < o->n * RUNS; i++)
        jobs[i] = (struct study_job){
            .gpu = o->gpu, .workload = o->workloads[i / RUNS], .design = designs[i % RUNS]};
    enum study_end end = run(o, jobs, out, err);
    study_jobs_free(jobs, o->n * RUNS);
    free(jobs);
    return end;
}
