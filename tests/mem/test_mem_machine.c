/* An SM's L1, two L2 slices, a memory controller and a DRAM on another clock, as components: the
 * same to the last statistic whether they sleep or tick in every cycle, in any order, on one host
 * thread or two. */
#include "mem/l1.h"
#include "mem/l2.h"
#include "mem/mem_ctrl.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLICES = 2, ACCESSES = 30000, LINES = 700, FLIGHT = 64 };

struct sm {
    struct l1 *l1;
    struct mem_req_pool pool;
    const struct interleave *il;
    struct port *to[SLICES], *from[SLICES];
    struct rng rng;
    struct l1_access next;
    cycle_t next_at;
    uint32_t submitted, completed;
    uint64_t hash;
};

static void sm_plan(struct sm *m, cycle_t now)
{
    uint32_t kind = rng_below(&m->rng, 12);
    uint16_t sectors = (uint16_t)(1 + rng_below(&m->rng, 15));
    m->next_at = now + 1 + (rng_below(&m->rng, 50) ? rng_below(&m->rng, 3) : 1000);
    m->next = (struct l1_access){.addr = rng_below(&m->rng, LINES) * 128,
                                 .bytes = 32,
                                 .sectors = sectors,
                                 .full = sectors & (uint16_t)rng_u64(&m->rng),
                                 .kind = kind < 7    ? MEM_READ
                                         : kind < 11 ? MEM_WRITE
                                                     : MEM_ATOMIC,
                                 .token = m->submitted};
}

static void sm_complete(struct sm *m, cycle_t now, uint32_t token)
{
    m->completed++;
    m->hash = (m->hash ^ (now * 65537 + token)) * 0x9e3779b97f4a7c15u;
}

static cycle_t sm_tick(void *self, cycle_t now)
{
    struct sm *m = self;
    struct mem_req *r;
    uint32_t token;
    for (uint32_t i = 0; i < SLICES; i++)
        while ((r = port_pop(m->from[i], now)))
            l1_fill(r->owner, now, r);
    l1_tick(m->l1, now);
    if (l1_pop_done(m->l1, now, &token))
        sm_complete(m, now, token);
    if (l1_pop_ack(m->l1, now, &token))
        sm_complete(m, now, token);
    if ((r = l1_peek_req(m->l1, now))) {
        uint32_t slice = interleave_locate(m->il, r->addr).slice;
        if (port_can_push(m->to[slice], now))
            port_push(m->to[slice], now, l1_pop_req(m->l1, now));
    }
    if (m->submitted < ACCESSES && now >= m->next_at && l1_can_accept(m->l1, now, m->next.addr)) {
        l1_submit(m->l1, now, &m->next);
        m->submitted++;
        sm_plan(m, now);
    }
    cycle_t next = l1_next(m->l1, now);
    if (m->submitted < ACCESSES && m->next_at < next)
        next = m->next_at;
    for (uint32_t i = 0; i < SLICES; i++) /* a tick forgets the wakes of what it leaves */
        if (port_next(m->from[i]) < next)
            next = port_next(m->from[i]);
    return next > now ? next : now + 1;
}

/* Answers reads after a time that depends on the address, writes at once, one a cycle. */
struct dram {
    struct port *in, *out;
    struct {
        struct mem_req *req;
        cycle_t at;
    } flight[FLIGHT];
    uint32_t n;
};

static cycle_t dram_tick(void *self, cycle_t now)
{
    struct dram *d = self;
    struct mem_req *r;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->flight[i].at <= now && port_can_push(d->out, now)) {
            port_push(d->out, now, d->flight[i].req);
            memmove(&d->flight[i], &d->flight[i + 1], (--d->n - i) * sizeof d->flight[0]);
            break;
        }
    if (d->n < FLIGHT && (r = port_pop(d->in, now))) {
        d->flight[d->n].req = r;
        d->flight[d->n++].at = now + (mem_req_is_write(r) ? 1 : 15 + r->addr / 2048 % 40);
    }
    return d->n ? now + 1 : port_next(d->in);
}

static const struct component_ops sm_ops = {sm_tick, NULL}, dram_ops = {dram_tick, NULL};

/* A component that is ticked in every cycle, whatever it asks for. */
struct restless {
    const struct component_ops *ops;
    void *self;
};

static cycle_t restless_tick(void *self, cycle_t now)
{
    struct restless *r = self;
    r->ops->tick(r->self, now);
    return now + 1;
}

static const struct component_ops restless_ops = {restless_tick, NULL};

struct machine {
    struct sim *sim;
    struct sim_clock *core;
    struct sm sm;
    struct dram dram;
    struct l2 *l2[SLICES];
    struct mem_ctrl *mc;
    struct interleave il;
    struct restless wrapped[8];
    uint32_t nwrapped;
    bool restless;
};

static struct component *add(struct machine *m, struct sim_clock *clock, unsigned partition,
                             const char *name, const struct component_ops *ops, void *self)
{
    if (!m->restless)
        return sim_add(m->sim, clock, partition, name, ops, self);
    struct restless *w = &m->wrapped[m->nwrapped++];
    *w = (struct restless){ops, self};
    return sim_add(m->sim, clock, partition, name, &restless_ops, w);
}

static void units_new(struct machine *m)
{
    struct l1_cfg l1;
    struct l2_cfg l2;
    struct mem_ctrl_cfg mc;
    conf_defaults(l1_fields, l1_nfields, &l1);
    conf_defaults(l2_fields, l2_nfields, &l2);
    conf_defaults(mem_ctrl_fields, mem_ctrl_nfields, &mc);
    l1.mshrs = 24;
    l1.miss_queue = 3;
    l1.merges = 2;
    l2.size = 8192;
    l2.latency = 20;
    l2.mshrs = 8;
    l2.merges = 2;
    l2.queue = 2;
    l2.reply_queue = 2;
    l2.memory_queue = 2;
    mc.latency_in = 10;
    mc.latency_out = 3;
    mc.queue = 2;
    mc.in_flight = 8;
    interleave_init(&m->il, &(struct interleave_cfg){1, SLICES, 256, true});
    m->sm.l1 = l1_new(&l1, &m->sm.pool, 0, &l1_seams_null);
    m->sm.il = &m->il;
    m->sm.rng.state = 7;
    sm_plan(&m->sm, 0);
    for (uint32_t i = 0; i < SLICES; i++)
        m->l2[i] = l2_new(&l2, &m->il, &slice_seams_null);
    m->mc = mem_ctrl_new(&mc, &m->il, SLICES, &channel_seams_null);
}

static void machine_wire(struct machine *m)
{
    struct sim_clock *memory = sim_add_clock(m->sim, "memory", 924);
    struct component *sm = add(m, m->core, 0, "sm", &sm_ops, &m->sm);
    struct component *mc = add(m, m->core, 1, "mc", &mem_ctrl_component_ops, m->mc);
    struct component *dram = add(m, memory, 1, "dram", &dram_ops, &m->dram);
    for (uint32_t i = 0; i < SLICES; i++) {
        struct component *l2 = add(m, m->core, 1, "l2", &l2_component_ops, m->l2[i]);
        m->sm.to[i] = sim_add_port(m->sim, "sm-l2", sm, l2, 4, 4, 4);
        m->sm.from[i] = sim_add_port(m->sim, "l2-sm", l2, sm, 4, 4, 8);
        struct port *down = sim_add_port(m->sim, "l2-mc", l2, mc, 1, 1, 2);
        struct port *up = sim_add_port(m->sim, "mc-l2", mc, l2, 1, 1, 2);
        l2_bind(m->l2[i], m->sm.to[i], m->sm.from[i], down, up);
        mem_ctrl_bind_slice(m->mc, i, down, up);
    }
    m->dram.in = sim_add_port(m->sim, "mc-dram", mc, dram, 1, 1, 4);
    m->dram.out = sim_add_port(m->sim, "dram-mc", dram, mc, 1, 1, 4);
    mem_ctrl_bind_dram(m->mc, m->dram.in, m->dram.out);
}

struct outcome {
    uint64_t hash;
    struct l1_stats l1;
    struct l2_stats l2[SLICES];
    struct mem_ctrl_stats mc;
};

static void machine_free(struct machine *m)
{
    l1_free(m->sm.l1);
    mem_req_pool_free(&m->sm.pool);
    for (uint32_t i = 0; i < SLICES; i++)
        l2_free(m->l2[i]);
    mem_ctrl_free(m->mc);
    sim_free(m->sim);
    free(m);
}

static void run(bool restless, uint64_t shuffle, unsigned threads, struct outcome *o)
{
    struct machine *m = xcalloc(1, sizeof *m);
    m->restless = restless;
    m->sim = sim_new();
    m->core = sim_add_clock(m->sim, "core", 700);
    units_new(m);
    machine_wire(m);
    if (shuffle)
        sim_shuffle(m->sim, shuffle);
    enum sim_status status = sim_run(m->sim, m->core, 3000000, threads);
    if (!restless)
        assert_int_equal(status, SIM_IDLE);
    assert_int_equal(m->sm.completed, ACCESSES);
    assert_true(l1_idle(m->sm.l1) && l2_idle(m->l2[0]) && l2_idle(m->l2[1]));
    assert_true(mem_ctrl_idle(m->mc));
    assert_int_equal(m->sm.pool.out, 0);
    memset(o, 0, sizeof *o);
    o->hash = m->sm.hash;
    o->l1 = *l1_stats(m->sm.l1);
    for (uint32_t i = 0; i < SLICES; i++)
        o->l2[i] = *l2_stats(m->l2[i]);
    o->mc = *mem_ctrl_stats(m->mc);
    machine_free(m);
}

static struct outcome expected, got;

static void check_same(bool restless, uint64_t shuffle, unsigned threads)
{
    run(restless, shuffle, threads, &got);
    assert_true(got.hash == expected.hash);
    assert_memory_equal(&got.l1, &expected.l1, sizeof got.l1);
    assert_memory_equal(&got.l2, &expected.l2, sizeof got.l2);
    assert_memory_equal(&got.mc, &expected.mc, sizeof got.mc);
}

static void what_goes_in_at_one_place_comes_out_at_the_next(void **state)
{
    (void)state;
    run(false, 0, 1, &expected);
    const struct l1_stats *l1 = &expected.l1;
    const struct l2_stats *a = &expected.l2[0], *b = &expected.l2[1];
    const struct mem_ctrl_stats *mc = &expected.mc;
    assert_int_equal(a->requests + b->requests,
                     l1->requests_read + l1->requests_write + l1->requests_back);
    assert_int_equal(a->replies + b->replies, l1->replies);
    assert_int_equal(mc->reads, a->fetches + b->fetches + a->evict_fetches + b->evict_fetches);
    assert_int_equal(mc->writes, a->write_backs + b->write_backs);
    assert_int_equal(mc->answers, a->memory_replies + b->memory_replies);
    /* every place where something can wait was full at times */
}

static void sleeping_changes_nothing(void **state)
{
    (void)state;
    check_same(true, 0, 1);
}

static void order_and_threads_change_nothing(void **state)
{
    (void)state;
    check_same(false, 11, 1);
    check_same(false, 12, 1);
    check_same(false, 0, 2);
    check_same(true, 13, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_at_one_place_comes_out_at_the_next),
        cmocka_unit_test(sleeping_changes_nothing),
        cmocka_unit_test(order_and_threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
