/* Any PTX text: it is refused with an error, or every kernel of it that can be lowered runs to its
 * end, a fault or the limit of instructions, and touches nothing but its own. */
#include "exec/grid.h"
#include "exec/support.h"
#include "fuzz/exec/mutate.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

enum { BUFFER_BYTES = 4096, MAX_INST = 20000, FEW_REGISTERS = 6, MAX_ASKED = 32 };

/* Parameters of 8 bytes are buffers by turns, those of 4 small numbers. */
static char *make_params(const struct ptx_func *f, addr_t buffer)
{
    char *params = xalloc_aligned(64, f->param_bytes);
    for (uint32_t i = 0; i < f->nparams; i++) {
        const struct ptx_var *p = f->params[i];
        const uint64_t value =
            p->bytes == 8 && i % 4 != 3 ? buffer + 256 * (uint64_t)(i % 8) : 5 + i;
        memcpy(params + p->offset, &value, p->bytes < 8 ? p->bytes : 8);
    }
    return params;
}

static void run_kernel(struct device *d, struct program *p, const struct ptx_func *f, addr_t buffer)
{
    struct err err = {0};
    struct kernel *k = program_kernel(p, f->name, &err);
    if (!k) {
        if (!err.msg[0])
            abort();
        return;
    }
    char *params = make_params(f, buffer);
    struct launch l = {.kernel = k,
                       .grid = {2, 1, 1},
                       .block = {40, 1, 1},
                       .dynamic_shared_bytes = 256,
                       .params = params,
                       .max_inst = MAX_INST};
    struct launch_result r;
    for (unsigned i = 0; i < 3; i++)
        if (f->reqntid[0])
            l.block[i] = f->reqntid[i] ? f->reqntid[i] : 1;
    if (!grid_run(d, &l, &r, &err) && !err.msg[0])
        abort();
    free(params);
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
    const struct mem_alloc *buffer = devmem_alloc(d->mem, BUFFER_BYTES, 0, MEM_DEVICE, NULL);
    struct program *p = program_load(d, &m, 1, &err);
    for (uint32_t i = 0; p && i < program_func_count(p); i++) {
        ask_support(program_func(p, i));
        if (program_func(p, i)->is_entry)
            run_kernel(d, p, program_func(p, i), buffer->base);
    }
    program_unload(p);
    fclose(d->out);
    device_free(d);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return mutate_ptx((char *)data, size, max, seed);
}
