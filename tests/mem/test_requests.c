/* What a request policy sees of lines and decides: first misses, misses on lines that are on their
 * way or here in part, and the lives of lines. A request leaves 35 cycles after its access, is
 * answered 100 later, and one access completes in a cycle. */
#include "support_l1_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Asks for what is needed, and for the rest of a line that is on its way; notes what it is told. */
struct filter {
    uint32_t nsent, nsettled, nleft;
    struct line_view sent[8];
    struct line_life settled[8], left[8];
    addr_t line; /* of the last that settled or left */
};

static uint16_t needed_or_rest(const void *self, const struct line_view *v)
{
    (void)self;
    return v->reserved ? v->fetch : v->missing;
}

static void note_sent(void *self, const struct line_view *v, uint16_t asked, cycle_t now)
{
    struct filter *f = self;
    (void)now;
    assert_int_equal(asked, needed_or_rest(self, v));
    f->sent[f->nsent++] = *v;
}

static void note_settled(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    struct filter *f = self;
    (void)now;
    f->line = line;
    f->settled[f->nsettled++] = *life;
}

static void note_left(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    struct filter *f = self;
    (void)now;
    f->line = line;
    f->left[f->nleft++] = *life;
}

static struct request_policy policy_of(struct filter *f)
{
    struct request_policy p = request_policy_null;
    p.ask = needed_or_rest;
    p.sent = note_sent;
    p.settled = note_settled;
    p.left = note_left;
    p.self = f;
    return p;
}

static struct l1_rig *rig_with(const char *const *sets, const struct request_policy *p)
{
    struct l1_rig *r = l1_rig_new(sets);
    struct l1_seams seams = l1_seams_null;
    seams.requests = p;
    l1_rig_bind(r, &seams);
    return r;
}

/* A read of the sectors `map` of a line. */
static void read_at(struct l1_rig *r, cycle_t at, addr_t line, uint16_t map, uint32_t token)
{
    const struct l1_access a = {
        .addr = line, .bytes = mem_sector_count(map) * 32, .sectors = map, .token = token};
    l1_rig_submit(r, at, &a);
}

/* Sector 0 is asked for at 45; sector 3, of a line that is on its way, with the rest at 55. */
static void three_reads(struct l1_rig *r)
{
    read_at(r, 10, 0, 0x1, 1);
    read_at(r, 20, 0, 0x8, 2);
    read_at(r, 30, 0, 0x1, 3);
    l1_rig_run(r, 300);
    assert_int_equal(r->nsent, 2);
    assert_int_equal(r->sent[0].sectors, 0x1);
    assert_int_equal(r->sent_at[0], 45);
    assert_int_equal(r->sent[1].sectors, 0xe);
    assert_int_equal(r->sent_at[1], 55);
    assert_int_equal(l1_stats(r->l1)->read_misses, 1);
    assert_int_equal(l1_stats(r->l1)->read_sector_misses, 1);
    assert_int_equal(l1_stats(r->l1)->read_merges, 1);
    assert_true(l1_idle(r->l1));
}

static void each_read_waits_for_its_own_sectors(void **state)
{
    (void)state;
    struct filter f = {0};
    const struct request_policy p = policy_of(&f);
    struct l1_rig *r = rig_with(NULL, &p);
    three_reads(r);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[3], 146); /* the same cycle, and one completes in each */
    assert_int_equal(r->done[2], 155);
    l1_rig_free(r);
}

static void or_for_all_that_is_on_its_way(void **state)
{
    (void)state;
    struct filter f = {0};
    struct request_policy p = policy_of(&f);
    p.wakes_together = true;
    struct l1_rig *r = rig_with(NULL, &p);
    three_reads(r);
    assert_int_equal(r->done[1], 155);
    assert_int_equal(r->done[2], 156);
    assert_int_equal(r->done[3], 157);
    l1_rig_free(r);
}

/* Sector 0 is here at 145, and what else was asked for at 155: a read of it at 147 is a hit where
 * each waits for its own, and waits for the others where all wake together. */
static void a_line_on_its_way_serves_no_hit_where_all_wake_together(void **state)
{
    (void)state;
    for (int together = 0; together < 2; together++) {
        struct filter f = {0};
        struct request_policy p = policy_of(&f);
        p.wakes_together = together;
        struct l1_rig *r = rig_with(NULL, &p);
        read_at(r, 10, 0, 0x1, 1);
        read_at(r, 20, 0, 0x8, 2);
        read_at(r, 147 - 35, 0, 0x1, 3);
        l1_rig_run(r, 300);
        assert_int_equal(r->done[3], together ? 157 : 147);
        assert_int_equal(l1_stats(r->l1)->read_hits, !together);
        assert_int_equal(l1_stats(r->l1)->read_merges, together);
        l1_rig_free(r);
    }
}

static void a_view_shows_the_line_before_the_miss(void **state)
{
    (void)state;
    struct filter f = {0};
    const struct request_policy p = policy_of(&f);
    struct l1_rig *r = rig_with(NULL, &p);
    three_reads(r);
    read_at(r, 400, 128, 0x1, 4);
    read_at(r, 600, 128, 0x6, 5);
    l1_rig_run(r, 900);
    assert_int_equal(f.nsent, 4);
    assert_int_equal(f.sent[0].fetch, 0xf); /* the configuration would fetch the line */
    assert_int_equal(f.sent[0].valid | f.sent[0].reserved, 0);
    assert_int_equal(f.sent[1].need, 0x8);
    assert_int_equal(f.sent[1].reserved, 0x1);
    assert_int_equal(f.sent[1].missing, 0x8);
    assert_int_equal(f.sent[1].fetch, 0xe);
    assert_int_equal(f.sent[3].line, 128);
    assert_int_equal(f.sent[3].valid, 0x1);
    assert_int_equal(f.sent[3].reserved, 0);
    assert_int_equal(f.sent[3].fetch, 0xe);
    l1_rig_free(r);
}

/* The miss queue holds two requests and nothing leaves it until 100: the third miss is tried when
 * the first request has left, one cycle later. */
static void a_miss_that_has_to_wait_is_sent_once(void **state)
{
    (void)state;
    struct filter f = {0};
    const struct request_policy p = policy_of(&f);
    const char *const sets[] = {"l1.miss_queue=2", NULL};
    struct l1_rig *r = rig_with(sets, &p);
    r->hold = true;
    for (uint32_t i = 0; i < 3; i++)
        read_at(r, 10 + i, i * 128, 0x1, i + 1);
    l1_rig_run(r, 100);
    assert_int_equal(f.nsent, 2);
    assert_int_equal(l1_stats(r->l1)->fail_queue, 1);
    r->hold = false;
    l1_rig_run(r, 300);
    assert_int_equal(f.nsent, 3);
    assert_int_equal(r->sent_at[0], 100);
    assert_int_equal(r->done[3], 202); /* sent at 102, behind the other two */
    l1_rig_free(r);
}

/* Reads of sector 0, then 1, then 0 again, each when the one before is done. */
static void a_line_that_is_here_in_part_is_filled_up_or_anew(void **state)
{
    (void)state;
    for (int anew = 0; anew < 2; anew++) {
        struct filter f = {0};
        struct request_policy p = policy_of(&f);
        p.replaces = anew;
        struct l1_rig *r = rig_with(NULL, &p);
        read_at(r, 10, 0, 0x1, 1);
        read_at(r, 200, 0, 0x2, 2);
        read_at(r, 400, 0, 0x1, 3);
        l1_rig_run(r, 700);
        assert_int_equal(r->done[1], 145);
        assert_int_equal(r->done[2], 335);
        assert_int_equal(r->done[3], anew ? 535 : 435);
        assert_int_equal(r->nsent, anew ? 3 : 2);
        assert_int_equal(r->sent[1].sectors, 0x2);
        assert_int_equal(f.sent[1].valid, 0x1); /* as it was before */
        assert_int_equal(f.sent[1].fetch, anew ? 0xf : 0xe);
        assert_int_equal(f.settled[1].used, 0x3);
        assert_true(line_life_is_inconsistent(&f.settled[1]));
        l1_rig_free(r);
    }
}

/* The miss fails while the queue is full: what is there stays, and is hit. */
static void a_line_is_filled_anew_only_when_its_request_is_made(void **state)
{
    (void)state;
    struct filter f = {0};
    struct request_policy p = policy_of(&f);
    const char *const sets[] = {"l1.miss_queue=2", "l1.banks=2", NULL};
    p.replaces = true;
    struct l1_rig *r = rig_with(sets, &p);
    read_at(r, 10, 0, 0x1, 1);
    l1_rig_run(r, 300);
    r->hold = true;
    read_at(r, 300, 128, 0x1, 2); /* of the other bank: fill the queue */
    read_at(r, 301, 384, 0x1, 3);
    read_at(r, 302, 0, 0x1, 4); /* hits before */
    read_at(r, 303, 0, 0x3, 5); /* is tried in vain */
    l1_rig_run(r, 400);
    assert_int_equal(r->done[4], 337);
    assert_int_equal(f.nsent, 3);
    r->hold = false;
    l1_rig_run(r, 700);
    assert_int_equal(f.nsent, 4);
    assert_int_equal(f.sent[3].valid, 0x1);
    assert_int_equal(f.sent[3].missing, 0x3);
    assert_int_equal(r->done[5], 502); /* behind the two that were held until 400 */
    l1_rig_free(r);
}

static void the_life_of_a_line_is_told_when_it_settles_and_when_it_leaves(void **state)
{
    (void)state;
    struct filter f = {0};
    const struct request_policy p = policy_of(&f);
    const char *const sets[] = {"l1.size=128", "l1.ways=1", NULL};
    struct l1_rig *r = rig_with(sets, &p);
    three_reads(r);
    assert_int_equal(f.nsettled, 1); /* of two replies the last */
    assert_int_equal(f.settled[0].first, 0x1);
    assert_int_equal(f.settled[0].used, 0x9);
    assert_int_equal(f.settled[0].asked, 0xf);
    assert_int_equal(f.settled[0].space, MEM_GLOBAL);
    read_at(r, 300, 0, 0x2, 4); /* a hit: nobody is told */
    read_at(r, 400, 128, 0x2, 5);
    l1_rig_run(r, 436); /* its request has just been made: line 0 is replaced */
    assert_int_equal(f.nsettled, 1);
    assert_int_equal(f.nleft, 1);
    assert_int_equal(f.line, 0);
    assert_int_equal(f.left[0].used, 0xb);
    l1_rig_run(r, 600);
    assert_int_equal(f.settled[1].first, 0x2);
    assert_false(line_life_is_inconsistent(&f.settled[1]));
    const struct l1_access write = {
        .addr = 128, .bytes = 4, .sectors = 1, .kind = MEM_WRITE, .token = 6};
    l1_rig_submit(r, 600, &write);
    l1_rig_run(r, 636);
    assert_int_equal(f.nleft, 2); /* the write has evicted it */
    assert_int_equal(f.line, 128);
    l1_rig_free(r);
}

static void lines_that_nobody_read_and_flushed_ones_are_not_told(void **state)
{
    (void)state;
    struct filter f = {0};
    const struct request_policy p = policy_of(&f);
    const char *const sets[] = {"l1.size=128", "l1.ways=1", NULL};
    struct l1_rig *r = rig_with(sets, &p);
    const struct l1_access ahead = {
        .addr = 0, .bytes = 32, .sectors = 1, .is_prefetch = true, .token = 1};
    l1_rig_submit(r, 10, &ahead);
    l1_rig_run(r, 200);
    assert_int_equal(f.nsent, 1);
    assert_int_equal(f.nsettled, 0);
    read_at(r, 200, 128, 0x1, 2);
    l1_rig_run(r, 400);
    assert_int_equal(f.nleft, 0);
    assert_int_equal(f.nsettled, 1);
    l1_flush(r->l1, 400);
    assert_int_equal(l1_stats(r->l1)->flushed, 1);
    assert_int_equal(f.nleft, 0);
    l1_rig_free(r);
}

/* --- answers that bring more, and requests that ride on them --- */

/* Sector 0 is asked for at 45, the rest at 55. The answer at 145 brings all of the line: both reads
 * are done, and the line cannot be replaced by the read looked up at 150 until the answer at 155,
 * which nobody waits for, is there. */
static void a_line_stays_until_its_last_answer(void **state)
{
    (void)state;
    struct filter f = {0};
    const struct request_policy p = policy_of(&f);
    const char *const sets[] = {"l1.size=128", "l1.ways=1", NULL};
    struct l1_rig *r = rig_with(sets, &p);
    read_at(r, 10, 0, 0x1, 1);
    read_at(r, 20, 0, 0x8, 2);
    l1_rig_run(r, 60);
    assert_int_equal(r->nflight, 2);
    mem_req_widen(r->flight[0].req, 0xf);
    read_at(r, 115, 128, 0x1, 3);
    read_at(r, 116, 0, 0xf, 4);
    l1_rig_run(r, 150);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[2], 146);
    assert_int_equal(f.nsettled, 0);
    l1_rig_run(r, 156);
    assert_int_equal(f.nsettled, 1);
    assert_int_equal(l1_stats(r->l1)->fail_way, 1);
    l1_rig_run(r, 500);
    assert_int_equal(r->done[3], 255); /* its request left when the line could go */
    assert_true(l1_idle(r->l1));
    assert_int_equal(l1_mshrs_used(r->l1), 0);
    l1_rig_free(r);
}

/* While the line is here and waits for an answer, it serves hits. */
static void a_line_that_waits_for_an_answer_is_hit(void **state)
{
    (void)state;
    struct filter f = {0};
    struct request_policy p = policy_of(&f);
    p.wakes_together = true;
    struct l1_rig *r = rig_with(NULL, &p);
    read_at(r, 10, 0, 0x1, 1);
    read_at(r, 20, 0, 0x8, 2);
    l1_rig_run(r, 60);
    mem_req_widen(r->flight[0].req, 0xf);
    read_at(r, 115, 0, 0xf, 3);
    l1_rig_run(r, 300);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[3], 150);
    assert_int_equal(l1_stats(r->l1)->read_hits, 1);
    l1_rig_free(r);
}

/* The second request comes back with the first: both reads are done at 145, one a cycle. */
static void riders_come_back_with_a_reply(void **state)
{
    (void)state;
    struct filter f = {0};
    const struct request_policy p = policy_of(&f);
    struct l1_rig *r = rig_with(NULL, &p);
    read_at(r, 10, 0, 0x1, 1);
    read_at(r, 20, 0, 0x8, 2);
    l1_rig_run(r, 60);
    mem_req_ride(r->flight[0].req, r->flight[1].req);
    r->nflight = 1;
    l1_rig_run(r, 300);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[2], 146);
    assert_int_equal(l1_stats(r->l1)->replies, 2);
    assert_int_equal(f.nsettled, 1);
    assert_int_equal(f.settled[0].used, 0x9);
    assert_int_equal(r->pool.out, 0);
    assert_true(l1_idle(r->l1));
    read_at(r, 300, 0, 0xf, 3); /* all that was asked for is there */
    l1_rig_run(r, 400);
    assert_int_equal(r->done[3], 335);
    l1_rig_free(r);
}

static void bypassing_reads_can_ride_too(void **state)
{
    (void)state;
    struct l1_rig *r = l1_rig_new(NULL);
    for (uint32_t i = 1; i < 4; i++) {
        const struct l1_access a = {
            .addr = 0, .bytes = 32, .sectors = (uint16_t)(1u << i), .bypass = true, .token = i};
        l1_rig_submit(r, 10 * i, &a);
    }
    l1_rig_run(r, 80);
    assert_int_equal(r->nflight, 3);
    mem_req_ride(r->flight[0].req, r->flight[1].req);
    mem_req_ride(r->flight[0].req, r->flight[2].req);
    r->nflight = 1;
    l1_rig_run(r, 300);
    for (uint32_t i = 1; i < 4; i++)
        assert_int_equal(r->done[i], 145 + i - 1);
    assert_true(l1_idle(r->l1));
    l1_rig_free(r);
}

static void a_read_is_widened_from_its_first_sector(void **state)
{
    (void)state;
    struct mem_req r = {.addr = 0x1040, .bytes = 32, .sectors = 0x4};
    mem_req_widen(&r, 0x8);
    assert_int_equal(r.addr, 0x1040);
    assert_int_equal(r.bytes, 64);
    mem_req_widen(&r, 0xf);
    assert_int_equal(r.addr, 0x1000);
    assert_int_equal(r.bytes, 128);
    assert_int_equal(r.sectors, 0xf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_read_waits_for_its_own_sectors),
        cmocka_unit_test(or_for_all_that_is_on_its_way),
        cmocka_unit_test(a_line_on_its_way_serves_no_hit_where_all_wake_together),
        cmocka_unit_test(a_view_shows_the_line_before_the_miss),
        cmocka_unit_test(a_miss_that_has_to_wait_is_sent_once),
        cmocka_unit_test(a_line_that_is_here_in_part_is_filled_up_or_anew),
        cmocka_unit_test(a_line_is_filled_anew_only_when_its_request_is_made),
        cmocka_unit_test(the_life_of_a_line_is_told_when_it_settles_and_when_it_leaves),
        cmocka_unit_test(lines_that_nobody_read_and_flushed_ones_are_not_told),
        cmocka_unit_test(a_line_stays_until_its_last_answer),
        cmocka_unit_test(a_line_that_waits_for_an_answer_is_hit),
        cmocka_unit_test(riders_come_back_with_a_reply),
        cmocka_unit_test(bypassing_reads_can_ride_too),
        cmocka_unit_test(a_read_is_widened_from_its_first_sector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
