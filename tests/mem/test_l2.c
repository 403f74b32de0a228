/* The L2 slice to the cycle. Times are the slice's: when it takes a request, when an answer leaves.
 * Unless said otherwise: latency 120; memory's answer is there 51 cycles after the lookup (one for
 * the port, 50 for memory). */
#include "support_l2_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_miss_goes_to_memory_a_hit_is_answered_after_the_latency(void **state)
{
    (void)state;
    struct l2_rig *r = l2_rig_new(NULL);
    l2_rig_give(r, 10, 1, MEM_READ, 0x1020, 6, 0);
    l2_rig_give(r, 300, 2, MEM_READ, 0x1040, 4, 0);
    l2_rig_run(r, 500);
    assert_int_equal(r->sent_at[0], 130);
    assert_int_equal(r->sent[0].addr, 0x1020);
    assert_int_equal(r->sent[0].sectors, 6);
    assert_int_equal(r->sent[0].bytes, 64);
    assert_int_equal(r->sent[0].kind, MEM_READ);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(r->back[1], 181);
    assert_int_equal(r->back[2], 420);
    assert_int_equal(r->reqs[1].wire_bytes, 64);
    assert_int_equal(r->reqs[2].wire_bytes, 32);
    assert_int_equal(r->reqs[1].at[MEM_AT_L2_IN], 10);
    assert_int_equal(r->reqs[1].at[MEM_AT_L2_OUT], 0); /* the interconnect says when it takes it */
    const struct l2_stats *st = l2_stats(r->l2);
    assert_int_equal(st->latency.sum, 171 + 120);
    assert_int_equal(st->fetched_sectors, 2);
    assert_true(l2_idle(r->l2));
    l2_rig_free(r);
}

/* A cache with 64-byte lines asks for the upper half of one of ours. */
static void a_shorter_line_of_the_asker_is_placed(void **state)
{
    (void)state;
    struct l2_rig *r = l2_rig_new(NULL);
    l2_rig_give(r, 10, 1, MEM_READ, 0x1040, 3, 0);
    l2_rig_give(r, 300, 2, MEM_READ, 0x1040, 12, 0);
    l2_rig_run(r, 500);
    assert_int_equal(r->sent[0].sectors, 12);
    assert_int_equal(l2_stats(r->l2)->read_hits, 1);
    l2_rig_free(r);
}

static void requests_for_a_line_on_its_way_wait_for_it(void **state)
{
    (void)state;
    struct l2_rig *r = l2_rig_new(NULL);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 1, 0);
    l2_rig_give(r, 11, 2, MEM_READ, 0, 1, 0);
    l2_rig_give(r, 12, 3, MEM_READ, 0, 3, 0);
    l2_rig_run(r, 500);
    assert_int_equal(r->nsent, 2);
    assert_int_equal(r->sent[1].sectors, 2);
    assert_int_equal(r->back[1], 181);
    assert_int_equal(r->back[2], 182); /* one answer a cycle */
    assert_int_equal(r->back[3], 183);
    const struct l2_stats *st = l2_stats(r->l2);
    assert_int_equal(st->read_misses, 1);
    assert_int_equal(st->read_merges, 1);
    assert_int_equal(st->read_sector_misses, 1);
    l2_rig_free(r);
}

static void check_released_by_the_fill(const char *const *sets, addr_t second, cycle_t back,
                                       size_t counter)
{
    struct l2_rig *r = l2_rig_new(sets);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 1, 0);
    l2_rig_give(r, 11, 2, MEM_READ, second, 1, 0);
    l2_rig_run(r, 600);
    assert_int_equal(r->back[1], 181);
    assert_int_equal(r->back[2], back);
    assert_int_equal(l2_stats(r->l2)->stall_cycles, 181 - 131);
    assert_true(*(const uint64_t *)((const char *)l2_stats(r->l2) + counter) > 0);
    l2_rig_free(r);
}

static void no_mshr_waits_for_a_fill(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.mshrs=1", NULL};
    check_released_by_the_fill(sets, 128, 181 + 51, offsetof(struct l2_stats, fail_mshr));
}

static void no_merge_slot_waits_for_a_fill(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.merges=1", NULL};
    check_released_by_the_fill(sets, 0, 182, offsetof(struct l2_stats, fail_merge));
}

static void no_way_waits_for_a_fill(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.ways=1", "l2.size=8K", NULL};
    check_released_by_the_fill(sets, 8192, 181 + 51, offsetof(struct l2_stats, fail_way));
}

static void whole_sectors_are_written_without_a_fetch_and_written_back(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.ways=1", "l2.size=8K", NULL};
    struct l2_rig *r = l2_rig_new(sets);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0x40, 12, 12);
    l2_rig_give(r, 200, 2, MEM_READ, 0x60, 8, 0);
    l2_rig_give(r, 400, 3, MEM_READ, 8192, 1, 0); /* takes its way */
    l2_rig_run(r, 700);
    assert_int_equal(r->back[1], 130);
    assert_int_equal(r->reqs[1].wire_bytes, 0);
    assert_int_equal(r->back[2], 320);
    assert_int_equal(r->nsent, 2);
    assert_int_equal(r->sent_at[0], 520);
    assert_int_equal(r->sent[0].kind, MEM_WRITE);
    assert_int_equal(r->sent[0].addr, 0x40);
    assert_int_equal(r->sent[0].sectors, 12);
    assert_int_equal(r->sent_at[1], 520);
    assert_int_equal(r->back[3], 571);
    const struct l2_stats *st = l2_stats(r->l2);
    assert_int_equal(st->evictions, 1);
    assert_int_equal(st->write_backs, 1);
    assert_int_equal(st->written_sectors, 2);
    l2_rig_free(r);
}

static void a_sector_written_in_part_is_fetched_when_it_is_read(void **state)
{
    (void)state;
    struct l2_rig *r = l2_rig_new(NULL);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 3, 1);
    l2_rig_give(r, 200, 2, MEM_READ, 0, 3, 0);
    l2_rig_run(r, 500);
    assert_int_equal(r->back[1], 130);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(r->sent[0].sectors, 2);
    assert_int_equal(r->back[2], 371);
    assert_int_equal(l2_stats(r->l2)->write_partial_sectors, 1);
    assert_int_equal(l2_stats(r->l2)->read_sector_misses, 1);
    l2_rig_free(r);
}

static void a_sector_written_in_part_is_fetched_at_once_if_so_configured(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.partial=fetch", NULL};
    struct l2_rig *r = l2_rig_new(sets);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 3, 1);
    l2_rig_give(r, 200, 2, MEM_READ, 0, 3, 0);
    l2_rig_run(r, 500);
    assert_int_equal(r->sent_at[0], 130);
    assert_int_equal(r->sent[0].sectors, 2);
    assert_int_equal(r->back[1], 181);
    assert_int_equal(r->back[2], 320);
    l2_rig_free(r);
}

/* Two lines of one set with one way; the first is dirty with one sector written in part. */
static struct l2_rig *partial_eviction(bool masked)
{
    const char *const sets[] = {"l2.ways=1", "l2.size=8K",
                                masked ? "l2.masked_writes=true" : "l2.masked_writes=false", NULL};
    struct l2_rig *r = l2_rig_new(sets);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 3, 1);
    l2_rig_give(r, 200, 2, MEM_WRITE, 8192, 1, 1);
    l2_rig_run(r, 500);
    assert_int_equal(r->back[2], 320);
    assert_true(l2_idle(r->l2));
    return r;
}

static void a_sector_written_in_part_is_fetched_before_it_is_written_back(void **state)
{
    (void)state;
    struct l2_rig *r = partial_eviction(false);
    assert_int_equal(r->nsent, 2);
    assert_int_equal(r->sent_at[0], 320);
    assert_int_equal(r->sent[0].kind, MEM_READ);
    assert_int_equal(r->sent[0].sectors, 2);
    assert_int_equal(r->sent_at[1], 371);
    assert_int_equal(r->sent[1].kind, MEM_WRITE);
    assert_int_equal(r->sent[1].sectors, 3);
    assert_int_equal(l2_stats(r->l2)->evict_fetches, 1);
    l2_rig_free(r);
    r = partial_eviction(true);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(r->sent[0].kind, MEM_WRITE);
    assert_int_equal(r->sent[0].sectors, 3);
    assert_int_equal(r->sent[0].full, 1);
    l2_rig_free(r);
}

/* While a write-back that was fetched for cannot leave, no new work for memory is begun. */
static void write_backs_that_wait_hold_misses(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.ways=1", "l2.size=8K", NULL};
    struct l2_rig *r = l2_rig_new(sets);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 3, 1);
    l2_rig_give(r, 200, 2, MEM_WRITE, 8192, 1, 1); /* the fetch goes at 320, is back at 371 */
    l2_rig_give(r, 220, 3, MEM_READ, 128, 1, 0);   /* these two fill the port at 341 */
    l2_rig_give(r, 221, 4, MEM_READ, 256, 1, 0);
    l2_rig_give(r, 280, 5, MEM_READ, 384, 1, 0);
    l2_rig_run(r, 330);
    r->hold_memory = true;
    l2_rig_run(r, 500);
    assert_int_equal(l2_stats(r->l2)->memory_replies, 1);
    assert_int_equal(l2_stats(r->l2)->read_misses, 2);
    assert_int_equal(l2_stats(r->l2)->fail_memory, 1);
    r->hold_memory = false;
    l2_rig_run(r, 700);
    assert_int_equal(r->nsent, 5);
    assert_int_equal(r->sent[3].kind, MEM_WRITE);
    assert_int_equal(r->sent[4].addr, 384);
    assert_true(l2_idle(r->l2));
    l2_rig_free(r);
}

static void atomics_keep_the_alu_busy_by_the_sector(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.atomic_cycles=8", "l2.port_bytes=128", NULL};
    struct l2_rig *r = l2_rig_new(sets);
    l2_touch(r->l2, 0, 128, L2_COPIED);
    l2_rig_give(r, 10, 1, MEM_ATOMIC, 0, 3, 0); /* two sectors: 16 cycles */
    l2_rig_give(r, 11, 2, MEM_ATOMIC, 0, 1, 0);
    l2_rig_give(r, 12, 3, MEM_READ, 0, 1, 0); /* does not wait for them */
    l2_rig_give(r, 200, 4, MEM_ATOMIC, 256, 1, 0);
    l2_rig_run(r, 500);
    assert_int_equal(r->back[1], 130 + 16);
    assert_int_equal(r->back[2], 130 + 16 + 8);
    assert_int_equal(r->back[3], 132);
    assert_int_equal(r->back[4], 320 + 51 + 8); /* fetched, then executed */
    assert_int_equal(r->reqs[1].wire_bytes, 64);
    const struct l2_stats *st = l2_stats(r->l2);
    assert_int_equal(st->atomic_busy, 32);
    assert_int_equal(st->atomic_hits, 2);
    assert_int_equal(st->atomic_misses, 1);
    l2_rig_free(r);
}

static void an_atomic_makes_the_line_dirty(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.ways=1", "l2.size=8K", NULL};
    struct l2_rig *r = l2_rig_new(sets);
    l2_rig_give(r, 10, 1, MEM_ATOMIC, 32, 2, 0);
    l2_rig_give(r, 300, 2, MEM_READ, 8192, 1, 0);
    l2_rig_run(r, 600);
    assert_int_equal(r->nsent, 3);
    assert_int_equal(r->sent[1].kind, MEM_WRITE);
    assert_int_equal(r->sent[1].sectors, 2);
    assert_int_equal(r->sent[1].full, 2);
    l2_rig_free(r);
}

static void the_data_port_moves_so_many_bytes_a_cycle(void **state)
{
    (void)state;
    struct l2_rig *r = l2_rig_new(NULL);
    l2_touch(r->l2, 0, 256, L2_COPIED);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 15, 0); /* four cycles of 32 bytes */
    l2_rig_give(r, 11, 2, MEM_READ, 128, 1, 0);
    l2_rig_give(r, 12, 3, MEM_READ, 128, 1, 0);
    l2_rig_run(r, 300);
    assert_int_equal(r->back[1], 130);
    assert_int_equal(r->back[2], 134);
    assert_int_equal(r->back[3], 135);
    assert_int_equal(l2_stats(r->l2)->fail_port, 1);
    assert_int_equal(l2_stats(r->l2)->data_busy, 6);
    l2_rig_free(r);
}

static uint32_t quarter(void *self, const struct mem_req *r, bool reply, uint32_t payload)
{
    (void)self, (void)r;
    return reply ? payload / 4 : payload;
}

static void the_data_port_moves_a_line_as_it_is_stored(void **state)
{
    (void)state;
    struct packet_policy packets = packet_policy_null;
    packets.wire_bytes = quarter;
    struct slice_seams seams = slice_seams_null;
    seams.l2_packets = &packets;
    struct l2_rig *r = l2_rig_with(NULL, &seams);
    l2_touch(r->l2, 0, 256, L2_COPIED);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 15, 0); /* 32 bytes: one cycle */
    l2_rig_give(r, 11, 2, MEM_READ, 128, 1, 0);
    l2_rig_run(r, 300);
    assert_int_equal(r->back[1], 130);
    assert_int_equal(r->back[2], 131);
    assert_int_equal(l2_stats(r->l2)->data_busy, 2);
    l2_rig_free(r);
}

static void the_fill_port_moves_so_many_bytes_a_cycle(void **state)
{
    (void)state;
    struct l2_rig *r = l2_rig_new(NULL);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 15, 0);
    l2_rig_give(r, 11, 2, MEM_READ, 128, 15, 0);
    l2_rig_run(r, 300);
    assert_int_equal(r->back[1], 181);
    assert_int_equal(r->back[2], 185);
    assert_int_equal(l2_stats(r->l2)->fill_busy, 8);
    l2_rig_free(r);
}

static void full_ways_out_hold_the_lookup(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.reply_queue=4", "l2.queue=1", "l2.latency=1", NULL};
    struct l2_rig *r = l2_rig_new(sets);
    l2_touch(r->l2, 0, 128, L2_COPIED);
    r->hold_noc = true;
    /* 2 in the port, 4 in the queue, 2 before the lookup, 2 in the port from the interconnect */
    for (uint32_t i = 0; i < 10; i++)
        l2_rig_give(r, 10 + 2 * i, 1 + i, MEM_READ, 0, 1, 0);
    l2_rig_run(r, 100);
    const struct l2_stats *st = l2_stats(r->l2);
    assert_int_equal(st->requests, 6);
    assert_int_equal(st->fail_reply, 1);
    assert_int_equal(port_count(r->from_noc), 2);
    r->hold_noc = false;
    l2_rig_run(r, 200);
    assert_int_equal(st->requests, 10);
    /* the two in the port had left the slice long ago; one a cycle is taken now */
    for (uint32_t i = 3; i <= 10; i++)
        assert_int_equal(r->back[i], 101 + i - 3);
    l2_rig_free(r);
}

static void a_full_memory_holds_the_lookup(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.memory_queue=2", NULL};
    struct l2_rig *r = l2_rig_new(sets);
    r->hold_memory = true;
    for (uint32_t i = 0; i < 6; i++)
        l2_rig_give(r, 10 + i, 1 + i, MEM_READ, i * 128, 1, 0);
    l2_rig_run(r, 200); /* 2 in the port, 2 in the queue */
    assert_int_equal(l2_stats(r->l2)->read_misses, 4);
    assert_int_equal(l2_stats(r->l2)->fail_memory, 1);
    r->hold_memory = false; /* both places of the port are free in 201, two more in 202 */
    l2_rig_run(r, 201);
    assert_int_equal(l2_stats(r->l2)->read_misses, 4);
    l2_rig_run(r, 203);
    assert_int_equal(l2_stats(r->l2)->read_misses, 5);
    l2_rig_run(r, 600);
    assert_true(l2_idle(r->l2));
    l2_rig_free(r);
}

static void host_copies_fill_and_a_flush_empties(void **state)
{
    (void)state;
    struct l2_rig *r = l2_rig_new(NULL);
    l2_touch(r->l2, 300, 200, L2_COPIED); /* lines 256 and 384 */
    l2_rig_give(r, 10, 1, MEM_READ, 256, 15, 0);
    l2_rig_give(r, 20, 2, MEM_READ, 384, 15, 0);
    l2_rig_give(r, 30, 3, MEM_READ, 512, 1, 0);
    l2_rig_run(r, 300);
    assert_int_equal(l2_stats(r->l2)->read_hits, 2);
    assert_int_equal(l2_stats(r->l2)->read_misses, 1);
    l2_flush(r->l2);
    l2_rig_give(r, 310, 4, MEM_READ, 256, 15, 0);
    l2_rig_run(r, 600);
    assert_int_equal(l2_stats(r->l2)->read_misses, 2);
    l2_rig_free(r);
}

static void check_rejected(const char *set, const char *message)
{
    struct l2_cfg cfg;
    struct err err;
    struct conf *conf = conf_new();
    conf_add(conf, "l2", l2_fields, l2_nfields, &cfg);
    assert_true(conf_set(conf, set, &err));
    assert_false(l2_cfg_check(&cfg, "l2", &err));
    assert_string_equal(err.msg, message);
    conf_free(conf);
}

static void bad_configurations_are_named(void **state)
{
    (void)state;
    check_rejected("l2.size=1000", "l2.size: 1000 is not a multiple of ways * line_bytes = 1024");
    check_rejected(
        "l2.merges=9",
        "l2.reply_queue: 8 can never hold the 9 requests that one fill answers (merges)");
    check_rejected("l2.memory_queue=1",
                   "l2.memory_queue: 1 can never hold a fetch and a write-back");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_goes_to_memory_a_hit_is_answered_after_the_latency),
        cmocka_unit_test(a_shorter_line_of_the_asker_is_placed),
        cmocka_unit_test(requests_for_a_line_on_its_way_wait_for_it),
        cmocka_unit_test(no_mshr_waits_for_a_fill),
        cmocka_unit_test(no_merge_slot_waits_for_a_fill),
        cmocka_unit_test(no_way_waits_for_a_fill),
        cmocka_unit_test(whole_sectors_are_written_without_a_fetch_and_written_back),
        cmocka_unit_test(a_sector_written_in_part_is_fetched_when_it_is_read),
        cmocka_unit_test(a_sector_written_in_part_is_fetched_at_once_if_so_configured),
        cmocka_unit_test(a_sector_written_in_part_is_fetched_before_it_is_written_back),
        cmocka_unit_test(write_backs_that_wait_hold_misses),
        cmocka_unit_test(atomics_keep_the_alu_busy_by_the_sector),
        cmocka_unit_test(an_atomic_makes_the_line_dirty),
        cmocka_unit_test(the_data_port_moves_so_many_bytes_a_cycle),
        cmocka_unit_test(the_data_port_moves_a_line_as_it_is_stored),
        cmocka_unit_test(the_fill_port_moves_so_many_bytes_a_cycle),
        cmocka_unit_test(full_ways_out_hold_the_lookup),
        cmocka_unit_test(a_full_memory_holds_the_lookup),
        cmocka_unit_test(host_copies_fill_and_a_flush_empties),
        cmocka_unit_test(bad_configurations_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
