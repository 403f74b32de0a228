/* Whole runs beside QEMU's: at a thousand breakpoints and more, all registers are equal. Half of
 * the stops are in the region of interest, spread over all of it; the others where the program
 * comes seldom. Skipped where QEMU is not installed. PARSIM_A64_PROGRAM is a program to take, with
 * its arguments. */
#include "a64/ops.h"
#include "a64/process.h"
#include "a64/support_pair.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

enum { STOPS = 1000, SPREAD = 600, SELDOM = 32, CODE_BYTES = 16 << 20, FAR_FROM_EXCLUSIVE = 24 };

#define CODE_START UINT64_C(0x400000)

/* Of an address of code: how often, and whether in the region of interest. */
struct site {
    uint32_t times;
    bool is_roi, is_stop;
};

struct plan {
    struct site *sites;
    uint64_t spread; /* the address that is met all over the region of interest */
    uint64_t every;  /* of its stops one is looked at */
    unsigned wanted;
};

static struct site *site_of(const struct plan *plan, uint64_t pc)
{
    return pc - CODE_START < CODE_BYTES ? &plan->sites[(pc - CODE_START) / 4] : NULL;
}

/* --- a first run, by ourselves: who is met how often --- */

static void count_run(struct plan *plan, char *const *argv, size_t argc)
{
    struct err err = {0};
    const struct a64_options o = {.path = argv[0], .argv = argv, .argc = argc};
    struct a64_process *p = a64_process_new(&o, &err);
    bool is_roi = false;
    if (!p)
        fail_msg("%s", err.msg);
    const int out = p->files[1].host;
    p->files[1].host = -1; /* what it writes is not looked at here */
    while (!p->cpu.stop.kind) {
        const struct a64_inst *i = a64_next(&p->cpu);
        struct site *s = site_of(plan, p->cpu.pc);
        if (!i)
            break;
        is_roi |= i->word == A64_BEGIN_WORD;
        is_roi &= i->word != A64_END_WORD;
        if (s) {
            s->times++;
            s->is_roi |= is_roi;
        }
        a64_execute(&p->cpu, i);
        a64_process_serve(p);
    }
    p->files[1].host = out;
    a64_process_free(p);
}

/* QEMU forgets exclusive accesses when it stops; behind a system call there is a breakpoint
 * already. */
static bool can_stop(struct image *m, uint64_t pc)
{
    enum { EXCLUSIVE = 0x3f000000, EXCLUSIVE_IS = 0x08000000, SVC = 0xd4000001 };
    for (uint64_t at = pc - 4 * FAR_FROM_EXCLUSIVE; at <= pc + 4 * FAR_FROM_EXCLUSIVE; at += 4) {
        uint32_t word = 0;
        if (image_peek(m, at, &word, 4) && (word & EXCLUSIVE) == EXCLUSIVE_IS)
            return false;
        if ((at == pc || at == pc - 4) && word == (uint32_t)SVC)
            return false;
    }
    return true;
}

/* The address of the region of interest that is met seldom enough, and often enough to be all over
 * it. */
static void choose_spread(struct plan *plan, struct image *m)
{
    uint32_t best = 0;
    for (uint64_t pc = CODE_START; pc < CODE_START + CODE_BYTES; pc += 4) {
        const struct site *s = site_of(plan, pc);
        const bool is_better =
            best < SPREAD ? s->times > best : s->times >= SPREAD && s->times < best;
        if (s->is_roi && is_better && can_stop(m, pc)) {
            best = s->times;
            plan->spread = pc;
        }
    }
    if (!best)
        return;
    site_of(plan, plan->spread)->is_stop = true;
    plan->every = best / SPREAD + 1;
    plan->wanted = best / (unsigned)plan->every;
}

static void choose(struct plan *plan, struct pair *p)
{
    struct rng rng = {21};
    choose_spread(plan, p->cpu.image);
    for (unsigned tries = 0; plan->wanted < STOPS + 100 && tries < 1 << 26; tries++) {
        const uint64_t pc = CODE_START + 4 * (uint64_t)rng_below(&rng, CODE_BYTES / 4);
        struct site *s = site_of(plan, pc);
        if (!s->times || s->times > SELDOM || s->is_stop || !can_stop(p->cpu.image, pc))
            continue;
        s->is_stop = true;
        plan->wanted += s->times;
    }
    for (uint64_t pc = CODE_START; pc < CODE_START + CODE_BYTES; pc += 4)
        if (site_of(plan, pc)->is_stop)
            gdb_break(&p->gdb, pc);
}

/* --- both --- */

/* Until a stop or a system call, from which both go on together; false: it has ended. */
static bool run_ours(const struct plan *plan, struct a64_cpu *c, bool *is_call)
{
    for (;;) {
        const struct a64_inst *i = a64_next(c);
        assert_non_null(i);
        a64_execute(c, i);
        *is_call = c->stop.kind == A64_SVC;
        if (c->stop.kind)
            return *is_call;
        const struct site *s = site_of(plan, c->pc);
        if (s && s->is_stop)
            return true;
    }
}

static bool go_behind_call(struct pair *p)
{
    struct a64_cpu *c = &p->cpu;
    uint64_t args[6];
    const uint64_t number = c->x[8];
    memcpy(args, c->x, sizeof args);
    if (!gdb_run_to(&p->gdb, c->pc + 4))
        return false;
    gdb_registers(&p->gdb, &p->theirs);
    pair_follow_call(p, args, number);
    return true;
}

static void compare(struct pair *p, unsigned stop)
{
    gdb_registers(&p->gdb, &p->theirs);
    for (unsigned v = 0; v < 32; v++)
        gdb_simd(&p->gdb, &p->theirs, v);
    if (!pair_is_same(p)) {
        pair_show(p, p->cpu.pc, 0);
        fail_msg("stop %u is different", stop);
    }
}

/* Whether a step can lead there from another stop: not from the one that is met most. */
static bool is_neighbour(const struct plan *plan, uint64_t pc)
{
    return pc != plan->spread || site_of(plan, pc - 4)->is_stop;
}

/* Stops at which all was equal. Behind each, both make a step. */
static unsigned walk(const struct plan *plan, struct pair *p)
{
    struct a64_cpu *c = &p->cpu;
    unsigned equal = 0;
    uint64_t met = 0;
    bool is_call, is_at_stop = false;
    while (run_ours(plan, c, &is_call)) {
        if (is_at_stop && !gdb_step(&p->gdb))
            break;
        is_at_stop = true; /* the next one may be the same address */
        if (is_call) {
            if (!go_behind_call(p))
                break;
            continue;
        }
        const bool is_near = is_neighbour(plan, c->pc);
        if (is_near) /* the step may have led to the next stop */
            gdb_registers(&p->gdb, &p->theirs);
        if (!(is_near && p->theirs.pc == c->pc) && !gdb_continue(&p->gdb))
            break;
        if (c->pc != plan->spread || met++ % plan->every == 0)
            compare(p, equal++);
    }
    return equal;
}

static void a_whole_run_has_equal_registers_at_a_thousand_breakpoints(void **state)
{
    (void)state;
    if (!gdb_is_there()) {
        print_message("qemu-aarch64 is not installed: nothing to compare with\n");
        skip();
    }
    const char *chosen = getenv("PARSIM_A64_PROGRAM");
    char *text = chosen ? xstrdup(chosen)
                        : xasprintf("%s/a64/programs/sketches-o2.elf", getenv("PARSIM_TESTS"));
    char *argv[8] = {0}, *save = NULL;
    size_t argc = 0;
    for (char *t = strtok_r(text, " ", &save); t && argc < 7; t = strtok_r(NULL, " ", &save))
        argv[argc++] = t;
    static struct pair p;
    struct plan plan = {.sites = xcalloc(CODE_BYTES / 4, sizeof *plan.sites), .every = 1};
    count_run(&plan, argv, argc);
    pair_start(&p, (const char *const *)argv);
    choose(&plan, &p);
    const unsigned n = walk(&plan, &p);
    print_message("%u stops of %u\n", n, plan.wanted);
    assert_true(n >= STOPS);
    pair_end(&p);
    free(plan.sites);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_run_has_equal_registers_at_a_thousand_breakpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
