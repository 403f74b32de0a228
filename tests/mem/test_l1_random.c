/* Random traffic through the L1 against a model of its contents that is written differently: each
 * set is a list of lines in order of use. The model decides the outcome of each access from what
 * was filled before; the cache must count the same. */
#include "support_l1_rig.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SETS = 8, WAYS = 4, LINES = 96, ACCESSES = 20000 };

struct model_line {
    addr_t line;
    uint16_t valid, coming, dirty;
};

struct model {
    struct l1_rig *rig;
    struct model_line sets[SETS][WAYS]; /* most recently used first */
    uint32_t n[SETS];
    struct l1_access queue[64]; /* submitted and not looked up */
    uint32_t head, tail;
    uint64_t seen; /* accesses looked up so far */
    uint64_t hits, merges, sector_misses, misses, write_hits, write_misses, evictions, backs;
    uint64_t reads, writes, bypasses, killed;
};

static struct model_line *model_find(struct model *m, addr_t line)
{
    uint32_t s = (uint32_t)(line >> 7) % SETS;
    for (uint32_t i = 0; i < m->n[s]; i++)
        if (m->sets[s][i].line == line)
            return &m->sets[s][i];
    return NULL;
}

static void model_remove(struct model *m, uint32_t s, uint32_t i)
{
    memmove(&m->sets[s][i], &m->sets[s][i + 1], (--m->n[s] - i) * sizeof m->sets[s][0]);
}

/* Moves the line to the front of its set, making room for it if it is new. */
static struct model_line *model_use(struct model *m, addr_t line)
{
    uint32_t s = (uint32_t)(line >> 7) % SETS;
    struct model_line *l = model_find(m, line), keep = {.line = line};
    if (l) {
        keep = *l;
        model_remove(m, s, (uint32_t)(l - m->sets[s]));
    } else if (m->n[s] == WAYS) {
        uint32_t i = WAYS - 1;
        while (m->sets[s][i].coming)
            assert_true(i-- > 0);
        m->backs += m->sets[s][i].dirty != 0;
        m->evictions++;
        model_remove(m, s, i);
    }
    memmove(&m->sets[s][1], &m->sets[s][0], m->n[s]++ * sizeof m->sets[s][0]);
    m->sets[s][0] = keep;
    return &m->sets[s][0];
}

static void model_fill(void *ctx, const struct mem_req *reply)
{
    struct model_line *l = model_find(ctx, reply->addr & ~127ull);
    if (reply->what) /* not a fetch */
        return;
    assert_non_null(l);
    assert_int_equal(l->coming & reply->sectors, reply->sectors);
    l->coming &= (uint16_t)~reply->sectors;
    l->valid |= reply->sectors;
}

static void model_read(struct model *m, const struct l1_access *a)
{
    struct model_line *l = model_find(m, a->addr & ~127ull);
    uint16_t lacking = a->sectors & (uint16_t) ~(l ? l->valid : 0);
    uint16_t unasked = lacking & (uint16_t) ~(l ? l->coming : 0);
    ++*(!lacking ? &m->hits : !l ? &m->misses : unasked ? &m->sector_misses : &m->merges);
    l = model_use(m, a->addr & ~127ull);
    if (unasked)
        l->coming |= m->rig->cfg.sectored ? unasked : (uint16_t)(15 & ~(l->valid | l->coming));
    m->reads++;
}

static void model_kill(struct model *m, addr_t line)
{
    struct model_line *l = model_find(m, line);
    if (!l || l->coming)
        return;
    m->backs += l->dirty != 0;
    m->killed++;
    model_remove(m, (uint32_t)(line >> 7) % SETS,
                 (uint32_t)(l - m->sets[(uint32_t)(line >> 7) % SETS]));
}

static void model_write(struct model *m, const struct l1_access *a)
{
    addr_t line = a->addr & ~127ull;
    struct model_line *l = model_find(m, line);
    m->writes++;
    ++*(l ? &m->write_hits : &m->write_misses);
    if (a->space != MEM_LOCAL) { /* through, evict */
        model_kill(m, line);
        return;
    }
    l = model_use(m, line); /* back */
    uint16_t lacking = a->sectors & (uint16_t) ~(l->valid | a->full);
    uint16_t held = l->valid | l->coming;
    if (lacking & ~l->coming)
        l->coming |= m->rig->cfg.sectored ? (uint16_t)(lacking & ~l->coming)
                                          : (uint16_t)(15 & ~(held | a->full));
    l->valid |= a->full;
    l->dirty |= a->sectors;
}

/* What the cache looked up in this cycle, the model does too. */
static void model_tick(void *ctx)
{
    struct model *m = ctx;
    const struct l1_stats *st = l1_stats(m->rig->l1);
    for (; m->seen < st->accesses; m->seen++) {
        assert_true(m->head != m->tail);
        const struct l1_access *a = &m->queue[m->head++ % ARRAY_LEN(m->queue)];
        if (a->bypass || a->kind == MEM_ATOMIC) {
            m->bypasses++;
            if (a->kind != MEM_READ)
                model_kill(m, a->addr & ~127ull);
        } else if (a->kind == MEM_WRITE) {
            model_write(m, a);
        } else {
            model_read(m, a);
        }
    }
    assert_int_equal(st->read_hits, m->hits);
    assert_int_equal(st->read_merges, m->merges);
    assert_int_equal(st->read_sector_misses, m->sector_misses);
    assert_int_equal(st->read_misses, m->misses);
    assert_int_equal(st->write_hits, m->write_hits);
    assert_int_equal(st->write_misses, m->write_misses);
    assert_int_equal(st->evictions, m->evictions);
    assert_int_equal(st->write_evictions, m->killed);
    assert_int_equal(st->requests_back, m->backs);
    assert_int_equal(st->bypasses, m->bypasses);
    assert_int_equal(st->reads, m->reads);
    assert_int_equal(st->writes, m->writes);
}

/* Local and global lines are different lines, as in a program. */
static struct l1_access random_access(struct rng *rng, uint32_t token)
{
    uint32_t line = rng_below(rng, LINES), kind = rng_below(rng, 10);
    uint16_t sectors = (uint16_t)(1 + rng_below(rng, 15));
    struct l1_access a = {.addr = line * 128 + rng_below(rng, 128),
                          .bytes = 32,
                          .sectors = sectors,
                          .space = line % 3 ? MEM_GLOBAL : MEM_LOCAL,
                          .bypass = !rng_below(rng, 20),
                          .token = token};
    a.kind = kind < 6 ? MEM_READ : kind < 9 ? MEM_WRITE : MEM_ATOMIC;
    if (a.kind == MEM_WRITE)
        a.full = sectors & (uint16_t)rng_u64(rng);
    return a;
}

static void check_invariants(const struct l1_rig *r)
{
    const struct l1_stats *st = l1_stats(r->l1);
    assert_int_equal(st->accesses, ACCESSES);
    assert_int_equal(st->accesses, st->reads + st->writes + st->bypasses);
    assert_int_equal(st->reads,
                     st->read_hits + st->read_merges + st->read_sector_misses + st->read_misses);
    assert_int_equal(st->writes, st->write_hits + st->write_misses);
    assert_int_equal(st->replies, st->requests_read + st->requests_write + st->requests_back);
    assert_true(st->sectors_asked >= st->requests_read);
    assert_true(st->fail_queue > 0 && st->fail_mshr > 0 && st->fail_merge > 0);
    assert_true(st->stall_cycles >= st->fail_queue + st->fail_mshr + st->fail_merge);
    assert_true(l1_idle(r->l1));
    assert_int_equal(r->pool.out, 0);
}

static void check_traffic(const char *const *sets, uint64_t seed)
{
    struct l1_rig *r = l1_rig_new(sets);
    struct rng rng = {seed};
    struct model *m = xcalloc(1, sizeof *m);
    m->rig = r;
    r->on_fill = model_fill;
    r->on_tick = model_tick;
    r->ctx = m;
    uint8_t *kinds = xcalloc(ACCESSES, 1);
    for (uint32_t token = 0; token < ACCESSES; r->now++) {
        r->hold = rng_below(&rng, 2) == 0;
        r->memory_latency = 1 + rng_below(&rng, 60); /* answers overtake each other */
        l1_rig_cycle(r);
        struct l1_access a = random_access(&rng, token);
        if (rng_below(&rng, 3) || !l1_can_accept(r->l1, r->now, a.addr))
            continue;
        m->queue[m->tail++ % ARRAY_LEN(m->queue)] = a;
        kinds[token++] = a.kind;
        l1_submit(r->l1, r->now, &a);
    }
    r->hold = false;
    l1_rig_run(r, r->now + 3000);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        assert_true((r->done[i] != 0) == (kinds[i] != MEM_WRITE));
        assert_true((r->acked[i] != 0) == (kinds[i] == MEM_WRITE));
    }
    check_invariants(r);
    free(kinds);
    free(m);
    l1_rig_free(r);
}

static void check_seeds(const char *const *sets)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_traffic(sets, seed);
}

#define COMMON                                                                    \
    "l1.size=4K", "l1.latency=5", "l1.miss_queue=3", "l1.mshrs=6", "l1.merges=2", \
        "l1.write_local=back", "l1.write_global=through_evict"

static void whole_lines_agree_with_the_model(void **state)
{
    (void)state;
    const char *const sets[] = {COMMON, NULL};
    check_seeds(sets);
}

static void sectors_agree_with_the_model(void **state)
{
    (void)state;
    const char *const sets[] = {COMMON, "l1.sectored=true", NULL};
    check_seeds(sets);
}

static void parts_agree_with_the_model(void **state)
{
    (void)state;
    const char *const sets[] = {COMMON, "l1.request_sectors=2", NULL};
    check_seeds(sets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_lines_agree_with_the_model),
        cmocka_unit_test(sectors_agree_with_the_model),
        cmocka_unit_test(parts_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
