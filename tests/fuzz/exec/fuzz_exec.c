/* Random valid instruction sequences, with divergence, loops, calls, memory and warp operations:
 * the simulator against a plain interpreter. Then the same with tokens exchanged, so that operands
 * have other types, widths and numbers: refused, or run without touching what is not theirs. */
#include "fuzz/exec/mutate.h"
#include "fuzz/exec/seq.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool run(void *device, struct launch *l, struct err *err)
{
    struct launch_result r;
    return grid_run(device, l, &r, err);
}

static void run_ill_typed(const char *ptx, size_t len, unsigned seed, unsigned n, struct device *d)
{
    enum { MORE = 256 };
    struct err err = {0};
    char *text = xmalloc(len + MORE);
    memcpy(text, ptx, len);
    struct ptx_module *m =
        ptx_parse("ill.ptx", text, mutate_ptx(text, len, len + MORE, seed), &err);
    struct program *p = m ? program_load(d, &m, 1, &err) : NULL;
    struct kernel *k = p ? program_kernel(p, "k", &err) : NULL;
    const struct mem_alloc *buffer = devmem_alloc(d->mem, 4096, 0, MEM_DEVICE, NULL);
    const uint64_t params[4] = {buffer->base, buffer->base, buffer->base};
    struct launch l = {
        .kernel = k, .grid = {1, 1, 1}, .block = {n, 1, 1}, .params = params, .max_inst = 1u << 14};
    struct launch_result r;
    if (k && k->src->param_bytes <= sizeof params)
        grid_run(d, &l, &r, &err);
    program_unload(p);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err;
    struct device *d = device_new(1u << 26, &err);
    const struct seq_machine machine = {d, run, d};
    unsigned n, seed = (unsigned)size;
    char *ptx = seq_check(data, size, &machine, &n);
    for (size_t i = 0; i < size; i++)
        seed = seed * 31 + data[i];
    run_ill_typed(ptx, strlen(ptx), seed, n, d);
    device_free(d);
    free(ptx);
    return 0;
}
