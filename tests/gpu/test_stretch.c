/* What a stretch would have taken, by the windows before and behind it. */
#include "gpu/stretch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SLOWER 0.025 /* windows are, by so much, than what is between them */

static struct forward_result one(double given, double cpi, double behind)
{
    struct stretches s = {0};
    stretch_open(&s, 1000, given, cpi);
    stretch_close(&s, behind);
    stretch_close(&s, 7); /* it is not open any more */
    return s.sum;
}

static void assert_cycles(struct forward_result r, double cycles)
{
    assert_true(fabs(r.cycles / (1 - SLOWER) - cycles) < 1e-6);
    assert_int_equal(r.warp_inst, 1000);
}

static void test_windows_that_agree_count_with_the_mean_of_their_speeds(void **state)
{
    (void)state;
    assert_cycles(one(1, 2, 2), 2000);
    assert_cycles(one(1, 2, 2.5), 2000 / 0.9);
    assert_true(one(1, 2, 2).variance == 0);
    assert_true(fabs(one(1, 2, 2.5).variance - 250.0 * 250.0) < 1e-6);
}

static void test_between_two_phases_it_takes_what_warps_were_given(void **state)
{
    (void)state;
    assert_cycles(one(3000, 2, 4), 3000);
    assert_cycles(one(1, 2, 4), 2000);
    assert_cycles(one(1e6, 2, 4), 4000);
}

static void test_the_last_has_one_window(void **state)
{
    (void)state;
    assert_cycles(one(2100, 2, 0), 2100);
    assert_cycles(one(1e6, 2, 0), 2600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_that_agree_count_with_the_mean_of_their_speeds),
        cmocka_unit_test(test_between_two_phases_it_takes_what_warps_were_given),
        cmocka_unit_test(test_the_last_has_one_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
