/* Several experiments at once: which are meant, their runs, each once, and what is shown of them.
 */
#include "study/study_figures.h"

#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct figures {
    const struct study_figures *o;
    VEC(struct fig *) at;
    struct study_plan *plan;
    struct study_store *store;
    struct study_setup setup;
    FILE *out;
};

/* --- which --- */

/* "x-9" stands for x-9a and x-9b, "all" for everything. */
static bool is_part(const char *figure, const char *name)
{
    size_t n = strlen(name);
    return !strcmp(name, "all") || (!strncmp(figure, name, n) &&
                                    (figure[n] == '-' || (figure[n] >= 'a' && figure[n] <= 'z')));
}

static bool is_known(const char *name)
{
    for (const struct study_text *t = study_texts(); t->name; t++)
        if (!strcmp(t->name, name))
            return true;
    return false;
}

static bool has_figure(const struct figures *f, const char *name)
{
    for (size_t i = 0; i < f->at.len; i++)
        if (!strcmp(f->at.data[i]->name, name))
            return true;
    return false;
}

static bool check_workloads(const struct figures *f, const struct fig *fig, struct err *err)
{
    for (size_t w = 0; w < fig->workloads.n; w++)
        if (!fig_check_workload(fig, fig->workloads.at[w], f->o->check_workload, err))
            return false;
    return true;
}

/* One figure into the plan. One that cannot be is an error, but the others go on. */
static enum study_end add_figure(struct figures *f, const char *name, unsigned rank, bool is_strict)
{
    struct err err = {0};
    struct fig_choice choice = f->o->choice;
    bool is_empty;
    choice.is_strict = is_strict;
    if (has_figure(f, name))
        return STUDY_DONE;
    struct fig *fig = fig_load(name, &choice, &is_empty, &err);
    if (!fig && is_empty)
        return STUDY_DONE;
    if (!fig || (!f->o->report && !(check_workloads(f, fig, &err) && fig_check(fig, &err)))) {
        fig_free(fig);
        f->o->say("%s: %s", name, err.msg);
        return STUDY_REFUSED;
    }
    fig_plan(fig, f->plan, rank);
    vec_push(&f->at, fig);
    return STUDY_DONE;
}

static enum study_end add_figures(struct figures *f, const char *name, unsigned rank, bool is_only)
{
    enum study_end end = STUDY_DONE;
    bool any = false;
    for (const struct study_text *t = study_texts(); t->name && !is_known(name); t++)
        if (is_part(t->name, name)) {
            end = study_worse(end, add_figure(f, t->name, rank, false));
            any = true;
        }
    return any ? end : add_figure(f, name, rank, is_only);
}

/* --- all of them --- */

/* What is missing: a line a run; of a report, which may be of much less, a line a figure. */
static enum study_end tell_missing(const struct figures *f, const struct fig *fig,
                                   const struct study_job *jobs)
{
    size_t n = fig_missing(fig, jobs, f->o->report ? NULL : stderr, "parsim figure: missing: ");
    if (n && f->o->report && !f->setup.quiet)
        fprintf(stderr, "parsim figure: missing: %s: %zu of %zu runs\n", fig->name, n,
                fig->workloads.n * fig->designs.n);
    return n ? STUDY_INCOMPLETE : STUDY_DONE;
}

static enum study_end show(struct figures *f, const struct study_job *jobs, struct err *err)
{
    const char *dir = f->o->report ? f->o->report : f->setup.folder;
    enum study_end end = STUDY_DONE;
    for (size_t i = 0; i < f->at.len; i++) {
        struct fig *fig = f->at.data[i];
        if (!fig_tabulate(fig, jobs, err))
            return STUDY_REFUSED;
        if (!f->o->report) {
            study_table_print(&fig->table, f->out);
            study_table_beside_paper(&fig->table, f->out, "  ");
            fputc('\n', f->out);
        }
        end = study_worse(end, tell_missing(f, fig, jobs));
        /* a page of which nothing is there stays as it was */
        const bool is_empty =
            fig_missing(fig, jobs, NULL, NULL) == fig->workloads.n * fig->designs.n;
        if (!(f->o->report && is_empty) &&
            !fig_write(fig, &f->setup, jobs, dir, !f->o->report, err))
            return STUDY_REFUSED;
    }
    if (f->o->report && !fig_overview(f->at.data, f->at.len, &f->setup, f->o->report, err))
        return STUDY_REFUSED;
    return end;
}

static enum study_end make(struct figures *f, struct err *err)
{
    size_t n;
    struct study_job *jobs = study_plan_jobs(f->plan, &n);
    if (f->o->report)
        study_recall(&f->setup, jobs, n, f->store);
    else if (!study_run(&f->setup, jobs, n, f->store, err))
        return STUDY_REFUSED;
    return show(f, jobs, err);
}

/* 2 before 10, 2 before 2-stalls. */
static int by_name(const void *a, const void *b)
{
    const char *x = (*(const struct fig *const *)a)->name;
    const char *y = (*(const struct fig *const *)b)->name;
    for (; *x && *y; x++, y++) {
        size_t nx = strspn(x, "0123456789"), ny = strspn(y, "0123456789");
        if (nx != ny && nx && ny)
            return nx < ny ? -1 : 1;
        if (*x != *y)
            break;
    }
    return (*x > *y) - (*x < *y);
}

static enum study_end run_names(struct figures *f, char **names, int n, struct err *err)
{
    enum study_end end = STUDY_DONE;
    for (int i = 0; i < n; i++) {
        end = study_worse(end, add_figures(f, names[i], (unsigned)i, n == 1));
    }
    if (f->at.len)
        qsort(f->at.data, f->at.len, sizeof *f->at.data, by_name);
    return f->at.len ? study_worse(end, make(f, err)) : end;
}

static bool open_store(struct figures *f, char build[STUDY_BUILD], struct err *err)
{
    const struct study_figures *o = f->o;
    f->store = study_store_of(o->setup.folder, build, err);
    f->setup.build = build;
    return f->store && (!o->import || study_store_import(f->store, o->import, err)) &&
           (!o->build || study_store_build(f->store, o->build, build, err));
}

enum study_end study_figures(const struct study_figures *o, char **names, int n, FILE *out)
{
    struct figures f = {.o = o, .setup = o->setup, .plan = study_plan_new(), .out = out};
    struct err err = {0};
    char build[STUDY_BUILD];
    enum study_end end = STUDY_REFUSED;
    if (o->report && mkdir(o->report, 0777) && errno != EEXIST)
        err_set(&err, "cannot make the folder %s: %s", o->report, strerror(errno));
    else if (open_store(&f, build, &err)) {
        end = STUDY_DONE;
        if (o->builds)
            study_store_list(f.store, build, out);
        else
            end = run_names(&f, names, n, &err);
    }
    if (err.msg[0])
        o->say("%s", err.msg);
    for (size_t i = 0; i < f.at.len; i++)
        fig_free(f.at.data[i]);
    vec_free(&f.at);
    study_plan_free(f.plan);
    study_store_close(f.store);
    return end;
}

bool study_figures_list(FILE *out, struct err *err)
{
    for (const struct study_text *t = study_texts(); t->name; t++) {
        struct study_file *f = study_file_load(t->name, err);
        if (!f)
            return false;
        fprintf(out, "%-14s %s\n", t->name, f->figure.title);
        study_file_free(f);
    }
    return true;
}
