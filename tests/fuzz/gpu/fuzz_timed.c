/* Any PTX text on a small machine that keeps time: its kernels are refused, or run to their end, a
 * fault, or the limit of instructions. The machine never stops with work left and nothing moving,
 * unless the kernel's own waiting does that. */
#include "fuzz/exec/launch.h"
#include "fuzz/exec/mutate.h"
#include "fuzz/gpu/small_gpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

enum { MAX_INST = 3000 };

static bool run(void *gpu, struct launch *l, struct err *err)
{
    return small_gpu_run(gpu, l, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct small_gpu g;
    struct ptx_module *m = ptx_parse("fuzz.ptx", (const char *)data, size, &err);
    if (!m)
        return 0;
    small_gpu_open(&g, (unsigned)size);
    const struct mem_alloc *buffer =
        devmem_alloc(g.dev->mem, FUZZ_BUFFER_BYTES, 0, MEM_DEVICE, NULL);
    struct program *p = program_load(g.dev, &m, 1, &err);
    if (p)
        fuzz_launch_all(p, buffer->base, MAX_INST, run, &g);
    program_unload(p);
    small_gpu_close(&g);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return mutate_ptx((char *)data, size, max, seed);
}
