/* Random accesses through an L1 whose request policy asks for parts of lines, over a memory that
 * answers in any order, brings more than it was asked for, and answers requests together: every
 * access is served once, with what it needs, and nothing is left. */
#include "support_l1_rig.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINES = 24, ACCESSES = 12000, MOST_CYCLES = 800000 };

struct trial {
    struct l1_rig *rig;
    struct rng rng;
    struct l1_access access[ACCESSES];   /* by token */
    cycle_t left_before[ACCESSES];       /* by token: when the line had left, at its submission */
    cycle_t come[LINES][4], left[LINES]; /* when memory brought a sector, when a line left */
    uint32_t first;                      /* token that may not be done */
    uint64_t nsent, nsettled, nleft, widened, riders;
};

static uint32_t line_number(addr_t addr)
{
    return (uint32_t)(addr / 128);
}

/* Pure: needed, all, or something between, by what the line is like. */
static uint16_t ask(const void *self, const struct line_view *v)
{
    (void)self;
    const uint32_t mood = line_number(v->line) % 3;
    return mood == 0 ? v->missing : mood == 1 ? v->fetch : v->missing | (v->fetch & 0x5);
}

static void sent(void *self, const struct line_view *v, uint16_t asked, cycle_t now)
{
    struct trial *t = self;
    assert_int_equal(now, t->rig->now);
    assert_int_equal(v->missing & ~asked, 0);
    assert_int_equal(v->missing & ~v->need, 0);
    assert_int_equal(v->valid & v->reserved, 0);
    t->nsent++;
}

static void look_at(const struct line_life *life)
{
    assert_int_not_equal(life->first, 0);
    assert_int_equal(life->first & ~life->used, 0);
}

static void settled(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    struct trial *t = self;
    (void)line;
    assert_int_equal(now, t->rig->now);
    look_at(life);
    t->nsettled++;
}

static void left(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    struct trial *t = self;
    assert_int_equal(now, t->rig->now);
    look_at(life);
    t->left[line_number(line)] = t->rig->now;
    t->nleft++;
}

/* --- the memory --- */

static void rider_add(struct trial *t, uint32_t to, uint32_t from)
{
    struct l1_rig *r = t->rig;
    struct mem_req *rider = r->flight[from].req;
    if (rng_below(&t->rng, 2))
        mem_req_widen(r->flight[to].req, rider->sectors);
    mem_req_ride(r->flight[to].req, rider);
    memmove(&r->flight[from], &r->flight[from + 1], (--r->nflight - from) * sizeof r->flight[0]);
    t->riders++;
}

/* The newest request in flight: rides on an older one, or has a time of its own and brings more. */
static void plan(struct trial *t)
{
    struct l1_rig *r = t->rig;
    const uint32_t last = r->nflight - 1;
    struct mem_req *req = r->flight[last].req;
    if (req->kind != MEM_READ)
        return;
    for (uint32_t i = 0; i < last; i++) {
        const struct mem_req *other = r->flight[i].req;
        if (other->kind == MEM_READ && line_number(other->addr) == line_number(req->addr) &&
            !rng_below(&t->rng, 4)) {
            rider_add(t, i, last);
            return;
        }
    }
    r->flight[last].at = r->now + 20 + rng_below(&t->rng, 200);
    if (!rng_below(&t->rng, 2)) {
        mem_req_widen(req, (uint16_t)rng_below(&t->rng, 16));
        t->widened++;
    }
}

static void note_come(void *ctx, const struct mem_req *reply)
{
    struct trial *t = ctx;
    for (; reply; reply = reply->next)
        for (uint32_t i = 0; i < 4; i++)
            if (reply->sectors >> i & 1)
                t->come[line_number(reply->addr)][i] = t->rig->now;
}

/* --- the SM --- */

static struct l1_access random_access(struct trial *t, uint32_t token)
{
    const uint32_t dice = rng_below(&t->rng, 20);
    struct l1_access a = {.addr = rng_below(&t->rng, LINES) * 128, .token = token};
    a.sectors = (uint16_t)(dice & 1 ? 1u << rng_below(&t->rng, 4) : 1 + rng_below(&t->rng, 15));
    a.bytes = mem_sector_count(a.sectors) * 32;
    a.kind = dice == 0 ? MEM_WRITE : dice == 1 ? MEM_ATOMIC : MEM_READ;
    a.bypass = dice == 2;
    a.is_prefetch = dice == 3;
    a.space = line_number(a.addr) % 8 ? MEM_GLOBAL : MEM_LOCAL;
    return a;
}

/* What was done in this cycle has got what it needs since its line had last left. */
static void check_done(struct trial *t, uint32_t n, cycle_t now)
{
    const struct l1_rig *r = t->rig;
    for (uint32_t i = t->first; i < n; i++) {
        const struct l1_access *a = &t->access[i];
        const cycle_t *come = t->come[line_number(a->addr)];
        if (r->done[i] != now || a->kind != MEM_READ)
            continue;
        for (uint32_t k = 0; k < 4; k++)
            assert_true(!(a->sectors >> k & 1) || come[k] >= t->left_before[i]);
    }
    while (t->first < n &&
           (r->done[t->first] || r->acked[t->first] || t->access[t->first].is_prefetch))
        t->first++;
}

static void step(struct trial *t, uint32_t *n)
{
    struct l1_rig *r = t->rig;
    const cycle_t now = r->now;
    r->nsent = 0;
    l1_rig_cycle(r);
    if (r->nsent) /* it lies behind those that are left */
        plan(t);
    check_done(t, *n, now);
    if (*n < ACCESSES && rng_below(&t->rng, 2)) {
        const struct l1_access a = random_access(t, *n);
        if (l1_can_accept(r->l1, now, a.addr)) {
            t->left_before[*n] = t->left[line_number(a.addr)];
            t->access[(*n)++] = a;
            l1_submit(r->l1, now, &a);
        }
    }
    r->now++;
}

static void check(struct trial *t, uint32_t n)
{
    struct l1_rig *r = t->rig;
    const struct l1_stats *st = l1_stats(r->l1);
    assert_int_equal(n, ACCESSES);
    assert_true(l1_idle(r->l1));
    assert_int_equal(l1_mshrs_used(r->l1), 0);
    assert_int_equal(r->pool.out, 0);
    assert_int_equal(st->replies, st->requests_read + st->requests_write + st->requests_back);
    for (uint32_t i = 0; i < n; i++) {
        const struct l1_access *a = &t->access[i];
        assert_true((r->done[i] != 0) == (a->kind != MEM_WRITE && !a->is_prefetch));
        assert_true((r->acked[i] != 0) == (a->kind == MEM_WRITE));
    }
    assert_int_equal(t->nsent, st->read_misses + st->read_sector_misses + st->prefetch_fetches);
    assert_true(t->riders > 50 && t->widened > 200 && t->nsettled > 1000 && t->nleft > 1000);
}

static void run(bool wakes_together, bool replaces)
{
    static const char *const sets[] = {"l1.size=1024",
                                       "l1.ways=2",
                                       "l1.latency=5",
                                       "l1.mshrs=6",
                                       "l1.merges=3",
                                       "l1.miss_queue=3",
                                       "l1.write_local=through_evict",
                                       NULL};
    struct trial *t = xcalloc(1, sizeof *t);
    struct request_policy p = {.ask = ask,
                               .sent = sent,
                               .valid = request_policy_null.valid,
                               .settled = settled,
                               .left = left,
                               .wakes_together = wakes_together,
                               .replaces = replaces,
                               .self = t};
    struct l1_seams seams = l1_seams_null;
    uint32_t n = 0;
    seams.requests = &p;
    t->rng = (struct rng){11};
    t->rig = l1_rig_new(sets);
    t->rig->on_fill = note_come;
    t->rig->ctx = t;
    l1_rig_bind(t->rig, &seams);
    for (uint32_t i = 0; i < MOST_CYCLES && !(n == ACCESSES && l1_idle(t->rig->l1)); i++)
        step(t, &n);
    check(t, n);
    l1_rig_free(t->rig);
    free(t);
}

static void every_access_is_served_once(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        run(i & 1, i & 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_access_is_served_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
