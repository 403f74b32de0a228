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

/* One word from `p` on into `to`, which has room for it; where it ends, or NULL: in quotes that
 * nobody closes. */
static const char *take_word(const char *p, char *to)
{
    char quote = 0;
    for (; *p && (quote || *p != ' '); p++) {
        if (quote ? *p == quote : *p == '\'' || *p == '"')
            quote = quote ? 0 : *p;
        else if (*p == '\\' && quote != '\'' && p[1])
            *to++ = *++p;
        else
            *to++ = *p;
    }
    *to = 0;
    return quote ? NULL : p;
}

bool study_words_split(struct study_words *w, const char *text)
{
    char *word = xmalloc(strlen(text) + 1);
    const char *p = text + strspn(text, " ");
    while (p && *p) {
        p = take_word(p, word);
        if (p) {
            study_words_add(w, word);
            p += strspn(p, " ");
        }
    }
    free(word);
    return p != NULL;
}

void study_words_quote(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (const char[]){*text, 0}, out);
    fputc('\'', out);
}

void study_words_free(struct study_words *w)
{
    for (size_t i = 0; i < w->at.len; i++)
        free(w->at.data[i]);
    vec_free(&w->at);
}

char *study_program_file(const char *workload, struct err *err)
{
    struct study_words w = {0};
    char *file = NULL;
    if (!study_words_split(&w, workload))
        err_set(err, "%s: a quote is not closed", workload);
    else if (!w.at.len)
        err_set(err, "the name of a program is empty");
    else
        file = xstrdup(w.at.data[0]);
    study_words_free(&w);
    return file;
}

char *study_find_program(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path)
        return xstrdup(name);
    while (*path) {
        size_t len = strcspn(path, ":");
        char *full = xasprintf("%.*s/%s", (int)len, path, name);
        if (access(full, X_OK) == 0)
            return full;
        free(full);
        path += len + (path[len] == ':');
    }
    return xstrdup(name);
}

static void add_program(struct study_words *w, const char *text)
{
    study_words_add(w, "--");
    study_words_split(w, text);
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
