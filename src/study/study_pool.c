/* Many child processes: which is next, what they gave, how long it still takes. */
#include "study/study_child.h"
#include "study/study_kind.h"

#include "base/interrupt.h"
#include "base/tempfile.h"
#include "base/vec.h"
#include "base/wall_clock.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- results --- */

/* Histograms keep their means and percentiles; their bins are most of a result. */
static void drop_bins(struct json_object *o)
{
    if (!json_object_is_type(o, json_type_object))
        return;
    json_object_object_del(o, "bins");
    json_object_object_foreach(o, key, value)
    {
        (void)key;
        drop_bins(value);
    }
}

static struct json_object *read_result(const struct study_job *j, const char *path)
{
    struct json_object *o =
        study_kind(j)->has_result ? json_object_from_file(path) : json_object_new_object();
    if (o && !j->keeps_kernels) {
        study_digest(o);
        json_object_object_del(o, "kernels");
        json_object_object_del(o, "machine");
        json_object_object_del(o, "series");
        drop_bins(o);
    }
    return o;
}

static void take(struct study_job *j, int code, const char *json, const char *log)
{
    struct json_object *faults = NULL;
    j->result = code ? NULL : read_result(j, json);
    if (j->result && json_object_object_get_ex(j->result, "faults", &faults) &&
        json_object_array_length(faults)) {
        j->error = xstrdup(json_object_get_string(json_object_array_get_idx(faults, 0)));
        json_object_put(j->result);
        j->result = NULL;
    } else if (!j->result) {
        char *words = study_last_words(log);
        j->error = xasprintf("exit code %d: %s", code, words);
        free(words);
    }
}

/* --- jobs --- */

enum state { WAITS, RUNS, ENDED };
#define NONE SIZE_MAX

/* What a pool knows of a job beside the job. */
struct entry {
    enum state state;
    char *needs, *gives; /* files */
    size_t maker;        /* the job that makes what it needs; NONE */
    size_t group;        /* the first job of its kind and program */
    double expected;     /* seconds; NAN: not known */
    double weight;       /* for the order: the same, or of another size; 0: not known */
};

struct slot {
    pid_t pid; /* 0: free */
    size_t job;
    double from;
    const char *stopped; /* by what; NULL: it was not */
    bool was_cut;        /* by the end of the command */
    char *json, *log, *part;
};

struct pool {
    const struct study_setup *s;
    struct study_job *jobs;
    struct entry *entries;
    size_t *order;
    size_t n, done, known, failed;
    struct study_store *store;
    VEC(struct slot) slots;
    double from, shown, spent, cpu;
};

static bool is_there(const char *path)
{
    return path && !access(path, R_OK);
}

static size_t find_maker(const struct pool *p, const char *file)
{
    for (size_t k = 0; file && k < p->n; k++)
        if (p->entries[k].gives && !strcmp(p->entries[k].gives, file))
            return k;
    return NONE;
}

static const char *name_of(const struct study_job *j)
{
    return j->workload ? j->workload : j->program[0];
}

static size_t find_group(const struct pool *p, size_t job)
{
    const struct study_job *of = &p->jobs[job];
    size_t i = 0;
    while (i < job && (p->jobs[i].kind != of->kind || strcmp(name_of(&p->jobs[i]), name_of(of))))
        i++;
    return i;
}

static void look_up_one(struct pool *p, size_t i)
{
    struct study_job *j = &p->jobs[i];
    struct entry *e = &p->entries[i];
    e->needs = study_needs(p->s, j);
    e->gives = study_gives(p->s, j);
    e->group = find_group(p, i);
    e->expected = NAN;
    if (!study_kind(j)->has_result || !p->store)
        return;
    j->result = study_store_get(p->store, p->s, j, &j->seconds, NULL);
    e->expected = study_store_expect(p->store, p->s, j, false);
    double any = study_store_expect(p->store, p->s, j, true);
    e->weight = isnan(any) ? 0 : any;
}

/* What the store has needs no run, but for a file that another job misses. A dump that nobody needs
 * is not made. */
static void look_up(struct pool *p)
{
    for (size_t i = 0; i < p->n; i++)
        look_up_one(p, i);
    for (size_t i = 0; i < p->n; i++)
        if (!study_kind(&p->jobs[i])->has_result)
            p->jobs[i].result = json_object_new_object();
    for (size_t i = 0; i < p->n; i++) {
        struct entry *e = &p->entries[i];
        e->maker = find_maker(p, e->needs);
        if (e->maker == NONE || p->jobs[i].result || is_there(e->needs))
            continue;
        json_object_put(p->jobs[e->maker].result);
        p->jobs[e->maker].result = NULL;
    }
}

static void settle(struct pool *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->jobs[i].result) {
            p->entries[i].state = ENDED;
            p->known++;
            p->done++;
        }
    }
}

/* --- the order --- */

struct place {
    size_t job;
    unsigned rank;
    bool gives;
    double weight;
};

/* By rank; who makes a file first; then long ones, so that none is left alone at the end. */
static int by_turn(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->gives != y->gives)
        return x->gives ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->job < y->job ? -1 : 1;
}

static void put_in_order(struct pool *p)
{
    struct place *places = xcalloc(p->n + 1, sizeof *places);
    for (size_t i = 0; i < p->n; i++)
        places[i] =
            (struct place){i, p->jobs[i].rank, p->entries[i].gives != NULL, p->entries[i].weight};
    qsort(places, p->n, sizeof *places, by_turn);
    for (size_t i = 0; i < p->n; i++)
        p->order[i] = places[i].job;
    free(places);
}

static bool find_next(const struct pool *p, size_t *job)
{
    for (size_t i = 0; i < p->n; i++) {
        *job = p->order[i];
        const struct entry *e = &p->entries[*job];
        if (e->state == WAITS && (e->maker == NONE || p->entries[e->maker].state == ENDED))
            return true;
    }
    return false;
}

/* --- progress --- */

struct tally {
    double sum, n;
};

static void count(struct tally *t, double seconds)
{
    t->sum += seconds;
    t->n++;
}

/* Seconds that a job will take: as before, or as the others of its program, or as all. */
static double expect(const struct pool *p, size_t job, const struct tally *groups,
                     const struct tally *all)
{
    const struct tally *g = &groups[p->entries[job].group];
    if (!isnan(p->entries[job].expected))
        return p->entries[job].expected;
    return g->n ? g->sum / g->n : all->n ? all->sum / all->n : NAN;
}

static double seconds_left(const struct pool *p)
{
    struct tally *groups = xcalloc(p->n + 1, sizeof *groups), all = {0};
    double sum = 0, now = wall_seconds();
    for (size_t i = 0; i < p->n; i++)
        if (p->jobs[i].result && p->jobs[i].seconds > 0) {
            count(&groups[p->entries[i].group], p->jobs[i].seconds);
            count(&all, p->jobs[i].seconds);
        }
    for (size_t i = 0; i < p->n; i++)
        if (p->entries[i].state == WAITS)
            sum += expect(p, i, groups, &all);
    for (size_t i = 0; i < p->slots.len; i++) {
        const struct slot *slot = &p->slots.data[i];
        double left = slot->pid ? expect(p, slot->job, groups, &all) - (now - slot->from) : 0;
        sum += left < 0 ? 0 : left;
    }
    free(groups);
    return sum / (double)p->s->jobs;
}

static void show_left(const struct pool *p)
{
    double left = seconds_left(p);
    if (isnan(left))
        fprintf(stderr, "time left not known yet");
    else if (left < 120)
        fprintf(stderr, "%.0f s left", left);
    else
        fprintf(stderr, "%.0f min left", left / 60);
}

static void progress(const struct pool *p, const struct study_job *j)
{
    const bool is_tty = isatty(STDERR_FILENO);
    if (p->s->quiet)
        return;
    fprintf(stderr, "%s%zu/%zu %s %s: ", is_tty ? "\r\033[K" : "", p->done, p->n, name_of(j),
            j->design);
    if (j->error)
        fprintf(stderr, "FAILED: %s", j->error);
    else
        fprintf(stderr, "done");
    fprintf(stderr, ", %.1f s; ", j->seconds);
    show_left(p);
    fputs(is_tty && j->result ? "" : "\n", stderr);
}

/* On a terminal: what runs, now and then. */
static void show_running(struct pool *p)
{
    double now = wall_seconds();
    if (p->s->quiet || !isatty(STDERR_FILENO) || now - p->shown < 1)
        return;
    p->shown = now;
    fprintf(stderr, "\r\033[K%zu/%zu, ", p->done, p->n);
    show_left(p);
    for (size_t i = 0, shown = 0; i < p->slots.len && shown < 2; i++)
        if (p->slots.data[i].pid) {
            const struct slot *slot = &p->slots.data[i];
            fprintf(stderr, "; %s %.24s %.0f s", name_of(&p->jobs[slot->job]),
                    p->jobs[slot->job].design, now - slot->from);
            shown++;
        }
}

static void summarise(const struct pool *p)
{
    if (p->s->quiet || p->done - p->known < 2)
        return;
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    fprintf(stderr, "%zu runs in %.0f s, %.0f s of CPU time; %zu were there; %zu failed\n",
            p->done - p->known, wall_seconds() - p->from, p->cpu, p->known, p->failed);
}

/* --- many --- */

static bool start(struct pool *p, struct slot *slot, size_t job, struct err *err)
{
    struct entry *e = &p->entries[job];
    slot->job = job;
    slot->from = wall_seconds();
    slot->stopped = NULL;
    slot->was_cut = false;
    slot->part = e->gives ? study_part_new(e->gives) : NULL;
    fflush(NULL);
    slot->pid = fork();
    if (slot->pid == 0)
        study_child(p->s, &p->jobs[job], slot->json, slot->log, slot->part);
    e->state = RUNS;
    return slot->pid > 0 || err_set(err, "cannot start a process: %s", strerror(errno));
}

/* A file that a run made for others gets its name. */
static void keep_part(const struct pool *p, struct slot *slot)
{
    struct study_job *j = &p->jobs[slot->job];
    if (!slot->part)
        return;
    if (j->result && rename(slot->part, p->entries[slot->job].gives) &&
        !study_kind(j)->has_result) {
        json_object_put(j->result);
        j->result = NULL;
        j->error = xasprintf("%s cannot be made: %s", p->entries[slot->job].gives, strerror(errno));
    }
    study_part_drop(slot->part);
    slot->part = NULL;
}

/* What ends the command before its jobs; NULL: nothing yet. */
static const char *what_ends(const struct pool *p)
{
    if (interrupt_signal())
        return interrupt_name(interrupt_signal());
    return p->s->time && wall_seconds() - p->from > (double)p->s->time ? "--for" : NULL;
}

static bool finish(struct pool *p, struct slot *slot, int code, const struct rusage *use,
                   struct err *err)
{
    struct study_job *j = &p->jobs[slot->job];
    slot->pid = 0;
    p->entries[slot->job].state = ENDED;
    j->seconds = wall_seconds() - slot->from;
    j->cpu_seconds = (double)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) +
                     1e-6 * (double)(use->ru_utime.tv_usec + use->ru_stime.tv_usec);
    if (slot->stopped)
        j->error = xasprintf("stopped after %.0f s (%s)", j->seconds, slot->stopped);
    else
        take(j, code, slot->json, slot->log);
    keep_part(p, slot);
    unlink(slot->json);
    unlink(slot->log);
    p->done++;
    p->failed += j->error != NULL;
    p->cpu += j->cpu_seconds;
    /* what the command's own end has stopped has not failed */
    const bool is_kept =
        study_kind(j)->has_result && !slot->was_cut && (j->result || !interrupt_signal());
    const bool ok = !is_kept || !p->store || study_store_put(p->store, p->s, j, err);
    progress(p, j); /* what is said to be done is there after kill -9 */
    return ok;
}

static void stop_late_ones(struct pool *p)
{
    const char *end = what_ends(p);
    for (size_t i = 0; i < p->slots.len; i++) {
        struct slot *slot = &p->slots.data[i];
        const bool is_late = p->s->limit && wall_seconds() - slot->from > (double)p->s->limit;
        if (slot->pid && !slot->stopped && (end || is_late)) {
            slot->stopped = end ? end : "--limit";
            slot->was_cut = end != NULL;
            kill(slot->pid, SIGKILL);
        }
    }
}

/* Waits until a child has ended; false: there is none, or an error. */
static bool wait_for_one(struct pool *p, struct err *err)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    for (;;) {
        int status = 0;
        struct rusage use;
        pid_t pid = wait4(-1, &status, WNOHANG, &use);
        if (pid < 0 && errno != EINTR)
            return err_set(err, "waiting for a run: %s", strerror(errno));
        for (size_t i = 0; pid > 0 && i < p->slots.len; i++)
            if (p->slots.data[i].pid == pid)
                return finish(p, &p->slots.data[i], WIFEXITED(status) ? WEXITSTATUS(status) : 128,
                              &use, err);
        stop_late_ones(p);
        show_running(p);
        nanosleep(&nap, NULL);
    }
}

static bool run_pool(struct pool *p, struct err *err)
{
    for (;;) {
        size_t running = 0, job;
        for (size_t i = 0; i < p->slots.len; i++) {
            struct slot *slot = &p->slots.data[i];
            if (!slot->pid && !what_ends(p) && find_next(p, &job) && !start(p, slot, job, err))
                return false;
            running += slot->pid != 0;
        }
        if (!running)
            return true;
        if (!wait_for_one(p, err))
            return false;
    }
}

static void pool_free(struct pool *p)
{
    for (size_t i = 0; i < p->slots.len; i++) {
        struct slot *slot = &p->slots.data[i];
        if (slot->pid) {
            kill(slot->pid, SIGKILL);
            waitpid(slot->pid, NULL, 0);
        }
        free(slot->json);
        free(slot->log);
        if (slot->part)
            study_part_drop(slot->part);
    }
    for (size_t i = 0; i < p->n; i++) {
        free(p->entries[i].needs);
        free(p->entries[i].gives);
    }
    vec_free(&p->slots);
    free(p->entries);
    free(p->order);
}

bool study_run(const struct study_setup *s, struct study_job *jobs, size_t n,
               struct study_store *store, struct err *err)
{
    struct pool p = {.s = s, .jobs = jobs, .n = n, .store = store, .from = wall_seconds()};
    char tmp[] = "/tmp/parsim-XXXXXX";
    if (!mkdtemp(tmp))
        return err_set(err, "cannot make a folder in /tmp: %s", strerror(errno));
    tempfile_add(tmp);
    interrupt_catch();
    p.entries = xcalloc(n + 1, sizeof *p.entries);
    p.order = xcalloc(n + 1, sizeof *p.order);
    for (uint64_t i = 0; i < s->jobs; i++)
        vec_push(&p.slots, ((struct slot){.json = xasprintf("%s/%u.json", tmp, (unsigned)i),
                                          .log = xasprintf("%s/%u.log", tmp, (unsigned)i)}));
    look_up(&p);
    settle(&p);
    put_in_order(&p);
    bool ok = run_pool(&p, err);
    for (size_t i = 0; ok && i < n; i++)
        if (p.entries[i].state == WAITS)
            jobs[i].error =
                xasprintf("not started, the command was at its end (%s)", what_ends(&p));
    summarise(&p);
    pool_free(&p);
    tempfile_remove_folder(tmp);
    tempfile_forget(tmp);
    return ok;
}

void study_recall(const struct study_setup *s, struct study_job *jobs, size_t n,
                  struct study_store *store)
{
    for (size_t i = 0; i < n; i++)
        if (study_kind(&jobs[i])->has_result) {
            jobs[i].result = study_store_get(store, s, &jobs[i], &jobs[i].seconds, &jobs[i].error);
            if (!jobs[i].result && !jobs[i].error)
                jobs[i].error = xstrdup("has not been run");
        }
}

void study_jobs_free(struct study_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_object_put(jobs[i].result);
        free(jobs[i].error);
    }
}
