/* Fetch, decode and the instruction buffer, to the cycle. */
#include "support_sm_rig.h"

#define MOV4  "mov.u32 %r1,1; mov.u32 %r2,1; mov.u32 %r3,1; mov.u32 %r4,1;\n"
#define MOV16 MOV4 MOV4 MOV4 MOV4

/* Fetched at 0, asked for at the interconnect at 1 (the lookup's cycle), back 100 cycles later;
 * decoded then, issued a cycle later. */
static void the_first_instruction_waits_for_its_line(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("mov.u32 %r1,1; ret;\n"), NULL);
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_requests(r, MEM_INST), 1);
    assert_int_equal(rig_request(r, MEM_INST, 0)->cycle, 1);
    assert_int_equal(rig_nth(r, 0, 0, 0), 102);
    assert_int_equal(r->caches[SM_CACHE_INST].read_misses, 1);
    sm_rig_free(r);
}

/* Two a fetch; the next fetch leaves with the second, and takes a cycle to the buffer and one to
 * issue: 2 instructions every 3 cycles. */
static void one_warp_issues_two_of_three_cycles(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,1; mov.u32 %r2,1; mov.u32 %r3,1; mov.u32 %r4,1; mov.u32 %r5,1;\n"
                   "mov.u32 %r6,1; ret;\n"),
        NULL);
    sm_rig_run(r, 1, 32);
    static const int64_t at[] = {0, 1, 3, 4, 6, 7, 9};
    for (uint32_t i = 0; i < ARRAY_LEN(at); i++)
        assert_int_equal(rig_gap(r, 0, i), at[i]);
    sm_rig_free(r);
}

/* One fetch of two instructions a cycle feeds two schedulers: 48 warps issue two a cycle. */
static void one_fetch_a_cycle_feeds_two_schedulers(void **state)
{
    (void)state;
    static const char *const sets[] = {"sm.writeback_ports=8", NULL};
    struct sm_rig *r = sm_rig_new(RIG_KERNEL(MOV16 MOV16 "ret;\n"), sets);
    sm_rig_run(r, 1, 1536);
    assert_int_equal(r->stats.warp_inst, 48 * 33);
    cycle_t first = rig_nth(r, 0, 0, 0);
    uint32_t in_window = 0;
    for (uint32_t i = 0; i < r->nissues; i++)
        in_window += r->issues[i].cycle >= first + 100 && r->issues[i].cycle < first + 400;
    assert_int_equal(in_window, 600);
    sm_rig_free(r);
}

/* A branch taken from the middle of the buffer: what is behind it is thrown away in the next
 * cycle, the target is fetched in that cycle, and issues two cycles later. */
static void a_taken_branch_flushes_the_buffer(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("bra.uni L; mov.u32 %r1,1; mov.u32 %r2,1; mov.u32 %r3,1; L: ret;\n"), NULL);
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_gap(r, 0, 4), 3);
    assert_int_equal(r->stats.flushes, 1);
    assert_int_equal(rig_count(r, 0, 1), 0);
    sm_rig_free(r);
}

/* A branch that was the last of its buffer: the fetch straight on has left in the same cycle, comes
 * a cycle later and is thrown away in the next. */
static void a_branch_at_the_buffers_end_fetches_in_vain(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,1; bra.uni L; mov.u32 %r2,1; mov.u32 %r3,1; L: ret;\n"), NULL);
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_gap(r, 1, 4), 4);
    assert_int_equal(r->stats.flushes, 1);
    assert_int_equal(r->stats.fetches, 3);
    sm_rig_free(r);
}

static void a_branch_not_taken_costs_nothing(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("setp.eq.u32 %p1,0,1;\n@%p1 bra L; mov.u32 %r1,1; mov.u32 %r2,1; L: ret;\n"),
        NULL);
    sm_rig_run(r, 1, 32);
    assert_int_equal(r->stats.flushes, 0);
    assert_int_equal(rig_gap(r, 1, 2), 2);
    sm_rig_free(r);
}

/* A buffer is filled up to the line's end: 4 instructions of 8 bytes in lines of 32, an odd start.
 */
static void a_fetch_ends_at_its_line(void **state)
{
    (void)state;
    static const char *const sets[] = {"l1i.line_bytes=32", "l1i.size=1K", "sm.ibuffer=4", NULL};
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("bra.uni L; mov.u32 %r1,1; mov.u32 %r1,1; L: mov.u32 %r2,1; mov.u32 %r3,1;\n"
                   "mov.u32 %r4,1; mov.u32 %r5,1; mov.u32 %r6,1; ret;\n"),
        sets);
    r->memory = 20;
    sm_rig_run(r, 1, 32);
    /* instructions 0-3, 4-7 and 8 lie in a line each */
    assert_int_equal(rig_requests(r, MEM_INST), 3);
    assert_int_equal(rig_gap(r, 3, 4), 22);
    assert_int_equal(rig_gap(r, 4, 5), 1);
    assert_int_equal(rig_gap(r, 4, 7), 3);
    sm_rig_free(r);
}

/* Warps take turns at the instruction cache: their lines are there, one fetch a cycle. */
static void warps_fetch_in_turn(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("mov.u32 %r1,1; ret;\n"), NULL);
    sm_rig_run(r, 1, 128);
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(rig_nth(r, w, 0, 0), 102 + w);
    assert_int_equal(r->caches[SM_CACHE_INST].reads, 4);
    sm_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_instruction_waits_for_its_line),
        cmocka_unit_test(one_warp_issues_two_of_three_cycles),
        cmocka_unit_test(one_fetch_a_cycle_feeds_two_schedulers),
        cmocka_unit_test(a_taken_branch_flushes_the_buffer),
        cmocka_unit_test(a_branch_at_the_buffers_end_fetches_in_vain),
        cmocka_unit_test(a_branch_not_taken_costs_nothing),
        cmocka_unit_test(a_fetch_ends_at_its_line),
        cmocka_unit_test(warps_fetch_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
