/* The queue of requests that become due. */
#include "mem/req_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct mem_req reqs[8];

static void it_is_a_bounded_fifo(void **state)
{
    (void)state;
    struct req_ring r;
    req_ring_init(&r, 3);
    for (uint32_t round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < 3; i++)
            req_ring_push(&r, &reqs[i], i, 0);
        assert_int_equal(req_ring_room(&r), 0);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(req_ring_next(&r), i);
            assert_ptr_equal(req_ring_pop(&r), &reqs[i]);
        }
        assert_null(req_ring_head(&r));
        assert_true(req_ring_next(&r) == CYCLE_NEVER);
    }
    req_ring_free(&r);
}

static void insertion_sorts_by_cycle_and_keeps_the_order_of_equals(void **state)
{
    (void)state;
    struct req_ring r;
    const cycle_t due[] = {5, 3, 5, 9, 3, 1};
    const uint32_t order[] = {5, 1, 4, 0, 2, 3};
    req_ring_init(&r, 6);
    for (uint32_t i = 0; i < 6; i++)
        req_ring_insert(&r, &reqs[i], due[i], i);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(req_ring_head(&r)->aux, order[i]);
        assert_ptr_equal(req_ring_pop(&r), &reqs[order[i]]);
    }
    req_ring_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_bounded_fifo),
        cmocka_unit_test(insertion_sorts_by_cycle_and_keeps_the_order_of_equals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
