/* What a packet policy of a slice does with requests that come and with answers, and the byte that
 * travels with a packet. A slice looks a request up 120 cycles after it came; memory answers 50
 * after it was asked. */
#include "support_l1_rig.h"
#include "support_l2_rig.h"

#include "mem/packets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A table of one line: the first read of it passes, later ones ride on its answer. */
struct table {
    struct mem_req *first, *riders[4];
    uint32_t n;
    uint16_t map;
    bool is_wide; /* the last answer could bring all that riders asked for */
};

static addr_t line_of(const struct mem_req *r)
{
    return r->addr & ~(addr_t)127;
}

static bool absorb(void *self, struct mem_req *r, cycle_t now)
{
    (void)now;
    struct table *t = self;
    if (r->kind != MEM_READ)
        return false;
    if (!t->first) {
        t->first = r;
        t->map = r->sectors;
        return false;
    }
    if (line_of(t->first) != line_of(r))
        return false;
    t->riders[t->n++] = r;
    t->map |= r->sectors;
    return true;
}

static void answer_all(void *self, struct mem_req *r, cycle_t now)
{
    (void)now;
    struct table *t = self;
    if (r != t->first)
        return;
    t->is_wide = packet_widen(r, t->map);
    for (uint32_t i = 0; i < t->n; i++) {
        assert_true(packet_ride(r, t->riders[i]));
        assert_false(packet_ride(r, t->riders[i])); /* once */
    }
    assert_false(packet_ride(r, r)); /* the slice has it */
    assert_false(packet_widen(r, 0x10));
    const bool is_wide = t->is_wide;
    *t = (struct table){.is_wide = is_wide};
}

static const char *const by_line[] = {"l2.sectored=false", NULL};

static struct l2_rig *rig_on(const char *const *sets, struct packet_policy *p, struct breach *b)
{
    struct slice_seams seams = slice_seams_null;
    seams.l2_packets = p;
    seams.breach = b;
    return l2_rig_with(sets, &seams);
}

static struct l2_rig *rig_with(struct packet_policy *p)
{
    return rig_on(by_line, p, NULL);
}

static struct packet_policy absorbing(struct table *t)
{
    struct packet_policy p = packet_policy_null;
    p.arrive = absorb;
    p.answer = answer_all;
    p.self = t;
    return p;
}

/* Sectors 0 and 1 to 3 of a line, asked for 10 cycles apart, are one lookup and one answer of 128
 * bytes; what is asked for when that is made is a request of its own. */
static void a_request_rides_on_the_answer_to_another(void **state)
{
    (void)state;
    struct table t = {0};
    struct packet_policy p = absorbing(&t);
    struct l2_rig *r = rig_with(&p);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 0x1, 0xf);
    l2_rig_give(r, 20, 2, MEM_READ, 32, 0xe, 0xf);
    l2_rig_run(r, 300);
    assert_int_equal(l2_stats(r->l2)->requests, 1);
    assert_int_equal(l2_stats(r->l2)->replies, 1);
    assert_ptr_equal(r->reqs[1].next, &r->reqs[2]);
    assert_int_equal(r->back[2], 0);
    assert_int_equal(r->reqs[1].sectors, 0xf);
    assert_int_equal(r->reqs[1].bytes, 128);
    assert_int_equal(r->reqs[1].wire_bytes, 128);
    assert_int_equal(r->reqs[2].sectors, 0xe);
    assert_true(l2_idle(r->l2));
    l2_rig_give(r, 300, 3, MEM_READ, 32, 0xe, 0xf);
    l2_rig_run(r, 600);
    assert_int_equal(l2_stats(r->l2)->requests, 2);
    assert_null(r->reqs[3].next);
    assert_int_equal(r->reqs[3].wire_bytes, 96);
    l2_rig_free(r);
}

/* A slice with sectors has fetched sector 0 when it answers (at 10 + 120 + 50, and ports): 1 to 3
 * are not there to come with it. Their read is looked up when it is given back, and fetches them;
 * once they are there, a rider has them. */
static void what_a_slice_does_not_hold_is_looked_up(void **state)
{
    (void)state;
    struct table t = {0};
    struct packet_policy p = absorbing(&t);
    struct l2_rig *r = rig_on(NULL, &p, NULL);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 0x1, 0xf);
    l2_rig_give(r, 20, 2, MEM_READ, 32, 0xe, 0xf);
    l2_rig_run(r, 600);
    assert_false(t.is_wide);
    assert_int_equal(l2_stats(r->l2)->requests, 2);
    assert_int_equal(l2_stats(r->l2)->replies, 2);
    assert_int_equal(l2_stats(r->l2)->fetched_sectors, 4);
    assert_int_equal(r->reqs[1].wire_bytes, 32);
    assert_int_equal(r->reqs[2].wire_bytes, 96);
    assert_int_equal(r->back[2] - r->back[1],
                     1 + r->back[1] - 10); /* the next cycle, the same way */
    assert_true(l2_idle(r->l2));
    l2_rig_give(r, 700, 3, MEM_READ, 0, 0x1, 0xf);
    l2_rig_give(r, 710, 4, MEM_READ, 32, 0xe, 0xf);
    l2_rig_run(r, 1000);
    assert_true(t.is_wide);
    assert_int_equal(l2_stats(r->l2)->requests, 3);
    assert_ptr_equal(r->reqs[3].next, &r->reqs[4]);
    assert_int_equal(r->reqs[3].wire_bytes, 128);
    l2_rig_free(r);
}

static void answer_behind(void *self, struct mem_req *r, cycle_t now)
{
    (void)now;
    struct table *t = self;
    if (r != t->first)
        return;
    for (uint32_t i = 0; i < t->n; i++) {
        assert_true(packet_follow(r, t->riders[i]));
        assert_false(packet_follow(r, t->riders[i])); /* once */
    }
    *t = (struct table){0};
}

/* What is behind is late enough for another line's answer to be due with it. */
static uint32_t twenty_behind(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)now;
    return r->sectors == 0xe ? 20 : r->token == 3 ? 16 : 0;
}

/* One lookup, which reads 32 and 96 bytes, is two answers. The second gives way to one of another
 * line that is due in the same cycle. */
static void a_request_follows_the_answer_to_another(void **state)
{
    (void)state;
    struct table t = {0};
    struct packet_policy p = absorbing(&t);
    p.answer = answer_behind;
    p.send_latency = twenty_behind;
    struct l2_rig *r = rig_with(&p);
    l2_touch(r->l2, 0, 256, L2_COPIED);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 0x1, 0xf);
    l2_rig_give(r, 11, 2, MEM_READ, 32, 0xe, 0xf);
    l2_rig_give(r, 12, 3, MEM_READ, 128, 0x1, 0xf);
    r->reqs[3].token = 3;
    l2_rig_run(r, 300);
    assert_int_equal(l2_stats(r->l2)->requests, 2);
    assert_int_equal(l2_stats(r->l2)->replies, 2); /* one of them in two packets */
    assert_int_equal(l2_stats(r->l2)->data_busy, 4 + 1);
    assert_null(r->reqs[1].next);
    assert_int_equal(r->reqs[1].wire_bytes, 32);
    assert_int_equal(r->reqs[2].wire_bytes, 96);
    assert_int_equal(r->back[3], r->back[1] + 20);
    assert_int_equal(r->back[2], r->back[1] + 21);
    assert_true(l2_idle(r->l2));
    l2_rig_free(r);
}

/* There is room for one: what the other asks for comes with the first answer. */
static void where_too_many_follow_they_ride(void **state)
{
    (void)state;
    static const char *const few[] = {"l2.sectored=false", "l2.reply_queue=1", "l2.merges=1", NULL};
    struct table t = {0};
    struct packet_policy p = absorbing(&t);
    p.answer = answer_behind;
    struct l2_rig *r = rig_on(few, &p, NULL);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 0x1, 0xf);
    l2_rig_give(r, 20, 2, MEM_READ, 32, 0x2, 0xf);
    l2_rig_give(r, 30, 3, MEM_READ, 64, 0xc, 0xf);
    l2_rig_run(r, 600);
    assert_int_equal(l2_stats(r->l2)->requests, 1);
    assert_ptr_equal(r->reqs[1].next, &r->reqs[3]);
    assert_int_equal(r->reqs[1].sectors, 0xd);
    assert_int_equal(r->reqs[2].sectors, 0x2);
    assert_true(r->back[2] > r->back[1]);
    assert_true(l2_idle(r->l2));
    l2_rig_free(r);
}

/* Outside of answer() nothing can be done to a packet, whatever it is. */
static void packets_are_changed_in_answers_alone(void **state)
{
    (void)state;
    struct mem_req read = {.bytes = 32, .sectors = 1, .full = 0xf}, rider = read;
    assert_false(packet_widen(&read, 0x2));
    rider.node = MEM_NODE_ABSORBED;
    assert_false(packet_ride(&read, &rider));
    assert_null(read.next);
    assert_int_equal(read.sectors, 1);
}

static bool absorb_all(void *self, struct mem_req *r, cycle_t now)
{
    (void)self, (void)r, (void)now;
    return true;
}

/* It could never come back: noted, and answered as if nobody had wanted it. */
static void writes_and_atomics_are_not_absorbed(void **state)
{
    (void)state;
    for (unsigned kind = MEM_WRITE; kind <= MEM_ATOMIC; kind++) {
        atomic_bool any = false;
        struct breach b = {.any = &any};
        struct packet_policy p = packet_policy_null;
        p.arrive = absorb_all;
        struct l2_rig *r = rig_on(NULL, &p, &b);
        l2_rig_give(r, 10, 1, (enum mem_kind)kind, 0, 1, kind == MEM_WRITE);
        l2_rig_run(r, 600);
        assert_true(any && b.is_noted && b.seam == SEAM_l2_packets);
        assert_non_null(
            strstr(b.what, kind == MEM_WRITE ? "absorbs a write" : "absorbs an atomic"));
        assert_true(r->back[1]);
        l2_rig_free(r);
    }
}

static uint32_t nine_for_data(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)now;
    return r->kind == MEM_READ ? 9 : 0;
}

/* A hit is answered at 10 + 120; the answer to the write behind it leaves when the read's has. */
static void an_answer_leaves_later(void **state)
{
    (void)state;
    struct packet_policy p = packet_policy_null;
    p.send_latency = nine_for_data;
    struct l2_rig *r = rig_with(&p);
    l2_touch(r->l2, 0, 256, L2_COPIED);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 1, 0);
    l2_rig_give(r, 11, 2, MEM_WRITE, 128, 1, 1);
    l2_rig_give(r, 200, 3, MEM_WRITE, 128, 1, 1);
    l2_rig_run(r, 500);
    assert_int_equal(r->back[1], 139);
    assert_int_equal(r->back[2], 140);
    assert_int_equal(r->back[3], 320);
    l2_rig_free(r);
}

/* Stores carry 7, which takes a byte on the wire, and an engine as many cycles at the end. */
static void mark_stores(void *self, struct mem_req *r, cycle_t now)
{
    (void)now;
    (void)self;
    if (r->kind == MEM_WRITE)
        r->meta = 7;
}

static uint32_t one_more(void *self, const struct mem_req *r, bool reply, uint32_t payload)
{
    (void)self, (void)reply;
    return payload + (r->meta != 0);
}

static uint32_t meta_cycles(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)now;
    return r->meta;
}

static void a_byte_travels_with_a_store_and_comes_back(void **state)
{
    (void)state;
    struct packet_policy p = packet_policy_null;
    p.request = mark_stores;
    p.wire_bytes = one_more;
    p.fill_latency = meta_cycles;
    struct l1_rig *r = l1_rig_new(NULL);
    struct l1_seams seams = l1_seams_null;
    seams.sm_packets = &p;
    l1_rig_bind(r, &seams);
    const struct l1_access store = {
        .addr = 0, .bytes = 64, .sectors = 3, .full = 3, .kind = MEM_WRITE, .token = 1};
    const struct l1_access load = {.addr = 128, .bytes = 32, .sectors = 1, .token = 2};
    l1_rig_submit(r, 10, &store);
    l1_rig_submit(r, 11, &load);
    l1_rig_run(r, 300);
    assert_int_equal(r->sent[0].meta, 7);
    assert_int_equal(r->sent[0].wire_bytes, 65);
    assert_int_equal(r->acked[1], 10 + 35 + 100 + 7);
    assert_int_equal(r->sent[1].meta, 0);
    assert_int_equal(r->sent[1].wire_bytes, 0);
    assert_int_equal(r->done[2], 146);
    l1_rig_free(r);
}

/* A slice that keeps the byte of the last store, and sends it with reads. */
static bool keep(void *self, struct mem_req *r, cycle_t now)
{
    (void)now;
    if (r->kind == MEM_WRITE)
        *(uint8_t *)self = r->meta;
    return false;
}

static void give(void *self, struct mem_req *r, cycle_t now)
{
    (void)now;
    if (r->kind == MEM_READ)
        r->meta = *(uint8_t *)self;
}

static void a_slice_sees_the_byte_and_sends_its_own(void **state)
{
    (void)state;
    uint8_t kept = 0;
    struct packet_policy p = packet_policy_null;
    p.arrive = keep;
    p.answer = give;
    p.wire_bytes = one_more;
    p.self = &kept;
    struct l2_rig *r = rig_with(&p);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 0xf, 0);
    l2_rig_run(r, 299);
    l2_rig_give(r, 300, 2, MEM_WRITE, 0, 0xf, 0xf);
    r->reqs[2].meta = 0xa5; /* it is on its way */
    l2_rig_run(r, 500);
    l2_rig_give(r, 500, 3, MEM_READ, 0, 0xf, 0);
    l2_rig_run(r, 700);
    assert_int_equal(r->reqs[1].meta, 0);
    assert_int_equal(r->reqs[1].wire_bytes, 128);
    assert_int_equal(r->reqs[2].meta, 0xa5); /* the answer brings it back */
    assert_int_equal(r->reqs[2].wire_bytes, 1);
    assert_int_equal(r->reqs[3].meta, 0xa5);
    assert_int_equal(r->reqs[3].wire_bytes, 129);
    l2_rig_free(r);
}

/* An answer is told how many are before it, in the slice and in the port to the interconnect (which
 * has two places here): held up there, the first of four finds none, the others one more each. */
static void an_answer_knows_how_many_are_before_it(void **state)
{
    (void)state;
    struct table t = {0};
    struct packet_policy p = packet_policy_null;
    p.answer = answer_all; /* widens none: the table stays empty */
    p.self = &t;
    struct l2_rig *r = rig_with(&p);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 0xf, 0);
    l2_rig_run(r, 300); /* the line is there */
    r->hold_noc = true;
    for (uint32_t i = 2; i < 6; i++)
        l2_rig_give(r, 300 + i, i, MEM_READ, 0, 0xf, 0);
    l2_rig_run(r, 600);
    assert_int_equal(r->reqs[1].queue, 0);
    for (uint32_t i = 2; i < 6; i++)
        assert_int_equal(r->reqs[i].queue, i - 2);
    r->hold_noc = false;
    l2_rig_run(r, 700);
    l2_rig_give(r, 700, 6, MEM_READ, 0, 0xf, 0);
    l2_rig_run(r, 900);
    assert_int_equal(r->reqs[6].queue, 0);
    l2_rig_free(r);
}

static uint32_t five(void *self, uint32_t bytes, cycle_t now)
{
    (void)self, (void)bytes, (void)now;
    return 5;
}

/* After the slice: what it takes for free in the port to the interconnect is free by now. */
static void places_are_free(void *ctx)
{
    const struct l2_rig *r = ctx;
    const struct port *p = r->to_noc;
    const bool is_used_again = p->head > p->reclaimed + p->mask;
    if (p->reclaimed && !is_used_again)
        assert_true(p->slots[(p->reclaimed - 1) & p->mask].freed <= r->now);
}

/* Answers that are ready in five cycles are told what is before them now: what the port's other
 * side frees until then it may not have said yet, on a host thread of its own. */
static void what_is_ready_later_is_before_nothing_that_is_not_gone(void **state)
{
    (void)state;
    struct table t = {0};
    struct packet_policy p = packet_policy_null;
    struct capacity_policy c = capacity_policy_null;
    struct slice_seams seams = slice_seams_null;
    p.answer = answer_all;
    p.self = &t;
    c.hit_latency = five;
    seams.l2_packets = &p;
    seams.l2_capacity = &c;
    struct l2_rig *r = l2_rig_with(by_line, &seams);
    r->to_noc->credit_cycles = 4;
    r->on_tick = places_are_free;
    r->ctx = r;
    l2_rig_give(r, 10, 1, MEM_READ, 0, 0xf, 0);
    l2_rig_run(r, 300);
    for (uint32_t i = 2; i < 12; i++)
        l2_rig_give(r, 300 + i, i, MEM_READ, 0, 0xf, 0);
    l2_rig_run(r, 600);
    for (uint32_t i = 1; i < 12; i++)
        assert_true(r->back[i] > 0);
    l2_rig_free(r);
}

/* 64 answers of hits leave a slice one a cycle of its clock: with half the interconnect's, as
 * mesh56's, the last needs 128 of that, whether they are of two flits or of one. */
static void hits_leave_one_a_cycle(void **state)
{
    (void)state;
    static const char *const sets[] = {"l2.sectored=false", "l2.port_bytes=128", NULL};
    enum { HITS = 64, FROM = 300 };
    struct packet_policy p = packet_policy_null;
    struct l2_rig *r = rig_on(sets, &p, NULL);
    l2_rig_give(r, 10, 1, MEM_READ, 0, 0x1, 0);
    l2_rig_run(r, FROM);
    for (uint32_t i = 0; i < HITS; i++)
        l2_rig_give(r, FROM + i, 2 + i, MEM_READ, 0, 0x1, 0);
    l2_rig_run(r, 2 * FROM);
    assert_true(r->back[2] > FROM);
    for (uint32_t i = 0; i < HITS; i++)
        assert_int_equal(r->back[2 + i], r->back[2] + i);
    l2_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_rides_on_the_answer_to_another),
        cmocka_unit_test(what_a_slice_does_not_hold_is_looked_up),
        cmocka_unit_test(a_request_follows_the_answer_to_another),
        cmocka_unit_test(where_too_many_follow_they_ride),
        cmocka_unit_test(packets_are_changed_in_answers_alone),
        cmocka_unit_test(writes_and_atomics_are_not_absorbed),
        cmocka_unit_test(an_answer_leaves_later),
        cmocka_unit_test(a_byte_travels_with_a_store_and_comes_back),
        cmocka_unit_test(a_slice_sees_the_byte_and_sends_its_own),
        cmocka_unit_test(an_answer_knows_how_many_are_before_it),
        cmocka_unit_test(what_is_ready_later_is_before_nothing_that_is_not_gone),
        cmocka_unit_test(hits_leave_one_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
