/* When the request controller asks for the line. */
#include "tech/filter/rc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ALL = 0xf };

static const struct filter_cfg dflt = {.window = 16, .ica_percent = 50, .fdr_percent = 90};

static void push_n(uint64_t *window, unsigned n, bool entry)
{
    while (n--)
        rc_push(&dflt, window, entry);
}

static enum rc_answer decide(const struct rc_windows *w, uint16_t need, uint16_t valid,
                             uint16_t pending)
{
    const struct rc_line l = {ALL, need, valid, pending, 0};
    return rc_decide(&dflt, w, &l);
}

static void the_fdr_window_is_over_from_fifteen_of_sixteen(void **state)
{
    (void)state;
    struct rc_windows w = {0};
    push_n(&w.fdr, 14, true);
    assert_int_equal(decide(&w, 0x1, 0, 0), RC_PART);
    push_n(&w.fdr, 1, true);
    assert_int_equal(decide(&w, 0x1, 0, 0), RC_OFTEN_WHOLE);
    push_n(&w.fdr, 1, true);
    push_n(&w.fdr, 1, false); /* the oldest one goes */
    assert_int_equal(decide(&w, 0x1, 0, 0), RC_OFTEN_WHOLE);
    push_n(&w.fdr, 1, false);
    assert_int_equal(decide(&w, 0x1, 0, 0), RC_PART);
}

static void an_ica_window_is_over_from_nine_of_sixteen(void **state)
{
    (void)state;
    struct rc_windows w = {0};
    push_n(&w.ica[2], 8, true);
    assert_int_equal(decide(&w, 0x3, 0, 0), RC_PART);
    push_n(&w.ica[2], 1, true);
    assert_int_equal(decide(&w, 0x3, 0, 0), RC_INCONSISTENT);
}

/* By what the line would have: a miss of one sub-block on an absent line asks none. */
static void the_window_is_that_of_the_size(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 4; n++) {
        struct rc_windows w = {0};
        push_n(&w.ica[n], 16, true);
        assert_int_equal(decide(&w, 0x1, 0, 0), RC_PART);
        assert_int_equal(decide(&w, 0x3, 0, 0), n == 2 ? RC_INCONSISTENT : RC_PART);
        assert_int_equal(decide(&w, 0x4, 0x3, 0), n == 3 ? RC_INCONSISTENT : RC_PART);
        assert_int_equal(decide(&w, 0x8, 0x7, 0), n == 4 ? RC_INCONSISTENT : RC_PART);
    }
}

/* By first reads: one sub-block has a window, too, and a line that is here in part is inconsistent.
 */
static void or_that_of_the_first_read(void **state)
{
    (void)state;
    struct filter_cfg c = dflt;
    struct rc_windows w = {0};
    const struct rc_line absent = {ALL, 0x1, 0, 0, 0}, part = {ALL, 0x2, 0x1, 0, 0};
    c.windows = FILTER_BY_FIRST;
    push_n(&w.ica[1], 8, true);
    assert_int_equal(rc_decide(&c, &w, &absent), RC_PART);
    assert_int_equal(rc_decide(&c, &w, &part), RC_INCONSISTENT);
    push_n(&w.ica[1], 1, true);
    assert_int_equal(rc_decide(&c, &w, &absent), RC_INCONSISTENT);
}

/* Of first reads of two sub-blocks: the last four must have been consistent. */
static void an_sm_is_sure_of_what_was_consistent_for_long(void **state)
{
    (void)state;
    struct filter_cfg c = dflt;
    struct rc_windows w = {0};
    c.windows = FILTER_BY_FIRST;
    c.sure_run = 4;
    for (unsigned again = 0; again < 2; again++) {
        for (unsigned i = 0; i < 4; i++) {
            assert_false(rc_is_sure(&c, &w, 2));
            rc_push_ica(&c, &w, 2, false);
        }
        assert_true(rc_is_sure(&c, &w, 2));
        assert_false(rc_is_sure(&c, &w, 1));
        rc_push_ica(&c, &w, 2, true);
    }
    w.run[2] = UINT16_MAX;
    rc_push_ica(&c, &w, 2, false); /* stays there */
    assert_true(rc_is_sure(&c, &w, 2));
    c.sure_run = 0;
    assert_false(rc_is_sure(&c, &w, 2));
    c.sure_run = 4;
    c.windows = FILTER_BY_USED; /* has no window of a first read */
    assert_false(rc_is_sure(&c, &w, 2));
}

static void rules_come_in_their_order(void **state)
{
    (void)state;
    struct rc_windows w = {0};
    push_n(&w.ica[2], 16, true);
    assert_int_equal(decide(&w, 0x8, 0, 0x1), RC_SUBSEQUENT);
    push_n(&w.fdr, 16, true);
    assert_int_equal(decide(&w, 0x8, 0, 0x1), RC_OFTEN_WHOLE);
    assert_int_equal(decide(&w, ALL, 0, 0x1), RC_ALL_NEEDED);
}

/* The table of thresholds: the first number of ones that is over. */
static void thresholds_are_passed_strictly(void **state)
{
    (void)state;
    static const struct {
        int64_t window, percent, over;
    } rows[] = {{8, 25, 3},   {8, 50, 5},   {8, 75, 7},   {16, 25, 5},  {16, 50, 9},
                {16, 75, 13}, {32, 25, 9},  {32, 50, 17}, {32, 75, 25}, {8, 30, 3},
                {8, 60, 5},   {8, 90, 8},   {16, 30, 5},  {16, 60, 10}, {16, 90, 15},
                {32, 30, 10}, {32, 60, 20}, {32, 90, 29}, {64, 50, 33}, {1, 50, 1}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct filter_cfg c = {.window = rows[i].window, .fdr_percent = rows[i].percent};
        struct rc_windows w = {0};
        for (int64_t n = 1; n <= c.window; n++) {
            rc_push(&c, &w.fdr, true);
            assert_int_equal(rc_is_locked(&c, &w), n >= rows[i].over);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fdr_window_is_over_from_fifteen_of_sixteen),
        cmocka_unit_test(an_ica_window_is_over_from_nine_of_sixteen),
        cmocka_unit_test(the_window_is_that_of_the_size),
        cmocka_unit_test(or_that_of_the_first_read),
        cmocka_unit_test(an_sm_is_sure_of_what_was_consistent_for_long),
        cmocka_unit_test(rules_come_in_their_order),
        cmocka_unit_test(thresholds_are_passed_strictly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
