/* Launches that are alike: which may pass, what they are predicted to take, and for how long
 * predictions are trusted. */
#include "gpu/alike.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint32_t grid[3] = {64, 1, 1}, about_as_many[3] = {70, 1, 1}, turned[3] = {1, 64, 1};

static void see(struct alike *a, const uint32_t g[3], double inst, double cycles)
{
    const struct point p = {.grid = {g[0], g[1], g[2]}, .inst = inst, .cycles = cycles};
    alike_remember(a, &p, true);
}

static double predicted(const struct alike *a, double inst)
{
    const struct point *like;
    return alike_predict(a, grid, inst, &like);
}

/* How many pass in a row. */
static unsigned passes(struct alike *a)
{
    unsigned n = 0;
    for (; n < 1000 && alike_may_pass(a, grid); n++)
        alike_pass(a, true);
    return n;
}

static void test_one_long_or_two_short_ones_are_enough(void **state)
{
    struct alike a;
    (void)state;
    alike_init(&a);
    assert_false(alike_may_pass(&a, grid));
    see(&a, grid, 1000, 19999);
    assert_false(alike_may_pass(&a, grid));
    see(&a, about_as_many, 1000, 19999);
    assert_true(alike_may_pass(&a, grid));
    assert_false(alike_may_pass(&a, turned));
    see(&a, turned, 1000, 20000);
    assert_true(alike_may_pass(&a, turned));
    alike_free(&a);
}

static void test_one_that_was_guessed_is_not_enough(void **state)
{
    struct alike a;
    const struct point p = {.grid = {64, 1, 1}, .inst = 1000, .cycles = 1e6, .is_paced = true};
    (void)state;
    alike_init(&a);
    alike_remember(&a, &p, true);
    assert_false(alike_may_pass(&a, grid));
    alike_remember(&a, &p, true); /* nor are two, though they agree: */
    assert_true(alike_may_pass(&a, grid) && !alike_is_known(&a, grid));
    see(&a, turned, 1000, 1e6);
    assert_false(alike_is_known(&a, grid));
    see(&a, about_as_many, 1000, 1e6);
    assert_true(alike_is_known(&a, grid));
    alike_free(&a);
}

static void test_the_last_of_as_many_instructions_decides(void **state)
{
    struct alike a;
    const struct point *like;
    (void)state;
    alike_init(&a);
    see(&a, grid, 1000, 50000);
    assert_true(predicted(&a, 1500) == 75000); /* in proportion */
    see(&a, grid, 990, 200000);
    assert_true(alike_predict(&a, grid, 990, &like) == 200000);
    assert_true(predicted(&a, 1000) < 210000); /* though one had just as many */
    see(&a, turned, 1000, 7);
    assert_true(alike_predict(&a, grid, 990, &like) == 200000 && like->grid[1] == 1);
    assert_true(alike_predict(&a, turned, 1000, &like) == 7);
    alike_free(&a);
}

static void test_how_cycles_go_with_instructions_is_learned(void **state)
{
    struct alike a;
    (void)state;
    alike_init(&a);
    see(&a, grid, 1000, 30000);
    see(&a, grid, 2000, 30000);
    assert_true(predicted(&a, 4000) >= 30000 && predicted(&a, 4000) < 30500);
    see(&a, turned, 1000, 10000); /* another shape: nothing to do with it */
    assert_true(predicted(&a, 4000) < 30500);
    alike_free(&a);
    alike_init(&a);
    see(&a, grid, 1000, 1000);
    see(&a, grid, 2000, 16000);
    assert_true(predicted(&a, 4000) == 64000); /* no steeper than squares */
    alike_free(&a);
}

static void test_more_pass_behind_good_predictions_and_none_behind_a_bad_one(void **state)
{
    struct alike a;
    const unsigned want[] = {1, 3, 7, 15, 31, 31};
    (void)state;
    alike_init(&a);
    for (unsigned i = 0; i < 6; i++) {
        see(&a, grid, 1000, 30000);
        assert_int_equal(passes(&a), want[i]);
    }
    alike_free(&a);
    alike_init(&a);
    see(&a, grid, 1000, 30000);
    see(&a, grid, 1000, 30000);
    assert_int_equal(passes(&a), 3);
    see(&a, grid, 1000, 40000);
    assert_int_equal(passes(&a), 0);
    alike_free(&a);
}

/* 5 % too much and 5 % too little in turns: neither is good, but a sum of them is. */
static void test_errors_that_even_out_are_trusted_in_time(void **state)
{
    struct alike a;
    double cycles = 30000;
    unsigned n = 0;
    (void)state;
    alike_init(&a);
    for (unsigned i = 0; i < 12; i++, cycles = i % 2 ? 31500 : 30000) {
        see(&a, grid, 1000, cycles);
        n = passes(&a);
        assert_true(i > 2 || n == 1);
    }
    assert_true(n > 3);
    alike_free(&a);
}

static void test_one_that_is_not_foreseen_is_the_last_that_passes(void **state)
{
    struct alike a;
    (void)state;
    alike_init(&a);
    for (unsigned i = 0; i < 4; i++)
        see(&a, grid, 1000, 30000);
    alike_pass(&a, false);
    assert_false(alike_may_pass(&a, grid));
    see(&a, grid, 1000, 30000);
    assert_true(alike_may_pass(&a, grid));
    see(&a, grid, 1600, 48000); /* other work than before: what comes next? */
    assert_false(alike_may_pass(&a, grid));
    alike_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_long_or_two_short_ones_are_enough),
        cmocka_unit_test(test_one_that_was_guessed_is_not_enough),
        cmocka_unit_test(test_the_last_of_as_many_instructions_decides),
        cmocka_unit_test(test_how_cycles_go_with_instructions_is_learned),
        cmocka_unit_test(test_more_pass_behind_good_predictions_and_none_behind_a_bad_one),
        cmocka_unit_test(test_errors_that_even_out_are_trusted_in_time),
        cmocka_unit_test(test_one_that_is_not_foreseen_is_the_last_that_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
