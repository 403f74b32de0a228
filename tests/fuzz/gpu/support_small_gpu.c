/* The kinds of small machines, and a launch that must end or be told to be stuck. */
#include "fuzz/gpu/small_gpu.h"

#include <stdio.h>
#include <stdlib.h>

/* Cycles without any movement: a kernel that is stuck is told so soon. */
enum { STUCK_CYCLES = 20000 };

static const char *const kinds[][2] = {
    {"sm.scheduler=gto", "sm.thread_registers=63"},
    {"sm.scheduler=two_level", "sm.thread_registers=16"},
    {"gpu.with=hw-bdi", "gpu.verify=true"},
    {"gpu.with=caba-bdi", "gpu.verify=true"},
    {"gpu.with=gscalar", "gpu.verify=true"},
};

static void give_up(const struct err *err)
{
    fprintf(stderr, "%s\n", err->msg);
    abort();
}

static bool run_child(void *self, const struct launch *l, struct launch_result *result,
                      struct err *err)
{
    return gpu_run(self, l, result, err);
}

/* A machine that is stuck says where it stands; the fuzzer's own words go another way. */
static void be_quiet(void)
{
    static FILE *quiet;
    if (!quiet && (quiet = fopen("/dev/null", "w")))
        stderr = quiet;
}

void small_gpu_open(struct small_gpu *s, unsigned choice)
{
    struct err err = {0};
    const char *const *kind = kinds[choice % ARRAY_LEN(kinds)];
    const char *const sets[] = {"gpu.sms=2", "gpu.memory_mb=64", "map.channels=2", kind[0],
                                kind[1]};
    if (!(s->m = machine_new("gtx480", sets, ARRAY_LEN(sets), &err)) ||
        !(s->dev = machine_device(s->m, &err)) || !(s->gpu = gpu_new(s->m, s->dev, 1, &err)))
        give_up(&err);
    be_quiet();
    s->dev->out = fopen("/dev/null", "w");
    gpu_set_watchdog(s->gpu, STUCK_CYCLES);
    s->runner = (struct grid_runner){run_child, s->gpu};
}

void small_gpu_close(struct small_gpu *s)
{
    gpu_free(s->gpu);
    fclose(s->dev->out);
    device_free(s->dev);
    machine_free(s->m);
}

bool small_gpu_run(struct small_gpu *s, struct launch *l, struct err *err)
{
    struct launch_result r;
    l->runner = &s->runner;
    return gpu_run(s->gpu, l, &r, err);
}
