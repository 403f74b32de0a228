/* Assist warps on whole machines: every line that a routine makes is compared with the codec's
 * (gpu.verify), outputs are those of the machine without, counters add up, results depend on no
 * host thread. */
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

struct how {
    const char *machine, *with, *set;
    unsigned threads;
    uint64_t shuffle;
};

/* Words near each other, whole numbers, lines without a pattern; where the cases count, 0. */
static void fill(uint32_t *words)
{
    uint32_t x = 1;
    for (size_t i = 0; i < CASE_BYTES / 4; i++) {
        x = x * 1664525 + 1013904223;
        words[i] = i / 32 % 4 == 3   ? 0x3f800000 | x >> 9
                   : i / 32 % 4 == 2 ? x >> 28
                                     : 0x3f800000 + (uint32_t)(i & 31);
        if (i * 4 >= 0x80000)
            words[i] = 0;
    }
}

static void check_counts(const struct outcome *o)
{
    assert_true(outcome_stat(o, "assist", "triggered") ==
                outcome_stat(o, "assist", "finished") + outcome_stat(o, "assist", "killed") +
                    outcome_stat(o, "assist", "overflow") +
                    outcome_stat(o, "assist", "memory_busy") +
                    outcome_stat(o, "assist", "no_registers") + outcome_stat(o, "assist", "empty"));
    const double issued =
        outcome_stat(o, "assist", "issued_high") + outcome_stat(o, "assist", "issued_low");
    assert_true(issued == outcome_stat(o, "sm", "extra_inst"));
    assert_true(issued ==
                outcome_stat(o, "assist", "deployed") - outcome_stat(o, "assist", "flushed"));
    assert_true(outcome_stat(o, "assist", "verified") >=
                outcome_stat(o, "assist", "decoded") + outcome_stat(o, "assist", "encoded"));
    assert_true(outcome_stat(o, "assist", "active_cycles") <=
                outcome_stat(o, "assist", "instance_cycles"));
}

static struct outcome run(const struct gpu_case *c, const struct how *h)
{
    struct case_run t;
    char with[128];
    const char *const sets[] = {with, "gpu.verify=true", "l2.size=8K",
                                h->set ? h->set : "assist.throttle=true"};
    snprintf(with, sizeof with, "gpu.with=%s", h->with);
    case_open(&t, c, h->machine, sets, ARRAY_LEN(sets), h->threads ? h->threads : 1);
    if (h->shuffle)
        gpu_shuffle(t.gpu, h->shuffle);
    fill(devmem_ptr(t.buf->base));
    gpu_copied(t.gpu, t.buf->base, CASE_BYTES);
    case_run(&t);
    case_run(&t);
    invariants_check(t.gpu, h->with);
    struct outcome out = outcome_take(&t, true);
    if (strcmp(h->with, "base"))
        check_counts(&out);
    return out;
}

static void routines_make_what_the_codecs_make(void **state)
{
    (void)state;
    static const char *const designs[] = {"caba-bdi",       "caba-fpc",       "caba-cpack",
                                          "caba-bestofall", "caba-bdi-l1-2x", "caba-bdi-l2-2x",
                                          "caba-bdi-rawl2", "caba-bdi-direct"};
    static const char *const names[] = {"vecadd", "scatter", "local_memory"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct gpu_case *c = case_named(names[i]);
        struct outcome base = run(c, &(struct how){.machine = "gtx480", .with = "base"});
        for (size_t k = 0; k < ARRAY_LEN(designs); k++) {
            struct outcome o = run(c, &(struct how){.machine = "gtx480", .with = designs[k]});
            if (strcmp(designs[k], "caba-bdi-direct")) /* cuts out of lines without a routine */
                assert_true(outcome_stat(&o, "assist", "decoded") > 0);
            assert_memory_equal(o.data, base.data, CASE_BYTES);
            outcome_free(&o);
        }
        outcome_free(&base);
    }
}

static void results_depend_on_no_thread(void **state)
{
    (void)state;
    static const char *const with[] = {"caba-bestofall", "caba-bdi", "caba-bdi-l1-2x"};
    static const char *const names[] = {"scatter", "atomics", "vecadd"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct gpu_case *c = case_named(names[i]);
        struct how h = {.machine = "gtx480", .with = with[i], .set = "assist.awt_entries=8"};
        struct outcome one = run(c, &h);
        for (unsigned w = 0; w < 2; w++) {
            h.threads = w ? 4 : 2;
            h.shuffle = w ? 5 : 0;
            struct outcome o = run(c, &h);
            assert_string_equal(json_object_to_json_string(o.stats),
                                json_object_to_json_string(one.stats));
            assert_int_equal(o.cycles, one.cycles);
            assert_memory_equal(o.data, one.data, CASE_BYTES);
            outcome_free(&o);
        }
        outcome_free(&one);
    }
}

/* Beside other designs and alone. Words are the same, whatever comes earlier or is not computed. */
static void prefetching_and_memoization_change_no_result(void **state)
{
    (void)state;
    static const struct {
        const char *with, *name, *group, *counter;
    } ways[] = {
        {"caba-prefetch-stride", "strides", "assist", "finished"},
        {"caba-prefetch-stream", "strides", "l1", "prefetch_fetches"},
        {"caba-bdi,caba-prefetch-stride", "strides", "assist", "finished"},
        {"caba-prefetch-stream,hw-bdi,caba-prefetch-stride", "strides", "assist", "finished"},
        {"caba-memo", "memo", "assist", "memo_skips"},
        {"caba-memo,caba-bdi,caba-prefetch-stride", "memo", "assist", "memo_skips"},
    };
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        const struct gpu_case *c = case_named(ways[i].name);
        struct how h = {.machine = "gtx480", .with = "base", .set = "assist.prefetch_window=64"};
        struct outcome base = run(c, &h);
        h.with = ways[i].with;
        struct outcome one = run(c, &h);
        assert_memory_equal(one.data, base.data, CASE_BYTES);
        assert_true(outcome_stat(&one, ways[i].group, ways[i].counter) > 0);
        for (h.threads = 2; h.threads <= 4; h.threads += 2) {
            struct outcome o = run(c, &h);
            assert_string_equal(json_object_to_json_string(o.stats),
                                json_object_to_json_string(one.stats));
            assert_memory_equal(o.data, one.data, CASE_BYTES);
            outcome_free(&o);
        }
        outcome_free(&one);
        outcome_free(&base);
    }
}

/* Machines with sub-cores, sectors, meshes; a table of one row; one staged instruction a cycle. */
static void on_every_machine(void **state)
{
    (void)state;
    static const struct how ways[] = {
        {.machine = "gtx480-gpgpusim", .with = "caba-bdi", .set = "assist.awt_entries=1"},
        {.machine = "gtx580", .with = "caba-fpc", .set = "assist.deploy_width=1"},
        {.machine = "mesh56", .with = "caba-cpack", .set = "assist.awb_low_entries=1"},
        {.machine = "h200", .with = "caba-bdi", .set = "assist.throttle_idle=1"},
    };
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        const struct gpu_case *c = case_named("vecadd");
        struct outcome base = run(c, &(struct how){.machine = ways[i].machine, .with = "base"});
        struct outcome o = run(c, &ways[i]);
        assert_memory_equal(o.data, base.data, CASE_BYTES);
        assert_true(outcome_stat(&o, "assist", "decoded") > 0);
        outcome_free(&o);
        outcome_free(&base);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routines_make_what_the_codecs_make),
        cmocka_unit_test(results_depend_on_no_thread),
        cmocka_unit_test(prefetching_and_memoization_change_no_result),
        cmocka_unit_test(on_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
