/* Quality control of Lock and Load: which setting follows from samples, and what an SM does with
 * it.
 */
#include "tech/support_lnl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- the setting --- */

enum { PERIOD = 8 };
static uint64_t next_key; /* by tests that follow each other: any numbers do */

static struct lnl_levels all_at(unsigned level)
{
    return (struct lnl_levels){{(uint8_t)level, (uint8_t)level, (uint8_t)level}};
}

/* A launch of which nothing is known, with 1000 blocks in the order of their numbers. */
static void launch(struct lnl_control *c)
{
    lnl_control_init(c);
    c->order = (struct lnl_order){1000, 0};
}

static struct lnl_visit begin(struct lnl_control *c, unsigned level, double begun)
{
    const struct lnl_levels l = all_at(level);
    return lnl_control_begin(c, &l, next_key++, (uint64_t)(1000 * begun + 0.5) - 1, PERIOD);
}

/* `n` regions with loads of a level, each with one sampled store of 32 values of 10, all wrong by
 * so much, in the first tenth of a launch. */
static void sample(struct lnl_control *c, unsigned level, double error4, double error16, unsigned n)
{
    const struct lnl_levels l = all_at(level);
    const double e8 = (error4 + error16) / 2;
    const struct lnl_sample s = {.squares = {error4 * error4, e8 * e8, error16 * error16}};
    while (n--) {
        begin(c, level, 0.1);
        lnl_control_stored(c, 99, 32, 10);
        lnl_control_store(c, &l, &s);
    }
}

/* Of `n` visits those with groups of 4, 8 and 16. */
struct visits {
    unsigned of[LNL_SIZES + 1], samples;
};

static struct visits visits_at(struct lnl_control *c, unsigned level, unsigned n)
{
    struct visits v = {0};
    while (n--) {
        const struct lnl_visit was = begin(c, level, 0.1);
        v.of[was.size]++;
        v.samples += was.is_sample;
    }
    return v;
}

static unsigned approximated_of(struct lnl_control *c, unsigned level, unsigned n)
{
    return n - visits_at(c, level, n).of[LNL_SIZES];
}

/* Nothing without enough samples, and without a bound. */
static void nothing_is_known_at_first(void **state)
{
    (void)state;
    struct lnl_control c;
    launch(&c);
    assert_int_equal(visits_at(&c, 0, 16).samples, 16);
    sample(&c, 0, 0, 0, 15);
    lnl_control_choose(&c, 0.05, PERIOD);
    assert_int_equal(approximated_of(&c, 0, 16), 0);
    sample(&c, 0, 0, 0, 1);
    lnl_control_choose(&c, 0, PERIOD);
    assert_int_equal(approximated_of(&c, 0, 16), 0);
    lnl_control_choose(&c, 0.05, PERIOD);
    const struct visits v = visits_at(&c, 0, 800);
    assert_in_range(v.of[2], 680, 720); /* one of eight is a sample */
    assert_int_equal(v.of[2] + v.samples, 800);
}

/* Errors of 2% at n = 4, 10% at n = 16: with a bound of 4% groups of 4, with 20% of 16. */
static void groups_grow_with_the_bound(void **state)
{
    (void)state;
    struct lnl_control c;
    launch(&c);
    sample(&c, 2, 0.2, 1, 100);
    assert_true(lnl_control_choose(&c, 0.03, PERIOD));
    struct visits v = visits_at(&c, 2, 800);
    assert_true(v.of[0] > 500 && v.of[2] < 50);
    assert_true(lnl_control_choose(&c, 0.2, PERIOD));
    v = visits_at(&c, 2, 800);
    assert_true(v.of[0] == 0 && v.of[2] > 600);
    assert_false(lnl_control_choose(&c, 0.2, PERIOD));
}

/* Regions with similar loads get large groups, while others get small ones. */
static void each_region_has_its_size(void **state)
{
    (void)state;
    struct lnl_control c;
    launch(&c);
    sample(&c, 0, 0, 0.01, 100);
    sample(&c, 5, 0.3, 3, 100); /* 3% at n = 4, 30% at n = 16 */
    lnl_control_choose(&c, 0.026, PERIOD);
    assert_true(visits_at(&c, 0, 800).of[2] > 600);
    assert_true(visits_at(&c, 5, 800).of[0] > 600);
}

/* Half of the blocks have begun, and their values are 10. What two scouts of the other half have
 * stored says how bright that is: an error of 3% of 10 is 2% of 15 then, and 6% of 5. */
static void scouts_tell_what_is_to_come(void **state)
{
    static const double others[] = {10, 20, 0};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct lnl_control c;
        launch(&c);
        sample(&c, 2, 0.3, 0.3, 100);
        for (uint64_t number = 100; number < 1000; number++) {
            begin(&c, 2, (double)(number + 1) / 1000);
            lnl_control_stored(&c, number, 32, number < 500 ? 10 : others[i]);
        }
        c.own.begun = 500;
        lnl_control_choose(&c, 0.03, PERIOD);
        const unsigned n = approximated_of(&c, 2, 800);
        if (others[i] == 0) /* (0.03 x 5)^2 of 0.3^2 */
            assert_in_range(n, 100, 350);
        else
            assert_in_range(n, 600, 760);
    }
}

/* Regions of the rest have loads of which the error is large; those so far had none. What the
 * scouts of the rest have seen makes the price, not what all have. */
static void what_is_left_of_a_band_counts(void **state)
{
    (void)state;
    struct lnl_control c;
    const struct lnl_levels rough = all_at(4);
    launch(&c);
    sample(&c, 0, 0, 0, 100);
    for (unsigned i = 0; i < 2000; i++)
        begin(&c, 0, 0.5);
    for (uint64_t i = 0; i < 40; i++) {
        const struct lnl_sample s = {.squares = {1, 1, 1}}; /* 10% */
        lnl_control_begin(&c, &rough, next_key++, 505 + 12 * i, PERIOD);
        lnl_control_stored(&c, 505 + 12 * i, 32, 10);
        lnl_control_store(&c, &rough, &s);
    }
    c.own.begun = 500;
    lnl_control_choose(&c, 0.05, PERIOD);
    const unsigned n = approximated_of(&c, 4, 800);
    assert_in_range(n, 200, 500); /* a quarter of a hundredth, of one in two */
}

/* Of a hundred samples one is rough and has all the error; of those that were approximated none is,
 * or every tenth: a quarter, or ten times, of what samples had. */
static void how_rough_anchors_are_tells_of_the_error(void **state)
{
    (void)state;
    for (unsigned is_rough = 0; is_rough < 2; is_rough++) {
        struct lnl_control c;
        const struct lnl_levels l = all_at(2);
        launch(&c);
        for (unsigned i = 0; i < 100; i++) {
            const double x = i ? 0 : 100;
            const struct lnl_sample s = {.squares = {x, x, x}, .rough = {x, x, x}};
            begin(&c, 2, 0.1);
            lnl_control_stored(&c, 99, 32, 10);
            lnl_control_store(&c, &l, &s);
        }
        lnl_control_choose(&c, 1, PERIOD);
        for (unsigned i = 0; i < 1000; i++) {
            const struct lnl_visit v = begin(&c, 2, 0.5);
            const double x = is_rough && i % 10 == 0 ? 100 : 0, all[] = {x, x, x};
            lnl_control_rough(&c, &l, v.size, all);
        }
        /* 1, 10 and a quarter of 1 in the mean square, of those 880 of 1100 */
        assert_true(fabs(lnl_control_spent(&c) - (is_rough ? 0.28 : 0.045)) < 0.02);
    }
}

/* Loads that differ more are stored with more error: of those that the bound does not allow, so
 * many as it does. The error is of all values, so that few wrong ones may be worse. */
static void the_threshold_stays_where_the_bound_is_kept(void **state)
{
    (void)state;
    struct lnl_control c;
    launch(&c);
    sample(&c, 1, 0.1, 0.1, 100); /* 1% */
    sample(&c, 4, 2, 2, 100);     /* 20%, of half of the values: 2% of all squared */
    lnl_control_choose(&c, 0.045, PERIOD);
    assert_in_range(approximated_of(&c, 1, 800), 640, 760);
    assert_in_range(approximated_of(&c, 4, 800), 30, 150); /* about 0.002 of 0.02 */
    assert_int_equal(approximated_of(&c, 6, 160), 0);
    lnl_control_choose(&c, 0.25, PERIOD);
    assert_in_range(approximated_of(&c, 4, 800), 640, 760);
}

/* What is sampled more often than others counts no more than it is. */
static void shares_are_those_of_all_regions(void **state)
{
    (void)state;
    struct lnl_control c;
    launch(&c);
    sample(&c, 0, 0.1, 0.1, 100);
    approximated_of(&c, 0, 900);
    sample(&c, 3, 1, 1, 100); /* 10%, of a part in eleven: 3% */
    lnl_control_choose(&c, 0.04, PERIOD);
    assert_in_range(approximated_of(&c, 3, 800), 640, 760);
}

/* Errors that turn out larger than they were thought are made good. */
static void what_was_too_much_is_made_good(void **state)
{
    (void)state;
    struct lnl_control c;
    launch(&c);
    sample(&c, 0, 0.1, 0.1, 100);
    lnl_control_choose(&c, 0.05, PERIOD);
    approximated_of(&c, 0, 2000); /* 1%, as far as is known */
    begin(&c, 0, 0.9);
    sample(&c, 0, 2, 2, 100); /* ... but of these 20% */
    lnl_control_choose(&c, 0.05, PERIOD);
    assert_int_equal(approximated_of(&c, 0, 800), 0);
}

/* A few stores make most of the error: it is taken for larger, and looked at more often. */
static void it_knows_when_it_is_not_sure(void **state)
{
    (void)state;
    struct lnl_control even, uneven;
    launch(&even);
    launch(&uneven);
    sample(&even, 1, 0.4, 0.4, 100); /* 4% both */
    sample(&uneven, 1, 0, 0, 96);
    sample(&uneven, 1, 2, 2, 4);
    lnl_control_choose(&even, 0.041, PERIOD);
    lnl_control_choose(&uneven, 0.041, PERIOD);
    assert_true(approximated_of(&uneven, 1, 800) < approximated_of(&even, 1, 800) * 3 / 4);
    lnl_control_choose(&even, 0.2, PERIOD);
    lnl_control_choose(&uneven, 0.2, PERIOD);
    assert_true(visits_at(&uneven, 1, 800).samples > visits_at(&even, 1, 800).samples * 3 / 2);
}

/* An SM that has seen nothing itself goes by what others have. */
static void sms_learn_from_each_other(void **state)
{
    (void)state;
    struct lnl_control a, b;
    launch(&a);
    launch(&b);
    sample(&a, 2, 0.1, 0.1, 50);
    lnl_control_choose(&b, 0.05, PERIOD);
    assert_int_equal(approximated_of(&b, 2, 80), 0);
    lnl_table_add(&b.known, &a.own);
    lnl_control_choose(&b, 0.05, PERIOD);
    assert_in_range(approximated_of(&b, 2, 80), 55, 79);
}

/* A launch has a bound of its own, but what was seen is not forgotten. */
static void a_launch_begins_with_what_is_known(void **state)
{
    (void)state;
    struct lnl_control c;
    launch(&c);
    sample(&c, 2, 0.3, 0.3, 50);
    lnl_control_choose(&c, 0.05, PERIOD);
    approximated_of(&c, 2, 400);
    assert_true(lnl_control_spent(&c) > 0.022 && lnl_control_spent(&c) < 0.03);
    lnl_table_relaunch(&c.own);
    assert_true(lnl_control_spent(&c) == 0);
    begin(&c, 2, 0.01);
    lnl_control_choose(&c, 0.05, PERIOD);
    assert_in_range(approximated_of(&c, 2, 80), 55, 79);
}

/* Differences of 10% in its loads are 5% in its stores: so much of an error comes through. Of two
 * loads the one that matters more counts. */
static void errors_pass_as_differences_do(void **state)
{
    (void)state;
    struct lnl_control c;
    const struct lnl_levels l = all_at(0);
    launch(&c);
    assert_true(lnl_control_passes(&c) == 1);
    const struct lnl_sample s = {.loads = {{24 * 1.0, 24, 240}, {24 * 9.0, 24, 240}},
                                 .stored = {24 * 100.0, 24, 4800}};
    lnl_control_store(&c, &l, &s);
    assert_true(fabs(lnl_control_passes(&c) - 0.5) < 1e-12);
}

/* What a region saves: lanes, and half of its issues with groups of any size. So an error that is
 * worth its lanes and half is paid, and one of larger groups only if the lanes that they save
 * beyond smaller ones are worth it. */
static void a_region_is_worth_its_lanes_and_half_its_issues(void **state)
{
    (void)state;
    const struct lnl_setting s = {.error = {{1}, {1.25}, {3}}};
    const struct lnl_levels l = all_at(0);
    assert_int_equal(lnl_setting_size(&s, 0, &l), 2);
    assert_int_equal(lnl_setting_size(&s, 0.01, &l), 2); /* 1/16 more for 1.75 */
    assert_int_equal(lnl_setting_size(&s, 0.04, &l), 1); /* 1/8 more for 0.25 */
    assert_int_equal(lnl_setting_size(&s, 0.49, &l), 1);
    assert_int_equal(lnl_setting_size(&s, 0.51, &l), 0);
    assert_int_equal(lnl_setting_size(&s, 1.24, &l), 0);
    assert_int_equal(lnl_setting_size(&s, 1.26, &l), LNL_SIZES);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* 3 and 5 are 7 together: 9 + 25 + 15. */
static void errors_of_kernels_add_up(void **state)
{
    (void)state;
    assert_true(is_near(lnl_error_of_both(3, 5), 7));
    assert_true(lnl_error_of_both(0, 5) == 5);
    assert_true(is_near(lnl_error_left(7, 3), 5));
    assert_true(is_near(lnl_error_left(7, 5), 3));
    assert_true(lnl_error_left(5, 0) == 5);
    assert_true(lnl_error_left(5, 5) == 0);
    assert_true(lnl_error_left(5, 6) == 0);
}

/* Each kernel may have as much as lets all of them come to the whole. */
static void kernels_that_follow_get_as_much(void **state)
{
    (void)state;
    assert_true(lnl_error_share(5, 0.3, 0) == 5);
    assert_true(is_near(lnl_error_share(5, 1, 1), 5 / sqrt(3)));
    assert_true(is_near(lnl_error_share(5, 4, 1), 5 / sqrt(3))); /* not more than everything */
    assert_true(is_near(lnl_error_share(5, 0, 1), 5 / sqrt(1.75)));
    for (double passes = 0; passes <= 1; passes += 0.25) {
        const double each = lnl_error_share(5, passes, 2), next = (1 + passes) / 2;
        const double two = lnl_error_of_both(next * each, each);
        assert_true(is_near(lnl_error_of_both(next * two, each), 5));
    }
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
    const double error = error_with(0.12f, 5, &s);
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

/* Of two registers of a load, one of which is the same everywhere, the other one's differences
 * count. */
static void registers_that_never_differ_hide_nothing(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b,
                 RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mov.u32 %r2,%ctaid.x;\n"
                            "mad.lo.u32 %r1,%r2,64,%r1; mad.wide.u32 %rd2,%r1,8,%rd1;\n"
                            ".pragma \"lnl load H=0 uses=1\";\n"
                            "ld.global.v2.f32 {%f1,%f3},[%rd2];\n" LNL_BEGIN_0
                            "add.f32 %f2,%f1,%f3;\nst.global.f32 [%rd2+65536],%f2;\n" LNL_END
                            "ret;\n"),
                 NULL, "lnl-adaptive");
    for (uint32_t i = 0; i < FLOATS; i++)
        b.r->f.words[i] = lnl_bits(i % 2 ? 0 : 100 + (float)(i / 2 % 4));
    const uint64_t samples = lnl_rig_run(&b, BLOCKS / 2, THREADS)->samples;
    const struct lnl_control *c = &b.m.controls[0].control;
    struct lnl_varied loads = c->known.loads[0];
    lnl_varied_add(&loads, &c->own.loads[0]);
    assert_true(samples > 0);
    assert_true(loads.values == 24.0 * (double)samples);
    assert_true(loads.squares == 8.0 * (1 + 4 + 9) * (double)samples);
    assert_true(loads.magnitude == 24.0 * 102 * (double)samples);
    lnl_rig_close(&b);
}

/* Rows of 16 threads are two in a warp: what ends one is no neighbour of what begins the next. */
static uint32_t rows_with(const char *design)
{
    struct lnl_rig b;
    const struct launch launch = {.block = {16, 16, 1}};
    struct grid grid = {.launch = &launch};
    const struct warp w = {.grid = &grid};
    lnl_rig_open(&b, SQUARES, NULL, design);
    lnl_rig_run(&b, 1, THREADS);
    lnl_slot_start(&b.m, 0, &w);
    const uint32_t rows = b.m.slots[0].groups.rows;
    lnl_rig_close(&b);
    return rows;
}

static void nothing_lies_between_two_rows(void **state)
{
    (void)state;
    assert_int_equal(rows_with("lnl-adaptive"), 0x00010001);
    assert_int_equal(rows_with("lnl"), 0);
}

/* --- the order of blocks --- */

static uint64_t first_block_of(const char *ptx)
{
    struct lnl_rig b;
    struct err err;
    lnl_rig_open(&b, ptx, NULL, "lnl-adaptive");
    struct decoded *code = decode_kernel(b.r->kernel, &b.r->cfg);
    assert_true(lnl_launch(&b.g, b.r->kernel, code, &err));
    const struct block_grid grid = {.kernel = b.r->kernel, .blocks = 1000, .at_once = 100};
    const uint64_t first = lnl_adapt_block(&b.g, &grid, 0);
    lnl_rig_close(&b);
    decoded_free(code);
    return first;
}

/* A block that waits for the one before it is no scout: where others take all the room but a
 * little, scouts would take that, and wait for blocks that never begin. */
static void blocks_that_wait_keep_their_order(void **state)
{
    (void)state;
    assert_int_not_equal(first_block_of(SQUARES), 0);
    assert_int_equal(
        first_block_of(RIG_KERNEL(
            "ld.param.u64 %rd1,[p]; mov.u32 %r1,%ctaid.x; mad.wide.u32 %rd2,%r1,4,%rd1;\n"
            "SPIN: ld.volatile.global.u32 %r2,[%rd2]; setp.eq.u32 %p1,%r2,0; @%p1 bra SPIN;\n"
            ".pragma \"lnl load H=0 uses=1\";\nld.global.f32 %f1,[%rd2];\n" LNL_BEGIN_0
            "mul.f32 %f2,%f1,%f1;\nst.global.f32 [%rd2+65536],%f2;\n" LNL_END
            "st.volatile.global.u32 [%rd2+4],1; ret;\n")),
        0);
}

/* --- kernels of a program --- */

/* As an SM that has seen a region: it samples a hundred stores that are wrong by 3% at any size,
 * approximates others, and has found this of its own. */
static struct lnl_control *see(struct lnl_sm *m, const char *kernel)
{
    struct lnl_learnt *l = &m->controls[m->ncontrols++];
    snprintf(l->name, sizeof l->name, "%s", kernel);
    launch(&l->control);
    sample(&l->control, 2, 0.3, 0.3, 100);
    lnl_control_choose(&l->control, 0.1, PERIOD);
    approximated_of(&l->control, 2, 800);
    return &l->control;
}

/* What a kernel has spent on all SMs is in what the next one loads: that of a region is of all SMs
 * that have seen it, whoever comes last. A launch without visits leaves it; a second kernel's own
 * error comes to it. */
static void the_next_kernel_inherits_what_was_spent(void **state)
{
    static struct lnl_sm sms[3];
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b, SQUARES, NULL, NULL);
    struct lnl g = {.sms = sms, .nsms = 3};
    const struct lnl_plan plan = {.of.kernel = b.r->kernel, .nareas = 1, .marked_kernels = 2};
    memset(sms, 0, sizeof sms);
    lnl_adapt_launch(&g, &plan);
    assert_true(g.inherited == 0 && g.to_launch == 1);

    const double first = lnl_control_spent(see(&sms[0], "first"));
    see(&sms[1], "first"); /* the third SM had no block */
    assert_true(first > 0.02 && first < 0.03);
    lnl_adapt_launch(&g, &plan);
    const double inherited = g.inherited;
    assert_true(fabs(inherited - first) < 0.002); /* twice as much was seen of the same */
    lnl_adapt_launch(&g, &plan);
    assert_true(g.inherited == inherited);

    const double second = lnl_control_spent(see(&sms[2], "second"));
    lnl_adapt_launch(&g, &plan); /* nothing says that less than all passes */
    assert_true(is_near(g.inherited, lnl_error_of_both(inherited, second)));
    vec_free(&g.launches);
    lnl_rig_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_at_first),
        cmocka_unit_test(groups_grow_with_the_bound),
        cmocka_unit_test(each_region_has_its_size),
        cmocka_unit_test(scouts_tell_what_is_to_come),
        cmocka_unit_test(what_is_left_of_a_band_counts),
        cmocka_unit_test(how_rough_anchors_are_tells_of_the_error),
        cmocka_unit_test(the_threshold_stays_where_the_bound_is_kept),
        cmocka_unit_test(shares_are_those_of_all_regions),
        cmocka_unit_test(sms_learn_from_each_other),
        cmocka_unit_test(what_was_too_much_is_made_good),
        cmocka_unit_test(it_knows_when_it_is_not_sure),
        cmocka_unit_test(a_launch_begins_with_what_is_known),
        cmocka_unit_test(errors_pass_as_differences_do),
        cmocka_unit_test(a_region_is_worth_its_lanes_and_half_its_issues),
        cmocka_unit_test(errors_of_kernels_add_up),
        cmocka_unit_test(kernels_that_follow_get_as_much),
        cmocka_unit_test(smooth_values_get_large_groups),
        cmocka_unit_test(rougher_values_get_smaller_groups),
        cmocka_unit_test(a_bound_that_cannot_be_kept_is_not_broken),
        cmocka_unit_test(registers_that_never_differ_hide_nothing),
        cmocka_unit_test(nothing_lies_between_two_rows),
        cmocka_unit_test(blocks_that_wait_keep_their_order),
        cmocka_unit_test(the_next_kernel_inherits_what_was_spent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
