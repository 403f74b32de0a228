/* Data criticality on a whole machine: where it has nothing to cut or is told not to, nothing is
 * different; cut by need alone it is the machine with sectors; its counts add up; results depend on
 * no host thread; engines take their time. */
#include "eight_threads.h"
#include "support_invariants.h"
#include "support_outcome.h"

#include "gpu/observe.h"

#include <json-c/json.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_SETS = 16 };

static const char *const cases[] = {"vecadd", "stencil", "scatter", "atomics", "textures"};

/* A case on mesh56 with few SMs, twice; `sets` are separated by spaces. */
static struct outcome run(const char *name, const char *with, const char *sets, unsigned threads)
{
    struct case_run t;
    char text[512], *save = NULL;
    const char *list[MAX_SETS] = {text, "gpu.verify=true", "gpu.sms=6"};
    size_t n = 3;
    const int len = snprintf(text, sizeof text, "gpu.with=%s", with) + 1;
    snprintf(text + len, sizeof text - (size_t)len, "%s", sets);
    for (char *s = strtok_r(text + len, " ", &save); s; s = strtok_r(NULL, " ", &save))
        list[n++] = s;
    const struct gpu_case *c = case_named(name);
    case_open(&t, c, "mesh56", list, n, threads);
    struct observe *ports = observe_new(t.gpu, "ports");
    case_fill(&t);
    case_run(&t);
    case_run(&t);
    invariants_check(t.gpu, name);
    const struct outcome o = outcome_take(&t, false);
    observe_free(ports);
    return o;
}

/* Both are the same but for what is counted by the technique and what that costs. */
static void same(const char *name, struct outcome a, struct outcome b, const char *how)
{
    static const char *const own[] = {"filter", "filter_node", "energy"};
    struct outcome *both[] = {&a, &b};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < ARRAY_LEN(own); k++)
            json_object_object_del(json_object_object_get(both[i]->stats, "groups"), own[k]);
    outcome_assert_same(case_named(name), how, &a, &b);
    outcome_free(&a);
    outcome_free(&b);
}

/* --- nothing to do --- */

static void told_to_ask_for_lines_it_is_the_machine_without(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        same(cases[i], run(cases[i], "base", "", 1),
             run(cases[i], "df-raw", "filter.decide=full", 1), "df-raw, full");
    same("local_memory", run("local_memory", "base", "", 1),
         run("local_memory", "df-raw", "filter.decide=full", 1), "df-raw, full");
}

static void and_compressed_it_is_dpc(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        same(cases[i], run(cases[i], "dpc", "", 1),
             run(cases[i], "df-truc", "filter.decide=full", 1), "df-truc, full");
        same(cases[i], run(cases[i], "dpc", "", 1),
             run(cases[i], "df-man", "filter.decide=full", 1), "df-man, full");
    }
}

/* Lines that are there as a whole are as many as without more tags. */
static void more_tags_without_parts_change_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        same(cases[i], run(cases[i], "base", "", 1),
             run(cases[i], "df-raw", "filter.decide=full filter.tags=4", 1), "df-raw, tags");
}

/* Every load of vecadd needs all of its line. */
static void where_all_is_needed_nothing_is_cut(void **state)
{
    (void)state;
    static const char *const designs[] = {"df-raw", "df-truc", "df-man", "df-ideal"};
    static const char *const groups[] = {"l1", "l2", "mc", "dram"};
    static const char *const names[] = {"reads", "requests", "reads", "rd"};
    same("vecadd", run("vecadd", "base", "", 1), run("vecadd", "df-raw", "", 1), "df-raw");
    struct outcome base = run("vecadd", "base", "", 1);
    for (size_t i = 0; i < ARRAY_LEN(designs); i++) {
        struct outcome o = run("vecadd", designs[i], "", 1);
        for (size_t k = 0; k < ARRAY_LEN(groups); k++)
            assert_true(outcome_stat(&o, groups[k], names[k]) ==
                        outcome_stat(&base, groups[k], names[k]));
        assert_true(outcome_stat(&o, "l1", "sectors_asked") ==
                    outcome_stat(&base, "l1", "sectors_asked"));
        assert_true(outcome_stat(&o, "filter", "pdr") == 0);
        outcome_free(&o);
    }
    outcome_free(&base);
}

/* --- the twin: an L1 with sectors --- */

/* Not for local memory: the filter leaves it alone, an L1 with sectors does not. */
static void cut_by_need_alone_it_is_the_machine_with_sectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        same(cases[i], run(cases[i], "base", "l1.sectored=true l2.sectored=true", 1),
             run(cases[i], "df-raw",
                 "filter.decide=need filter.refill=append filter.wake=own filter.merge=false "
                 "filter.table=0 l2.sectored=true",
                 1),
             "df-raw, by need");
}

/* --- what adds up --- */

static double get(const struct outcome *o, const char *group, const char *name)
{
    return outcome_stat(o, group, name);
}

static double sum_of(const struct outcome *o, const char *group, const char *const *names)
{
    double sum = 0;
    for (; *names; names++)
        sum += get(o, group, *names);
    return sum;
}

static void check_counts(const struct outcome *o, const char *what, bool is_global)
{
    static const char *const misses[] = {"fm", "sub", "hi", NULL};
    static const char *const asked[] = {"pdr",     "predicted", "fdr_need", "fdr_ratio",
                                        "fdr_sub", "fdr_ica",   "fdr_full", NULL};
    static const char *const parts[] = {"pdr_1", "pdr_2", "pdr_3", "pdr_4", NULL};
    static const char *const arrived[] = {"entered", "absorbed", "overflow", NULL};
    static const char *const ends[] = {"read_hits", "read_merges", "read_sector_misses",
                                       "read_misses", NULL};
    const double all = sum_of(o, "filter", misses);
    if (all != sum_of(o, "filter", asked) || get(o, "filter", "pdr") != sum_of(o, "filter", parts))
        fail_msg("%s: requests do not add up", what);
    if (get(o, "l1", "reads") != sum_of(o, "l1", ends) ||
        get(o, "l1", "reads") != get(o, "filter", "map_reads"))
        fail_msg("%s: reads do not add up", what);
    if (is_global && (get(o, "filter", "fm") != get(o, "l1", "read_misses") ||
                      all != get(o, "l1", "read_misses") + get(o, "l1", "read_sector_misses") ||
                      get(o, "l1", "requests_read") !=
                          all + get(o, "filter", "split") + get(o, "l1", "bypasses")))
        fail_msg("%s: misses are not the L1's", what);
    if (get(o, "filter_node", "partial") != sum_of(o, "filter_node", arrived) ||
        get(o, "filter_node", "partial") + get(o, "filter_node", "whole") !=
            all + get(o, "filter", "split"))
        fail_msg("%s: requests at nodes do not add up", what);
    if (get(o, "filter_node", "overflow") == 0 &&
        get(o, "filter", "delivered") != get(o, "filter", "asked") + get(o, "filter_node", "extra"))
        fail_msg("%s: answers bring what nobody asked for", what);
}

static void counts_add_up(void **state)
{
    (void)state;
    static const char *const designs[] = {"df-raw", "df-truc", "df-man", "df-ideal", "df-fit"};
    static const char *const sets[] = {
        "filter.fill_flit=true",
        "filter.table=1 filter.window=1",
        "filter.refill=append filter.wake=own filter.decide=need",
        "filter.predict=load filter.refill=append filter.idle_queue=2",
        "filter.tags=3 filter.refill=append",
        "filter.critical_first=true filter.wake=own",
        "filter.man_fill=copy filter.learn=asked l2.sectored=true"};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (size_t k = 0; k < ARRAY_LEN(designs); k++) {
            char what[128];
            struct outcome o = run(cases[i], designs[k], sets[(i + k) % ARRAY_LEN(sets)], 1);
            snprintf(what, sizeof what, "%s, %s", cases[i], designs[k]);
            check_counts(&o, what, true);
            outcome_free(&o);
        }
    struct outcome o = run("local_memory", "df-truc", "", 1);
    check_counts(&o, "local_memory", false);
    outcome_free(&o);
}

static void the_bound_has_no_second_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct outcome o = run(cases[i], "df-ideal", "", 1);
        assert_true(get(&o, "filter", "sub") + get(&o, "filter", "hi") == 0);
        assert_true(get(&o, "filter_node", "partial") == 0);
        outcome_free(&o);
    }
}

/* Answers to reads of data, of code (whole lines, raw) and to writes are all that slices send. */
static void flits_of_replies_are_those_of_answers(void **state)
{
    (void)state;
    static const char *const designs[] = {"dpc", "df-raw", "df-truc", "df-man"};
    for (size_t k = 0; k < ARRAY_LEN(designs); k++) {
        struct outcome o = run("stencil", designs[k], "", 1);
        struct json_object *groups = json_object_object_get(o.stats, "groups");
        struct json_object *flits =
            json_object_object_get(json_object_object_get(groups, "filter_node"), "flits");
        const double sum = round(json_object_get_double(json_object_object_get(flits, "mean")) *
                                 json_object_get_double(json_object_object_get(flits, "count")));
        assert_true(sum > 0);
        assert_true(get(&o, "noc_slices", "in") ==
                    sum + get(&o, "l2", "writes") + 5 * get(&o, "l1i", "requests_read"));
        outcome_free(&o);
    }
}

/* The fields that our own designs fix, one by one. */
static void our_designs_are_the_thesis_with_fields_changed(void **state)
{
    (void)state;
    static const char sets[] = "filter.refill=append filter.wake=own filter.windows=first "
                               "filter.fill_flit=true filter.idle_queue=2";
    static const char *const names[] = {"df-idle", "df-fit"}, *const tags[] = {"",
                                                                               " filter.tags=4"};
    for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
        char all[256];
        snprintf(all, sizeof all, "%s%s", sets, tags[i % 2]);
        struct outcome ours = run(cases[i / 2], names[i % 2], "", 1);
        struct outcome same = run(cases[i / 2], "df-truc", all, 1);
        outcome_assert_same(case_named(cases[i / 2]), names[i % 2], &ours, &same);
        outcome_free(&ours);
        outcome_free(&same);
    }
}

/* --- results --- */

static void outputs_are_those_of_the_machine_without(void **state)
{
    (void)state;
    static const char *const plain[] = {"vecadd", "scatter"};
    static const char *const designs[] = {"dpc",    "df-raw",   "df-truc",  "df-man", "df-bpc",
                                          "df-fpc", "df-cpack", "df-ideal", "df-fit"};
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        struct outcome base = run(plain[i], "base", "", 1);
        for (size_t k = 0; k < ARRAY_LEN(designs); k++) {
            struct outcome o = run(plain[i], designs[k], "", 1);
            assert_memory_equal(o.data, base.data, CASE_BYTES);
            outcome_free(&o);
        }
        outcome_free(&base);
    }
}

static void results_depend_on_no_thread(void **state)
{
    (void)state;
    static const struct {
        const char *name, *design, *sets;
    } rows[] = {{"scatter", "df-truc", "filter.table=2"},
                {"atomics", "df-truc", "filter.table=2"},
                {"scatter", "df-fit", "l2.sectored=true filter.critical_first=true"},
                {"textures", "df-idle,cc-l2-bdi-2x", "filter.window=1"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (unsigned threads = 2; threads <= 4; threads += 2) {
            struct outcome one = run(rows[i].name, rows[i].design, rows[i].sets, 1);
            struct outcome many = run(rows[i].name, rows[i].design, rows[i].sets, threads);
            outcome_assert_same(case_named(rows[i].name), "threads", &one, &many);
            outcome_free(&one);
            outcome_free(&many);
        }
}

/* --- one line: requests that meet, engines --- */

static const char load[] = KERNEL(LOAD), two_loads[] = KERNEL(LOAD OTHER);

struct measured {
    cycle_t second; /* cycles of the second launch, which finds all in the L2 */
    double partial, absorbed, overflow, answers_4, lookups, decoded, space;
    double answers, flits; /* of a launch: both have the same */
    double entries, sent;  /* of the first launch: on the mean in use; flits */
};

/* Eight threads read a sub-block of a line; `line` is what is in it. */
static struct measured measure(const char *text, const char *with, const char *set, uint32_t step)
{
    const struct gpu_case c = eight_threads(text);
    char name[64];
    snprintf(name, sizeof name, "gpu.with=%s", with);
    const char *sets[] = {"gpu.sms=1", name, "gpu.verify=true", set};
    struct measured m = {0};
    struct case_run t;
    case_open(&t, &c, "mesh56", sets, *set ? 4 : 3, 1);
    uint32_t *words = devmem_ptr(t.buf->base);
    for (uint32_t i = 0; i < 32; i++)
        words[i] = step * (i + 1);
    case_run(&t);
    const cycle_t first = gpu_cycles(t.gpu);
    stats_get(gpu_stats(t.gpu), "filter_node.partial", &m.partial);
    stats_get(gpu_stats(t.gpu), "filter_node.absorbed", &m.absorbed);
    stats_get(gpu_stats(t.gpu), "filter_node.out_4", &m.answers_4);
    stats_get(gpu_stats(t.gpu), "l2.requests", &m.lookups);
    stats_get(gpu_stats(t.gpu), "filter_node.occupancy", &m.entries);
    stats_get(gpu_stats(t.gpu), "filter_node.answers", &m.answers);
    stats_get(gpu_stats(t.gpu), "filter_node.flits", &m.flits);
    m.sent = m.flits * m.answers;
    case_run(&t);
    stats_get(gpu_stats(t.gpu), "filter.decoded", &m.decoded);
    stats_get(gpu_stats(t.gpu), "filter_node.answers", &m.answers);
    stats_get(gpu_stats(t.gpu), "filter_node.flits", &m.flits);
    m.answers /= 2;
    m.flits *= m.answers;
    m.second = gpu_cycles(t.gpu) - first;
    case_close(&t);
    return m;
}

/* Sub-block 0 misses the L2; the rest is asked for while it is there: one answer with the line, of
 * five flits, where two are of two and of four. */
static void a_second_request_comes_back_with_the_first(void **state)
{
    (void)state;
    const struct measured base = measure(two_loads, "base", "", 1);
    const struct measured m = measure(two_loads, "df-raw", "", 1);
    const struct measured apart = measure(two_loads, "df-raw", "filter.merge=false", 1);
    assert_true(m.partial == 2 && m.absorbed == 1 && m.answers_4 == 1 && m.entries == 1);
    assert_true(m.lookups == base.lookups);
    assert_true(apart.partial == 2 && apart.absorbed == 0 && apart.lookups == base.lookups + 1);
    assert_true(apart.answers == m.answers + 1 && apart.sent == m.sent + 1);
}

/* The parameter and the line, one behind the other, pass the compressor: 20 cycles of the
 * interconnect are 20 of the core. */
static void a_compressor_takes_its_time(void **state)
{
    (void)state;
    const struct measured soon = measure(load, "dpc", "filter.compress_cycles=0", 1);
    const struct measured late = measure(load, "dpc", "filter.compress_cycles=20", 1);
    assert_int_equal(late.second - soon.second, 2 * 20);
}

/* One behind the other, the parameter's line and the load's are each later by 2 for the compressor
 * and, if they came encoded, by 2 for the decompressor, and sooner by the flits of 5 that they do
 * not take: 1 cycle later with 2 flits, 2 with a raw answer. */
static void a_lone_hit_is_as_late_as_engines_and_flits_say(void **state)
{
    (void)state;
    static const uint32_t steps[] = {1, 0x9e3779b9};
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        const struct measured base = measure(load, "base", "", steps[i]);
        const struct measured m = measure(load, "dpc", "", steps[i]);
        const double later = 2 * m.answers + m.decoded - (5 * m.answers - m.flits);
        assert_true(m.answers == 2);
        assert_int_equal(m.second - base.second, (int)later);
    }
}

/* Only what came encoded is decoded: the parameter's line, and of the loads' the one with a
 * pattern.
 */
static void a_decompressor_takes_its_time_for_what_came_encoded(void **state)
{
    (void)state;
    static const uint32_t steps[] = {1, 0x9e3779b9};
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        const struct measured soon = measure(load, "dpc", "filter.decompress_cycles=1", steps[i]);
        const struct measured late = measure(load, "dpc", "filter.decompress_cycles=31", steps[i]);
        assert_true(late.decoded == soon.decoded);
        assert_int_equal(late.second - soon.second, 30 * (int)late.decoded / 2);
    }
    const struct measured numbers = measure(load, "dpc", "", steps[0]);
    const struct measured mixed = measure(load, "dpc", "", steps[1]);
    assert_true(numbers.decoded == mixed.decoded + 2); /* one a launch */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_to_ask_for_lines_it_is_the_machine_without),
        cmocka_unit_test(and_compressed_it_is_dpc),
        cmocka_unit_test(more_tags_without_parts_change_nothing),
        cmocka_unit_test(where_all_is_needed_nothing_is_cut),
        cmocka_unit_test(cut_by_need_alone_it_is_the_machine_with_sectors),
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(the_bound_has_no_second_requests),
        cmocka_unit_test(flits_of_replies_are_those_of_answers),
        cmocka_unit_test(our_designs_are_the_thesis_with_fields_changed),
        cmocka_unit_test(outputs_are_those_of_the_machine_without),
        cmocka_unit_test(results_depend_on_no_thread),
        cmocka_unit_test(a_second_request_comes_back_with_the_first),
        cmocka_unit_test(a_compressor_takes_its_time),
        cmocka_unit_test(a_lone_hit_is_as_late_as_engines_and_flits_say),
        cmocka_unit_test(a_decompressor_takes_its_time_for_what_came_encoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
