#include "run_options.h"

#include "base/outfile.h"
#include "gpu/report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void run_options_table(struct option *all, const struct option *own)
{
    size_t n = 0;
    for (; own[n].name; n++)
        all[n] = own[n];
    assert(n + session_noption_rows < RUN_OPTIONS_MAX);
    for (size_t i = 0; i < session_noption_rows; i++, n++)
        all[n] = (struct option){session_option_rows[i].name,
                                 session_option_rows[i].kind == SESSION_FLAG ? no_argument
                                                                             : required_argument,
                                 NULL, RUN_OPTION_FIRST + (int)i};
    all[n] = (struct option){0};
}

void run_options_help(FILE *out, bool variables)
{
    for (size_t i = 0; i < session_noption_rows; i++) {
        const struct session_option *row = &session_option_rows[i];
        char left[64];
        snprintf(left, sizeof left, "--%s %s", row->name, row->arg);
        fprintf(out, "  %-19s %s", left, row->help);
        if (variables && row->variable)
            fprintf(out, " [%s]", row->variable);
        fputc('\n', out);
    }
}

static void add_to_list(char **list, const char *key, const char *value)
{
    char *more = *list ? xasprintf("%s,%s", *list, value) : xasprintf("%s=%s", key, value);
    free(*list);
    *list = more;
}

/* The program may change its directory before the machine is made. */
static bool add_assist(struct run_options *r, const char *file, struct err *err)
{
    char *path = realpath(file, NULL);
    if (!path)
        return err_set(err, "--assist %s: there is no such file", file);
    add_to_list(&r->assist, "assist.files", path);
    vec_push(&r->inputs, path);
    return true;
}

bool run_options_take(struct run_options *r, int c, const char *value, bool *is_mine,
                      struct err *err)
{
    *is_mine = c >= RUN_OPTION_FIRST && (size_t)(c - RUN_OPTION_FIRST) < session_noption_rows;
    if (!*is_mine)
        return true;
    const struct session_option *row = &session_option_rows[c - RUN_OPTION_FIRST];
    if (row->kind == SESSION_SETS) {
        vec_push(&r->sets, value);
        return true;
    }
    if (row->kind == SESSION_WITH) {
        add_to_list(&r->with, "gpu.with", value);
        return true;
    }
    if (row->kind == SESSION_ASSIST)
        return add_assist(r, value, err);
    char name[64];
    snprintf(name, sizeof name, "--%s", row->name);
    return session_option_set(row, &r->o, name, value, err);
}

/* A machine is a name or a file. */
static bool is_file_name(const char *text)
{
    return strchr(text, '/') || strstr(text, ".yaml");
}

bool run_options_finish(struct run_options *r, struct err *err)
{
    if (r->with)
        vec_push(&r->sets, r->with);
    if (r->assist)
        vec_push(&r->sets, r->assist);
    if (r->o.verify)
        vec_push(&r->sets, "gpu.verify=true");
    r->o.sets = r->sets.data;
    r->o.nsets = r->sets.len;
    if (!session_options_check(&r->o, err))
        return false;
    if (r->assist && !r->o.is_timed)
        return err_set(err, "--assist needs a timed run: give --gpu NAME or --timed");
    if (r->o.gpu && is_file_name(r->o.gpu))
        vec_push(&r->inputs, xstrdup(r->o.gpu));
    struct machine *m =
        machine_new(r->o.gpu ? r->o.gpu : MACHINE_DEFAULT, r->o.sets, r->o.nsets, err);
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
    o.trace = NULL; /* the only output that a session opens at its start */
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
    case SESSION_ASSIST:
        if (r->sets.len)
            export_sets(r, row->variable);
        return true;
    case SESSION_FLAG:
        return !*(const bool *)member || setenv(row->variable, "1", 1) == 0;
    case SESSION_NUMBER:
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
    return row->kind == SESSION_FLAG     ? *(const bool *)member
           : row->kind == SESSION_NUMBER ? *(const uint64_t *)member != 0
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
    vec_free(&r->sets);
    for (size_t i = 0; i < r->inputs.len; i++)
        free(r->inputs.data[i]);
    vec_free(&r->inputs);
    free(r->with);
    free(r->assist);
}
