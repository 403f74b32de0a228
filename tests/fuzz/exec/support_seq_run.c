/* A generated program on a machine: its registers, memory and counters are those of the plain
 * interpreter. */
#include "fuzz/exec/seq.h"

#include <stdlib.h>
#include <string.h>

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

/* What the program left behind. */
struct outcome {
    const struct seq_thread *t;
    const uint32_t *counters, *global;
};

static void simulate(const char *ptx, unsigned n, const struct seq_machine *machine,
                     struct outcome *out)
{
    struct err err = {0};
    struct device *d = machine->dev;
    struct ptx_module *m = ptx_parse("seq.ptx", ptx, strlen(ptx), &err);
    struct program *p = m ? program_load(d, &m, 1, &err) : NULL;
    struct kernel *k = p ? program_kernel(p, "k", &err) : NULL;
    if (!k)
        fail(err.msg, 0, ptx);
    uint64_t params[3];
    params[0] = devmem_alloc(d->mem, n * sizeof(struct seq_thread), 0, MEM_DEVICE, NULL)->base;
    params[1] = devmem_alloc(d->mem, 4 * SEQ_COUNTERS, 0, MEM_DEVICE, NULL)->base;
    params[2] = devmem_alloc(d->mem, 4ull * SEQ_LOCAL * n, 0, MEM_DEVICE, NULL)->base;
    reset(devmem_ptr(params[0]), n);
    struct launch l = {
        .kernel = k, .grid = {1, 1, 1}, .block = {n, 1, 1}, .params = params, .max_inst = 1u << 22};
    if (!machine->run(machine->self, &l, &err))
        fail(err.msg, 0, ptx);
    program_unload(p);
    *out = (struct outcome){devmem_ptr(params[0]), devmem_ptr(params[1]), devmem_ptr(params[2])};
}

static void compare(const struct outcome *got, const struct seq_state *ref, const char *ptx)
{
    for (unsigned i = 0; i < ref->nthreads; i++) {
        if (!same_thread(&got->t[i], &ref->t[i]))
            fail("registers differ", i, ptx);
        if (memcmp(got->global + (size_t)i * SEQ_LOCAL, ref->mem[i][2], sizeof ref->mem[i][2]) != 0)
            fail("memory differs", i, ptx);
    }
    if (memcmp(got->counters, ref->counters, sizeof ref->counters) != 0)
        fail("counters differ", 0, ptx);
}

char *seq_check(const uint8_t *data, size_t size, const struct seq_machine *machine,
                unsigned *threads)
{
    struct seq_input in = {data, size};
    const unsigned n = *threads = 1 + seq_take(&in, MAX_THREADS);
    struct seq_stmt *tree = seq_generate(&in);
    char *ptx = NULL;
    size_t len;
    FILE *out = open_memstream(&ptx, &len);
    seq_print(tree, out);
    fclose(out);

    struct seq_state ref = {.nthreads = n};
    struct outcome got;
    ref.t = xcalloc(n, sizeof *ref.t);
    ref.mem = xcalloc(n, sizeof *ref.mem);
    reset(ref.t, n);
    seq_interpret(tree, &ref);
    simulate(ptx, n, machine, &got);
    compare(&got, &ref, ptx);
    free(ref.t);
    free(ref.mem);
    seq_free(tree);
    return ptx;
}
