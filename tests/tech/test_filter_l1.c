/* Data criticality in an L1: first, subsequent and invalid misses, and what lines teach. */
#include "support_filter_rig.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ALL = 0xf };

static void read_at(struct filter_rig *g, cycle_t at, addr_t line, uint16_t map, uint32_t token)
{
    const struct l1_access a = {
        .addr = line, .bytes = mem_sector_count(map) * 32, .sectors = map, .token = token};
    l1_rig_submit(g->l1, at, &a);
}

/* Of answers that are not compressed, by what was asked for; a request is one. */
static uint32_t reply_flits(const struct filter_rig *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->l1->nsent; i++)
        n += (8 + 32 * mem_sector_count(g->l1->sent[i].sectors) + 31) / 32;
    return n;
}

static void misses_are(const struct filter_rig *g, uint32_t fm, uint32_t sub, uint32_t hi)
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
        struct filter_cfg cfg = filter_rig_default;
        cfg.wake = wake;
        struct filter_rig *g = filter_rig_new(&cfg, NULL);
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
        filter_rig_free(g);
    }
}

/* The same reads where lines are asked for: one request of one flit, one answer of five. */
static void without_a_filter_the_line_comes_once(void **state)
{
    (void)state;
    struct filter_cfg cfg = filter_rig_default;
    cfg.decide = FILTER_FULL;
    struct filter_rig *g = filter_rig_new(&cfg, NULL);
    read_at(g, 10, 0, 0x1, 1);
    read_at(g, 20, 0, 0x8, 2);
    read_at(g, 30, 0, 0x1, 3);
    l1_rig_run(g->l1, 300);
    assert_int_equal(g->l1->nsent, 1);
    assert_int_equal(reply_flits(g), 5);
    for (uint32_t i = 1; i <= 3; i++)
        assert_int_equal(g->l1->done[i], 144 + i);
    filter_rig_free(g);
}

static void or_for_what_it_needs(void **state)
{
    (void)state;
    struct filter_cfg cfg = filter_rig_default;
    cfg.sub_ask = FILTER_SUB_NEED;
    struct filter_rig *g = filter_rig_new(&cfg, NULL);
    read_at(g, 10, 0, 0x1, 1);
    read_at(g, 20, 0, 0x8, 2);
    l1_rig_run(g->l1, 300);
    assert_int_equal(g->l1->sent[1].sectors, 0x8);
    misses_are(g, 1, 1, 0);
    filter_rig_free(g);
}

/* The second read needs sub-block 3 of a line on its way and asks for the rest: 3 first, in a
 * packet of its own, with which it goes on; the line waits for what is behind. */
static void what_is_needed_is_asked_for_before_the_rest(void **state)
{
    (void)state;
    struct filter_cfg cfg = filter_rig_default;
    cfg.critical_first = true;
    struct filter_rig *g = filter_rig_new(&cfg, NULL);
    read_at(g, 10, 0, 0x1, 1);
    read_at(g, 20, 0, 0x8, 2);
    read_at(g, 30, 0, 0x2, 3);
    l1_rig_run(g->l1, 300);
    assert_int_equal(g->l1->nsent, 3);
    assert_int_equal(g->l1->sent[1].sectors, 0x8);
    assert_int_equal(g->l1->sent_at[1], 55);
    assert_int_equal(g->l1->sent[1].meta, 0x8 | FILTER_META_REST);
    assert_int_equal(g->l1->sent[2].sectors, 0x6);
    assert_int_equal(g->l1->sent_at[2], 56);
    assert_int_equal(g->l1->sent[2].meta, 0x8 | FILTER_META_REST | FILTER_META_LATER);
    assert_int_equal(g->l1->done[1], 145);
    assert_int_equal(g->l1->done[2], 155);
    assert_int_equal(g->l1->done[3], 156);
    misses_are(g, 1, 1, 0);
    assert_int_equal(g->sm.stats.split, 1);
    assert_int_equal(g->sm.stats.ica_96_pushes, 1); /* settled when all was there */
    filter_rig_free(g);
}

/* Sub-block 0, then 1, then 0 again, each when the one before is done. */
static void a_line_that_is_here_in_part_is_hit_but_invalid(void **state)
{
    (void)state;
    for (int refill = FILTER_REPLACE; refill <= FILTER_APPEND; refill++) {
        const bool anew = refill == FILTER_REPLACE;
        struct filter_cfg cfg = filter_rig_default;
        cfg.refill = refill;
        struct filter_rig *g = filter_rig_new(&cfg, NULL);
        read_at(g, 10, 0, 0x1, 1);
        read_at(g, 200, 0, 0x2, 2);
        l1_rig_run(g->l1, 336);
        assert_int_equal(g->sm.stats.ica_64_pushes, 1); /* used 0x3, first 0x1 */
        assert_int_equal(g->sm.stats.ica_64_ones, 1);
        read_at(g, 400, 0, 0x1, 3);
        l1_rig_run(g->l1, 700);
        assert_int_equal(g->l1->done[1], 145);
        assert_int_equal(g->l1->done[2], 335);
        assert_int_equal(g->l1->done[3], anew ? 535 : 435);
        assert_int_equal(g->l1->sent[1].sectors, 0x2);
        assert_int_equal(g->l1->sent_at[1], 235);
        assert_int_equal(reply_flits(g), anew ? 6 : 4);
        misses_are(g, 1, 0, anew ? 2 : 1);
        filter_rig_free(g);
    }
}

static void without_a_filter_it_is_hit(void **state)
{
    (void)state;
    static const cycle_t done[] = {145, 235, 435};
    struct filter_cfg cfg = filter_rig_default;
    cfg.decide = FILTER_FULL;
    struct filter_rig *g = filter_rig_new(&cfg, NULL);
    read_at(g, 10, 0, 0x1, 1);
    read_at(g, 200, 0, 0x2, 2);
    read_at(g, 400, 0, 0x1, 3);
    l1_rig_run(g->l1, 700);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(g->l1->done[i + 1], done[i]);
    assert_int_equal(g->l1->nsent, 1);
    assert_int_equal(reply_flits(g), 5);
    filter_rig_free(g);
}

static void a_miss_on_a_line_that_was_hit_but_invalid_is_told_apart(void **state)
{
    (void)state;
    struct filter_rig *g = filter_rig_new(&filter_rig_default, NULL);
    read_at(g, 10, 0, 0x1, 1);
    read_at(g, 200, 0, 0x2, 2); /* HI */
    read_at(g, 210, 0, 0x4, 3); /* while it is on its way: SUB */
    l1_rig_run(g->l1, 600);
    misses_are(g, 1, 1, 1);
    assert_int_equal(g->sm.stats.after_hi, 1);
    assert_int_equal(g->sm.nseconds, 0);
    filter_rig_free(g);
}

/* Figure 4.2: four sub-blocks, each after the one before: four requests where one would do. */
static void four_reads(struct filter_rig *g)
{
    for (uint32_t i = 0; i < 4; i++)
        read_at(g, 10 + 200 * i, 0, (uint16_t)(1u << i), i + 1);
    l1_rig_run(g->l1, 1000);
}

static void reads_of_all_sub_blocks_in_turn_are_as_many_requests(void **state)
{
    (void)state;
    for (int decide = FILTER_RC; decide <= FILTER_FULL; decide++) {
        struct filter_cfg cfg = filter_rig_default;
        cfg.decide = decide;
        struct filter_rig *g = filter_rig_new(&cfg, NULL);
        four_reads(g);
        assert_int_equal(g->l1->nsent, decide == FILTER_FULL ? 1 : 4);
        assert_int_equal(reply_flits(g), decide == FILTER_FULL ? 5 : 8);
        filter_rig_free(g);
    }
}

static void until_the_window_says_that_they_are_inconsistent(void **state)
{
    (void)state;
    struct filter_rig *g = filter_rig_new(&filter_rig_default, NULL);
    g->sm.windows.ica[2] = 0x1ff;
    four_reads(g);
    assert_int_equal(g->l1->nsent, 2);
    assert_int_equal(g->l1->sent[1].sectors, 0xe);
    assert_int_equal(reply_flits(g), 6);
    assert_int_equal(g->sm.stats.fdr_ica, 1);
    filter_rig_free(g);
}

/* A life is looked at when it settles and when it leaves. Windows are full of lines that were used
 * as a whole: the first push of a life of one sub-block changes nothing yet, the second does. */
static void a_life_is_learnt_from_twice(void **state)
{
    (void)state;
    static const char *const one_line[] = {"l1.size=128", "l1.ways=1", NULL};
    for (int learn = FILTER_USED; learn <= FILTER_ASKED; learn++) {
        struct filter_cfg cfg = filter_rig_default;
        cfg.learn = learn;
        struct filter_rig *g = filter_rig_new(&cfg, one_line);
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
        filter_rig_free(g);
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
        struct filter_cfg cfg = filter_rig_default;
        cfg.windows = windows;
        struct filter_rig *g = filter_rig_new(&cfg, one_line);
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
        filter_rig_free(g);
    }
}

/* Local memory, prefetches and what goes past the tags: as without. */
static void only_reads_of_global_memory_are_cut(void **state)
{
    (void)state;
    struct filter_rig *g = filter_rig_new(&filter_rig_default, NULL);
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
    filter_rig_free(g);
}

/* The bound: the line comes, and its request says what it is to cost. */
static void the_bound_asks_for_the_line_and_says_what_is_needed(void **state)
{
    (void)state;
    struct filter_cfg cfg = filter_rig_default;
    cfg.ideal = true;
    struct filter_rig *g = filter_rig_new(&cfg, NULL);
    four_reads(g);
    assert_int_equal(g->l1->nsent, 1);
    assert_int_equal(g->l1->sent[0].sectors, ALL);
    assert_int_equal(g->l1->sent[0].meta, 0x1 | FILTER_META_REST);
    misses_are(g, 1, 0, 0);
    filter_rig_free(g);
}

/* --- nothing to cut --- */

enum { WHOLE_READS = 2000 };

/* Random reads of whole lines: when each is done, and what was asked for. */
struct whole {
    struct l1_stats l1;
    cycle_t done[WHOLE_READS + 1];
};

static struct whole whole_of(const struct filter_cfg *cfg)
{
    static const char *const sets[] = {"l1.size=1024", "l1.ways=2", NULL};
    struct filter_rig *g = filter_rig_new(cfg, sets);
    struct whole w;
    struct rng r = {9};
    for (uint32_t i = 1; i <= WHOLE_READS; i++) {
        read_at(g, g->l1->now + 1 + rng_below(&r, 30), rng_below(&r, 12) * 128, ALL, i);
        g->l1->nsent = 0;
    }
    l1_rig_run(g->l1, g->l1->now + 500);
    w.l1 = *l1_stats(g->l1->l1);
    memcpy(w.done, g->l1->done, sizeof w.done);
    assert_int_equal(g->sm.stats.pdr + g->sm.stats.sub + g->sm.stats.hi, 0);
    filter_rig_free(g);
    return w;
}

/* Under any option every read is done in the cycle in which it is without a filter. */
static void reads_of_whole_lines_are_as_without(void **state)
{
    (void)state;
    struct filter_cfg cfg = filter_rig_default;
    cfg.decide = FILTER_FULL;
    const struct whole full = whole_of(&cfg);
    assert_true(full.l1.read_hits > 100 && full.l1.read_misses > 100);
    for (unsigned i = 0; i < 32; i++) {
        cfg = filter_rig_default;
        cfg.window = i & 1 ? 1 : 16;
        cfg.refill = i & 2 ? FILTER_APPEND : FILTER_REPLACE;
        cfg.wake = i & 4 ? FILTER_WAKE_OWN : FILTER_WAKE_ALL;
        cfg.decide = i & 8 ? FILTER_NEED : FILTER_RC;
        cfg.critical_first = i & 16;
        const struct whole w = whole_of(&cfg);
        assert_memory_equal(&w.l1, &full.l1, sizeof w.l1);
        assert_memory_equal(w.done, full.done, sizeof w.done);
    }
}

/* --- the bound --- */

/* Misses, and flits of answers that are not compressed, of random reads. */
struct cost {
    uint64_t misses, flits;
};

static struct cost cost_of(const struct filter_cfg *cfg)
{
    static const char *const sets[] = {"l1.size=1024", "l1.ways=2", NULL};
    struct filter_rig *g = filter_rig_new(cfg, sets);
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
    filter_rig_free(g);
    return c;
}

/* As many misses as where lines are asked for, and no fewer flits by any other way. */
static void nothing_is_better_than_the_bound(void **state)
{
    (void)state;
    struct filter_cfg cfg = filter_rig_default;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_subsequent_miss_asks_for_the_rest),
        cmocka_unit_test(without_a_filter_the_line_comes_once),
        cmocka_unit_test(or_for_what_it_needs),
        cmocka_unit_test(what_is_needed_is_asked_for_before_the_rest),
        cmocka_unit_test(a_line_that_is_here_in_part_is_hit_but_invalid),
        cmocka_unit_test(without_a_filter_it_is_hit),
        cmocka_unit_test(a_miss_on_a_line_that_was_hit_but_invalid_is_told_apart),
        cmocka_unit_test(reads_of_all_sub_blocks_in_turn_are_as_many_requests),
        cmocka_unit_test(until_the_window_says_that_they_are_inconsistent),
        cmocka_unit_test(a_life_is_learnt_from_twice),
        cmocka_unit_test(lines_that_are_walked_through_are_learnt_by_their_first_reads),
        cmocka_unit_test(only_reads_of_global_memory_are_cut),
        cmocka_unit_test(the_bound_asks_for_the_line_and_says_what_is_needed),
        cmocka_unit_test(reads_of_whole_lines_are_as_without),
        cmocka_unit_test(nothing_is_better_than_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
