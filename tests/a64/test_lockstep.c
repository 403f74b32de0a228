/* Our core and QEMU's, instruction by instruction from the same start: registers stay equal. What
 * the kernel answers is taken from QEMU. Skipped where QEMU is not installed. */
#include "a64/support_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

enum { STEPS = 100000, ALL_SIMD_EVERY = 1000 };

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
            pair_follow_call(p, args, number);
        ask_simd(p, word, i);
        if (!pair_is_same(p)) {
            pair_show(p, pc, word);
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
    pair_start(&p, argv);
    const unsigned n = walk(&p, STEPS);
    print_message("%u instructions\n", n);
    assert_true(chosen || n == STEPS);
    pair_end(&p);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_the_same_for_100000_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
