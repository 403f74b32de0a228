/* Command lines of child processes. Of study_*.c, and of commands that start children themselves.
 */
#ifndef STUDY_STUDY_WORDS_H
#define STUDY_STUDY_WORDS_H

#include "base/vec.h"
#include "study/study.h"

struct study_words {
    VEC(char *) at;
};

/* A copy of `text`. */
void study_words_add(struct study_words *w, const char *text);
/* `text` itself, which is the list's from now on. */
void study_words_take(struct study_words *w, char *text);
/* `parsim COMMAND`, this binary. */
void study_words_parsim(struct study_words *w, const char *command);
/* "--plugin FILE" for each of `files`, which have commas between and may be NULL. */
void study_words_plugins(struct study_words *w, const char *files);
/* The words of a program and its arguments as in a shell: blanks part them, but for those in quotes
 * and behind a backslash. False: a quote is not closed. */
bool study_words_split(struct study_words *w, const char *text);
void study_words_free(struct study_words *w);
/* One word as a shell reads it, whatever is in it. */
void study_words_quote(FILE *out, const char *text);
/* The job's workload, NAME or NAME:VARIANT, and its size; or behind "--" the user's program
 * (study_is_program()) and its arguments. */
void study_words_workload(struct study_words *w, const struct study_setup *s,
                          const struct study_job *j);
/* Becomes that process. */
_Noreturn void study_words_exec(struct study_words *w);
/* The exit code of a child; 128: a signal ended it. */
int study_words_wait(pid_t pid);

#endif
