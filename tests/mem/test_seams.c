/* Policies that are not null change what they are there for, and only that. */
#include "support_l1_rig.h"
#include "support_l2_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Asks for the first missing sector only; its reply makes the two sectors there and behind valid.
 */
static uint16_t first_only(const void *self, const struct line_view *v)
{
    (void)self;
    return v->missing & (uint16_t)-v->missing;
}

static void count(void *self, const struct line_view *v, uint16_t asked, cycle_t now)
{
    (void)v, (void)asked, (void)now;
    ++*(uint32_t *)self;
}

static uint16_t and_the_next(void *self, const struct mem_req *reply)
{
    (void)self;
    return (uint16_t)(reply->sectors | reply->sectors << 1);
}

static void a_request_policy_chooses_sectors_and_what_they_make_valid(void **state)
{
    (void)state;
    uint32_t asked = 0;
    struct request_policy policy = request_policy_null;
    policy.ask = first_only;
    policy.sent = count;
    policy.valid = and_the_next;
    policy.self = &asked;
    struct l1_rig *r = l1_rig_new(NULL);
    struct l1_seams seams = l1_seams_null;
    seams.requests = &policy;
    l1_rig_bind(r, &seams);
    const struct l1_access first = {.addr = 0, .bytes = 64, .sectors = 6, .token = 1};
    const struct l1_access again = {.addr = 0, .bytes = 64, .sectors = 6, .token = 2};
    const struct l1_access other = {.addr = 0, .bytes = 32, .sectors = 8, .token = 3};
    l1_rig_submit(r, 10, &first);
    l1_rig_submit(r, 200, &again);
    l1_rig_submit(r, 201, &other);
    l1_rig_run(r, 500);
    assert_int_equal(asked, 2);
    assert_int_equal(r->sent[0].sectors, 2);
    assert_int_equal(r->sent[1].sectors, 8);
    assert_int_equal(r->done[1], 145); /* does not wait for what was not asked for */
    assert_int_equal(r->done[2], 235); /* the policy made both valid */
    assert_int_equal(r->done[3], 336);
    l1_rig_free(r);
}

static uint16_t nothing(void *self, const struct mem_req *reply)
{
    (void)self, (void)reply;
    return 0;
}

/* Used once and not kept: the line is neither valid nor on its way afterwards. */
static void a_fill_may_make_nothing_valid(void **state)
{
    (void)state;
    struct request_policy policy = request_policy_null;
    policy.valid = nothing;
    struct l1_rig *r = l1_rig_new(NULL);
    struct l1_seams seams = l1_seams_null;
    seams.requests = &policy;
    l1_rig_bind(r, &seams);
    const struct l1_access first = {.addr = 0, .bytes = 32, .sectors = 1, .token = 1};
    const struct l1_access again = {.addr = 0, .bytes = 32, .sectors = 1, .token = 2};
    l1_rig_submit(r, 10, &first);
    l1_rig_submit(r, 200, &again);
    l1_rig_run(r, 400);
    assert_int_equal(r->done[1], 145);
    assert_int_equal(r->done[2], 335);
    assert_int_equal(r->nsent, 2);
    l1_rig_free(r);
}

struct packets {
    uint32_t requests, replies;
    uint32_t payload; /* of the last */
};

static uint32_t halve(void *self, const struct mem_req *r, bool reply, uint32_t payload)
{
    (void)r;
    struct packets *p = self;
    ++*(reply ? &p->replies : &p->requests);
    p->payload = payload;
    return payload / 2;
}

static void a_packet_policy_sees_each_packet_once(void **state)
{
    (void)state;
    struct packets seen = {0};
    struct packet_policy policy = packet_policy_null;
    policy.wire_bytes = halve;
    policy.self = &seen;
    struct l1_rig *r = l1_rig_new(NULL);
    struct l1_seams seams = l1_seams_null;
    seams.sm_packets = &policy;
    l1_rig_bind(r, &seams);
    const struct l1_access store = {
        .addr = 0, .bytes = 64, .sectors = 3, .kind = MEM_WRITE, .token = 1};
    l1_rig_submit(r, 10, &store);
    l1_rig_run(r, 200);
    assert_int_equal(r->sent[0].wire_bytes, 32);
    assert_int_equal(seen.requests, 1);
    l1_rig_free(r);

    struct slice_seams slice = slice_seams_null;
    slice.l2_packets = &policy;
    struct l2_rig *q = l2_rig_with(NULL, &slice);
    l2_rig_give(q, 10, 1, MEM_READ, 0, 15, 0);
    l2_rig_give(q, 300, 2, MEM_WRITE, 0, 15, 15);
    l2_rig_run(q, 600);
    assert_int_equal(seen.replies, 2);
    assert_int_equal(q->reqs[1].wire_bytes, 64);
    assert_int_equal(q->reqs[2].wire_bytes, 0);
    l2_rig_free(q);
}

static uint32_t six_for_stores(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)now;
    return r->kind == MEM_WRITE ? 6 : 0;
}

static uint32_t nine_for_loads(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)now;
    return r->kind == MEM_READ ? 9 : 0;
}

static void a_packet_policy_delays_requests_and_fills(void **state)
{
    (void)state;
    struct packet_policy policy = packet_policy_null;
    policy.send_latency = six_for_stores;
    policy.fill_latency = nine_for_loads;
    struct l1_rig *r = l1_rig_new(NULL), *plain = l1_rig_new(NULL);
    struct l1_seams seams = l1_seams_null;
    seams.sm_packets = &policy;
    l1_rig_bind(r, &seams);
    for (uint32_t i = 0; i < 40; i++) { /* more fills at once than there is room for at first */
        const struct l1_access load = {.addr = i * 128, .bytes = 32, .sectors = 1, .token = i};
        l1_rig_submit(r, 10 + i, &load);
        l1_rig_submit(plain, 10 + i, &load);
    }
    const struct l1_access store = {
        .addr = 0x8000, .bytes = 32, .sectors = 1, .full = 1, .kind = MEM_WRITE, .token = 99};
    l1_rig_submit(r, 500, &store);
    l1_rig_submit(plain, 500, &store);
    l1_rig_run(r, 1000);
    l1_rig_run(plain, 1000);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r->done[i], plain->done[i] + 9);
    assert_int_equal(r->acked[99], plain->acked[99] + 6);
    assert_true(l1_idle(r->l1));
    l1_rig_free(r);
    l1_rig_free(plain);
}

static bool always(void *self, addr_t line)
{
    ++*(uint32_t *)self;
    (void)line;
    return true;
}

/* Two lines: all of one is there and part of it dirty; of the other one sector is written in part.
 */
static void a_storage_policy_may_take_whole_lines(void **state)
{
    (void)state;
    uint32_t asked = 0;
    struct storage_policy policy = storage_policy_null;
    policy.write_whole = always;
    policy.self = &asked;
    const char *const sets[] = {"l2.size=256", "l2.ways=1", NULL};
    struct slice_seams seams = slice_seams_null;
    seams.channel.storage = &policy;
    struct l2_rig *r = l2_rig_with(sets, &seams);
    l2_touch(r->l2, 0, 128, L2_COPIED);
    l2_rig_give(r, 10, 1, MEM_WRITE, 32, 2, 2);
    l2_rig_give(r, 20, 2, MEM_WRITE, 128, 1, 0);
    l2_rig_give(r, 400, 3, MEM_WRITE, 1024, 1, 1);
    l2_rig_give(r, 500, 4, MEM_WRITE, 1024 + 128, 1, 1);
    l2_rig_run(r, 900);
    assert_int_equal(asked, 2);
    assert_int_equal(r->nsent, 2);
    assert_int_equal(r->sent[0].sectors, 15);
    assert_int_equal(r->sent[0].full, 15);
    assert_int_equal(r->sent[1].sectors, 1);
    assert_int_equal(r->sent[1].full, 0);
    assert_int_equal(l2_stats(r->l2)->evict_fetches, 0);
    assert_int_equal(l2_stats(r->l2)->written_sectors, 5);
    l2_rig_free(r);
}

static uint32_t seven(void *self, const struct mem_req *r)
{
    (void)self, (void)r;
    return 7;
}

static void a_storage_policy_delays_answers_of_the_l2(void **state)
{
    (void)state;
    struct storage_policy policy = storage_policy_null;
    policy.l2_latency = seven;
    struct slice_seams seams = slice_seams_null;
    seams.channel.storage = &policy;
    struct l2_rig *r = l2_rig_with(NULL, &seams);
    l2_touch(r->l2, 0, 128, L2_COPIED);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 1, 0);
    l2_rig_give(r, 11, 2, MEM_READ, 0, 1, 0);
    l2_rig_give(r, 200, 3, MEM_WRITE, 0, 1, 1);
    l2_rig_run(r, 500);
    assert_int_equal(r->back[1], 137);
    assert_int_equal(r->back[2], 138); /* pipelined */
    assert_int_equal(r->back[3], 320);
    l2_rig_free(r);
}

/* Lines below 0x10000 take 32 bytes, and 5 cycles when they are hit; `self` overrides. */
static uint32_t quarter(void *self, addr_t line, const struct line_form *form)
{
    (void)form;
    const uint32_t *bytes = self;
    return *bytes ? *bytes : line < 0x10000 ? 32 : 128;
}

static uint32_t five_if_small(void *self, uint32_t bytes, cycle_t now)
{
    (void)self, (void)now;
    return bytes < 128 ? 5 : 0;
}

static void not_told(void *self, addr_t line, uint32_t bytes)
{
    (void)self, (void)line, (void)bytes;
}

struct tally {
    uint32_t asked, placed, bytes;
};

static uint32_t tally_asked(void *self, addr_t line, const struct line_form *form)
{
    (void)line, (void)form;
    ((struct tally *)self)->asked++;
    return 32;
}

static void tally_placed(void *self, addr_t line, uint32_t bytes)
{
    struct tally *t = self;
    assert_true(line % 128 == 0 && line < 5 * 128);
    t->placed++;
    t->bytes += bytes;
}

/* Five reads of other lines, and room for two requests to memory, which are not taken for a while.
 */
static void a_line_that_waits_is_asked_for_again_and_placed_once(void **state)
{
    (void)state;
    struct tally t = {0};
    const struct capacity_policy policy = {.tag_factor = 4,
                                           .line_bytes = tally_asked,
                                           .hit_latency = five_if_small,
                                           .placed = tally_placed,
                                           .self = &t};
    const char *const sets[] = {"l2.memory_queue=2", NULL};
    struct slice_seams seams = slice_seams_null;
    seams.l2_capacity = &policy;
    struct l2_rig *r = l2_rig_with(sets, &seams);
    r->hold_memory = true;
    for (uint32_t i = 0; i < 5; i++)
        l2_rig_give(r, 10 + i, i + 1, MEM_READ, i * 128, 1, 0);
    l2_rig_run(r, 300);
    r->hold_memory = false;
    l2_rig_run(r, 900);
    assert_int_equal(r->nsent, 5);
    assert_true(t.asked > 5);
    assert_int_equal(t.placed, 5);
    assert_int_equal(t.bytes, 5 * 32);
    l2_rig_free(r);
}

/* Four lines with a sector each fill a line's place; one that gets another sends the oldest away.
 */
static void lines_by_sector_take_what_is_there(void **state)
{
    (void)state;
    struct capacity_policy policy = capacity_policy_null;
    const char *const sets[] = {"l1.size=128", "l1.ways=1", "l1.sectored=true", NULL};
    const struct {
        addr_t line;
        uint16_t sectors;
    } at[] = {{0, 1}, {128, 1}, {256, 1}, {384, 1}, {0, 1}, {0, 2}, {0, 3}, {128, 1}, {384, 1}};
    policy.tag_factor = 4;
    policy.by_sector = true;
    struct l1_rig *r = l1_rig_new(sets);
    struct l1_seams seams = l1_seams_null;
    seams.l1_capacity = &policy;
    l1_rig_bind(r, &seams);
    for (uint32_t i = 0; i < ARRAY_LEN(at); i++) {
        const struct l1_access load = {
            .addr = at[i].line, .bytes = 32, .sectors = at[i].sectors, .token = i};
        l1_rig_submit(r, 10 + 300 * i, &load);
    }
    l1_rig_run(r, 3000);
    const struct l1_stats *st = l1_stats(r->l1);
    assert_int_equal(st->read_sector_misses, 1);
    assert_int_equal(st->read_misses, 4 + 1); /* 128 has gone for it, and comes back for 256 */
    assert_int_equal(st->read_hits, 3);
    assert_int_equal(st->evictions, 1 + 1);
    assert_true(l1_idle(r->l1));
    l1_rig_free(r);
}

/* It takes all of its place when it is written, and when more of it is read. */
static void a_line_by_sector_that_is_written_takes_all_of_its_place(void **state)
{
    (void)state;
    struct capacity_policy policy = capacity_policy_null;
    const char *const sets[] = {"l1.size=128", "l1.ways=1", "l1.sectored=true",
                                "l1.write_global=back", NULL};
    const struct {
        addr_t line;
        uint16_t sectors;
        enum mem_kind kind;
        uint64_t evictions; /* with it */
    } at[] = {{0, 1, MEM_READ, 0},   {128, 1, MEM_READ, 0}, {0, 2, MEM_WRITE, 1},
              {0, 4, MEM_READ, 1},   {128, 1, MEM_READ, 2}, {256, 1, MEM_READ, 2},
              {256, 8, MEM_READ, 2}, {384, 1, MEM_READ, 2}};
    policy.tag_factor = 4;
    policy.by_sector = true;
    struct l1_rig *r = l1_rig_new(sets);
    struct l1_seams seams = l1_seams_null;
    seams.l1_capacity = &policy;
    l1_rig_bind(r, &seams);
    for (uint32_t i = 0; i < ARRAY_LEN(at); i++) {
        const struct l1_access a = {.addr = at[i].line,
                                    .bytes = 32,
                                    .sectors = at[i].sectors,
                                    .full = at[i].sectors,
                                    .kind = at[i].kind,
                                    .token = i};
        l1_rig_submit(r, 10 + 300 * i, &a);
        l1_rig_run(r, 300 * (i + 1));
        assert_int_equal(l1_stats(r->l1)->evictions, at[i].evictions);
    }
    assert_int_equal(l1_stats(r->l1)->requests_back, 1);
    assert_true(l1_idle(r->l1));
    l1_rig_free(r);
}

static void small_lines_leave_room_for_others(void **state)
{
    (void)state;
    uint32_t bytes = 0;
    const struct capacity_policy policy = {.tag_factor = 4,
                                           .line_bytes = quarter,
                                           .hit_latency = five_if_small,
                                           .placed = not_told,
                                           .self = &bytes};
    const char *const sets[] = {"l1.size=128", "l1.ways=1", NULL};
    struct l1_rig *r = l1_rig_new(sets);
    struct l1_seams seams = l1_seams_null;
    seams.l1_capacity = &policy;
    l1_rig_bind(r, &seams);
    for (uint32_t i = 0; i < 9; i++) { /* 4 fit; the fifth is raw and takes all */
        const addr_t at[] = {0, 128, 256, 384, 0, 384, 0x10000, 0x10000, 0};
        const struct l1_access load = {.addr = at[i], .bytes = 32, .sectors = 1, .token = i};
        l1_rig_submit(r, 10 + 300 * i, &load);
    }
    l1_rig_run(r, 3000);
    const struct l1_stats *st = l1_stats(r->l1);
    assert_int_equal(st->read_misses, 6);
    assert_int_equal(st->read_hits, 3);
    assert_int_equal(st->evictions, 4 + 1);
    assert_int_equal(r->done[4], 10 + 300 * 4 + 35 + 5);
    assert_int_equal(r->done[7], 10 + 300 * 7 + 35); /* raw: no engine */
    assert_true(l1_idle(r->l1));
    l1_rig_free(r);
}

static void lines_that_grow_push_others_out(void **state)
{
    (void)state;
    uint32_t bytes = 32;
    const struct capacity_policy policy = {.tag_factor = 4,
                                           .line_bytes = quarter,
                                           .hit_latency = five_if_small,
                                           .placed = not_told,
                                           .self = &bytes};
    const char *const sets[] = {"l2.size=256", "l2.ways=1", NULL};
    struct slice_seams seams = slice_seams_null;
    seams.l2_capacity = &policy;
    struct l2_rig *r = l2_rig_with(sets, &seams);
    for (uint32_t i = 0; i < 4; i++)
        l2_rig_give(r, 10 + i, i, MEM_WRITE, i * 256, 15, 15);
    l2_rig_give(r, 300, 4, MEM_READ, 256, 15, 0);
    l2_rig_run(r, 500);
    assert_int_equal(r->back[4], 300 + 120 + 5);
    assert_int_equal(l2_stats(r->l2)->evictions, 0);
    bytes = 96; /* the third line is written and grows by 64: the first and the fourth go */
    l2_rig_give(r, 600, 5, MEM_WRITE, 2 * 256, 1, 1);
    l2_rig_run(r, 900);
    assert_int_equal(l2_stats(r->l2)->evictions, 2);
    assert_int_equal(l2_stats(r->l2)->write_backs, 2);
    assert_int_equal(r->nsent, 2);
    assert_int_equal(r->sent[0].addr, 0);
    assert_int_equal(r->sent[1].addr, 3 * 256);
    l2_rig_free(r);
}

static void the_null_engine_is_done_at_once(void **state)
{
    (void)state;
    const struct codec_engine *e = &codec_engine_null;
    struct codec_job job = {.line = 128, .kind = CODEC_STORE, .bytes = 128, .token = 5};
    assert_int_equal(e->submit(e->self, 10, &job), CODEC_DONE);
    assert_int_equal(job.bytes, 128);
    assert_false(e->done(e->self, 10, &job));
    assert_true(e->next(e->self, 10) == CYCLE_NEVER);
    e->join(e->self, &(struct codec_client){NULL, NULL}); /* it is never busy */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_policy_chooses_sectors_and_what_they_make_valid),
        cmocka_unit_test(a_fill_may_make_nothing_valid),
        cmocka_unit_test(a_packet_policy_sees_each_packet_once),
        cmocka_unit_test(a_packet_policy_delays_requests_and_fills),
        cmocka_unit_test(a_storage_policy_may_take_whole_lines),
        cmocka_unit_test(a_storage_policy_delays_answers_of_the_l2),
        cmocka_unit_test(lines_by_sector_take_what_is_there),
        cmocka_unit_test(a_line_by_sector_that_is_written_takes_all_of_its_place),
        cmocka_unit_test(small_lines_leave_room_for_others),
        cmocka_unit_test(a_line_that_waits_is_asked_for_again_and_placed_once),
        cmocka_unit_test(lines_that_grow_push_others_out),
        cmocka_unit_test(the_null_engine_is_done_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
