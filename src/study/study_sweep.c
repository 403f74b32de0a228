/* Points of a sweep, its table and its files. */
#include "study/study_sweep.h"

#include "base/interrupt.h"
#include "base/outfile.h"
#include "out/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char with_key[] = "with";

/* --- axes --- */

static bool add_axis(struct study_sweep *s, const char *option, char *key, const char *values,
                     struct err *err)
{
    struct study_axis a = {key, study_list_of(values)};
    bool ok = a.values.n || err_set(err, "--%s %s: the list is empty", option, key);
    for (size_t i = 0; i < s->naxes && ok; i++)
        ok = strcmp(s->axes[i].key, key) || err_set(err, "--%s %s: is given twice", option, key);
    if (ok && s->naxes == SWEEP_AXES)
        ok = err_set(err, "--%s %s: there can be %d at most", option, key, SWEEP_AXES);
    if (ok) {
        s->axes[s->naxes++] = a;
        return true;
    }
    study_list_free(&a.values);
    free(key);
    return false;
}

bool study_sweep_add_set(struct study_sweep *s, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return err_set(err, "--set %s: must be KEY=VALUE[,VALUE...]", text);
    return add_axis(s, "set", xasprintf("%.*s", (int)(equals - text), text), equals + 1, err);
}

bool study_sweep_add_with(struct study_sweep *s, const char *text, struct err *err)
{
    return add_axis(s, "with", xstrdup(with_key), text, err);
}

/* Which value of an axis a point has: the last axis turns fastest. */
static size_t value_of(const struct study_sweep *s, size_t point, size_t axis)
{
    for (size_t a = s->naxes; a-- > axis + 1;)
        point /= s->axes[a].values.n;
    return point % s->axes[axis].values.n;
}

static const char *text_of(const struct study_sweep *s, size_t point, size_t axis)
{
    return s->axes[axis].values.at[value_of(s, point, axis)];
}

/* NAME[@KEY=VALUE...] */
static void write_design(const struct study_sweep *s, size_t point, FILE *out)
{
    const char *with = "base";
    for (size_t a = 0; a < s->naxes; a++)
        if (!strcmp(s->axes[a].key, with_key))
            with = text_of(s, point, a);
    fputs(with, out);
    for (size_t a = 0; a < s->naxes; a++)
        if (strcmp(s->axes[a].key, with_key))
            fprintf(out, "@%s=%s", s->axes[a].key, text_of(s, point, a));
}

bool study_sweep_points(struct study_sweep *s, struct err *err)
{
    size_t n = 1, len = 0;
    char *all = NULL;
    for (size_t a = 0; a < s->naxes; a++)
        if ((n *= s->axes[a].values.n) > SWEEP_POINTS)
            return err_set(err, "more than %d points", SWEEP_POINTS);
    FILE *f = open_memstream(&all, &len);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "," : "", f);
        write_design(s, i, f);
    }
    fclose(f);
    s->matrix.designs = study_list_of(all);
    free(all);
    return true;
}

void study_sweep_free(struct study_sweep *s)
{
    for (size_t a = 0; a < s->naxes; a++) {
        free(s->axes[a].key);
        study_list_free(&s->axes[a].values);
    }
    study_list_free(&s->matrix.designs);
    study_list_free(&s->metrics);
    study_matrix_free(&s->matrix);
}

/* --- the table --- */

static double speedup(const struct study_sweep *s, size_t job)
{
    const struct study_matrix *m = &s->matrix;
    const size_t base = job / m->designs.n * m->designs.n;
    return study_matrix_value(m, base, "cycles") / study_matrix_value(m, job, "cycles");
}

static int width_of(const struct study_sweep *s, size_t axis)
{
    size_t most = strlen(s->axes[axis].key);
    for (size_t i = 0; i < s->axes[axis].values.n; i++)
        if (strlen(s->axes[axis].values.at[i]) > most)
            most = strlen(s->axes[axis].values.at[i]);
    return (int)most;
}

static int name_width(const struct study_sweep *s)
{
    size_t most = strlen("program");
    for (size_t p = 0; p < s->matrix.nprograms; p++)
        if (strlen(s->matrix.programs[p].name) > most)
            most = strlen(s->matrix.programs[p].name);
    return (int)most;
}

static int metric_width(const char *metric)
{
    const int n = (int)strlen(metric);
    return n > 12 ? n : 12;
}

static void print_number(FILE *out, double v, int width)
{
    if (isnan(v))
        fprintf(out, "%*s", width, "-");
    else if (v == floor(v) && fabs(v) < 1e15)
        fprintf(out, "%*.0f", width, v);
    else
        fprintf(out, "%*.5g", width, v);
}

static void print_row(const struct study_sweep *s, size_t job, FILE *out)
{
    const struct study_job *j = &s->matrix.jobs[job];
    fprintf(out, "%-*s", name_width(s), s->matrix.programs[job / s->matrix.designs.n].name);
    for (size_t a = 0; a < s->naxes; a++)
        fprintf(out, "  %-*s", width_of(s, a), text_of(s, job % s->matrix.designs.n, a));
    if (j->error) {
        fprintf(out, "  %s\n", j->error);
        return;
    }
    for (size_t k = 0; k < s->metrics.n; k++)
        print_number(out, study_matrix_value(&s->matrix, job, s->metrics.at[k]),
                     2 + metric_width(s->metrics.at[k]));
    study_put_number(out, speedup(s, job), 10, 3);
    fputc('\n', out);
}

static void print_table(const struct study_sweep *s, FILE *out)
{
    fprintf(out, "%-*s", name_width(s), "program");
    for (size_t a = 0; a < s->naxes; a++)
        fprintf(out, "  %-*s", width_of(s, a), s->axes[a].key);
    for (size_t k = 0; k < s->metrics.n; k++)
        fprintf(out, "  %*s", metric_width(s->metrics.at[k]), s->metrics.at[k]);
    fprintf(out, "%10s\n", "speedup");
    for (size_t i = 0; i < s->matrix.n; i++)
        print_row(s, i, out);
    study_matrix_warn(&s->matrix, out);
}

/* --- files --- */

static void write_csv(const struct study_sweep *s, FILE *f)
{
    fprintf(f, "program");
    for (size_t a = 0; a < s->naxes; a++)
        fprintf(f, ",%s", s->axes[a].key);
    for (size_t k = 0; k < s->metrics.n; k++)
        fputc(',', f), study_csv_text(f, s->metrics.at[k]);
    fprintf(f, ",speedup,error\n");
    for (size_t i = 0; i < s->matrix.n; i++) {
        const char *error = s->matrix.jobs[i].error;
        study_csv_text(f, s->matrix.programs[i / s->matrix.designs.n].name);
        for (size_t a = 0; a < s->naxes; a++)
            fputc(',', f), study_csv_text(f, text_of(s, i % s->matrix.designs.n, a));
        for (size_t k = 0; k <= s->metrics.n; k++) {
            const double v = k < s->metrics.n ? study_matrix_value(&s->matrix, i, s->metrics.at[k])
                                              : speedup(s, i);
            fputc(',', f);
            if (!isnan(v))
                fprintf(f, "%.17g", v);
        }
        fputc(',', f);
        study_csv_text(f, error ? error : "");
        fputc('\n', f);
    }
}

static json *run_json(const struct study_sweep *s, size_t i)
{
    const struct study_job *j = &s->matrix.jobs[i];
    json *o = json_object_new_object();
    json_add_text(o, "program", s->matrix.programs[i / s->matrix.designs.n].name);
    for (size_t a = 0; a < s->naxes; a++)
        json_add_text(json_child(o, "point"), s->axes[a].key,
                      text_of(s, i % s->matrix.designs.n, a));
    json_add_text(o, "design", j->design);
    for (size_t k = 0; k <= s->metrics.n; k++) {
        const bool is_metric = k < s->metrics.n;
        const double v =
            is_metric ? study_matrix_value(&s->matrix, i, s->metrics.at[k]) : speedup(s, i);
        json_object_object_add(is_metric ? json_child(o, "metrics") : o,
                               is_metric ? s->metrics.at[k] : "speedup",
                               isnan(v) ? NULL : json_object_new_double(v));
    }
    json_add_text(o, "error", j->error);
    return o;
}

static void write_json(const struct study_sweep *s, FILE *f)
{
    json *all = json_object_new_object(), *runs = json_object_new_array();
    json_add_text(all, "schema", "parsim-sweep-1");
    json_add_text(all, "gpu", s->matrix.gpu);
    json_object_object_add(all, "sampled", json_object_new_boolean(s->matrix.setup.is_sampled));
    json_add_text(all, "size", s->matrix.setup.size);
    for (size_t i = 0; i < s->matrix.n; i++)
        json_object_array_add(runs, run_json(s, i));
    json_object_object_add(all, "runs", runs);
    json_add_text(all, "interrupted", interrupt_name(interrupt_signal()));
    json_write(all, f);
    json_object_put(all);
}

/* The first metric: of cycles the speedup. */
static void write_plot(const struct study_sweep *s, FILE *f)
{
    const struct study_matrix *m = &s->matrix;
    const bool is_cycles = !strcmp(s->metrics.at[0], "cycles");
    const char **names = xcalloc(m->nprograms, sizeof *names);
    struct study_table t;
    study_table_init(&t, m->nprograms, m->designs.n);
    for (size_t p = 0; p < m->nprograms; p++)
        names[p] = m->programs[p].name;
    for (size_t i = 0; i < m->n; i++)
        t.values[i] = study_matrix_value(m, i, s->metrics.at[0]);
    study_table_normalise(&t, is_cycles ? STUDY_BASE_OVER : STUDY_AS_IS, 0);
    study_table_average(&t, is_cycles ? STUDY_GEOMETRIC : STUDY_ARITHMETIC);
    char *title = xasprintf("Sweep on %s", m->gpu);
    t.title = title;
    t.unit = is_cycles ? "speedup" : s->metrics.at[0];
    t.rows = names;
    t.columns = m->designs.at;
    t.missing = study_matrix_missing(m);
    study_table_plot(&t, f);
    study_table_free(&t);
    free(title);
    free(names);
}

static bool write_files(const struct study_sweep *s, struct err *err)
{
    const struct {
        const char *path;
        void (*fill)(const struct study_sweep *s, FILE *f);
    } files[] = {{s->json, write_json}, {s->csv, write_csv}, {s->plot, write_plot}};
    for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
        struct outfile *f = files[i].path ? outfile_open(files[i].path, err) : NULL;
        if (!f && files[i].path)
            return false;
        if (f)
            files[i].fill(s, outfile_stream(f));
        if (f && !outfile_close(f, err))
            return false;
    }
    return !s->db || study_matrix_write_db(&s->matrix, s->db, err);
}

/* --- all --- */

static bool metrics_exist(const struct study_sweep *s, struct err *err)
{
    for (size_t k = 0; k < s->metrics.n; k++) {
        bool any = study_matrix_missing(&s->matrix) == s->matrix.n;
        for (size_t i = 0; i < s->matrix.n && !any; i++)
            any = !isnan(study_matrix_value(&s->matrix, i, s->metrics.at[k]));
        if (!any)
            return err_set(err,
                           "--metric %s: no run has it; a path of a run's --json, for example "
                           "stats.l2.hit_rate, or cycles, ipc, bandwidth, energy, edp, ratio",
                           s->metrics.at[k]);
    }
    return true;
}

static enum study_end report(const struct study_sweep *s, FILE *out, struct err *err)
{
    if (!s->json || strcmp(s->json, "-"))
        print_table(s, out);
    if (!metrics_exist(s, err) || !write_files(s, err))
        return STUDY_REFUSED;
    return study_matrix_holds(&s->matrix, err) ? STUDY_DONE : STUDY_INCOMPLETE;
}

enum study_end study_sweep(struct study_sweep *s, FILE *out, struct err *err)
{
    const char *const files[] = {s->json, s->csv, s->plot, s->db};
    size_t missing = 0;
    study_matrix_plan(&s->matrix);
    if (!study_matrix_probe_db(s->db, err) || !outfile_probe_all(files, ARRAY_LEN(files), err) ||
        (s->only == SIZE_MAX && !study_matrix_check(&s->matrix, err)))
        return STUDY_REFUSED;
    if (s->only != SIZE_MAX) {
        if (!study_matrix_run(&s->matrix, s->only, err))
            return STUDY_REFUSED;
        return study_matrix_holds(&s->matrix, err) ? STUDY_DONE : STUDY_INCOMPLETE;
    }
    if ((s->collects || s->slurm) && !study_matrix_recall(&s->matrix, &missing, err))
        return STUDY_REFUSED;
    if (s->slurm && missing)
        return study_slurm_submit(s, out, err) ? STUDY_DONE : STUDY_REFUSED;
    if (!s->collects && !s->slurm && !study_matrix_run(&s->matrix, SIZE_MAX, err))
        return STUDY_REFUSED;
    return report(s, out, err);
}
