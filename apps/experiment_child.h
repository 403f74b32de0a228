/* Private to experiment_*.c: the process of one job. */
#ifndef APPS_EXPERIMENT_CHILD_H
#define APPS_EXPERIMENT_CHILD_H

#include "experiment.h"

/* The file that a job needs before it can run, or that it makes, in the folder of the setup; NULL:
 * none. The caller frees it. */
char *exp_needs(const struct exp_setup *s, const struct exp_job *j);
char *exp_gives(const struct exp_setup *s, const struct exp_job *j);
/* The design whose run makes the code that `design` needs; NULL: it needs none. The caller frees
 * it.
 */
char *exp_maker(const char *design);

/* Becomes the job: its JSON goes to `json`, what it says to `log`, a file that it gives to `part`.
 * Does not return. */
_Noreturn void exp_child(const struct exp_setup *s, const struct exp_job *j, const char *json,
                         const char *log, const char *part);

/* The last line of what a child wrote; the caller frees it. */
char *exp_last_words(const char *log);

/* A name for the file that a job makes for others, until it is whole; its folder of the same name
 * with ".d". exp_part_drop() removes and forgets what is left of both. */
char *exp_part_new(const char *gives);
void exp_part_drop(char *part);

#endif
