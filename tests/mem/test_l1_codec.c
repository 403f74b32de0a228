/* Lines that come or leave encoded, to the cycle: an L1 and an engine that is not there. */
#include "support_l1_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { JOBS = 32, CODE = 40 };

struct mock {
    cycle_t latency;    /* 0: done at once */
    cycle_t busy_until; /* answers CODEC_BUSY before; CYCLE_NEVER: until the test wakes the cache */
    uint32_t asked;     /* times */
    const struct codec_client *client;
    bool refuses;
    cycle_t begins;  /* so long after it was asked, a store's bytes are read */
    uint32_t stored; /* what a store becomes */
    struct codec_job jobs[JOBS];
    cycle_t due[JOBS];
    uint32_t n, head;
};

static enum codec_answer submit(void *self, cycle_t now, struct codec_job *job)
{
    struct mock *m = self;
    m->asked++;
    if (now < m->busy_until) {
        if (m->busy_until != CYCLE_NEVER)
            m->client->wake(m->client->self, m->busy_until);
        return CODEC_BUSY;
    }
    if (m->refuses && job->kind == CODEC_STORE)
        return CODEC_REFUSED;
    if (job->kind == CODEC_STORE) {
        assert_int_equal(job->bytes, 128);
        job->bytes = (uint16_t)m->stored;
        job->algorithm = 1;
        job->began = now + m->begins;
    }
    assert_true(m->n < JOBS);
    m->jobs[m->n] = *job;
    m->due[m->n++] = now + m->latency;
    m->head += !m->latency;
    return m->latency ? CODEC_TAKEN : CODEC_DONE;
}

static bool done(void *self, cycle_t now, struct codec_job *job)
{
    struct mock *m = self;
    if (m->head == m->n || m->due[m->head] > now)
        return false;
    *job = m->jobs[m->head++];
    return true;
}

static cycle_t next(const void *self, cycle_t now)
{
    const struct mock *m = self;
    (void)now;
    return m->head < m->n ? m->due[m->head] : CYCLE_NEVER;
}

static void join(void *self, const struct codec_client *client)
{
    ((struct mock *)self)->client = client;
}

/* What memory answers. */
struct memory {
    struct mock mock;
    struct codec_engine engine;
    struct l1_rig *r;
    bool is_encoded;
    uint32_t refusals; /* so many writes and atomics are refused */
    uint8_t reads;     /* that answers tell of */
};

static void answer(void *ctx, const struct mem_req *reply)
{
    struct memory *m = ctx;
    struct mem_req *r = (struct mem_req *)(uintptr_t)reply;
    r->form.bytes = m->is_encoded && r->kind == MEM_READ ? CODE : 0;
    if (r->kind != MEM_READ && r->full != 15 && m->refusals) {
        m->refusals--;
        r->refused = true;
        r->form.bytes = CODE;
    }
    r->form.algorithm = r->form.bytes ? 2 : 0;
    r->form.reads = m->reads;
}

static void bind(struct l1_rig *r, const struct codec_engine *engine,
                 const struct encoding_cfg *cfg)
{
    struct l1_seams seams = l1_seams_null;
    seams.codec_engines = engine;
    seams.encodings = cfg;
    l1_rig_bind(r, &seams);
}

static struct memory *memory_new(uint32_t latency, const struct encoding_cfg *cfg)
{
    if (cfg->counts)
        *cfg->counts = (struct encoding_counts){0};
    struct memory *m = xcalloc(1, sizeof *m);
    m->r = l1_rig_new(NULL);
    m->mock.latency = latency;
    m->mock.stored = CODE;
    m->engine = (struct codec_engine){submit, done, next, &m->mock, join};
    m->r->on_fill = answer;
    m->r->ctx = m;
    bind(m->r, &m->engine, cfg);
    return m;
}

static void memory_free(struct memory *m)
{
    assert_true(l1_idle(m->r->l1));
    assert_int_equal(m->r->pool.out, 0);
    const struct l1_stats *st = l1_stats(m->r->l1);
    assert_int_equal(st->requests_read + st->requests_write + st->requests_back, st->replies);
    l1_rig_free(m->r);
    free(m);
}

static const struct encoding_cfg decoded = {ENCODED_DECODED, 0, 4, 96, 0, 0, false, false, NULL};

static struct l1_access read_of(addr_t addr, uint32_t token)
{
    return (struct l1_access){
        .addr = addr, .bytes = 128, .sectors = 15, .slot = (uint16_t)(token + 10), .token = token};
}

static struct l1_access store_of(addr_t addr, uint16_t sectors, uint32_t token)
{
    return (struct l1_access){.addr = addr,
                              .bytes = 32u * (uint32_t)__builtin_popcount(sectors),
                              .sectors = sectors,
                              .full = sectors,
                              .kind = MEM_WRITE,
                              .slot = (uint16_t)(token + 10),
                              .token = token};
}

static void submit_all(struct memory *m, const struct l1_access *a, const cycle_t *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        l1_rig_submit(m->r, at[i], &a[i]);
}

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
        m->r->on_fill = answer;
        m->r->ctx = m;
        m->is_encoded = encoded;
        bind(m->r, &m->engine, &decoded);
        const struct l1_access a[] = {{.addr = 0, .bytes = 32, .sectors = 1, .token = 1},
                                      {.addr = 0, .bytes = 32, .sectors = 4, .token = 2}};
        const cycle_t at[] = {10, 200};
        submit_all(m, a, at, 2);
        l1_rig_run(m->r, 600);
        assert_int_equal(m->r->done[2], encoded ? 235 : 335);
        memory_free(m);
    }
}

/* --- anything in any order --- */

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
    bind(r, &engine, cfg);
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
        cmocka_unit_test(an_encoded_line_is_decoded_before_it_is_used),
        cmocka_unit_test(a_line_waits_for_an_engine_that_is_busy),
        cmocka_unit_test(a_busy_engine_wakes_its_cache),
        cmocka_unit_test(plain_lines_need_no_engine),
        cmocka_unit_test(a_job_that_nobody_waits_for_has_no_slot),
        cmocka_unit_test(an_engine_without_latency_changes_no_cycle),
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
        cmocka_unit_test(kept_lines_are_decoded_for_every_use),
        cmocka_unit_test(direct_loads_need_no_engine),
        cmocka_unit_test(an_encoded_line_brings_all_its_sectors),
        cmocka_unit_test(nothing_is_lost_and_sleeping_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
