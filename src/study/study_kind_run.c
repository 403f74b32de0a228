/* Timed runs: `parsim run`.
 *
 * "KEY={FIELD}" in a design stands for a file that an earlier run has written: one with the
 * techniques and the settings in front of it, which gets the file's name as its FIELD. So
 *     a@a.bits=8@a.table={a.save_table}@a.ways=2
 * runs with the table that a@a.bits=8 has saved. */
#include "study/study_child.h"
#include "study/study_kind.h"
#include "study/study_words.h"

#include "base/tempfile.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* --- command lines --- */

static void add_set(struct study_words *w, const char *field)
{
    study_words_add(w, "--set");
    study_words_add(w, field);
}

static void add_design(struct study_words *w, const char *design)
{
    char *copy = xstrdup(design), *save = NULL, *sets = strchr(copy, '@');
    if (sets)
        *sets++ = 0;
    for (char *t = strtok_r(copy, "+", &save); t; t = strtok_r(NULL, "+", &save))
        if (strcmp(t, "base")) {
            study_words_add(w, "--with");
            study_words_add(w, t);
        }
    for (char *t = sets ? strtok_r(sets, "@", &save) : NULL; t; t = strtok_r(NULL, "@", &save))
        add_set(w, t);
    free(copy);
}

/* The job's machine, with a design that is its own but for its mark. */
static void add_run(struct study_words *w, const struct study_job *j, const char *design)
{
    const char *const more[] = {"--quiet", "--gpu", j->gpu};
    study_words_parsim(w, "run");
    for (unsigned i = 0; i < ARRAY_LEN(more); i++)
        study_words_add(w, more[i]);
    if (j->is_sampled)
        study_words_add(w, "--sample");
    study_words_plugins(w, j->plugins);
    add_design(w, design);
}

static void add_output(struct study_words *w, const struct study_setup *s, const char *json)
{
    if (s->threads > 1) {
        study_words_add(w, "--threads");
        study_words_take(w, xasprintf("%llu", (unsigned long long)s->threads));
    }
    study_words_add(w, "--json");
    study_words_add(w, json);
}

static void add_program(struct study_words *w, const struct study_setup *s,
                        const struct study_job *j)
{
    if (j->workload) {
        study_words_workload(w, s, j);
        return;
    }
    study_words_add(w, "--");
    for (char *const *p = j->program; *p; p++)
        study_words_add(w, *p);
}

/* --- files of earlier runs --- */

/* Where "{FIELD}" is in a design; NULL: nowhere. */
static const char *find_mark(const char *design, size_t *len)
{
    const char *from = strchr(design, '{'), *to = from ? strchr(from, '}') : NULL;
    *len = to ? (size_t)(to - from) + 1 : 0;
    return to ? from : NULL;
}

/* `design` with `text` in the place of the mark; to be freed. */
static char *replace_mark(const char *design, const char *text)
{
    size_t len;
    const char *at = find_mark(design, &len);
    return at ? xasprintf("%.*s%s%s", (int)(at - design), design, text, at + len) : xstrdup(design);
}

static char *run_maker(const struct study_job *j, struct study_job *maker)
{
    size_t len;
    const char *at = find_mark(j->design, &len);
    if (!at)
        return NULL;
    char *text = xstrdup(j->design), *mark = text + (at - j->design);
    mark[len - 1] = 0;
    *mark = 0;
    *maker = *j;
    maker->design = text;
    maker->saves = mark + 1;
    char *key = strrchr(text, '@'); /* the setting that gets the file */
    if (key)
        *key = 0;
    return text;
}

static char *run_gives(const struct study_setup *s, const struct study_job *j)
{
    if (!j->saves)
        return NULL;
    char *what = xasprintf("-%s-%s.%s", j->gpu, j->design, j->saves);
    for (char *p = what; *p; p++)
        *p = strchr("/@=", *p) ? '_' : *p;
    char *file = study_file_of(s, j, what);
    free(what);
    return file;
}

static NORETURN void run_child(const struct study_setup *s, const struct study_job *j,
                               const char *json, const char *part)
{
    struct study_words w = {0};
    char *needs = study_needs(s, j);
    size_t len;
    const char *mark = find_mark(j->design, &len);
    if (mark && !needs) {
        fprintf(stderr, "%.*s: only in experiments, which have a folder for it\n", (int)len, mark);
        _exit(2);
    }
    add_run(&w, j, needs ? replace_mark(j->design, needs) : j->design);
    if (part)
        add_set(&w, xasprintf("%s=%s", j->saves, part));
    if (j->keeps_kernels)
        study_words_add(&w, "--per-kernel");
    add_output(&w, s, json);
    add_program(&w, s, j);
    study_words_exec(&w);
}

/* --- what `parsim run` says of a design --- */

static bool run_check(const struct study_job *j, struct err *err)
{
    char log[] = "/tmp/parsim-design-XXXXXX";
    int fd = mkstemp(log);
    if (fd < 0)
        return err_set(err, "cannot write in /tmp: %s", strerror(errno));
    tempfile_add(log);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct study_words w = {0};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(fd, STDERR_FILENO); /* not by its name, which a signal may have removed by now */
        add_run(&w, j, replace_mark(j->design, ""));
        study_words_add(&w, "--");
        study_words_add(&w, "true");
        study_words_exec(&w);
    }
    close(fd);
    int code = pid < 0 ? 1 : study_words_wait(pid);
    char *words = study_last_words(log);
    bool ok = !code || err_set(err, "design '%s': %s", j->design, words);
    unlink(log);
    tempfile_forget(log);
    free(words);
    return ok;
}

const struct study_kind_ops study_kind_run = {.has_machine = true,
                                              .has_result = true,
                                              .check = run_check,
                                              .maker = run_maker,
                                              .gives = run_gives,
                                              .child = run_child};
