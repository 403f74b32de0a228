/* Quality control of Lock and Load: which setting follows from samples, and what an SM does with
 * it.
 */
#include "tech/support_lnl.h"

#include <math.h>

/* --- the setting --- */

enum { PERIOD = 8 };

static struct lnl_levels all_at(unsigned level)
{
    return (struct lnl_levels){{(uint8_t)level, (uint8_t)level, (uint8_t)level}};
}

/* `n` regions with loads of a level, each with one sampled store of 32 values of 10, all wrong by
 * so much. */
static void sample(struct lnl_control *c, unsigned level, double error4, double error16, unsigned n)
{
    const struct lnl_levels l = all_at(level);
    const double e8 = (error4 + error16) / 2;
    const struct lnl_sample s = {{32 * error4 * error4, 32 * e8 * e8, 32 * error16 * error16}, 32};
    bool ignored;
    while (n--) {
        lnl_control_begin(c, &l, PERIOD, &ignored);
        lnl_control_stored(c, 32, 10);
        lnl_control_store(c, &l, &s);
    }
}

static unsigned approximated_of(struct lnl_control *c, unsigned level, unsigned n)
{
    const struct lnl_levels l = all_at(level);
    unsigned count = 0;
    bool ignored;
    for (unsigned i = 0; i < n; i++)
        count += lnl_control_begin(c, &l, PERIOD, &ignored);
    return count;
}

/* Nothing without enough samples, and without a bound. */
static void nothing_is_known_at_first(void **state)
{
    (void)state;
    struct lnl_control c;
    lnl_control_init(&c);
    assert_int_equal(approximated_of(&c, 0, 16), 0);
    sample(&c, 0, 0, 0, 31);
    assert_false(lnl_control_choose(&c, 0.05));
    assert_int_equal(approximated_of(&c, 0, 16), 0);
    sample(&c, 0, 0, 0, 1);
    assert_false(lnl_control_choose(&c, 0));
    assert_true(lnl_control_choose(&c, 0.05));
    assert_in_range(approximated_of(&c, 0, 800), 660, 740); /* one of eight is a sample */
    assert_int_equal(lnl_size_at(c.size), 16);
}

/* Errors of 2% at n = 4, 10% at n = 16: with a bound of 5% groups of 4, with 20% of 16. */
static void groups_grow_with_the_bound(void **state)
{
    (void)state;
    struct lnl_control c;
    lnl_control_init(&c);
    sample(&c, 2, 0.2, 1, 100);
    assert_true(lnl_control_choose(&c, 0.04));
    assert_int_equal(lnl_size_at(c.size), 4);
    assert_int_equal(c.level, 2);
    assert_int_equal(c.part, LNL_PARTS);
    assert_true(lnl_control_choose(&c, 0.2));
    assert_int_equal(lnl_size_at(c.size), 16);
    assert_false(lnl_control_choose(&c, 0.2));
}

/* Loads that differ more are stored with more error: of those that the bound does not allow, so
 * many as it does. The error is of all values, so that few wrong ones may be worse. */
static void the_threshold_stays_where_the_bound_is_kept(void **state)
{
    (void)state;
    struct lnl_control c;
    lnl_control_init(&c);
    sample(&c, 1, 0.1, 0.1, 100); /* 1% */
    sample(&c, 4, 2, 2, 100);     /* 20%, of half of the values: 2% of all squared */
    lnl_control_choose(&c, 0.05);
    assert_int_equal(c.level, 4);
    assert_in_range(c.part, 1, 3); /* 0.0025 * 1.25 - 0.00005 of 0.02 */
    assert_in_range(approximated_of(&c, 1, 800), 660, 740);
    assert_in_range(approximated_of(&c, 4, 800), 30, 150);
    assert_int_equal(approximated_of(&c, 5, 160), 0);
    lnl_control_choose(&c, 0.25);
    assert_int_equal(c.part, LNL_PARTS);
}

/* What is sampled more often than others counts no more than it is. */
static void shares_are_those_of_all_regions(void **state)
{
    (void)state;
    struct lnl_control c;
    lnl_control_init(&c);
    sample(&c, 0, 0.1, 0.1, 100);
    approximated_of(&c, 0, 900);
    sample(&c, 3, 1, 1, 100); /* 10%, of a part in eleven: 3% */
    lnl_control_choose(&c, 0.045);
    assert_int_equal(c.level, 3);
    assert_int_equal(c.part, LNL_PARTS);
}

/* Errors that turn out larger than they were thought are made good. */
static void what_was_too_much_is_made_good(void **state)
{
    (void)state;
    struct lnl_control c;
    lnl_control_init(&c);
    sample(&c, 0, 0.1, 0.1, 100);
    lnl_control_choose(&c, 0.05);
    approximated_of(&c, 0, 2000); /* 1%, as far as is known */
    sample(&c, 0, 2, 2, 100);     /* ... but of these 20% */
    lnl_control_choose(&c, 0.05);
    assert_int_equal(c.part, 0);
}

/* A few stores make most of the error: it is taken for larger, and looked at more often. */
static void it_knows_when_it_is_not_sure(void **state)
{
    (void)state;
    struct lnl_control even, uneven;
    lnl_control_init(&even);
    lnl_control_init(&uneven);
    sample(&even, 1, 0.4, 0.4, 100); /* 4% both */
    sample(&uneven, 1, 0, 0, 96);
    sample(&uneven, 1, 2, 2, 4);
    lnl_control_choose(&even, 0.045);
    lnl_control_choose(&uneven, 0.045);
    assert_false(even.is_unsure);
    assert_true(uneven.is_unsure);
    assert_true(uneven.part < even.part);
}

/* An SM that has seen nothing itself goes by what others have. */
static void sms_learn_from_each_other(void **state)
{
    (void)state;
    struct lnl_control a, b;
    lnl_control_init(&a);
    lnl_control_init(&b);
    sample(&a, 2, 0.1, 0.1, 50);
    assert_false(lnl_control_choose(&b, 0.05));
    lnl_table_add(&b.others, &a.own);
    assert_true(lnl_control_choose(&b, 0.05));
    assert_int_equal(b.level, 2);
}

/* --- an SM --- */

enum { BLOCKS = 240, THREADS = 64, FLOATS = BLOCKS * THREADS };

#define SQUARES                                                                                 \
    RIG_KERNEL(                                                                                 \
        "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mov.u32 %r2,%ctaid.x;\n"                    \
        "mad.lo.u32 %r1,%r2,64,%r1; mad.wide.u32 %rd2,%r1,4,%rd1;\n"                            \
        ".pragma \"lnl load H=0 uses=1\";\nld.global.f32 %f1,[%rd2];\n" LNL_BEGIN_0             \
        "mul.f32 %f2,%f1,%f1;\nadd.f32 %f2,%f2,%f1;\nst.global.f32 [%rd2+65536],%f2;\n" LNL_END \
        "ret;\n")

/* The error of what was stored, of the mean; `wave`: how much values change from thread to thread.
 */
static double error_with(float wave, double bound, struct lnl_stats *s)
{
    struct lnl_rig b;
    double squares = 0, sum = 0;
    lnl_rig_open(&b, SQUARES, NULL, "lnl-adaptive");
    b.cfg.max_error = bound;
    for (uint32_t i = 0; i < FLOATS; i++)
        b.r->f.words[i] = lnl_bits(100 + 20 * sinf(wave * (float)i));
    *s = *lnl_rig_run(&b, BLOCKS, THREADS);
    for (uint32_t i = 0; i < FLOATS; i++) {
        const float x = lnl_float(b.r->f.words[i]), precise = x * x + x;
        const double d = (double)lnl_float(b.r->f.words[16384 + i]) - (double)precise;
        squares += d * d;
        sum += (double)precise;
    }
    lnl_rig_close(&b);
    return 100 * sqrt(squares / FLOATS) / (sum / FLOATS);
}

static void smooth_values_get_large_groups(void **state)
{
    (void)state;
    struct lnl_stats s;
    const double error = error_with(0.01f, 5, &s);
    assert_true(error > 0 && error < 5);
    assert_int_equal(s.chosen_group.max, 16);
    assert_true(s.approx_regions > 360 && s.fused_regions > 100);
    assert_int_equal(s.approx_regions + s.precise_regions, 2 * BLOCKS);
    assert_in_range(s.samples, 32, 100);
}

static void rougher_values_get_smaller_groups(void **state)
{
    (void)state;
    struct lnl_stats s;
    const double error = error_with(0.08f, 5, &s);
    assert_true(error > 0 && error < 5);
    assert_true(s.chosen_group.max < 16);
    assert_true(s.approx_regions > 40);
}

static void a_bound_that_cannot_be_kept_is_not_broken(void **state)
{
    (void)state;
    struct lnl_stats s;
    assert_true(error_with(1.5f, 0.5, &s) < 0.5);
    assert_int_equal(s.approx_regions, 0);
    assert_true(error_with(0.01f, 0, &s) == 0);
    assert_int_equal(s.approx_regions, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_at_first),
        cmocka_unit_test(groups_grow_with_the_bound),
        cmocka_unit_test(the_threshold_stays_where_the_bound_is_kept),
        cmocka_unit_test(shares_are_those_of_all_regions),
        cmocka_unit_test(sms_learn_from_each_other),
        cmocka_unit_test(what_was_too_much_is_made_good),
        cmocka_unit_test(it_knows_when_it_is_not_sure),
        cmocka_unit_test(smooth_values_get_large_groups),
        cmocka_unit_test(rougher_values_get_smaller_groups),
        cmocka_unit_test(a_bound_that_cannot_be_kept_is_not_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
