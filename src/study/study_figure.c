/* One figure. */
#include "study/study_figure.h"

#include "base/outfile.h"
#include "study/study_kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what is chosen --- */

static bool has(const struct study_list *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->at[i], name))
            return true;
    return false;
}

/* What `only` (NULL: all) leaves of a list of the file. */
static bool choose(struct study_list *to, const struct study_list *all, const char *only,
                   bool strict, const char *what, size_t *of, struct err *err)
{
    struct study_list want = study_list_of(only ? only : "");
    bool ok = true;
    *to = (struct study_list){.at = xcalloc(all->n + 1, sizeof *to->at)};
    for (size_t i = 0; i < want.n && ok && strict; i++)
        if (!has(all, want.at[i]))
            ok = err_set(err, "the experiment has no %s '%s'", what, want.at[i]);
    for (size_t i = 0; i < all->n; i++)
        if (!only || has(&want, all->at[i])) {
            if (of)
                of[to->n] = i;
            to->at[to->n++] = all->at[i];
        }
    study_list_free(&want);
    return ok;
}

/* "a/b.yaml" is called b in the results. */
static char *base_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    char *base = xstrdup(slash ? slash + 1 : name), *dot = strstr(base, ".yaml");
    if (dot)
        *dot = 0;
    return base;
}

static void name_columns(struct fig *f)
{
    const struct study_file *e = f->file;
    const size_t parts = e->metrics.n;
    f->columns = xcalloc(f->designs.n * parts + 1, sizeof *f->columns);
    for (size_t i = 0; i < f->designs.n * parts; i++) {
        const char *name = e->labels.n ? e->labels.at[f->of[i / parts]] : f->designs.at[i / parts];
        f->columns[i] =
            parts > 1 ? xasprintf("%s %s", name, e->parts.at[i % parts]) : xstrdup(name);
    }
}

struct fig *fig_load(const char *name, const struct fig_choice *c, bool *is_empty, struct err *err)
{
    struct fig *f = xcalloc(1, sizeof *f);
    f->name = base_name(name);
    f->file = study_file_load(name, err);
    bool ok = f->file != NULL;
    if (ok) {
        f->of = xcalloc(f->file->designs.n, sizeof *f->of);
        f->gpu = c->gpu ? c->gpu : f->file->figure.gpu;
        f->plugins = c->plugins;
        ok = choose(&f->workloads, &f->file->workloads, c->workloads, c->is_strict, "program", NULL,
                    err) &&
             choose(&f->designs, &f->file->designs, c->designs, c->is_strict, "design", f->of, err);
    }
    *is_empty = ok && !(f->workloads.n && f->designs.n);
    if (ok && !*is_empty) {
        name_columns(f);
        return f;
    }
    fig_free(f);
    return NULL;
}

void fig_free(struct fig *f)
{
    if (!f)
        return;
    for (size_t i = 0; f->columns && f->columns[i]; i++)
        free(f->columns[i]);
    free(f->columns);
    study_table_free(&f->table);
    study_list_free(&f->workloads);
    study_list_free(&f->designs);
    free(f->of);
    free(f->jobs);
    free(f->bases);
    free(f->ratios);
    free(f->doubles);
    free(f->name);
    study_file_free(f->file);
    free(f);
}

/* --- its runs --- */

static const double least_gain = 1.05;

static struct study_job job_of(const struct fig *f, const char *workload, const char *design)
{
    return (struct study_job){.kind = study_kind_named(f->file->figure.kind),
                              .gpu = f->gpu,
                              .workload = workload,
                              .design = design,
                              .plugins = f->plugins};
}

bool fig_check(const struct fig *f, struct err *err)
{
    for (size_t d = 0; d < f->designs.n; d++) {
        struct study_job j = job_of(f, NULL, f->designs.at[d]);
        if (!study_check_design(&j, err))
            return false;
    }
    return true;
}

bool fig_check_workload(const struct fig *f, const char *workload,
                        bool (*check)(const char *name, struct err *err), struct err *err)
{
    const struct study_job j = job_of(f, workload, "");
    const struct study_kind_ops *kind = study_kind(&j);
    return (kind->check_workload ? kind->check_workload : check)(workload, err);
}

static size_t plan_one(const struct fig *f, struct study_plan *plan, unsigned rank,
                       const char *workload, const char *design)
{
    struct study_job j = job_of(f, workload, design);
    j.rank = rank;
    return study_plan_add(plan, &j);
}

void fig_plan(struct fig *f, struct study_plan *plan, unsigned rank)
{
    const struct study_figure *e = &f->file->figure;
    const size_t rows = f->workloads.n, n = rows * f->designs.n;
    f->jobs = xcalloc(n, sizeof *f->jobs);
    for (size_t i = 0; i < n; i++)
        f->jobs[i] = plan_one(f, plan, rank, f->workloads.at[i / f->designs.n],
                              f->designs.at[i % f->designs.n]);
    if (e->selection == STUDY_ALL)
        return;
    f->bases = xcalloc(rows, sizeof *f->bases);
    f->ratios = xcalloc(rows, sizeof *f->ratios);
    f->doubles = xcalloc(rows, sizeof *f->doubles);
    for (size_t r = 0; r < rows; r++) {
        f->bases[r] = plan_one(f, plan, rank, f->workloads.at[r], "base");
        f->doubles[r] = plan_one(f, plan, rank, f->workloads.at[r], STUDY_TWICE_THE_BANDWIDTH);
        f->ratios[r] =
            *e->ratio_of ? plan_one(f, plan, rank, f->workloads.at[r], e->ratio_of) : f->bases[r];
    }
}

static const double least_ratio = 1.10;

static void find_facts(struct fig *f, const struct study_job *jobs)
{
    struct study_table *t = &f->table;
    const bool needs_ratio = f->file->figure.selection == STUDY_COMPRESSIBLE;
    t->facts = xcalloc(t->nrows, sizeof *t->facts);
    for (size_t r = 0; r < t->nrows; r++) {
        const struct study_job *base = &jobs[f->bases[r]], *with = &jobs[f->ratios[r]];
        struct study_fact *fact = &t->facts[r];
        fact->bottleneck = study_bottleneck(base->result);
        fact->gain = study_gain(base, &jobs[f->doubles[r]]);
        fact->bus = base->result ? study_metric(base->result, "base", "bandwidth") : NAN;
        fact->ratio = with->result ? study_metric(with->result, with->design, "ratio") : NAN;
        fact->kept = fact->gain >= least_gain && (!needs_ratio || fact->ratio >= least_ratio);
    }
    t->rule = needs_ratio ? "at least 1.05 times as fast with twice the DRAM bandwidth and without "
                            "compression, as measured, and a burst ratio of at least 1.10"
                          : "at least 1.05 times as fast with twice the DRAM bandwidth and without "
                            "compression, as measured";
}

/* --- its table --- */

static bool reference_of(const struct fig *f, size_t *at, struct err *err)
{
    const char *name = f->file->figure.reference;
    for (*at = 0; *name && *at < f->designs.n; ++*at)
        if (!strcmp(f->designs.at[*at], name))
            return true;
    if (!*name)
        return true;
    return err_set(err, "%s: figure.reference: '%s' is not among the designs", f->name, name);
}

static void fill(struct fig *f, const struct study_job *jobs)
{
    struct study_table *t = &f->table;
    const struct study_file *e = f->file;
    const size_t parts = e->metrics.n;
    for (size_t i = 0; i < t->nrows * t->ncolumns; i++) {
        const struct study_job *j = &jobs[f->jobs[i / parts]];
        t->values[i] =
            j->result ? study_metric(j->result, j->design, e->metrics.at[i % parts]) : NAN;
    }
    for (size_t c = 0; c < t->ncolumns && e->reported.n; c++) {
        const char *text = e->reported.at[f->of[c / parts] * parts + c % parts];
        if (strcmp(text, "-"))
            t->reported[c] = strtod(text, NULL);
    }
}

bool fig_tabulate(struct fig *f, const struct study_job *jobs, struct err *err)
{
    const struct study_figure *e = &f->file->figure;
    struct study_table *t = &f->table;
    if (!reference_of(f, &f->reference, err))
        return false;
    f->reference *= f->file->metrics.n;
    study_table_init(t, f->workloads.n, f->designs.n * f->file->metrics.n);
    t->title = e->title;
    t->unit = e->unit;
    t->rows = f->workloads.at;
    t->columns = (const char *const *)f->columns;
    t->stack = e->normalise == STUDY_SHARE ? f->file->metrics.n : 1;
    t->parts = f->file->parts.at;
    fill(f, jobs);
    t->missing = fig_missing(f, jobs, NULL, NULL);
    if (e->selection != STUDY_ALL)
        find_facts(f, jobs);
    study_table_normalise(t, (enum study_norm)e->normalise, f->reference);
    study_table_average(t, (enum study_mean)e->mean);
    return true;
}

size_t fig_missing(const struct fig *f, const struct study_job *jobs, FILE *out, const char *prefix)
{
    size_t n = 0;
    for (size_t i = 0; i < f->workloads.n * f->designs.n; i++) {
        const struct study_job *j = &jobs[f->jobs[i]];
        if (j->result)
            continue;
        n++;
        if (out)
            fprintf(out, "%s%s on %s: %s\n", prefix, j->design, j->workload,
                    j->error ? j->error : "what it needs could not be made");
    }
    return n;
}

/* --- its files --- */

static void write_markdown(const struct fig *f, const struct study_setup *s,
                           const struct study_job *jobs, FILE *out)
{
    const struct study_figure *e = &f->file->figure;
    const struct study_table *t = &f->table;
    fprintf(out, "# %s\n\n%s%s`parsim figure %s --size %s`", e->title, e->paper,
            *e->paper ? ". " : "", f->name, s->size);
    if (study_kind(&jobs[f->jobs[0]])->has_machine)
        fprintf(out, " on %s", f->gpu);
    fprintf(out, "; the mean is that of the %zu programs that every design ran.", t->complete);
    if (t->facts)
        fprintf(out, " Kept: %s (%zu programs).", t->rule, t->kept);
    fprintf(out, "\n\n![%s](%s.svg)\n\n", e->title, f->name);
    study_table_markdown(t, out);
    fputc('\n', out);
    study_table_beside_paper(t, out, "- ");
    if (*e->remark)
        fprintf(out, "\n%s\n", e->remark);
    if (fig_missing(f, jobs, NULL, NULL)) {
        fprintf(out, "\nMissing:\n\n");
        fig_missing(f, jobs, out, "- ");
    }
}

bool fig_write(const struct fig *f, const struct study_setup *s, const struct study_job *jobs,
               const char *dir, bool with_csv, struct err *err)
{
    static const char *const exts[] = {"svg", "md", "csv"};
    bool ok = true;
    for (unsigned i = 0; i < 2u + with_csv && ok; i++) {
        char *path = xasprintf("%s/%s.%s", dir, f->name, exts[i]);
        struct outfile *out = outfile_open(path, err);
        if (out && i == 0)
            study_table_plot(&f->table, outfile_stream(out));
        else if (out && i == 1)
            write_markdown(f, s, jobs, outfile_stream(out));
        else if (out)
            study_table_csv(&f->table, outfile_stream(out));
        ok = out && outfile_close(out, err);
        free(path);
    }
    return ok;
}
