/* An engine to the cycle, and the cache of metadata. */
#include "tech/engine.h"
#include "tech/md_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_pipe_takes_a_block_a_cycle(void **state)
{
    (void)state;
    struct engine e;
    engine_init(&e, &(struct engine_cfg){.latency = 5, .interval = 1});
    assert_int_equal(engine_use(&e, 100), 5);
    assert_int_equal(engine_use(&e, 101), 5);
    assert_int_equal(engine_use(&e, 101), 6); /* the second in one cycle waits */
    assert_int_equal(engine_use(&e, 101), 7);
    assert_int_equal(engine_use(&e, 110), 5);
    assert_int_equal(e.blocks, 5);
    assert_int_equal(e.waited, 3);
}

static void units_share_the_blocks(void **state)
{
    (void)state;
    struct engine e;
    engine_init(&e, &(struct engine_cfg){.latency = 10, .interval = 2.5}); /* 4 units of 10 */
    uint32_t last = 0;
    for (uint32_t i = 0; i < 9; i++)
        last = engine_use(&e, 50);
    assert_int_equal(last, 10 + 20); /* 8 blocks before it, 2.5 cycles each */
}

static void one_that_is_not_there_costs_nothing(void **state)
{
    (void)state;
    struct engine e;
    engine_init(&e, &(struct engine_cfg){.latency = 0, .interval = 3});
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(engine_use(&e, 7), 0);
    assert_int_equal(e.blocks, 0);
}

static void metadata_is_kept_and_written_back(void **state)
{
    (void)state;
    struct md_cache m;
    md_cache_init(&m, 4 * 32, 2, 32); /* 2 sets of 2 */
    assert_false(md_cache_access(&m, 0, true).is_hit);
    assert_true(md_cache_access(&m, 0, false).is_hit);
    assert_false(md_cache_access(&m, 1, false).is_hit); /* the other set */
    assert_false(md_cache_access(&m, 2, false).is_hit);
    assert_true(md_cache_access(&m, 0, false).is_hit);
    struct md_outcome o = md_cache_access(&m, 4, false); /* 2 is older than 0 */
    assert_false(o.is_hit);
    assert_false(o.writes_back);
    o = md_cache_access(&m, 6, false);
    assert_true(o.writes_back);
    assert_int_equal(o.victim, 0);
    md_cache_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_takes_a_block_a_cycle),
        cmocka_unit_test(units_share_the_blocks),
        cmocka_unit_test(one_that_is_not_there_costs_nothing),
        cmocka_unit_test(metadata_is_kept_and_written_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
