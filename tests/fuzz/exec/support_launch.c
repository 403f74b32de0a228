/* Every entry of a program, launched once with parameters that mostly point into a buffer. */
#include "fuzz/exec/launch.h"

#include <stdlib.h>
#include <string.h>

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

static void check_told(bool ok, const struct err *err)
{
    if (!ok && !err->msg[0])
        abort();
}

static void launch_one(struct program *p, const struct ptx_func *f, addr_t buffer,
                       uint64_t max_inst, fuzz_run_fn *run, void *self)
{
    struct err err = {0};
    struct kernel *k = program_kernel(p, f->name, &err);
    check_told(k != NULL, &err);
    if (!k)
        return;
    char *params = make_params(f, buffer);
    struct launch l = {.kernel = k,
                       .grid = {2, 1, 1},
                       .block = {40, 1, 1},
                       .dynamic_shared_bytes = 256,
                       .params = params,
                       .max_inst = max_inst};
    for (unsigned i = 0; i < 3; i++)
        if (f->reqntid[0])
            l.block[i] = f->reqntid[i] ? f->reqntid[i] : 1;
    check_told(run(self, &l, &err), &err);
    free(params);
}

void fuzz_launch_all(struct program *p, addr_t buffer, uint64_t max_inst, fuzz_run_fn *run,
                     void *self)
{
    for (uint32_t i = 0; i < program_func_count(p); i++)
        if (program_func(p, i)->is_entry)
            launch_one(p, program_func(p, i), buffer, max_inst, run, self);
}
