/* caba-adaptive on whole machines: off, it is the machine without; on, or switched again and again,
 * outputs are those of the machine without, every line is what the codec makes of it, and results
 * depend on no host thread. */
#include "gpu/support_outcome.h"
#include "support_invariants.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_SETS = 16, LAUNCHES = 3 };

static const char *const never[] = {"caba.on_share=100", NULL};
static const char *const always[] = {"caba.on_share=0",    "caba.off_share=0",     "caba.window=64",
                                     "gpu.look_cycles=64", "caba.trial_windows=0", NULL};
/* Every trial is lost. */
static const char *const now_and_then[] = {
    "caba.on_share=0.02",   "caba.off_share=0",   "caba.window=64",      "gpu.look_cycles=64",
    "caba.trial_windows=1", "caba.trial_gain=10", "caba.hold_windows=1", NULL};

static struct json_object *group(const struct outcome *o, const char *name)
{
    return json_object_object_get(json_object_object_get(o->stats, "groups"), name);
}

static struct outcome run_times(const char *name, const char *with, const char *const *how,
                                unsigned threads, int launches)
{
    struct case_run t;
    char design[64];
    const char *sets[MAX_SETS] = {design, "gpu.verify=true", "l2.size=8K"};
    size_t n = 3;
    snprintf(design, sizeof design, "gpu.with=%s", with);
    while (how && *how)
        sets[n++] = *how++;
    case_open(&t, case_named(name), "gtx480", sets, n, threads);
    case_fill(&t);
    for (int i = 0; i < launches; i++)
        case_run(&t);
    invariants_check(t.gpu, with);
    return outcome_take(&t, false);
}

static struct outcome run(const char *name, const char *with, const char *const *how,
                          unsigned threads)
{
    return run_times(name, with, how, threads, LAUNCHES);
}

/* But for registers, of which spare ones are taken. */
static void assert_same_group(const struct outcome *a, const struct outcome *b, const char *name)
{
    json_object_object_foreach(group(a, name), key, value)
    {
        struct json_object *other = json_object_object_get(group(b, name), key);
        if (strncmp(key, "register", 8) &&
            strcmp(json_object_to_json_string(value), json_object_to_json_string(other)))
            fail_msg("%s.%s: %s, without %s", name, key, json_object_to_json_string(other),
                     json_object_to_json_string(value));
    }
}

static const char *const cases[] = {"vecadd", "scatter", "atomics", "stencil"};

static void off_it_is_the_machine_without(void **state)
{
    (void)state;
    static const char *const same[] = {"sm", "l2", "mc", "dram", "noc_request", "noc_reply"};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct outcome base = run(cases[i], "base", NULL, 1);
        struct outcome off = run(cases[i], "caba-adaptive", never, 1);
        assert_int_equal(base.cycles, off.cycles);
        assert_memory_equal(base.data, off.data, CASE_BYTES);
        for (size_t k = 0; k < ARRAY_LEN(same); k++)
            assert_same_group(&base, &off, same[k]);
        assert_true(outcome_stat(&off, "caba_adapt", "windows_on") == 0);
        assert_true(outcome_stat(&off, "l1", "coded_fills") +
                        outcome_stat(&off, "l1", "coded_stores") ==
                    0);
        assert_true(
            outcome_stat(&off, "cmem", "md_hits") + outcome_stat(&off, "cmem", "md_misses") == 0);
        outcome_free(&base);
        outcome_free(&off);
    }
}

static void outputs_are_those_of_the_machine_without(void **state)
{
    (void)state;
    double coded = 0, verified = 0;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct outcome base = run(cases[i], "base", NULL, 1);
        struct outcome on = run(cases[i], "caba-adaptive", always, 1);
        struct outcome both = run(cases[i], "caba-adaptive", now_and_then, 1);
        assert_memory_equal(base.data, on.data, CASE_BYTES);
        assert_memory_equal(base.data, both.data, CASE_BYTES);
        assert_true(outcome_stat(&on, "caba_adapt", "windows_on") > 0);
        assert_true(outcome_stat(&on, "caba_adapt", "switched_off") == 0);
        coded += outcome_stat(&on, "l1", "coded_fills");
        verified += outcome_stat(&on, "assist", "verified");
        assert_true(outcome_stat(&both, "caba_adapt", "windows_off") > 0);
        assert_true(outcome_stat(&both, "caba_adapt", "trials_lost") > 0);
        assert_true(outcome_stat(&both, "caba_adapt", "fills_off") <=
                    outcome_stat(&both, "l1", "coded_fills"));
        assert_true(outcome_stat(&both, "caba_adapt", "pieces_bdi") +
                        outcome_stat(&both, "caba_adapt", "pieces_fpc") +
                        outcome_stat(&both, "caba_adapt", "pieces_cpack") >
                    0);
        outcome_free(&base);
        outcome_free(&on);
        outcome_free(&both);
    }
    assert_true(coded > 0 && verified >= coded);
}

/* Its caches are cold at first, which is not what it needs; the next launch is on from the start.
 */
static void a_kernel_is_off_while_it_begins(void **state)
{
    (void)state;
    static const char *const eager[] = {"caba.on_share=0.01", "caba.off_share=0",   "caba.weight=1",
                                        "caba.window=256",    "gpu.look_cycles=64", NULL};
    struct outcome once = run_times("vecadd", "caba-adaptive", eager, 1, 1);
    struct outcome twice = run_times("vecadd", "caba-adaptive", eager, 1, 2);
    const double off = outcome_stat(&once, "caba_adapt", "windows_off");
    assert_true(off >= 3); /* the third is the first that counts */
    assert_true(outcome_stat(&once, "caba_adapt", "windows_on") > 0);
    assert_true(outcome_stat(&twice, "caba_adapt", "windows_off") == off);
    outcome_free(&once);
    outcome_free(&twice);
}

static void results_depend_on_no_thread(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct outcome one = run(cases[i], "caba-adaptive", now_and_then, 1);
        for (unsigned threads = 2; threads <= 4; threads += 2) {
            struct outcome o = run(cases[i], "caba-adaptive", now_and_then, threads);
            assert_int_equal(one.cycles, o.cycles);
            assert_memory_equal(one.data, o.data, CASE_BYTES);
            assert_string_equal(json_object_to_json_string(one.stats),
                                json_object_to_json_string(o.stats));
            outcome_free(&o);
        }
        outcome_free(&one);
    }
}

/* Few spare registers, and stores that would keep them: lines that are waited for go first. */
static void few_spare_registers_are_enough(void **state)
{
    (void)state;
    double spare = 0, coded = 0;
    for (int registers = 5120; registers <= 16384; registers += 1024) {
        char set[32];
        snprintf(set, sizeof set, "sm.registers=%d", registers);
        const char *const how[] = {"caba.on_share=0",
                                   "caba.off_share=0",
                                   "caba.window=64",
                                   "gpu.look_cycles=64",
                                   "caba.trial_windows=0",
                                   "caba.spare_instances=1",
                                   "assist.throttle_use=0",
                                   "assist.throttle_idle=0.9",
                                   set,
                                   NULL};
        struct outcome base = run("stencil", "base", how + 8, 1);
        struct outcome o = run("stencil", "caba-adaptive", how, 1);
        assert_memory_equal(base.data, o.data, CASE_BYTES);
        spare += outcome_stat(&o, "caba_adapt", "launches_spare");
        coded += outcome_stat(&o, "l1", "coded_fills");
        outcome_free(&base);
        outcome_free(&o);
    }
    assert_true(spare > 0 && coded > 0);
}

/* Registers of every thread cost blocks here, and no instance finds spare ones: a launch begins
 * without, gets them with the blocks that begin when it was seen to need them, and loses them with
 * the trial. */
static void blocks_that_begin_later_have_registers(void **state)
{
    (void)state;
    double changed = 0, on = 0;
    for (int registers = 5120; registers <= 16384; registers += 1024) {
        char set[32];
        snprintf(set, sizeof set, "sm.registers=%d", registers);
        const char *const how[] = {"caba.on_share=0.02",
                                   "caba.off_share=0",
                                   "caba.window=64",
                                   "gpu.look_cycles=64",
                                   "caba.trial_gain=10",
                                   "caba.trial_windows=4",
                                   "caba.hold_windows=2",
                                   "caba.spare_instances=64",
                                   set,
                                   NULL};
        struct outcome base = run("stencil", "base", how + 8, 1);
        struct outcome o = run("stencil", "caba-adaptive", how, 1);
        struct outcome threads = run("stencil", "caba-adaptive", how, 2);
        assert_memory_equal(base.data, o.data, CASE_BYTES);
        assert_int_equal(o.cycles, threads.cycles);
        changed += outcome_stat(&o, "caba_adapt", "places_changed");
        on += outcome_stat(&o, "caba_adapt", "windows_on");
        outcome_free(&base);
        outcome_free(&o);
        outcome_free(&threads);
    }
    assert_true(changed > 0 && on > 0);
}

/* Every trial is won here by data, though instructions may be fewer; without trials nobody looks.
 */
static void fewer_instructions_are_noticed(void **state)
{
    (void)state;
    const char *how[] = {
        "caba.on_share=0.02", "caba.off_share=0",     "caba.window=64",    "gpu.look_cycles=64",
        "caba.trial_gain=-1", "caba.trial_windows=4", "caba.weight=0.002", NULL};
    static const char *const names[] = {"strides", "local_memory"};
    double checks = 0;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct outcome base = run(names[i], "base", NULL, 1);
        how[5] = "caba.trial_windows=4";
        struct outcome o = run(names[i], "caba-adaptive", how, 1);
        struct outcome threads = run(names[i], "caba-adaptive", how, 2);
        how[5] = "caba.trial_windows=0";
        struct outcome untried = run(names[i], "caba-adaptive", how, 1);
        assert_memory_equal(base.data, o.data, CASE_BYTES);
        assert_int_equal(o.cycles, threads.cycles);
        const double n = outcome_stat(&o, "caba_adapt", "checks");
        assert_true(n == 0 || outcome_stat(&o, "caba_adapt", "windows_off") >
                                  outcome_stat(&untried, "caba_adapt", "windows_off"));
        assert_true(outcome_stat(&untried, "caba_adapt", "checks") == 0);
        checks += n;
        outcome_free(&base);
        outcome_free(&o);
        outcome_free(&threads);
        outcome_free(&untried);
    }
    assert_true(checks > 0);
}

/* Warps that an SM has at a time. */
static double warps_of(const struct outcome *o)
{
    return outcome_stat(o, "sm", "warp_cycles") / outcome_stat(o, "sm", "busy_cycles");
}

/* caba-bdi: where registers of every thread would cost blocks, assist warps share those that no
 * block can have, and one instance's are enough. */
static void blocks_are_kept(void **state)
{
    (void)state;
    unsigned kept = 0;
    for (int registers = 7168; registers <= 15360; registers += 2048) {
        char set[32];
        snprintf(set, sizeof set, "sm.registers=%d", registers);
        const char *const how[] = {"caba.spare_instances=1", set, NULL};
        const char *const not_kept[] = {"caba.keep_blocks=false", set, NULL};
        struct outcome base = run("stencil", "base", how + 1, 1);
        struct outcome with = run("stencil", "caba-bdi", how, 1);
        struct outcome without = run("stencil", "caba-bdi", not_kept, 1);
        assert_memory_equal(base.data, with.data, CASE_BYTES);
        assert_memory_equal(base.data, without.data, CASE_BYTES);
        kept += warps_of(&with) > 1.1 * warps_of(&without);
        outcome_free(&base);
        outcome_free(&with);
        outcome_free(&without);
    }
    assert_true(kept > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_it_is_the_machine_without),
        cmocka_unit_test(outputs_are_those_of_the_machine_without),
        cmocka_unit_test(a_kernel_is_off_while_it_begins),
        cmocka_unit_test(results_depend_on_no_thread),
        cmocka_unit_test(few_spare_registers_are_enough),
        cmocka_unit_test(blocks_that_begin_later_have_registers),
        cmocka_unit_test(fewer_instructions_are_noticed),
        cmocka_unit_test(blocks_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
