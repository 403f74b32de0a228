/* When inputs start, lookups are answered, the queue has room. */
#include "memo/memo_time.h"
#include "memo/support_unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

struct rig {
    struct memo_unit *unit;
    struct memo_time t;
};

static struct rig rig_of(const char *settings)
{
    struct rig r = {.unit = unit_of(settings)};
    memo_time_init(&r.t, r.unit);
    return r;
}

static void rig_end(struct rig *r)
{
    memo_time_free(&r->t);
    memo_unit_free(r->unit);
}

/* k loads of 4 bytes that hit, issued from 0 on; when the branch behind the lookup issues. */
static cycle_t hit_path(const char *settings, unsigned k, enum memo_answer answer)
{
    struct rig r = rig_of(settings);
    for (unsigned i = 0; i < k; i++)
        memo_time_push(&r.t, 0, 0, 4, i + 4, i);
    const cycle_t issue = k - 1; /* beside the last load */
    const cycle_t start = memo_time_start(&r.t, 0, 0, issue);
    const cycle_t ready = memo_time_lookup(&r.t, start, issue, answer);
    rig_end(&r);
    return ready;
}

static void the_hit_path(void **state)
{
    (void)state;
    assert_int_equal(hit_path("", 6, MEMO_L1), 15); /* an option */
    assert_int_equal(hit_path("crc_rate=1", 6, MEMO_L1), 30);
    assert_int_equal(hit_path("l2_ways=8", 6, MEMO_L1), 15);
    assert_int_equal(hit_path("l2_ways=8", 6, MEMO_L2), 28);
    assert_int_equal(hit_path("l2_ways=8", 6, MEMO_MISS), 28);
    assert_int_equal(hit_path("l2_ways=8", 6, MEMO_SAMPLED), 28);
    assert_int_equal(hit_path("", 6, MEMO_MISS), 15);
    assert_int_equal(hit_path("", 3, MEMO_L1), 12); /* k-means */
    assert_int_equal(hit_path("", 2, MEMO_L1), 11); /* inversek2j */
    assert_int_equal(hit_path("", 4, MEMO_L1), 13); /* hotspot */
    assert_int_equal(hit_path("", 9, MEMO_L1), 18); /* sobel */
    assert_int_equal(hit_path("crc_rate=1", 9, MEMO_L1), 42);
    for (unsigned k = 1; k < 8; k++) {
        assert_int_equal(hit_path("", k, MEMO_L1), k + 9);
        assert_int_equal(hit_path("crc_rate=1", k, MEMO_L1), 4 * k + 6);
    }
}

static void without_latencies_only_instructions_cost(void **state)
{
    (void)state;
    assert_int_equal(hit_path("crc_rate=0 l1_cycles=0", 6, MEMO_L1), 9); /* the last value */
}

static void switched_off_a_lookup_takes_a_cycle(void **state)
{
    (void)state;
    assert_int_equal(hit_path("l2_ways=8", 3, MEMO_OFF), 3);
}

static void a_full_queue_holds_inputs_back(void **state)
{
    (void)state;
    struct rig r = rig_of("queue=2 crc_rate=1");
    static const cycle_t issues[] = {0, 1, 4, 8, 12}, starts[] = {4, 8, 12, 16, 20};
    cycle_t now = 0;
    for (unsigned i = 0; i < 5; i++, now++) {
        const cycle_t room = memo_time_room(&r.t);
        now = room > now ? room : now;
        assert_int_equal(now, issues[i]);
        memo_time_push(&r.t, 0, 0, 4, now + 4, now);
        assert_int_equal(r.t.slots[i % 2].starts, starts[i]);
    }
    rig_end(&r);
}

static void a_value_from_memory_holds_those_behind_it(void **state)
{
    (void)state;
    struct rig r = rig_of("");
    const uint64_t late = memo_time_push(&r.t, 0, 0, 4, MEMO_UNKNOWN, 0);
    memo_time_push(&r.t, 0, 0, 4, 5, 1);
    assert_true(memo_time_start(&r.t, 0, 0, 1) == MEMO_UNKNOWN);
    assert_int_equal(memo_time_start(&r.t, 0, 1, 1), 2); /* another table has no inputs */
    memo_time_enter(&r.t, late, 100);
    assert_int_equal(memo_time_start(&r.t, 0, 0, 1), 105); /* 101 + 4 */
    rig_end(&r);
}

static void an_update_keeps_the_port(void **state)
{
    (void)state;
    struct rig r = rig_of("");
    memo_time_update(&r.t, 10);
    assert_int_equal(memo_time_start(&r.t, 0, 0, 10), 13);
    memo_time_update(&r.t, 10);
    assert_int_equal(memo_time_start(&r.t, 0, 0, 10), 15);
    assert_int_equal(memo_time_invalidate(&r.t), 8);
    rig_end(&r);
    r = rig_of("data_bytes=8");
    assert_int_equal(memo_time_invalidate(&r.t), 4);
    rig_end(&r);
    r = rig_of("invalidate=lines l2_ways=8");
    assert_int_equal(memo_time_invalidate(&r.t), 8 + 8 * WAY_SETS);
    rig_end(&r);
}

static void the_depth_of_the_queue_is_counted(void **state)
{
    (void)state;
    struct rig r = rig_of("crc_rate=1");
    for (unsigned i = 0; i < 6; i++)
        memo_time_push(&r.t, 0, 0, 4, i + 4, i);
    assert_int_equal(r.unit->stats.queue_depth.count, 6);
    assert_int_equal(r.unit->stats.queue_depth.max, 4); /* at 5 the first has started */
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hit_path),
        cmocka_unit_test(without_latencies_only_instructions_cost),
        cmocka_unit_test(switched_off_a_lookup_takes_a_cycle),
        cmocka_unit_test(a_full_queue_holds_inputs_back),
        cmocka_unit_test(a_value_from_memory_holds_those_behind_it),
        cmocka_unit_test(an_update_keeps_the_port),
        cmocka_unit_test(the_depth_of_the_queue_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
