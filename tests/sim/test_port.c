/* Ports: latency, order, room. */
#include "sim/port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int a, b, c;

static void an_item_is_visible_after_its_latency_and_not_before(void **state)
{
    (void)state;
    struct port *p = port_new("p", 3, 4);
    assert_true(port_next(p) == CYCLE_NEVER);
    port_push(p, 10, &a);
    assert_true(port_next(p) == 13);
    assert_null(port_peek(p, 12));
    assert_ptr_equal(port_peek(p, 13), &a);
    assert_ptr_equal(port_pop(p, 13), &a);
    assert_null(port_pop(p, 13));
    port_free(p);
}

static void items_keep_their_order(void **state)
{
    (void)state;
    struct port *p = port_new("p", 1, 3);
    port_push(p, 0, &a);
    port_push(p, 0, &b);
    port_push(p, 1, &c);
    assert_ptr_equal(port_pop(p, 1), &a);
    assert_ptr_equal(port_pop(p, 1), &b);
    assert_null(port_pop(p, 1));
    assert_ptr_equal(port_pop(p, 2), &c);
    port_free(p);
}

static void a_pop_frees_its_slot_in_the_next_cycle(void **state)
{
    (void)state;
    struct port *p = port_new("p", 1, 1);
    assert_true(port_can_push(p, 0));
    port_push(p, 0, &a);
    assert_false(port_can_push(p, 1)); /* whether the consumer popped at 1 already or not */
    assert_ptr_equal(port_pop(p, 1), &a);
    assert_false(port_can_push(p, 1));
    assert_true(port_can_push(p, 2));
    port_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_is_visible_after_its_latency_and_not_before),
        cmocka_unit_test(items_keep_their_order),
        cmocka_unit_test(a_pop_frees_its_slot_in_the_next_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
