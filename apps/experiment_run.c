/* The child processes of an experiment. */
#include "base/wall_clock.h"
#include "experiment.h"

#include "base/file.h"
#include "base/vec.h"
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
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
    for (char *t = sets ? strtok_r(sets, "@", &save) : NULL; t; t = strtok_r(NULL, "@", &save)) {
        add(w, "--set");
        add(w, t);
    }
    free(copy);
}

static void add_run(struct words *w, const struct exp_setup *s, const char *design)
{
    char *parsim = exp_beside("parsim");
    add(w, parsim);
    add(w, "run");
    add(w, "--quiet");
    add(w, "--gpu");
    add(w, s->gpu);
    add_design(w, design);
    free(parsim);
}

static void add_number(struct words *w, const char *option, uint64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    add(w, option);
    add(w, text);
}

static void run_words(struct words *w, const struct exp_setup *s, const struct exp_job *j,
                      const char *json)
{
    add_run(w, s, j->design);
    if (s->threads > 1)
        add_number(w, "--threads", s->threads);
    add(w, "--json");
    add(w, json);
    if (!j->workload) {
        add(w, "--");
        for (char *const *p = j->program; *p; p++)
            add(w, *p);
        return;
    }
    char *name = xasprintf("workload:%s", j->workload);
    add(w, name);
    add(w, "--size");
    add(w, s->size);
    free(name);
}

static void codec_words(struct words *w, const char *design, const char *data, const char *json)
{
    const bool is_bound = !strncmp(design, "shannon-", strlen("shannon-"));
    char *copy = is_bound ? xasprintf("e2mc-%s", design + strlen("shannon-")) : xstrdup(design);
    char *sample = strstr(copy, "@sample="), *parsim = exp_beside("parsim");
    if (sample) {
        *sample = 0;
        sample += strlen("@sample=");
    }
    const char *const head[] = {parsim, "codec", "--threads", "1", "--codec", copy, "--json", json};
    for (unsigned i = 0; i < ARRAY_LEN(head); i++)
        add(w, head[i]);
    if (sample) {
        add(w, "--sample");
        add(w, sample);
    }
    add(w, data);
    free(parsim);
    free(copy);
}

/* --- one child --- */

static void exec_words(struct words *w)
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

static char *dump_path(const struct exp_setup *s, const char *workload)
{
    return xasprintf("%s/%s.%s.dump", s->folder, workload, s->size);
}

static int make_dump(const struct exp_setup *s, const char *workload, const char *path)
{
    char *folder = xasprintf("%s.%d", path, (int)getpid());
    char *part = xasprintf("%s.part", folder), *name = xasprintf("workload:%s", workload);
    char *parsim = exp_beside("parsim");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execl(parsim, parsim, "run", "--quiet", name, "--size", s->size, "--dump", folder,
              (char *)NULL);
        _exit(127);
    }
    int code = pid < 0 ? 1 : wait_for(pid);
    if (!code && (!join_dump(folder, part) || rename(part, path)))
        code = 1;
    free(folder);
    free(part);
    free(name);
    free(parsim);
    return code;
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

/* A code for symbols of `bits` from all blocks that the program reads and writes: a run before. */
static int make_profile(const struct exp_setup *s, const struct exp_job *j, unsigned long bits,
                        const char *path)
{
    char *part = xasprintf("%s.%d", path, (int)getpid());
    char *design = xasprintf("e2mc@e2mc.symbol_bits=%lu@e2mc.save_profile=%s", bits, part);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct words w = {0};
        struct exp_job first = *j;
        first.design = design;
        run_words(&w, s, &first, "/dev/null");
        exec_words(&w);
    }
    int code = pid < 0 ? 1 : wait_for(pid);
    if (!code && rename(part, path))
        code = 1;
    free(part);
    free(design);
    return code;
}

/* The design of a run, its code made if need be. */
static char *prepare(const struct exp_setup *s, const struct exp_job *j)
{
    char folder[PATH_MAX];
    const char *bits = strstr(j->design, "e2mc.symbol_bits=");
    unsigned long n = bits ? strtoul(bits + strcspn(bits, "=") + 1, NULL, 10) : 16;
    if (!strstr(j->design, profile_mark))
        return xstrdup(j->design);
    if (!s->folder || !j->workload || !realpath(s->folder, folder)) {
        fprintf(stderr, "%s: only in experiments, which have a folder for it\n", profile_mark);
        _exit(2);
    }
    char *path = xasprintf("%s/%s.%s-%lu.e2mc", folder, j->workload, s->size, n);
    int code = access(path, R_OK) ? make_profile(s, j, n, path) : 0;
    if (code) {
        fprintf(stderr, "%s could not be made\n", path);
        _exit(code);
    }
    char *design = with_profile(j->design, path);
    free(path);
    return design;
}

static void child(const struct exp_setup *s, const struct exp_job *j, const char *json,
                  const char *log)
{
    struct words w = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no run outlives the command */
    to_file("/dev/null", STDOUT_FILENO);
    to_file(log, STDERR_FILENO);
    if (s->kind == EXP_RUN) {
        struct exp_job ready = *j;
        ready.design = prepare(s, j);
        run_words(&w, s, &ready, json);
        exec_words(&w);
    }
    char *data = dump_path(s, j->workload);
    int code = access(data, R_OK) ? make_dump(s, j->workload, data) : 0;
    if (code)
        _exit(code);
    codec_words(&w, j->design, data, json);
    exec_words(&w);
}

/* --- results --- */

/* The last line that a child wrote. */
static char *last_words(const char *log)
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

static struct json_object *read_result(const char *path)
{
    struct json_object *o = json_object_from_file(path);
    if (o) {
        json_object_object_del(o, "kernels");
        json_object_object_del(o, "machine");
        json_object_object_del(o, "series");
    }
    return o;
}

static void take(struct exp_job *j, int code, const char *json, const char *log)
{
    struct json_object *faults = NULL;
    j->result = code ? NULL : read_result(json);
    if (j->result && json_object_object_get_ex(j->result, "faults", &faults) &&
        json_object_array_length(faults)) {
        j->error = xstrdup(json_object_get_string(json_object_array_get_idx(faults, 0)));
        json_object_put(j->result);
        j->result = NULL;
    } else if (!j->result) {
        char *words = last_words(log);
        j->error = xasprintf("exit code %d: %s", code, words);
        free(words);
    }
}

/* --- many --- */

struct slot {
    pid_t pid; /* 0: free */
    size_t job;
    double from;
    char *json, *log;
};

struct pool {
    const struct exp_setup *s;
    struct exp_job *jobs;
    size_t n, next, done, known;
    struct exp_store *store;
    VEC(struct slot) slots;
    double from;
};

static void progress(const struct pool *p, const struct exp_job *j)
{
    double spent = wall_seconds() - p->from;
    size_t ran = p->done - p->known, left = p->n - p->done;
    if (p->s->quiet)
        return;
    fprintf(stderr, "%s%zu/%zu %s %s: %s, %.1f s; %.0f s left%s", isatty(2) ? "\r\033[K" : "",
            p->done, p->n, j->workload ? j->workload : j->program[0], j->design,
            j->result ? "done" : j->error, j->seconds, ran ? spent / (double)ran * (double)left : 0,
            isatty(2) && j->result ? "" : "\n");
}

static bool start(struct pool *p, struct slot *slot, struct err *err)
{
    slot->job = p->next++;
    slot->from = wall_seconds();
    fflush(NULL);
    slot->pid = fork();
    if (slot->pid == 0)
        child(p->s, &p->jobs[slot->job], slot->json, slot->log);
    return slot->pid > 0 || err_set(err, "cannot start a process: %s", strerror(errno));
}

/* Skips what the store has; false: nothing is left. */
static bool find_next(struct pool *p)
{
    for (; p->next < p->n; p->next++) {
        struct exp_job *j = &p->jobs[p->next];
        j->result = p->store ? exp_store_get(p->store, p->s, j, &j->seconds) : NULL;
        if (!j->result)
            return true;
        p->known++;
        p->done++;
    }
    return false;
}

static bool finish(struct pool *p, struct slot *slot, int code, struct err *err)
{
    struct exp_job *j = &p->jobs[slot->job];
    slot->pid = 0;
    j->seconds = wall_seconds() - slot->from;
    take(j, code, slot->json, slot->log);
    unlink(slot->json);
    unlink(slot->log);
    p->done++;
    progress(p, j);
    return !j->result || !p->store || exp_store_put(p->store, p->s, j, err);
}

static bool run_pool(struct pool *p, struct err *err)
{
    size_t running = 0;
    for (;;) {
        for (size_t i = 0; i < p->slots.len; i++)
            if (!p->slots.data[i].pid && find_next(p)) {
                if (!start(p, &p->slots.data[i], err))
                    return false;
                running++;
            }
        if (!running)
            return true;
        int status = 0;
        pid_t pid = waitpid(-1, &status, 0);
        for (size_t i = 0; pid > 0 && i < p->slots.len; i++)
            if (p->slots.data[i].pid == pid) {
                running--;
                if (!finish(p, &p->slots.data[i], WIFEXITED(status) ? WEXITSTATUS(status) : 128,
                            err))
                    return false;
            }
        if (pid < 0 && errno != EINTR)
            return err_set(err, "waiting for a run: %s", strerror(errno));
    }
}

bool exp_run(const struct exp_setup *s, struct exp_job *jobs, size_t n, struct exp_store *store,
             struct err *err)
{
    struct pool p = {.s = s, .jobs = jobs, .n = n, .store = store, .from = wall_seconds()};
    char tmp[] = "/tmp/parsim-XXXXXX";
    if (!mkdtemp(tmp))
        return err_set(err, "cannot make a folder in /tmp: %s", strerror(errno));
    for (uint64_t i = 0; i < s->jobs; i++)
        vec_push(&p.slots, ((struct slot){.json = xasprintf("%s/%u.json", tmp, (unsigned)i),
                                          .log = xasprintf("%s/%u.log", tmp, (unsigned)i)}));
    bool ok = run_pool(&p, err);
    if (!s->quiet && isatty(2) && p.done > p.known)
        fputc('\n', stderr);
    for (size_t i = 0; i < p.slots.len; i++) {
        struct slot *slot = &p.slots.data[i];
        if (slot->pid)
            wait_for(slot->pid);
        unlink(slot->json);
        unlink(slot->log);
        free(slot->json);
        free(slot->log);
    }
    vec_free(&p.slots);
    rmdir(tmp);
    return ok;
}

void exp_jobs_free(struct exp_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_object_put(jobs[i].result);
        free(jobs[i].error);
    }
}

bool exp_check_design(const struct exp_setup *s, const char *design, struct err *err)
{
    char log[] = "/tmp/parsim-design-XXXXXX";
    int fd = s->kind == EXP_RUN ? mkstemp(log) : -1;
    if (s->kind != EXP_RUN)
        return true;
    if (fd < 0)
        return err_set(err, "cannot write in /tmp: %s", strerror(errno));
    close(fd);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct words w = {0};
        to_file(log, STDERR_FILENO);
        add_run(&w, s, with_profile(design, ""));
        add(&w, "--");
        add(&w, "true");
        exec_words(&w);
    }
    int code = pid < 0 ? 1 : wait_for(pid);
    char *words = last_words(log);
    bool ok = !code || err_set(err, "design '%s': %s", design, words);
    unlink(log);
    free(words);
    return ok;
}
