/* What lines of a kind were read for, and when a miss goes by it. */
#include "tech/filter/predict.h"
#include "tech/filter/rc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ALL = 0xf, LINE = 128, REGION = 4096, LINES = 8 };

static struct predictor predictor(enum filter_predict by, int64_t entries)
{
    const struct filter_cfg c = {
        .predict = (int)by, .predict_entries = entries, .predict_region = REGION};
    struct predictor p;
    predict_init(&p, &c, LINES);
    return p;
}

/* A line's life: missed by `load` with a need of `first`, read for `used` until it left. */
static void lives(struct predictor *p, addr_t line, uint16_t load, uint16_t first, uint16_t used)
{
    const struct line_life life = {.first = first, .used = used, .asked = ALL};
    predict_begin(p, line, load);
    predict_end(p, line, &life);
}

static void lines_of_a_load_are_of_a_kind(void **state)
{
    (void)state;
    struct predictor p = predictor(FILTER_PREDICT_LOAD, 1024);
    assert_int_equal(predict_map(&p, 0, 3, 0x1), 0);
    lives(&p, 0, 3, 0x1, 0x3);
    assert_int_equal(predict_map(&p, 100 * REGION, 3, 0x1), 0x3);
    assert_int_equal(predict_map(&p, 0, 4, 0x1), 0);
    assert_int_equal(predict_map(&p, 0, 3, 0x2), 0); /* another first need */
    lives(&p, LINE, 3, 0x1, 0x1);
    assert_int_equal(predict_map(&p, 0, 3, 0x1), 0x1); /* the newest counts */
    predict_free(&p);
}

static void or_those_of_a_region(void **state)
{
    (void)state;
    struct predictor p = predictor(FILTER_PREDICT_REGION, 1024);
    lives(&p, REGION, 3, 0x2, 0x6);
    assert_int_equal(predict_map(&p, 2 * REGION - LINE, 9, 0x2), 0x6);
    assert_int_equal(predict_map(&p, 2 * REGION, 3, 0x2), 0);
    predict_free(&p);
}

/* The line's place was taken by another's: which load has missed it is not known any more. */
static void a_life_whose_begin_was_forgotten_teaches_nothing(void **state)
{
    (void)state;
    struct predictor p = predictor(FILTER_PREDICT_LOAD, 1024);
    const struct line_life life = {.first = 0x1, .used = 0x3, .asked = ALL};
    predict_begin(&p, 0, 3);
    for (addr_t i = 1; i < 100; i++)
        predict_begin(&p, i * LINE, 4);
    predict_end(&p, 0, &life);
    predict_end(&p, 1000 * LINE, &life);
    for (uint16_t load = 0; load < 6; load++)
        assert_int_equal(predict_map(&p, 0, load, 0x1), 0);
    predict_free(&p);
}

static void with_one_entry_all_are_of_a_kind(void **state)
{
    (void)state;
    struct predictor p = predictor(FILTER_PREDICT_LOAD, 1);
    lives(&p, 0, 3, 0x1, 0x5);
    assert_int_equal(predict_map(&p, REGION, 7, 0x8), 0x5);
    predict_free(&p);
}

static void without_a_predictor_nothing_is_known(void **state)
{
    (void)state;
    struct predictor p = predictor(FILTER_PREDICT_NONE, 16);
    lives(&p, 0, 3, 0x1, 0x5);
    assert_int_equal(predict_map(&p, 0, 3, 0x1), 0);
    predict_free(&p);
}

/* Of first misses alone, and before windows are asked. */
static void a_first_miss_goes_by_what_is_known(void **state)
{
    (void)state;
    const struct filter_cfg c = {.window = 16, .ica_percent = 50, .fdr_percent = 90};
    const struct rc_windows over = {.fdr = 0xffff};
    const struct rc_line known = {ALL, 0x1, 0, 0, 0x3}, unknown = {ALL, 0x1, 0, 0, 0};
    const struct rc_line whole = {ALL, ALL, 0, 0, 0x3};
    const struct rc_line on_its_way = {ALL, 0x2, 0, 0x1, 0x3}, here = {ALL, 0x2, 0x1, 0, 0x3};
    assert_int_equal(rc_decide(&c, &over, &known), RC_PREDICTED);
    assert_int_equal(rc_decide(&c, &over, &unknown), RC_OFTEN_WHOLE);
    assert_int_equal(rc_decide(&c, &over, &whole), RC_ALL_NEEDED);
    assert_int_equal(rc_decide(&c, &over, &on_its_way), RC_OFTEN_WHOLE);
    assert_int_equal(rc_decide(&c, &over, &here), RC_OFTEN_WHOLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_a_load_are_of_a_kind),
        cmocka_unit_test(or_those_of_a_region),
        cmocka_unit_test(a_life_whose_begin_was_forgotten_teaches_nothing),
        cmocka_unit_test(with_one_entry_all_are_of_a_kind),
        cmocka_unit_test(without_a_predictor_nothing_is_known),
        cmocka_unit_test(a_first_miss_goes_by_what_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
