/* Timed speed: warp-instructions a second of CPU time on gtx480-gpgpusim, beside the functional
 * executor in the same run; host threads; cost at more SMs and for longer kernels; memory.
 *
 *   bench_speed [KERNEL]   all kernels or one, with one thread and two
 *   bench_speed once KERNEL BLOCKS  one launch of so many blocks with one thread, for callgrind
 *   bench_speed scale DIR  the scaling measurements, as DIR/scaling.dat and DIR/scaling.svg */
#include "base/file.h"
#include "gpu/session.h"
#include "out/plot.h"
#include "support_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const struct err *err)
{
    fprintf(stderr, "bench_speed: %s\n", err->msg);
    exit(1);
}

struct result {
    double wall, cpu;
    uint64_t warp_inst, cycles;
};

struct setup {
    unsigned threads; /* 0: functional */
    uint32_t scale;   /* blocks and buffers, times the usual */
    uint32_t sms;     /* 0: the machine's */
    uint32_t blocks;  /* 0: the kernel's */
};

static struct result run(const struct bench *b, const struct setup *s)
{
    struct err err = {0};
    size_t len;
    char sms[32];
    snprintf(sms, sizeof sms, "gpu.sms=%u", s->sms);
    const char *const sets[] = {sms};
    struct session_options o = {.gpu = "gtx480-gpgpusim",
                                .is_timed = s->threads > 0,
                                .threads = s->threads,
                                .regs = b->regs,
                                .sets = sets,
                                .nsets = s->sms ? 1 : 0};
    char *path = xasprintf("%s/%s.ptx", b->dir, b->file), *text = file_read(path, &len, &err);
    struct ptx_module *m = text ? ptx_parse(path, text, len, &err) : NULL;
    struct session *session = m ? session_new(&o, &err) : NULL;
    if (!session)
        die(&err);
    struct device *d = session_device(session);
    struct program *p = program_load(d, &m, 1, &err);
    struct kernel *k = p ? program_kernel(p, b->kernel, &err) : NULL;
    if (!k)
        die(&err);
    uint64_t params[8] = {0};
    bench_params(b, d, s->scale, params);
    struct launch l = {.kernel = k, .params = params};
    memcpy(l.grid, b->grid, sizeof l.grid);
    memcpy(l.block, b->block, sizeof l.block);
    l.grid[0] *= s->scale;
    if (s->blocks)
        l.grid[0] = s->blocks;
    struct launch_result r;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (!session_run(session, &l, &r, &err))
        die(&err);
    struct result out = {seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu,
                         r.warp_inst, r.cycles};
    program_unload(p);
    session_free(session);
    free(text);
    free(path);
    return out;
}

static double peak_mb(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

static int speed(const char *only)
{
    int failed = 0;
    printf("%-8s %10s %9s %9s %8s %12s %10s\n", "kernel", "warp-inst", "cycles", "K wi/s", "wanted",
           "functional/x", "2 threads");
    for (unsigned i = 0; i < BENCHES; i++) {
        const struct bench *b = &benches[i];
        if (only && strcmp(only, b->kernel))
            continue;
        struct result best = {.cpu = 1e30}, two = {.wall = 1e30}, one = {.wall = 1e30};
        struct result values = run(b, &(struct setup){.scale = 1});
        for (int k = 0; k < 3; k++) {
            struct result r = run(b, &(struct setup){.threads = 1, .scale = 1});
            struct result t = run(b, &(struct setup){.threads = 2, .scale = 1});
            best = r.cpu < best.cpu ? r : best;
            one = r.wall < one.wall ? r : one;
            two = t.wall < two.wall ? t : two;
        }
        double rate = (double)best.warp_inst / best.cpu * 1e-3;
        bool ok = rate >= b->want_timed;
        failed += !ok;
        printf("%-8s %10llu %9llu %9.0f %8.0f %12.0f %9.2fx %s\n", b->kernel,
               (unsigned long long)best.warp_inst, (unsigned long long)best.cycles, rate,
               b->want_timed, best.cpu / values.cpu, one.wall / two.wall, ok ? "ok" : "LOW");
    }
    printf("peak memory of the process: %.0f MB\n", peak_mb());
    return failed ? 1 : 0;
}

/* What is measured at each number of SMs. */
enum { SHORT, LONG, IDLE, CURVES };

struct scaling {
    double sms, ns[CURVES];
};

static bool plot(const char *dir, const struct scaling *at, size_t n, struct err *err)
{
    static const char *const names[CURVES] = {"vecadd", "vecadd, 10 times longer",
                                              "sfu on 15 SMs, the others idle"};
    struct plot_line lines[CURVES];
    double x[8], y[CURVES][8];
    for (unsigned k = 0; k < CURVES; k++) {
        for (size_t i = 0; i < n; i++) {
            x[i] = at[i].sms;
            y[k][i] = at[i].ns[k];
        }
        lines[k] = (struct plot_line){.name = names[k], .x = x, .y = y[k], .n = n};
    }
    const struct plot_panel panel = {
        .x = "SMs", .y = "CPU time a warp-instruction (ns)", .lines = lines, .nlines = CURVES};
    const struct plot p = {.title = "Host time as machines grow", .panels = &panel, .npanels = 1};
    struct outfolder *out = outfolder_open(dir, err);
    return out && outfolder_close(out, plot_save(&p, out, "scaling", err), err);
}

static int scale(const char *dir)
{
    static const uint32_t sms[] = {15, 60, 132};
    struct scaling at[ARRAY_LEN(sms)];
    struct err err = {0};
    for (unsigned i = 0; i < ARRAY_LEN(sms); i++) {
        const struct setup setups[CURVES] = {
            [SHORT] = {.threads = 1, .scale = 1, .sms = sms[i]},
            [LONG] = {.threads = 1, .scale = 10, .sms = sms[i]},
            [IDLE] = {.threads = 1, .scale = 1, .sms = sms[i], .blocks = 15},
        };
        at[i].sms = sms[i];
        for (unsigned k = 0; k < CURVES; k++) {
            struct result r = run(&benches[k == IDLE ? 3 : 0], &setups[k]);
            at[i].ns[k] = r.cpu / (double)r.warp_inst * 1e9;
        }
        printf("%4u SMs: %.0f ns a warp-instruction, %.0f in a kernel 10 times longer; %.0f with "
               "15 busy SMs\n",
               sms[i], at[i].ns[SHORT], at[i].ns[LONG], at[i].ns[IDLE]);
    }
    if (plot(dir, at, ARRAY_LEN(sms), &err))
        return 0;
    fprintf(stderr, "bench_speed: %s\n", err.msg);
    return 1;
}

/* Nothing else, so that host instructions can be counted. */
static int once(const char *kernel, uint32_t blocks)
{
    for (unsigned i = 0; i < BENCHES; i++)
        if (!strcmp(kernel, benches[i].kernel)) {
            struct result r =
                run(&benches[i], &(struct setup){.threads = 1, .scale = 1, .blocks = blocks});
            printf("%s: %llu warp-instructions, %llu cycles, %.3f s\n", kernel,
                   (unsigned long long)r.warp_inst, (unsigned long long)r.cycles, r.cpu);
            return 0;
        }
    fprintf(stderr, "bench_speed: no kernel %s\n", kernel);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "once"))
        return once(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
    if (argc == 3 && !strcmp(argv[1], "scale"))
        return scale(argv[2]);
    if (argc > 2) {
        fprintf(stderr, "usage: bench_speed [KERNEL | once KERNEL BLOCKS | scale DIR]\n");
        return 2;
    }
    return speed(argc > 1 ? argv[1] : NULL);
}
