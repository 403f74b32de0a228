#include "gpu/session.h"

#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct session {
    struct session_options o;
    struct machine *machine;
    struct device *dev;
    struct gpu *gpu;
    struct grid_runner runner;
    VEC(const char *) sets; /* of the environment */
    char *strings;
};

static bool run_timed(void *self, const struct launch *l, struct launch_result *result,
                      struct err *err)
{
    const struct session *s = self;
    return gpu_run(s->gpu, l, result, err);
}

static bool start(struct session *s, struct err *err)
{
    const struct session_options *o = &s->o;
    s->machine = machine_new(o->gpu ? o->gpu : MACHINE_DEFAULT, o->sets, o->nsets, err);
    if (!s->machine)
        return false;
    s->dev = o->is_32bit ? machine_device_32(s->machine, err) : machine_device(s->machine, err);
    if (!s->dev)
        return false;
    if (!o->is_timed)
        return true;
    s->gpu = gpu_new(s->machine, s->dev, o->threads, err);
    if (!s->gpu)
        return false;
    s->runner = (struct grid_runner){run_timed, s};
    gpu_set_registers(s->gpu, o->regs);
    gpu_set_interval(s->gpu, o->interval);
    return true;
}

struct session *session_new(const struct session_options *o, struct err *err)
{
    struct session *s = xcalloc(1, sizeof *s);
    s->o = *o;
    if (start(s, err))
        return s;
    session_free(s);
    return NULL;
}

void session_free(struct session *s)
{
    if (!s)
        return;
    gpu_free(s->gpu);
    device_free(s->dev);
    machine_free(s->machine);
    vec_free(&s->sets);
    free(s->strings);
    free(s);
}

/* --- the environment --- */

static bool read_number(const char *name, uint64_t most, uint64_t *value, struct err *err)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return true;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (errno || *end || *text == '-' || *value > most)
        return err_set(err, "%s=%s: not a number from 0 to %llu", name, text,
                       (unsigned long long)most);
    return true;
}

static const char *read_text(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static bool read_flag(const char *name)
{
    const char *text = read_text(name);
    return text && strcmp(text, "0") != 0;
}

/* PARSIM_SET: assignments separated by line breaks or blanks. */
static void read_sets(struct session *s)
{
    const char *text = read_text("PARSIM_SET");
    if (!text)
        return;
    s->strings = xstrdup(text);
    char *save = NULL;
    for (char *w = strtok_r(s->strings, " \n", &save); w; w = strtok_r(NULL, " \n", &save))
        vec_push(&s->sets, w);
    s->o.sets = s->sets.data;
    s->o.nsets = s->sets.len;
}

struct session *session_from_environment(struct err *err)
{
    struct session *s = xcalloc(1, sizeof *s);
    uint64_t threads = 0, regs = 0, interval = 0;
    s->o = (struct session_options){.gpu = read_text("PARSIM_GPU"),
                                    .is_timed = read_flag("PARSIM_TIMED"),
                                    .json = read_text("PARSIM_JSON"),
                                    .csv = read_text("PARSIM_CSV"),
                                    .db = read_text("PARSIM_DB"),
                                    .plot = read_text("PARSIM_PLOT"),
                                    .trace = read_text("PARSIM_TRACE"),
                                    .series = read_text("PARSIM_SERIES"),
                                    .per_kernel = read_flag("PARSIM_PER_KERNEL")};
    read_sets(s);
    bool ok = read_number("PARSIM_THREADS", 256, &threads, err) &&
              read_number("PARSIM_REGS", 255, &regs, err) &&
              read_number("PARSIM_INTERVAL", UINT64_MAX >> 1, &interval, err);
    s->o.threads = (unsigned)threads;
    s->o.regs = (uint32_t)regs;
    s->o.interval = interval;
    if (ok && start(s, err))
        return s;
    session_free(s);
    return NULL;
}

/* --- use --- */

const struct machine *session_machine(const struct session *s)
{
    return s->machine;
}

struct device *session_device(const struct session *s)
{
    return s->dev;
}

const struct session_options *session_options(const struct session *s)
{
    return &s->o;
}

struct gpu *session_gpu(const struct session *s)
{
    return s->gpu;
}

bool session_run(struct session *s, struct launch *l, struct launch_result *result, struct err *err)
{
    if (!s->gpu)
        return grid_run(s->dev, l, result, err);
    l->runner = &s->runner;
    return gpu_run(s->gpu, l, result, err);
}

void session_copied(struct session *s, addr_t addr, uint64_t bytes)
{
    if (s->gpu)
        gpu_copied(s->gpu, addr, bytes);
}
