/* Groups of a warp: every member mask is a group of its own, on one path or on several. */
#include "fixture.h"

#define OUT "mul.wide.u32 %rd2,%r1,4; add.u64 %rd3,%rd1,%rd2;\n"
/* %r5: the lanes of the same parity; %p1: lanes that are odd */
#define PARITY "and.b32 %r4,%r1,1; setp.ne.u32 %p1,%r4,0; selp.b32 %r5,0xaaaaaaaa,0x55555555,%p1;\n"

static void run(struct fixture *f, const char *text, uint32_t block)
{
    fixture_open(f, text, 1 << 16);
    fixture_run(f, 1, block, 0);
}

static void expect_words(const char *text, uint32_t even, uint32_t odd)
{
    struct fixture f;
    run(&f, text, 32);
    for (unsigned l = 0; l < 32; l++)
        if (f.words[l] != (l & 1 ? odd : even))
            fail_msg("lane %u: %x", l, f.words[l]);
    fixture_close(&f);
}

/* --- masks that differ by lane --- */

static void a_ballot_counts_the_lanes_of_its_own_mask(void **state)
{
    (void)state;
    expect_words(PTX_KERNEL(OUT PARITY "setp.lt.u32 %p2,%r1,8; vote.sync.ballot.b32 %r6,%p2,%r5;\n"
                                       "st.global.u32 [%rd3],%r6;\n"),
                 0x55, 0xaa);
}

static void all_any_and_uni_are_of_the_group(void **state)
{
    (void)state;
    /* the predicate is true in odd lanes, and in lane 2 */
    expect_words(PTX_KERNEL(OUT PARITY "setp.eq.u32 %p2,%r1,2; or.pred %p2,%p1,%p2;\n"
                                       "vote.sync.all.pred %p3,%p2,%r5; selp.u32 %r6,1,0,%p3;\n"
                                       "vote.sync.any.pred %p3,%p2,%r5; selp.u32 %r7,2,0,%p3;\n"
                                       "vote.sync.uni.pred %p3,%p2,%r5; selp.u32 %r8,4,0,%p3;\n"
                                       "or.b32 %r6,%r6,%r7; or.b32 %r6,%r6,%r8;\n"
                                       "st.global.u32 [%rd3],%r6;\n"),
                 2, 7);
}

static void a_reduction_adds_the_lanes_of_its_own_mask(void **state)
{
    (void)state;
    expect_words(PTX_KERNEL(OUT PARITY "redux.sync.add.u32 %r6,%r1,%r5;\n"
                                       "st.global.u32 [%rd3],%r6;\n"),
                 240, 256);
}

static void a_match_finds_equal_values_in_its_own_mask(void **state)
{
    (void)state;
    expect_words(PTX_KERNEL(OUT PARITY "shr.u32 %r6,%r1,31; match.any.sync.b32 %r7,%r6,%r5;\n"
                                       "match.all.sync.b32 %r8|%p2,%r6,%r5; xor.b32 %r9,%r7,%r8;\n"
                                       "@!%p2 mov.u32 %r7,7; add.u32 %r7,%r7,%r9;\n"
                                       "st.global.u32 [%rd3],%r7;\n"),
                 0x55555555, 0xaaaaaaaa);
}

static void each_group_elects_its_lowest_lane(void **state)
{
    (void)state;
    expect_words(PTX_KERNEL(OUT PARITY "elect.sync %r6|%p2,%r5; @%p2 add.u32 %r6,%r6,%r1;\n"
                                       "@%p2 sub.u32 %r6,%r6,%r1;\n"
                                       "st.global.u32 [%rd3],%r6;\n"),
                 0, 1);
}

/* As on an H200: lanes that execute a shfl together can read each other whatever they name, as long
 * as nobody has to wait; lanes of other paths they cannot. */
static void a_shuffle_reads_across_groups_that_execute_it_together(void **state)
{
    (void)state;
    expect_words(PTX_KERNEL(OUT PARITY "add.u32 %r6,%r1,100;\n"
                                       "shfl.sync.idx.b32 %r7,%r6,4,31,%r5;\n"
                                       "st.global.u32 [%rd3],%r7;\n"),
                 104, 104);
}

/* --- lanes on different paths --- */

#define PATHS(odd, even) "@%p1 bra ODD;\n" even "bra MEET;\nODD: " odd "MEET: "

static void lanes_on_two_paths_are_one_group(void **state)
{
    (void)state;
    expect_words(
        PTX_KERNEL(OUT PARITY "setp.lt.u32 %p2,%r1,4;\n" PATHS(
            "vote.sync.ballot.b32 %r6,%p2,-1; add.u32 %r6,%r6,1;\n",
            "vote.sync.ballot.b32 %r7,%p2,-1; add.u32 %r6,%r7,2;\n") "st.global.u32 [%rd3],%r6;\n"),
        0xf + 2, 0xf + 1);
}

static void a_value_comes_from_a_lane_on_the_other_path(void **state)
{
    (void)state;
    expect_words(
        PTX_KERNEL(OUT PARITY PATHS(
            "mov.u32 %r7,70; shfl.sync.bfly.b32 %r6,%r7,1,31,-1;\n",
            "mov.u32 %r8,80; shfl.sync.bfly.b32 %r6,%r8,1,31,-1;\n") "st.global.u32 [%rd3],%r6;\n"),
        70, 80);
}

static void each_path_names_its_own_source_lane(void **state)
{
    (void)state;
    expect_words(PTX_KERNEL(OUT PARITY PATHS(
                     "shfl.sync.idx.b32 %r6,%r1,4,31,-1;\n",
                     "shfl.sync.idx.b32 %r6,%r1,7,31,-1;\n") "st.global.u32 [%rd3],%r6;\n"),
                 7, 4);
}

static void paths_with_groups_of_their_own_do_not_wait(void **state)
{
    (void)state;
    expect_words(PTX_KERNEL(OUT PARITY PATHS(
                     "redux.sync.max.u32 %r6,%r1,%r5;\n",
                     "redux.sync.min.u32 %r6,%r1,%r5;\n") "st.global.u32 [%rd3],%r6;\n"),
                 0, 31);
}

static void a_shuffle_from_another_path_gives_zero(void **state)
{
    (void)state;
    expect_words(PTX_KERNEL(OUT PARITY PATHS(
                     "shfl.sync.idx.b32 %r6,%r1,5,31,%r5;\n",
                     "shfl.sync.idx.b32 %r6,%r1,5,31,%r5;\n") "st.global.u32 [%rd3],%r6;\n"),
                 0, 5);
}

static void lanes_meet_inside_a_function_called_from_two_places(void **state)
{
    (void)state;
    expect_words(
        PTX_HEAD
        ".func (.param .u32 r) sum(.param .u32 v)\n{ .reg .b32 %a<3>; ld.param.u32 %a1,[v];\n"
        "redux.sync.add.u32 %a2,%a1,-1; st.param.u32 [r],%a2; ret; }\n"
        ".visible .entry k(.param .u64 p)\n{ .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
        ".param .u32 r; .param .u32 v;\n"
        "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x;\n" OUT PARITY PATHS(
            "st.param.u32 [v],1; call (r),sum,(v); ld.param.u32 %r6,[r];\n",
            "st.param.u32 [v],100; call (r),sum,(v); ld.param.u32 %r6,[r]; neg.s32 "
            "%r6,%r6;\n") "st.global.u32 [%rd3],%r6; ret;\n}\n",
        (uint32_t)-1616, 1616);
}

static void groups_leave_a_loop_at_different_times(void **state)
{
    (void)state;
    /* even lanes go round twice, odd ones five times; each time the group adds its size */
    expect_words(PTX_KERNEL(OUT PARITY
                            "selp.u32 %r7,5,2,%p1; mov.u32 %r8,0; mov.u32 %r9,1;\n"
                            "LOOP: redux.sync.add.u32 %r6,%r9,%r5; add.u32 %r8,%r8,%r6;\n"
                            "sub.u32 %r7,%r7,1; setp.ne.u32 %p2,%r7,0; @%p2 bra LOOP;\n"
                            "st.global.u32 [%rd3],%r8;\n"),
                 32, 80);
}

/* A stack of splits in which the one that gives way is not next to the one that goes on. */
static void four_paths_meet_twice(void **state)
{
    (void)state;
    struct fixture f;
    run(&f,
        PTX_KERNEL(OUT "and.b32 %r4,%r1,1; setp.ne.u32 %p1,%r4,0; and.b32 %r4,%r1,2;\n"
                       "setp.ne.u32 %p2,%r4,0; mov.u32 %r9,0;\n"
                       "@%p1 bra B; @%p2 bra A2;\n"
                       "redux.sync.add.u32 %r6,1,-1; redux.sync.add.u32 %r7,1,-1; bra AM;\n"
                       "A2: redux.sync.add.u32 %r6,2,-1; redux.sync.add.u32 %r7,20,-1;\n"
                       "AM: add.u32 %r9,%r9,1000; bra M;\n"
                       "B: @%p2 bra B2;\n"
                       "redux.sync.add.u32 %r6,3,-1; redux.sync.add.u32 %r7,30,-1; bra BM;\n"
                       "B2: redux.sync.add.u32 %r6,4,-1; redux.sync.add.u32 %r7,40,-1;\n"
                       "BM: add.u32 %r9,%r9,1000;\n"
                       "M: add.u32 %r9,%r9,%r6; add.u32 %r9,%r9,%r7;\n"
                       "atom.global.add.u32 %r8,[%rd3],%r9;\n"),
        32);
    for (unsigned l = 0; l < 32; l++)
        assert_int_equal(f.words[l], 1000 + 8 * (1 + 2 + 3 + 4) + 8 * (1 + 20 + 30 + 40));
    fixture_close(&f);
}

/* --- lanes that are not there --- */

static void lanes_that_leave_are_waited_for_no_longer(void **state)
{
    (void)state;
    expect_words(PTX_KERNEL(OUT PARITY "@%p1 bra GONE;\n"
                                       "redux.sync.add.u32 %r6,%r1,-1; st.global.u32 [%rd3],%r6;\n"
                                       "ret; GONE: st.global.u32 [%rd3],5;\n"),
                 240, 5);
}

static void a_short_warp_is_a_whole_group(void **state)
{
    (void)state;
    struct fixture f;
    run(&f,
        PTX_KERNEL(OUT "setp.ge.u32 %p1,%r1,0; vote.sync.ballot.b32 %r2,%p1,-1;\n"
                       "shfl.sync.down.b32 %r3,%r2,16,31,-1; add.u32 %r2,%r2,%r3;\n"
                       "st.global.u32 [%rd3],%r2;\n"),
        20);
    for (unsigned l = 0; l < 20; l++)
        assert_int_equal(f.words[l], l < 4 ? 0xfffff * 2 : l < 16 ? 0xfffff : 0xfffff * 2);
    fixture_close(&f);
}

static void a_thread_outside_its_own_mask_is_an_error(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_KERNEL("setp.eq.u32 %p1,%r1,9; selp.b32 %r2,0xff,-1,%p1;\n"
                            "vote.sync.ballot.b32 %r3,%p1,%r2;\n"),
                 64);
    fixture_expect_fault(&f, 32, FAULT_ILLEGAL_INSTRUCTION,
                         (const char *[]){"test.ptx:", "vote.sync.ballot.b32", "thread (9,0,0)",
                                          "member mask 0xff", NULL});
    fixture_close(&f);
}

/* Half of the warp is elsewhere: an H200 minds though the group has nobody to wait for. */
static void a_thread_outside_its_own_mask_on_one_path_is_an_error(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_KERNEL("setp.ge.u32 %p1,%r1,16; @%p1 bra J;\n"
                            "vote.sync.ballot.b32 %r3,%p1,0xfe;\nJ:\n"),
                 64);
    fixture_expect_fault(
        &f, 32, FAULT_ILLEGAL_INSTRUCTION,
        (const char *[]){"vote.sync.ballot.b32", "thread (0,0,0)", "member mask 0xfe", NULL});
    fixture_close(&f);
}

/* What an H200 does with a mask that leaves out lanes which execute it with the others. */
static void a_mask_that_nobody_waits_for_may_leave_lanes_out(void **state)
{
    (void)state;
    expect_words(PTX_KERNEL(OUT "redux.sync.add.u32 %r6,%r1,0xfffe; st.global.u32 [%rd3],%r6;\n"),
                 496, 496);
}

static void expect_deadlock(const char *text, const char *place)
{
    struct fixture f;
    fixture_open(&f, text, 64);
    fixture_expect_fault(&f, 32, FAULT_LAUNCH_TIMEOUT,
                         (const char *[]){"deadlock", "test.ptx:", place, NULL});
    fixture_close(&f);
}

/* An H200 hangs. */
static void members_that_cannot_come_are_a_deadlock(void **state)
{
    (void)state;
    expect_deadlock(PTX_KERNEL(PARITY PATHS("vote.sync.any.pred %p2,%p1,-1;\n",
                                            "redux.sync.add.u32 %r6,%r1,-1;\n")),
                    "lanes 0x");
    expect_deadlock(PTX_KERNEL(PARITY "@%p1 bra SKIP;\nvote.sync.any.pred %p2,%p1,-1;\n"
                                      "SKIP: bar.sync 0;\n"),
                    "vote.sync.any.pred");
}

/* Lanes that do not take part go ahead, and their next operation of the kind is the one awaited. */
static void lanes_that_go_ahead_meet_at_a_later_instruction(void **state)
{
    (void)state;
    /* all: 16 + 16 * 100; then the even ones alone */
    expect_words(PTX_KERNEL(OUT PARITY "mov.u32 %r6,0; mov.u32 %r7,100;\n@%p1 bra SKIP;\n"
                                       "redux.sync.add.u32 %r6,1,-1;\n"
                                       "SKIP: redux.sync.add.u32 %r8,%r7,-1; add.u32 %r6,%r6,%r8;\n"
                                       "st.global.u32 [%rd3],%r6;\n"),
                 1616 + 1600, 1616);
}

/* Registers that a program never wrote are 0 in every block, not what another block left there. */
static void a_block_does_not_see_registers_of_the_one_before(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(
        &f,
        PTX_KERNEL("mov.u32 %r2,%ctaid.x; setp.ne.u32 %p1,%r2,0; mul.wide.u32 %rd2,%r2,4;\n"
                   "add.u64 %rd3,%rd1,%rd2; @%p1 bra READ; mov.u32 %r30,77;\n"
                   "READ: st.global.u32 [%rd3],%r30;\n"),
        64);
    fixture_run(&f, 3, 32, 0);
    assert_int_equal(f.words[0], 77);
    assert_int_equal(f.words[1], 0);
    assert_int_equal(f.words[2], 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ballot_counts_the_lanes_of_its_own_mask),
        cmocka_unit_test(all_any_and_uni_are_of_the_group),
        cmocka_unit_test(a_reduction_adds_the_lanes_of_its_own_mask),
        cmocka_unit_test(a_match_finds_equal_values_in_its_own_mask),
        cmocka_unit_test(each_group_elects_its_lowest_lane),
        cmocka_unit_test(a_shuffle_reads_across_groups_that_execute_it_together),
        cmocka_unit_test(a_shuffle_from_another_path_gives_zero),
        cmocka_unit_test(lanes_on_two_paths_are_one_group),
        cmocka_unit_test(a_value_comes_from_a_lane_on_the_other_path),
        cmocka_unit_test(each_path_names_its_own_source_lane),
        cmocka_unit_test(paths_with_groups_of_their_own_do_not_wait),
        cmocka_unit_test(lanes_meet_inside_a_function_called_from_two_places),
        cmocka_unit_test(groups_leave_a_loop_at_different_times),
        cmocka_unit_test(four_paths_meet_twice),
        cmocka_unit_test(lanes_that_leave_are_waited_for_no_longer),
        cmocka_unit_test(a_short_warp_is_a_whole_group),
        cmocka_unit_test(a_thread_outside_its_own_mask_is_an_error),
        cmocka_unit_test(a_thread_outside_its_own_mask_on_one_path_is_an_error),
        cmocka_unit_test(a_mask_that_nobody_waits_for_may_leave_lanes_out),
        cmocka_unit_test(members_that_cannot_come_are_a_deadlock),
        cmocka_unit_test(lanes_that_go_ahead_meet_at_a_later_instruction),
        cmocka_unit_test(a_block_does_not_see_registers_of_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
