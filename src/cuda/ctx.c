/* How it is made from the environment that `parsim run` has set, and what happens when it ends. */
#include "cuda/ctx.h"

#include "base/interrupt.h"
#include "base/tempfile.h"
#include "cuda/batch.h"
#include "cuda/device_info.h"
#include "cuda/module.h"
#include "cuda/stream.h"
#include "cuda/texobj.h"
#include "exec/check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ctx the_ctx;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct ctx_thread thread_state;

struct ctx_thread *ctx_thread(void)
{
    return &thread_state;
}

void ctx_say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fflush(stdout);
    fputs("parsim: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

int ctx_missing(const char *name)
{
    static struct u64map said;
    struct ctx *c = ctx_lock_cold();
    if (!u64map_get(&said, (uintptr_t)name)) {
        u64map_put(&said, (uintptr_t)name, 1);
        ctx_say("%s is not supported", name);
    }
    ctx_unlock(c);
    return CUDA_NOT_SUPPORTED;
}

/* --- start and end --- */

static bool read_environment(struct ctx *c, struct err *err)
{
    const char *max = getenv("PARSIM_MAX_INST");
    const char *check = getenv("PARSIM_CHECK");
    c->session = session_from_environment(err);
    if (!c->session)
        return false;
    c->machine = session_machine(c->session);
    c->dev = session_device(c->session);
    if (check && *check) {
        c->checks_memory = !strcmp(check, "memory");
        c->checks_race = !strcmp(check, "race");
        if (!c->checks_memory && !c->checks_race)
            return err_set(err, "PARSIM_CHECK=%s: there are memory and race", check);
    }
    if (max && *max) {
        char *end;
        errno = 0;
        c->max_inst = strtoull(max, &end, 0);
        if (errno || *end || !c->max_inst)
            return err_set(err, "PARSIM_MAX_INST=%s is not a number above 0", max);
    }
    return true;
}

static void set_limits(struct ctx *c)
{
    static const uint64_t defaults[LIMIT_COUNT] = {
        [LIMIT_STACK] = 1024,      [LIMIT_PRINTF_FIFO] = 8 << 20,   [LIMIT_HEAP] = 8 << 20,
        [LIMIT_SYNC_DEPTH] = 2,    [LIMIT_PENDING_LAUNCHES] = 2048, [LIMIT_L2_FETCH] = 64,
        [LIMIT_PERSISTING_L2] = 0,
    };
    memcpy(c->limits, defaults, sizeof defaults);
}

static int exit_status; /* of the program */

static void note_status(int status, void *arg)
{
    (void)arg;
    exit_status = status;
}

/* With the lock, which is never given back. */
static NORETURN void end_interrupted(struct ctx *c)
{
    report_write_all(c, interrupt_signal());
    tempfile_remove_all();
    _exit(128 + interrupt_signal());
}

/* For a program that computes or waits in code of its own when a signal comes. */
static void *watch_signals(void *arg)
{
    (void)arg;
    interrupt_wait();
    end_interrupted(ctx_lock_cold());
}

__attribute__((constructor)) static void at_start(void)
{
    pthread_t watcher;
    sigset_t all, old;
    on_exit(note_status, NULL);
    interrupt_catch_unclaimed();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* the program's signals are for its own threads */
    if (!pthread_create(&watcher, NULL, watch_signals, NULL))
        pthread_detach(watcher);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* After the program's own handlers and destructors. Its exit code is its own, unless that says all
 * is well and an output could not be written. */
__attribute__((destructor)) static void at_exit(void)
{
    if (pthread_mutex_trylock(&lock) && interrupt_signal())
        pause(); /* the report is being written; then the process ends */
    const int code = report_write_all(&the_ctx, interrupt_signal());
    if (!code)
        return;
    fflush(NULL);
    tempfile_remove_all();
    _exit(exit_status ? exit_status : code);
}

static bool start(struct ctx *c)
{
    struct err err = {0};
    static bool failed;
    if (failed)
        return false;
    if (!read_environment(c, &err)) {
        c->dev = NULL;
        ctx_say("%s", err.msg);
        failed = true;
        return false;
    }
    c->owner = getpid();
    if (c->checks_memory || c->checks_race)
        c->dev->check = checker_new(c->checks_memory, c->checks_race, report_finding, c);
    c->arch = gpu_arch_of(c->machine);
    set_limits(c);
    stream_create(c, &c->default_stream, 0, 0);
    stream_create(c, &c->thread_stream, 0, 0);
    return true;
}

struct ctx *ctx_lock_cold(void)
{
    if (!thread_state.lock_depth++)
        pthread_mutex_lock(&lock);
    return &the_ctx;
}

struct ctx *ctx_lock_for(const char *function)
{
    struct ctx *c = ctx_lock_cold();
    if (LIKELY(c->dev) || start(c)) {
        if (UNLIKELY(c->batch.len) && !batch_survives(function))
            batch_flush(c);
        return c;
    }
    ctx_unlock(c);
    return NULL;
}

struct ctx *ctx_lock(void)
{
    return ctx_lock_for("");
}

void ctx_unlock(struct ctx *c)
{
    (void)c;
    if (--thread_state.lock_depth)
        return;
    if (UNLIKELY(interrupt_signal()))
        end_interrupted(&the_ctx);
    pthread_mutex_unlock(&lock);
}

void ctx_call_host(struct ctx *c, void (*fn)(void *arg), void *arg)
{
    unsigned depth = thread_state.lock_depth;
    (void)c;
    thread_state.lock_depth = 0;
    pthread_mutex_unlock(&lock);
    fn(arg);
    pthread_mutex_lock(&lock);
    thread_state.lock_depth = depth;
}

struct doomed {
    VEC(addr_t) bases;
};

static bool collect(const struct mem_alloc *a, void *arg)
{
    struct doomed *d = arg;
    vec_push(&d->bases, a->base);
    return true;
}

int ctx_reset(struct ctx *c)
{
    struct doomed d = {0};
    module_close_all(c);
    texture_close_all(c);
    array_close_all(c);
    devmem_each(c->dev->mem, collect, &d);
    for (size_t i = 0; i < d.bases.len; i++)
        devmem_release(c->dev->mem, d.bases.data[i]);
    vec_free(&d.bases);
    c->fault = 0;
    c->peer_enabled = false;
    c->default_stream->resets = c->thread_stream->resets = ++c->resets;
    c->dev->heap_used_bytes = 0;
    set_limits(c);
    ctx_thread()->last_error = 0;
    return CUDA_OK;
}

/* --- handles --- */

void handle_add(struct ctx *c, enum handle_kind kind, const void *p)
{
    u64map_put(&c->handles, (uintptr_t)p, kind);
}

void handle_remove(struct ctx *c, const void *p)
{
    u64map_put(&c->handles, (uintptr_t)p, HANDLE_NONE);
}

bool handle_is(const struct ctx *c, enum handle_kind kind, const void *p)
{
    const uint64_t *k = p ? u64map_get(&c->handles, (uintptr_t)p) : NULL;
    return k && *k == kind;
}

/* --- errors --- */

static const struct error_row {
    int code;
    const char *runtime, *driver, *text;
} errors[] = {
#define CUDA_ERROR(code, runtime, driver, text) {code, runtime, driver, text},
#include "cuda/cuda_error.def"
#undef CUDA_ERROR
};

static const struct error_row *error_find(int code)
{
    for (size_t i = 0; i < ARRAY_LEN(errors); i++)
        if (errors[i].code == code)
            return &errors[i];
    return NULL;
}

const char *error_name(int code, bool driver)
{
    const struct error_row *e = error_find(code);
    return !e ? NULL : driver ? e->driver : e->runtime;
}

const char *error_text(int code)
{
    const struct error_row *e = error_find(code);
    return e ? e->text : NULL;
}
