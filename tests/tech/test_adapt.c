/* The decisions of caba-adaptive from measured facts, and lines of which memory has two forms. */
#include "support_memory.h"
#include "tech/caba/adapt.h"
#include "tech/caba/adapt_rules.h"
#include "tech/caba/caba_form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_algorithm_that_pays_is_taken(void **state)
{
    (void)state;
    const uint32_t cost[] = {16, 34, 28};
    const struct adapt_sample better = {100, {100, 100, 100}, {100, 100, 200}};
    assert_int_equal(adapt_algorithm(&better, 3, cost, 32, 0.05, 4), 2);
    const struct adapt_sample equal = {100, {50, 50, 50}, {100, 100, 100}};
    assert_int_equal(adapt_algorithm(&equal, 3, cost, 32, 0.05, 4), 0); /* the cheapest */
    /* 10 bursts more do not pay for 12 instructions a line */
    const struct adapt_sample close = {100, {100, 0, 100}, {200, 0, 210}};
    assert_int_equal(adapt_algorithm(&close, 3, cost, 32, 0.05, 4), 0);
    const struct adapt_sample costly = {100, {100, 100, 100}, {100, 100, 100}};
    assert_int_equal(adapt_algorithm(&costly, 3, cost, 16, 0.05, 4), ADAPT_RAW);
    const struct adapt_sample few = {100, {5, 5, 5}, {19, 19, 19}};
    assert_int_equal(adapt_algorithm(&few, 3, cost, 32, 0.05, 4), ADAPT_RAW);
    assert_int_equal(adapt_algorithm(&few, 3, cost, 32, 0.04, 4), 0);
    assert_int_equal(adapt_algorithm(&(struct adapt_sample){0}, 3, cost, 32, 0, 4), ADAPT_RAW);
}

static void a_launch_that_begins_says_nothing(void **state)
{
    (void)state;
    assert_false(adapt_is_telling(false, 6143, 2048));
    assert_true(adapt_is_telling(false, 6144, 2048));
    assert_true(adapt_is_telling(true, 2048, 2048)); /* what is on may go off at any time */
}

static void the_switch_has_two_thresholds(void **state)
{
    (void)state;
    assert_false(adapt_is_on(false, 0.5, 0.55, 0.45));
    assert_true(adapt_is_on(true, 0.5, 0.55, 0.45));
    assert_true(adapt_is_on(false, 0.55, 0.55, 0.45));
    assert_false(adapt_is_on(true, 0.44, 0.55, 0.45));
    const struct adapt_need by[] = {{0.7, 0.2, 0.1}, {0.2, 0.7, 0.1}, {0.2, 0.1, 0.7}};
    for (size_t i = 0; i < ARRAY_LEN(by); i++)
        assert_true(adapt_need_most(&by[i]) == 0.7);
    assert_true(adapt_gains(0.6, 0.66, 0.05));
    assert_false(adapt_gains(0.6, 0.62, 0.05));
    double mean = 0;
    for (int i = 0; i < 3; i++)
        adapt_mean(&mean, 1, 0.5);
    assert_true(mean == 0.875);
}

static struct adapt_series series(double a, double b, double c)
{
    struct adapt_series s = {0};
    adapt_note(&s, a);
    adapt_note(&s, b);
    adapt_note(&s, c);
    return s;
}

/* Means of 100 and 106 with errors of 1 and 2: two of their difference are 4.5; and where windows
 * differ more, nothing is known. */
static void a_check_is_lost_by_more_than_chance(void **state)
{
    (void)state;
    const double one = 1.7320508, two = 2 * one; /* their error is 1 and 2 */
    const struct adapt_series on = series(100 - one, 100, 100 + one);
    const struct adapt_series off = series(106 - two, 106, 106 + two);
    const struct adapt_series near = series(104 - two, 104, 104 + two);
    const struct adapt_series wild = series(60, 106, 152);
    assert_true(adapt_is_slower(&on, &off));
    assert_false(adapt_is_slower(&on, &near));
    assert_false(adapt_is_slower(&on, &wild));
    assert_false(adapt_is_slower(&off, &on));
    assert_false(adapt_is_slower(&on, &on));
    const struct adapt_series one_window = {1, 200, 40000};
    assert_false(adapt_is_slower(&on, &one_window));
    struct adapt_series aged = off;
    adapt_age(&aged, 3);
    assert_true(aged.n == 3);
    adapt_age(&aged, 2);
    assert_true(aged.n == 1.5 && aged.sum == off.sum / 2 && aged.squares == off.squares / 2);
}

static struct adapt_series series_of(double a, double b, double c)
{
    struct adapt_series s = {0};
    adapt_note(&s, a);
    adapt_note(&s, b);
    adapt_note(&s, c);
    return s;
}

static void a_program_that_changes_by_itself_keeps_it(void **state)
{
    (void)state;
    const struct adapt_series ten = series_of(9.9, 10, 10.1), twelve = series_of(11.9, 12, 12.1),
                              fourteen = series_of(13.9, 14, 14.1);
    assert_true(adapt_is_lost(&ten, &twelve, &ten));
    assert_false(adapt_is_lost(&ten, &twelve, &fourteen)); /* it does more and more */
    assert_false(adapt_is_lost(&fourteen, &twelve, &ten)); /* less and less */
    assert_false(adapt_is_lost(&twelve, &ten, &twelve));
}

static void registers_come_from_where_they_cost_no_block(void **state)
{
    (void)state;
    const struct adapt_room nothing_lost = {6, 6, 0, false}, spare = {6, 4, 8, false},
                            tight = {6, 4, 7, false}, full = {6, 4, 0, false},
                            too_large = {1, 0, 0, false}, whole = {6, 4, 0, true};
    assert_int_equal(adapt_place(&nothing_lost, 8, false, false), ADAPT_WARPS);
    assert_int_equal(adapt_place(&spare, 8, true, true), ADAPT_SPARE);
    assert_int_equal(adapt_place(&tight, 8, false, true), ADAPT_NOWHERE);
    assert_int_equal(adapt_place(&tight, 8, true, false), ADAPT_WARPS);
    assert_int_equal(adapt_place(&full, 8, false, false), ADAPT_NOWHERE);
    assert_int_equal(adapt_place(&full, 8, false, true), ADAPT_WARPS); /* codes must be decoded */
    assert_int_equal(adapt_place(&too_large, 8, true, true), ADAPT_NOWHERE);
    assert_int_equal(adapt_place(&whole, 8, true, true), ADAPT_NOWHERE); /* blocks may wait */
}

static void lines_with_two_forms_come_as_the_switch_says(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    bool is_on = false, is_raw_only = false;
    struct caba_form *f = caba_form_new(&mem->m, &is_on, &is_raw_only, 4096);
    const struct form_policy p = caba_form_policy(f, false);
    const addr_t line = memory_block(3), other = memory_block(4), far = memory_block(100);
    caba_form_host_both(f, line, (struct line_form){.bytes = 40, .algorithm = 2});
    caba_form_host_both(f, other, (struct line_form){0});
    p.enter(p.self, line, LINE_READ);
    assert_int_equal(p.look(p.self, line, true, MEM_READ).bytes, 0);
    assert_false(caba_form_is_mixed(f, line));
    is_on = true;
    for (uint32_t i = 0; i < 3; i++) { /* a look changes nothing */
        assert_int_equal(p.look(p.self, line, false, MEM_READ).bytes, 40);
        assert_int_equal(p.look(p.self, line, false, MEM_WRITE).bytes, 40); /* it is refused */
        assert_int_equal(p.look(p.self, line, false, MEM_ATOMIC).bytes, 0);
        assert_int_equal(p.look(p.self, line, true, MEM_READ).bytes, 0); /* it is in the L2 */
    }
    p.enter(p.self, line, LINE_READ);
    p.enter(p.self, other, LINE_READ);
    assert_int_equal(p.look(p.self, line, true, MEM_READ).bytes, 40);
    assert_int_equal(p.look(p.self, line, true, MEM_READ).algorithm, 2);
    assert_int_equal(p.look(p.self, other, true, MEM_READ).bytes, 0);
    assert_true(caba_form_is_mixed(f, other)); /* of one region */
    assert_false(p.is_stale(p.self, line));
    is_raw_only = true;
    assert_true(p.is_stale(p.self, line)); /* memory has it raw, too */
    assert_false(caba_form_is_mixed(f, far));
    p.enter(p.self, line, LINE_CHANGED);
    assert_int_equal(p.look(p.self, line, false, MEM_READ).bytes, 0); /* only the raw one holds */
    p.store(p.self, far, (struct line_form){.bytes = 8, .algorithm = 0});
    is_on = false;
    p.enter(p.self, far, LINE_READ);
    assert_false(p.change(p.self, far));
    assert_int_equal(p.look(p.self, far, true, MEM_READ).bytes, 8); /* the only one there is */
    assert_false(p.is_stale(p.self, far));
    assert_false(p.is_stale(p.self, line));
    assert_true(caba_form_is_mixed(f, far));
    assert_false(caba_form_is_mixed(f, line));
    caba_form_free(f);
    memory_free(mem);
}

/* Nobody has written it: raw, and as bdi has it. A change leaves it raw, and reads of it count
 * while encoding is on. */
static void untouched_lines_have_two_forms(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct err err;
    struct line_codecs codec;
    bool is_on = false, is_raw_only = false;
    assert_true(line_codecs_init(&codec, &mem->m, "t", "bdi,fpc-seg,cpack4", &err));
    memory_make_close(mem, 5);
    memory_make_random(mem, 6);
    struct caba_form *f = caba_form_new(&mem->m, &is_on, &is_raw_only, 4096);
    caba_form_encode_untouched(f, &codec, NULL);
    caba_form_count_reads(f);
    const struct form_policy p = caba_form_policy(f, false);
    const addr_t close = memory_block(5);
    const uint16_t bytes = line_codecs_form_as(&codec, 0, close).bytes;
    assert_true(bytes > 0);
    assert_int_equal(p.look(p.self, close, false, MEM_READ).bytes, 0);
    is_on = true;
    assert_int_equal(p.look(p.self, close, false, MEM_READ).bytes, bytes);
    assert_int_equal(p.look(p.self, memory_block(6), false, MEM_READ).bytes, 0);
    p.enter(p.self, close, LINE_CHANGED);
    assert_int_equal(p.look(p.self, close, true, MEM_READ).bytes, 0);
    for (uint32_t i = 0; i < 4; i++) {
        is_on = i % 2;
        assert_int_equal(p.look(p.self, close, true, MEM_READ).reads, 1 + i / 2);
        p.read(p.self, close, false);
    }
    caba_form_free(f);
    line_codecs_free(&codec);
    memory_free(mem);
}

/* Differences for one region, no pattern in the other. */
static void regions_are_measured(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct err err;
    struct line_codecs codec;
    const struct caba_cfg cfg = {
        .region = 4096, .burst_worth = 32, .least_saving = 0.05, .window = 2048};
    assert_true(line_codecs_init(&codec, &mem->m, "t", "bdi,fpc-seg,cpack4", &err));
    for (uint32_t i = 0; i < 64; i++)
        (i < 32 ? memory_make_close : memory_make_random)(mem, i);
    struct adapt *a = adapt_new(&mem->m, &cfg, &codec);
    assert_int_equal(adapt_region_bytes(a), 4096);
    assert_int_equal(adapt_measure(a, memory_block(0), 4096), 0);
    assert_int_equal(adapt_measure(a, memory_block(32), 4096), ADAPT_RAW);
    assert_int_equal(adapt_measure(a, memory_block(33), 4), ADAPT_RAW);
    assert_int_equal(adapt_stats(a)->pieces_bdi, 1);
    assert_int_equal(adapt_stats(a)->pieces_raw, 2);
    assert_false(*adapt_switch(a));
    adapt_free(a);
    line_codecs_free(&codec);
    memory_free(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_algorithm_that_pays_is_taken),
        cmocka_unit_test(a_launch_that_begins_says_nothing),
        cmocka_unit_test(the_switch_has_two_thresholds),
        cmocka_unit_test(a_check_is_lost_by_more_than_chance),
        cmocka_unit_test(a_program_that_changes_by_itself_keeps_it),
        cmocka_unit_test(registers_come_from_where_they_cost_no_block),
        cmocka_unit_test(lines_with_two_forms_come_as_the_switch_says),
        cmocka_unit_test(untouched_lines_have_two_forms),
        cmocka_unit_test(regions_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
