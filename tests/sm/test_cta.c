/* Blocks on an SM: limits, slots, barriers, exits; and divergence in time. */
#include "support_sm_rig.h"

/* --- limits --- */

static const struct limit {
    const char *what, *set;
    uint32_t block, registers, shared, blocks;
} limits[] = {
    {"blocks", NULL, 32, 1, 0, 8},
    {"fewer blocks", "sm.ctas=3", 32, 1, 0, 3},
    {"threads", NULL, 512, 1, 0, 3},
    {"threads, in whole warps", NULL, 500, 1, 0, 3},
    {"fewer threads", "sm.threads=1024", 512, 1, 0, 2},
    {"warps", "sm.warps=24", 256, 1, 0, 3},
    {"registers", NULL, 256, 32, 0, 4},
    {"registers, one too many", NULL, 256, 33, 0, 3},
    {"registers in units of a warp", "sm.register_unit=512", 256, 33, 0, 2},
    {"shared memory", NULL, 32, 1, 16384, 3},
    {"shared memory, one byte too many", NULL, 32, 1, 16385, 2},
};

static void blocks_that_fit(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        const struct limit *l = &limits[i];
        const char *const sets[] = {l->set, NULL};
        struct sm_rig *r = sm_rig_new(PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .u32 "
                                               "%r<3>; mov.u32 %r1,1; ret;\n}\n",
                                      sets);
        r->registers = l->registers;
        r->shared = l->shared;
        r->f.dev->block_shared_bytes = 49152;
        sm_rig_run(r, 12, l->block);
        if (r->most_ctas != l->blocks)
            fail_msg("%s: %u blocks at once, not %u", l->what, r->most_ctas, l->blocks);
        assert_int_equal(r->stats.ctas, 12);
        struct launch launch = {.kernel = r->kernel,
                                .grid = {12, 1, 1},
                                .block = {l->block, 1, 1},
                                .dynamic_shared_bytes = l->shared};
        struct grid root;
        grid_init(&root, r->f.dev, &launch);
        struct sm_kernel k = {&root, NULL, l->registers};
        assert_int_equal(sm_capacity(&r->cfg, &k, 0), l->blocks);
        sm_rig_free(r);
    }
}

static void a_block_that_never_fits(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("ret;\n"), NULL);
    struct launch launch = {.kernel = r->kernel, .grid = {1, 1, 1}, .block = {1024, 1, 1}};
    struct grid root;
    grid_init(&root, r->f.dev, &launch);
    struct sm_kernel k = {&root, NULL, 33};
    assert_int_equal(sm_capacity(&r->cfg, &k, 0), 0);
    assert_int_equal(sm_capacity(&r->cfg, &(struct sm_kernel){&root, NULL, 32}, 0), 1);
    /* a technique's registers count */
    assert_int_equal(sm_capacity(&r->cfg, &(struct sm_kernel){&root, NULL, 32}, 1), 0);
    sm_rig_free(r);
}

/* Slots come back warp by warp, the block's threads and registers only when all have ended. */
static void a_block_leaves_as_a_whole(void **state)
{
    (void)state;
    static const char *const sets[] = {"sm.threads=64", "sm.warps=4", NULL};
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("mov.u32 %r1,%tid.x; setp.lt.u32 %p1,%r1,32;\n"
                                             "@%p1 ret; sin.approx.f32 %f1,%f1;\n"
                                             "sin.approx.f32 %f1,%f1; sin.approx.f32 %f1,%f1; "
                                             "ret;\n"),
                                  sets);
    sm_rig_run(r, 2, 64);
    assert_int_equal(r->most_ctas, 1);
    /* slots 0 and 1 again, once both are free */
    assert_int_equal(rig_count(r, 0, 0), 2);
    assert_int_equal(rig_count(r, 1, 0), 2);
    assert_true(rig_nth(r, 0, 0, 1) > rig_nth(r, 1, 6, 0));
    sm_rig_free(r);
}

/* A block that is to begin later does nothing before, though the SM is busy. */
static void a_block_begins_in_its_cycle(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("mov.u32 %r1,1; ret;\n"), NULL);
    r->memory = 10;
    r->stagger = 50;
    sm_rig_run(r, 3, 32);
    /* fetched at 0: lookup and request at 1, back at 11, issue at 12 */
    assert_int_equal(rig_nth(r, 0, 0, 0), 12);
    assert_int_equal(rig_nth(r, 1, 0, 0), 50 + 2);
    assert_int_equal(rig_nth(r, 2, 0, 0), 100 + 2);
    sm_rig_free(r);
}

/* --- barriers --- */

/* Slot 1 arrives last, at t: it goes on at t + 1, and slot 0, which the same scheduler picks next,
 * behind it. */
static void a_barrier_opens_for_the_last(void **state)
{
    (void)state;
    static const char *const sets[] = {"sm.schedulers=1", "sm.ibuffer=4", NULL};
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("bar.sync 0; mov.u32 %r1,1; mov.u32 %r2,1; mov.u32 %r3,1; ret;\n"), sets);
    sm_rig_run(r, 1, 64);
    cycle_t last = rig_nth(r, 1, 0, 0);
    assert_int_equal(last, rig_nth(r, 0, 0, 0) + 1);
    assert_int_equal(rig_nth(r, 1, 1, 0), last + 1);
    assert_int_equal(rig_nth(r, 1, 2, 0), last + 2);
    assert_int_equal(rig_nth(r, 1, 3, 0), last + 3);
    assert_int_equal(rig_nth(r, 0, 1, 0), last + 4);
    assert_int_equal(r->stats.barrier_inst, 2);
    sm_rig_free(r);
}

/* Warp 0 divides (145 cycles) before it comes: nobody passes earlier. */
static void all_wait_for_the_slowest(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,%tid.x; setp.ge.u32 %p1,%r1,32;\n@%p1 bra L; div.u32 %r2,%r1,3;\n"
                   "add.u32 %r2,%r2,1; L: bar.sync 0; mov.u32 %r3,1; ret;\n"),
        NULL);
    sm_rig_run(r, 1, 256);
    cycle_t came = rig_nth(r, 0, 5, 0);
    for (uint32_t w = 0; w < 8; w++) {
        assert_true(rig_nth(r, w, 5, 0) <= came);
        assert_true(rig_nth(r, w, 6, 0) >= came && rig_nth(r, w, 6, 0) <= came + 8);
    }
    sm_rig_free(r);
}

/* A barrier for 64 of 96 threads: warps 0 and 1 pass, warp 2 never comes. */
static void a_barrier_of_some_warps(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,%tid.x; setp.ge.u32 %p1,%r1,64;\n@%p1 bra L; bar.sync 1,64;\n"
                   "L: mov.u32 %r2,1; ret;\n"),
        NULL);
    sm_rig_run(r, 1, 96);
    cycle_t a = rig_nth(r, 0, 3, 0), b = rig_nth(r, 1, 3, 0), last = a > b ? a : b;
    assert_true(rig_nth(r, 0, 4, 0) >= last && rig_nth(r, 1, 4, 0) >= last);
    assert_int_equal(rig_count(r, 2, 3), 0);
    sm_rig_free(r);
}

/* bar.arrive does not wait. */
static void arriving_is_not_waiting(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,%tid.x; setp.lt.u32 %p1,%r1,32;\n@%p1 bra P; div.u32 %r2,%r1,3;\n"
                   "add.u32 %r2,%r2,1; bar.sync 1,64; mov.u32 %r3,1; ret;\n"
                   "P: bar.arrive 1,64; mov.u32 %r4,1; ret;\n"),
        NULL);
    sm_rig_run(r, 1, 64);
    assert_true(rig_nth(r, 0, 9, 0) - rig_nth(r, 0, 8, 0) <= 2);
    assert_true(rig_nth(r, 1, 5, 0) > rig_nth(r, 0, 9, 0) + 100);
    sm_rig_free(r);
}

/* Warp 1 ends without coming: the barrier opens with its exit. */
static void exits_open_barriers(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,%tid.x; setp.lt.u32 %p1,%r1,32;\n@%p1 bra L; div.u32 %r2,%r1,3;\n"
                   "add.u32 %r2,%r2,1; ret; L: bar.sync 0; mov.u32 %r3,1; ret;\n"),
        NULL);
    sm_rig_run(r, 1, 64);
    cycle_t left = rig_nth(r, 1, 5, 0);
    assert_true(rig_nth(r, 0, 7, 0) >= left && rig_nth(r, 0, 7, 0) <= left + 1);
    sm_rig_free(r);
}

/* --- divergence --- */

static uint32_t mask_of(const struct sm_rig *r, uint32_t pc, uint32_t n)
{
    for (uint32_t i = 0; i < r->nissues; i++)
        if (r->issues[i].pc == pc && !n--)
            return r->issues[i].mask;
    fail_msg("instruction %u was not issued", pc);
    return 0;
}

/* Both sides run, one after the other, each with its lanes, then all together. */
static void both_sides_of_a_branch(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,%tid.x; setp.lt.u32 %p1,%r1,10;\n@%p1 bra T; mov.u32 %r2,1;\n"
                   "bra.uni J; T: mov.u32 %r3,1; J: mov.u32 %r4,1; ret;\n"),
        NULL);
    sm_rig_run(r, 1, 32);
    assert_int_equal(mask_of(r, 3, 0), 0xfffffc00);
    assert_int_equal(mask_of(r, 5, 0), 0x3ff);
    assert_int_equal(mask_of(r, 6, 0), 0xffffffff);
    assert_int_equal(r->nissues, 8);
    assert_true(rig_nth(r, 0, 6, 0) > rig_nth(r, 0, 3, 0));
    assert_true(rig_nth(r, 0, 6, 0) > rig_nth(r, 0, 5, 0));
    assert_int_equal(r->stats.thread_inst, 32 * 4 + 10 + 22 * 2 + 10);
    sm_rig_free(r);
}

/* A loop of as many turns as the lane's number: lane by lane they leave. */
static void a_loop_runs_for_its_longest_lane(void **state)
{
    (void)state;
    struct sm_rig *r =
        sm_rig_new(RIG_KERNEL("mov.u32 %r1,%tid.x; mov.u32 %r2,0; L: add.u32 %r2,%r2,1;\n"
                              "setp.lt.u32 %p1,%r2,%r1;\n@%p1 bra L; mov.u32 %r3,1; ret;\n"),
                   NULL);
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_count(r, 0, 2), 31);
    assert_int_equal(rig_count(r, 0, 5), 1);
    for (uint32_t n = 1; n < 31; n++)
        assert_int_equal(mask_of(r, 2, n), 0xffffffff << (n + 1));
    assert_int_equal(mask_of(r, 5, 0), 0xffffffff);
    sm_rig_free(r);
}

/* A last warp with 8 threads: 8 lanes. */
static void a_partial_warp(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("mov.u32 %r1,1; ret;\n"), NULL);
    sm_rig_run(r, 1, 40);
    assert_int_equal(r->stats.warp_inst, 4);
    assert_int_equal(r->stats.thread_inst, 2 * 32 + 2 * 8);
    sm_rig_free(r);
}

/* A call goes to another function's code and comes back; its registers are not the caller's. */
static void calls_and_returns(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        PTX_HEAD ".func (.reg .u32 out) twice (.reg .u32 in)\n{\n.reg .u32 %r<3>; add.u32 "
                 "%r1,in,in; mov.u32 out,%r1; ret;\n}\n"
                 ".visible .entry k(.param .u64 p)\n{\n.reg .u32 %r<4>; .reg .u64 %rd<3>;\n"
                 "mov.u32 %r1,21; call (%r2), twice, (%r1); ld.param.u64 %rd1,[p];\n"
                 "st.global.u32 [%rd1],%r2; ret;\n}\n",
        NULL);
    sm_rig_run(r, 1, 32);
    assert_int_equal(r->f.words[0], 42);
    assert_int_equal(r->nissues, 5 + 3);
    assert_int_equal(r->issues[2].pc, 1000);
    assert_int_equal(r->issues[4].pc, 1002);
    assert_int_equal(r->issues[5].pc, 2);
    sm_rig_free(r);
}

/* --- faults --- */

static void a_fault_stops_the_sm(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u64 %rd1,64; ld.global.u32 %r1,[%rd1]; add.u32 %r2,%r1,1; ret;\n"), NULL);
    assert_false(sm_rig_try(r, 1, 32));
    assert_int_equal(r->fault.code, FAULT_ILLEGAL_ADDRESS);
    assert_non_null(strstr(r->fault.msg, "outside every allocation"));
    assert_int_equal(rig_count(r, 0, 2), 0);
    sm_rig_free(r);
}

static void a_fault_at_the_meeting_point(void **state)
{
    (void)state;
    struct sm_rig *r =
        sm_rig_new(RIG_KERNEL("mov.u64 %rd1,64; atom.global.add.u32 %r1,[%rd1],1; ret;\n"), NULL);
    r->meet = 4;
    assert_false(sm_rig_try(r, 1, 32));
    assert_int_equal(r->fault.code, FAULT_ILLEGAL_ADDRESS);
    sm_rig_free(r);
}

/* --- meeting points --- */

/* An atomic is executed at the next meeting point; until then its warp issues nothing and the unit
 * holds it. Between meetings of 64 cycles it costs up to that much. */
static void deferred_until_the_meeting(void **state)
{
    (void)state;
    struct sm_rig *r =
        sm_rig_new(RIG_KERNEL("ld.param.u64 %rd1,[p]; atom.global.add.u32 %r1,[%rd1],"
                              "1; mov.u32 %r2,1; add.u32 %r3,%r1,1; ret;\n"),
                   NULL);
    r->meet = 64;
    sm_rig_run(r, 1, 32);
    cycle_t issued = rig_nth(r, 0, 1, 0), meeting = (issued / 64 + 1) * 64;
    assert_true(rig_nth(r, 0, 2, 0) >= meeting);
    assert_true(rig_nth(r, 0, 2, 0) <= meeting + 2);
    /* the unit sends it at the meeting, if it was there by then */
    assert_true(meeting > issued + 4);
    assert_int_equal(rig_nth(r, 0, 3, 0), meeting + 35 + 100 + 1);
    assert_int_equal(r->f.words[0], 32);
    sm_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_fit),
        cmocka_unit_test(a_block_that_never_fits),
        cmocka_unit_test(a_block_leaves_as_a_whole),
        cmocka_unit_test(a_block_begins_in_its_cycle),
        cmocka_unit_test(a_barrier_opens_for_the_last),
        cmocka_unit_test(all_wait_for_the_slowest),
        cmocka_unit_test(a_barrier_of_some_warps),
        cmocka_unit_test(arriving_is_not_waiting),
        cmocka_unit_test(exits_open_barriers),
        cmocka_unit_test(both_sides_of_a_branch),
        cmocka_unit_test(a_loop_runs_for_its_longest_lane),
        cmocka_unit_test(a_partial_warp),
        cmocka_unit_test(calls_and_returns),
        cmocka_unit_test(a_fault_stops_the_sm),
        cmocka_unit_test(a_fault_at_the_meeting_point),
        cmocka_unit_test(deferred_until_the_meeting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
