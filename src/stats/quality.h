/* Quality of outputs that a technique may have changed: how far an array is from the precise one.
 *
 * Values are compared as numbers: NaNs are equal to NaNs, 0 to -0. Where one of two values is a NaN
 * or an infinity and the other is not the same, the error is infinite. Means are of finite precise
 * values. An empty array has no error. */
#ifndef STATS_QUALITY_H
#define STATS_QUALITY_H

#include "base/err.h"
#include "parsim/rows.h"

enum quality_type {
    QUALITY_U8,
    QUALITY_U16,
    QUALITY_I32,
    QUALITY_U32,
    QUALITY_F32,
    QUALITY_U64,
    QUALITY_F64,
    QUALITY_TYPES
};

enum quality_measure {
#define MEASURE(name, help, percent) QUALITY_##name,
#include "stats/quality.def"
#undef MEASURE
    QUALITY_MEASURES
};

struct quality_array {
    enum quality_type type;
    const void *precise, *got;
    size_t nprecise, n; /* elements */
};

struct quality {
    uint64_t count, wrong;
    double mean, geometric_mean; /* of magnitudes of precise values; of positive ones */
    double rmse, largest_error;  /* in the array's unit */
    double rms;                  /* of precise values */
    double percent[QUALITY_MEASURES];
};

/* By name; false: there is none. */
bool quality_find_type(const char *name, enum quality_type *type);
bool quality_find_measure(const char *name, enum quality_measure *measure);
const char *quality_measure_name(enum quality_measure m);
const char *quality_measure_help(enum quality_measure m);

/* False and an error: the arrays do not have as many elements. */
bool quality_compare(const struct quality_array *a, struct quality *q, struct err *err);

/* Rows for stats_add(): every measure of a struct quality, in percent. */
extern const struct stat_row quality_rows[QUALITY_MEASURES];

/* What is allowed, in percent: "5" for the measure that an array is judged by, "wrong=1,largest=20"
 * for measures by name. */
struct quality_bounds {
    bool has_declared, has[QUALITY_MEASURES];
    double declared, of[QUALITY_MEASURES];
};
bool quality_bounds_read(const char *text, struct quality_bounds *b, struct err *err);
/* Whether a bound does not hold for an array that is judged by `by`: the first, with its value. */
bool quality_exceeds(const struct quality *q, enum quality_measure by,
                     const struct quality_bounds *b, enum quality_measure *which, double *bound);

#endif
