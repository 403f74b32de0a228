/* Lock and Load in an SM: what START_APPROX decides, which lanes execute, what is stored, to the
 * lane, the cycle and the bit. */
#include "tech/support_lnl.h"

/* Words 0 to 31: 100, 100.25, ...: similar at the default threshold. */
static void fill_smooth(struct sm_rig *r)
{
    for (uint32_t l = 0; l < 64; l++)
        r->f.words[l] = lnl_bits(100 + 0.25f * (float)l);
}

static struct lnl_stats run_with(struct lnl_rig *b, uint32_t threads)
{
    fill_smooth(b->r);
    return *lnl_rig_run(b, 1, threads);
}

/* Where the i-th lane's result is. */
static float result(const struct lnl_rig *b, uint32_t l)
{
    return lnl_float(b->r->f.words[LNL_OUT_WORDS + l]);
}

/* Lanes that executed instruction `pc` the first time. */
static uint32_t lanes_at(const struct sm_rig *r, uint32_t pc)
{
    for (uint32_t i = 0; i < r->nissues; i++)
        if (r->issues[i].pc == pc)
            return r->issues[i].mask;
    fail_msg("instruction %u was not issued", pc);
    return 0;
}

/* --- lanes and stores --- */

/* The anchors add; what they and the lanes between them store lies on a line, so all is right but
 * the last group, which repeats its anchor. */
static void anchors_compute_and_stores_are_interpolated(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b, LNL_KERNEL("add.f32 %f2,%f1,0f3F800000;\n"), NULL, "lnl-nofuse");
    const struct lnl_stats s = run_with(&b, 32);
    assert_int_equal(lanes_at(b.r, 4), 0x11111111);
    assert_int_equal(lanes_at(b.r, 5), UINT32_MAX);
    for (uint32_t l = 0; l < 32; l++)
        assert_true(result(&b, l) == 101 + 0.25f * (float)(l < 28 ? l : 28));
    assert_int_equal(s.checked, 1);
    assert_int_equal(s.similar, 1);
    assert_int_equal(s.starts, 1);
    assert_int_equal(s.approx_regions, 1);
    assert_int_equal(s.inst, 7);
    assert_int_equal(s.region_inst, 2);
    assert_int_equal(s.approx_inst, 1);
    assert_int_equal(s.precise_inst, 1);
    assert_int_equal(s.lanes_skipped, 24);
    assert_int_equal(s.interp_stores, 1);
    assert_int_equal(s.interpolated, 24);
    assert_int_equal(s.filter_busy, 8);
    assert_int_equal(s.left_entries, 0);
    lnl_rig_close(&b);
}

static void replicas_are_stored_without_the_filter(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b, LNL_KERNEL("add.f32 %f2,%f1,0f3F800000;\n"), NULL, "lnl-replicate");
    const struct lnl_stats s = run_with(&b, 32);
    for (uint32_t l = 0; l < 32; l++)
        assert_true(result(&b, l) == 101 + 0.25f * (float)(l / 4 * 4));
    assert_int_equal(s.filter_busy + s.interpolated, 0);
    assert_int_equal(s.replicated, 24);
    lnl_rig_close(&b);
}

/* A threshold of 0, one lane a group, and values that are not alike: everybody computes. */
static void what_is_not_similar_is_precise(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct lnl_rig b;
        lnl_rig_open(&b, LNL_KERNEL("add.f32 %f2,%f1,0f3F800000;\n"), NULL, "lnl-nofuse");
        b.cfg.threshold = i == 0 ? 0 : 0.001;
        b.cfg.group = i == 1 ? 1 : 4;
        const struct lnl_stats s = run_with(&b, 32);
        assert_int_equal(lanes_at(b.r, 4), UINT32_MAX);
        for (uint32_t l = 0; l < 32; l++)
            assert_true(result(&b, l) == 101 + 0.25f * (float)l);
        assert_int_equal(s.similar, i == 1);
        assert_int_equal(s.fail_threshold, i != 1);
        assert_int_equal(s.approx_regions, i == 1);
        assert_int_equal(s.precise_regions, i != 1);
        assert_int_equal(s.lanes_skipped + s.interpolated, 0);
        lnl_rig_close(&b);
    }
}

/* Also where only anchors have loaded, and so nobody was compared. */
static void no_threshold_means_never(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(
        &b,
        RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mad.wide.u32 %rd2,%r1,4,%rd1;\n"
                   "and.b32 %r2,%r1,3; setp.eq.u32 %p1,%r2,0; mov.f32 %f1,0f00000000;\n"
                   ".pragma \"lnl load H=0 uses=1\";\n@%p1 ld.global.f32 %f1,[%rd2];\n" LNL_BEGIN_0
                   "add.f32 %f2,%f1,0f3F800000;\nst.global.f32 [%rd2+256],%f2;\n" LNL_END "ret;\n"),
        NULL, "lnl-nofuse");
    b.cfg.threshold = 0;
    assert_int_equal(run_with(&b, 32).approx_regions, 0);
    b.cfg.threshold = 0.1;
    const struct lnl_stats s = run_with(&b, 32);
    assert_int_equal(s.approx_regions, 1);
    assert_int_equal(s.mask_grew, 1);
    lnl_rig_close(&b);
}

/* Registers of lanes that did not execute keep what they held; a store's data is the store's alone.
 */
static void other_lanes_keep_their_registers(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b,
                 RIG_KERNEL(LNL_LOAD
                            "mov.f32 %f2,%f1;\n" LNL_BEGIN_0
                            "add.f32 %f2,%f2,0f3F800000;\nst.global.f32 [%rd2+512],%f2;\n"
                            ".pragma \"lnl precise\";\nadd.f32 %f3,%f1,%f1;\n"
                            ".pragma \"lnl precise\";\nst.global.f32 [%rd2+256],%f3;\n" LNL_END
                            "ret;\n"),
                 NULL, "lnl-nofuse");
    run_with(&b, 32);
    for (uint32_t l = 0; l < 32; l++)
        assert_true(result(&b, l) == 200 + 0.5f * (float)l); /* precise: not interpolated */
    for (uint32_t l = 0; l < 28; l++)
        assert_true(lnl_float(b.r->f.words[128 + l]) == 101 + 0.25f * (float)l);
    lnl_rig_close(&b);
}

/* What is read behind the region is interpolated at its end, by an instruction of one slot. */
static void what_leaves_a_region_is_interpolated(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b,
                 RIG_KERNEL(LNL_LOAD LNL_BEGIN_0 "add.f32 %f2,%f1,0f3F800000;\n" LNL_END
                                                 "st.global.f32 [%rd2+256],%f2; ret;\n"),
                 NULL, "lnl-nofuse");
    const struct lnl_stats s = run_with(&b, 32);
    assert_int_equal(s.interp_registers, 1);
    assert_int_equal(s.interp_stores, 0);
    assert_int_equal(b.r->stats.extra_inst, 2); /* and START_APPROX */
    for (uint32_t l = 0; l < 32; l++)
        assert_true(result(&b, l) == 101 + 0.25f * (float)(l < 28 ? l : 28));
    lnl_rig_close(&b);
}

/* --- guards and branches --- */

/* A guard from outside thins groups before their anchors are found; one that an approximated
 * instruction wrote is valid in anchors only. */
static void guards_choose_anchors_or_are_theirs(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b,
                 RIG_KERNEL(LNL_LOAD
                            "mov.u32 %r2,0; setp.ne.u32 %p1,%r1,0; mov.f32 %f2,%f1;\n" LNL_BEGIN_0
                            "@%p1 add.f32 %f2,%f1,0f3F800000;\n" /* pc 7 */
                            "setp.gt.f32 %p2,%f1,0f42C90000;\n"  /* > 100.5 */
                            "@%p2 add.f32 %f3,%f1,%f1;\n"        /* pc 9 */
                            "add.f32 %f2,%f2,%f3;\nst.global.f32 [%rd2+256],%f2;\n" LNL_END
                            "ret;\n"),
                 NULL, "lnl-nofuse");
    const struct lnl_stats s = run_with(&b, 32);
    assert_int_equal(lanes_at(b.r, 7), 0x11111112);
    assert_int_equal(lanes_at(b.r, 8), 0x11111111);
    assert_int_equal(lanes_at(b.r, 9), 0x11111110); /* lane 3 is above, but its anchor is not */
    assert_int_equal(s.lanes_skipped, 23 + 24 + 21 + 24);
    lnl_rig_close(&b);
}

#define BRANCHES                                                                                   \
    "setp.gt.f32 %p1,%f1,0f42CA8000;\n" /* > 101.25: lanes 6 to 31 */                              \
    "@%p1 bra ABOVE;\nadd.f32 %f2,%f1,0f3F800000; bra MEET;\nABOVE: sub.f32 %f2,%f1,0f3F800000;\n" \
    "MEET:\n"

/* Groups stay together: lanes 6 and 7 go where lane 4 goes, though they are above. */
static void groups_go_where_their_anchors_go(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b, LNL_KERNEL(BRANCHES), NULL, "lnl-nofuse");
    const struct lnl_stats s = run_with(&b, 32);
    assert_int_equal(lanes_at(b.r, 6), 0x00000011);
    assert_int_equal(lanes_at(b.r, 8), 0x11111100);
    for (uint32_t l = 0; l < 32; l += 4)
        assert_true(result(&b, l) == 100 + 0.25f * (float)l + (l < 8 ? 1 : -1));
    assert_true(result(&b, 6) == 101.5f); /* between 102 and 101 */
    assert_int_equal(s.approx_inst, 4);   /* the second branch has no choice */
    lnl_rig_close(&b);
}

/* A branch that decides over a store is every lane's own, and each side has anchors of its own. */
static void stores_under_a_branch_are_each_lanes_own(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b,
                 RIG_KERNEL(LNL_LOAD LNL_BEGIN_0
                            "setp.lt.u32 %p1,%r1,6; @%p1 bra OUT;\nadd.f32 %f2,%f1,0f3F800000;\n"
                            "st.global.f32 [%rd2+256],%f2;\nOUT:\n" LNL_END "ret;\n"),
                 NULL, "lnl-nofuse");
    run_with(&b, 32);
    assert_int_equal(lanes_at(b.r, 6), 0x11111140); /* lane 6 leads the second group */
    assert_int_equal(lanes_at(b.r, 7), UINT32_MAX << 6);
    for (uint32_t l = 0; l < 32; l++)
        if (l < 6)
            assert_true(result(&b, l) == 0);
        else if (l != 7 && l < 28)
            assert_true(result(&b, l) == 101 + 0.25f * (float)l);
    /* f is of the lane's number: 3/4 of the way from lane 6 to lane 8 */
    assert_true(result(&b, 7) == 102.5f + 0.75f * 0.5f);
    lnl_rig_close(&b);
}

/* Lanes that have not executed START_APPROX are precise in the region. */
static void other_lanes_of_the_warp_are_precise(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(
        &b,
        RIG_KERNEL(LNL_LOAD
                   "setp.lt.u32 %p1,%r1,16; mov.u32 %r3,0;\nLOOP:\n" /* twice: each half */
                   "setp.eq.u32 %p2,%r3,0; xor.pred %p3,%p1,%p2; @%p3 bra SKIP;\n" LNL_BEGIN_0
                   "add.f32 %f2,%f1,0f3F800000;\nst.global.f32 [%rd2+256],%f2;\n" LNL_END
                   "SKIP: add.u32 %r3,%r3,1; setp.lt.u32 %p4,%r3,2; @%p4 bra LOOP; ret;\n"),
        NULL, "lnl-nofuse");
    const struct lnl_stats s = run_with(&b, 32);
    /* the load is for one region: the second half finds no entry */
    assert_int_equal(s.starts, 2);
    assert_int_equal(s.approx_regions, 1);
    assert_int_equal(s.invalid_entries, 1);
    for (uint32_t l = 0; l < 32; l++)
        assert_true(result(&b, l) == 101 + 0.25f * (float)(l < 16 && l > 12 ? 12 : l));
    lnl_rig_close(&b);
}

/* --- time --- */

/* 13: a checked load's registers are written 3 cycles later, those of a vector 6. */
static void checked_loads_take_three_cycles(void **state)
{
    (void)state;
    static const char *const kernels[] = {
        RIG_KERNEL(
            "ld.param.u64 %rd1,[p]; .pragma \"lnl load H=0 uses=1\";\nld.global.f32 %f1,[%rd1];\n"
            "add.f32 %f2,%f1,%f1; ret;\n"),
        RIG_KERNEL("ld.param.u64 %rd1,[p]; .pragma \"lnl load H=0 uses=1\";\n"
                   "ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%rd1];\nadd.f32 %f5,%f1,%f1; ret;\n"),
    };
    for (unsigned i = 0; i < 2; i++) {
        struct lnl_rig b, base;
        lnl_rig_open(&b, kernels[i], NULL, "lnl-nofuse");
        lnl_rig_open(&base, kernels[i], NULL, NULL);
        const struct lnl_stats s = run_with(&b, 32);
        sm_rig_run(base.r, 1, 32);
        assert_int_equal(rig_gap(b.r, 1, 2), rig_gap(base.r, 1, 2) + (i ? 6 : 3));
        assert_int_equal(s.checked_registers, i ? 4 : 1);
        assert_int_equal(s.left_entries, 1);
        lnl_rig_close(&b);
        lnl_rig_close(&base);
    }
}

/* START_APPROX takes one slot, and waits for the load that it names. */
static void start_waits_for_its_loads(void **state)
{
    (void)state;
    static const char kernel[] =
        RIG_KERNEL(LNL_LOAD "mov.u32 %r2,1;\n" LNL_BEGIN_0
                            "add.u32 %r3,%r1,1;\nst.global.u32 [%rd2+256],%r3;\n" LNL_END "ret;\n");
    struct lnl_rig b, base;
    lnl_rig_open(&b, kernel, NULL, "lnl-nofuse");
    lnl_rig_open(&base, kernel, NULL, NULL);
    const struct lnl_stats s = run_with(&b, 32);
    sm_rig_run(base.r, 1, 32);
    const cycle_t start = rig_nth(b.r, 0, RIG_MOVE, 0);
    assert_true(start > rig_nth(b.r, 0, 4, 0) + b.r->memory);
    assert_int_equal(rig_nth(b.r, 0, 5, 0), start + 1);
    assert_int_equal(rig_nth(base.r, 0, 5, 0), rig_nth(base.r, 0, 4, 0) + 1);
    assert_int_equal(b.r->stats.issue_active, base.r->stats.issue_active + 1);
    assert_true(s.wait_loads >= b.r->memory);
    lnl_rig_close(&b);
    lnl_rig_close(&base);
}

/* 8.4, 1: with nothing that takes time, the machine without it to the last statistic. */
static void without_cost_it_is_the_base(void **state)
{
    (void)state;
    static const char kernel[] = LNL_KERNEL(BRANCHES "bar.sync 0;\n");
    struct lnl_rig b, base;
    lnl_rig_open(&b, kernel, NULL, "lnl-nofuse");
    lnl_rig_open(&base, kernel, NULL, NULL);
    b.cfg.threshold = 0;
    b.cfg.start = false;
    b.cfg.check_cycles = 0;
    run_with(&b, 64);
    fill_smooth(base.r);
    sm_rig_run(base.r, 1, 64);
    assert_int_equal(b.r->end, base.r->end);
    assert_memory_equal(&b.r->stats, &base.r->stats, sizeof b.r->stats);
    assert_memory_equal(b.r->f.words, base.r->f.words, 1024);
    lnl_rig_close(&b);
    lnl_rig_close(&base);
}

/* Interpolated stores reach the load/store unit 8 cycles later, one after the other. */
static void stores_wait_for_the_filter(void **state)
{
    (void)state;
    static const char kernel[] =
        LNL_KERNEL("add.f32 %f2,%f1,%f1;\nst.global.f32 [%rd2+512],%f2;\n");
    struct lnl_rig b[2];
    static const char *const designs[] = {"lnl-replicate", "lnl-nofuse"};
    for (unsigned i = 0; i < 2; i++) {
        lnl_rig_open(&b[i], kernel, NULL, designs[i]);
        run_with(&b[i], 32);
    }
    for (unsigned k = 0; k < 2; k++)
        assert_int_equal(rig_request(b[1].r, MEM_GLOBAL, 1 + k)->cycle -
                             rig_request(b[0].r, MEM_GLOBAL, 1 + k)->cycle,
                         8 * (k + 1) - 2 * k); /* the second issues 2 cycles later */
    for (unsigned i = 0; i < 2; i++)
        lnl_rig_close(&b[i]);
}

/* --- prior work --- */

/* Operands that agree in their upper 20 bits: one lane adds, and all have its result. */
static void agreeing_operands_are_added_once(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b, LNL_KERNEL("add.f32 %f2,%f1,0f3F800000;\n"), NULL, "warp-approx");
    for (uint32_t l = 0; l < 32; l++)
        b.r->f.words[l] = lnl_bits(1) + l;
    struct lnl_stats s = *lnl_rig_run(&b, 1, 32);
    assert_int_equal(lanes_at(b.r, 4), 1);
    assert_int_equal(s.approx_inst, 1);
    assert_int_equal(s.lanes_skipped, 31);
    assert_int_equal(s.starts + s.checked, 0);
    for (uint32_t l = 0; l < 32; l++)
        assert_true(result(&b, l) == 2);
    b.cfg.drop_bits = 4;
    s = *lnl_rig_run(&b, 1, 32);
    assert_int_equal(lanes_at(b.r, 4), UINT32_MAX);
    assert_int_equal(s.approx_inst, 0);
    lnl_rig_close(&b);
}

/* --- --verify --- */

/* Under a guard another lane leads, and reads what it did not write (rule 4 is of branches). */
/* lnl.sectors is about loads of regions: constants inside do not make the load before them one. */
static void loads_of_regions_are_known(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b,
                 RIG_KERNEL(LNL_LOAD LNL_BEGIN_0
                            "ld.param.u64 %rd4,[p];\nld.global.f32 %f3,[%rd2+4];\n"
                            "add.f32 %f2,%f1,%f3;\nst.global.f32 [%rd2+" LNL_OUT "],%f2;\n" LNL_END
                            "ret;\n"),
                 NULL, "lnl");
    lnl_rig_run(&b, 1, 32);
    const struct lnl_plan *p = (const struct lnl_plan *)b.g.plans;
    assert_int_equal(p->nloads, 2);
    assert_false(p->is_inside[0]);
    assert_true(p->is_inside[1]);
    lnl_rig_close(&b);
}

static void stale_reads_are_counted(void **state)
{
    (void)state;
    static const char *const kernels[] = {
        LNL_KERNEL(BRANCHES),
        LNL_KERNEL("add.f32 %f3,%f1,%f1;\n.pragma \"lnl precise\";\nsetp.ne.u32 %p1,%r1,0;\n"
                   "@%p1 add.f32 %f3,%f3,%f1;\nmov.f32 %f2,%f3;\n"),
    };
    for (unsigned i = 0; i < 2; i++) {
        struct lnl_rig b;
        lnl_rig_open(&b, kernels[i], NULL, "lnl-nofuse");
        b.g.verify = true;
        const struct lnl_stats s = run_with(&b, 32);
        assert_int_equal(s.stale_reads, i); /* by lane 1 */
        assert_int_equal(s.stale_lanes, i);
        lnl_rig_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anchors_compute_and_stores_are_interpolated),
        cmocka_unit_test(replicas_are_stored_without_the_filter),
        cmocka_unit_test(what_is_not_similar_is_precise),
        cmocka_unit_test(no_threshold_means_never),
        cmocka_unit_test(other_lanes_keep_their_registers),
        cmocka_unit_test(what_leaves_a_region_is_interpolated),
        cmocka_unit_test(guards_choose_anchors_or_are_theirs),
        cmocka_unit_test(groups_go_where_their_anchors_go),
        cmocka_unit_test(stores_under_a_branch_are_each_lanes_own),
        cmocka_unit_test(other_lanes_of_the_warp_are_precise),
        cmocka_unit_test(checked_loads_take_three_cycles),
        cmocka_unit_test(start_waits_for_its_loads),
        cmocka_unit_test(without_cost_it_is_the_base),
        cmocka_unit_test(stores_wait_for_the_filter),
        cmocka_unit_test(agreeing_operands_are_added_once),
        cmocka_unit_test(loads_of_regions_are_known),
        cmocka_unit_test(stale_reads_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
