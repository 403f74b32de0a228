/* The L1 to the cycle. Unless said otherwise: latency 35, memory answers after 100. */
#include "support_l1_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct l1_access load(addr_t addr, uint16_t sectors, uint32_t token)
{
    return (struct l1_access){.addr = addr, .bytes = 32, .sectors = sectors, .token = token};
}

static struct l1_access store(addr_t addr, uint16_t sectors, uint16_t full, uint32_t token)
{
    return (struct l1_access){.addr = addr,
                              .bytes = 12,
                              .sectors = sectors,
                              .full = full,
                              .kind = MEM_WRITE,
                              .token = token};
}

static void submit(struct l1_rig *r, cycle_t at, struct l1_access a)
{
    l1_rig_submit(r, at, &a);
}

static void a_miss_takes_latency_and_memory_a_hit_the_latency(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    submit(r, 10, load(0x1040, 4, 1));
    submit(r, 200, load(0x1000, 1, 2));
    l1_rig_run(r, 300);
    assert_int_equal(r->sent_at[0], 45);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[2], 235);
    assert_int_equal(r->nsent, 1);
    const struct mem_req *req = &r->sent[0];
    assert_int_equal(req->addr, 0x1000);
    assert_int_equal(req->bytes, 128);
    assert_int_equal(req->sectors, 15);
    assert_int_equal(req->kind, MEM_READ);
    assert_int_equal(req->wire_bytes, 0);
    assert_int_equal(req->src, 3);
    assert_int_equal(req->at[MEM_AT_BORN], 45);
    assert_ptr_equal(req->owner, r->l1);
    assert_true(l1_idle(r->l1));
    assert_int_equal(r->pool.out, 0);
    l1_rig_free(r);
}

static void what_was_touched_while_time_stood_still_is_there(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    assert_false(l1_has(r->l1, 0x1000));
    assert_true(l1_touch(r->l1, 0x1000, false));
    assert_false(l1_touch(r->l1, 0x1040, false));
    assert_true(l1_has(r->l1, 0x1000));
    submit(r, 10, load(0x1040, 4, 1));
    l1_rig_run(r, 60);
    assert_int_equal(r->done[1], 45);
    assert_int_equal(r->nsent, 0);
    assert_true(l1_idle(r->l1));
    l1_rig_free(r);
}

static void a_touched_line_leaves_as_after_a_read_or_a_write(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.write_global=through_evict", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    l1_touch(r->l1, 0x1000, false);
    assert_false(l1_touch(r->l1, 0x1000, true)); /* it was there; a store goes past it */
    assert_false(l1_has(r->l1, 0x1000));
    assert_true(l1_touch(r->l1, 0x1000, true));
    assert_false(l1_has(r->l1, 0x1000));
    for (addr_t line = 0; line < 1 << 20; line += 128)
        l1_touch(r->l1, line, false);
    assert_false(l1_has(r->l1, 0));
    assert_true(l1_has(r->l1, (1 << 20) - 128));
    submit(r, 10, load(0x200000, 1, 1)); /* on its way, it is left alone */
    l1_rig_run(r, 60);
    assert_true(l1_has(r->l1, 0x200000));
    assert_false(l1_touch(r->l1, 0x200000, true));
    l1_rig_run(r, 300);
    assert_int_equal(r->done[1], 145);
    l1_rig_free(r);
}

static void an_access_that_is_given_when_it_is_due_is_one_that_has_waited(void **state)
{
    (void)state;
    struct l1_rig *asked = l1_rig_new(NULL), *given = l1_rig_new(NULL);
    uint32_t token = 0;
    submit(asked, 10, load(0x1040, 4, 1));
    l1_rig_run(asked, 200);
    submit(asked, 200, load(0x1000, 1, 2));
    l1_rig_run(asked, 300);
    const struct l1_access miss = load(0x1040, 4, 1), hit = load(0x1000, 1, 2);
    l1_rig_run(given, 45);
    l1_submit_due(given->l1, 45, &miss);
    l1_rig_run(given, 235);
    l1_submit_due(given->l1, 235, &hit);
    assert_true(l1_pop_done(given->l1, 235, &token));
    assert_int_equal(token, 2);
    assert_int_equal(given->done[1], asked->done[1]);
    assert_int_equal(asked->done[2], 235);
    assert_memory_equal(l1_stats(given->l1), l1_stats(asked->l1), sizeof(struct l1_stats));
    l1_rig_free(asked);
    l1_rig_free(given);
}

static void accesses_travel_one_a_cycle(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    submit(r, 10, load(0, 1, 1));
    l1_rig_run(r, 200);
    for (uint32_t i = 0; i < 50; i++)
        submit(r, 200 + i, load(0, 1, 10 + i));
    l1_rig_run(r, 300);
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(r->done[10 + i], 235 + i);
    l1_rig_free(r);
}

static void merged_reads_leave_one_a_cycle_in_order(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    submit(r, 10, load(0, 1, 1));
    submit(r, 11, load(32, 2, 2));
    submit(r, 12, load(64, 4, 3));
    l1_rig_run(r, 300);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[2], 146);
    assert_int_equal(r->done[3], 147);
    assert_int_equal(l1_stats(r->l1)->read_merges, 2);
    l1_rig_free(r);
}

static void a_sectored_miss_asks_for_its_sectors_only(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.sectored=true", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    submit(r, 10, load(0x80, 6, 1));
    submit(r, 20, load(0x80, 12, 2)); /* one on its way, one not asked for */
    submit(r, 200, load(0x80, 14, 3));
    l1_rig_run(r, 300);
    assert_int_equal(r->nsent, 2);
    assert_int_equal(r->sent[0].addr, 0xa0);
    assert_int_equal(r->sent[0].sectors, 6);
    assert_int_equal(r->sent[0].bytes, 64);
    assert_int_equal(r->sent[1].addr, 0xe0);
    assert_int_equal(r->sent[1].sectors, 8);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[2], 155);
    assert_int_equal(r->done[3], 235);
    const struct l1_stats *st = l1_stats(r->l1);
    assert_int_equal(st->read_misses, 1);
    assert_int_equal(st->read_sector_misses, 1);
    assert_int_equal(st->read_hits, 1);
    assert_int_equal(st->sectors_asked, 3);
    l1_rig_free(r);
}

/* The first miss is answered at 145; what waits for it goes on in that cycle. */
static void check_released_at_the_fill(const char *const *sets, addr_t second, cycle_t done,
                                       size_t counter)
{
    struct l1_rig *r = l1_rig_new(sets);
    submit(r, 10, load(0, 1, 1));
    submit(r, 11, load(second, 1, 2));
    l1_rig_run(r, 400);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[2], done);
    /* tried at 46, and once more after the request had left at 45 (it had before 46) */
    assert_int_equal(*(const uint64_t *)((const char *)l1_stats(r->l1) + counter), 1);
    assert_int_equal(l1_stats(r->l1)->stall_cycles, 145 - 46);
    l1_rig_free(r);
}

static void no_mshr_waits_for_the_fill(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.mshrs=1", NULL};
    check_released_at_the_fill(sets, 4096 + 128, 245, offsetof(struct l1_stats, fail_mshr));
}

static void no_merge_slot_waits_for_the_fill(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.merges=1", NULL};
    /* then it hits; the SM takes one a cycle */
    check_released_at_the_fill(sets, 32, 146, offsetof(struct l1_stats, fail_merge));
}

static void no_way_waits_for_the_fill(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.ways=1", "l1.size=4K", NULL};
    check_released_at_the_fill(sets, 4096, 245, offsetof(struct l1_stats, fail_way));
}

static void a_full_miss_queue_waits_for_the_interconnect(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.miss_queue=2", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    r->hold = true;
    for (uint32_t i = 0; i < 4; i++)
        submit(r, 10 + i, load(i * 128, 1, i));
    l1_rig_run(r, 100);
    assert_int_equal(l1_stats(r->l1)->fail_queue, 1);
    assert_int_equal(l1_stats(r->l1)->read_misses, 2);
    r->hold = false; /* the queue shrinks in cycle 100, the next is looked up in 101 */
    l1_rig_run(r, 101);
    assert_int_equal(l1_stats(r->l1)->read_misses, 2);
    l1_rig_run(r, 102);
    assert_int_equal(l1_stats(r->l1)->read_misses, 3);
    l1_rig_run(r, 400);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(r->sent_at[i], 100 + i);
        assert_int_equal(r->done[i], 200 + i);
    }
    l1_rig_free(r);
}

static void the_pipe_is_full_when_nothing_leaves_it(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.miss_queue=2", "l1.latency=4", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    r->hold = true;
    uint32_t n = 0;
    for (; n < 100; n++, r->now++) {
        l1_rig_cycle(r);
        if (!l1_can_accept(r->l1, r->now, n * 128))
            break;
        struct l1_access a = load(n * 128, 1, n);
        l1_submit(r->l1, r->now, &a);
    }
    assert_int_equal(n, 2 + 4);                       /* the miss queue and the pipe */
    assert_int_equal(l1_next(r->l1, r->now), r->now); /* requests can be popped */
    l1_rig_free(r);
}

static void writes_go_through_and_evict(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    submit(r, 10, load(0, 1, 1));
    submit(r, 200, store(4, 1, 0, 2));
    submit(r, 400, load(0, 1, 3));
    l1_rig_run(r, 600);
    assert_int_equal(r->acked[2], 335);
    assert_int_equal(r->done[3], 535);
    assert_int_equal(r->sent[1].kind, MEM_WRITE);
    assert_int_equal(r->sent[1].bytes, 12);
    assert_int_equal(r->sent[1].wire_bytes, 12);
    assert_int_equal(r->sent[1].addr, 0);
    const struct l1_stats *st = l1_stats(r->l1);
    assert_int_equal(st->write_hits, 1);
    assert_int_equal(st->write_evictions, 1);
    assert_int_equal(st->read_misses, 2);
    l1_rig_free(r);
}

static void writes_go_through_and_update(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.write_global=through_update", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    submit(r, 10, load(0, 1, 1));
    submit(r, 200, store(4, 1, 0, 2));
    submit(r, 201, store(4096, 1, 1, 3));
    submit(r, 400, load(0, 1, 4));
    l1_rig_run(r, 600);
    assert_int_equal(r->acked[2], 335);
    assert_int_equal(r->acked[3], 336);
    assert_int_equal(r->done[4], 435);
    assert_int_equal(r->sent[2].full, 1);
    assert_int_equal(l1_stats(r->l1)->write_hits, 1);
    assert_int_equal(l1_stats(r->l1)->write_misses, 1);
    l1_rig_free(r);
}

static const char *const back_one_way[] = {"l1.write_local=back", "l1.ways=1", "l1.size=4K", NULL};

static void local_writes_stay_until_the_line_gives_way(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(back_one_way);
    struct l1_access w = store(64, 12, 12, 1);
    w.space = MEM_LOCAL;
    l1_rig_submit(r, 10, &w);
    submit(r, 100, load(4096, 1, 2));
    l1_rig_run(r, 400);
    assert_int_equal(r->acked[1], 45); /* stays here: no fetch, done at once */
    assert_int_equal(r->sent_at[0], 135);
    assert_int_equal(r->sent[0].kind, MEM_WRITE);
    assert_int_equal(r->sent[0].addr, 64);
    assert_int_equal(r->sent[0].sectors, 12);
    assert_int_equal(r->sent[0].bytes, 64);
    assert_int_equal(r->sent[0].wire_bytes, 64);
    assert_int_equal(r->sent_at[1], 136); /* then the fetch */
    assert_int_equal(r->done[2], 236);
    assert_int_equal(l1_stats(r->l1)->requests_back, 1);
    assert_int_equal(l1_stats(r->l1)->evictions, 1);
    l1_rig_free(r);
}

static void a_write_of_part_of_a_sector_is_acked_when_the_rest_is_there(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.write_global=back", "l1.sectored=true", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    submit(r, 10, store(0, 3, 1, 1));
    submit(r, 11, load(32, 2, 2));
    l1_rig_run(r, 400);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(r->sent[0].kind, MEM_READ);
    assert_int_equal(r->sent[0].sectors, 2);
    assert_int_equal(r->acked[1], 145);
    assert_int_equal(r->done[2], 145);
    assert_int_equal(l1_stats(r->l1)->read_merges, 1);
    l1_rig_free(r);
}

static void write_back_without_allocation_forwards_misses(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.write_global=back_no_allocate", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    submit(r, 10, store(0, 1, 1, 1));
    submit(r, 200, load(0, 1, 2));
    submit(r, 400, store(0, 1, 0, 3));
    l1_rig_run(r, 600);
    assert_int_equal(r->acked[1], 145);
    assert_int_equal(r->done[2], 335);
    assert_int_equal(r->acked[3], 435);
    l1_rig_free(r);
}

static void atomics_pass_and_evict(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    struct l1_access atom = load(0, 1, 2), cg = load(0, 1, 4);
    atom.kind = MEM_ATOMIC;
    cg.bypass = true;
    submit(r, 10, load(0, 1, 1));
    l1_rig_submit(r, 200, &atom);
    l1_rig_submit(r, 400, &cg);
    submit(r, 401, load(0, 1, 3));
    l1_rig_run(r, 700);
    assert_int_equal(r->done[2], 335);
    assert_int_equal(r->sent[1].kind, MEM_ATOMIC);
    assert_int_equal(r->sent[1].wire_bytes, 32);
    assert_int_equal(r->done[4], 535);
    assert_int_equal(r->sent[2].sectors, 1);
    assert_int_equal(r->done[3], 536);
    assert_int_equal(l1_stats(r->l1)->bypasses, 2);
    assert_int_equal(l1_stats(r->l1)->read_misses, 2);
    l1_rig_free(r);
}

static void a_line_may_come_in_parts(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.request_sectors=1", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    submit(r, 10, load(0, 9, 1));
    submit(r, 11, load(0, 2, 2));
    l1_rig_run(r, 300);
    assert_int_equal(r->nsent, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(r->sent_at[i], 45 + i);
        assert_int_equal(r->sent[i].sectors, 1 << i);
        assert_int_equal(r->sent[i].addr, 32 * i);
    }
    assert_int_equal(r->done[2], 146); /* sector 1 is the second part */
    assert_int_equal(r->done[1], 148); /* sectors 0 and 3 */
    l1_rig_free(r);
}

static void a_flush_empties_and_writes_back(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.write_global=back", "l1.miss_queue=2", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    for (uint32_t i = 0; i < 4; i++)
        submit(r, 10 + i, store(i * 128, 15, 15, i));
    submit(r, 20, load(4096, 1, 9));
    l1_rig_run(r, 200);
    assert_true(l1_idle(r->l1));
    l1_flush(r->l1, 200);
    assert_false(l1_idle(r->l1));
    l1_rig_run(r, 400);
    assert_true(l1_idle(r->l1));
    assert_int_equal(r->nsent, 5);
    for (uint32_t i = 0; i < 4; i++) { /* two fit at once; then one a cycle */
        assert_int_equal(r->sent_at[1 + i], 200 + i);
        assert_int_equal(r->sent[1 + i].addr, i * 128);
    }
    assert_int_equal(l1_stats(r->l1)->flushed, 5);
    submit(r, 400, load(0, 1, 10));
    l1_rig_run(r, 600);
    assert_int_equal(r->done[10], 535);
    l1_rig_free(r);
}

static void a_disabled_cache_only_costs_its_latency(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.enabled=false", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    submit(r, 10, load(64, 4, 1));
    submit(r, 200, load(64, 4, 2));
    l1_rig_run(r, 400);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[2], 335);
    assert_int_equal(r->sent[0].sectors, 4);
    assert_int_equal(r->sent[0].addr, 64);
    l1_rig_free(r);
}

static void banks_take_one_access_each(void **state)
{
    (void)state;
    const char *const sets[] = {"l1.banks=2", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    struct l1_access a = load(0, 1, 1), b = load(128, 1, 2);
    assert_true(l1_can_accept(r->l1, 1, 0));
    l1_submit(r->l1, 1, &a);
    assert_false(l1_can_accept(r->l1, 1, 256));
    assert_true(l1_can_accept(r->l1, 1, 128));
    l1_submit(r->l1, 1, &b);
    assert_true(l1_can_accept(r->l1, 2, 256));
    l1_rig_run(r, 300);
    assert_int_equal(r->done[1], 136);
    assert_int_equal(r->done[2], 137); /* its request left one cycle later */
    l1_rig_free(r);
}

static void it_says_when_it_has_something_to_do(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    assert_true(l1_next(r->l1, 5) == CYCLE_NEVER);
    submit(r, 10, load(0, 1, 1));
    assert_int_equal(l1_next(r->l1, 11), 45);
    l1_rig_run(r, 46);
    assert_true(l1_next(r->l1, 46) == CYCLE_NEVER); /* waits for memory */
    struct mem_req *reply = r->flight[0].req;
    r->nflight = 0;
    l1_fill(r->l1, 50, reply);
    assert_int_equal(l1_next(r->l1, 50), 50);
    l1_rig_free(r);
}

static void check_rejected(const char *const *sets, const char *message)
{
    struct l1_cfg cfg;
    struct err err;
    struct conf *conf = conf_new();
    conf_add(conf, "l1d", l1_fields, l1_nfields, &cfg);
    for (; *sets; sets++)
        assert_true(conf_set(conf, *sets, &err));
    assert_false(l1_cfg_check(&cfg, "l1d", &err));
    assert_string_equal(err.msg, message);
    conf_free(conf);
}

static void bad_configurations_are_named(void **state)
{
    (void)state;
    check_rejected((const char *const[]){"l1d.line_bytes=96", NULL},
                   "l1d.line_bytes: 96 is not a power of two");
    check_rejected((const char *const[]){"l1d.sector_bytes=256", NULL},
                   "l1d.sector_bytes: 256 is not a power of two up to line_bytes (128)");
    check_rejected((const char *const[]){"l1d.line_bytes=512", "l1d.sector_bytes=16", NULL},
                   "l1d.sector_bytes: a line of 512 bytes would have more than 16 sectors");
    check_rejected((const char *const[]){"l1d.size=16000", NULL},
                   "l1d.size: 16000 is not a multiple of ways * line_bytes = 512");
    check_rejected((const char *const[]){"l1d.banks=3", NULL},
                   "l1d.banks: 3 is not a power of two");
    check_rejected((const char *const[]){"l1d.miss_queue=4", "l1d.request_sectors=1", NULL},
                   "l1d.miss_queue: 4 can never hold a line's 4 requests and a write-back");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_takes_latency_and_memory_a_hit_the_latency),
        cmocka_unit_test(what_was_touched_while_time_stood_still_is_there),
        cmocka_unit_test(a_touched_line_leaves_as_after_a_read_or_a_write),
        cmocka_unit_test(an_access_that_is_given_when_it_is_due_is_one_that_has_waited),
        cmocka_unit_test(accesses_travel_one_a_cycle),
        cmocka_unit_test(merged_reads_leave_one_a_cycle_in_order),
        cmocka_unit_test(a_sectored_miss_asks_for_its_sectors_only),
        cmocka_unit_test(no_mshr_waits_for_the_fill),
        cmocka_unit_test(no_merge_slot_waits_for_the_fill),
        cmocka_unit_test(no_way_waits_for_the_fill),
        cmocka_unit_test(a_full_miss_queue_waits_for_the_interconnect),
        cmocka_unit_test(the_pipe_is_full_when_nothing_leaves_it),
        cmocka_unit_test(writes_go_through_and_evict),
        cmocka_unit_test(writes_go_through_and_update),
        cmocka_unit_test(local_writes_stay_until_the_line_gives_way),
        cmocka_unit_test(a_write_of_part_of_a_sector_is_acked_when_the_rest_is_there),
        cmocka_unit_test(write_back_without_allocation_forwards_misses),
        cmocka_unit_test(atomics_pass_and_evict),
        cmocka_unit_test(a_line_may_come_in_parts),
        cmocka_unit_test(a_flush_empties_and_writes_back),
        cmocka_unit_test(a_disabled_cache_only_costs_its_latency),
        cmocka_unit_test(banks_take_one_access_each),
        cmocka_unit_test(it_says_when_it_has_something_to_do),
        cmocka_unit_test(bad_configurations_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
