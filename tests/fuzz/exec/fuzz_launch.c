/* Any PTX text: it is refused with an error, or every kernel of it that can be lowered runs to its
 * end, a fault or the limit of instructions, and touches nothing but its own. */
#include "exec/support.h"
#include "fuzz/exec/launch.h"
#include "fuzz/exec/mutate.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

enum { MAX_INST = 20000, FEW_REGISTERS = 6, MAX_ASKED = 32 };

static bool run(void *device, struct launch *l, struct err *err)
{
    struct launch_result r;
    return grid_run(device, l, &r, err);
}

/* What `parsim inspect` asks of each instruction alone. */
static void ask_support(const struct ptx_func *f)
{
    for (uint32_t pc = 0; pc < f->ninsts && pc < MAX_ASKED; pc++) {
        struct err err = {0};
        if (!exec_supports(f, &f->insts[pc], &err) && !err.msg[0])
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct ptx_module *m = ptx_parse("fuzz.ptx", (const char *)data, size, &err);
    if (!m)
        return 0;
    struct device *d = device_new(1u << 24, &err);
    if (!d)
        abort();
    d->out = fopen("/dev/null", "w");
    if (size % 4 == 0) /* then most values have no register */
        d->regs.thread = FEW_REGISTERS;
    const struct mem_alloc *buffer = devmem_alloc(d->mem, FUZZ_BUFFER_BYTES, 0, MEM_DEVICE, NULL);
    struct program *p = program_load(d, &m, 1, &err);
    for (uint32_t i = 0; p && i < program_func_count(p); i++)
        ask_support(program_func(p, i));
    if (p)
        fuzz_launch_all(p, buffer->base, MAX_INST, run, d);
    program_unload(p);
    fclose(d->out);
    device_free(d);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return mutate_ptx((char *)data, size, max, seed);
}
