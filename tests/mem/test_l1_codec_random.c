/* Encoded lines and an engine that does anything in any order: no access is lost. */
#include "support_l1_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANDOM_CYCLES = 6000, RANDOM_LINES = 12 };

/* Busy for 16 cycles of 48; jobs take 1 to 64 cycles and overtake each other; one store in 8 is
 * refused. */
struct wild {
    const struct codec_client *client;
    struct codec_job jobs[256];
    cycle_t due[256];
    uint32_t n, count;
};

static bool is_busy(cycle_t now)
{
    return now / 16 % 3 == 0;
}

static enum codec_answer wild_submit(void *self, cycle_t now, struct codec_job *job)
{
    struct wild *w = self;
    if (is_busy(now)) {
        w->client->wake(w->client->self, (now / 16 + 1) * 16);
        return CODEC_BUSY;
    }
    const uint32_t dice = ++w->count * 2654435761u >> 16;
    if (job->kind == CODEC_STORE) {
        if (dice % 8 == 0)
            return CODEC_REFUSED;
        job->bytes = dice % 3 ? CODE : 128;
    }
    if (dice % 5 == 0)
        return CODEC_DONE;
    assert_true(w->n < ARRAY_LEN(w->jobs));
    w->jobs[w->n] = *job;
    w->due[w->n++] = now + 1 + dice % 64;
    return CODEC_TAKEN;
}

static void wild_join(void *self, const struct codec_client *client)
{
    ((struct wild *)self)->client = client;
}

static bool wild_done(void *self, cycle_t now, struct codec_job *job)
{
    struct wild *w = self;
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->due[i] > now)
            continue;
        *job = w->jobs[i];
        for (w->n--; i < w->n; i++) {
            w->jobs[i] = w->jobs[i + 1];
            w->due[i] = w->due[i + 1];
        }
        return true;
    }
    return false;
}

static cycle_t wild_next(const void *self, cycle_t now)
{
    const struct wild *w = self;
    (void)now;
    cycle_t at = CYCLE_NEVER;
    for (uint32_t i = 0; i < w->n; i++)
        at = w->due[i] < at ? w->due[i] : at;
    return at;
}

static void wild_answer(void *ctx, const struct mem_req *reply)
{
    uint32_t *count = ctx;
    struct mem_req *r = (struct mem_req *)(uintptr_t)reply;
    const bool is_encoded = r->addr / 128 % 4 != 0;
    r->form.bytes = r->kind == MEM_READ && is_encoded ? CODE : 0;
    if (r->kind != MEM_READ && r->full != 15 && ++*count % 3 == 0) {
        r->refused = true;
        r->form.bytes = *count % 2 ? CODE : 0; /* raw by now */
    }
}

static void wild_access(struct l1_rig *r, uint32_t *x, uint32_t *token)
{
    *x = *x * 1664525 + 1013904223;
    const addr_t line = (*x >> 20) % RANDOM_LINES * 128;
    const uint32_t kind = (*x >> 10) % 8;
    struct l1_access a = kind < 3 ? read_of(line, *token) : store_of(line, 15, *token);
    if (kind == 6)
        a = store_of(line, 2, *token);
    else if (kind == 7)
        a = (struct l1_access){
            .addr = line, .bytes = 4, .sectors = 1, .kind = MEM_ATOMIC, .token = *token};
    if ((*x >> 14) % 3 && l1_can_accept(r->l1, r->now, a.addr)) {
        l1_submit(r->l1, r->now, &a);
        ++*token;
    }
}

static struct l1_rig *wild_run(const struct encoding_cfg *cfg, bool sleeps, uint32_t *tokens)
{
    struct wild w = {.n = 0};
    const struct codec_engine engine = {wild_submit, wild_done, wild_next, &w, wild_join};
    uint32_t answers = 0, x = 7;
    struct l1_rig *r = l1_rig_new(NULL);
    r->on_fill = wild_answer;
    r->ctx = &answers;
    r->sleeps = sleeps;
    l1_rig_bind_engine(r, &engine, cfg);
    *tokens = 1;
    for (; r->now < RANDOM_CYCLES; r->now++) {
        r->hold = r->now / 100 % 4 == 1;
        l1_rig_cycle(r);
        wild_access(r, &x, tokens);
    }
    r->hold = false;
    l1_rig_run(r, RANDOM_CYCLES + 20000);
    assert_true(l1_idle(r->l1));
    assert_int_equal(r->pool.out, 0);
    assert_int_equal(w.n, 0);
    return r;
}

/* Every access ends once, whatever the engine does, and sleeping changes nothing. */
static void nothing_is_lost_and_sleeping_changes_nothing(void **state)
{
    (void)state;
    static const struct encoding_cfg ways[] = {
        {ENCODED_DECODED, 0, 3, 96, 0, 2, false, false, NULL},
        {ENCODED_DECODED, 0, 3, 96, 0, 2, true, true, NULL},
        {ENCODED_KEPT, 0, 2, 96, 0, 0, false, false, NULL}};
    for (size_t k = 0; k < ARRAY_LEN(ways); k++) {
        uint32_t tokens, again;
        struct l1_rig *awake = wild_run(&ways[k], false, &tokens);
        struct l1_rig *asleep = wild_run(&ways[k], true, &again);
        const struct l1_stats *st = l1_stats(awake->l1);
        assert_int_equal(tokens, again);
        for (uint32_t i = 1; i < tokens; i++) {
            assert_true(!awake->done[i] != !awake->acked[i]);
            assert_int_equal(awake->done[i], asleep->done[i]);
            assert_int_equal(awake->acked[i], asleep->acked[i]);
        }
        assert_memory_equal(st, l1_stats(asleep->l1), sizeof *st);
        assert_int_equal(st->requests_read + st->requests_write, st->replies);
        const uint64_t seen[] = {st->coded_fills,     st->coded_stores,   st->stores_raw,
                                 st->stores_overflow, st->stores_yielded, st->refused_writes,
                                 st->refused_atomics, st->codec_waits};
        for (size_t i = 0; i < ARRAY_LEN(seen); i++)
            assert_true(seen[i] > 0);
        l1_rig_free(awake);
        l1_rig_free(asleep);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_and_sleeping_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
