/* Which launches of a program keep time (--kernel, --skip, --count); the others run functionally,
 * and leave in the L2 what they touched, or a cold one (--caches). */
#ifndef GPU_SELECTION_H
#define GPU_SELECTION_H

#include "gpu/session.h"

/* Launches that were not timed. */
struct selection_passed {
    uint64_t launches, warp_inst, thread_inst;
};

struct selection;

/* The regular expression, and what the options mean together. */
bool selection_check(const struct session_options *o, struct err *err);
/* *s NULL: all launches are timed. */
bool selection_new(const struct session_options *o, struct gpu *g, struct selection **s,
                   struct err *err);
void selection_free(struct selection *s);

/* Whether the next launch, of this kernel, keeps time; counts it. */
bool selection_takes(struct selection *s, const char *kernel);
/* Before a timed one runs: a checkpoint is whole, and has no more launches. */
bool selection_begin(struct selection *s, struct err *err);
/* Runs one that does not. */
bool selection_pass(struct selection *s, struct device *d, const struct launch *l,
                    struct launch_result *result, struct err *err);

uint64_t selection_taken(const struct selection *s);
const struct selection_passed *selection_passed(const struct selection *s);
/* False, with what there was: no launch was timed. */
bool selection_holds(const struct selection *s, struct err *err);

#endif
