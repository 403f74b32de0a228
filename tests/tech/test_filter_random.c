/* Data criticality with random accesses through an L1 and a memory node that answers in any order,
 * against sets kept for each line. */
#include "support_filter_rig.h"

#include "base/rng.h"
#include "mem/l1_int.h"
#include "tech/filter/filter_node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ALL = 0xf, LINES = 24, ACCESSES = 8000, MOST_CYCLES = 800000 };

/* A line as the test knows it, from outside. */
struct known {
    bool is_here;
    uint16_t valid, pending;
    uint32_t requests;     /* without an answer; what they ask for may be here */
    cycle_t come[4], left; /* when memory brought a sub-block, when the line left */
};

struct trial {
    struct filter_rig *g;
    struct filter_node node;
    struct packet_policy at_node;
    struct capacity_policy room;
    struct request_policy inner, watched; /* the filter's; as the L1 sees it, through the test */
    struct rng rng;
    struct known lines[LINES];
    struct l1_access access[ACCESSES]; /* by token */
    cycle_t left_before[ACCESSES];     /* by token: when the line had left, at its submission */
    uint64_t fm, sub, hi, more;        /* more: sub-blocks of answers that nobody asked for */
    uint64_t followers;
    uint32_t first; /* token that may not be done */
};

static struct known *known_of(struct trial *t, addr_t addr)
{
    return &t->lines[addr / 128];
}

static uint16_t watch_ask(const void *self, const struct line_view *v)
{
    const struct trial *t = self;
    return t->inner.ask(t->inner.self, v);
}

static void watch_sent(void *self, const struct line_view *v, uint16_t asked, cycle_t now)
{
    struct trial *t = self;
    struct known *k = known_of(t, v->line);
    assert_int_equal(v->valid & ~k->valid, 0);
    if (t->g->cfg.tags > 1)
        k->valid = v->valid; /* what nobody asked for may have found no room */
    assert_int_equal(v->valid, k->valid);
    assert_int_equal(v->reserved, k->pending);
    ++*(!k->is_here ? &t->fm : k->pending ? &t->sub : &t->hi);
    if (!k->requests && t->g->cfg.refill == FILTER_REPLACE)
        k->valid = 0;
    assert_int_equal(asked & (k->pending | k->valid), 0); /* nothing is asked for twice */
    assert_int_equal(v->need & ~(asked | k->pending | k->valid), 0);
    k->is_here = true;
    k->pending |= asked;
    k->requests += 1 + (t->g->cfg.critical_first && (asked & ~v->need));
    t->inner.sent(t->inner.self, v, asked, now);
}

static void watch_settled(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    struct trial *t = self;
    assert_int_equal(known_of(t, line)->pending, 0);
    t->inner.settled(t->inner.self, line, life, now);
}

static void watch_left(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    struct trial *t = self;
    struct known *k = known_of(t, line);
    assert_true(k->is_here && !k->pending);
    k->is_here = false;
    k->valid = 0;
    k->left = now;
    t->inner.left(t->inner.self, line, life, now);
}

/* --- the memory: the newest request in flight meets the node, others come back at any time --- */

static void meet_node(struct trial *t)
{
    struct l1_rig *r = t->g->l1;
    const uint32_t last = r->nflight - 1;
    struct mem_req *req = r->flight[last].req;
    r->flight[last].at = r->now + 20 + rng_below(&t->rng, 200);
    if (req->kind != MEM_READ || !t->at_node.arrive(t->at_node.self, req, r->now))
        return;
    req->node = MEM_NODE_ABSORBED;
    r->nflight--;
}

/* Those that follow come at any time after it. */
static void send_followers(struct trial *t, struct mem_req *r)
{
    struct l1_rig *l1 = t->g->l1;
    for (struct mem_req **at = &r->next; *at;) {
        struct mem_req *rider = *at;
        if (rider->node != MEM_NODE_FOLLOWS) {
            at = &rider->next;
            continue;
        }
        *at = rider->next;
        rider->next = NULL;
        rider->node = MEM_NODE_NONE;
        l1->flight[l1->nflight].req = rider;
        l1->flight[l1->nflight++].at = l1->now + 1 + rng_below(&t->rng, 100);
        t->followers++;
    }
}

static void answer(void *ctx, const struct mem_req *reply)
{
    struct trial *t = ctx;
    struct mem_req *r = (struct mem_req *)(uintptr_t)reply;
    struct known *k = known_of(t, r->addr);
    const uint16_t asked = r->sectors;
    uint16_t riders = 0;
    if (r->kind != MEM_READ)
        return;
    r->full = ALL;
    r->queue = (uint16_t)rng_below(&t->rng, 8);
    r->node = MEM_NODE_ANSWERS;
    t->at_node.answer(t->at_node.self, r, t->g->l1->now);
    r->node = MEM_NODE_NONE;
    send_followers(t, r);
    k->requests -= filter_is_cut(r);
    for (const struct mem_req *q = r->next; q; q = q->next) {
        riders |= q->sectors;
        k->requests--;
    }
    const bool is_late = r->meta & FILTER_META_LATER;
    const bool is_idle = filter_is_cut(r) && r->queue < t->g->cfg.idle_queue &&
                         !(r->meta & (FILTER_META_REST | FILTER_META_SURE));
    if ((r->meta & FILTER_META_OVERFLOW && !is_late) || is_idle)
        assert_int_equal(r->sectors, ALL);
    else
        assert_int_equal(r->sectors, asked | riders);
    t->more += mem_sector_count(r->sectors & (uint16_t) ~(asked | riders));
    for (uint32_t i = 0; i < 4; i++)
        if (r->sectors >> i & 1)
            k->come[i] = t->g->l1->now;
    if (filter_is_cut(r)) {
        k->valid |= r->sectors;
        k->pending &= (uint16_t)~r->sectors;
    }
}

/* --- the SM --- */

static struct l1_access random_access(struct trial *t, uint32_t token)
{
    const uint32_t dice = rng_below(&t->rng, 20);
    struct l1_access a = {.addr = rng_below(&t->rng, LINES) * 128, .token = token};
    a.load = (uint16_t)(token % 5);
    a.sectors = (uint16_t)(dice & 1 ? 1u << rng_below(&t->rng, 4) : 1 + rng_below(&t->rng, 15));
    a.bytes = mem_sector_count(a.sectors) * 32;
    a.kind = dice == 0 ? MEM_WRITE : dice == 1 ? MEM_ATOMIC : MEM_READ;
    a.bypass = dice == 2;
    return a;
}

/* What was done in this cycle has got what it needs since its line had last left. */
static void check_done(struct trial *t, uint32_t n, cycle_t now)
{
    const struct l1_rig *r = t->g->l1;
    for (uint32_t i = t->first; i < n; i++) {
        const struct l1_access *a = &t->access[i];
        if (r->done[i] != now || a->kind != MEM_READ)
            continue;
        for (uint32_t k = 0; k < 4; k++)
            assert_true(!(a->sectors >> k & 1) ||
                        known_of(t, a->addr)->come[k] >= t->left_before[i]);
    }
    while (t->first < n && (r->done[t->first] || r->acked[t->first]))
        t->first++;
}

/* Lines take what is there or on its way of them, and that fits. */
static void check_room(const struct trial *t)
{
    const struct tags *tags = &t->g->l1->l1->tags;
    for (uint32_t set = 0; set < tags->sets; set++) {
        uint32_t bytes = 0;
        for (uint32_t i = set * tags->ways; i < (set + 1) * tags->ways; i++) {
            const struct tag_line *l = &tags->lines[i];
            const uint32_t takes = 32 * mem_sector_count(l->valid | l->reserved);
            assert_int_equal(tags->bytes[i], takes);
            bytes += takes;
        }
        assert_true(bytes == tags->used[set] && bytes <= tags->capacity);
    }
}

static void step(struct trial *t, uint32_t *n)
{
    struct l1_rig *r = t->g->l1;
    const cycle_t now = r->now;
    r->nsent = 0;
    l1_rig_cycle(r);
    if (r->nsent)
        meet_node(t);
    check_done(t, *n, now);
    if (t->g->cfg.tags > 1)
        check_room(t);
    if (*n < ACCESSES && rng_below(&t->rng, 2)) {
        const struct l1_access a = random_access(t, *n);
        if (l1_can_accept(r->l1, now, a.addr)) {
            t->left_before[*n] = known_of(t, a.addr)->left;
            t->access[(*n)++] = a;
            l1_submit(r->l1, now, &a);
        }
    }
    r->now++;
}

static void check_end(struct trial *t, uint32_t n)
{
    const struct l1_stats *l1 = l1_stats(t->g->l1->l1);
    const struct filter_stats *st = &t->g->sm.stats;
    const struct filter_node_stats *ns = &t->node.stats;
    assert_int_equal(n, ACCESSES);
    assert_true(l1_idle(t->g->l1->l1));
    assert_int_equal(l1_mshrs_used(t->g->l1->l1), 0);
    assert_int_equal(t->g->l1->pool.out, 0);
    assert_int_equal(filter_table_used(&t->node.table), 0);
    assert_int_equal(t->g->sm.nseconds, 0);
    assert_int_equal(st->fm, t->fm);
    assert_int_equal(st->sub, t->sub);
    assert_int_equal(st->hi, t->hi);
    assert_int_equal(l1->reads, l1->read_hits + l1->read_merges + t->fm + t->sub + t->hi);
    assert_int_equal(l1->requests_read, t->fm + t->sub + t->hi + st->split + l1->bypasses);
    assert_int_equal(st->delivered, st->asked + t->more);
    assert_int_equal(ns->partial, ns->entered + ns->absorbed + ns->overflow);
    assert_int_equal(ns->partial + ns->whole, t->fm + t->sub + t->hi + st->split);
    const struct filter_cfg *c = &t->g->cfg;
    assert_true(t->fm > 500 && t->sub > 50);
    assert_true(t->hi > 50 || c->predict || c->idle_queue); /* which are against them */
    assert_true(c->table ? ns->overflow > 100 : !ns->overflow);
    assert_true(!c->table || ns->occupancy.max <= (uint64_t)c->table);
    assert_true(c->table || c->idle_queue ? t->more > 100 : !t->more);
    assert_int_equal(c->predict && c->decide == FILTER_RC, st->predicted > 0);
    assert_int_equal(c->merge, ns->absorbed > 0);
    assert_int_equal(c->critical_first && c->decide == FILTER_RC, st->split > 0);
    assert_true(!t->followers || (st->split && c->merge));
}

static void run(const struct filter_cfg *cfg)
{
    static const char *const sets[] = {
        "l1.size=1024",    "l1.ways=2", "l1.latency=5", "l1.mshrs=6", "l1.merges=3",
        "l1.miss_queue=3", NULL};
    struct trial *t = xcalloc(1, sizeof *t);
    struct l1_seams seams = l1_seams_null;
    uint32_t n = 0;
    t->rng = (struct rng){17};
    t->g = filter_rig_new(cfg, sets);
    t->g->mem->m.noc_mhz = 1400;
    filter_node_init(&t->node, &t->g->cfg, &t->g->wire, &t->g->mem->m);
    t->at_node = filter_node_packets(&t->node, true);
    t->inner = t->g->requests;
    t->watched = (struct request_policy){.ask = watch_ask,
                                         .sent = watch_sent,
                                         .valid = request_policy_null.valid,
                                         .settled = watch_settled,
                                         .left = watch_left,
                                         .wakes_together = t->inner.wakes_together,
                                         .replaces = t->inner.replaces,
                                         .splits = t->inner.splits,
                                         .self = t};
    seams.requests = &t->watched;
    seams.sm_packets = &t->g->packets;
    t->room = capacity_policy_null;
    t->room.tag_factor = (uint32_t)cfg->tags;
    t->room.by_sector = true;
    seams.l1_capacity = &t->room;
    l1_rig_bind(t->g->l1, &seams);
    t->g->l1->on_fill = answer;
    t->g->l1->ctx = t;
    for (uint32_t i = 0; i < MOST_CYCLES && !(n == ACCESSES && l1_idle(t->g->l1->l1)); i++)
        step(t, &n);
    check_end(t, n);
    filter_node_free(&t->node);
    filter_rig_free(t->g);
    free(t);
}

/* Every option's ends, with windows and tables of one entry and of many. */
static void lines_are_what_sets_kept_outside_say(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        struct filter_cfg cfg = filter_rig_default;
        cfg.window = i & 1 ? 1 : 16;
        cfg.table = i & 2 ? 1 : 0;
        cfg.refill = i & 4 ? FILTER_APPEND : FILTER_REPLACE;
        cfg.wake = i & 8 ? FILTER_WAKE_OWN : FILTER_WAKE_ALL;
        cfg.merge = i & 16;
        cfg.decide = i & 32 ? FILTER_NEED : FILTER_RC;
        cfg.sub_ask = i % 3 ? FILTER_SUB_REST : FILTER_SUB_NEED;
        cfg.windows = i % 5 ? FILTER_BY_USED : FILTER_BY_FIRST;
        cfg.idle_queue = i % 7 > 4 ? 2 : 0;
        cfg.predict = (int)(i / 3 % 3);
        cfg.predict_entries = i % 11 ? 64 : 1;
        cfg.predict_region = 128;
        cfg.tags = i / 2 % 5 > 2 ? 4 : 1;
        cfg.critical_first = i / 4 % 3 == 1;
        run(&cfg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_what_sets_kept_outside_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
