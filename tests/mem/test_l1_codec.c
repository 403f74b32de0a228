/* Lines that come encoded, to the cycle: an L1 and an engine that is not there. */
#include "support_l1_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The line is there when it is decoded; who comes meanwhile waits with the others. */
static void an_encoded_line_is_decoded_before_it_is_used(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &decoded);
    m->is_encoded = true;
    const struct l1_access a[] = {read_of(0, 7), read_of(0, 8), read_of(0, 9), read_of(0, 10)};
    const cycle_t at[] = {10, 20, 115, 200}; /* the third is looked up while it is decoded */
    submit_all(m, a, at, 4);
    l1_rig_run(m->r, 400);
    assert_int_equal(m->mock.n, 1);
    const struct codec_job *j = &m->mock.jobs[0];
    assert_int_equal(j->kind, CODEC_FILL);
    assert_int_equal(j->line, 0);
    assert_int_equal(j->bytes, CODE);
    assert_int_equal(j->algorithm, 2);
    assert_int_equal(j->slot, 17);
    assert_int_equal(m->r->done[7], 165); /* 10 + 35 + 100 + 20 */
    assert_int_equal(m->r->done[8], 166);
    assert_int_equal(m->r->done[9], 167);
    assert_int_equal(m->r->done[10], 235); /* raw by now */
    assert_int_equal(l1_stats(m->r->l1)->coded_fills, 1);
    assert_int_equal(l1_stats(m->r->l1)->codec_waits, 20);
    assert_false(m->mock.jobs[0].is_unawaited);
    memory_free(m);
}

static void a_line_waits_for_an_engine_that_is_busy(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &decoded);
    m->is_encoded = true;
    m->mock.busy_until = 200;
    const struct l1_access a[] = {read_of(0, 1), read_of(128, 2)};
    const cycle_t at[] = {10, 11};
    submit_all(m, a, at, 2);
    l1_rig_run(m->r, 180);
    assert_false(l1_idle(m->r->l1));
    assert_int_equal(l1_next(m->r->l1, 180), 200); /* it is woken then */
    assert_int_equal(m->mock.asked, 1);            /* the second line waits behind the first */
    l1_rig_run(m->r, 400);
    assert_int_equal(m->r->done[1], 220);
    assert_int_equal(m->r->done[2], 221); /* one can be popped in a cycle */
    assert_int_equal(m->mock.asked, 3);
    assert_int_equal(l1_stats(m->r->l1)->codec_waits, (220 - 145) + (220 - 146));
    memory_free(m);
}

/* A load's line and a store's: nobody asks before the engine says so, and each once then. */
static void a_busy_engine_wakes_its_cache(void **state)
{
    (void)state;
    for (uint32_t sleeps = 0; sleeps < 2; sleeps++) {
        struct memory *m = memory_new(20, &decoded);
        m->r->sleeps = sleeps;
        m->is_encoded = true;
        m->mock.busy_until = CYCLE_NEVER;
        const struct l1_access a[] = {read_of(0, 1), store_of(128, 15, 2)};
        const cycle_t at[] = {10, 11};
        submit_all(m, a, at, 2);
        l1_rig_run(m->r, 250);
        assert_int_equal(m->mock.asked, 2);
        assert_true(l1_next(m->r->l1, 250) == CYCLE_NEVER);
        m->mock.busy_until = 0;
        m->mock.client->wake(m->mock.client->self, 300);
        assert_int_equal(l1_next(m->r->l1, 250), 300);
        l1_rig_run(m->r, 600);
        assert_int_equal(m->mock.asked, 4);
        assert_int_equal(m->r->done[1], 320);
        assert_int_equal(m->r->sent_at[1], 320);
        assert_int_equal(m->r->sent[1].form.bytes, CODE);
        memory_free(m);
    }
}

/* The null object: whatever the engine could do, nobody asks it. */
static void plain_lines_need_no_engine(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &encoding_cfg_null);
    const struct l1_access a[] = {read_of(0, 1), read_of(0, 2), store_of(128, 15, 3)};
    const cycle_t at[] = {10, 200, 201};
    submit_all(m, a, at, 3);
    l1_rig_run(m->r, 600);
    assert_int_equal(m->mock.asked, 0);
    assert_int_equal(m->r->done[1], 145);
    assert_int_equal(m->r->done[2], 235);
    assert_int_equal(m->r->sent_at[1], 236); /* at its lookup, raw */
    assert_int_equal(m->r->sent[1].form.bytes, 0);
    assert_int_equal(m->r->acked[3], 336);
    memory_free(m);
}

/* It goes down raw, once, and counts as a line that may be encoded later; the read is as fast. */
static void a_line_that_is_not_wanted_encoded_is_sent_back(void **state)
{
    (void)state;
    for (uint32_t unwilling = 0; unwilling < 2; unwilling++) {
        struct memory *m = memory_new(20, &decoded);
        m->is_encoded = true;
        m->mock.is_unwilling = unwilling;
        const struct l1_access a = read_of(128, 1);
        l1_rig_submit(m->r, 10, &a);
        l1_rig_run(m->r, 600);
        assert_int_equal(m->r->done[1], 165);
        assert_int_equal(m->r->nsent, 1 + unwilling);
        if (unwilling) {
            const struct mem_req *back = &m->r->sent[1];
            assert_int_equal(back->kind, MEM_WRITE);
            assert_int_equal(back->addr, 128);
            assert_int_equal(back->full, 15);
            assert_int_equal(back->form.bytes, 0);
            assert_int_equal(back->form.reads, 1);
            assert_int_equal(m->r->sent_at[1], 165);
        }
        memory_free(m);
    }
}

/* A line that only a prefetch has asked for is decoded for no warp. */
static void a_job_that_nobody_waits_for_has_no_slot(void **state)
{
    (void)state;
    struct memory *m = memory_new(20, &decoded);
    m->is_encoded = true;
    struct l1_access ahead = read_of(0, 1);
    ahead.is_prefetch = true;
    l1_rig_submit(m->r, 10, &ahead);
    l1_rig_run(m->r, 400);
    assert_int_equal(m->mock.n, 1);
    assert_int_equal(m->mock.jobs[0].slot, CODEC_NO_SLOT);
    memory_free(m);
}

static void an_engine_without_latency_changes_no_cycle(void **state)
{
    (void)state;
    for (uint32_t encoded = 0; encoded < 2; encoded++) {
        struct memory *m = memory_new(0, &decoded);
        m->is_encoded = encoded;
        const struct l1_access a[] = {read_of(0, 1), store_of(128, 15, 2)};
        const cycle_t at[] = {10, 11};
        submit_all(m, a, at, 2);
        l1_rig_run(m->r, 400);
        assert_int_equal(m->r->done[1], 145);
        assert_int_equal(m->r->acked[2], 146);
        assert_int_equal(m->mock.n, 1 + encoded);
        assert_int_equal(m->r->sent[1].form.bytes, CODE);
        assert_int_equal(m->r->sent[1].form.algorithm, 1);
        memory_free(m);
    }
}

static void kept_lines_are_decoded_for_every_use(void **state)
{
    (void)state;
    const struct encoding_cfg kept = {ENCODED_KEPT, 0, 0, 96, 0, 0, false, false, NULL};
    struct memory *m = memory_new(20, &kept);
    m->is_encoded = true;
    const struct l1_access a[] = {read_of(0, 1), read_of(0, 2), store_of(0, 1, 3), read_of(0, 4)};
    const cycle_t at[] = {10, 200, 300, 301};
    submit_all(m, a, at, 4);
    l1_rig_run(m->r, 600);
    assert_int_equal(m->r->done[1], 165);
    assert_int_equal(m->r->done[2], 255);
    assert_int_equal(m->mock.jobs[1].kind, CODEC_HIT);
    assert_int_equal(m->mock.jobs[1].slot, 12);
    assert_int_equal(m->mock.jobs[1].bytes, CODE);
    assert_int_equal(m->r->done[4], 456); /* a miss, behind the write that evicted the line */
    assert_int_equal(l1_stats(m->r->l1)->coded_hits, 1);
    memory_free(m);
}

static void direct_loads_need_no_engine(void **state)
{
    (void)state;
    const struct encoding_cfg direct = {ENCODED_DIRECT, 3, 0, 96, 0, 0, false, false, NULL};
    struct memory *m = memory_new(20, &direct);
    m->is_encoded = true;
    const struct l1_access a[] = {read_of(0, 1), read_of(0, 2)};
    const cycle_t at[] = {10, 200};
    submit_all(m, a, at, 2);
    l1_rig_run(m->r, 600);
    assert_int_equal(m->mock.n, 0);
    assert_int_equal(m->r->done[1], 148);
    assert_int_equal(m->r->done[2], 238);
    memory_free(m);
}

/* All of an encoded line comes, whatever was asked for. */
static void an_encoded_line_brings_all_its_sectors(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1.sectored=true", NULL};
    for (uint32_t encoded = 0; encoded < 2; encoded++) {
        struct memory *m = memory_new(0, &decoded);
        l1_rig_free(m->r);
        m->r = l1_rig_new(sets);
        m->r->on_fill = memory_answer;
        m->r->ctx = m;
        m->is_encoded = encoded;
        l1_rig_bind_engine(m->r, &m->engine, &decoded);
        const struct l1_access a[] = {{.addr = 0, .bytes = 32, .sectors = 1, .token = 1},
                                      {.addr = 0, .bytes = 32, .sectors = 4, .token = 2}};
        const cycle_t at[] = {10, 200};
        submit_all(m, a, at, 2);
        l1_rig_run(m->r, 600);
        assert_int_equal(m->r->done[2], encoded ? 235 : 335);
        memory_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_encoded_line_is_decoded_before_it_is_used),
        cmocka_unit_test(a_line_waits_for_an_engine_that_is_busy),
        cmocka_unit_test(a_busy_engine_wakes_its_cache),
        cmocka_unit_test(plain_lines_need_no_engine),
        cmocka_unit_test(a_line_that_is_not_wanted_encoded_is_sent_back),
        cmocka_unit_test(a_job_that_nobody_waits_for_has_no_slot),
        cmocka_unit_test(an_engine_without_latency_changes_no_cycle),
        cmocka_unit_test(kept_lines_are_decoded_for_every_use),
        cmocka_unit_test(direct_loads_need_no_engine),
        cmocka_unit_test(an_encoded_line_brings_all_its_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
