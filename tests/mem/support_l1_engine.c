/* The engine and the memory of support_l1_engine.h. */
#include "support_l1_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
    job->is_unwanted = m->is_unwilling && job->kind == CODEC_FILL;
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

void memory_answer(void *ctx, const struct mem_req *reply)
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

void l1_rig_bind_engine(struct l1_rig *r, const struct codec_engine *engine,
                        const struct encoding_cfg *cfg)
{
    struct l1_seams seams = l1_seams_null;
    seams.codec_engines = engine;
    seams.encodings = cfg;
    l1_rig_bind(r, &seams);
}

struct memory *memory_new(uint32_t latency, const struct encoding_cfg *cfg)
{
    if (cfg->counts)
        *cfg->counts = (struct encoding_counts){0};
    struct memory *m = xcalloc(1, sizeof *m);
    m->r = l1_rig_new(NULL);
    m->mock.latency = latency;
    m->mock.stored = CODE;
    m->engine = (struct codec_engine){submit, done, next, &m->mock, join};
    m->r->on_fill = memory_answer;
    m->r->ctx = m;
    l1_rig_bind_engine(m->r, &m->engine, cfg);
    return m;
}

void memory_free(struct memory *m)
{
    assert_true(l1_idle(m->r->l1));
    assert_int_equal(m->r->pool.out, 0);
    const struct l1_stats *st = l1_stats(m->r->l1);
    assert_int_equal(st->requests_read + st->requests_write + st->requests_back, st->replies);
    l1_rig_free(m->r);
    free(m);
}

const struct encoding_cfg decoded = {ENCODED_DECODED, 0, 4, 96, 0, 0, false, false, NULL};

struct l1_access read_of(addr_t addr, uint32_t token)
{
    return (struct l1_access){
        .addr = addr, .bytes = 128, .sectors = 15, .slot = (uint16_t)(token + 10), .token = token};
}

struct l1_access store_of(addr_t addr, uint16_t sectors, uint32_t token)
{
    return (struct l1_access){.addr = addr,
                              .bytes = 32u * (uint32_t)__builtin_popcount(sectors),
                              .sectors = sectors,
                              .full = sectors,
                              .kind = MEM_WRITE,
                              .slot = (uint16_t)(token + 10),
                              .token = token};
}

void submit_all(struct memory *m, const struct l1_access *a, const cycle_t *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        l1_rig_submit(m->r, at[i], &a[i]);
}
