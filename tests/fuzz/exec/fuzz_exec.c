/* Random valid instruction sequences, with divergence, loops, calls, memory and warp operations:
 * the simulator against a plain interpreter. Then the same with tokens exchanged, so that operands
 * have other types, widths and numbers: refused, or run without touching what is not theirs. */
#include "exec/grid.h"
#include "fuzz/exec/mutate.h"
#include "fuzz/exec/seq.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_THREADS = 96 };

static bool is_nan32(uint32_t v)
{
    return (v & 0x7fffffff) > 0x7f800000;
}

static bool same_thread(const struct seq_thread *a, const struct seq_thread *b)
{
    for (unsigned i = 0; i < SEQ_F; i++)
        if (a->f[i] != b->f[i] && !(is_nan32(a->f[i]) && is_nan32(b->f[i])))
            return false;
    return !memcmp(a->r, b->r, sizeof a->r) && !memcmp(a->d, b->d, sizeof a->d) && a->p == b->p;
}

static void fail(const char *what, unsigned i, const char *ptx)
{
    fprintf(stderr, "%s (thread %u) in\n%s", what, i, ptx);
    abort();
}

static void reset(struct seq_thread *t, unsigned n)
{
    memset(t, 0, n * sizeof *t);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < SEQ_R; k++)
            t[i].r[k] = seq_initial(i, k);
        for (unsigned k = 0; k < SEQ_D; k++)
            t[i].d[k] = (uint64_t)seq_initial(i, 100 + k) << 32 | seq_initial(i, 200 + k);
        for (unsigned k = 0; k < SEQ_F; k++)
            t[i].f[k] = seq_initial(i, 301 + 3 * k);
        t[i].p = seq_initial(i, 400) % (1u << SEQ_P);
    }
}

static struct seq_thread *simulate(const char *ptx, unsigned n, struct device *d,
                                   uint32_t **counters, uint32_t **global)
{
    struct err err;
    struct ptx_module *m = ptx_parse("seq.ptx", ptx, strlen(ptx), &err);
    struct program *p = m ? program_load(d, &m, 1, &err) : NULL;
    struct kernel *k = p ? program_kernel(p, "k", &err) : NULL;
    if (!k)
        fail(err.msg, 0, ptx);
    uint64_t params[3];
    params[0] = devmem_alloc(d->mem, n * sizeof(struct seq_thread), 0, MEM_DEVICE, NULL)->base;
    params[1] = devmem_alloc(d->mem, 4 * SEQ_COUNTERS, 0, MEM_DEVICE, NULL)->base;
    params[2] = devmem_alloc(d->mem, 4ull * SEQ_LOCAL * n, 0, MEM_DEVICE, NULL)->base;
    struct seq_thread *t = devmem_ptr(params[0]);
    reset(t, n);
    struct launch l = {
        .kernel = k, .grid = {1, 1, 1}, .block = {n, 1, 1}, .params = params, .max_inst = 1u << 22};
    struct launch_result r;
    if (!grid_run(d, &l, &r, &err))
        fail(err.msg, 0, ptx);
    program_unload(p);
    *counters = devmem_ptr(params[1]);
    *global = devmem_ptr(params[2]);
    return t;
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
    struct seq_input in = {data, size};
    unsigned n = 1 + seq_take(&in, MAX_THREADS);
    struct seq_stmt *tree = seq_generate(&in);
    char *ptx = NULL;
    size_t len;
    FILE *out = open_memstream(&ptx, &len);
    seq_print(tree, out);
    fclose(out);

    struct seq_state ref = {.nthreads = n};
    ref.t = xcalloc(n, sizeof *ref.t);
    ref.mem = xcalloc(n, sizeof *ref.mem);
    reset(ref.t, n);
    seq_interpret(tree, &ref);

    struct err err;
    struct device *d = device_new(1u << 26, &err);
    uint32_t *counters, *global;
    const struct seq_thread *got = simulate(ptx, n, d, &counters, &global);
    for (unsigned i = 0; i < n; i++) {
        if (!same_thread(&got[i], &ref.t[i]))
            fail("registers differ", i, ptx);
        if (memcmp(global + (size_t)i * SEQ_LOCAL, ref.mem[i][2], sizeof ref.mem[i][2]) != 0)
            fail("memory differs", i, ptx);
    }
    if (memcmp(counters, ref.counters, sizeof ref.counters) != 0)
        fail("counters differ", 0, ptx);
    unsigned seed = (unsigned)size;
    for (size_t i = 0; i < size; i++)
        seed = seed * 31 + data[i];
    run_ill_typed(ptx, len, seed, n, d);
    device_free(d);
    free(ref.t);
    free(ref.mem);
    seq_free(tree);
    free(ptx);
    return 0;
}
