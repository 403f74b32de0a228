/* Random traffic through an L2 slice against a model of its contents that is written differently:
 * each set is a list of lines in order of use. */
#include "support_l2_rig.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SETS = 8, WAYS = 4, LINES = 96, REQUESTS = 20000 };

struct model_line {
    addr_t line;
    uint16_t valid, coming, dirty, partial;
};

struct model {
    struct l2_rig *rig;
    struct model_line sets[SETS][WAYS]; /* most recently used first */
    uint32_t n[SETS];
    uint32_t next; /* the next request to be looked up: they are in order */
    struct mem_req answers[4096];
    uint32_t head, tail;
    uint64_t replies;       /* of memory, seen so far */
    uint64_t outcome[2][4]; /* of reads and atomics: hit, merge, sector miss, miss */
    uint64_t write_hits, write_misses, partials, evictions, backs, back_sectors, evict_fetches;
    uint64_t fetches, fetched;
};

static uint32_t count(uint16_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

static struct model_line *model_find(struct model *m, addr_t line)
{
    uint32_t s = (uint32_t)(line >> 7) % SETS;
    for (uint32_t i = 0; i < m->n[s]; i++)
        if (m->sets[s][i].line == line)
            return &m->sets[s][i];
    return NULL;
}

static void model_evict(struct model *m, uint32_t s)
{
    uint32_t i = WAYS - 1;
    while (m->sets[s][i].coming)
        assert_true(i-- > 0);
    const struct model_line *l = &m->sets[s][i];
    m->evictions++;
    m->backs += l->dirty != 0;
    m->back_sectors += count(l->dirty);
    m->evict_fetches += l->partial && !m->rig->cfg.masked_writes;
    memmove(&m->sets[s][i], &m->sets[s][i + 1], (--m->n[s] - i) * sizeof m->sets[s][0]);
}

static struct model_line *model_use(struct model *m, addr_t line)
{
    uint32_t s = (uint32_t)(line >> 7) % SETS, i = 0;
    struct model_line *l = model_find(m, line), keep = {.line = line};
    if (l) {
        keep = *l;
        i = (uint32_t)(l - m->sets[s]);
        memmove(&m->sets[s][1], &m->sets[s][0], i * sizeof keep);
    } else {
        if (m->n[s] == WAYS)
            model_evict(m, s);
        memmove(&m->sets[s][1], &m->sets[s][0], m->n[s]++ * sizeof keep);
    }
    m->sets[s][0] = keep;
    return &m->sets[s][0];
}

static void model_answer(void *ctx, const struct mem_req *reply)
{
    struct model *m = ctx;
    m->answers[m->tail++ % ARRAY_LEN(m->answers)] = *reply;
}

static void model_fill(struct model *m, const struct mem_req *reply)
{
    if (reply->what) /* not a fetch for a miss */
        return;
    struct model_line *l = model_find(m, reply->addr & ~127ull);
    assert_non_null(l);
    assert_int_equal(l->coming & reply->sectors, reply->sectors);
    l->coming &= (uint16_t)~reply->sectors;
    l->partial &= (uint16_t)~reply->sectors;
    l->valid |= reply->sectors;
}

static void model_ask(struct model *m, struct model_line *l, uint16_t sectors)
{
    uint16_t ask = sectors & (uint16_t)~l->coming;
    l->coming |= ask;
    m->fetches += ask != 0;
    m->fetched += count(ask);
}

static void model_look_up(struct model *m, const struct mem_req *r)
{
    addr_t line = r->addr & ~127ull;
    struct model_line *l = model_find(m, line), none = {0};
    const struct model_line *old = l ? l : &none;
    uint16_t lacking = r->sectors & (uint16_t) ~(old->valid | r->full);
    uint16_t unasked = lacking & (uint16_t)~old->coming;
    bool hit = l;
    l = model_use(m, line);
    if (r->kind == MEM_WRITE) {
        ++*(hit ? &m->write_hits : &m->write_misses);
        m->partials += count(lacking);
        const bool always = m->rig->cfg.partial == L2_PARTIAL_ALWAYS;
        const uint16_t asked = always ? r->sectors & (uint16_t)~l->valid : lacking;
        if (m->rig->cfg.partial != L2_PARTIAL_LAZY)
            model_ask(m, l, asked);
        l->valid |= always ? r->full & (uint16_t)~asked : r->full;
        l->dirty |= r->sectors;
        l->partial = (uint16_t)((l->partial | r->sectors) & ~l->valid);
        return;
    }
    m->outcome[r->kind == MEM_ATOMIC][!lacking ? 0 : !hit ? 3 : unasked ? 2 : 1]++;
    model_ask(m, l, lacking);
    /* it cannot be evicted before it is executed, so its dirt may be noted now; a sector on its way
     * is whole when it can be seen */
    if (r->kind == MEM_ATOMIC)
        l->dirty |= r->sectors;
}

static void compare(const struct l2_stats *st, const struct model *m)
{
    assert_int_equal(st->read_hits, m->outcome[0][0]);
    assert_int_equal(st->read_merges, m->outcome[0][1]);
    assert_int_equal(st->read_sector_misses, m->outcome[0][2]);
    assert_int_equal(st->read_misses, m->outcome[0][3]);
    assert_int_equal(st->atomic_hits, m->outcome[1][0]);
    assert_int_equal(st->atomic_merges, m->outcome[1][1]);
    assert_int_equal(st->atomic_sector_misses, m->outcome[1][2]);
    assert_int_equal(st->atomic_misses, m->outcome[1][3]);
    assert_int_equal(st->write_hits, m->write_hits);
    assert_int_equal(st->write_misses, m->write_misses);
    assert_int_equal(st->write_partial_sectors, m->partials);
    assert_int_equal(st->evictions, m->evictions);
    assert_int_equal(st->write_backs, m->backs);
    assert_int_equal(st->written_sectors, m->back_sectors);
    assert_int_equal(st->evict_fetches, m->evict_fetches);
    assert_int_equal(st->fetches, m->fetches);
    assert_int_equal(st->fetched_sectors, m->fetched);
}

/* What the slice did in this cycle (fills, then a lookup), the model does too. */
static void model_tick(void *ctx)
{
    struct model *m = ctx;
    const struct l2_stats *st = l2_stats(m->rig->l2);
    for (; m->replies < st->memory_replies; m->replies++)
        model_fill(m, &m->answers[m->head++ % ARRAY_LEN(m->answers)]);
    for (; m->next < st->requests; m->next++)
        model_look_up(m, &m->rig->reqs[m->next]);
    compare(st, m);
}

static void check_invariants(const struct l2_rig *r)
{
    const struct l2_stats *st = l2_stats(r->l2);
    uint64_t atomic_sectors = 0;
    for (uint32_t i = 0; i < REQUESTS; i++) {
        assert_true(r->back[i] != 0);
        assert_true(r->reqs[i].wire_bytes ==
                    (r->reqs[i].kind == MEM_WRITE ? 0 : count(r->reqs[i].sectors) * 32));
        atomic_sectors += r->reqs[i].kind == MEM_ATOMIC ? count(r->reqs[i].sectors) : 0;
    }
    assert_int_equal(st->requests, REQUESTS);
    assert_int_equal(st->requests, st->reads + st->writes + st->atomics);
    assert_int_equal(st->reads,
                     st->read_hits + st->read_merges + st->read_sector_misses + st->read_misses);
    assert_int_equal(st->atomics, st->atomic_hits + st->atomic_merges + st->atomic_sector_misses +
                                      st->atomic_misses);
    assert_int_equal(st->writes, st->write_hits + st->write_misses);
    assert_int_equal(st->replies, REQUESTS);
    assert_int_equal(st->memory_replies, st->fetches + st->write_backs + st->evict_fetches);
    assert_int_equal(st->occupancy.count, REQUESTS);
    assert_int_equal(st->latency.count, REQUESTS);
    assert_int_equal(st->atomic_busy, atomic_sectors * (uint64_t)r->cfg.atomic_cycles);
    assert_int_equal(st->fill_busy, st->fetched_sectors);
    assert_true(st->data_busy > 0 && st->data_busy < r->now);
    assert_true(st->fail_mshr && st->fail_merge && st->fail_memory && st->fail_reply &&
                st->fail_port);
    assert_true(st->stall_cycles >= st->fail_mshr + st->fail_merge + st->fail_memory);
    assert_true(l2_idle(r->l2));
}

static void give_random(struct l2_rig *r, struct rng *rng, uint32_t token)
{
    uint32_t kind = rng_below(rng, 10);
    uint16_t sectors = (uint16_t)(1 + rng_below(rng, 15));
    addr_t addr = rng_below(rng, LINES) * 128 + (addr_t)__builtin_ctz(sectors) * 32;
    if (kind < 6)
        l2_rig_give(r, r->now + 1, token, MEM_READ, addr, sectors, 0);
    else if (kind < 9)
        l2_rig_give(r, r->now + 1, token, MEM_WRITE, addr, sectors,
                    sectors & (uint16_t)rng_u64(rng));
    else
        l2_rig_give(r, r->now + 1, token, MEM_ATOMIC, addr, sectors, 0);
}

static void check_traffic(const char *const *sets, uint64_t seed)
{
    struct l2_rig *r = l2_rig_new(sets);
    struct rng rng = {seed};
    struct model *m = xcalloc(1, sizeof *m);
    m->rig = r;
    r->on_answer = model_answer;
    r->on_tick = model_tick;
    r->ctx = m;
    for (uint32_t token = 0; token < REQUESTS; r->now++) {
        r->hold_noc = rng_below(&rng, 3) != 0;
        r->hold_memory = rng_below(&rng, 8) != 0;
        r->memory_latency = 1 + rng_below(&rng, 100);
        l2_rig_cycle(r);
        if (rng_below(&rng, 3) && port_can_push(r->from_noc, r->now))
            give_random(r, &rng, token++);
    }
    r->hold_noc = r->hold_memory = false;
    l2_rig_run(r, r->now + 5000);
    check_invariants(r);
    free(m);
    l2_rig_free(r);
}

static void check_seeds(const char *const *sets)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_traffic(sets, seed);
}

#define COMMON                                                                                  \
    "l2.size=4K", "l2.ways=4", "l2.latency=5", "l2.mshrs=6", "l2.merges=2", "l2.reply_queue=2", \
        "l2.memory_queue=2", "l2.atomic_cycles=2"

static void lazy_fetches_agree_with_the_model(void **state)
{
    (void)state;
    const char *const sets[] = {COMMON, NULL};
    check_seeds(sets);
}

static void masked_writes_agree_with_the_model(void **state)
{
    (void)state;
    const char *const sets[] = {COMMON, "l2.masked_writes=true", NULL};
    check_seeds(sets);
}

static void immediate_fetches_agree_with_the_model(void **state)
{
    (void)state;
    const char *const sets[] = {COMMON, "l2.partial=fetch", NULL};
    check_seeds(sets);
}

static void fetches_of_all_that_is_written_agree_with_the_model(void **state)
{
    (void)state;
    const char *const sets[] = {COMMON, "l2.partial=always", NULL};
    check_seeds(sets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lazy_fetches_agree_with_the_model),
        cmocka_unit_test(masked_writes_agree_with_the_model),
        cmocka_unit_test(immediate_fetches_agree_with_the_model),
        cmocka_unit_test(fetches_of_all_that_is_written_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
