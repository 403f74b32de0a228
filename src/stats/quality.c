/* Errors of arrays, and bounds on them. */
#include "stats/quality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} types[QUALITY_TYPES] = {
    [QUALITY_U8] = {"u8", 1},   [QUALITY_U16] = {"u16", 2}, [QUALITY_I32] = {"i32", 4},
    [QUALITY_U32] = {"u32", 4}, [QUALITY_F32] = {"f32", 4}, [QUALITY_U64] = {"u64", 8},
    [QUALITY_F64] = {"f64", 8},
};

static const struct {
    const char *name, *help;
} measures[QUALITY_MEASURES] = {
#define MEASURE(name, help, percent) {#name, help},
#include "stats/quality.def"
#undef MEASURE
};

bool quality_find_type(const char *name, enum quality_type *type)
{
    for (unsigned i = 0; i < QUALITY_TYPES; i++)
        if (!strcmp(name, types[i].name)) {
            *type = (enum quality_type)i;
            return true;
        }
    return false;
}

bool quality_find_measure(const char *name, enum quality_measure *measure)
{
    for (unsigned i = 0; i < QUALITY_MEASURES; i++)
        if (!strcmp(name, measures[i].name)) {
            *measure = (enum quality_measure)i;
            return true;
        }
    return false;
}

const char *quality_measure_name(enum quality_measure m)
{
    return measures[m].name;
}

const char *quality_measure_help(enum quality_measure m)
{
    return measures[m].help;
}

/* --- comparing --- */

/* Every integer of 64 bits, every float: the 64 bits of x86's extended precision hold them. */
typedef long double wide;

static wide value_at(const void *data, enum quality_type type, size_t i)
{
    switch (type) {
    case QUALITY_U8:
        return ((const uint8_t *)data)[i];
    case QUALITY_U16:
        return ((const uint16_t *)data)[i];
    case QUALITY_I32:
        return ((const int32_t *)data)[i];
    case QUALITY_U32:
        return ((const uint32_t *)data)[i];
    case QUALITY_F32:
        return ((const float *)data)[i];
    case QUALITY_U64:
        return ((const uint64_t *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

static wide error_of(wide got, wide precise)
{
    if (got == precise || (isnan(got) && isnan(precise)))
        return 0;
    return isfinite(got) && isfinite(precise) ? fabsl(got - precise) : (wide)INFINITY;
}

/* `part` of `whole`, in percent. */
static double percent(double part, double whole)
{
    return part == 0 ? 0 : whole > 0 ? 100 * (part / whole) : INFINITY;
}

static void fill_measures(struct quality *q)
{
#define MEASURE(name, help, expression) q->percent[QUALITY_##name] = expression;
#include "stats/quality.def"
#undef MEASURE
}

bool quality_compare(const struct quality_array *a, struct quality *q, struct err *err)
{
    wide sum = 0, errors = 0, values = 0, logs = 0, largest = 0;
    size_t finite = 0, positive = 0;
    if (a->n != a->nprecise)
        return err_set(err, "%zu elements, but the precise array has %zu", a->n, a->nprecise);
    *q = (struct quality){.count = a->n};
    for (size_t i = 0; i < a->n; i++) {
        const wide r = value_at(a->precise, a->type, i);
        const wide e = error_of(value_at(a->got, a->type, i), r);
        q->wrong += e != 0;
        errors += e * e;
        largest = e > largest ? e : largest;
        if (!isfinite(r))
            continue;
        finite++;
        sum += fabsl(r);
        values += r * r;
        if (r > 0) {
            positive++;
            logs += logl(r);
        }
    }
    q->mean = finite ? (double)(sum / (wide)finite) : 0;
    q->geometric_mean = positive ? (double)expl(logs / (wide)positive) : 0;
    q->rmse = a->n ? (double)sqrtl(errors / (wide)a->n) : 0;
    q->largest_error = (double)largest;
    q->rms = a->n ? (double)sqrtl(values / (wide)a->n) : 0;
    fill_measures(q);
    return true;
}

#define MEASURE(name, help, expression)                              \
    static double row_##name(const void *p)                          \
    {                                                                \
        return ((const struct quality *)p)->percent[QUALITY_##name]; \
    }
#include "stats/quality.def"
#undef MEASURE

const struct stat_row quality_rows[QUALITY_MEASURES] = {
#define MEASURE(name, help, expression) \
    {#name, STAT_FORMULA, (uint32_t)sizeof(struct quality), "%", help, row_##name},
#include "stats/quality.def"
#undef MEASURE
};

/* --- bounds --- */

static bool wrong_bounds(const char *text, struct err *err)
{
    char list[160] = "";
    for (unsigned i = 0; i < QUALITY_MEASURES; i++) {
        const size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", measures[i].name);
    }
    return err_set(err,
                   "'%s' should be percent, such as 5 for the measure of each output, or measures "
                   "by name, such as wrong=1,largest=20; there are %s",
                   text, list);
}

static bool read_percent(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value >= 0 && isfinite(*value);
}

static bool read_bound(char *word, struct quality_bounds *b)
{
    enum quality_measure m;
    char *eq = strchr(word, '=');
    if (!eq) {
        const bool is_first = !b->has_declared;
        b->has_declared = true;
        return is_first && read_percent(word, &b->declared);
    }
    *eq = 0;
    if (!quality_find_measure(word, &m) || b->has[m])
        return false;
    b->has[m] = true;
    return read_percent(eq + 1, &b->of[m]);
}

bool quality_bounds_read(const char *text, struct quality_bounds *b, struct err *err)
{
    char *copy = xstrdup(text);
    bool ok = true;
    *b = (struct quality_bounds){0};
    for (char *w = copy, *comma; ok && w; w = comma ? comma + 1 : NULL) {
        comma = strchr(w, ',');
        if (comma)
            *comma = 0;
        ok = read_bound(w, b);
    }
    free(copy);
    return ok || wrong_bounds(text, err);
}

bool quality_exceeds(const struct quality *q, enum quality_measure by,
                     const struct quality_bounds *b, enum quality_measure *which, double *bound)
{
    *which = by;
    *bound = b->declared;
    if (b->has_declared && !(q->percent[by] <= *bound))
        return true;
    for (unsigned i = 0; i < QUALITY_MEASURES; i++) {
        *which = (enum quality_measure)i;
        *bound = b->of[i];
        if (b->has[i] && !(q->percent[i] <= *bound))
            return true;
    }
    return false;
}
