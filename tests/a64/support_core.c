#include "a64/support_core.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cpu_cfg *cfg_of(const char *settings)
{
    VEC(char *) all = {0};
    struct err err = {0};
    char *copy = xstrdup(settings), *rest = copy;
    for (char *one; (one = strsep(&rest, " "));)
        if (*one)
            vec_push(&all, one);
    struct cpu_cfg *c = cpu_cfg_new("hpi", all.data, all.len, &err);
    if (!c)
        panic("%s", err.msg);
    vec_free(&all);
    free(copy);
    return c;
}

static void observe(void *ctx, uint64_t pc, cycle_t issue, const struct a64_op *op)
{
    struct timed *t = ctx;
    const uint64_t k = (pc - CORE_CODE) / 4;
    (void)op;
    if (k < CORE_WORDS && t->seen[k] < 256)
        t->issue[k][t->seen[k]++] = issue;
}

static struct timed *timed_of(struct cpu_cfg *cfg, struct a64_process *p)
{
    struct err err = {0};
    struct timed *t = xcalloc(1, sizeof *t);
    t->cfg = cfg;
    t->process = p;
    t->cpu = cpu_new(cfg, p, &err);
    if (!t->cpu)
        panic("%s", err.msg);
    a64_core_observe(cpu_core(t->cpu), observe, t);
    return t;
}

static void fill_registers(struct a64_cpu *c)
{
    const uint32_t one = 0x3f800000;
    const uint64_t wide = UINT64_C(0x3ff0000000000000);
    for (unsigned i = 0; i < 31; i++)
        c->x[i] = i;
    for (unsigned i = 0; i < 32; i++)
        c->v[i].d[0] = i < 16 ? one : wide;
    c->x[25] = CORE_DATA + 64;
    c->x[26] = CORE_DATA;
    c->x[27] = 0;
}

struct timed *timed_new(const char *settings, const uint32_t *words, unsigned n)
{
    static const uint32_t leave[] = {0xd2800000, 0xd2800ba8, 0xd4000001}; /* exit(0) */
    struct cpu_cfg *cfg = cfg_of(settings);
    struct a64_process *p = xcalloc(1, sizeof *p);
    const uint64_t self = CORE_DATA;
    for (unsigned i = 0; i < A64_FILES; i++)
        p->files[i].host = -1;
    p->root = -1;
    p->image = p->cpu.image = image_new(UINT64_C(1) << 26);
    if (cfg->memo.enabled)
        p->cpu.memo = memo_unit_new(&cfg->memo, cpu_cfg_way_sets(cfg));
    image_map(p->image, CORE_CODE, IMAGE_PAGE, IMAGE_R | IMAGE_X);
    image_map(p->image, CORE_DATA, 16 * IMAGE_PAGE, IMAGE_R | IMAGE_W);
    image_put(p->image, CORE_CODE, words, n * sizeof *words);
    image_put(p->image, CORE_CODE + n * sizeof *words, leave, sizeof leave);
    image_put(p->image, CORE_DATA, &self, sizeof self);
    fill_registers(&p->cpu);
    p->cpu.pc = CORE_CODE;
    return timed_of(cfg, p);
}

struct timed *timed_program(const char *settings, const char *name, uint64_t max_inst)
{
    struct err err = {0};
    struct cpu_cfg *cfg = cfg_of(settings);
    char *path = xasprintf("%s/a64/programs/%s", getenv("PARSIM_TESTS"), name);
    char *argv[] = {path};
    const struct a64_options o = {.path = path,
                                  .argv = argv,
                                  .argc = 1,
                                  .memo = &cfg->memo,
                                  .l2_way_sets = cpu_cfg_way_sets(cfg)};
    struct a64_process *p = a64_process_new(&o, &err);
    if (!p)
        panic("%s", err.msg);
    if (p->files[1].host >= 0) /* what it says is not the test's output */
        dup2(open("/dev/null", O_WRONLY), p->files[1].host);
    struct timed *t = timed_of(cfg, p);
    a64_core_limit(cpu_core(t->cpu), max_inst);
    free(path);
    return t;
}

void timed_run(struct timed *t)
{
    enum { SLICE = 1 << 20, MOST = 200 };
    struct err err = {0};
    cycle_t limit = 0;
    for (unsigned k = 0; k < MOST && !a64_core_is_done(cpu_core(t->cpu)); k++)
        if (!cpu_run(t->cpu, limit += SLICE, &err))
            panic("%s", err.msg);
    if (!a64_core_is_done(cpu_core(t->cpu)))
        panic("the program does not end");
}

void timed_free(struct timed *t)
{
    cpu_free(t->cpu);
    a64_process_free(t->process);
    cpu_cfg_free(t->cfg);
    free(t);
}

/* In front: slow divisions, behind which instructions gather, and two that wait for them and fill
 * a cycle. Behind: round again. */
void timed_sequence(const char *settings, const uint32_t *words, unsigned n, cycle_t *issues)
{
    static const uint32_t front[] = {0x1e751a94, 0x1e751a94, 0x1e751a94, /* fdiv d20, d20, d21 */
                                     0x9e660289,                         /* fmov x9, d20 */
                                     0x8b09012a, 0x8b09012b}; /* add x10 and x11, x9, x9 */
    enum { FRONT = ARRAY_LEN(front), ROUND = 2 };
    uint32_t code[CORE_WORDS];
    unsigned len = 0;
    code[len++] = 0xd280009c; /* mov x28, #4 */
    memcpy(code + len, front, sizeof front);
    memcpy(code + len + FRONT, words, n * sizeof *words);
    len += FRONT + n;
    code[len++] = 0xf100079c;                                           /* subs x28, x28, #1 */
    code[len] = 0x54000001 | ((uint32_t)(1 - (int)len) & 0x7ffff) << 5; /* b.ne */
    len++;
    struct timed *t = timed_new(settings, code, len);
    timed_run(t);
    for (unsigned k = 0; k < n; k++)
        issues[k] = t->issue[1 + FRONT + k][ROUND] - t->issue[1 + FRONT][ROUND];
    timed_free(t);
}
