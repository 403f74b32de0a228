/* Quality control of Lock and Load: which setting follows from samples, and what an SM does with
 * it.
 */
#include "tech/support_lnl.h"

#include <math.h>

/* --- the setting --- */

static void sample(struct lnl_control *c, unsigned level, double error4, double error16, unsigned n)
{
    const struct lnl_levels l = {{(uint8_t)level, (uint8_t)level, (uint8_t)level}};
    const double e8 = (error4 + error16) / 2;
    /* 32 values of 10, all wrong by so much */
    const struct lnl_sample s = {
        {32 * error4 * error4, 32 * e8 * e8, 32 * error16 * error16}, 320, 32};
    while (n--)
        lnl_control_store(c, &l, &s);
}

/* Nothing without enough samples, and without a bound. */
static void nothing_is_known_at_first(void **state)
{
    (void)state;
    struct lnl_control c;
    const struct lnl_levels same = {{0, 0, 0}};
    lnl_control_init(&c);
    assert_false(lnl_control_allows(&c, &same));
    sample(&c, 0, 0, 0, 7);
    assert_false(lnl_control_choose(&c, 0.05));
    assert_false(lnl_control_allows(&c, &same));
    sample(&c, 0, 0, 0, 1);
    assert_false(lnl_control_choose(&c, 0));
    assert_true(lnl_control_choose(&c, 0.05));
    assert_true(lnl_control_allows(&c, &same));
    assert_int_equal(lnl_size_at(c.size), 16);
}

/* Errors of 2% at n = 4, 10% at n = 16: with a bound of 5% groups of 4, with 20% of 16. */
static void groups_grow_with_the_bound(void **state)
{
    (void)state;
    struct lnl_control c;
    lnl_control_init(&c);
    sample(&c, 2, 0.2, 1, 20);
    assert_true(lnl_control_choose(&c, 0.05));
    assert_int_equal(lnl_size_at(c.size), 4);
    assert_int_equal(c.level, 2);
    assert_true(lnl_control_choose(&c, 0.2));
    assert_int_equal(lnl_size_at(c.size), 16);
    assert_false(lnl_control_choose(&c, 0.2));
    assert_true(lnl_control_choose(&c, 0.01));
    assert_int_equal(c.level, LNL_LEVELS);
}

/* Loads that differ more are stored with more error: the threshold stays below them. The error is
 * of all values, so that few wrong ones may be worse. */
static void the_threshold_stays_where_the_bound_is_kept(void **state)
{
    (void)state;
    struct lnl_control c;
    lnl_control_init(&c);
    sample(&c, 1, 0.1, 0.1, 50); /* 1% */
    sample(&c, 4, 2, 2, 50);     /* 20%, of half of the values */
    lnl_control_choose(&c, 0.05);
    assert_int_equal(c.level, 1);
    const struct lnl_levels near = {{1, 1, 1}}, far = {{4, 4, 4}};
    assert_true(lnl_control_allows(&c, &near));
    assert_false(lnl_control_allows(&c, &far));
    lnl_control_choose(&c, 0.25);
    assert_int_equal(c.level, 4);
}

static void samples_are_pairs_now_and_then(void **state)
{
    (void)state;
    struct lnl_control c;
    uint32_t taken = 0;
    lnl_control_init(&c);
    c.samples = 100;
    for (unsigned i = 0; i < 32; i++)
        taken |= (uint32_t)lnl_control_takes(&c, 8) << i;
    assert_int_equal(taken, 0x00030003);
}

/* --- an SM --- */

enum { BLOCKS = 60, THREADS = 64, FLOATS = BLOCKS * THREADS };

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
    assert_int_equal(s.chosen_group.min, 16);
    assert_true(s.approx_regions > 80 && s.fused_regions > 20);
    assert_int_equal(s.approx_regions + s.precise_regions, 2 * BLOCKS);
    assert_in_range(s.samples, 8, 16);
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
        cmocka_unit_test(samples_are_pairs_now_and_then),
        cmocka_unit_test(smooth_values_get_large_groups),
        cmocka_unit_test(rougher_values_get_smaller_groups),
        cmocka_unit_test(a_bound_that_cannot_be_kept_is_not_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
