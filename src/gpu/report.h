/* What a run gives: a summary to read, and the files that its options ask for. The schema of the
 * JSON is in docs/run-output.md. */
#ifndef GPU_REPORT_H
#define GPU_REPORT_H

#include "gpu/session.h"

struct json_object;

#define REPORT_SCHEMA "parsim-run-2"

struct run_report {
    struct session *session; /* NULL: no GPU was used */
    char *const *faults, *const *findings;
    size_t nfaults, nfindings;
    int interrupted;           /* the signal that stopped the run; 0 = it came to its end */
    struct json_object *extra; /* further keys at the top of the JSON, or NULL */
};

/* The summary: a screen on a timed run, a line on another. */
void run_report_print(const struct run_report *r, FILE *out);
/* The caller owns the object. */
struct json_object *run_report_to_json(const struct run_report *r);
/* The files that the options name (NULL: not asked for); what is not theirs belongs to the struct.
 */
enum { REPORT_PATHS = 9 };
struct report_paths {
    const char *at[REPORT_PATHS];
    char *series, *kernels;
};
void report_paths_find(const struct session_options *o, struct report_paths *p);
void report_paths_free(struct report_paths *p);
/* Whether every file that the options name can be written; changes none of them. */
bool run_report_probe(const struct session_options *o, struct err *err);
/* Every file that the session's options name. */
bool run_report_write(const struct run_report *r, struct err *err);
/* Only the JSON; `path` may be "-". */
bool run_report_write_json(const struct run_report *r, const char *path, struct err *err);

#endif
