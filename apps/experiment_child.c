/* The process of one job: its command line, and the files that jobs make for each other. */
#include "experiment_child.h"

#include "base/file.h"
#include "base/tempfile.h"
#include "base/vec.h"
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

char *exp_beside(const char *name)
{
    char self[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    return xasprintf("%s/%s", n > 0 ? dirname(self) : ".", name);
}

/* --- command lines --- */

struct words {
    VEC(char *) at; /* ended by NULL when run */
};

static void add(struct words *w, const char *text)
{
    vec_push(&w->at, xstrdup(text));
}

static void add_number(struct words *w, const char *option, uint64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    add(w, option);
    add(w, text);
}

static void add_set(struct words *w, const char *field)
{
    add(w, "--set");
    add(w, field);
}

static void add_design(struct words *w, const char *design)
{
    char *copy = xstrdup(design), *save = NULL, *sets = strchr(copy, '@');
    if (sets)
        *sets++ = 0;
    for (char *t = strtok_r(copy, "+", &save); t; t = strtok_r(NULL, "+", &save))
        if (strcmp(t, "base")) {
            add(w, "--with");
            add(w, t);
        }
    for (char *t = sets ? strtok_r(sets, "@", &save) : NULL; t; t = strtok_r(NULL, "@", &save))
        add_set(w, t);
    free(copy);
}

static void add_run(struct words *w, const char *gpu, const char *design)
{
    char *parsim = exp_beside("parsim");
    const char *const head[] = {parsim, "run", "--quiet", "--gpu", gpu};
    for (unsigned i = 0; i < ARRAY_LEN(head); i++)
        add(w, head[i]);
    add_design(w, design);
    free(parsim);
}

static void add_workload(struct words *w, const struct exp_setup *s, const struct exp_job *j)
{
    char *name = xasprintf("workload:%s", j->workload);
    add(w, name);
    add(w, "--size");
    add(w, s->size);
    free(name);
}

static void run_words(struct words *w, const struct exp_setup *s, const struct exp_job *j,
                      const char *design, const char *json)
{
    add_run(w, j->gpu, design);
    if (s->threads > 1)
        add_number(w, "--threads", s->threads);
    add(w, "--json");
    add(w, json);
    if (j->workload) {
        add_workload(w, s, j);
        return;
    }
    add(w, "--");
    for (char *const *p = j->program; *p; p++)
        add(w, *p);
}

/* "CODEC[@OPTION=VALUE...]": options of `parsim codec`. */
static void codec_words(struct words *w, const char *design, const char *data, const char *json)
{
    const bool is_bound = !strncmp(design, "shannon-", strlen("shannon-"));
    char *copy = is_bound ? xasprintf("e2mc-%s", design + strlen("shannon-")) : xstrdup(design);
    char *save = NULL, *parsim = exp_beside("parsim"), *name = strtok_r(copy, "@", &save);
    const char *const head[] = {parsim, "codec", "--threads", "1", "--codec", name, "--json", json};
    for (unsigned i = 0; i < ARRAY_LEN(head); i++)
        add(w, head[i]);
    for (char *t; (t = strtok_r(NULL, "@", &save));) {
        char *option = xasprintf("--%s", t);
        add(w, option);
        free(option);
    }
    add(w, data);
    free(parsim);
    free(copy);
}

static _Noreturn void exec_words(struct words *w)
{
    vec_push(&w->at, NULL);
    execv(w->at.data[0], w->at.data);
    fprintf(stderr, "cannot run %s: %s\n", w->at.data[0], strerror(errno));
    _exit(127);
}

static void to_file(const char *path, int fd)
{
    int f = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (f < 0 || dup2(f, fd) < 0)
        _exit(126);
    close(f);
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* --- dumps --- */

char *exp_part_new(const char *gives)
{
    char *part = xasprintf("%s.%d.parsim-tmp", gives, (int)getpid());
    char *folder = xasprintf("%s.d", part);
    tempfile_add(part);
    tempfile_add(folder);
    free(folder);
    return part;
}

void exp_part_drop(char *part)
{
    char *folder = xasprintf("%s.d", part);
    unlink(part);
    tempfile_remove_folder(folder);
    tempfile_forget(part);
    tempfile_forget(folder);
    free(folder);
    free(part);
}

/* The arrays of a workload, whole blocks of each, one after another: its dump at `path`. */
static bool join_dump(const char *folder, const char *path)
{
    enum { BLOCK = 128 };
    struct dirent **names = NULL;
    struct err err = {0};
    int n = scandir(folder, &names, NULL, alphasort);
    FILE *out = n > 0 ? fopen(path, "wb") : NULL;
    bool ok = out != NULL;
    for (int i = 0; i < n; i++) {
        char *file = xasprintf("%s/%s", folder, names[i]->d_name);
        size_t len;
        char *data = names[i]->d_name[0] != '.' ? file_read(file, &len, &err) : NULL;
        if (data)
            ok = ok && fwrite(data, BLOCK, len / BLOCK, out) == len / BLOCK;
        if (names[i]->d_name[0] != '.')
            unlink(file);
        free(data);
        free(file);
        free(names[i]);
    }
    free(names);
    rmdir(folder);
    return (!out || !fclose(out)) && ok && !err.msg[0];
}

static _Noreturn void make_dump(const struct exp_setup *s, const struct exp_job *j,
                                const char *part)
{
    char *folder = xasprintf("%s.d", part), *parsim = exp_beside("parsim");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct words w = {0};
        const char *const head[] = {parsim, "run", "--quiet"};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (unsigned i = 0; i < ARRAY_LEN(head); i++)
            add(&w, head[i]);
        add_workload(&w, s, j);
        add(&w, "--dump"); /* the program's own: arrays, not pages */
        add(&w, folder);
        exec_words(&w);
    }
    int code = pid < 0 ? 1 : wait_for(pid);
    _exit(code ? code : !join_dump(folder, part));
}

/* --- codes for entropy coding --- */

static const char profile_mark[] = "{profile}";

/* `design` with `text` in the place of the mark; the caller frees it. */
static char *with_profile(const char *design, const char *text)
{
    const char *at = strstr(design, profile_mark);
    return at ? xasprintf("%.*s%s%s", (int)(at - design), design, text, at + strlen(profile_mark))
              : xstrdup(design);
}

static unsigned long symbol_bits(const char *design)
{
    const char *bits = strstr(design, "e2mc.symbol_bits=");
    return bits ? strtoul(bits + strcspn(bits, "=") + 1, NULL, 10) : 16;
}

char *exp_maker(const char *design)
{
    unsigned long bits = symbol_bits(design);
    if (!strstr(design, profile_mark))
        return NULL;
    return bits == 16 ? xstrdup("e2mc") : xasprintf("e2mc@e2mc.symbol_bits=%lu", bits);
}

/* --- who makes what --- */

static char *file_of(const struct exp_setup *s, const struct exp_job *j, const char *what)
{
    char folder[PATH_MAX];
    if (!s->folder || !j->workload || !realpath(s->folder, folder))
        return NULL;
    return xasprintf("%s/%s.%s-%.8s%s", folder, j->workload, s->size, s->build, what);
}

static char *code_file(const struct exp_setup *s, const struct exp_job *j)
{
    char what[64];
    snprintf(what, sizeof what, "-%s-%lu.e2mc", j->gpu, symbol_bits(j->design));
    for (char *p = what; *p; p++)
        *p = *p == '/' ? '_' : *p;
    return file_of(s, j, what);
}

char *exp_needs(const struct exp_setup *s, const struct exp_job *j)
{
    if (j->kind == EXP_CODEC)
        return file_of(s, j, ".dump");
    return j->kind == EXP_RUN && strstr(j->design, profile_mark) ? code_file(s, j) : NULL;
}

char *exp_gives(const struct exp_setup *s, const struct exp_job *j)
{
    if (j->kind == EXP_DUMP)
        return file_of(s, j, ".dump");
    char *mark = xasprintf("e2mc@e2mc.symbol_bits=%lu", symbol_bits(j->design));
    bool makes = j->kind == EXP_RUN && (!strcmp(j->design, "e2mc") || !strcmp(j->design, mark));
    free(mark);
    return makes ? code_file(s, j) : NULL;
}

static _Noreturn void run_child(const struct exp_setup *s, const struct exp_job *j,
                                const char *json, const char *part)
{
    struct words w = {0};
    char *code = exp_needs(s, j), *makes = exp_gives(s, j);
    char *design = makes  ? xasprintf("%s@e2mc.save_profile=%s", j->design, part)
                   : code ? with_profile(j->design, code)
                          : xstrdup(j->design);
    if (strstr(design, profile_mark)) {
        fprintf(stderr, "%s: only in experiments, which have a folder for it\n", profile_mark);
        _exit(2);
    }
    run_words(&w, s, j, design, json);
    exec_words(&w);
}

_Noreturn void exp_child(const struct exp_setup *s, const struct exp_job *j, const char *json,
                         const char *log, const char *part)
{
    struct words w = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no run outlives the command */
    to_file("/dev/null", STDOUT_FILENO);
    to_file(log, STDERR_FILENO);
    if (j->kind == EXP_RUN)
        run_child(s, j, json, part);
    if (j->kind == EXP_DUMP)
        make_dump(s, j, part);
    codec_words(&w, j->design, exp_needs(s, j), json);
    exec_words(&w);
}

bool exp_check_design(const struct exp_job *j, struct err *err)
{
    char log[] = "/tmp/parsim-design-XXXXXX";
    int fd = j->kind == EXP_RUN ? mkstemp(log) : -1;
    if (j->kind != EXP_RUN)
        return true;
    if (fd < 0)
        return err_set(err, "cannot write in /tmp: %s", strerror(errno));
    close(fd);
    tempfile_add(log);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct words w = {0};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        to_file(log, STDERR_FILENO);
        add_run(&w, j->gpu, with_profile(j->design, ""));
        add(&w, "--");
        add(&w, "true");
        exec_words(&w);
    }
    int code = pid < 0 ? 1 : wait_for(pid);
    char *words = exp_last_words(log);
    bool ok = !code || err_set(err, "design '%s': %s", j->design, words);
    unlink(log);
    tempfile_forget(log);
    free(words);
    return ok;
}

char *exp_last_words(const char *log)
{
    struct err err = {0};
    size_t len = 0;
    char *text = file_read(log, &len, &err);
    while (text && len && (text[len - 1] == '\n' || text[len - 1] == ' '))
        text[--len] = 0;
    const char *line = text ? strrchr(text, '\n') : NULL;
    char *last = xstrdup(!text || !len ? "no message" : line ? line + 1 : text);
    free(text);
    return last;
}
