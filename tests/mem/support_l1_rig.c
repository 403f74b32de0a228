/* Steps an L1 cycle by cycle and answers its requests after a fixed latency. */
#include "support_l1_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct l1_rig *l1_rig_new(const char *const *sets)
{
    struct l1_rig *r = xcalloc(1, sizeof *r);
    struct err err;
    r->conf = conf_new();
    conf_add(r->conf, "l1", l1_fields, l1_nfields, &r->cfg);
    for (; sets && *sets; sets++)
        if (!conf_set(r->conf, *sets, &err))
            fail_msg("%s", err.msg);
    if (!l1_cfg_check(&r->cfg, "l1", &err))
        fail_msg("%s", err.msg);
    r->l1 = l1_new(&r->cfg, &r->pool, 3, &l1_seams_null);
    r->memory_latency = 100;
    r->now = 1; /* so that 0 can mean never */
    return r;
}

void l1_rig_bind(struct l1_rig *r, const struct l1_seams *seams)
{
    l1_free(r->l1);
    r->l1 = l1_new(&r->cfg, &r->pool, 3, seams);
}

void l1_rig_free(struct l1_rig *r)
{
    l1_free(r->l1);
    mem_req_pool_free(&r->pool);
    conf_free(r->conf);
    free(r);
}

static void answer(struct l1_rig *r)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->nflight; i++) {
        if (r->flight[i].at == r->now && r->on_fill)
            r->on_fill(r->ctx, r->flight[i].req);
        if (r->flight[i].at == r->now)
            l1_fill(r->l1, r->now, r->flight[i].req);
        else
            r->flight[kept++] = r->flight[i];
    }
    r->nflight = kept;
}

static void send(struct l1_rig *r)
{
    struct mem_req *req = r->hold ? NULL : l1_peek_req(r->l1, r->now);
    if (!req)
        return;
    assert_ptr_equal(l1_pop_req(r->l1, r->now), req);
    if (r->nsent < ARRAY_LEN(r->sent)) {
        r->sent_at[r->nsent] = r->now;
        r->sent[r->nsent++] = *req;
    }
    assert_true(r->nflight < RIG_FLIGHT);
    r->flight[r->nflight].req = req;
    r->flight[r->nflight++].at = r->now + r->memory_latency;
}

void l1_rig_cycle(struct l1_rig *r)
{
    uint32_t token;
    answer(r);
    if (!r->sleeps || l1_next(r->l1, r->now) <= r->now)
        l1_tick(r->l1, r->now);
    if (r->on_tick)
        r->on_tick(r->ctx);
    if (l1_pop_done(r->l1, r->now, &token)) {
        assert_int_equal(r->done[token], 0);
        r->done[token] = r->now;
    }
    if (l1_pop_ack(r->l1, r->now, &token)) {
        assert_int_equal(r->acked[token], 0);
        r->acked[token] = r->now;
    }
    send(r);
}

void l1_rig_run(struct l1_rig *r, cycle_t until)
{
    for (; r->now < until; r->now++)
        l1_rig_cycle(r);
}

void l1_rig_submit(struct l1_rig *r, cycle_t at, const struct l1_access *a)
{
    l1_rig_run(r, at);
    assert_int_equal(r->now, at);
    l1_rig_cycle(r);
    assert_true(l1_can_accept(r->l1, r->now, a->addr));
    l1_submit(r->l1, r->now, a);
    r->now++;
}
