/* Data criticality in an L1: first, subsequent and invalid misses, what lines teach, and random
 * accesses through an L1 and a memory node, against sets kept for each line. A request leaves 35
 * cycles after its access, is answered 100 later, and one access completes in a cycle. */
#include "mem/support_l1_rig.h"
#include "support_memory.h"

#include "base/rng.h"
#include "tech/filter/filter_node.h"
#include "tech/filter/filter_sm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ALL = 0xf };

/* --- an SM's part on an L1, without a memory node --- */

struct sm_rig {
    struct memory *mem;
    struct filter_cfg cfg;
    struct filter_wire wire;
    struct filter_sm sm;
    struct request_policy requests;
    struct packet_policy packets;
    struct l1_rig *l1;
    struct tech_seams seams;
    const struct probe *mark;
};

static const struct filter_cfg dflt = {.window = 16,
                                       .ica_percent = 50,
                                       .fdr_percent = 90,
                                       .refill = FILTER_APPEND,
                                       .wake = FILTER_WAKE_OWN,
                                       .merge = true};

static struct sm_rig *rig_new(const struct filter_cfg *cfg, const char *const *sets)
{
    const struct tech_design raw = {"df-raw", "", "", 0, false};
    struct sm_rig *g = xcalloc(1, sizeof *g);
    struct l1_seams seams = l1_seams_null;
    struct err err;
    g->mem = memory_new();
    g->cfg = *cfg;
    g->l1 = l1_rig_new(sets);
    g->mem->m.l1 = &g->l1->cfg;
    g->mark = &probe_null; /* no timeline */
    g->seams.marks[PER_SM] = &g->mark;
    g->mem->m.seams = &g->seams;
    if (!filter_wire_init(&g->wire, FILTER_RAW, &g->cfg, &g->mem->m, &raw, &err))
        fail_msg("%s", err.msg);
    filter_sm_init(&g->sm, &g->cfg, &g->wire, &g->mem->m, 0);
    g->requests = filter_sm_requests(&g->sm);
    g->requests.valid = request_policy_null.valid;
    g->packets = packet_policy_null;
    const struct packet_policy p = filter_sm_packets(&g->sm, true);
    g->packets.request = p.request;
    g->packets.fill_latency = p.fill_latency;
    g->packets.self = p.self;
    seams.requests = &g->requests;
    seams.sm_packets = &g->packets;
    l1_rig_bind(g->l1, &seams);
    return g;
}

static void rig_free(struct sm_rig *g)
{
    l1_rig_free(g->l1);
    filter_sm_free(&g->sm);
    memory_free(g->mem);
    free(g);
}

static void read_at(struct sm_rig *g, cycle_t at, addr_t line, uint16_t map, uint32_t token)
{
    const struct l1_access a = {
        .addr = line, .bytes = mem_sector_count(map) * 32, .sectors = map, .token = token};
    l1_rig_submit(g->l1, at, &a);
}

/* Of answers that are not compressed, by what was asked for; a request is one. */
static uint32_t reply_flits(const struct sm_rig *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->l1->nsent; i++)
        n += (8 + 32 * mem_sector_count(g->l1->sent[i].sectors) + 31) / 32;
    return n;
}

static void misses_are(const struct sm_rig *g, uint32_t fm, uint32_t sub, uint32_t hi)
{
    const struct filter_stats *st = &g->sm.stats;
    const struct l1_stats *l1 = l1_stats(g->l1->l1);
    assert_int_equal(st->fm, fm);
    assert_int_equal(st->sub, sub);
    assert_int_equal(st->hi, hi);
    assert_int_equal(fm, l1->read_misses);
    assert_int_equal(sub + hi, l1->read_sector_misses);
    assert_int_equal(st->pdr + st->predicted + st->fdr_need + st->fdr_ratio + st->fdr_sub +
                         st->fdr_ica + st->fdr_full,
                     fm + sub + hi);
    assert_int_equal(st->delivered, st->asked);
}

/* Sub-block 0, then 3 while the line is on its way, then 0 again. */
static void a_subsequent_miss_asks_for_the_rest(void **state)
{
    (void)state;
    static const cycle_t done[2][3] = {{155, 156, 157}, {145, 155, 146}};
    for (int wake = FILTER_WAKE_ALL; wake <= FILTER_WAKE_OWN; wake++) {
        struct filter_cfg cfg = dflt;
        cfg.wake = wake;
        struct sm_rig *g = rig_new(&cfg, NULL);
        read_at(g, 10, 0, 0x1, 1);
        read_at(g, 20, 0, 0x8, 2);
        read_at(g, 30, 0, 0x1, 3);
        l1_rig_run(g->l1, 300);
        assert_int_equal(g->l1->nsent, 2);
        assert_int_equal(g->l1->sent[0].sectors, 0x1);
        assert_int_equal(g->l1->sent_at[0], 45);
        assert_int_equal(g->l1->sent[1].sectors, 0xe);
        assert_int_equal(g->l1->sent_at[1], 55);
        assert_int_equal(reply_flits(g), 2 + 4);
        for (int i = 0; i < 3; i++)
            assert_int_equal(g->l1->done[i + 1], done[wake][i]);
        misses_are(g, 1, 1, 0);
        assert_int_equal(l1_stats(g->l1->l1)->read_merges, 1);
        assert_int_equal(g->sm.stats.fdr_sub, 1);
        assert_int_equal(g->sm.stats.ica_64_ones, 1); /* used 0x9, first 0x1 */
        assert_int_equal(g->sm.stats.fdr_pushes, 1);
        assert_int_equal(g->sm.stats.fdr_ones, 0);
        rig_free(g);
    }
}

static void or_for_what_it_needs(void **state)
{
    (void)state;
    struct filter_cfg cfg = dflt;
    cfg.sub_ask = FILTER_SUB_NEED;
    struct sm_rig *g = rig_new(&cfg, NULL);
    read_at(g, 10, 0, 0x1, 1);
    read_at(g, 20, 0, 0x8, 2);
    l1_rig_run(g->l1, 300);
    assert_int_equal(g->l1->sent[1].sectors, 0x8);
    misses_are(g, 1, 1, 0);
    rig_free(g);
}

/* Sub-block 0, then 1, then 0 again, each when the one before is done. */
static void a_line_that_is_here_in_part_is_hit_but_invalid(void **state)
{
    (void)state;
    for (int refill = FILTER_REPLACE; refill <= FILTER_APPEND; refill++) {
        const bool anew = refill == FILTER_REPLACE;
        struct filter_cfg cfg = dflt;
        cfg.refill = refill;
        struct sm_rig *g = rig_new(&cfg, NULL);
        read_at(g, 10, 0, 0x1, 1);
        read_at(g, 200, 0, 0x2, 2);
        read_at(g, 400, 0, 0x1, 3);
        l1_rig_run(g->l1, 700);
        assert_int_equal(g->l1->done[1], 145);
        assert_int_equal(g->l1->done[2], 335);
        assert_int_equal(g->l1->done[3], anew ? 535 : 435);
        assert_int_equal(g->l1->sent[1].sectors, 0x2);
        assert_int_equal(g->l1->sent_at[1], 235);
        assert_int_equal(reply_flits(g), anew ? 6 : 4);
        misses_are(g, 1, 0, anew ? 2 : 1);
        rig_free(g);
    }
}

static void a_miss_on_a_line_that_was_hit_but_invalid_is_told_apart(void **state)
{
    (void)state;
    struct sm_rig *g = rig_new(&dflt, NULL);
    read_at(g, 10, 0, 0x1, 1);
    read_at(g, 200, 0, 0x2, 2); /* HI */
    read_at(g, 210, 0, 0x4, 3); /* while it is on its way: SUB */
    l1_rig_run(g->l1, 600);
    misses_are(g, 1, 1, 1);
    assert_int_equal(g->sm.stats.after_hi, 1);
    assert_int_equal(g->sm.nseconds, 0);
    rig_free(g);
}

/* Figure 4.2: four sub-blocks, each after the one before: four requests where one would do. */
static void four_reads(struct sm_rig *g)
{
    for (uint32_t i = 0; i < 4; i++)
        read_at(g, 10 + 200 * i, 0, (uint16_t)(1u << i), i + 1);
    l1_rig_run(g->l1, 1000);
}

static void reads_of_all_sub_blocks_in_turn_are_as_many_requests(void **state)
{
    (void)state;
    for (int decide = FILTER_RC; decide <= FILTER_FULL; decide++) {
        struct filter_cfg cfg = dflt;
        cfg.decide = decide;
        struct sm_rig *g = rig_new(&cfg, NULL);
        four_reads(g);
        assert_int_equal(g->l1->nsent, decide == FILTER_FULL ? 1 : 4);
        assert_int_equal(reply_flits(g), decide == FILTER_FULL ? 5 : 8);
        rig_free(g);
    }
}

static void until_the_window_says_that_they_are_inconsistent(void **state)
{
    (void)state;
    struct sm_rig *g = rig_new(&dflt, NULL);
    g->sm.windows.ica[2] = 0x1ff;
    four_reads(g);
    assert_int_equal(g->l1->nsent, 2);
    assert_int_equal(g->l1->sent[1].sectors, 0xe);
    assert_int_equal(reply_flits(g), 6);
    assert_int_equal(g->sm.stats.fdr_ica, 1);
    rig_free(g);
}

/* A life is looked at when it settles and when it leaves. Windows are full of lines that were used
 * as a whole: the first push of a life of one sub-block changes nothing yet, the second does. */
static void a_life_is_learnt_from_twice(void **state)
{
    (void)state;
    static const char *const one_line[] = {"l1.size=128", "l1.ways=1", NULL};
    for (int learn = FILTER_USED; learn <= FILTER_ASKED; learn++) {
        struct filter_cfg cfg = dflt;
        cfg.learn = learn;
        struct sm_rig *g = rig_new(&cfg, one_line);
        g->sm.windows.fdr = 0xffff;
        read_at(g, 10, 0, 0x1, 1);
        l1_rig_run(g->l1, 200); /* FDR, since the window is over; it has settled */
        assert_int_equal(g->l1->sent[0].sectors, ALL);
        read_at(g, 200, 128, 0x1, 2); /* replaces it, after it has asked: 15 ones */
        l1_rig_run(g->l1, 400);
        assert_int_equal(g->l1->sent[1].sectors, ALL);
        read_at(g, 400, 256, 0x1, 3);
        l1_rig_run(g->l1, 600);
        assert_int_equal(g->l1->sent[2].sectors, learn == FILTER_USED ? 0x1 : ALL);
        assert_int_equal(g->sm.stats.lock_out, learn == FILTER_USED);
        assert_int_equal(g->sm.stats.fdr_pushes, 5);
        assert_int_equal(g->sm.stats.left_asked, 8);
        assert_int_equal(g->sm.stats.left_unused, 6);
        rig_free(g);
    }
}

/* Lines are read in turn, sub-block by sub-block, and replaced. By what was read of them each is
 * asked for in two requests for ever, since one sub-block has no window; by first reads, in one
 * when enough lines have shown what they are. */
static void lines_that_are_walked_through_are_learnt_by_their_first_reads(void **state)
{
    (void)state;
    static const char *const one_line[] = {"l1.size=128", "l1.ways=1", NULL};
    for (int windows = FILTER_BY_USED; windows <= FILTER_BY_FIRST; windows++) {
        struct filter_cfg cfg = dflt;
        cfg.windows = windows;
        struct sm_rig *g = rig_new(&cfg, one_line);
        for (uint32_t i = 0; i < 80; i++)
            read_at(g, 10 + 200 * i, i / 4 * 128, (uint16_t)(1u << i % 4), i + 1);
        l1_rig_run(g->l1, 20000);
        const uint64_t early = g->sm.stats.hi;
        for (uint32_t i = 80; i < 160; i++)
            read_at(g, 20010 + 200 * (i - 80), i / 4 * 128, (uint16_t)(1u << i % 4), i + 1);
        l1_rig_run(g->l1, 40000);
        assert_int_equal(g->sm.stats.fm, 40);
        assert_true(early > 0);
        assert_int_equal(g->sm.stats.hi - early, windows == FILTER_BY_FIRST ? 0 : 20);
        rig_free(g);
    }
}

/* Local memory, prefetches and what goes past the tags: as without. */
static void only_reads_of_global_memory_are_cut(void **state)
{
    (void)state;
    struct sm_rig *g = rig_new(&dflt, NULL);
    const struct l1_access accesses[] = {
        {.addr = 0, .bytes = 32, .sectors = 1, .space = MEM_LOCAL, .token = 1},
        {.addr = 128, .bytes = 32, .sectors = 1, .is_prefetch = true, .token = 2},
        {.addr = 256, .bytes = 32, .sectors = 1, .bypass = true, .token = 3},
        {.addr = 384, .bytes = 32, .sectors = 1, .token = 4}};
    static const uint16_t sent[] = {ALL, ALL, 0x1, 0x1};
    static const uint8_t meta[] = {0, ALL | FILTER_META_REST, 0, 0x1};
    for (uint32_t i = 0; i < ARRAY_LEN(accesses); i++)
        l1_rig_submit(g->l1, 10 + 10 * i, &accesses[i]);
    l1_rig_run(g->l1, 300);
    for (uint32_t i = 0; i < ARRAY_LEN(accesses); i++) {
        assert_int_equal(g->l1->sent[i].sectors, sent[i]);
        assert_int_equal(g->l1->sent[i].meta, meta[i]);
    }
    assert_int_equal(g->sm.stats.fm, 1);
    assert_int_equal(g->sm.stats.prefetches, 1);
    assert_int_equal(g->sm.stats.fdr_pushes, 1);
    rig_free(g);
}

/* The bound: the line comes, and its request says what it is to cost. */
static void the_bound_asks_for_the_line_and_says_what_is_needed(void **state)
{
    (void)state;
    struct filter_cfg cfg = dflt;
    cfg.ideal = true;
    struct sm_rig *g = rig_new(&cfg, NULL);
    four_reads(g);
    assert_int_equal(g->l1->nsent, 1);
    assert_int_equal(g->l1->sent[0].sectors, ALL);
    assert_int_equal(g->l1->sent[0].meta, 0x1 | FILTER_META_REST);
    misses_are(g, 1, 0, 0);
    rig_free(g);
}

/* --- the bound --- */

/* Misses, and flits of answers that are not compressed, of random reads. */
struct cost {
    uint64_t misses, flits;
};

static struct cost cost_of(const struct filter_cfg *cfg)
{
    static const char *const sets[] = {"l1.size=1024", "l1.ways=2", NULL};
    struct sm_rig *g = rig_new(cfg, sets);
    struct rng r = {5};
    struct cost c = {0};
    for (uint32_t i = 1; i <= 3000; i++) {
        const uint16_t map = (uint16_t)(rng_below(&r, 3) ? 1u << rng_below(&r, 4) : 0x3);
        read_at(g, 10 + 40 * i, rng_below(&r, 12) * 128, map, i);
        for (uint32_t k = 0; k < g->l1->nsent; k++) {
            const struct mem_req *q = &g->l1->sent[k];
            const uint16_t sent = cfg->ideal ? q->meta : q->sectors;
            c.flits += (8 + 32 * mem_sector_count(sent) + 31) / 32;
        }
        g->l1->nsent = 0;
    }
    l1_rig_run(g->l1, g->l1->now + 500);
    const struct l1_stats *st = l1_stats(g->l1->l1);
    c.misses = st->read_misses + st->read_sector_misses;
    rig_free(g);
    return c;
}

/* As many misses as where lines are asked for, and no fewer flits by any other way. */
static void nothing_is_better_than_the_bound(void **state)
{
    (void)state;
    struct filter_cfg cfg = dflt;
    cfg.decide = FILTER_FULL;
    const struct cost full = cost_of(&cfg);
    cfg.ideal = true;
    const struct cost bound = cost_of(&cfg);
    cfg.ideal = false;
    assert_int_equal(bound.misses, full.misses);
    assert_true(bound.flits < full.flits);
    for (unsigned i = 0; i < 8; i++) {
        cfg.decide = i & 1 ? FILTER_NEED : FILTER_RC;
        cfg.refill = i & 2 ? FILTER_APPEND : FILTER_REPLACE;
        cfg.wake = i & 4 ? FILTER_WAKE_OWN : FILTER_WAKE_ALL;
        const struct cost c = cost_of(&cfg);
        assert_true(c.misses >= bound.misses && c.flits >= bound.flits);
    }
}

/* --- random accesses, with a memory node that answers in any order --- */

enum { LINES = 24, ACCESSES = 8000, MOST_CYCLES = 800000 };

/* A line as the test knows it, from outside. */
struct known {
    bool is_here;
    uint16_t valid, pending;
    cycle_t come[4], left; /* when memory brought a sub-block, when the line left */
};

struct trial {
    struct sm_rig *g;
    struct filter_node node;
    struct packet_policy at_node;
    struct request_policy inner, watched; /* the filter's; as the L1 sees it, through the test */
    struct rng rng;
    struct known lines[LINES];
    struct l1_access access[ACCESSES]; /* by token */
    cycle_t left_before[ACCESSES];     /* by token: when the line had left, at its submission */
    uint64_t fm, sub, hi, more;        /* more: sub-blocks of answers that nobody asked for */
    uint32_t first;                    /* token that may not be done */
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
    assert_int_equal(v->valid, k->valid);
    assert_int_equal(v->reserved, k->pending);
    ++*(!k->is_here ? &t->fm : k->pending ? &t->sub : &t->hi);
    if (!k->pending && t->g->cfg.refill == FILTER_REPLACE)
        k->valid = 0;
    assert_int_equal(asked & (k->pending | k->valid), 0); /* nothing is asked for twice */
    assert_int_equal(v->need & ~(asked | k->pending | k->valid), 0);
    k->is_here = true;
    k->pending |= asked;
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
    for (const struct mem_req *q = r->next; q; q = q->next)
        riders |= q->sectors;
    const bool is_idle = filter_is_cut(r) && r->queue < t->g->cfg.idle_queue &&
                         !(r->meta & (FILTER_META_REST | FILTER_META_SURE));
    if (r->meta & FILTER_META_OVERFLOW || is_idle)
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

static void step(struct trial *t, uint32_t *n)
{
    struct l1_rig *r = t->g->l1;
    const cycle_t now = r->now;
    r->nsent = 0;
    l1_rig_cycle(r);
    if (r->nsent)
        meet_node(t);
    check_done(t, *n, now);
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
    assert_int_equal(l1->requests_read, t->fm + t->sub + t->hi + l1->bypasses);
    assert_int_equal(st->delivered, st->asked + t->more);
    assert_int_equal(ns->partial, ns->entered + ns->absorbed + ns->overflow);
    assert_int_equal(ns->partial + ns->whole, t->fm + t->sub + t->hi);
    const struct filter_cfg *c = &t->g->cfg;
    assert_true(t->fm > 500 && t->sub > 50);
    assert_true(t->hi > 50 || c->predict || c->idle_queue); /* which are against them */
    assert_true(c->table ? ns->overflow > 100 : !ns->overflow);
    assert_true(!c->table || ns->occupancy.max <= (uint64_t)c->table);
    assert_true(c->table || c->idle_queue ? t->more > 100 : !t->more);
    assert_int_equal(c->predict && c->decide == FILTER_RC, st->predicted > 0);
    assert_int_equal(c->merge, ns->absorbed > 0);
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
    t->g = rig_new(cfg, sets);
    t->g->mem->m.noc_mhz = 1400;
    filter_node_init(&t->node, &t->g->cfg, &t->g->wire, &t->g->mem->m);
    t->at_node = filter_node_packets(&t->node, true);
    t->inner = t->g->requests;
    t->watched = (struct request_policy){watch_ask,         watch_sent, request_policy_null.valid,
                                         watch_settled,     watch_left, t->inner.wakes_together,
                                         t->inner.replaces, t};
    seams.requests = &t->watched;
    seams.sm_packets = &t->g->packets;
    l1_rig_bind(t->g->l1, &seams);
    t->g->l1->on_fill = answer;
    t->g->l1->ctx = t;
    for (uint32_t i = 0; i < MOST_CYCLES && !(n == ACCESSES && l1_idle(t->g->l1->l1)); i++)
        step(t, &n);
    check_end(t, n);
    filter_node_free(&t->node);
    rig_free(t->g);
    free(t);
}

/* Every option's ends, with windows and tables of one entry and of many. */
static void lines_are_what_sets_kept_outside_say(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        struct filter_cfg cfg = dflt;
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
        run(&cfg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_subsequent_miss_asks_for_the_rest),
        cmocka_unit_test(or_for_what_it_needs),
        cmocka_unit_test(a_line_that_is_here_in_part_is_hit_but_invalid),
        cmocka_unit_test(a_miss_on_a_line_that_was_hit_but_invalid_is_told_apart),
        cmocka_unit_test(reads_of_all_sub_blocks_in_turn_are_as_many_requests),
        cmocka_unit_test(until_the_window_says_that_they_are_inconsistent),
        cmocka_unit_test(a_life_is_learnt_from_twice),
        cmocka_unit_test(lines_that_are_walked_through_are_learnt_by_their_first_reads),
        cmocka_unit_test(only_reads_of_global_memory_are_cut),
        cmocka_unit_test(the_bound_asks_for_the_line_and_says_what_is_needed),
        cmocka_unit_test(nothing_is_better_than_the_bound),
        cmocka_unit_test(lines_are_what_sets_kept_outside_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
