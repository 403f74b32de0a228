/* The kernels that are measured: the four with reference numbers, and a gather. */
#ifndef BENCH_SUPPORT_KERNELS_H
#define BENCH_SUPPORT_KERNELS_H

#include "exec/grid.h"

struct bench {
    const char *dir, *file, *kernel;
    uint32_t grid[3], block[3];
    uint32_t regs;     /* as in the reference's comparison */
    double want;       /* M thread-instructions/s, functional */
    double want_timed; /* K warp-instructions/s, timed */
};

enum { BENCHES = 5 };
extern const struct bench benches[BENCHES];

/* Buffers of `scale` times the usual size with random contents, and the kernel's parameters. */
void bench_params(const struct bench *b, struct device *d, uint32_t scale, uint64_t *params);

double bench_cpu_seconds(void);
/* The least processor time of `rounds` launches; `r` is the last one's. False: err says why. */
bool bench_best(struct device *d, const struct launch *l, int rounds, double *seconds,
                struct launch_result *r, struct err *err);

#endif
