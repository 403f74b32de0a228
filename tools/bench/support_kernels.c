/* Loads the kernels that are measured and fills their buffers. */
#include "support_kernels.h"

#include "base/rng.h"

#include <string.h>
#include <time.h>

const struct bench benches[BENCHES] = {
    {"tests/data/gtx480", "vecadd", "vecadd", {4096, 1, 1}, {256, 1, 1}, 12, 500, 450},
    {"tests/data/gtx480", "matmul", "matmul", {16, 16, 1}, {16, 16, 1}, 35, 500, 450},
    {"tests/data/gtx480", "stencil", "stencil", {16, 64, 1}, {32, 8, 1}, 17, 500, 450},
    {"tests/data/gtx480", "sfu", "sfu", {512, 1, 1}, {256, 1, 1}, 9, 500, 600},
    {"tools/bench/kernels", "gather", "spmv", {512, 1, 1}, {256, 1, 1}, 20, 100, 100},
};

enum { SPMV_ROWS = 131072, BUFFER = 4 << 20 };

static addr_t buffer(struct device *d, size_t bytes)
{
    const struct mem_alloc *m = devmem_alloc(d->mem, bytes, 0, MEM_DEVICE, NULL);
    struct rng r = {7};
    float *p = devmem_ptr(m->base);
    for (size_t i = 0; i < bytes / 4; i++)
        p[i] = (float)rng_unit(&r);
    return m->base;
}

static void fill_spmv(struct device *d, uint64_t *params)
{
    struct rng r = {11};
    params[0] = buffer(d, (SPMV_ROWS + 1) * 4);
    int32_t *row = devmem_ptr(params[0]);
    row[0] = 0;
    for (int i = 0; i < SPMV_ROWS; i++)
        row[i + 1] = row[i] + (int32_t)rng_below(&r, 32);
    params[1] = buffer(d, (size_t)row[SPMV_ROWS] * 4);
    params[2] = buffer(d, (size_t)row[SPMV_ROWS] * 4);
    params[3] = buffer(d, SPMV_ROWS * 4);
    params[4] = buffer(d, SPMV_ROWS * 4);
    int32_t *col = devmem_ptr(params[1]);
    float *val = devmem_ptr(params[2]);
    for (int32_t i = 0; i < row[SPMV_ROWS]; i++) {
        col[i] = (int32_t)rng_below(&r, SPMV_ROWS);
        val[i] = (float)rng_unit(&r) - 0.5f;
    }
    params[5] = SPMV_ROWS;
}

void bench_params(const struct bench *b, struct device *d, uint32_t scale, uint64_t *params)
{
    if (!strcmp(b->kernel, "spmv")) {
        fill_spmv(d, params);
        return;
    }
    for (int i = 0; i < 3; i++)
        params[i] = buffer(d, (size_t)BUFFER * scale);
    unsigned k = (unsigned)(b - benches);
    int32_t n[][2] = {{1 << 20, 0}, {256, 0}, {512, 512}, {131072, 32}};
    n[k][0] *= k == 0 || k == 3 ? (int32_t)scale : 1;
    memcpy(&params[k == 3 ? 2 : 3], n[k], sizeof n[k]);
}

double bench_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool bench_best(struct device *d, const struct launch *l, int rounds, double *seconds,
                struct launch_result *r, struct err *err)
{
    *seconds = 1e30;
    for (int i = 0; i < rounds; i++) {
        double t = bench_cpu_seconds();
        if (!grid_run(d, l, r, err))
            return false;
        t = bench_cpu_seconds() - t;
        *seconds = t < *seconds ? t : *seconds;
    }
    return true;
}
