/* Our core and QEMU's, instruction by instruction from the same start: registers stay equal. What
 * the kernel answers is taken from QEMU. Skipped where QEMU is not installed. */
#include "a64/cpu.h"
#include "a64/elf.h"
#include "a64/support_gdb.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

enum { STEPS = 100000, STACK = 8 << 20, ROUND = 512, ALL_SIMD_EVERY = 1000 };

struct pair {
    struct gdb gdb;
    struct gdb_registers theirs;
    struct a64_cpu cpu;
    struct elf_program program;
};

/* The stack is where QEMU has made it, with what is on it. */
static void copy_start(struct pair *p)
{
    struct a64_cpu *c = &p->cpu;
    const uint64_t sp = p->theirs.sp, page = sp & -(uint64_t)IMAGE_PAGE;
    uint8_t bytes[ROUND];
    assert_true(image_map(c->image, page - STACK, STACK + 64 * IMAGE_PAGE, IMAGE_R | IMAGE_W));
    for (uint64_t at = sp; gdb_memory(&p->gdb, at, bytes, ROUND); at += ROUND)
        image_put(c->image, at, bytes, ROUND);
    memcpy(c->x, p->theirs.x, sizeof p->theirs.x);
    c->x[A64_SP] = sp;
    c->pc = p->theirs.pc;
    c->nzcv = p->theirs.cpsr >> 28;
}

static void start(struct pair *p, const char *const *argv)
{
    struct err err;
    size_t len;
    *p = (struct pair){0};
    p->cpu.image = image_new(UINT64_C(1) << 30);
    char *bytes = file_read(argv[0], &len, &err);
    assert_non_null(bytes);
    assert_true(elf_load(&p->program, p->cpu.image, argv[0], (uint8_t *)bytes, len, &err));
    free(bytes);
    gdb_start(&p->gdb, argv);
    gdb_registers(&p->gdb, &p->theirs);
    copy_start(p);
}

static void end(struct pair *p)
{
    gdb_end(&p->gdb);
    elf_free(&p->program);
    image_free(p->cpu.image);
}

/* Memory that a call has made, or written: where its arguments point to is copied. */
static void follow_call(struct pair *p, const uint64_t *a, uint64_t number)
{
    enum { READ = 63, BRK = 214, MUNMAP = 215, MMAP = 222, MPROTECT = 226 };
    struct image *m = p->cpu.image;
    const uint64_t result = p->theirs.x[0], len = align_up(a[1], IMAGE_PAGE);
    uint8_t bytes[ROUND];
    if (number == BRK && a[0]) {
        const uint64_t first = align_up(p->program.end, IMAGE_PAGE);
        const uint64_t last = align_up(result, IMAGE_PAGE);
        for (uint64_t at = first; at < last; at += IMAGE_PAGE)
            if (image_is_free(m, at, IMAGE_PAGE))
                image_map(m, at, IMAGE_PAGE, IMAGE_R | IMAGE_W);
    } else if (number == MMAP && (int64_t)result > 0) {
        image_map(m, result, len, (unsigned)a[2] & 7);
    } else if (number == MUNMAP) {
        image_unmap(m, a[0], len);
    } else if (number == MPROTECT) {
        image_protect(m, a[0], len, (unsigned)a[2] & 7);
    } else {
        for (unsigned i = 0; i < 6; i++)
            if (gdb_memory(&p->gdb, a[i], bytes, number == READ ? a[2] % ROUND : ROUND))
                image_put(m, a[i], bytes, number == READ ? a[2] % ROUND : ROUND);
    }
    p->cpu.x[0] = result;
    p->cpu.pc += 4;
}

static bool is_same(const struct a64_cpu *c, const struct gdb_registers *r)
{
    return c->pc == r->pc && c->x[A64_SP] == r->sp && c->nzcv == r->cpsr >> 28 &&
           !memcmp(c->x, r->x, sizeof r->x) && !memcmp(c->v, r->v, sizeof r->v) &&
           c->fpsr == r->fpsr && c->fpcr == r->fpcr;
}

static void show(const struct pair *p, uint64_t pc, uint32_t word)
{
    const struct elf_symbol *s = elf_symbol_of(&p->program, pc);
    printf("behind 0x%llx (%s), word 0x%08x:\n", (unsigned long long)pc, s ? s->name : "?", word);
    for (unsigned i = 0; i < 31; i++)
        if (p->cpu.x[i] != p->theirs.x[i])
            printf("x%u is %llx, QEMU's %llx\n", i, (unsigned long long)p->cpu.x[i],
                   (unsigned long long)p->theirs.x[i]);
    for (unsigned i = 0; i < 32; i++)
        if (memcmp(&p->cpu.v[i], p->theirs.v[i], 16))
            printf("v%u is %016llx%016llx, QEMU's %016llx%016llx\n", i,
                   (unsigned long long)p->cpu.v[i].d[1], (unsigned long long)p->cpu.v[i].d[0],
                   (unsigned long long)p->theirs.v[i][1], (unsigned long long)p->theirs.v[i][0]);
    printf("pc %llx %llx, sp %llx %llx, nzcv %x %x, fpsr %x %x\n", (unsigned long long)p->cpu.pc,
           (unsigned long long)p->theirs.pc, (unsigned long long)p->cpu.x[A64_SP],
           (unsigned long long)p->theirs.sp, p->cpu.nzcv, p->theirs.cpsr >> 28, p->cpu.fpsr,
           p->theirs.fpsr);
}

/* SIMD registers are asked for one by one: the one that an instruction may have written, and all of
 * them now and then. */
static void ask_simd(struct pair *p, uint32_t word, unsigned step)
{
    const bool is_simd = (word >> 25 & 7) == 7 || ((word >> 25 & 5) == 4 && word >> 26 & 1);
    for (unsigned i = 0; i < 32; i++)
        if (step % ALL_SIMD_EVERY == 0 || (is_simd && (i == (word & 31) || i == (word >> 10 & 31))))
            gdb_simd(&p->gdb, &p->theirs, i);
        else
            memcpy(p->theirs.v[i], &p->cpu.v[i], 16);
    if (!is_simd && step % ALL_SIMD_EVERY) {
        p->theirs.fpsr = p->cpu.fpsr;
        p->theirs.fpcr = p->cpu.fpcr;
    }
}

/* QEMU loses what an exclusive load has seen when it is stepped: both run on until the store is
 * done. Returns whether there was such a load. */
static bool run_exclusive(struct a64_cpu *c, uint32_t word)
{
    enum { LOAD_OR_STORE = 0x3fc00000, LOAD = 0x08400000, STORE = 0x08000000, MOST = 16 };
    if ((word & LOAD_OR_STORE) != LOAD)
        return false;
    for (unsigned i = 0; i < MOST; i++) {
        image_peek(c->image, c->pc, &word, 4);
        if (c->monitor.bytes)
            a64_run(c, 1);
        if ((word & LOAD_OR_STORE) == STORE)
            break;
    }
    return true;
}

/* How many instructions were the same; the program may end before. */
static unsigned walk(struct pair *p, unsigned most)
{
    struct a64_cpu *c = &p->cpu;
    for (unsigned i = 0; i < most; i++) {
        const uint64_t pc = c->pc, number = c->x[8];
        uint64_t args[6];
        uint32_t word = 0;
        memcpy(args, c->x, sizeof args);
        image_peek(c->image, pc, &word, 4);
        a64_run(c, 1);
        const bool is_far = c->stop.kind == A64_SVC || run_exclusive(c, word);
        const uint64_t next = c->stop.kind == A64_SVC ? pc + 4 : c->pc;
        if (!(is_far ? gdb_run_to(&p->gdb, next) : gdb_step(&p->gdb)))
            return i;
        gdb_registers(&p->gdb, &p->theirs);
        if (c->stop.kind == A64_SVC)
            follow_call(p, args, number);
        ask_simd(p, word, i);
        if (!is_same(c, &p->theirs)) {
            show(p, pc, word);
            fail_msg("instruction %u differs", i);
        }
    }
    return most;
}

static void a_program_is_the_same_for_100000_instructions(void **state)
{
    (void)state;
    if (!gdb_is_there()) {
        print_message("qemu-aarch64 is not installed: nothing to compare with\n");
        skip();
    }
    const char *chosen = getenv("PARSIM_A64_PROGRAM");
    char *path = chosen ? xstrdup(chosen)
                        : xasprintf("%s/a64/programs/integers.elf", getenv("PARSIM_TESTS"));
    const char *const argv[] = {path, "one", "two", NULL};
    static struct pair p;
    start(&p, argv);
    const unsigned n = walk(&p, STEPS);
    print_message("%u instructions\n", n);
    assert_true(chosen || n == STEPS);
    end(&p);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_the_same_for_100000_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
