/* Designs beside each other on one or more programs: the table, its means, and files of both. */
#include "study/study_compare.h"

#include "base/interrupt.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "out/json.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns of the table, as study_metric() knows them. */
static const struct column {
    const char *name, *metric, *head;
    double scale;
    int width, digits;
} columns[] = {
    {"cycles", "cycles", "cycles", 1, 12, 0},
    {"bandwidth", "bandwidth", "bus %", 100, 8, 1},
    {"dram_bytes", "dram_bytes", "DRAM MB", 1e-6, 10, 2},
    {"ratio", "ratio", "ratio", 1, 8, 2},
    {"energy_joules", "energy", "energy mJ", 1e3, 11, 3},
    {"edp_joule_seconds", "edp", "EDP nJs", 1e9, 12, 2},
};
enum { CYCLES = 0, COLUMNS = ARRAY_LEN(columns) };

static const char *program_name(const struct study_compare *o, size_t p)
{
    return o->matrix.programs[p].name;
}

static double value(const struct study_job *j, unsigned column)
{
    return j->result ? study_metric(j->result, j->design, columns[column].metric) : NAN;
}

/* --- the table --- */

static int design_width(const struct study_compare *o)
{
    size_t most = 10;
    for (size_t d = 0; d < o->matrix.designs.n; d++)
        most = strlen(o->matrix.designs.at[d]) > most ? strlen(o->matrix.designs.at[d]) : most;
    return (int)most;
}

static void print_head(const struct study_compare *o, const char *title, FILE *out)
{
    fprintf(out, "%s\n  %-*s", title, design_width(o), "");
    for (unsigned c = 0; c < COLUMNS; c++) {
        fprintf(out, "%*s", columns[c].width, columns[c].head);
        if (c == CYCLES)
            fprintf(out, "%9s", "speedup");
    }
    fputc('\n', out);
}

static void print_block(const struct study_compare *o, const struct study_job *jobs, size_t p,
                        FILE *out)
{
    const struct study_job *row = &jobs[p * o->matrix.designs.n];
    print_head(o, program_name(o, p), out);
    for (size_t d = 0; d < o->matrix.designs.n; d++) {
        fprintf(out, "  %-*s", design_width(o), o->matrix.designs.at[d]);
        if (row[d].error) {
            fprintf(out, "  %s\n", row[d].error);
            continue;
        }
        for (unsigned c = 0; c < COLUMNS; c++) {
            study_put_number(out, value(&row[d], c) * columns[c].scale, columns[c].width,
                             columns[c].digits);
            if (c == CYCLES)
                study_put_number(out, value(&row[0], c) / value(&row[d], c), 9, 3);
        }
        fputc('\n', out);
    }
}

/* A table of one number over all programs. */
static void tabulate(const struct study_compare *o, const struct study_job *jobs,
                     const char *metric, enum study_norm norm, struct study_table *t)
{
    study_table_init(t, o->matrix.nprograms, o->matrix.designs.n);
    for (size_t i = 0; i < o->matrix.nprograms * o->matrix.designs.n; i++)
        t->values[i] = jobs[i].result ? study_metric(jobs[i].result, jobs[i].design, metric) : NAN;
    study_table_normalise(t, norm, 0);
    study_table_average(t, STUDY_GEOMETRIC);
}

static void print_means(const struct study_compare *o, const struct study_job *jobs, FILE *out)
{
    static const struct {
        const char *head, *metric;
        enum study_norm norm;
    } means[] = {{"speedup", "cycles", STUDY_BASE_OVER},
                 {"DRAM bytes", "dram_bytes", STUDY_OVER_BASE},
                 {"energy", "energy", STUDY_OVER_BASE},
                 {"EDP", "edp", STUDY_OVER_BASE}};
    struct study_table t[ARRAY_LEN(means)];
    for (unsigned i = 0; i < ARRAY_LEN(means); i++)
        tabulate(o, jobs, means[i].metric, means[i].norm, &t[i]);
    fprintf(out, "geometric means of %zu programs, relative to %s\n  %-*s", t[0].complete,
            o->matrix.designs.at[0], design_width(o), "");
    for (unsigned i = 0; i < ARRAY_LEN(means); i++)
        fprintf(out, "%12s", means[i].head);
    fputc('\n', out);
    for (size_t d = 0; d < o->matrix.designs.n; d++) {
        fprintf(out, "  %-*s", design_width(o), o->matrix.designs.at[d]);
        for (unsigned i = 0; i < ARRAY_LEN(means); i++)
            study_put_number(out, t[i].means[d], 12, 3);
        fputc('\n', out);
    }
    for (unsigned i = 0; i < ARRAY_LEN(means); i++)
        study_table_free(&t[i]);
}

/* --- files --- */

static void write_csv(const struct study_compare *o, const struct study_job *jobs, FILE *f)
{
    fprintf(f, "program,design");
    for (unsigned c = 0; c < COLUMNS; c++)
        fprintf(f, ",%s", columns[c].name);
    fprintf(f, ",speedup\n");
    for (size_t i = 0; i < o->matrix.nprograms * o->matrix.designs.n; i++) {
        const struct study_job *j = &jobs[i];
        study_csv_text(f, program_name(o, i / o->matrix.designs.n));
        fputc(',', f);
        study_csv_text(f, j->design);
        for (unsigned c = 0; c <= COLUMNS; c++) {
            const struct study_job *base = &jobs[i / o->matrix.designs.n * o->matrix.designs.n];
            double v = c < COLUMNS ? value(j, c) : value(base, CYCLES) / value(j, CYCLES);
            fputc(',', f);
            if (!isnan(v))
                fprintf(f, "%.17g", v);
        }
        fputc('\n', f);
    }
    if (study_matrix_missing(&o->matrix))
        fprintf(f, "runs missing,%zu\n", study_matrix_missing(&o->matrix));
}

static void write_json(const struct study_compare *o, const struct study_job *jobs, FILE *f)
{
    struct json_object *all = json_object_new_object(), *runs = json_object_new_array();
    json_add_text(all, "gpu", o->matrix.gpu);
    json_object_object_add(all, "sampled", json_object_new_boolean(o->matrix.setup.is_sampled));
    json_add_text(all, "size", o->matrix.programs[0].program ? NULL : o->matrix.setup.size);
    for (size_t i = 0; i < o->matrix.nprograms * o->matrix.designs.n; i++) {
        const struct study_job *j = &jobs[i],
                               *base = &jobs[i / o->matrix.designs.n * o->matrix.designs.n];
        struct json_object *r = json_object_new_object();
        double speedup = value(base, CYCLES) / value(j, CYCLES);
        json_add_text(r, "program", program_name(o, i / o->matrix.designs.n));
        json_add_text(r, "design", j->design);
        for (unsigned c = 0; c < COLUMNS; c++)
            json_object_object_add(r, columns[c].name,
                                   isnan(value(j, c)) ? NULL : json_object_new_double(value(j, c)));
        json_object_object_add(r, "speedup",
                               isnan(speedup) ? NULL : json_object_new_double(speedup));
        json_add_text(r, "error", j->error);
        json_object_array_add(runs, r);
    }
    json_object_object_add(all, "runs", runs);
    const char *stopped = interrupt_name(interrupt_signal());
    json_add_text(all, "interrupted", stopped);
    char *text = utf8_repair(json_object_to_json_string_ext(
        all, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    fprintf(f, "%s\n", text);
    free(text);
    json_object_put(all);
}

static void write_plot(const struct study_compare *o, const struct study_job *jobs, FILE *f)
{
    struct study_table t;
    const char **names = xcalloc(o->matrix.nprograms, sizeof *names);
    for (size_t p = 0; p < o->matrix.nprograms; p++)
        names[p] = program_name(o, p);
    tabulate(o, jobs, "cycles", STUDY_BASE_OVER, &t);
    char *title = xasprintf("Speedup over %s on %s", o->matrix.designs.at[0], o->matrix.gpu);
    t.title = title;
    t.unit = "speedup";
    t.rows = names;
    t.columns = o->matrix.designs.at;
    t.missing = study_matrix_missing(&o->matrix);
    study_table_plot(&t, f);
    study_table_free(&t);
    free(title);
    free(names);
}

static bool write_files(const struct study_compare *o, const struct study_job *jobs,
                        struct err *err)
{
    const struct {
        const char *path;
        void (*fill)(const struct study_compare *o, const struct study_job *jobs, FILE *f);
    } files[] = {{o->json, write_json}, {o->csv, write_csv}, {o->plot, write_plot}};
    for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
        struct outfile *f = files[i].path ? outfile_open(files[i].path, err) : NULL;
        if (!f && files[i].path)
            return false;
        if (f)
            files[i].fill(o, jobs, outfile_stream(f));
        if (f && !outfile_close(f, err))
            return false;
    }
    return true;
}

/* --- all --- */

/* Everything that can be wrong with what was asked, before anything runs. */
static bool check(const struct study_compare *o, struct err *err)
{
    const char *const files[] = {o->json, o->csv, o->plot, o->db};
    return study_matrix_probe_db(o->db, err) && outfile_probe_all(files, ARRAY_LEN(files), err) &&
           study_matrix_check(&o->matrix, err);
}

enum study_end study_compare(struct study_compare *o, FILE *out, struct err *err)
{
    study_matrix_plan(&o->matrix);
    if (!check(o, err) || !study_matrix_run(&o->matrix, SIZE_MAX, err))
        return STUDY_REFUSED;
    const struct study_job *jobs = o->matrix.jobs;
    bool table = !o->json || strcmp(o->json, "-");
    for (size_t p = 0; p < o->matrix.nprograms && table; p++)
        print_block(o, jobs, p, out);
    if (o->matrix.nprograms > 1 && table)
        print_means(o, jobs, out);
    if (table)
        study_matrix_warn(&o->matrix, out);
    if (!write_files(o, jobs, err) || (o->db && !study_matrix_write_db(&o->matrix, o->db, err)))
        return STUDY_REFUSED;
    return study_matrix_holds(&o->matrix, err) ? STUDY_DONE : STUDY_INCOMPLETE;
}
