/* The process of one job. Of study_*.c, and of commands that start children themselves. */
#ifndef STUDY_STUDY_CHILD_H
#define STUDY_STUDY_CHILD_H

#include "study/study.h"

/* Becomes the job: its JSON goes to `json`, what it says to `log`, a file that it gives to `part`.
 * Does not return. */
_Noreturn void study_child(const struct study_setup *s, const struct study_job *j, const char *json,
                           const char *log, const char *part);

/* In a child: `fd` goes to the file. */
void study_to_file(const char *path, int fd);
/* The last line of what a child wrote; the caller frees it. */
char *study_last_words(const char *log);

/* A name for the file that a job makes for others, until it is whole; its folder of the same name
 * with ".d". study_part_drop() removes and forgets what is left of both. */
char *study_part_new(const char *gives);
void study_part_drop(char *part);

#endif
