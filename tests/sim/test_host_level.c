/* How many threads take part: what goes fastest. */
#include "sim/host_level.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Windows that cost `of[n]` seconds on level n, until `windows` have run. */
static void run(struct host_level *l, const double *of, unsigned windows)
{
    for (unsigned i = 0; i < windows; i++)
        host_level_count(l, 1000, of[l->tried]);
}

static struct host_level sixteen_on(unsigned cores, double load)
{
    struct host_level l;
    host_level_init(&l, 16, cores, load);
    return l;
}

static void begins_with_as_many_as_the_host_has_cores_free(void **state)
{
    (void)state;
    const struct host_level idle = sixteen_on(16, 0), small = sixteen_on(4, 0),
                            busy = sixteen_on(16, 13.5), full = sixteen_on(16, 40);
    assert_int_equal(host_level_threads(&idle), 16);
    assert_int_equal(host_level_threads(&small), 4);
    assert_int_equal(host_level_threads(&busy), 2);
    assert_int_equal(host_level_threads(&full), 1);
}

static void stays_where_windows_are_cheapest(void **state)
{
    (void)state;
    static const double fast_at_4[] = {9e-4, 6e-4, 4e-4, 6e-4, 9e-4};
    struct host_level l = sixteen_on(16, 0);
    run(&l, fast_at_4, 1000);
    assert_int_equal(l.threads[l.at], 4);
    l = sixteen_on(16, 40);
    run(&l, fast_at_4, 1000);
    assert_int_equal(l.threads[l.at], 4);
}

static void trials_that_gain_nothing_become_rare(void **state)
{
    (void)state;
    static const double fast_at_16[] = {16e-4, 9e-4, 5e-4, 3e-4, 2e-4};
    struct host_level l = sixteen_on(16, 0);
    unsigned trials = 0;
    for (unsigned i = 0; i < 100000; i++) {
        trials += l.tried != l.at;
        host_level_count(&l, 1000, fast_at_16[l.tried]);
    }
    assert_int_equal(l.threads[l.at], 16);
    assert_true(trials < 1000);
}

static void counts_that_are_no_power_of_two_have_a_level(void **state)
{
    (void)state;
    struct host_level l;
    host_level_init(&l, 6, 8, 0);
    assert_int_equal(host_level_threads(&l), 6);
}

int main(void)
{
    unsetenv("PARSIM_HOST_THREADS");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_with_as_many_as_the_host_has_cores_free),
        cmocka_unit_test(stays_where_windows_are_cheapest),
        cmocka_unit_test(trials_that_gain_nothing_become_rare),
        cmocka_unit_test(counts_that_are_no_power_of_two_have_a_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
