/* Miss registers: who waits, in which order they leave, when all are taken. */
#include "mem/mshr.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void waiters_leave_in_order_as_their_sectors_arrive(void **state)
{
    (void)state;
    struct mshr m;
    struct mshr_waiter w;
    mshr_init(&m, 2, 3, 0);
    uint32_t e = mshr_add(&m, 0x80, 7);
    mshr_ask(&m, e, 0x7);
    mshr_ask(&m, e, 0x8);
    mshr_merge(&m, e, 10, 0x3, 0);
    mshr_merge(&m, e, 11, 0x4, 1);
    assert_true(mshr_can_merge(&m, e));
    mshr_merge(&m, e, 12, 0x1, 0);
    assert_false(mshr_can_merge(&m, e));
    assert_false(mshr_pop(&m, e, &w));

    mshr_arrive(&m, e, 0x5);
    assert_true(mshr_pop(&m, e, &w));
    assert_int_equal(w.token, 11);
    assert_int_equal(w.flags, 1);
    assert_true(mshr_pop(&m, e, &w));
    assert_int_equal(w.token, 12);
    assert_false(mshr_pop(&m, e, &w));
    assert_false(mshr_retire(&m, e));

    mshr_arrive(&m, e, 0xa);
    assert_true(mshr_pop(&m, e, &w));
    assert_int_equal(w.token, 10);
    assert_true(mshr_retire(&m, e));
    assert_int_equal(mshr_find(&m, 0x80), MSHR_NONE);
    assert_int_equal(mshr_used(&m), 0);
    mshr_free(&m);
}

/* One answer may bring what another was asked for: the entry is there until that one is back. */
static void an_entry_lives_until_its_last_answer(void **state)
{
    (void)state;
    struct mshr m;
    mshr_init(&m, 1, 1, 0);
    uint32_t e = mshr_add(&m, 0x80, 0);
    mshr_ask(&m, e, 0x1);
    mshr_ask(&m, e, 0x2);
    mshr_arrive(&m, e, 0x3);
    assert_false(mshr_retire(&m, e));
    assert_int_equal(mshr_find(&m, 0x80), e);
    mshr_arrive(&m, e, 0x2);
    assert_true(mshr_retire(&m, e));
    mshr_free(&m);
}

static void full_means_all_entries_are_taken(void **state)
{
    (void)state;
    struct mshr m;
    mshr_init(&m, 3, 1, 0);
    for (addr_t i = 0; i < 3; i++) {
        assert_false(mshr_full(&m));
        mshr_ask(&m, mshr_add(&m, i * 128, 0), 1);
    }
    assert_true(mshr_full(&m));
    mshr_arrive(&m, mshr_find(&m, 128), 1);
    mshr_retire(&m, mshr_find(&m, 128));
    assert_false(mshr_full(&m));
    mshr_free(&m);
}

/* Adds and retires at random; every line is found exactly while it is inside. */
static void lines_are_found_whatever_was_removed(void **state)
{
    (void)state;
    enum { ENTRIES = 37, LINES = 128 };
    struct mshr m;
    struct rng rng = {5};
    uint32_t where[LINES];
    mshr_init(&m, ENTRIES, 1, 0);
    memset(where, 0xff, sizeof where);
    for (int n = 0; n < 20000; n++) {
        uint32_t k = rng_below(&rng, LINES);
        addr_t line = (addr_t)k << 7;
        assert_int_equal(mshr_find(&m, line), where[k]);
        if (where[k] != MSHR_NONE) {
            mshr_arrive(&m, where[k], 1);
            assert_true(mshr_retire(&m, where[k]));
            where[k] = MSHR_NONE;
        } else if (!mshr_full(&m)) {
            where[k] = mshr_add(&m, line, k);
            mshr_ask(&m, where[k], 1);
            assert_int_equal(m.entries[where[k]].slot, k);
        }
    }
    mshr_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiters_leave_in_order_as_their_sectors_arrive),
        cmocka_unit_test(an_entry_lives_until_its_last_answer),
        cmocka_unit_test(full_means_all_entries_are_taken),
        cmocka_unit_test(lines_are_found_whatever_was_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
