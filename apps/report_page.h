/* One HTML page of one or several runs: the files of report/ and what they draw, in one file. */
#ifndef APPS_REPORT_PAGE_H
#define APPS_REPORT_PAGE_H

#include "base/err.h"

struct json_object;

/* The files of report/, ended by {NULL, NULL}. */
struct report_text {
    const char *name, *text;
};
const struct report_text *report_texts(void);

/* What the page needs of a run's JSON (docs/run-output.md), under a label; the caller's. NULL: it
 * is no timed run. */
struct json_object *report_page_run(const char *path, const char *label, const char *program,
                                    struct err *err);
/* Writes the page of an array of such. */
bool report_page_write(const char *path, struct json_object *runs, struct err *err);

#endif
