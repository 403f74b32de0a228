/* What is left of a timed case when it is closed: statistics, memory, cycles. */
#ifndef TESTS_GPU_SUPPORT_OUTCOME_H
#define TESTS_GPU_SUPPORT_OUTCOME_H

#include "gpu/support_cases.h"

struct outcome {
    struct json_object *stats; /* as stats_to_json() has them */
    void *data;                /* CASE_BYTES */
    cycle_t cycles;
};

/* Closes the case. */
struct outcome outcome_take(struct case_run *r, bool instances);
void outcome_free(struct outcome *o);
/* A statistic; one that is not there fails the test. */
double outcome_stat(const struct outcome *o, const char *group, const char *name);
/* Statistics, cycles and memory are the same to the bit; else the first line that differs is
 * shown. */
void outcome_assert_same(const struct gpu_case *c, const char *how, const struct outcome *a,
                         const struct outcome *b);

#endif
