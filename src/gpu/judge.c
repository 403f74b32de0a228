/* What programs say of their outputs, as statistics and against bounds. */
#include "gpu/judge.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double worst_error(const void *p)
{
    return ((const struct judge *)p)->worst;
}

static const struct stat_row worst_rows[] = {
    {"error", STAT_FORMULA, (uint32_t)sizeof(struct judge), "%",
     "largest error of an output, by the measure that its program has named", worst_error},
};

/* The text was checked with the other options. */
void judge_init(struct judge *j, const struct session_options *o)
{
    struct err err;
    *j = (struct judge){0};
    if (o->max_error && !quality_bounds_read(o->max_error, &j->bounds, &err))
        panic("%s", err.msg);
}

void judge_free(struct judge *j)
{
    for (size_t i = 0; i < j->n; i++) {
        free(j->outputs[i]->name);
        free(j->outputs[i]);
    }
    free(j->outputs);
}

const char *judge_design(const struct session *s)
{
    return session_gpu(s) ? gpu_changes_values(session_gpu(s)) : NULL;
}

/* --- judging --- */

static bool is_name(const char *name)
{
    size_t n = 0;
    while (isalnum((unsigned char)name[n]) || name[n] == '_')
        n++;
    return n && n < 64 && !name[n];
}

static bool check(const struct judge *j, const struct parsim_output *o, struct quality_array *a,
                  enum quality_measure *by, struct err *err)
{
    if (!o)
        return err_set(err, "parsim_judge: there is no output");
    if (!o->name || !is_name(o->name))
        return err_set(err, "an output's name has up to 63 letters, digits and '_'");
    for (size_t i = 0; i < j->n; i++)
        if (!strcmp(j->outputs[i]->name, o->name))
            return err_set(err, "output %s was judged already", o->name);
    if (!o->type || !quality_find_type(o->type, &a->type))
        return err_set(err, "output %s: type '%s' is none of u8, u16, i32, u32, f32, u64, f64",
                       o->name, o->type ? o->type : "");
    if (!o->measure || !quality_find_measure(o->measure, by))
        return err_set(err, "output %s: there is no measure '%s'", o->name,
                       o->measure ? o->measure : "");
    if ((!o->precise && o->precise_count) || (!o->got && o->count))
        return err_set(err, "output %s: an array is missing", o->name);
    *a = (struct quality_array){a->type, o->precise, o->got, o->precise_count, o->count};
    return true;
}

static void add_statistics(struct session *s, struct judge *j, const struct judged_output *out)
{
    char *group = xasprintf("quality_%s", out->name);
    struct stats *st = session_gpu(s) ? gpu_stats(session_gpu(s)) : NULL;
    if (st && j->n == 1)
        stats_add(st, "quality", worst_rows, ARRAY_LEN(worst_rows), j);
    if (st && stats_fits(st, group, quality_rows, QUALITY_MEASURES)) /* no technique has it */
        stats_add(st, group, quality_rows, QUALITY_MEASURES, &out->q);
    free(group);
}

static bool measure(const struct judge *j, const struct parsim_output *o, struct judged_output *to,
                    struct err *err)
{
    struct quality_array a;
    if (!check(j, o, &a, &to->by, err))
        return false;
    return quality_compare(&a, &to->q, err) || err_prefix(err, "output %s", o->name);
}

bool judge_output(struct session *s, const struct parsim_output *o, bool *is_within,
                  struct err *err)
{
    struct judge *j = session_judge_of(s);
    struct judged_output one = {0};
    enum quality_measure which;
    double bound;
    if (!measure(j, o, &one, err)) {
        j->nrefused++;
        return false;
    }
    one.name = xstrdup(o->name);
    struct judged_output *out = xmalloc(sizeof *out);
    *out = one;
    j->outputs = xrealloc(j->outputs, (j->n + 1) * sizeof(*j->outputs));
    j->outputs[j->n++] = out;
    if (one.q.percent[one.by] > j->worst)
        j->worst = one.q.percent[one.by];
    add_statistics(s, j, out);
    *is_within = !quality_exceeds(&one.q, one.by, &j->bounds, &which, &bound);
    return true;
}

/* --- bounds --- */

bool judge_holds(const struct session *s, struct err *err)
{
    const struct judge *j = session_judge_of(s);
    enum quality_measure which;
    double bound;
    for (size_t i = 0; i < j->n; i++) {
        const struct judged_output *o = j->outputs[i];
        if (quality_exceeds(&o->q, o->by, &j->bounds, &which, &bound))
            return err_set(err, "output %s: %s is %.4g%%, above the bound of %g%% (--max-error %s)",
                           o->name, quality_measure_name(which), o->q.percent[which], bound,
                           session_options(s)->max_error);
    }
    if (!session_options(s)->max_error)
        return true;
    if (j->nrefused)
        return err_set(err, "--max-error %s: %zu output%s could not be judged",
                       session_options(s)->max_error, j->nrefused, j->nrefused == 1 ? "" : "s");
    return j->n || !judge_design(s) ||
           err_set(err,
                   "--max-error %s: %s may change values, but the program has not judged an output "
                   "(parsim/program.h)",
                   session_options(s)->max_error, judge_design(s));
}
