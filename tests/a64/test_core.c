/* The core in time: sequences whose cycles were computed by hand, and what adds up in whole runs.
 */
#include "a64/support_core.h"
#include "energy/energy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

/* --- sequences --- */

static void issue_of(const char *what, const uint32_t *words, const int *expected, unsigned n)
{
    cycle_t issues[CORE_WORDS];
    timed_sequence("", words, n, issues);
    for (unsigned k = 0; k < n; k++)
        if (issues[k] != (cycle_t)expected[k])
            fail_msg("%s: word %u issues at %d, not at %d", what, k, (int)issues[k], expected[k]);
}

#define ISSUES(what, words, ...)                                \
    do {                                                        \
        static const int expected_[] = {__VA_ARGS__};           \
        issue_of(what, words, expected_, ARRAY_LEN(expected_)); \
    } while (0)

static void dependent_and_independent_sums(void **state)
{
    (void)state;
    static const uint32_t chain[] = {0x91000421, 0x91000421, 0x91000421,
                                     0x91000421}; /* add x1, x1 */
    static const uint32_t apart[] = {0x91000421, 0x91000442, 0x91000463, 0x91000484};
    ISSUES("four dependent", chain, 0, 1, 2, 3);
    ISSUES("four independent", apart, 0, 0, 1, 1);
}

static void loads_and_addresses(void **state)
{
    (void)state;
    /* ldr x12, [x26]; add x13, x12, x27; ldr x14, [x13]; ldr x15, [x14] */
    static const uint32_t chain[] = {0xf940034c, 0x8b1b018d, 0xf94001ae, 0xf94001cf};
    static const uint32_t apart[] = {0xf940034c, 0xf940034c, 0x91000421};
    /* ldr x12, [x26], #0; ldr x14, [x26], ... : the base that moves is an ALU's result */
    static const uint32_t moving[] = {0xf840074c, 0xf840074c};
    ISSUES("load, sum, loads", chain, 0, 2, 3, 7);
    ISSUES("one load a cycle", apart, 0, 1, 1);
    ISSUES("a base that moves", moving, 0, 1);
}

static void floats(void **state)
{
    (void)state;
    static const uint32_t sums[] = {0x1e220820, 0x1e222803, 0x1e222864}; /* fmul, fadd, fadd */
    static const uint32_t addend[] = {0x1f020020, 0x1f020020,
                                      0x1f020020}; /* fmadd s0, s1, s2, s0 */
    static const uint32_t factor[] = {0x1f020400, 0x1f020400,
                                      0x1f020400};                /* fmadd s0, s0, s2, s1 */
    static const uint32_t quotient[] = {0x1e221820, 0x1e222803};  /* fdiv s; fadd of it */
    static const uint32_t quotients[] = {0x1e621823, 0x1e621824}; /* fdiv d twice */
    ISSUES("product and sums", sums, 0, 4, 8);
    ISSUES("fused, by the addend", addend, 0, 5, 10);
    ISSUES("fused, by a factor", factor, 0, 6, 12);
    ISSUES("quotient and sum", quotient, 0, 10);
    ISSUES("the unit is busy", quotients, 0, 16);
}

static void products(void **state)
{
    (void)state;
    static const uint32_t words[] = {0x91000421, 0x9b017c22, 0x91000443}; /* add; mul; add */
    ISSUES("sum, product, sum", words, 0, 3, 5);
}

/* --- the hit path of a memoized region --- */

/* Six inputs from [x26], lookup s0, b.eq over the update; add, str, cmp, b.ne. */
static const uint32_t option[] = {
    0x03400341, 0x03480342, 0x03500343, 0x03580344, 0x03600345, 0x03680346, /* ld_crc s1.. */
    0xa34003e0, 0x54000040, 0xc340001f,              /* lookup, b.eq, update */
    0x91000421, 0xbd000320, 0xeb18003f, 0x54fffe81}; /* add x1, #1; str; cmp x1, x24; b.ne */

static void option_takes(const char *settings, cycle_t branch, cycle_t round)
{
    enum { LOADS = 0, BRANCH = 7, ADD = 9, STORE = 10, COMPARE = 11, AGAIN = 12, K = 18 };
    struct timed *t = timed_new(settings, option, ARRAY_LEN(option));
    timed_run(t);
    const cycle_t from = t->issue[LOADS][K];
    for (unsigned k = 0; k < 6; k++)
        assert_int_equal(t->issue[LOADS + k][K] - from, k);
    assert_int_equal(t->issue[6][K] - from, 5); /* beside the last input */
    assert_int_equal(t->issue[BRANCH][K] - from, branch);
    assert_int_equal(t->issue[ADD][K] - from, branch);
    assert_int_equal(t->issue[STORE][K] - from, branch + 1);
    assert_int_equal(t->issue[COMPARE][K] - from, branch + 1);
    assert_int_equal(t->issue[AGAIN][K] - from, branch + 2);
    assert_int_equal(t->issue[LOADS][K + 1] - from, round);
    timed_free(t);
}

static void a_memoized_option(void **state)
{
    (void)state;
    option_takes("memo.sample_every=0", 15, 17);
    option_takes("memo.sample_every=0 memo.crc_rate=1", 30, 32);
    option_takes("memo.sample_every=0 memo.l1_bytes=0 memo.l2_ways=8", 28, 30);
}

/* --- whole runs --- */

static uint64_t stalls_of(const struct a64_core_stats *s)
{
    return s->stall_front + s->stall_mispredict + s->stall_operand_int + s->stall_operand_fp +
           s->stall_operand_load + s->stall_unit + s->stall_memory_queue + s->stall_store_buffer +
           s->stall_memo_queue + s->stall_memo_wait;
}

static uint64_t classes_of(const struct a64_core_stats *s)
{
    return s->inst_alu + s->inst_mul + s->inst_div + s->inst_load + s->inst_store + s->inst_branch +
           s->inst_system + s->inst_fp + s->inst_fp_mul + s->inst_fp_div + s->inst_simd +
           s->inst_memo;
}

static char *text_of(const struct timed *t)
{
    char *text;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    struct stats *st = stats_new();
    cpu_add_stats(t->cpu, st);
    stats_write_csv(st, f);
    fclose(f);
    stats_free(st);
    return text;
}

static void sums_hold(void **state)
{
    (void)state;
    static const char *const programs[] = {"integers.elf", "memo.elf", "sketches-o2.elf",
                                           "rewrite.elf"};
    for (unsigned i = 0; i < ARRAY_LEN(programs); i++) {
        struct timed *t = timed_program("", programs[i], 200000);
        timed_run(t);
        const struct a64_core_stats *s = a64_core_stats(cpu_core(t->cpu));
        assert_int_equal(s->inst, classes_of(s));
        assert_int_equal(s->inst, t->process->cpu.inst);
        assert_int_equal(s->cycles, s->issue_cycles + stalls_of(s));
        assert_true(s->inst_load + s->memo_loads >=
                    a64_core_l1d_stats(cpu_core(t->cpu))->reads / 2);
        timed_free(t);
    }
}

/* The same bits in any order of ticks; without memo instructions the unit changes nothing. */
static void nothing_else_matters(void **state)
{
    (void)state;
    char *expected = NULL;
    for (unsigned k = 0; k < 4; k++) {
        struct timed *t =
            timed_program(k == 3 ? "memo.enabled=false" : "", "sketches-o3.elf", 150000);
        if (k == 1 || k == 2)
            cpu_shuffle(t->cpu, k);
        timed_run(t);
        char *text = text_of(t);
        if (expected)
            assert_string_equal(text, expected);
        else
            expected = xstrdup(text);
        free(text);
        timed_free(t);
    }
    free(expected);
}

/* --- the memoized and the forced program --- */

static const struct a64_core_stats *core_of(struct timed *t)
{
    return a64_core_stats(cpu_core(t->cpu));
}

static void forced_misses_cost_their_instructions(void **state)
{
    (void)state;
    struct timed *forced = timed_program("memo.force_miss=true", "memo.elf", 0);
    struct timed *hit = timed_program("", "memo.elf", 0);
    timed_run(forced);
    timed_run(hit);
    const struct memo_stats *m = &forced->process->cpu.memo->stats;
    assert_int_equal(m->lookups, 4000);
    assert_int_equal(m->updates, 4000);
    assert_int_equal(core_of(forced)->inst_memo, m->lookups + m->updates);
    assert_int_equal(core_of(forced)->memo_branches, m->lookups);
    assert_int_equal(core_of(forced)->memo_loads, m->inputs);
    assert_true(core_of(hit)->cycles * 3 < core_of(forced)->cycles);
    assert_true(core_of(hit)->stall_memo_wait > 0);
    timed_free(forced);
    timed_free(hit);
}

/* --- energy --- */

static void energy_of_a_lookup(void **state)
{
    (void)state;
    struct cpu_energy_cfg cfg;
    struct memo_cfg memo;
    struct memo_stats counted = {.inputs = 6, .crc_words = 6, .lookups = 1, .l1_hits = 1};
    struct stats *st = stats_new();
    conf_defaults(cpu_energy_fields, cpu_energy_nfields, &cfg);
    conf_defaults(memo_fields, memo_nfields, &memo);
    stats_add(st, "memo", memo_stat_rows, memo_nstat_rows, &counted);
    assert_int_equal(cpu_energy_of(&cfg, &memo, st, 0).memo, 30); /* 29.69 */
    cfg.scale = 0.8;
    assert_int_equal(cpu_energy_of(&cfg, &memo, st, 0).memo, 24); /* 23.75 */
    counted = (struct memo_stats){.inputs = 600, .crc_words = 600, .lookups = 100, .l1_hits = 100};
    assert_int_equal(cpu_energy_of(&cfg, &memo, st, 0).memo, 2375);
    assert_true(cpu_energy_lut_pj(4096) == 4.070 && cpu_energy_lut_pj(16384) == 9.043);
    const double both = 2 * cpu_energy_unit_mm2(16384); /* 0.1674, 2.09% of 8.0 */
    assert_true(both > 0.16739 && both < 0.16741);
    cfg.leakage_w = 0.5;
    assert_int_equal(cpu_energy_of(&cfg, &memo, st, 1e-6).leakage, 500000);
    stats_free(st);
}

/* No row names a counter that is not there. */
static void every_row_counts_something(const struct stats *st)
{
    static const struct energy_row rows[] = {
#define CHIP(component, name, pj, events, source) {#component, NULL, #name, pj, events, source},
#define BOARD(...)                                CHIP(__VA_ARGS__)
#include "a64/cpu_energy.def"
#undef CHIP
#undef BOARD
    };
    struct err err = {0};
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        if (!energy_check_row(&rows[i], st, &err))
            fail_msg("%s", err.msg);
}

static void energy_follows_what_was_done(void **state)
{
    (void)state;
    struct timed *t = timed_program("", "memo.elf", 0);
    struct stats *st = stats_new();
    timed_run(t);
    cpu_add_stats(t->cpu, st);
    memo_add_stats(t->process->cpu.memo, st);
    every_row_counts_something(st);
    const struct cpu_energy e = cpu_energy_of(&t->cfg->energy, &t->cfg->memo, st, 1);
    const struct a64_core_stats *s = core_of(t);
    assert_true(e.core >= s->inst * 49 && e.core <= s->inst * 70); /* 62 x 0.8, and units */
    assert_int_equal(
        e.l1d,
        (uint64_t)((double)a64_core_l1d_stats(cpu_core(t->cpu))->accesses * 17.8 * 0.8 + 0.5));
    assert_true(e.memo > 0 && e.dram >= UINT64_C(1824000000000)); /* four ranks, one second */
    stats_free(st);
    timed_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_and_independent_sums),
        cmocka_unit_test(loads_and_addresses),
        cmocka_unit_test(floats),
        cmocka_unit_test(products),
        cmocka_unit_test(a_memoized_option),
        cmocka_unit_test(sums_hold),
        cmocka_unit_test(nothing_else_matters),
        cmocka_unit_test(forced_misses_cost_their_instructions),
        cmocka_unit_test(energy_of_a_lookup),
        cmocka_unit_test(energy_follows_what_was_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
