/* Random valid instruction sequences on a small machine that keeps time, against a plain
 * interpreter: what SMs, memory and techniques do to time they do not do to values. */
#include "fuzz/exec/seq.h"
#include "fuzz/gpu/small_gpu.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool run(void *gpu, struct launch *l, struct err *err)
{
    return small_gpu_run(gpu, l, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct small_gpu g;
    unsigned threads;
    small_gpu_open(&g, (unsigned)size);
    const struct seq_machine machine = {g.dev, run, &g};
    free(seq_check(data, size, &machine, &threads));
    small_gpu_close(&g);
    return 0;
}
