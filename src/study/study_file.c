/* An experiment's file, read by the rows of study_file.def, and what must hold between its
 * lists. */
#include "study/study_file.h"

#include "study/study_kind.h"

#include <stdlib.h>
#include <string.h>

static const char *const study_norm_names[] = {"none", "over_base", "base_over", "share", NULL};
static const char *const study_selection_names[] = {"none", "memory_bound", "compressible", NULL};
static const char *const study_mean_names[] = {"geometric", "arithmetic", NULL};

static const struct conf_field fields[] = {
#define ROWS_FILE   "study/study_file.def"
#define ROWS_STRUCT study_figure
#include "parsim/rows_entries.h"
};

struct study_list study_list_of(const char *text)
{
    struct study_list l = {.text = xstrdup(text)};
    size_t most = 1;
    char *save = NULL;
    for (const char *p = text; *p; p++)
        most += *p == ',';
    l.at = xcalloc(most, sizeof *l.at);
    for (char *t = strtok_r(l.text, ",", &save); t; t = strtok_r(NULL, ",", &save)) {
        t += strspn(t, " ");
        for (size_t n = strlen(t); n && t[n - 1] == ' '; n--)
            t[n - 1] = 0;
        if (*t)
            l.at[l.n++] = t;
    }
    return l;
}

void study_list_free(struct study_list *l)
{
    free(l->text);
    free(l->at);
}

static bool check(const struct study_file *f, const char *name, struct err *err)
{
    if (!f->workloads.n || !f->designs.n)
        return err_set(err, "%s: figure.workloads and figure.designs are needed", name);
    if (f->figure.selection == STUDY_COMPRESSIBLE && !*f->figure.ratio_of)
        return err_set(err,
                       "%s: figure.ratio_of: a design is needed, whose ratio says what is "
                       "compressible",
                       name);
    if (f->labels.n && f->labels.n != f->designs.n)
        return err_set(err, "%s: figure.labels: %zu names for %zu designs", name, f->labels.n,
                       f->designs.n);
    if (!f->metrics.n || (f->metrics.n > 1 && f->parts.n != f->metrics.n))
        return err_set(err, "%s: figure.parts: %zu names for %zu metrics", name, f->parts.n,
                       f->metrics.n);
    if (f->reported.n && f->reported.n != f->designs.n * f->metrics.n)
        return err_set(err, "%s: figure.reported: %zu values for %zu designs of %zu metrics", name,
                       f->reported.n, f->designs.n, f->metrics.n);
    for (size_t i = 0; i < f->reported.n; i++) {
        char *end;
        strtod(f->reported.at[i], &end);
        if (*end && strcmp(f->reported.at[i], "-"))
            return err_set(err, "%s: figure.reported: '%s' is no number", name, f->reported.at[i]);
    }
    return true;
}

static bool load(struct study_file *f, const char *name, struct err *err)
{
    size_t n = strlen(name);
    if (strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml")))
        return conf_load(f->conf, name, err);
    for (const struct study_text *t = study_texts(); t->name; t++)
        if (!strcmp(t->name, name)) {
            char *place = xasprintf("experiments/%s.yaml", name);
            bool ok = conf_parse(f->conf, place, t->text, strlen(t->text), err);
            free(place);
            return ok;
        }
    return err_set(err, "no experiment '%s'; 'parsim figure --list' has them, FILE.yaml is yours",
                   name);
}

struct study_file *study_file_load(const char *name, struct err *err)
{
    struct study_file *f = xcalloc(1, sizeof *f);
    f->conf = conf_new();
    conf_add(f->conf, "figure", fields, ARRAY_LEN(fields), &f->figure);
    bool ok = load(f, name, err);
    f->workloads = study_list_of(f->figure.workloads);
    f->designs = study_list_of(f->figure.designs);
    f->labels = study_list_of(f->figure.labels);
    f->metrics = study_list_of(f->figure.metric);
    f->parts = study_list_of(f->figure.parts);
    f->reported = study_list_of(f->figure.reported);
    if (ok && check(f, name, err))
        return f;
    study_file_free(f);
    return NULL;
}

void study_file_free(struct study_file *f)
{
    if (!f)
        return;
    study_list_free(&f->workloads);
    study_list_free(&f->designs);
    study_list_free(&f->labels);
    study_list_free(&f->metrics);
    study_list_free(&f->parts);
    study_list_free(&f->reported);
    conf_free(f->conf);
    free(f);
}
