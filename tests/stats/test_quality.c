/* Measures of quality on arrays that can be computed by hand, and bounds on them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stats/quality.h"
#include "stats/stats.h"

#define COMPARE(type, precise, got, q) compare(QUALITY_##type, precise, got, ARRAY_LEN(got), q)

static void compare(enum quality_type type, const void *precise, const void *got, size_t n,
                    struct quality *q)
{
    struct err err;
    const struct quality_array a = {type, precise, got, n, n};
    assert_true(quality_compare(&a, q, &err));
}

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * fabs(want)) && got != want)
        fail_msg("%.17g, not %.17g", got, want);
}

/* lnl.md, worked example 16; axmemo.md, worked example 12. */
static void the_texts_examples(void **state)
{
    (void)state;
    const float precise[] = {1, 2, 4, 8}, got[] = {1, 2, 4, 9};
    const double exact[] = {3, 4}, near_it[] = {3, 4.1};
    struct quality q;
    COMPARE(F32, precise, got, &q);
    near(q.rmse, 0.5);
    near(q.mean, 3.75);
    near(q.geometric_mean, sqrt(8));
    near(q.percent[QUALITY_rmse], 100 * 0.5 / 3.75);
    near(q.percent[QUALITY_rmse_geometric], 100 * 0.5 / sqrt(8));
    near(q.percent[QUALITY_squares], 100.0 / 85);
    near(q.percent[QUALITY_wrong], 25);
    near(q.percent[QUALITY_largest], 100 / 3.75);
    COMPARE(F64, exact, near_it, &q);
    near(q.percent[QUALITY_squares], 100 * (4.1 - 4) * (4.1 - 4) / 25);
}

static void equal_arrays_have_no_error(void **state)
{
    (void)state;
    const float odd[] = {NAN, INFINITY, -INFINITY, 0.0f, 1e-45f, -3e38f}, zeros[4] = {0};
    float other_nan[6];
    const uint32_t bits = 0xffc12345;
    struct quality q;
    memcpy(other_nan, odd, sizeof odd);
    memcpy(&other_nan[0], &bits, 4);
    other_nan[3] = -0.0f;
    COMPARE(F32, odd, other_nan, &q);
    for (unsigned m = 0; m < QUALITY_MEASURES; m++)
        assert_true(q.percent[m] == 0);
    COMPARE(F32, zeros, zeros, &q);
    for (unsigned m = 0; m < QUALITY_MEASURES; m++)
        assert_true(q.percent[m] == 0);
    compare(QUALITY_U8, NULL, NULL, 0, &q); /* empty */
    assert_int_equal(q.count, 0);
    for (unsigned m = 0; m < QUALITY_MEASURES; m++)
        assert_true(q.percent[m] == 0);
}

static void what_is_no_number_is_infinitely_wrong(void **state)
{
    (void)state;
    static const float cases[][2] = {
        {1, NAN}, {NAN, 1}, {1, INFINITY}, {INFINITY, 1}, {INFINITY, -INFINITY}, {NAN, INFINITY}};
    struct quality q;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const float precise[] = {2, cases[i][0], 4, 6}, got[] = {2, cases[i][1], 4, 6};
        COMPARE(F32, precise, got, &q);
        assert_true(isinf(q.percent[QUALITY_rmse]) && isinf(q.percent[QUALITY_squares]));
        assert_true(isinf(q.percent[QUALITY_largest]));
        near(q.percent[QUALITY_wrong], 25);
        assert_true(isfinite(q.mean)); /* of what is finite */
    }
}

static void an_error_where_all_should_be_0(void **state)
{
    (void)state;
    const double zeros[2] = {0}, got[] = {0, 1}, down[] = {-4, -4}, up[] = {-4, -2};
    struct quality q;
    COMPARE(F64, zeros, got, &q);
    assert_true(isinf(q.percent[QUALITY_rmse]) && isinf(q.percent[QUALITY_squares]));
    near(q.percent[QUALITY_wrong], 50);
    COMPARE(F64, down, up, &q); /* no positive value: no geometric mean */
    near(q.percent[QUALITY_rmse], 100 * sqrt(2) / 4);
    assert_true(isinf(q.percent[QUALITY_rmse_geometric]));
}

static void integers_are_numbers_too(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0, 255, 100, 45}, bytes_got[] = {255, 255, 100, 45};
    const int32_t ints[] = {INT32_MIN, 0}, ints_got[] = {INT32_MAX, 0};
    const uint64_t large[] = {UINT64_MAX, 1}, large_got[] = {UINT64_MAX - 1, 1};
    const uint16_t halves[] = {65535}, halves_got[] = {0};
    struct quality q;
    COMPARE(U8, bytes, bytes_got, &q);
    near(q.percent[QUALITY_rmse], 100 * (255.0 / 2) / 100);
    near(q.largest_error, 255);
    COMPARE(I32, ints, ints_got, &q);
    near(q.largest_error, 4294967295.0);
    COMPARE(U64, large, large_got, &q); /* differs by 1 in 2^64 */
    near(q.largest_error, 1);
    assert_int_equal(q.wrong, 1);
    COMPARE(U16, halves, halves_got, &q);
    near(q.percent[QUALITY_largest], 100);
}

/* Squares of the largest doubles do not fit into doubles, their means do. */
static void large_values_do_not_overflow(void **state)
{
    (void)state;
    const double precise[] = {1e300, 1e300}, got[] = {1e300, 3e300};
    struct quality q;
    COMPARE(F64, precise, got, &q);
    near(q.percent[QUALITY_rmse], 100 * sqrt(2));
    near(q.percent[QUALITY_squares], 100 * 2);
    /* nor do percents of the largest: only a NaN or an infinity is an infinite error */
    const double largest[] = {1e308, 1e308}, half[] = {1e308, 0.5e308};
    COMPARE(F64, largest, half, &q);
    near(q.percent[QUALITY_rmse], 50 / sqrt(2));
    near(q.percent[QUALITY_largest], 50);
}

static void arrays_of_different_sizes_are_refused(void **state)
{
    (void)state;
    const float a[3] = {1}, b[2] = {1};
    const struct quality_array both = {QUALITY_F32, a, b, 3, 2};
    struct quality q;
    struct err err;
    assert_false(quality_compare(&both, &q, &err));
    assert_string_equal(err.msg, "2 elements, but the precise array has 3");
}

static void names(void **state)
{
    (void)state;
    enum quality_type t;
    enum quality_measure m;
    assert_true(quality_find_type("i32", &t) && t == QUALITY_I32);
    assert_false(quality_find_type("f16", &t));
    assert_true(quality_find_measure("wrong", &m) && m == QUALITY_wrong);
    assert_false(quality_find_measure("rms", &m));
    assert_string_equal(quality_measure_name(QUALITY_largest), "largest");
}

static void refused_bounds(const char *text)
{
    struct quality_bounds b;
    struct err err;
    assert_false(quality_bounds_read(text, &b, &err));
    assert_non_null(strstr(err.msg, "there are rmse, rmse_geometric, squares, wrong, largest"));
}

static void bounds_are_read_and_held(void **state)
{
    (void)state;
    struct quality_bounds b;
    struct err err;
    enum quality_measure which;
    double bound;
    struct quality q = {.percent = {[QUALITY_rmse] = 4, [QUALITY_wrong] = 10}};
    assert_true(quality_bounds_read("5", &b, &err));
    assert_false(quality_exceeds(&q, QUALITY_rmse, &b, &which, &bound));
    assert_true(quality_exceeds(&q, QUALITY_wrong, &b, &which, &bound));
    assert_int_equal(which, QUALITY_wrong);
    assert_true(quality_bounds_read("4", &b, &err)); /* as much as the bound is within it */
    assert_false(quality_exceeds(&q, QUALITY_rmse, &b, &which, &bound));
    assert_true(quality_bounds_read("wrong=2.5,rmse=100", &b, &err));
    assert_true(quality_exceeds(&q, QUALITY_rmse, &b, &which, &bound));
    assert_int_equal(which, QUALITY_wrong);
    near(bound, 2.5);
    assert_true(quality_bounds_read("50,largest=0", &b, &err));
    q.percent[QUALITY_largest] = INFINITY;
    assert_true(quality_exceeds(&q, QUALITY_rmse, &b, &which, &bound));
    static const char *const bad[] = {
        "",      "x",       "-1",      "nan",  "inf",   "5%",
        "rms=3", "rmse=",   "rmse=-1", "5,",   "5,5",   "rmse=1,rmse=2",
        ",5",    "rmse=1e", "=5",      "5 ,6", "rmse 5"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        refused_bounds(bad[i]);
}

static void measures_are_statistics(void **state)
{
    (void)state;
    const float precise[] = {1, 2, 4, 8}, got[] = {1, 2, 4, 9};
    struct quality q;
    double v;
    COMPARE(F32, precise, got, &q);
    struct stats *st = stats_new();
    stats_add(st, "quality_out", quality_rows, QUALITY_MEASURES, &q);
    assert_true(stats_get(st, "quality_out.wrong", &v));
    near(v, 25);
    stats_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_texts_examples),
        cmocka_unit_test(equal_arrays_have_no_error),
        cmocka_unit_test(what_is_no_number_is_infinitely_wrong),
        cmocka_unit_test(an_error_where_all_should_be_0),
        cmocka_unit_test(integers_are_numbers_too),
        cmocka_unit_test(large_values_do_not_overflow),
        cmocka_unit_test(arrays_of_different_sizes_are_refused),
        cmocka_unit_test(names),
        cmocka_unit_test(bounds_are_read_and_held),
        cmocka_unit_test(measures_are_statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
