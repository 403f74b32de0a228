/* Scouts of lnl-adaptive: the order of blocks, and what is left of each band. */
#include "tech/lnl/lnl_order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void each_block_comes_once(void **state)
{
    (void)state;
    for (uint64_t blocks = 1; blocks < 3000; blocks += blocks < 200 ? 1 : 61)
        for (uint64_t at_once = 1; at_once < 400; at_once *= 3) {
            const struct lnl_order o = lnl_order_of(blocks, at_once);
            bool *came = calloc(blocks, sizeof *came);
            assert_non_null(came);
            for (uint64_t i = 0; i < blocks; i++) {
                const uint64_t number = lnl_order_block(&o, i);
                assert_true(number < blocks && !came[number]);
                assert_int_equal(lnl_order_place(&o, number), i);
                came[number] = true;
            }
            free(came);
        }
}

/* 512 blocks, 8 scouts: one in each 64, the others as they are numbered. */
static void scouts_first_then_in_order(void **state)
{
    static const uint64_t scouts[] = {39, 79, 182, 222, 261, 365, 404, 508};
    (void)state;
    const struct lnl_order o = lnl_order_of(512, 16);
    uint64_t next = 0;
    assert_int_equal(o.scouts, 8);
    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(lnl_order_block(&o, i), scouts[i]);
        assert_int_equal(scouts[i] / 64, i);
    }
    for (uint64_t i = 8; i < 512; i++, next++) {
        for (unsigned k = 0; k < 8; k++)
            next += next == scouts[k];
        assert_int_equal(lnl_order_block(&o, i), next);
    }
}

/* Few: half of what begins together, one block in 64. */
static void small_grids_have_none(void **state)
{
    (void)state;
    assert_int_equal(lnl_order_of(1, 1).scouts, 0);
    assert_int_equal(lnl_order_of(63, 1000).scouts, 0);
    assert_int_equal(lnl_order_of(640, 1000).scouts, 10);
    assert_int_equal(lnl_order_of(UINT64_C(1) << 40, 90).scouts, 45);
    const struct lnl_order o = lnl_order_of(63, 1000);
    for (uint64_t i = 0; i < 63; i++)
        assert_int_equal(lnl_order_block(&o, i), i);
}

/* As counted one by one. */
static void bands_are_what_was_given(void **state)
{
    static const uint64_t sizes[] = {1, 15, 100, 513, 1024};
    (void)state;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const struct lnl_order o = lnl_order_of(sizes[s], 30);
        double left[LNL_BANDS] = {0}, all = 0;
        for (uint64_t n = 0; n < o.blocks; n++)
            left[lnl_order_band(&o, n)]++;
        for (unsigned b = 0; b < LNL_BANDS; b++) {
            assert_true(lnl_order_share(&o, b) == left[b] / (double)o.blocks);
            all += lnl_order_share(&o, b);
        }
        assert_true(fabs(all - 1) < 1e-12);
        for (uint64_t given = 0; given <= o.blocks; given++) {
            for (unsigned b = 0; b < LNL_BANDS; b++)
                assert_true(lnl_order_left(&o, given, b) == left[b] / (double)o.blocks);
            if (given < o.blocks)
                left[lnl_order_band(&o, lnl_order_block(&o, given))]--;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_block_comes_once),
        cmocka_unit_test(scouts_first_then_in_order),
        cmocka_unit_test(small_grids_have_none),
        cmocka_unit_test(bands_are_what_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
