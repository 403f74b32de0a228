/* Machines that keep time and are made quickly: two SMs, two channels. */
#ifndef TESTS_FUZZ_GPU_SMALL_GPU_H
#define TESTS_FUZZ_GPU_SMALL_GPU_H

#include "gpu/gpu.h"

struct small_gpu {
    struct machine *m;
    struct device *dev;
    struct gpu *gpu;
    struct grid_runner runner; /* for what kernels launch */
};

/* One of a few kinds, by `choice`: another scheduler, few registers, techniques on it. */
void small_gpu_open(struct small_gpu *s, unsigned choice);
void small_gpu_close(struct small_gpu *s);
bool small_gpu_run(struct small_gpu *s, struct launch *l, struct err *err);

#endif
