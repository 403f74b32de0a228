/* Command lines of child processes. */
#include "study/study_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void study_words_add(struct study_words *w, const char *text)
{
    vec_push(&w->at, xstrdup(text));
}

void study_words_take(struct study_words *w, char *text)
{
    vec_push(&w->at, text);
}

void study_words_parsim(struct study_words *w, const char *command)
{
    study_words_take(w, study_beside("parsim"));
    study_words_add(w, command);
}

void study_words_plugins(struct study_words *w, const char *files)
{
    char *copy = xstrdup(files ? files : ""), *save = NULL;
    for (char *f = strtok_r(copy, ",", &save); f; f = strtok_r(NULL, ",", &save)) {
        study_words_add(w, "--plugin");
        study_words_add(w, f);
    }
    free(copy);
}

bool study_is_program(const char *workload)
{
    return strchr(workload, '/') != NULL;
}

char *study_program_file(const char *workload)
{
    return xasprintf("%.*s", (int)strcspn(workload, " "), workload);
}

static void add_program(struct study_words *w, const char *text)
{
    char *copy = xstrdup(text), *save = NULL;
    study_words_add(w, "--");
    for (char *t = strtok_r(copy, " ", &save); t; t = strtok_r(NULL, " ", &save))
        study_words_add(w, t);
    free(copy);
}

void study_words_workload(struct study_words *w, const struct study_setup *s,
                          const struct study_job *j)
{
    if (study_is_program(j->workload)) {
        add_program(w, j->workload);
        return;
    }
    const char *rest = j->workload + strcspn(j->workload, ":#");
    study_words_take(w, xasprintf("workload:%.*s", (int)(rest - j->workload), j->workload));
    study_words_add(w, "--size");
    study_words_add(w, s->size);
    if (*rest == ':') {
        const size_t len = strcspn(++rest, "#");
        study_words_add(w, "--variant");
        study_words_take(w, xasprintf("%.*s", (int)len, rest));
        rest += len;
    }
    if (*rest == '#') {
        study_words_add(w, "--seed");
        study_words_add(w, rest + 1);
    }
}

_Noreturn void study_words_exec(struct study_words *w)
{
    vec_push(&w->at, NULL);
    execv(w->at.data[0], w->at.data);
    fprintf(stderr, "cannot run %s: %s\n", w->at.data[0], strerror(errno));
    _exit(127);
}

int study_words_wait(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
