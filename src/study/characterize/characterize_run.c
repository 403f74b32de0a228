/* The runs behind a characterization: child processes `parsim run`, as many at once as asked for,
 * whose results stay in a folder, so that what was stopped goes on where it was.
 *
 * A result's name holds a hash of all that it depends on: the programs, the machine, settings. */
#include "study/characterize/characterize_int.h"

#include "base/interrupt.h"
#include "base/wall_clock.h"
#include "study/study_child.h"
#include "study/study_words.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const bandwidth_texts[BANDWIDTHS] = {"0.5", "1", "2"};
static const char *const bandwidth_names[BANDWIDTHS] = {"1/2x", "1x", "2x"};

/* --- names of results --- */

static void hash_bytes(uint64_t *h, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *h = (*h ^ ((const unsigned char *)p)[i]) * UINT64_C(0x100000001b3);
}

static void hash_text(uint64_t *h, const char *s)
{
    hash_bytes(h, s, strlen(s) + 1);
}

/* A file counts by size and time of its last change; one that is not there as nothing. */
static void hash_file(uint64_t *h, const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return;
    const int64_t facts[] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    hash_bytes(h, facts, sizeof facts);
}

static void hash_plugins(uint64_t *h, const char *files)
{
    char *copy = xstrdup(files ? files : ""), *save = NULL;
    for (char *f = strtok_r(copy, ",", &save); f; f = strtok_r(NULL, ",", &save)) {
        hash_text(h, f);
        hash_file(h, f);
    }
    free(copy);
}

static uint64_t hash_of(const struct characterize *c)
{
    static const char *const beside[] = {"parsim", "bin/parsim-workloads", "lib/libcuda.so.1"};
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (unsigned i = 0; i < ARRAY_LEN(beside); i++) {
        char *path = study_beside(beside[i]);
        hash_file(&h, path);
        free(path);
    }
    hash_text(&h, c->gpu);
    hash_file(&h, c->gpu);
    hash_plugins(&h, c->plugins);
    for (size_t i = 0; i < c->sets.len; i++)
        hash_text(&h, c->sets.data[i]);
    return h;
}

char *characterize_path(const struct characterize *c, size_t w, unsigned b)
{
    char *name = study_file_name(c->workloads.data[w].name);
    char *path = xasprintf("%s/%s.%s.x%s.%016" PRIx64 ".json", c->results, name, c->size,
                           bandwidth_texts[b], hash_of(c));
    free(name);
    return path;
}

/* --- one run --- */

struct job {
    size_t workload;
    unsigned bandwidth;
    pid_t pid; /* 0: not running */
    char *path, *partial, *log;
};

static NORETURN void exec_run(const struct characterize *c, const struct job *j)
{
    const struct study_setup setup = {.size = c->size};
    const struct study_job run = {.workload = c->workloads.data[j->workload].name};
    struct study_words w = {0};
    /* a run does not outlive the command that wants it */
    if (prctl(PR_SET_PDEATHSIG, SIGTERM))
        _exit(126);
    study_to_file(j->log, STDOUT_FILENO);
    if (dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
        _exit(126);
    study_words_parsim(&w, "run");
    study_words_add(&w, "--quiet");
    study_words_take(&w, xasprintf("--gpu=%s", c->gpu));
    study_words_plugins(&w, c->plugins);
    for (size_t i = 0; i < c->sets.len; i++)
        study_words_take(&w, xasprintf("--set=%s", c->sets.data[i]));
    study_words_take(&w, xasprintf("--set=dram.bandwidth_scale=%s", bandwidth_texts[j->bandwidth]));
    if (j->bandwidth == BANDWIDTH_ONE)
        study_words_add(&w, "--observe=l1-usage,scalar");
    study_words_take(&w, xasprintf("--json=%s", j->partial));
    study_words_workload(&w, &setup, &run);
    study_words_exec(&w);
}

static bool job_start(const struct characterize *c, struct job *j, struct err *err)
{
    fflush(NULL);
    j->pid = fork();
    if (j->pid == 0)
        exec_run(c, j);
    return j->pid > 0 || err_set(err, "cannot start a run: %s", strerror(errno));
}

/* Only a result that is whole gets its name. */
static bool job_end(const struct characterize *c, struct job *j, int status, struct err *err)
{
    bool ok = WIFEXITED(status) && !WEXITSTATUS(status) && !rename(j->partial, j->path);
    if (!ok && interrupt_signal()) {
        unlink(j->partial);
        unlink(j->log);
        err_set(err, "interrupted by %s; what has ended is in %s",
                interrupt_name(interrupt_signal()), c->results);
    } else if (!ok) {
        char *line = study_last_words(j->log);
        err_set(err, "%s at %s bandwidth failed: %s (all it said is in %s)",
                c->workloads.data[j->workload].name, bandwidth_names[j->bandwidth], line, j->log);
        free(line);
    } else {
        unlink(j->log);
    }
    j->pid = 0;
    return ok;
}

/* --- all of them --- */

struct jobs {
    const struct characterize *c;
    struct job *at;
    size_t n, next, running, done, kept;
    double start, shown; /* when: the first run, the last line of progress */
};

enum { SHOW_SECONDS = 10 }; /* between lines, where they cannot be written over */

static void add_jobs(struct jobs *all)
{
    const struct characterize *c = all->c;
    all->at = xcalloc(c->workloads.len * BANDWIDTHS, sizeof *all->at);
    for (size_t w = 0; w < c->workloads.len; w++)
        for (unsigned b = 0; b < BANDWIDTHS; b++) {
            char *path = characterize_path(c, w, b);
            if (!access(path, R_OK)) {
                all->kept++;
                free(path);
                continue;
            }
            all->at[all->n++] = (struct job){.workload = w,
                                             .bandwidth = b,
                                             .path = path,
                                             .partial = xasprintf("%s.part", path),
                                             .log = xasprintf("%s.log", path)};
        }
}

static void show(struct jobs *all, const struct job *last)
{
    const bool is_terminal = isatty(2), is_last = all->done == all->n;
    const double now = wall_seconds();
    if (all->c->is_quiet || (!is_terminal && !is_last && now - all->shown < SHOW_SECONDS))
        return;
    all->shown = now;
    fprintf(stderr, "%sparsim characterize: %zu of %zu runs, %zu more from before, %.0f s: %s %s%s",
            is_terminal ? "\r" : "", all->done, all->n, all->kept, now - all->start,
            all->c->workloads.data[last->workload].name, bandwidth_names[last->bandwidth],
            !is_terminal ? "\n"
            : is_last    ? "\033[K\n"
                         : "\033[K");
}

static struct job *job_of(const struct jobs *all, pid_t pid)
{
    for (size_t i = 0; i < all->next; i++)
        if (all->at[i].pid == pid)
            return &all->at[i];
    return NULL;
}

/* Runs end by themselves on SIGTERM, and leave nothing but what job_end() removes. */
static void stop_all(const struct jobs *all)
{
    for (size_t i = 0; i < all->next; i++)
        if (all->at[i].pid > 0)
            kill(all->at[i].pid, SIGTERM);
}

/* The job whose process has ended. */
static struct job *wait_for_one(const struct jobs *all, int *status)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    for (bool is_told = false;;) {
        pid_t pid = waitpid(-1, status, WNOHANG);
        if (pid > 0)
            return job_of(all, pid);
        if (interrupt_signal() && !is_told) {
            stop_all(all);
            is_told = true;
        }
        nanosleep(&nap, NULL);
    }
}

/* After the first error nothing new is started, but what runs may end. */
static bool run_all(struct jobs *all, struct err *err)
{
    bool ok = true;
    while (all->running || (ok && all->next < all->n)) {
        if (interrupt_signal() && !all->running)
            return err_set(err, "interrupted by %s", interrupt_name(interrupt_signal()));
        while (ok && !interrupt_signal() && all->next < all->n && all->running < all->c->jobs) {
            ok = job_start(all->c, &all->at[all->next], err);
            all->running += ok;
            all->next += ok;
        }
        int status;
        struct job *j = all->running ? wait_for_one(all, &status) : NULL;
        if (!j)
            continue;
        struct err mine = {0};
        all->running--;
        all->done++;
        if (!job_end(all->c, j, status, &mine) && ok) {
            *err = mine;
            ok = false;
        }
        show(all, j);
    }
    return ok;
}

bool characterize_run(const struct characterize *c, struct err *err)
{
    struct jobs all = {.c = c, .start = wall_seconds(), .shown = wall_seconds()};
    if (mkdir(c->results, 0777) && errno != EEXIST)
        return err_set(err, "cannot make the folder %s: %s", c->results, strerror(errno));
    add_jobs(&all);
    interrupt_catch();
    bool ok = run_all(&all, err);
    for (size_t i = 0; i < all.n; i++) {
        free(all.at[i].path);
        free(all.at[i].partial);
        free(all.at[i].log);
    }
    free(all.at);
    return ok;
}
