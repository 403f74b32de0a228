/* Steps a slice cycle by cycle between ports, and answers as a memory would. */
#include "support_l2_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct l2_rig *l2_rig_new(const char *const *sets)
{
    return l2_rig_with(sets, &slice_seams_null);
}

struct l2_rig *l2_rig_with(const char *const *sets, const struct slice_seams *seams)
{
    struct l2_rig *r = xcalloc(1, sizeof *r);
    struct interleave_cfg il = {1, 1, 256, false};
    struct err err;
    r->conf = conf_new();
    conf_add(r->conf, "l2", l2_fields, l2_nfields, &r->cfg);
    for (; sets && *sets; sets++)
        if (!conf_set(r->conf, *sets, &err))
            fail_msg("%s", err.msg);
    if (!l2_cfg_check(&r->cfg, "l2", &err))
        fail_msg("%s", err.msg);
    interleave_init(&r->il, &il);
    r->l2 = l2_new(&r->cfg, &r->il, seams);
    r->from_noc = port_new("from_noc", 1, 4);
    r->to_noc = port_new("to_noc", 1, 2);
    r->to_mc = port_new("to_mc", 1, 2);
    r->from_mc = port_new("from_mc", 1, 64);
    l2_bind(r->l2, r->from_noc, r->to_noc, r->to_mc, r->from_mc);
    r->memory_latency = 50;
    r->now = 1;
    return r;
}

void l2_rig_free(struct l2_rig *r)
{
    l2_free(r->l2);
    port_free(r->from_noc);
    port_free(r->to_noc);
    port_free(r->to_mc);
    port_free(r->from_mc);
    conf_free(r->conf);
    free(r);
}

static void memory_cycle(struct l2_rig *r)
{
    uint32_t kept = 0;
    struct mem_req *req;
    for (uint32_t i = 0; i < r->nflight; i++) {
        if (r->flight[i].at > r->now + 1 || !port_can_push(r->from_mc, r->now)) {
            r->flight[kept++] = r->flight[i];
            continue;
        }
        if (r->on_answer)
            r->on_answer(r->ctx, r->flight[i].req);
        port_push(r->from_mc, r->now, r->flight[i].req);
    }
    r->nflight = kept;
    while (!r->hold_memory && (req = port_pop(r->to_mc, r->now))) {
        if (r->nsent < ARRAY_LEN(r->sent)) {
            r->sent_at[r->nsent] = r->now - 1;
            r->sent[r->nsent++] = *req;
        }
        assert_true(r->nflight < L2_RIG_FLIGHT);
        r->flight[r->nflight].req = req;
        r->flight[r->nflight++].at = r->now + r->memory_latency;
    }
}

void l2_rig_cycle(struct l2_rig *r)
{
    struct mem_req *req;
    cycle_t next = l2_tick(r->l2, r->now);
    assert_true(next > r->now);
    if (r->on_tick)
        r->on_tick(r->ctx);
    memory_cycle(r);
    if (!r->hold_noc && (req = port_pop(r->to_noc, r->now))) {
        assert_int_equal(r->back[req->token], 0);
        r->back[req->token] = r->now - 1;
    }
}

void l2_rig_run(struct l2_rig *r, cycle_t until)
{
    for (; r->now < until; r->now++)
        l2_rig_cycle(r);
}

void l2_rig_give(struct l2_rig *r, cycle_t at, uint32_t token, enum mem_kind kind, addr_t addr,
                 uint16_t sectors, uint16_t full)
{
    l2_rig_run(r, at - 1);
    struct mem_req *req = &r->reqs[token];
    *req = (struct mem_req){.addr = addr,
                            .bytes = (uint32_t)__builtin_popcount(sectors) * 32,
                            .kind = (uint8_t)kind,
                            .sectors = sectors,
                            .full = full,
                            .token = token};
    assert_true(port_can_push(r->from_noc, r->now));
    port_push(r->from_noc, r->now, req);
}
