/* What the memo instructions do: states of a hash register, hits of a whole FFT, the monitor. */
#include "memo/support_unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

static const struct memo_type one_int = {MEMO_ONE, false, 4}, one_float = {MEMO_ONE, true, 4};

static void sums_hold(const struct memo_unit *u)
{
    const struct memo_stats *s = &u->stats;
    uint64_t pending = 0;
    for (unsigned t = 0; t < MEMO_THREADS; t++)
        for (unsigned l = 0; l < MEMO_LUTS; l++)
            pending += u->hvr[t][l].is_pending;
    assert_int_equal(s->lookups, s->l1_hits + s->l2_hits + s->misses);
    assert_int_equal(s->misses + s->sampled, s->updates + s->dropped_updates + pending);
    assert_true(s->compared <= s->sampled);
}

/* --- the states of a hash register --- */

static void a_miss_waits_for_its_update(void **state)
{
    (void)state;
    struct memo_unit *u = unit_of("");
    uint64_t data = 7;
    memo_input(u, 0, 2, 5, 4, 0, true);
    assert_int_equal(memo_lookup(u, 0, 2, &data), MEMO_MISS);
    assert_int_equal(data, 7);
    memo_update(u, 0, 2, 99, one_int);
    memo_input(u, 0, 2, 5, 4, 0, true);
    assert_int_equal(memo_lookup(u, 0, 2, &data), MEMO_L1);
    assert_int_equal(data, 99);
    assert_int_equal(memo_lookup(u, 0, 2, &data), MEMO_L1); /* closed: the same hash again */
    memo_input(u, 0, 3, 5, 4, 0, true);
    assert_int_equal(memo_lookup(u, 0, 3, &data), MEMO_MISS); /* another logical table */
    sums_hold(u);
    memo_unit_free(u);
}

static void updates_without_a_miss_are_stray(void **state)
{
    (void)state;
    struct memo_unit *u = unit_of("");
    memo_update(u, 0, 0, 1, one_int);
    memo_input(u, 0, 0, 1, 4, 0, true);
    memo_update(u, 0, 0, 1, one_int);
    assert_int_equal(u->stats.stray_updates, 2);
    assert_int_equal(pass(u, 0, 2, 3), MEMO_MISS);
    memo_update(u, 0, 0, 4, one_int); /* a second one */
    assert_int_equal(u->stats.stray_updates, 3);
    sums_hold(u);
    memo_unit_free(u);
}

static void an_update_that_does_not_come_is_dropped(void **state)
{
    (void)state;
    struct memo_unit *u = unit_of("");
    uint64_t data;
    memo_input(u, 0, 0, 1, 4, 0, true);
    memo_lookup(u, 0, 0, &data);
    memo_input(u, 0, 0, 2, 4, 0, true); /* begins anew */
    assert_int_equal(u->stats.dropped_updates, 1);
    assert_int_equal(u->hvr[0][0].crc, memo_crc_add(&u->crc, u->crc.start, 2, 4));
    memo_lookup(u, 0, 0, &data);
    memo_lookup(u, 0, 0, &data);
    assert_int_equal(u->stats.dropped_updates, 2);
    memo_invalidate(u, 0, 0);
    assert_int_equal(u->stats.dropped_updates, 3);
    assert_false(u->hvr[0][0].is_closed);
    sums_hold(u);
    memo_unit_free(u);
}

static void a_lookup_without_inputs_has_the_hash_of_nothing(void **state)
{
    (void)state;
    struct memo_unit *u = unit_of("");
    uint64_t data;
    assert_int_equal(memo_lookup(u, 0, 0, &data), MEMO_MISS);
    memo_update(u, 0, 0, 5, one_int);
    assert_non_null(lut_find(&u->luts.l1, 0, 0xffffffff));
    memo_unit_free(u);
}

static void invalidation_empties_one_logical_table(void **state)
{
    (void)state;
    struct memo_unit *u = unit_of("l2_ways=4");
    for (uint32_t i = 0; i < 100; i++) {
        pass(u, 1, i, i);
        pass(u, 2, i, i);
    }
    memo_invalidate(u, 0, 1);
    assert_int_equal(lut_drop(&u->luts.l1, 1), 0);
    assert_int_equal(lut_drop(&u->luts.l2, 1), 0);
    assert_int_equal(pass(u, 2, 5, 0), MEMO_L1);
    assert_int_equal(pass(u, 1, 5, 0), MEMO_MISS);
    memo_unit_free(u);
}

static void threads_have_hashes_of_their_own_and_share_entries(void **state)
{
    (void)state;
    struct memo_unit *u = unit_of("threads=2");
    uint64_t data;
    memo_input(u, 0, 0, 1, 4, 0, true);
    memo_input(u, 1, 0, 2, 4, 0, true);
    memo_lookup(u, 0, 0, &data);
    memo_update(u, 0, 0, 11, one_int);
    memo_lookup(u, 1, 0, &data);
    memo_input(u, 1, 0, 1, 4, 0, true);
    assert_int_equal(memo_lookup(u, 1, 0, &data), MEMO_L1);
    assert_int_equal(data, 11);
    memo_unit_free(u);
}

/* --- an FFT: 12 stages of 2048 twiddle factors --- */

static void fft(struct memo_unit *u)
{
    enum { N = 4096 };
    for (unsigned half = 1; half < N; half *= 2)
        for (unsigned first = 0; first < N; first += 2 * half)
            for (unsigned k = 0; k < half; k++) {
                const float argument = (float)(k * (N / 2 / half)) / N;
                pass(u, 0, bits_of(argument), bits_of(argument));
            }
    assert_int_equal(u->stats.lookups, 24576);
    assert_int_equal(u->lut_stats[0].distinct, 2048);
    sums_hold(u);
}

static void hits_of_an_fft(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        unsigned l1, l2;
    } of[] = {{"data_bytes=8 l1_bytes=4K", 17944, 0},
              {"data_bytes=8 l1_bytes=8K", 19574, 0},
              {"data_bytes=8 l1_bytes=16K", 21472, 0},
              {"data_bytes=8 l1_bytes=8K l2_ways=4", 19574, 2954},
              {"data_bytes=8 l1_bytes=8K l2_ways=8", 19574, 2954},
              {"data_bytes=8 l1_bytes=0 l2_ways=8", 0, 22528},
              {"data_bytes=8 ideal=true", 22528, 0},
              {"data_bytes=8 force_miss=true", 0, 0}};
    for (unsigned i = 0; i < ARRAY_LEN(of); i++) {
        struct memo_unit *u = unit_of(of[i].settings);
        u->rule.every = 0;
        fft(u);
        assert_int_equal(u->stats.l1_hits, of[i].l1);
        assert_int_equal(u->stats.l2_hits, of[i].l2);
        assert_int_equal(u->stats.collisions, 0);
        memo_unit_free(u);
    }
}

static void hits_of_an_fft_with_entries_of_4_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double percent;
    } of[] = {{"l1_bytes=4K", 79.01},
              {"l1_bytes=8K", 86.28},
              {"l1_bytes=16K", 91.53},
              {"l1_bytes=8K l2_ways=8", 91.67}};
    for (unsigned i = 0; i < ARRAY_LEN(of); i++) {
        struct memo_unit *u = unit_of(of[i].settings);
        u->rule.every = 0;
        fft(u);
        const double hits = (double)(u->stats.l1_hits + u->stats.l2_hits);
        assert_true(fabs(100 * hits / 24576 - of[i].percent) < 0.005);
        memo_unit_free(u);
    }
}

static void every_hundredth_hit_of_it_is_sampled(void **state)
{
    (void)state;
    struct memo_unit *u = unit_of("data_bytes=8 l2_ways=8");
    fft(u);
    assert_int_equal(u->stats.l1_hits + u->stats.l2_hits, 22528);
    assert_int_equal(u->stats.sampled, 225);
    assert_int_equal(u->stats.compared, 225);
    assert_int_equal(u->stats.bad, 0);
    memo_unit_free(u);
}

/* --- collisions --- */

static void short_hashes_collide_and_it_is_seen(void **state)
{
    (void)state;
    struct memo_unit *narrow = unit_of("crc_bits=16 l2_ways=8 sample_every=0");
    struct memo_unit *wide = unit_of("crc_bits=64 l2_ways=8 sample_every=0");
    for (uint32_t i = 0; i < 200000; i++) { /* more than 16 bits can tell apart */
        pass(narrow, 0, i * 2654435761u, i);
        pass(wide, 0, i * 2654435761u, i);
    }
    assert_true(narrow->stats.collisions > 0);
    assert_int_equal(narrow->stats.collisions, narrow->stats.l1_hits + narrow->stats.l2_hits);
    assert_int_equal(wide->stats.l1_hits + wide->stats.l2_hits, 0);
    memo_unit_free(narrow);
    memo_unit_free(wide);
}

/* --- the monitor --- */

/* 10,000 hits, of which `bad` sampled ones are found 11% off. */
static struct memo_unit *with_bad(unsigned bad, const char *settings)
{
    struct memo_unit *u = unit_of(settings);
    unsigned samples = 0;
    pass(u, 0, 1, 100);
    for (unsigned hit = 1; hit <= 10000; hit++) {
        uint64_t data;
        memo_input(u, 0, 0, 1, 4, 0, true);
        const enum memo_answer a = memo_lookup(u, 0, 0, &data);
        assert_int_equal(a, hit % 100 ? MEMO_L1 : MEMO_SAMPLED);
        if (a == MEMO_SAMPLED) {
            const uint64_t own = u->hvr[0][0].sample;
            memo_update(u, 0, 0, samples++ < bad ? own * 100 / 88 : own, one_int);
        }
        assert_int_equal(memo_is_off(u, 0), hit == 10000 && bad > 10);
    }
    return u;
}

static void eleven_bad_of_a_hundred_switch_it_off(void **state)
{
    (void)state;
    struct memo_unit *u = with_bad(11, "");
    uint64_t data = 5;
    assert_int_equal(u->stats.disabled, 1);
    assert_int_equal(u->stats.bad, 11);
    memo_input(u, 0, 0, 1, 4, 0, true);
    assert_int_equal(memo_lookup(u, 0, 0, &data), MEMO_OFF);
    assert_int_equal(data, 5);
    assert_int_equal(u->stats.lookups, 10001);
    assert_int_equal(u->stats.off_lookups, 1);
    memo_unit_free(u);
    u = with_bad(10, "");
    assert_false(memo_is_off(u, 0));
    assert_int_equal(u->monitor[0].compared, 0); /* counts begin anew */
    memo_unit_free(u);
}

static void each_table_can_have_its_own_monitor(void **state)
{
    (void)state;
    struct memo_unit *u = with_bad(11, "monitor=lut");
    assert_true(memo_is_off(u, 0));
    assert_false(memo_is_off(u, 1));
    assert_int_equal(pass(u, 1, 1, 1), MEMO_MISS);
    assert_int_equal(pass(u, 1, 1, 1), MEMO_L1);
    memo_unit_free(u);
}

static void sampling_every_hit_returns_none(void **state)
{
    (void)state;
    struct memo_unit *u = unit_of("sample_every=1");
    pass(u, 0, 1, 1);
    for (unsigned i = 0; i < 50; i++)
        assert_int_equal(pass(u, 0, 1, 1), MEMO_SAMPLED);
    sums_hold(u);
    memo_unit_free(u);
}

static uint64_t both(float low, float high)
{
    return bits_of(low) | (uint64_t)bits_of(high) << 32;
}

static void errors(void **state)
{
    (void)state;
    const struct memo_type floats = {MEMO_FLOATS, true, 8}, shorts = {MEMO_INT16S, false, 8},
                           wide = {MEMO_ONE, false, 8};
    assert_true(fabs(memo_error(one_float, bits_of(4.1f), bits_of(4)) - 0.025) < 1e-6);
    assert_true(memo_error(one_float, bits_of(0), bits_of(-0.0f)) == 0);
    assert_true(isinf(memo_error(one_float, bits_of(1), bits_of(0))));
    assert_true(memo_error(one_float, bits_of(NAN), bits_of(NAN)) == 0);
    assert_true(isinf(memo_error(one_float, bits_of(NAN), bits_of(1))));
    assert_true(isinf(memo_error(one_float, bits_of(1), bits_of(INFINITY))));
    assert_true(memo_error(one_int, (uint32_t)-9, (uint32_t)-10) == 0.1);
    assert_true(isinf(memo_error(one_int, 1, 0)));
    assert_true(memo_error(floats, both(1, 3), both(1, 2)) == 0.5); /* the largest */
    assert_true(memo_error(shorts, UINT64_C(0x000a000a000afff6), UINT64_C(0x000a0008000afff6)) ==
                0.25);
    assert_true(memo_error(wide, 1, (uint64_t)INT64_MIN) > 0.99);
}

static void the_comparison_unit_of_lock_and_load(void **state)
{
    (void)state;
    assert_int_equal(memo_coarse_error(0x3f800000, 0x3f866666), 1530);
    assert_int_equal(memo_coarse_error(0x42fe0000, 0x43000000), 255);
    assert_int_equal(memo_coarse_error(bits_of(1.5f), bits_of(2.5f)), 13312);
    assert_int_equal(memo_coarse_error(bits_of(2.5f), bits_of(1.5f)), 13312);
    assert_int_equal(memo_coarse_error(0x3ffeb852, bits_of(1)), 16128);
    assert_int_equal(memo_coarse_error(bits_of(1), 0x3ffeb852), 32130);
    assert_int_equal(memo_coarse_error(0x43a64000, 0x43a68ccd), 0);
    assert_int_equal(memo_coarse_error(bits_of(1), bits_of(4)), UINT32_MAX);
    assert_int_equal(memo_coarse_error(bits_of(1), bits_of(-1)), UINT32_MAX);
    const struct memo_rule rule = {.window = 100, .bad_error = 0.04, .is_coarse = true};
    struct memo_monitor m = {0};
    assert_true(memo_monitor_compare(&m, &rule, one_float, 0x3f866666, 0x3f800000));
    const struct memo_rule wider = {.window = 100, .bad_error = 0.05, .is_coarse = true};
    assert_false(memo_monitor_compare(&m, &wider, one_float, 0x3f866666, 0x3f800000));
}

/* --- what is no configuration --- */

static void bad_settings_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *says;
    } bad[] = {{"memo.l1_bytes", "3K", "memo.l1_bytes: 3072 is neither 0 nor a power of two"},
               {"memo.l1_bytes", "512", "from 1024 on"},
               {"memo.l2_ways", "3", "memo.l2_ways: 3 is neither"},
               {"memo.shadow", "false", "memo.ideal"}};
    for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
        struct memo_cfg c;
        struct err err = {0};
        struct conf *conf = conf_new();
        conf_add(conf, "memo", memo_fields, memo_nfields, &c);
        c.ideal = true;
        assert_true(conf_set_key(conf, bad[i].key, bad[i].value, "a test", &err));
        assert_false(memo_cfg_check(&c, &err));
        assert_non_null(strstr(err.msg, bad[i].says));
        conf_free(conf);
    }
}

/* --- tables of all sizes in one pass --- */

static void sizes_count_what_each_table_finds(void **state)
{
    (void)state;
    static const char *const settings[] = {"sample_every=0 sizes=true l1_bytes=1K",
                                           "sample_every=0 sizes=true l1_bytes=4K",
                                           "sample_every=0 sizes=true l1_bytes=16K"};
    static const unsigned at[] = {0, 2, 4};
    for (unsigned k = 0; k < ARRAY_LEN(settings); k++) {
        struct memo_unit *u = unit_of(settings[k]);
        uint64_t random = 1;
        for (unsigned n = 0; n < 20000; n++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            pass(u, 0, (uint32_t)(random >> 33) % 600, n);
            if (n == 10000)
                memo_invalidate(u, 0, 0);
        }
        assert_true(u->stats.l1_hits > 1000);
        assert_int_equal(((const uint64_t *)&u->sizes->stats)[at[k]], u->stats.l1_hits);
        memo_unit_free(u);
    }
}

/* --- truncation that adapts --- */

/* `n` sampled hits of a table whose entries are off by `error`. */
static void see_hits(struct memo_unit *u, unsigned n, float error)
{
    for (unsigned k = 0; k < n; k++) {
        uint64_t found;
        memo_input(u, 0, 0, bits_of(1.5f), 4, 4, true);
        if (!memo_is_hit(memo_lookup(u, 0, 0, &found)))
            memo_update(u, 0, 0, bits_of(k & 1 ? 1 + error : 1), one_float);
    }
}

static void bits_are_added_while_all_is_well_and_taken_back_when_not(void **state)
{
    (void)state;
    struct memo_unit *u = unit_of("adapt=true sample_every=1 adapt_window=10");
    see_hits(u, 11, 0); /* a miss, then ten comparisons */
    assert_int_equal(u->adapt[0].bits, 1);
    assert_int_equal(u->lut_stats[0].widened, 1);
    see_hits(u, 20, 0.5f);
    assert_true(u->adapt[0].bits < 1);
    assert_true(u->lut_stats[0].narrowed >= 2);
    assert_int_equal(u->stats.disabled, 0);
    memo_unit_free(u);
}

static void what_was_too_wide_is_tried_again_after_twice_as_much(void **state)
{
    (void)state;
    const struct memo_adapt_rule rule = {.window = 1, .error = 0.01, .share = 0};
    struct memo_adapt a = {0};
    assert_int_equal(memo_adapt_see(&a, &rule, 0), 1);
    assert_int_equal(memo_adapt_see(&a, &rule, 1), -2);
    assert_int_equal(memo_adapt_see(&a, &rule, 0), 0);
    assert_int_equal(memo_adapt_see(&a, &rule, 0), 1); /* the second that is well */
    assert_int_equal(memo_adapt_see(&a, &rule, 1), -2);
    for (unsigned k = 0; k < 3; k++)
        assert_int_equal(memo_adapt_see(&a, &rule, 0), 0);
    assert_int_equal(memo_adapt_see(&a, &rule, 0), 1); /* the fourth */
}

static void floats_keep_their_exponent_and_integers_what_the_program_keeps(void **state)
{
    (void)state;
    const struct memo_adapt wide = {.bits = 24}, narrow = {.bits = -24}, none = {0};
    assert_int_equal(memo_adapt_cut(&wide, 16, 4, true), 23);
    assert_int_equal(memo_adapt_cut(&wide, 40, 8, true), 52);
    assert_int_equal(memo_adapt_cut(&wide, 2, 4, false), 2);
    assert_int_equal(memo_adapt_cut(&narrow, 16, 4, true), 0);
    assert_int_equal(memo_adapt_cut(&narrow, 30, 4, false), 6);
    assert_int_equal(memo_adapt_cut(&none, 63, 4, true), 63); /* the program's own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_waits_for_its_update),
        cmocka_unit_test(updates_without_a_miss_are_stray),
        cmocka_unit_test(an_update_that_does_not_come_is_dropped),
        cmocka_unit_test(a_lookup_without_inputs_has_the_hash_of_nothing),
        cmocka_unit_test(invalidation_empties_one_logical_table),
        cmocka_unit_test(threads_have_hashes_of_their_own_and_share_entries),
        cmocka_unit_test(hits_of_an_fft),
        cmocka_unit_test(hits_of_an_fft_with_entries_of_4_bytes),
        cmocka_unit_test(every_hundredth_hit_of_it_is_sampled),
        cmocka_unit_test(short_hashes_collide_and_it_is_seen),
        cmocka_unit_test(eleven_bad_of_a_hundred_switch_it_off),
        cmocka_unit_test(each_table_can_have_its_own_monitor),
        cmocka_unit_test(sampling_every_hit_returns_none),
        cmocka_unit_test(errors),
        cmocka_unit_test(the_comparison_unit_of_lock_and_load),
        cmocka_unit_test(bad_settings_are_named),
        cmocka_unit_test(sizes_count_what_each_table_finds),
        cmocka_unit_test(bits_are_added_while_all_is_well_and_taken_back_when_not),
        cmocka_unit_test(what_was_too_wide_is_tried_again_after_twice_as_much),
        cmocka_unit_test(floats_keep_their_exponent_and_integers_what_the_program_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
