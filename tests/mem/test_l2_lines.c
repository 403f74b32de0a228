/* An L2 slice that is not sectored, below caches that are (l2.sectored=false): it keeps time as one
 * whose sector is the line, and answers with the sectors asked for. */
#include "support_l2_rig.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const lines[] = {"l2.sectored=false", "l2.size=256", "l2.ways=1", NULL};

static void a_miss_fetches_the_line_and_answers_what_was_asked_for(void **state)
{
    (void)state;
    struct l2_rig *r = l2_rig_new(lines);
    l2_rig_give(r, 10, 1, MEM_READ, 64, 0x4, 0);
    l2_rig_give(r, 300, 2, MEM_READ, 0, 0x3, 0);
    l2_rig_run(r, 500);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(r->sent[0].sectors, 0xf);
    assert_int_equal(r->reqs[1].wire_bytes, 32);
    assert_int_equal(r->reqs[2].wire_bytes, 64);
    assert_int_equal(l2_stats(r->l2)->read_hits, 1);
    l2_rig_free(r);
}

/* A write of a whole sector is one of a part of the line: the line is fetched before it is
 * written back, all of it. One of the whole line needs nothing. */
static void a_write_covers_the_line_or_none_of_its_sectors(void **state)
{
    (void)state;
    struct l2_rig *r = l2_rig_new(lines);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 0x1, 0x1);
    l2_rig_give(r, 200, 2, MEM_WRITE, 256, 0xf, 0xf); /* takes its place */
    l2_rig_give(r, 500, 3, MEM_WRITE, 512, 0xf, 0xf);
    l2_rig_run(r, 900);
    const struct l2_stats *st = l2_stats(r->l2);
    assert_int_equal(st->write_partial_sectors, 4);
    assert_int_equal(st->evict_fetches, 1);
    assert_int_equal(st->write_backs, 2);
    assert_int_equal(st->written_sectors, 8);
    assert_int_equal(r->sent[0].kind, MEM_READ);
    assert_int_equal(r->sent[0].sectors, 0xf);
    assert_int_equal(r->sent[1].sectors, 0xf);
    assert_int_equal(r->sent[2].kind, MEM_WRITE);
    l2_rig_free(r);
}

/* Memory brings the line 51 cycles behind the lookup; a read until then waits for it, too. */
static void always_means_a_line_that_is_written_whole_is_fetched(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.sectored=false", "l2.size=256",       "l2.ways=1",
                                "l2.partial=always", "l2.port_bytes=128", NULL};
    struct l2_rig *r = l2_rig_new(sets);
    l2_rig_give(r, 10, 1, MEM_WRITE, 0, 0xf, 0xf);
    l2_rig_give(r, 20, 2, MEM_READ, 0, 0x1, 0);
    l2_rig_give(r, 300, 3, MEM_WRITE, 0, 0xf, 0xf);   /* hits */
    l2_rig_give(r, 500, 4, MEM_WRITE, 256, 0xf, 0xf); /* takes its place */
    l2_rig_run(r, 900);
    const struct l2_stats *st = l2_stats(r->l2);
    assert_int_equal(r->back[1], 10 + 120 + 51);
    assert_int_equal(r->back[2], 10 + 120 + 52);
    assert_int_equal(r->back[3], 300 + 120);
    assert_int_equal(st->fetches, 2);
    assert_int_equal(st->write_backs, 1);
    assert_int_equal(st->evict_fetches, 0);
    assert_int_equal(st->write_partial_sectors, 0);
    assert_int_equal(st->read_merges, 1);
    l2_rig_free(r);
}

/* Two sectors of an atomic keep the ALU busy for 8 cycles, not for 16, and the line is dirty. */
static void an_atomic_counts_once_and_makes_the_line_dirty(void **state)
{
    (void)state;
    const char *const sets[] = {"l2.sectored=false",  "l2.size=256",       "l2.ways=1",
                                "l2.atomic_cycles=8", "l2.port_bytes=128", NULL};
    struct l2_rig *r = l2_rig_new(sets);
    l2_touch(r->l2, 0, 128, L2_COPIED);
    l2_rig_give(r, 10, 1, MEM_ATOMIC, 0, 0x3, 0);
    l2_rig_give(r, 300, 2, MEM_WRITE, 256, 0xf, 0xf);
    l2_rig_run(r, 600);
    assert_int_equal(r->back[1], 10 + 120 + 8);
    assert_int_equal(r->reqs[1].wire_bytes, 64);
    assert_int_equal(l2_stats(r->l2)->atomic_busy, 8);
    assert_int_equal(l2_stats(r->l2)->written_sectors, 4);
    l2_rig_free(r);
}

/* --- against a slice with one sector a line --- */

enum { REQUESTS = 4000, LINES = 48 };
#define SHAPE "l2.size=4096", "l2.ways=4", "l2.port_bytes=128", "l2.mshrs=8", "l2.atomic_cycles=3"

static void random_requests(struct l2_rig *by_line, struct l2_rig *one_sector)
{
    struct rng rng = {7};
    cycle_t at = 2;
    for (uint32_t i = 1; i < REQUESTS; i++) {
        const enum mem_kind kind = (enum mem_kind)rng_below(&rng, 3);
        const addr_t line = rng_below(&rng, LINES) * 128;
        const uint16_t map = (uint16_t)(1 + rng_below(&rng, 15));
        const bool is_whole = map == 0xf && kind == MEM_WRITE;
        at += 1 + rng_below(&rng, 12) + (i % 16 ? 0 : 200); /* ports have room again */
        l2_rig_give(by_line, at, i, kind, line + 32u * (uint32_t)__builtin_ctz(map), map,
                    kind == MEM_WRITE ? map : 0);
        l2_rig_give(one_sector, at, i, kind, line, 1, is_whole);
    }
    l2_rig_run(by_line, at + 5000);
    l2_rig_run(one_sector, at + 5000);
}

static void compare_partial(const char *partial)
{
    const char *const by_line[] = {"l2.sectored=false", SHAPE, partial, NULL};
    const char *const one_sector[] = {"l2.sector_bytes=128", SHAPE, partial, NULL};
    struct l2_rig *a = l2_rig_new(by_line), *b = l2_rig_new(one_sector);
    random_requests(a, b);
    for (uint32_t i = 1; i < REQUESTS; i++) {
        assert_int_not_equal(a->back[i], 0);
        assert_int_equal(a->back[i], b->back[i]);
    }
    const struct l2_stats *x = l2_stats(a->l2), *y = l2_stats(b->l2);
    assert_int_equal(x->fetches, y->fetches);
    assert_int_equal(x->fetched_sectors, 4 * y->fetched_sectors);
    assert_int_equal(x->written_sectors, 4 * y->written_sectors);
    assert_int_equal(x->write_partial_sectors, 4 * y->write_partial_sectors);
    assert_int_equal(x->evict_fetches, y->evict_fetches);
    assert_int_equal(x->atomic_busy, y->atomic_busy);
    assert_int_equal(x->stall_cycles, y->stall_cycles);
    assert_true(x->read_hits > 100 && x->evictions > 100 && x->write_backs > 100);
    l2_rig_free(a);
    l2_rig_free(b);
}

static void it_keeps_time_as_one_sector_a_line_does(void **state)
{
    (void)state;
    compare_partial("l2.partial=fetch");
    compare_partial("l2.partial=lazy");
    compare_partial("l2.partial=always");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_fetches_the_line_and_answers_what_was_asked_for),
        cmocka_unit_test(a_write_covers_the_line_or_none_of_its_sectors),
        cmocka_unit_test(always_means_a_line_that_is_written_whole_is_fetched),
        cmocka_unit_test(an_atomic_counts_once_and_makes_the_line_dirty),
        cmocka_unit_test(it_keeps_time_as_one_sector_a_line_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
