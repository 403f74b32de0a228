/* Speed of the AArch64 core, functional and in time: instructions a second of CPU time on one core,
 * beside QEMU's user mode, which translates, where it is installed. */
#include "a64/machine.h"
#include "support_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3 };

static uint64_t run(const char *path, double *seconds)
{
    struct err err;
    char *const argv[] = {(char *)path};
    const struct a64_options o = {.path = path, .argv = argv, .argc = 1};
    struct a64_process *p = a64_process_new(&o, &err);
    if (!p) {
        fprintf(stderr, "bench_a64: %s\n", err.msg);
        exit(1);
    }
    const double start = bench_cpu_seconds();
    while (!p->cpu.stop.kind)
        a64_process_run(p, 1 << 20);
    *seconds = bench_cpu_seconds() - start;
    const uint64_t inst = p->cpu.inst;
    a64_process_free(p);
    return inst;
}

enum { TIMED_INST = 20000000 };

/* At most TIMED_INST instructions on the machine `hpi`. */
static uint64_t run_timed(const char *path, double *seconds)
{
    struct err err;
    char *const argv[] = {(char *)path};
    struct cpu_cfg *cfg = cpu_cfg_new("hpi", NULL, 0, &err);
    const struct a64_options o = {.path = path, .argv = argv, .argc = 1};
    struct a64_process *p = a64_process_new(&o, &err);
    struct cpu *cpu = cpu_new(cfg, p, &err);
    const double start = bench_cpu_seconds();
    a64_core_limit(cpu_core(cpu), TIMED_INST);
    for (cycle_t limit = 1 << 20; !a64_core_is_done(cpu_core(cpu)); limit += 1 << 20)
        cpu_run(cpu, limit, &err);
    *seconds = bench_cpu_seconds() - start;
    const uint64_t inst = p->cpu.inst;
    cpu_free(cpu);
    a64_process_free(p);
    cpu_cfg_free(cfg);
    return inst;
}

/* CPU seconds of QEMU on the same program; 0: it is not installed. */
static double qemu(const char *path)
{
    struct rusage u;
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        execlp("qemu-aarch64", "qemu-aarch64", path, (char *)NULL);
        _exit(127);
    }
    wait4(child, &status, 0, &u);
    return WIFEXITED(status) && WEXITSTATUS(status) == 127
               ? 0
               : (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6;
}

static void measure(const char *name)
{
    char *path = xasprintf("tests/a64/programs/%s.elf", name);
    double best = 1e9, theirs = 1e9, timed = 1e9;
    uint64_t inst = 0, timed_inst = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double s;
        inst = run(path, &s);
        best = s < best ? s : best;
        timed_inst = run_timed(path, &s);
        timed = s < timed ? s : timed;
        s = qemu(path);
        theirs = s < theirs ? s : theirs;
    }
    printf("%-10s %6.1f M instructions, %6.1f M/s", name, (double)inst * 1e-6,
           (double)inst / best * 1e-6);
    if (theirs > 0)
        printf("; QEMU %6.1f M/s, %.2f times ours", (double)inst / theirs * 1e-6, best / theirs);
    printf("; in time %.1f M/s\n", (double)timed_inst / timed * 1e-6);
    free(path);
}

int main(void)
{
    measure("spin");        /* integers */
    measure("sketches-o2"); /* floats, a C library */
    return 0;
}
