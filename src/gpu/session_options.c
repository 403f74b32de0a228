/* Rows of session_options.def: their texts into members, from options and from the environment. */
#include "gpu/session.h"

#include "base/cpu.h"
#include "gpu/observe.h"
#include "gpu/sample.h"
#include "gpu/selection.h"
#include "stats/quality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct session_option session_option_rows[] = {
#define OPTION(kind, member, name, variable, arg, least, most, help) \
    {SESSION_##kind,                                                 \
     (uint32_t)offsetof(struct session_options, member),             \
     name,                                                           \
     variable,                                                       \
     arg,                                                            \
     help,                                                           \
     least,                                                          \
     most},
#include "gpu/session_options.def"
#undef OPTION
};
const size_t session_noption_rows = ARRAY_LEN(session_option_rows);

static bool parse_number(const struct session_option *row, const char *name, const char *text,
                         uint64_t *value, struct err *err)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (errno || end == text || *end || *text == '-' || *value < row->least || *value > row->most)
        return err_set(err, "%s %s: must be %llu to %llu", name, text,
                       (unsigned long long)row->least, (unsigned long long)row->most);
    return true;
}

/* How many of them are worth it, a pool finds out (sim/host_level.h). */
static bool parse_threads(const struct session_option *row, const char *name, const char *text,
                          uint64_t *value, struct err *err)
{
    if (!parse_number(row, name, text, value, err))
        return false;
    if (!*value)
        *value = cpu_count() < row->most ? cpu_count() : row->most;
    return true;
}

bool session_option_set(const struct session_option *row, struct session_options *o,
                        const char *name, const char *text, struct err *err)
{
    void *member = (char *)o + row->offset;
    assert(row->kind < SESSION_SETS);
    if (row->kind == SESSION_FLAG && text && strcmp(text, "1"))
        return err_set(err, "%s=%s: must be 1, or 0 for no", name, text);
    if (row->kind == SESSION_FLAG)
        *(bool *)member = true;
    else if (row->kind == SESSION_NUMBER)
        return parse_number(row, name, text, member, err);
    else if (row->kind == SESSION_THREADS)
        return parse_threads(row, name, text, member, err);
    else if (!*text)
        return err_set(err, "%s: the value is empty", name);
    else
        *(const char **)member = text;
    return true;
}

const char *session_option_variable(const struct session_option *row)
{
    const char *text = row->variable ? getenv(row->variable) : NULL;
    const bool is_unset = !text || !*text || (row->kind == SESSION_FLAG && !strcmp(text, "0"));
    return is_unset ? NULL : text;
}

bool session_option_inherit(const struct session_option *row, struct session_options *o,
                            struct err *err)
{
    const char *text = session_option_variable(row);
    return !text || session_option_set(row, o, row->variable, text, err);
}

static bool needs_time(const char *what, struct err *err)
{
    return err_set(err, "--%s needs a timed run: give --gpu NAME or --timed", what);
}

bool session_options_check(struct session_options *o, struct err *err)
{
    const struct {
        const char *name;
        bool given;
    } timed[] = {{"csv", o->csv},
                 {"db", o->db},
                 {"interval", o->interval},
                 {"series", o->series},
                 {"plot", o->plot},
                 {"trace", o->trace},
                 {"per-kernel", o->per_kernel},
                 {"observe", o->observe},
                 {"hot", o->hot},
                 {"live", o->live},
                 {"checkpoint", o->checkpoint},
                 {"resume", o->resume},
                 {"kernel", o->kernel},
                 {"skip", o->skip},
                 {"count", o->count},
                 {"sample", o->sample}};
    o->is_timed = (o->is_timed || o->gpu) && !o->is_functional;
    for (unsigned i = 0; i < ARRAY_LEN(timed) && !o->is_timed; i++)
        if (timed[i].given)
            return needs_time(timed[i].name, err);
    if (o->oob && strcmp(o->oob, "fault") && strcmp(o->oob, "warn"))
        return err_set(err, "--oob %s: must be fault or warn", o->oob);
    if (o->observe && !observe_check(o->observe, err))
        return false;
    if (!selection_check(o, err) || !sample_check(o, err))
        return false;
    struct quality_bounds bounds;
    if (o->max_error && !quality_bounds_read(o->max_error, &bounds, err))
        return err_prefix(err, "--max-error");
    if (o->series && !o->interval)
        return err_set(err, "--series needs --interval N");
    if (o->interval && !o->series && !o->json && !o->csv && !o->db && !o->plot)
        return err_set(err, "--interval needs --series, --json, --csv, --db or --plot");
    return true;
}
