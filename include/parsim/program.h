/* What a program that runs on a simulated GPU may ask and tell Parsim. The functions are in its
 * libcuda and are weak: on another machine they are NULL, so that
 *
 *     const char *by = parsim_changes_values ? parsim_changes_values() : NULL;
 *     if (by) parsim_judge(&output);
 *
 * runs everywhere. Quality is in the run's summary, JSON, CSV and database (docs/run-output.md). */
#ifndef PARSIM_PROGRAM_H
#define PARSIM_PROGRAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The design on the machine that may give other values than the program's; NULL: none does. */
const char *parsim_changes_values(void) __attribute__((weak));

struct parsim_output {
    const char *name;    /* letters, digits and '_'; of each output another */
    const char *type;    /* u8 u16 i32 u32 f32 u64 f64 */
    const char *measure; /* that it is judged by: rmse rmse_geometric squares wrong largest */
    const void *precise; /* as it would be without the design */
    const void *got;     /* as it is */
    size_t precise_count, count; /* elements of each */
};

/* 0: measured, and within the bounds that --max-error names, if it does. 1: not within them, which
 * the run's exit code says too. -1: the output is not described rightly, which was said on stderr;
 * with --max-error the run fails. */
int parsim_judge(const struct parsim_output *output) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
