/* Techniques on whole machines: nothing is changed by one that changes nothing, outputs are those
 * of the machine without, results depend on no host thread, every burst is accounted for. */
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

enum { MAX_SETS = 16 };

/* A small L2, so that dirty lines are evicted; few metadata in their cache. */
static const char *const small_l2[] = {"l2.size=8K",       "hwcomp.md_size=256",
                                       "hwcomp.md_ways=2", "e2mc.md_size=256",
                                       "e2mc.md_ways=2",   "e2mc.sample_inst=2000"};

static double stat(struct gpu *g, const char *key)
{
    double v = 0;
    if (!stats_get(gpu_stats(g), key, &v))
        fail_msg("no statistic %s", key);
    return v;
}

/* What the controllers moved is what the technique let them move. */
static void check_bursts(struct gpu *g, const char *name)
{
    const double data = stat(g, "mc.burst_reads") + stat(g, "mc.burst_writes");
    const double form =
        stat(g, "cmem.read_bursts") + stat(g, "cmem.write_bursts") + stat(g, "cmem.raw_bursts");
    const double extra = stat(g, "cmem.md_misses") + stat(g, "cmem.rmw_bursts");
    const double blocks = stat(g, "cmem.reads") + stat(g, "cmem.writes");
    /* writes back may still be on their way: formed, not all sent */
    if (data > form || stat(g, "mc.extra_reads") > extra)
        fail_msg("%s: %g bursts moved, %g formed", name, data, form);
    if (stat(g, "mc.reads") + stat(g, "mc.writes") == stat(g, "mc.answers")) {
        assert_true(data == form);
        assert_true(stat(g, "mc.extra_reads") == extra);
        assert_true(stat(g, "mc.extra_writes") == stat(g, "cmem.md_write_backs"));
    }
    assert_true(stat(g, "cmem.blocks") == blocks);
    assert_true(stat(g, "cmem.code_bytes") <= stat(g, "cmem.mag_bytes"));
    assert_true(stat(g, "cmem.mag_bytes") <= stat(g, "cmem.block_bytes"));
}

static struct outcome run(const struct gpu_case *c, const char *machine, const char *with,
                          unsigned threads, uint64_t shuffle)
{
    struct case_run t;
    char name[64];
    const char *sets[MAX_SETS] = {name, "gpu.verify=true"};
    snprintf(name, sizeof name, "gpu.with=%s", with);
    memcpy(sets + 2, small_l2, sizeof small_l2);
    case_open(&t, c, machine, sets, 2 + ARRAY_LEN(small_l2), threads);
    if (shuffle)
        gpu_shuffle(t.gpu, shuffle);
    case_run(&t);
    case_run(&t);
    invariants_check(t.gpu, c->name);
    double any;
    if (stats_get(gpu_stats(t.gpu), "cmem.reads", &any))
        check_bursts(t.gpu, with);
    return outcome_take(&t, true);
}

static void changes_nothing(const struct gpu_case *c, const char *with, const struct outcome *base)
{
    static const char *const own[] = {"cmem", "wire_sm", "wire_l2", "ccache_l1", "ccache_l2"};
    struct outcome raw = run(c, "gtx480", with, 1, 0);
    struct json_object *groups = json_object_object_get(raw.stats, "groups");
    for (size_t k = 0; k < ARRAY_LEN(own); k++)
        json_object_object_del(groups, own[k]);
    outcome_assert_same(c, with, base, &raw);
    outcome_free(&raw);
}

static void blocks_as_they_are_change_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"vecadd",       "stencil", "atomics",
                                        "local_memory", "scatter", "textures"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct gpu_case *c = case_named(names[i]);
        struct outcome base = run(c, "gtx480", "base", 1, 0);
        changes_nothing(c, "ideal-raw,cc-l1-raw-2x,cc-l2-raw-4x", &base);
        outcome_free(&base);
    }
}

/* Whose results do not depend on the order in which blocks reach their atomics. */
static const char *const plain_cases[] = {"vecadd", "scatter", "local_memory"};

static void outputs_are_those_of_the_machine_without(void **state)
{
    (void)state;
    static const char *const with[] = {"hw-bdi-mem", "hw-fpc",    "hw-cpack",   "hw-bpc-mem",
                                       "hw-bestof",  "ideal-bdi", "hw-raw-mem", "e2mc"};
    for (size_t i = 0; i < ARRAY_LEN(plain_cases); i++) {
        const struct gpu_case *c = case_named(plain_cases[i]);
        struct outcome base = run(c, "gtx480", "base", 1, 0);
        for (size_t k = 0; k < ARRAY_LEN(with); k++) {
            struct outcome o = run(c, "gtx480", with[k], 1, 0);
            assert_memory_equal(o.data, base.data, CASE_BYTES);
            outcome_free(&o);
        }
        outcome_free(&base);
    }
}

static void results_depend_on_no_thread(void **state)
{
    (void)state;
    static const char *const with[] = {"hw-bdi,cc-l1-bdi-2x", "e2mc,cc-l2-cpack-4x"};
    static const char *const names[] = {"scatter", "atomics"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct gpu_case *c = case_named(names[i]);
        for (size_t k = 0; k < ARRAY_LEN(with); k++) {
            struct outcome one = run(c, "gtx480", with[k], 1, 0);
            const struct {
                unsigned threads;
                uint64_t shuffle;
            } ways[] = {{2, 0}, {4, 5}};
            for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
                struct outcome o = run(c, "gtx480", with[k], ways[w].threads, ways[w].shuffle);
                outcome_assert_same(c, with[k], &one, &o);
                outcome_free(&o);
            }
            outcome_free(&one);
        }
    }
}

/* Blocks of 4 bursts and of 2, sectored L1s and whole lines. */
static void on_every_machine(void **state)
{
    (void)state;
    static const char *const machines[] = {"gtx480", "gtx580", "mesh56", "gtx480-gscalar"};
    for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
        struct outcome o = run(case_named("vecadd"), machines[i], "hw-bdi", 1, 0);
        outcome_free(&o);
    }
}

static void fails(const char *with, bool at_build, const char *message)
{
    struct err err = {0};
    char set[64];
    const char *const sets[] = {set};
    snprintf(set, sizeof set, "gpu.with=%s", with);
    struct machine *m = machine_new("gtx480", sets, 1, &err);
    if (at_build) {
        assert_non_null(m);
        struct device *dev = machine_device(m, &err);
        assert_null(gpu_new(m, dev, 1, &err));
        device_free(dev);
    }
    if (!at_build)
        assert_null(m);
    assert_non_null(strstr(err.msg, message));
    machine_free(m);
}

static void bad_names_and_combinations_are_named(void **state)
{
    (void)state;
    fails("hw-bdy", false, "no technique 'hw-bdy'; there are: base, hw-bdi-mem");
    fails("hw-bdi,e2mc", true, "e2mc cannot be combined with hw-bdi");
    fails("e2mc ideal-fpc", true, "ideal-fpc cannot be combined with e2mc");
    struct err err = {0};
    const char *const sets[] = {"e2mc.ways=3"};
    assert_null(machine_new("gtx480", sets, 1, &err));
    assert_non_null(strstr(err.msg, "e2mc.ways: 3 is not 1, 2, 4 or 8"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_as_they_are_change_nothing),
        cmocka_unit_test(outputs_are_those_of_the_machine_without),
        cmocka_unit_test(results_depend_on_no_thread),
        cmocka_unit_test(on_every_machine),
        cmocka_unit_test(bad_names_and_combinations_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
