/* One table of options for two commands: rows become getopt's, help texts and members. */
#include "run_options.h"

#include "out/live.h"

#include "base/outfile.h"
#include "gpu/report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The options of techniques, in order; NULL at the end. */
static const struct tech_option *option_of_technique(size_t i)
{
    const struct technique *t;
    for (size_t k = 0; (t = tech_at(k)); k++) {
        if (i < t->noptions)
            return &t->options[i];
        i -= t->noptions;
    }
    return NULL;
}

void run_options_table(struct option *all, const struct option *own)
{
    const struct tech_option *more;
    size_t n = 0;
    for (; own[n].name; n++)
        all[n] = own[n];
    assert(n + session_noption_rows < RUN_OPTIONS_MAX);
    for (size_t i = 0; i < session_noption_rows; i++, n++)
        all[n] = (struct option){session_option_rows[i].name,
                                 session_option_rows[i].kind == SESSION_FLAG ? no_argument
                                                                             : required_argument,
                                 NULL, RUN_OPTION_FIRST + (int)i};
    for (size_t i = 0; (more = option_of_technique(i)); i++, n++) {
        assert(n + 1 < RUN_OPTIONS_MAX);
        all[n] = (struct option){more->name, required_argument, NULL,
                                 RUN_OPTION_FIRST + (int)(session_noption_rows + i)};
    }
    all[n] = (struct option){0};
}

static void help_left(FILE *out, const char *name, const char *arg)
{
    char left[64];
    snprintf(left, sizeof left, "--%s %s", name, arg);
    fprintf(out, "  %-19s ", left);
}

void run_options_help(FILE *out, bool variables)
{
    const struct tech_option *more;
    for (size_t i = 0; i < session_noption_rows; i++) {
        const struct session_option *row = &session_option_rows[i];
        help_left(out, row->name, row->arg);
        fputs(row->help, out);
        if (variables && row->variable)
            fprintf(out, " [%s]", row->variable);
        fputc('\n', out);
    }
    for (size_t i = 0; (more = option_of_technique(i)); i++) {
        help_left(out, more->name, "FILE");
        fprintf(out, "%s\n", more->help);
    }
}

/* --- options that may be repeated --- */

static const char with_key[] = "gpu.with", plugin_key[] = "gpu.plugin";

static void add_to_list(struct run_options *r, const char *key, const char *option,
                        const char *value)
{
    size_t i = 0;
    while (i < r->lists.len && strcmp(r->lists.data[i].key, key))
        i++;
    if (i == r->lists.len) {
        vec_push(&r->lists, ((struct run_list){key, option, xasprintf("%s=%s", key, value)}));
        return;
    }
    struct run_list *l = &r->lists.data[i];
    char *more = xasprintf("%s,%s", l->text, value);
    free(l->text);
    l->text = more;
}

/* The program may change its directory before the machine is made. */
static bool add_file(struct run_options *r, const char *key, const char *option, const char *file,
                     struct err *err)
{
    char *path = realpath(file, NULL);
    if (!path)
        return err_set(err, "--%s %s: there is no such file", option, file);
    if (strchr(path, ',')) {
        free(path);
        return err_set(err, "--%s %s: no comma can be in its name", option, file);
    }
    add_to_list(r, key, option, path);
    vec_push(&r->inputs, path);
    return true;
}

bool run_options_take(struct run_options *r, int c, const char *value, bool *is_mine,
                      struct err *err)
{
    const size_t i = (size_t)(c - RUN_OPTION_FIRST);
    const struct tech_option *more = c >= RUN_OPTION_FIRST && i >= session_noption_rows
                                         ? option_of_technique(i - session_noption_rows)
                                         : NULL;
    *is_mine = more || (c >= RUN_OPTION_FIRST && i < session_noption_rows);
    if (!*is_mine)
        return true;
    if (more)
        return add_file(r, more->key, more->name, value, err);
    const struct session_option *row = &session_option_rows[i];
    if (row->kind == SESSION_PLUGIN)
        return add_file(r, plugin_key, row->name, value, err);
    if (row->kind == SESSION_SETS) {
        vec_push(&r->sets, value);
        return true;
    }
    if (row->kind == SESSION_WITH) {
        add_to_list(r, with_key, NULL, value);
        return true;
    }
    char name[64];
    snprintf(name, sizeof name, "--%s", row->name);
    return session_option_set(row, &r->o, name, value, err);
}

/* A machine is a name or a file. */
static bool is_file_name(const char *text)
{
    return strchr(text, '/') || strstr(text, ".yaml");
}

/* All sets: plug-ins first, since others may be fields of theirs. */
static void join_sets(struct run_options *r)
{
    const size_t given = r->sets.len;
    for (size_t i = 0; i < r->lists.len; i++)
        vec_push(&r->sets, r->lists.data[i].text);
    if (r->o.verify)
        vec_push(&r->sets, "gpu.verify=true");
    for (size_t i = 0; i < r->lists.len; i++)
        if (r->lists.data[i].key == plugin_key) {
            const char *text = r->sets.data[given + i];
            memmove(&r->sets.data[1], &r->sets.data[0], (given + i) * sizeof *r->sets.data);
            r->sets.data[0] = text;
        }
}

bool run_options_finish(struct run_options *r, struct err *err)
{
    join_sets(r);
    r->o.sets = r->sets.data;
    r->o.nsets = r->sets.len;
    if (!session_options_check(&r->o, err))
        return false;
    for (size_t i = 0; i < r->lists.len && !r->o.is_timed; i++)
        if (r->lists.data[i].option)
            return err_set(err, "--%s needs a timed run: give --gpu NAME or --timed",
                           r->lists.data[i].option);
    if (r->o.gpu && is_file_name(r->o.gpu))
        vec_push(&r->inputs, xstrdup(r->o.gpu));
    struct machine *m =
        machine_new(r->o.gpu ? r->o.gpu : MACHINE_DEFAULT, r->o.sets, r->o.nsets, err);
    char idle[512];
    if (m && tech_list_idle(m->techs, m->gpu.with, idle, sizeof idle))
        fprintf(stderr, "parsim: note: a plug-in is loaded, but not on: add --with %s\n", idle);
    machine_free(m);
    return m && run_report_probe(&r->o, err);
}

bool run_options_check_files(const struct run_options *r, const char *const *outputs, size_t n,
                             const char *const *inputs, size_t m, struct err *err)
{
    struct report_paths p;
    VEC(const char *) outs = {0};
    report_paths_find(&r->o, &p);
    for (size_t i = 0; i < REPORT_PATHS; i++)
        vec_push(&outs, p.at[i]);
    bool ok = outfile_check_inputs(p.at, REPORT_PATHS, inputs, m, err);
    for (size_t i = 0; i < n; i++)
        vec_push(&outs, outputs[i]);
    ok = ok && outfile_probe_all(outs.data, outs.len, err) &&
         outfile_check_inputs(outs.data, outs.len, (const char *const *)r->inputs.data,
                              r->inputs.len, err);
    vec_free(&outs);
    report_paths_free(&p);
    return ok;
}

bool run_options_try(const struct run_options *r, struct err *err)
{
    struct session_options o = r->o;
    if (!o.is_timed)
        return true;
    o.trace = o.checkpoint = NULL; /* outputs that a session opens at its start */
    if (o.live && !live_probe(o.live, err))
        return false;
    o.live = 0;
    struct session *s = session_new(&o, err);
    session_free(s);
    return s != NULL;
}

/* The program may change its directory before it ends. */
static bool export_path(const char *variable, const char *path, struct err *err)
{
    char cwd[PATH_MAX];
    if (path[0] == '/' || !strcmp(path, "-"))
        return setenv(variable, path, 1) == 0;
    if (!getcwd(cwd, sizeof cwd))
        return err_set(err, "%s: the current directory has no name", path);
    char *full = xasprintf("%s/%s", cwd, path);
    setenv(variable, full, 1);
    free(full);
    return true;
}

static void export_sets(const struct run_options *r, const char *variable)
{
    char *all = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&all, &len);
    for (size_t i = 0; i < r->sets.len; i++)
        fprintf(f, "%s\n", r->sets.data[i]);
    fclose(f);
    setenv(variable, all, 1);
    free(all);
}

/* Values that are 0 or NULL were not given: the environment stays as it is. */
static bool export_row(const struct run_options *r, const struct session_option *row,
                       struct err *err)
{
    const void *member = (const char *)&r->o + row->offset;
    char number[32];
    switch (row->kind) {
    case SESSION_SETS:
    case SESSION_WITH:
    case SESSION_PLUGIN:
        if (r->sets.len)
            export_sets(r, row->variable);
        return true;
    case SESSION_FLAG:
        return !*(const bool *)member || setenv(row->variable, "1", 1) == 0;
    case SESSION_NUMBER:
    case SESSION_THREADS:
        snprintf(number, sizeof number, "%llu", (unsigned long long)*(const uint64_t *)member);
        return !*(const uint64_t *)member || setenv(row->variable, number, 1) == 0;
    default: {
        const char *text = *(const char *const *)member;
        bool is_file = row->kind == SESSION_PATH || (text && is_file_name(text));
        if (!text)
            return true;
        return is_file ? export_path(row->variable, text, err)
                       : setenv(row->variable, text, 1) == 0;
    }
    }
}

static bool is_given(const struct session_options *o, const struct session_option *row)
{
    const void *member = (const char *)o + row->offset;
    const bool is_number = row->kind == SESSION_NUMBER || row->kind == SESSION_THREADS;
    return row->kind == SESSION_FLAG ? *(const bool *)member
           : is_number               ? *(const uint64_t *)member != 0
                                     : *(const char *const *)member != NULL;
}

bool run_options_inherit(struct run_options *r, struct err *err)
{
    if (r->o.gpu || r->o.is_timed) /* the command line's word counts */
        unsetenv("PARSIM_FUNCTIONAL");
    for (size_t i = 0; i < session_noption_rows; i++) {
        const struct session_option *row = &session_option_rows[i];
        if (row->kind < SESSION_SETS && !is_given(&r->o, row) &&
            !session_option_inherit(row, &r->o, err))
            return false;
    }
    return true;
}

bool run_options_export(const struct run_options *r, struct err *err)
{
    for (size_t i = 0; i < session_noption_rows; i++)
        if (session_option_rows[i].variable && !export_row(r, &session_option_rows[i], err))
            return false;
    return true;
}

void run_options_free(struct run_options *r)
{
    for (size_t i = 0; i < r->lists.len; i++)
        free(r->lists.data[i].text);
    vec_free(&r->lists);
    vec_free(&r->sets);
    for (size_t i = 0; i < r->inputs.len; i++)
        free(r->inputs.data[i]);
    vec_free(&r->inputs);
}
