/* Functional speed: thread-instructions a second of CPU time on one core, beside memcpy. */
#include "base/file.h"
#include "exec/grid.h"
#include "gpu/machine.h"
#include "support_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double memcpy_gbs(void)
{
    size_t bytes = (size_t)64 << 20;
    char *a = xmalloc(bytes), *b = xmalloc(bytes);
    memset(a, 1, bytes);
    memset(b, 2, bytes);
    double best = 0;
    for (int i = 0; i < 5; i++) {
        double t = bench_cpu_seconds();
        memcpy(a, b, bytes);
        __asm__ volatile("" ::"r"(a) : "memory");
        double s = (double)bytes / (bench_cpu_seconds() - t) * 1e-9;
        best = s > best ? s : best;
    }
    free(a);
    free(b);
    return best;
}

static void die(const struct err *err)
{
    fprintf(stderr, "bench_exec: %s\n", err->msg);
    exit(1);
}

static double run(const struct bench *b, uint64_t *thread_inst)
{
    struct err err;
    size_t len;
    char *path = xasprintf("%s/%s.ptx", b->dir, b->file), *text = file_read(path, &len, &err);
    struct ptx_module *m = text ? ptx_parse(path, text, len, &err) : NULL;
    struct device *d = m ? machine_default_device(&err) : NULL;
    struct program *p = d ? program_load(d, &m, 1, &err) : NULL;
    struct kernel *k = p ? program_kernel(p, b->kernel, &err) : NULL;
    if (!k)
        die(&err);
    uint64_t params[8] = {0};
    bench_params(b, d, 1, params);
    struct launch l = {.kernel = k, .params = params};
    memcpy(l.grid, b->grid, sizeof l.grid);
    memcpy(l.block, b->block, sizeof l.block);
    double best;
    struct launch_result r;
    if (!bench_best(d, &l, 7, &best, &r, &err))
        die(&err);
    *thread_inst = r.thread_inst;
    program_unload(p);
    device_free(d);
    free(text);
    free(path);
    return best;
}

int main(int argc, char **argv)
{
    int failed = 0;
    const char *only = argc > 1 ? argv[1] : NULL;
    double copy = memcpy_gbs();
    printf("memcpy in this run: %.1f GB/s\n", copy);
    printf("%-10s %14s %12s %10s %8s\n", "kernel", "thread-inst", "M/s", "x memcpy", "wanted");
    for (unsigned i = 0; i < ARRAY_LEN(benches); i++) {
        uint64_t n = 0;
        if (only && strcmp(only, benches[i].file))
            continue;
        double s = run(&benches[i], &n), rate = (double)n / s * 1e-6;
        bool ok = rate >= benches[i].want;
        failed += !ok;
        /* in bytes of 32-bit results, so that the ratio has no unit */
        printf("%-10s %14llu %12.0f %10.3f %8.0f %s\n", benches[i].file, (unsigned long long)n,
               rate, rate * 4e-3 / copy, benches[i].want, ok ? "ok" : "LOW");
    }
    return failed ? 1 : 0;
}
