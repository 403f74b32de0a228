/* Fusion of two warps: slots, cycles, the joint order, every reason not to wait, and always the
 * bytes of the run without it. */
#include "tech/support_lnl.h"

#include <stdlib.h>

/* One scheduler, and what a kernel needs in few fetches. */
static const char *const one[] = {"sm.schedulers=1", "sm.ibuffer=4", NULL};

static void fill(struct sm_rig *r, uint32_t rough)
{
    for (uint32_t l = 0; l < 256; l++)
        r->f.words[l] =
            lnl_bits((rough >> l / 32 & 1) && l % 2 ? -100 : 100 + 0.25f * (float)(l % 32));
}

/* The statistics with and without fusion; both must leave the same bytes. `rough`: warps whose
 * loads are not similar, a bit each. */
struct both {
    uint32_t way; /* a word that the kernel may read */
    struct lnl_stats fused, alone;
    struct sm_stats sm[2];
    struct lnl_rig b;
};

static void run_both(struct both *t, const char *ptx, uint32_t threads, uint32_t rough)
{
    struct lnl_rig alone;
    lnl_rig_open(&alone, ptx, one, "lnl-nofuse");
    lnl_rig_open(&t->b, ptx, one, "lnl");
    fill(alone.r, rough);
    fill(t->b.r, rough);
    alone.r->f.words[1000] = t->b.r->f.words[1000] = t->way;
    t->alone = *lnl_rig_run(&alone, 1, threads);
    t->fused = *lnl_rig_run(&t->b, 1, threads);
    t->sm[0] = t->b.r->stats;
    t->sm[1] = alone.r->stats;
    assert_memory_equal(t->b.r->f.words, alone.r->f.words, 8192);
    assert_int_equal(t->fused.approx_inst, t->alone.approx_inst);
    assert_int_equal(t->fused.precise_inst, t->alone.precise_inst);
    assert_int_equal(t->fused.checked, t->alone.checked);
    assert_int_equal(t->fused.lanes_skipped, t->alone.lanes_skipped);
    assert_int_equal(2 * t->fused.fused_inst + t->fused.lone_inst,
                     t->fused.approx_inst + t->fused.precise_inst);
    assert_int_equal(t->sm[0].warp_inst, t->sm[1].warp_inst);
    assert_int_equal(t->sm[0].thread_inst, t->sm[1].thread_inst);
    lnl_rig_close(&alone);
}

static void done(struct both *t)
{
    lnl_rig_close(&t->b);
}

#define TEN                                                                                    \
    "add.f32 %f2,%f1,%f1;\nadd.f32 %f3,%f1,%f1;\nadd.f32 %f4,%f1,%f1;\nadd.f32 %f5,%f1,%f1;\n" \
    "add.f32 %f6,%f1,%f1;\nadd.f32 %f7,%f1,%f1;\nadd.f32 %f8,%f1,%f1;\nadd.f32 %f9,%f1,%f1;\n" \
    "add.f32 %f10,%f1,%f1;\nadd.f32 %f11,%f1,%f1;\n"

/* 14: ten instructions of two warps, 2 + 10 slots for 2 + 20. */
static void two_warps_issue_as_one(void **state)
{
    (void)state;
    struct both t = {0};
    run_both(&t, RIG_KERNEL(LNL_LOAD LNL_BEGIN_0 TEN LNL_END "ret;\n"), 64, 0);
    assert_int_equal(t.fused.starts, 2);
    assert_int_equal(t.fused.fused_regions, 1);
    assert_int_equal(t.fused.fused_inst, 10);
    assert_int_equal(t.fused.lone_inst, 0);
    assert_int_equal(t.alone.lone_inst, 20);
    assert_int_equal(t.sm[0].issue_active + 10, t.sm[1].issue_active);
    assert_int_equal(t.fused.approx_inst, 20);
    assert_int_equal(t.fused.lanes_skipped, 20 * 24);
    for (uint32_t pc = 4; pc < 14; pc++)
        assert_int_equal(rig_nth(t.b.r, 0, pc, 0), rig_nth(t.b.r, 1, pc, 0));
    done(&t);
}

/* Loads, stores and barriers of both in one issue. */
static void memory_and_barriers_are_joint(void **state)
{
    (void)state;
    struct both t = {0};
    run_both(&t,
             RIG_KERNEL(LNL_LOAD "mov.u32 %r5,sh; mad.lo.u32 %r5,%r1,4,%r5;\n" LNL_BEGIN_0
                                 "add.f32 %f2,%f1,%f1;\nst.shared.f32 [%r5],%f2;\nbar.sync 0;\n"
                                 "ld.shared.f32 %f3,[%r5];\nadd.f32 %f3,%f3,%f1;\n"
                                 "st.global.f32 [%rd2+1024],%f3;\n" LNL_END "ret;\n"),
             64, 0);
    assert_int_equal(t.fused.fused_inst, 6);
    assert_int_equal(t.fused.unfused, 0);
    assert_int_equal(t.fused.filter_busy, 4 * 8);
    done(&t);
}

/* Precise instructions have 64 lanes: they pass their pipe twice. */
static void precise_instructions_take_two_passes(void **state)
{
    (void)state;
    struct both t = {0};
    run_both(&t,
             RIG_KERNEL(LNL_LOAD LNL_BEGIN_0
                        ".pragma \"lnl precise\";\nadd.u32 %r2,%r1,1;\n" LNL_END "ret;\n"),
             64, 0);
    assert_int_equal(t.fused.fused_inst, 1);
    assert_int_equal(t.sm[0].sp_busy, t.sm[1].sp_busy);
    done(&t);
}

#define SIDES                                                                                      \
    "@%p1 bra T;\nadd.f32 %f2,%f1,%f1;\nadd.f32 %f2,%f2,%f1;\nbra M;\n" /* F: 3 with its branch */ \
    "T: sub.f32 %f2,%f1,%f1;\nsub.f32 %f2,%f2,%f1;\nsub.f32 %f2,%f2,%f1;\n"                        \
    "M: add.f32 %f2,%f2,%f2;\nst.global.f32 [%rd2+1024],%f2;\n"

/* 15: warp 0 takes the branch, warp 1 does not: the target's side first, each warp its own, then
 * both together. */
static void each_warp_executes_its_own_side(void **state)
{
    (void)state;
    struct both t = {0};
    run_both(&t,
             RIG_KERNEL(LNL_LOAD "setp.lt.u32 %p1,%r1,32;\n" LNL_BEGIN_0 SIDES LNL_END "ret;\n"),
             64, 0);
    static const uint32_t pcs[] = {5, 5, 9, 10, 11, 6, 7, 8, 12, 12, 13, 13};
    static const uint32_t slots[] = {9, 9, 0, 0, 0, 1, 1, 1, 9, 9, 9, 9}; /* 9: either */
    uint32_t k = 0;
    for (uint32_t i = 0; i < t.b.r->nissues; i++) {
        const struct rig_issue *at = &t.b.r->issues[i];
        if (at->pc < 5 || at->pc > 13)
            continue;
        assert_int_equal(at->pc, pcs[k]);
        if (slots[k] != 9)
            assert_int_equal(at->slot, slots[k]);
        k++;
    }
    assert_int_equal(k, 12);
    assert_int_equal(t.fused.fused_inst, 3);
    assert_int_equal(t.fused.lone_inst, 6);
    done(&t);
}

/* Every way in which two warps of four groups of lanes can part, twice in a loop: the same bytes,
 * and always to the end. */
static void warps_part_in_every_way(void **state)
{
    (void)state;
    static const char ptx[] = RIG_KERNEL(
        LNL_LOAD "ld.global.u32 %r3,[%rd1+4000]; shr.u32 %r2,%r1,3; shr.u32 %r3,%r3,%r2;\n"
                 "mov.u32 %r4,0;\n" LNL_BEGIN_0 "L: and.b32 %r6,%r3,1; setp.eq.u32 %p1,%r6,1;\n"
                 "@%p1 bra T;\nadd.f32 %f2,%f1,%f1;\nbra M;\nT: sub.f32 %f2,%f1,%f1;\n"
                 "M: add.u32 %r4,%r4,1; add.u32 %r3,%r3,%r4; and.b32 %r7,%r3,3;\n"
                 "setp.lt.u32 %p2,%r4,%r7;\n@%p2 bra L;\n"
                 "st.global.f32 [%rd2+1024],%f2;\n" LNL_END "ret;\n");
    for (uint32_t way = 0; way < 256; way += 5) {
        struct both t = {.way = way};
        run_both(&t, ptx, 64, 0);
        assert_int_equal(t.fused.fused_regions, 1);
        assert_true(t.fused.fused_inst > 5);
        done(&t);
    }
}

/* --- whom nobody waits for --- */

/* Of the heap: a rig has megabytes, and sanitizers give each call's its own place in a frame. */
static struct lnl_stats fused_stats(const char *ptx, uint32_t threads, uint32_t rough)
{
    struct both *t = xcalloc(1, sizeof *t);
    run_both(t, ptx, threads, rough);
    const struct lnl_stats s = t->fused;
    done(t);
    free(t);
    return s;
}

#define REGION LNL_BEGIN_0 "add.f32 %f2,%f1,%f1;\nst.global.f32 [%rd2+1024],%f2;\n" LNL_END
#define LATER(who)                                                           \
    "setp.eq.u32 %p9,%r9," who ";\n@!%p9 bra GO" who ";\nmov.u32 %r8,300;\n" \
    "W" who ": sub.u32 %r8,%r8,1; setp.ne.u32 %p8,%r8,0; @%p8 bra W" who ";\nGO" who ":\n"
#define WARP "shr.u32 %r9,%r1,5;\n"

static void nobody_waits_for_a_warp_that_cannot_come(void **state)
{
    (void)state;
    struct lnl_stats s;
    /* warp 1 ends before, or after warp 0 has begun to wait */
    s = fused_stats(
        RIG_KERNEL(LNL_LOAD WARP "setp.eq.u32 %p1,%r9,1;\n@%p1 exit;\n" REGION "ret;\n"), 64, 0);
    assert_int_equal(s.left_exit, 1);
    s = fused_stats(
        RIG_KERNEL(LNL_LOAD WARP LATER("1") "setp.eq.u32 %p1,%r9,1;\n@%p1 exit;\n" REGION "ret;\n"),
        64, 0);
    assert_int_equal(s.left_exit, 1);
    assert_true(s.wait_partner > 100);
    /* it goes to a barrier first, which needs both */
    s = fused_stats(RIG_KERNEL(LNL_LOAD WARP LATER("1") "setp.eq.u32 %p1,%r9,1;\n@!%p1 bra A;\n"
                                                        "bar.sync 0;\nA:\n" REGION
                                                        "@%p1 bra B;\nbar.sync 0;\nB: ret;\n"),
                    64, 0);
    assert_int_equal(s.left_barrier, 1);
    assert_int_equal(s.fused_inst, 0);
    /* ... and is there when warp 0 comes */
    s = fused_stats(RIG_KERNEL(LNL_LOAD WARP LATER("0") "setp.eq.u32 %p1,%r9,1;\n@!%p1 bra A;\n"
                                                        "bar.sync 0;\nA:\n" REGION
                                                        "@%p1 bra B;\nbar.sync 0;\nB: ret;\n"),
                    64, 0);
    assert_int_equal(s.left_barrier, 1);
    /* its loads are not similar: it comes later, or was there before */
    s = fused_stats(RIG_KERNEL(LNL_LOAD WARP LATER("1") REGION "ret;\n"), 64, 2);
    assert_int_equal(s.left_precise, 1);
    s = fused_stats(RIG_KERNEL(LNL_LOAD WARP LATER("0") REGION LATER("1") "ret;\n"), 64, 2);
    assert_int_equal(s.left_past, 1);
    /* it is not there */
    s = fused_stats(RIG_KERNEL(LNL_LOAD WARP REGION "ret;\n"), 96, 0);
    assert_int_equal(s.fused_regions, 1);
    assert_int_equal(s.lone_inst, 2);
}

/* Two regions, of which warp 1 skips the first: it waits at the second, while warp 0 waits at the
 * first. */
static void warps_at_different_regions_do_not_wait_for_each_other(void **state)
{
    (void)state;
    const struct lnl_stats s = fused_stats(
        RIG_KERNEL(
            "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mad.wide.u32 %rd2,%r1,4,%rd1;\n"
            ".pragma \"lnl load H=0 uses=2\";\nld.global.f32 %f1,[%rd2];\n" WARP LATER(
                "0") "setp.eq.u32 %p1,%r9,1;\n@%p1 bra SECOND;\n" REGION "SECOND:\n" LNL_BEGIN_0
                     "add.f32 %f3,%f1,%f1;\nst.global.f32 [%rd2+2048],%f3;\n" LNL_END "ret;\n"),
        64, 0);
    assert_int_equal(s.left_elsewhere, 1);
    assert_int_equal(s.fused_inst, 2); /* warp 0 comes to the second */
}

/* One that spins until the other has done something: the bound ends the wait. */
static void waiting_has_a_bound(void **state)
{
    (void)state;
    struct lnl_rig b;
    lnl_rig_open(&b,
                 RIG_KERNEL(LNL_LOAD WARP
                            "setp.eq.u32 %p1,%r9,0;\n@%p1 bra A;\n"
                            "S: ld.volatile.shared.u32 %r2,[sh];\nsetp.eq.u32 %p2,%r2,0;\n"
                            "@%p2 bra S;\nA:\n" REGION
                            "mov.u32 %r3,1; st.shared.u32 [sh],%r3;\n" LATER("0") "ret;\n"),
                 one, "lnl");
    b.cfg.fuse_wait = 500;
    fill(b.r, 0);
    const struct lnl_stats s = *lnl_rig_run(&b, 1, 64);
    assert_int_equal(s.left_timeout, 1);
    assert_true(s.wait_partner >= 500 && s.wait_partner < 520);
    assert_int_equal(s.left_past, 1);
    lnl_rig_close(&b);
}

/* A barrier that one of a pair reaches alone: it is left there, the other goes on. */
static void a_barrier_of_one_parts_the_pair(void **state)
{
    (void)state;
    const struct lnl_stats s = fused_stats(
        RIG_KERNEL(LNL_LOAD WARP "setp.eq.u32 %p1,%r9,1;\n" LNL_BEGIN_0
                                 "add.f32 %f2,%f1,%f1;\n@%p1 bra A;\nbar.sync 1,64;\nbra B;\n"
                                 "A: add.f32 %f2,%f2,%f1;\nbar.sync 1,64;\n"
                                 "B: st.global.f32 [%rd2+1024],%f2;\n" LNL_END "ret;\n"),
        64, 0);
    assert_int_equal(s.unfused, 1);
    assert_int_equal(s.fused_inst, 2);
}

/* Pairs are shared out among the schedulers. */
static void pairs_belong_to_schedulers_in_turn(void **state)
{
    (void)state;
    struct lnl_rig b;
    static const char *const two[] = {"sm.schedulers=2", "sm.ibuffer=4", NULL};
    lnl_rig_open(&b, RIG_KERNEL(LNL_LOAD LNL_BEGIN_0 TEN LNL_END "ret;\n"), two, "lnl");
    fill(b.r, 0);
    const struct lnl_stats s = *lnl_rig_run(&b, 1, 128);
    assert_int_equal(s.fused_inst, 20);
    /* of two that go together the leader is noted first */
    uint32_t leaders = 0;
    for (uint32_t i = 0; i + 1 < b.r->nissues; i++)
        if (b.r->issues[i].pc == 13 && b.r->issues[i + 1].pc == 13 &&
            (b.r->issues[i].slot ^ b.r->issues[i + 1].slot) == 1 &&
            b.r->issues[i].cycle == b.r->issues[i + 1].cycle)
            leaders |= 1u << b.r->issues[i].slot;
    assert_int_equal(leaders, 1 | 8);
    lnl_rig_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_warps_issue_as_one),
        cmocka_unit_test(memory_and_barriers_are_joint),
        cmocka_unit_test(precise_instructions_take_two_passes),
        cmocka_unit_test(each_warp_executes_its_own_side),
        cmocka_unit_test(warps_part_in_every_way),
        cmocka_unit_test(nobody_waits_for_a_warp_that_cannot_come),
        cmocka_unit_test(warps_at_different_regions_do_not_wait_for_each_other),
        cmocka_unit_test(waiting_has_a_bound),
        cmocka_unit_test(a_barrier_of_one_parts_the_pair),
        cmocka_unit_test(pairs_belong_to_schedulers_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
