/* Prefetches in the L1, to the cycle: latency 35, memory answers after 100. */
#include "support_l1_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void ask(struct l1_rig *r, cycle_t at, addr_t addr, uint16_t sectors, uint32_t token,
                bool is_prefetch)
{
    const struct l1_access a = {
        .addr = addr, .bytes = 32, .sectors = sectors, .token = token, .is_prefetch = is_prefetch};
    l1_rig_submit(r, at, &a);
}

/* Looked up at 45, filled at 145; its token comes back nowhere. */
static void a_later_read_hits(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    ask(r, 10, 0x1040, 4, 1, true);
    ask(r, 200, 0x1000, 1, 2, false);
    l1_rig_run(r, 300);
    const struct l1_stats *st = l1_stats(r->l1);
    assert_int_equal(r->sent_at[0], 45);
    assert_int_equal(r->sent[0].sectors, 15);
    assert_int_equal(r->done[1], 0);
    assert_int_equal(r->done[2], 235);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(st->prefetches, 1);
    assert_int_equal(st->prefetch_fetches, 1);
    assert_int_equal(st->prefetch_useful, 1);
    assert_int_equal(st->read_hits, 1);
    assert_int_equal(st->accesses, 2);
    assert_true(l1_idle(r->l1));
    assert_int_equal(r->pool.out, 0);
    l1_rig_free(r);
}

/* The read joins the fetch and has its answer 20 cycles earlier than alone. */
static void an_earlier_read_waits_for_the_rest(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    ask(r, 10, 0x1000, 1, 1, true);
    ask(r, 30, 0x1000, 1, 2, false);
    ask(r, 31, 0x1000, 1, 3, false);
    l1_rig_run(r, 300);
    const struct l1_stats *st = l1_stats(r->l1);
    assert_int_equal(r->done[2], 145);
    assert_int_equal(r->done[3], 146);
    assert_int_equal(st->read_merges, 2);
    assert_int_equal(st->prefetch_late, 1);
    assert_int_equal(st->prefetch_useful, 0);
    l1_rig_free(r);
}

static void what_is_there_or_on_its_way_is_not_asked_for_again(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    ask(r, 10, 0x1000, 1, 1, false);
    ask(r, 20, 0x1000, 1, 2, true);
    ask(r, 200, 0x1020, 2, 3, true);
    l1_rig_run(r, 300);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(l1_stats(r->l1)->prefetch_hits, 2);
    assert_int_equal(l1_stats(r->l1)->prefetch_useful, 0);
    l1_rig_free(r);
}

/* A sector of a line that others wait for: fetched with them, no waiter of its own. */
static void a_sector_joins_the_lines_register(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.sectored=true", "l1.merges=1", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    ask(r, 10, 0x80, 1, 1, false);
    ask(r, 20, 0xa0, 2, 2, true);
    ask(r, 200, 0xa0, 2, 3, false);
    l1_rig_run(r, 300);
    assert_int_equal(r->nsent, 2);
    assert_int_equal(r->sent[1].sectors, 2);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[3], 235);
    assert_int_equal(l1_stats(r->l1)->prefetch_fetches, 1);
    l1_rig_free(r);
}

/* What finds no room goes, and does not hold up the read behind it. */
static void check_dropped(const char *const *sets, addr_t first, addr_t ahead)
{
    struct l1_rig *r = l1_rig_new(sets);
    ask(r, 10, first, 1, 1, false);
    ask(r, 11, ahead, 1, 2, true);
    ask(r, 12, first, 1, 3, false);
    l1_rig_run(r, 400);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[3], 146);
    assert_int_equal(l1_stats(r->l1)->prefetch_drops, 1);
    assert_int_equal(l1_stats(r->l1)->stall_cycles, 0);
    l1_rig_free(r);
}

static void without_room_it_is_dropped(void **state)
{
    (void)state;
    check_dropped((const char *const[]){"l1.mshrs=1", NULL}, 0, 128);
    check_dropped((const char *const[]){"l1.size=1K", "l1.ways=1", NULL}, 0, 1024);
}

static void without_a_cache_it_is_dropped(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new((const char *const[]){"l1.enabled=false", NULL});
    ask(r, 10, 0, 1, 1, true);
    l1_rig_run(r, 300);
    assert_int_equal(r->nsent, 0);
    assert_int_equal(l1_stats(r->l1)->prefetch_drops, 1);
    l1_rig_free(r);
}

/* One way: the second line takes the first one's place. */
static void what_leaves_unread_is_counted(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new((const char *const[]){"l1.size=1K", "l1.ways=1", NULL});
    ask(r, 10, 0, 1, 1, true);
    ask(r, 200, 1024, 1, 2, false);
    ask(r, 400, 0, 1, 3, false);
    l1_rig_run(r, 700);
    const struct l1_stats *st = l1_stats(r->l1);
    assert_int_equal(st->prefetch_unused, 1);
    assert_int_equal(st->prefetch_useful + st->prefetch_late, 0);
    assert_int_equal(st->read_misses, 2);
    l1_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_read_hits),
        cmocka_unit_test(an_earlier_read_waits_for_the_rest),
        cmocka_unit_test(what_is_there_or_on_its_way_is_not_asked_for_again),
        cmocka_unit_test(a_sector_joins_the_lines_register),
        cmocka_unit_test(without_room_it_is_dropped),
        cmocka_unit_test(without_a_cache_it_is_dropped),
        cmocka_unit_test(what_leaves_unread_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
