/* Whose turn it is: blocks that wait for others give way, and races between warps of a block end as
 * where all warps run side by side. */
#include "fixture.h"

/* Thread 0 of every block announces itself and waits until all blocks have; %rd1: the counter. */
#define BARRIER(again)                                                \
    "mov.u32 %r2,%nctaid.x; setp.ne.u32 %p1,%r1,0;\n@%p1 bra MEET;\n" \
    "atom.global.add.u32 %r3,[%rd1],1;\n"                             \
    "SPIN: " again " setp.lt.u32 %p2,%r4,%r2;\n@%p2 bra SPIN;\n"      \
    "MEET: bar.sync 0; red.global.add.u32 [%rd1+4],1;\n"

static void expect_cheap_barrier(const char *text, uint32_t blocks)
{
    struct fixture f;
    fixture_open(&f, text, 64);
    f.max_inst = 1000000;
    fixture_run(&f, blocks, 64, 0);
    assert_int_equal(f.words[0], blocks);
    assert_int_equal(f.words[1], blocks * 64);
    fixture_close(&f);
}

static void blocks_at_a_software_barrier_give_way_at_once(void **state)
{
    (void)state;
    expect_cheap_barrier(PTX_KERNEL(BARRIER("ld.volatile.global.u32 %r4,[%rd1];")), 132);
    expect_cheap_barrier(PTX_KERNEL(BARRIER("ld.global.cg.u32 %r4,[%rd1]; membar.cta;")), 132);
    expect_cheap_barrier(PTX_KERNEL(BARRIER("atom.global.add.u32 %r4,[%rd1],0;")), 132);
    expect_cheap_barrier(PTX_KERNEL(BARRIER("ld.acquire.gpu.global.u32 %r4,[%rd1];")), 1056);
}

/* A loop of several branches, with calls of nothing in between. */
static void a_waiting_loop_may_branch(void **state)
{
    (void)state;
    expect_cheap_barrier(
        PTX_KERNEL(BARRIER("ld.volatile.global.u32 %r4,[%rd1]; and.b32 %r5,%r4,1;\n"
                           "setp.eq.u32 %p3,%r5,0;\n@%p3 bra EVEN; mov.u32 %r6,1; bra NEXT;\n"
                           "EVEN: mov.u32 %r6,2; NEXT: nanosleep.u32 20;")),
        132);
}

/* Ten barriers one after the other. */
static void many_barriers_stay_cheap(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_KERNEL("mov.u32 %r2,%nctaid.x; mov.u32 %r5,%r2; mov.u32 %r6,0;\n"
                            "LOOP: setp.ne.u32 %p1,%r1,0;\n@%p1 bra MEET;\n"
                            "atom.global.add.u32 %r3,[%rd1],1;\n"
                            "SPIN: ld.volatile.global.u32 %r4,[%rd1]; setp.lt.u32 %p2,%r4,%r5;\n"
                            "@%p2 bra SPIN;\n"
                            "MEET: bar.sync 0; add.u32 %r5,%r5,%r2; add.u32 %r6,%r6,1;\n"
                            "setp.lt.u32 %p3,%r6,10;\n@%p3 bra LOOP;\n"),
                 64);
    f.max_inst = 1500000;
    fixture_run(&f, 132, 64, 0);
    assert_int_equal(f.words[0], 1320);
    fixture_close(&f);
}

/* Block 0 lets all go on when all have come; each then clears the sum, and a little later adds to
 * it: worklists that are emptied behind a barrier do so. */
static void blocks_leave_a_software_barrier_side_by_side(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_KERNEL("mov.u32 %r2,%nctaid.x; mov.u32 %r3,%ctaid.x; mov.u32 %r6,0;\n"
                            "setp.ne.u32 %p1,%r1,0; setp.ne.u32 %p2,%r3,0;\n@%p1 bra MEET;\n"
                            "red.global.add.u32 [%rd1],1;\n@%p2 bra WAIT;\n"
                            "ALL: ld.volatile.global.u32 %r4,[%rd1]; setp.lt.u32 %p3,%r4,%r2;\n"
                            "@%p3 bra ALL; st.volatile.global.u32 [%rd1+4],1;\n"
                            "WAIT: ld.volatile.global.u32 %r4,[%rd1+4]; setp.eq.u32 %p3,%r4,0;\n"
                            "@%p3 bra WAIT;\n"
                            "MEET: bar.sync 0; st.global.u32 [%rd1+8],0;\n"
                            "WORK: bar.sync 0; add.u32 %r6,%r6,1; setp.lt.u32 %p4,%r6,10;\n"
                            "@%p4 bra WORK; red.global.add.u32 [%rd1+8],1;\n"),
                 64);
    fixture_run(&f, 132, 64, 0);
    assert_int_equal(f.words[2], 132 * 64);
    fixture_close(&f);
}

/* Blocks of a few instructions each end, and step over the limit, within their turns. */
static void a_limit_of_instructions_stops_grids_of_small_blocks(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, PTX_KERNEL("red.global.add.u32 [%rd1],1;\n"), 64);
    f.max_inst = 1001;
    assert_false(fixture_launch(&f, 10000, 64, 0));
    assert_non_null(strstr(f.err.msg, "(the limit is 1001)"));
    assert_in_range(f.words[0], 1, 64 * 1001);
    fixture_close(&f);
}

/* The limit falls into the last turn of the last block: nothing is left to run and nothing to stop.
 */
static void a_block_whose_warps_end_as_the_limit_is_reached_has_ended(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_KERNEL("mov.u32 %r2,0;\n"
                            "L: st.global.u32 [%rd1],%r2; add.u32 %r2,%r2,1;\n"
                            "setp.lt.u32 %p1,%r2,1000;\n@%p1 bra L;\n"),
                 64);
    f.max_inst = 15990;
    fixture_run(&f, 2, 40, 0);
    assert_int_equal(f.words[0], 999);
    fixture_close(&f);
}

/* --- races --- */

/* Runs one block of 8 warps; the first `count` words must be `n`. */
static void expect_words(const char *text, uint32_t shared_bytes, unsigned count, uint32_t n)
{
    struct fixture f;
    fixture_open(&f, text, 2048);
    fixture_run(&f, 1, 256, shared_bytes);
    for (unsigned k = 0; k < count; k++)
        assert_int_equal(f.words[k], n);
    fixture_close(&f);
}

/* Every warp of the block does the same: words[l] += 1, n times. */
static void expect_lanes(const char *text, uint32_t n)
{
    expect_words(text, 0, 32, n);
}

#define LANE_WORD "and.b32 %r2,%r1,31; mul.wide.u32 %rd2,%r2,4; add.u64 %rd3,%rd1,%rd2;\n"

static void warps_that_add_to_the_same_place_all_read_first(void **state)
{
    (void)state;
    expect_lanes(PTX_KERNEL(LANE_WORD "ld.global.u32 %r3,[%rd3]; add.u32 %r3,%r3,1;\n"
                                      "st.global.u32 [%rd3],%r3;\n"),
                 1);
}

static void a_loop_reads_first_every_time(void **state)
{
    (void)state;
    expect_lanes(PTX_KERNEL(LANE_WORD "mov.u32 %r4,0;\n"
                                      "LOOP: ld.global.u32 %r3,[%rd3]; add.u32 %r3,%r3,1;\n"
                                      "st.global.u32 [%rd3],%r3; add.u32 %r4,%r4,1;\n"
                                      "setp.lt.u32 %p1,%r4,3000;\n@%p1 bra LOOP;\n"),
                 3000);
}

/* The value stays in a register and every step is stored, as compilers make it of x[i] += ... */
static void a_sum_kept_in_a_register_is_read_once(void **state)
{
    (void)state;
    expect_lanes(PTX_KERNEL(LANE_WORD "mov.u32 %r4,0; ld.global.u32 %r3,[%rd3];\n"
                                      "LOOP: add.u32 %r3,%r3,2; st.global.u32 [%rd3],%r3;\n"
                                      "add.u32 %r4,%r4,1; setp.lt.u32 %p1,%r4,3000;\n"
                                      "@%p1 bra LOOP;\n"),
                 6000);
}

/* Every warp adds to a word of its own so many times, then all add 1 to those of the first. */
#define OWN_THEN_ALL(times)                                                         \
    PTX_KERNEL(LANE_WORD "mul.wide.u32 %rd4,%r1,4; add.u64 %rd4,%rd4,%rd1;\n"       \
                         "mov.u32 %r4,0;\n"                                         \
                         "LOOP: ld.global.u32 %r3,[%rd4+128]; add.u32 %r3,%r3,1;\n" \
                         "st.global.u32 [%rd4+128],%r3; add.u32 %r4,%r4,1;\n"       \
                         "setp.lt.u32 %p1,%r4," #times ";\n@%p1 bra LOOP;\n"        \
                         "ld.global.u32 %r3,[%rd3]; add.u32 %r3,%r3,1;\n"           \
                         "st.global.u32 [%rd3],%r3;\n")

static void a_race_behind_some_hundred_reads_without_one_is_seen(void **state)
{
    (void)state;
    expect_lanes(OWN_THEN_ALL(1000), 1);
}

static void nobody_looks_for_races_any_more_behind_a_thousand_reads(void **state)
{
    (void)state;
    expect_lanes(OWN_THEN_ALL(1100), 8);
}

/* Every thread has a word of its own; many blocks, so that nobody watches the last of them. */
static void without_a_race_nothing_changes(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(
        &f,
        PTX_KERNEL("mov.u32 %r2,%ctaid.x; mov.u32 %r3,%ntid.x; mad.lo.u32 %r4,%r2,%r3,%r1;\n"
                   "mul.wide.u32 %rd2,%r4,4; add.u64 %rd3,%rd1,%rd2; mov.u32 %r6,0;\n"
                   "LOOP: ld.global.u32 %r5,[%rd3]; add.u32 %r5,%r5,%r4;\n"
                   "st.global.u32 [%rd3],%r5; add.u32 %r6,%r6,1; setp.lt.u32 %p1,%r6,9;\n"
                   "@%p1 bra LOOP;\n"),
        1 << 16);
    fixture_run(&f, 40, 128, 0);
    for (unsigned t = 0; t < 40 * 128; t++)
        assert_int_equal(f.words[t], 9 * t);
    fixture_close(&f);
}

/* --- shared memory without barriers --- */

/* Every thread's word must be `n`. */
static void expect_all(const char *text, uint32_t n)
{
    expect_words(text, 4096, 256, n);
}

#define SHARED    "mul.wide.u32 %rd2,%r1,4; add.u64 %rd3,%rd1,%rd2; shl.b32 %r2,%r1,2;\n"
#define DYNAMIC   PTX_HEAD ".extern .shared .align 4 .b8 s[];\n"
#define KERNEL(b) DYNAMIC PTX_KERNEL_BODY(b)

/* Thread 0 announces a value, all read it, and the next value is written with no barrier between:
 * what block-wide reductions that return shared[0] come to. */
static void behind_a_barrier_all_warps_read_before_one_writes(void **state)
{
    (void)state;
    expect_all(KERNEL(SHARED
                      "mov.u32 %r8,0; mov.u32 %r9,0; mov.u32 %r10,s; setp.ne.u32 %p1,%r1,0;\n"
                      "NEXT: add.u32 %r8,%r8,1;\n@%p1 bra WAIT;\n st.shared.u32 [%r10],%r8;\n"
                      "WAIT: bar.sync 0; ld.shared.u32 %r3,[s]; add.u32 %r9,%r9,%r3;\n"
                      "setp.lt.u32 %p2,%r8,10;\n@%p2 bra NEXT;\n"
                      "st.global.u32 [%rd3],%r9;\n"),
               55);
}

/* Each thread clears words of all others before they count in them. */
static void a_block_clears_shared_memory_before_it_counts_there(void **state)
{
    (void)state;
    expect_all(KERNEL(SHARED "xor.b32 %r3,%r1,255; shl.b32 %r3,%r3,2; mov.u32 %r4,s;\n"
                             "add.u32 %r3,%r3,%r4; add.u32 %r2,%r2,%r4; mov.u32 %r5,0;\n"
                             "CLEAR: st.shared.u32 [%r3],0; add.u32 %r5,%r5,1;\n"
                             "setp.lt.u32 %p1,%r5,20;\n@%p1 bra CLEAR;\n"
                             "red.shared.add.u32 [%r2],7; bar.sync 0;\n"
                             "ld.shared.u32 %r6,[%r2]; st.global.u32 [%rd3],%r6;\n"),
               7);
}

/* A tile of 256 words and 16 that stay are read from end to end, which takes some ten thousand
 * instructions; each warp replaces its part of the tile as soon as it is through. */
static void warps_stay_together_over_a_long_loop(void **state)
{
    (void)state;
    expect_all(KERNEL(SHARED
                      "mov.u32 %r4,s; add.u32 %r2,%r2,%r4; mov.u32 %r7,0;\n"
                      "st.shared.u32 [%r2],1; bar.sync 0; mov.u32 %r5,%r4; add.u32 %r6,%r4,1088;\n"
                      "TILE: ld.shared.u32 %r3,[%r5]; add.u32 %r7,%r7,%r3; mov.u32 %r8,0;\n"
                      "WORK: add.u32 %r8,%r8,1; setp.lt.u32 %p1,%r8,20;\n@%p1 bra WORK;\n"
                      "add.u32 %r5,%r5,4; setp.lt.u32 %p2,%r5,%r6;\n@%p2 bra TILE;\n"
                      "st.shared.u32 [%r2],1000; bar.sync 0; st.global.u32 [%rd3],%r7;\n"),
               256);
}

/* Lane 0 works for so long that the others of its warp go on to the barrier without it. */
static void a_warp_is_whole_again_behind_a_barrier(void **state)
{
    (void)state;
    expect_all(KERNEL(SHARED "mov.u32 %r3,0; and.b32 %r4,%r1,31; setp.ne.u32 %p1,%r4,0;\n"
                             "@%p1 bra MEET;\n"
                             "WORK: add.u32 %r3,%r3,1; setp.lt.u32 %p2,%r3,20000;\n@%p2 bra WORK;\n"
                             "MEET: bar.sync 0; activemask.b32 %r5; st.global.u32 [%rd3],%r5;\n"),
               UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_at_a_software_barrier_give_way_at_once),
        cmocka_unit_test(a_waiting_loop_may_branch),
        cmocka_unit_test(many_barriers_stay_cheap),
        cmocka_unit_test(blocks_leave_a_software_barrier_side_by_side),
        cmocka_unit_test(a_limit_of_instructions_stops_grids_of_small_blocks),
        cmocka_unit_test(a_block_whose_warps_end_as_the_limit_is_reached_has_ended),
        cmocka_unit_test(warps_that_add_to_the_same_place_all_read_first),
        cmocka_unit_test(a_loop_reads_first_every_time),
        cmocka_unit_test(a_sum_kept_in_a_register_is_read_once),
        cmocka_unit_test(a_race_behind_some_hundred_reads_without_one_is_seen),
        cmocka_unit_test(nobody_looks_for_races_any_more_behind_a_thousand_reads),
        cmocka_unit_test(without_a_race_nothing_changes),
        cmocka_unit_test(behind_a_barrier_all_warps_read_before_one_writes),
        cmocka_unit_test(a_block_clears_shared_memory_before_it_counts_there),
        cmocka_unit_test(warps_stay_together_over_a_long_loop),
        cmocka_unit_test(a_warp_is_whole_again_behind_a_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
