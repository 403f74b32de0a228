/* Outputs that a program has judged, because a design on its machine may change values. Each is a
 * group of statistics, `quality_NAME`; the largest error of all, each by the measure that its
 * program has named, is `quality.error`. */
#ifndef GPU_JUDGE_H
#define GPU_JUDGE_H

#include "gpu/session.h"
#include "parsim/program.h"
#include "stats/quality.h"

struct judged_output {
    char *name;
    enum quality_measure by;
    struct quality q;
};

/* What a session has of it. */
struct judge {
    struct judged_output **outputs;
    size_t n;
    size_t nrefused; /* outputs that could not be judged */
    double worst;    /* percent */
    struct quality_bounds bounds;
};

void judge_init(struct judge *j, const struct session_options *o);
void judge_free(struct judge *j);
struct judge *session_judge_of(const struct session *s);

/* The design that may change values; NULL: none, or no time is kept. */
const char *judge_design(const struct session *s);
/* Measures an output, and says whether it is within its bounds; false and an error that says what
 * is wrong with its description. */
bool judge_output(struct session *s, const struct parsim_output *o, bool *is_within,
                  struct err *err);
/* False and an error that names array, measure, value and bound: an output is beyond its bound; or
 * there is a bound, and an output could not be judged, or a design may change values and nothing
 * was judged. */
bool judge_holds(const struct session *s, struct err *err);

#endif
