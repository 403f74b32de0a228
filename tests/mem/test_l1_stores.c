/* Written lines that are encoded before they leave, to the cycle. */
#include "support_l1_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_written_line_leaves_when_it_is_encoded(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &decoded);
    const struct l1_access a[] = {store_of(0, 15, 1), store_of(128, 3, 2)};
    const cycle_t at[] = {10, 11};
    submit_all(m, a, at, 2);
    l1_rig_run(m->r, 50);
    assert_false(l1_idle(m->r->l1));
    l1_rig_run(m->r, 400);
    assert_int_equal(m->mock.n, 1); /* not the part */
    assert_int_equal(m->mock.jobs[0].kind, CODEC_STORE);
    assert_int_equal(m->mock.jobs[0].slot, 11); /* the warp that stored */
    assert_int_equal(m->r->sent_at[0], 46);
    assert_int_equal(m->r->sent[0].addr, 128);
    assert_int_equal(m->r->sent[0].form.bytes, 0);
    assert_int_equal(m->r->sent_at[1], 65);
    assert_int_equal(m->r->sent[1].form.bytes, CODE);
    assert_int_equal(m->r->acked[2], 146);
    assert_int_equal(m->r->acked[1], 45); /* it is in the buffer */
    assert_int_equal(l1_stats(m->r->l1)->coded_stores, 1);
    assert_false(m->mock.jobs[0].is_part);
    memory_free(m);
}

static void what_does_not_get_smaller_leaves_raw(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &decoded);
    m->mock.stored = 97;
    const struct l1_access a = store_of(0, 15, 1);
    l1_rig_submit(m->r, 10, &a);
    l1_rig_run(m->r, 400);
    assert_int_equal(m->r->sent_at[0], 65);
    assert_int_equal(m->r->sent[0].form.bytes, 0);
    assert_int_equal(l1_stats(m->r->l1)->stores_raw, 1);
    memory_free(m);
}

static void a_full_buffer_lets_stores_go_raw(void **state)
{
    (void)state;
    const struct encoding_cfg one = {ENCODED_DECODED, 0, 1, 96, 0, 0, false, false, NULL};
    struct memory *m = memory_new(20, &one);
    const struct l1_access a[] = {store_of(0, 15, 1), store_of(128, 15, 2), store_of(256, 15, 3)};
    const cycle_t at[] = {10, 11, 31}; /* the third is looked up when the first has left */
    submit_all(m, a, at, 3);
    l1_rig_run(m->r, 400);
    assert_int_equal(l1_stats(m->r->l1)->stores_overflow, 1);
    assert_int_equal(l1_stats(m->r->l1)->coded_stores, 2);
    assert_int_equal(m->r->sent_at[0], 46); /* the second, at once */
    assert_int_equal(m->r->sent[0].addr, 128);
    assert_int_equal(m->r->sent[0].form.bytes, 0);
    assert_int_equal(m->r->sent_at[1], 65);
    assert_int_equal(m->r->sent_at[2], 86);
    memory_free(m);
}

static void an_engine_may_refuse_a_store(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &decoded);
    m->mock.refuses = true;
    const struct l1_access a = store_of(0, 15, 1);
    l1_rig_submit(m->r, 10, &a);
    l1_rig_run(m->r, 400);
    assert_int_equal(m->r->sent_at[0], 45);
    assert_int_equal(m->r->sent[0].form.bytes, 0);
    assert_int_equal(m->r->acked[1], 145);
    memory_free(m);
}

/* Stores wait for a busy engine; one that is refused later leaves raw then. */
static void a_busy_engine_is_asked_again(void **state)
{
    (void)state;
    for (uint32_t refuses = 0; refuses < 2; refuses++) {
        struct memory *m = memory_new(20, &decoded);
        m->mock.busy_until = 100;
        m->mock.refuses = refuses;
        const struct l1_access a = store_of(0, 15, 1);
        l1_rig_submit(m->r, 10, &a);
        l1_rig_run(m->r, 400);
        assert_int_equal(m->r->sent_at[0], refuses ? 100 : 120);
        assert_int_equal(m->r->sent[0].form.bytes, refuses ? 0 : CODE);
        memory_free(m);
    }
}

/* Nothing overtakes a write of its line: it goes first, and what is made of it is dropped. */
static void an_access_to_a_buffered_line_lets_it_go_first(void **state)
{
    (void)state;
    static const cycle_t busy[] = {0, 300}; /* the job is in the engine, or waits for it */
    for (size_t i = 0; i < ARRAY_LEN(busy); i++) {
        struct memory *m = memory_new(20, &decoded);
        m->mock.busy_until = busy[i];
        const struct l1_access a[] = {store_of(0, 15, 1), read_of(0, 2)};
        const cycle_t at[] = {10, 12};
        submit_all(m, a, at, 2);
        l1_rig_run(m->r, 600);
        assert_int_equal(m->r->sent[0].kind, MEM_WRITE);
        assert_int_equal(m->r->sent[0].form.bytes, 0);
        assert_int_equal(m->r->sent_at[0], 47);
        assert_int_equal(m->r->sent[1].kind, MEM_READ);
        assert_int_equal(m->r->sent_at[1], 48);
        assert_int_equal(m->r->nsent, 2);
        assert_int_equal(m->r->acked[1], 45);
        assert_int_equal(m->r->done[2], 148);
        assert_int_equal(l1_stats(m->r->l1)->stores_yielded, 1);
        assert_int_equal(l1_stats(m->r->l1)->coded_stores, 0);
        memory_free(m);
    }
}

/* Fetched by its refusal, decoded, merged, sent again: the whole line, raw. */
static void a_refused_part_comes_again_as_a_whole(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &decoded);
    m->refusals = 1;
    const struct l1_access a = store_of(128, 2, 5);
    l1_rig_submit(m->r, 10, &a);
    l1_rig_run(m->r, 600);
    assert_int_equal(m->mock.n, 1);
    assert_int_equal(m->mock.jobs[0].kind, CODEC_FILL);
    assert_int_equal(m->mock.jobs[0].slot, 15);
    assert_true(m->mock.jobs[0].is_unawaited);
    assert_int_equal(m->mock.jobs[0].line, 128);
    assert_int_equal(m->r->nsent, 2);
    assert_int_equal(m->r->sent_at[1], 165); /* 45, back at 145, decoded at 165 */
    assert_int_equal(m->r->sent[1].addr, 128);
    assert_int_equal(m->r->sent[1].sectors, 15);
    assert_int_equal(m->r->sent[1].full, 15);
    assert_int_equal(m->r->sent[1].bytes, 128);
    assert_int_equal(m->r->sent[1].form.bytes, 0);
    assert_false(m->r->sent[1].refused);
    assert_int_equal(m->r->sent[1].at[MEM_AT_BORN], 165); /* another request, unstamped */
    assert_int_equal(m->r->sent[1].at[MEM_AT_NOC_OUT], 0);
    assert_int_equal(m->r->acked[5], 265);
    assert_int_equal(l1_stats(m->r->l1)->refused_writes, 1);
    memory_free(m);
}

static struct encoding_counts counted;
static const struct encoding_cfg widening = {ENCODED_DECODED, 0, 4, 96, 0, 0, true, true, &counted};

/* The line is here: a write of a part leaves as the whole line, encoded, and the line stays. */
static void a_part_of_a_line_that_is_here_leaves_as_the_line(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &widening);
    const struct l1_access a[] = {read_of(0, 1), store_of(0, 2, 2), read_of(0, 3)};
    const cycle_t at[] = {10, 200, 300};
    submit_all(m, a, at, 3);
    l1_rig_run(m->r, 600);
    assert_int_equal(m->r->nsent, 2);
    assert_int_equal(m->r->sent_at[1], 255); /* 200 + 35 + 20 */
    assert_int_equal(m->r->sent[1].full, 15);
    assert_int_equal(m->r->sent[1].bytes, 128);
    assert_int_equal(m->r->sent[1].form.bytes, CODE);
    assert_int_equal(m->r->acked[2], 235); /* it is in the buffer */
    assert_int_equal(m->r->done[3], 335);  /* a hit */
    assert_int_equal(counted.widened, 1);
    assert_int_equal(m->mock.jobs[m->mock.n - 1].kind, CODEC_STORE);
    assert_true(m->mock.jobs[m->mock.n - 1].is_part);
    memory_free(m);
}

/* It is not here, or the engine does not want it: the part leaves, and the line is no more. */
static void what_cannot_be_widened_leaves_as_a_part(void **state)
{
    (void)state;
    for (uint32_t refuses = 0; refuses < 2; refuses++) {
        struct memory *m = memory_new(20, &widening);
        m->mock.refuses = refuses;
        const struct l1_access a[] = {read_of(refuses ? 0 : 128, 1), store_of(0, 2, 2)};
        const cycle_t at[] = {10, 200};
        submit_all(m, a, at, 2);
        l1_rig_run(m->r, 600);
        assert_int_equal(m->r->sent_at[1], 235);
        assert_int_equal(m->r->sent[1].sectors, 2);
        assert_int_equal(m->r->sent[1].bytes, 32);
        const struct l1_stats *st = l1_stats(m->r->l1);
        assert_int_equal(counted.widened + st->stores_raw + st->stores_overflow, 0);
        assert_int_equal(st->write_evictions, refuses);
        memory_free(m);
    }
}

/* Writes of a line that waits join it; one that comes when its bytes have been read has them
 * encoded once more. */
static void writes_join_a_line_that_waits(void **state)
{
    (void)state;
    for (cycle_t begins = 0; begins < 20; begins += 10) {
        struct memory *m = memory_new(20, &widening);
        m->mock.begins = begins;
        const struct l1_access a[] = {store_of(0, 15, 1), store_of(0, 4, 2)};
        const cycle_t at[] = {10, 15};
        submit_all(m, a, at, 2);
        l1_rig_run(m->r, 400);
        assert_int_equal(m->r->nsent, 1);
        assert_int_equal(m->r->sent_at[0], begins ? 65 : 85);
        assert_int_equal(m->r->sent[0].form.bytes, CODE);
        assert_int_equal(m->r->acked[2], 50);
        assert_int_equal(counted.joined, 1);
        assert_int_equal(counted.again, begins ? 0 : 1);
        memory_free(m);
    }
}

/* A line that is encoded for its reads need not leave if that saves nothing, but with a write in it
 * it has to. */
static void a_write_that_joins_an_offer_leaves(void **state)
{
    (void)state;
    struct encoding_cfg cfg = widening;
    cfg.encode_reads = 3;
    struct memory *m = memory_new(20, &cfg);
    m->reads = 3;
    m->mock.stored = 128;
    const struct l1_access a[] = {read_of(0, 1), store_of(0, 4, 2)};
    const cycle_t at[] = {10, 115}; /* looked up while the line is encoded, from 145 on */
    submit_all(m, a, at, 2);
    l1_rig_run(m->r, 600);
    assert_int_equal(m->r->nsent, 2);
    assert_int_equal(m->r->sent[1].kind, MEM_WRITE);
    assert_int_equal(m->r->sent[1].full, 15);
    assert_int_equal(m->r->sent[1].form.bytes, 0);
    assert_int_equal(counted.joined, 1);
    memory_free(m);
}

/* A refused part: decoded, merged, encoded again. A second one that comes back meanwhile joins it.
 */
static void a_refused_part_is_encoded_again(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &widening);
    m->refusals = 2;
    m->mock.begins = 10;
    const struct l1_access a[] = {store_of(128, 2, 5), store_of(128, 4, 6)};
    const cycle_t at[] = {10, 12};
    submit_all(m, a, at, 2);
    l1_rig_run(m->r, 600);
    assert_int_equal(m->r->nsent, 3);
    assert_int_equal(m->r->sent_at[2], 185); /* 45, back at 145, decoded at 165, encoded at 185 */
    assert_int_equal(m->r->sent[2].full, 15);
    assert_int_equal(m->r->sent[2].form.bytes, CODE);
    assert_int_equal(m->r->acked[5], 165);
    assert_int_equal(m->r->acked[6], 167);
    assert_int_equal(l1_stats(m->r->l1)->refused_writes, 2);
    assert_int_equal(counted.joined, 1);
    memory_free(m);
}

/* A raw line that may be encoded goes down encoded with the third read; with others, and where its
 * code saves nothing, nothing leaves. */
static void a_raw_line_that_is_read_often_is_encoded(void **state)
{
    (void)state;
    struct encoding_cfg cfg = decoded;
    cfg.encode_reads = 3;
    struct memory *m = memory_new(20, &cfg);
    static const uint8_t reads[] = {0, 2, 3, 4, 3};
    for (unsigned i = 0; i < ARRAY_LEN(reads); i++) {
        m->reads = reads[i];
        m->mock.stored = i == 4 ? 128 : CODE;
        const struct l1_access a = read_of(128 * (addr_t)i, i);
        l1_rig_submit(m->r, 10 + 1000 * i, &a);
        l1_rig_run(m->r, 1000 * (i + 1));
    }
    assert_int_equal(m->r->nsent, ARRAY_LEN(reads) + 1);
    const struct mem_req *offer = &m->r->sent[3];
    assert_int_equal(offer->kind, MEM_WRITE);
    assert_int_equal(offer->addr, 256);
    assert_int_equal(offer->full, 15);
    assert_int_equal(offer->form.bytes, CODE);
    assert_int_equal(m->mock.n, 2);
    memory_free(m);
}

static void a_refused_atomic_follows_its_line(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &decoded);
    m->refusals = 1;
    const struct l1_access a = {
        .addr = 0, .bytes = 4, .sectors = 4, .kind = MEM_ATOMIC, .token = 6};
    l1_rig_submit(m->r, 10, &a);
    l1_rig_run(m->r, 600);
    assert_int_equal(m->r->nsent, 3);
    assert_int_equal(m->r->sent[1].kind, MEM_WRITE);
    assert_int_equal(m->r->sent[1].full, 15);
    assert_int_equal(m->r->sent_at[1], 165);
    assert_int_equal(m->r->sent[2].kind, MEM_ATOMIC);
    assert_int_equal(m->r->sent[2].sectors, 4);
    assert_int_equal(m->r->sent[2].bytes, 4);
    assert_int_equal(m->r->sent_at[2], 166);
    assert_int_equal(m->r->done[6], 266);
    assert_int_equal(l1_stats(m->r->l1)->refused_atomics, 1);
    memory_free(m);
}

/* What finds the miss queue full leaves as soon as it can, in order. */
static void nothing_is_lost_when_the_interconnect_is_full(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &decoded);
    struct l1_access a[12];
    cycle_t at[12];
    for (uint32_t i = 0; i < 12; i++) {
        a[i] = store_of(128 * i, i < 4 ? 15 : 3, i + 1);
        at[i] = 10 + i;
    }
    m->r->hold = true;
    submit_all(m, a, at, 12);
    l1_rig_run(m->r, 300);
    m->r->hold = false;
    l1_rig_run(m->r, 900);
    assert_int_equal(m->r->nsent, 12);
    for (uint32_t i = 1; i <= 12; i++)
        assert_true(i <= 4 ? m->r->acked[i] < 100 : m->r->acked[i] >= 400); /* 4 are buffered */
    assert_int_equal(l1_stats(m->r->l1)->coded_stores, 4);
    memory_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_line_leaves_when_it_is_encoded),
        cmocka_unit_test(what_does_not_get_smaller_leaves_raw),
        cmocka_unit_test(a_full_buffer_lets_stores_go_raw),
        cmocka_unit_test(an_engine_may_refuse_a_store),
        cmocka_unit_test(a_busy_engine_is_asked_again),
        cmocka_unit_test(an_access_to_a_buffered_line_lets_it_go_first),
        cmocka_unit_test(a_refused_part_comes_again_as_a_whole),
        cmocka_unit_test(a_part_of_a_line_that_is_here_leaves_as_the_line),
        cmocka_unit_test(what_cannot_be_widened_leaves_as_a_part),
        cmocka_unit_test(writes_join_a_line_that_waits),
        cmocka_unit_test(a_write_that_joins_an_offer_leaves),
        cmocka_unit_test(a_refused_part_is_encoded_again),
        cmocka_unit_test(a_raw_line_that_is_read_often_is_encoded),
        cmocka_unit_test(a_refused_atomic_follows_its_line),
        cmocka_unit_test(nothing_is_lost_when_the_interconnect_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
