/* Kernels that together use every part of the machine, run functionally and timed on the same
 * data. */
#ifndef TESTS_GPU_SUPPORT_CASES_H
#define TESTS_GPU_SUPPORT_CASES_H

#include "gpu/gpu_int.h"

enum { CASE_BYTES = 1 << 20, CASE_PARAMS = 8 };

struct gpu_case {
    const char *name;
    const char *file, *ptx; /* a file of tests/data/gtx480, or text */
    const char *entry;
    uint32_t grid[3], block[3], shared;
    /* pointers: offsets into the data, then 32-bit numbers */
    uint32_t npointers, nnumbers;
    uint64_t pointer[4];
    uint32_t number[4];
    bool has_texture; /* a handle follows the pointers */
    bool is_cooperative;
    uint32_t registers; /* of a thread; 0 = as it needs */
    bool needs_hopper;  /* instructions or shapes beyond Fermi: only on h200 */
};

extern const struct gpu_case gpu_cases[];
extern const size_t ngpu_cases;
/* One that is not there fails the test. */
const struct gpu_case *case_named(const char *name);

/* A device with the case's program and data on it. */
struct case_run {
    const struct gpu_case *c;
    struct machine *m;
    struct device *dev;
    struct program *prog;
    struct mem_alloc *buf;
    struct gpu *gpu; /* timed */
    struct grid_runner runner;
    struct launch_result result;
    char *printed; /* what the kernel printed */
    size_t printed_len;
};

/* threads 0: functional. Fails the test on any error. */
void case_open(struct case_run *r, const struct gpu_case *c, const char *machine,
               const char *const *sets, size_t nsets, unsigned threads);
/* After threads 0: from now on timed. */
void case_start(struct case_run *r, unsigned threads);
/* Before the first run: numbers near each other, which bdi makes small, in all lines but every
 * eighth, which has no pattern; 0 where the cases count. The timed machine is told of the copy.
 */
void case_fill(struct case_run *r);
/* Runs the kernel (again, on what the last run left). */
bool case_launch(struct case_run *r, struct err *err);
void case_run(struct case_run *r);
void case_close(struct case_run *r);

#endif
