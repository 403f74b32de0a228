/* Scoreboard, operand collectors, pipes and write-back, to the cycle.
 *
 * An instruction issued at t with n register sources is in a collector at t + 1, has read them at
 * t + 1 + n, stands before its pipe at t + 2 + n, enters it at t + 3 + n and writes back latency +
 * 2 cycles later; an instruction that waits for it issues in that cycle. */
#include "support_sm_rig.h"

enum { IADD = 4, MOV = 4, SFU = 8, SFU_EVERY = 8 };

static int64_t use_after(int64_t latency, int64_t sources)
{
    return latency + 5 + sources;
}

static int64_t gap_of(const char *ptx, const char *const *sets, uint32_t a, uint32_t b)
{
    struct sm_rig *r = sm_rig_new(ptx, sets);
    sm_rig_run(r, 1, 32);
    int64_t gap = rig_gap(r, a, b);
    sm_rig_free(r);
    return gap;
}

/* --- scoreboard --- */

static void a_reader_waits_for_the_writer(void **state)
{
    (void)state;
    assert_int_equal(gap_of(RIG_KERNEL("add.u32 %r2,%r1,1; add.u32 %r3,%r2,1; ret;\n"), NULL, 0, 1),
                     use_after(IADD, 1));
}

static void a_writer_waits_for_the_writer_before(void **state)
{
    (void)state;
    assert_int_equal(gap_of(RIG_KERNEL("mov.u32 %r2,1; mov.u32 %r2,2; ret;\n"), NULL, 0, 1),
                     use_after(MOV, 0));
}

/* Operands are read in order behind the reader: nothing waits. */
static void a_writer_does_not_wait_for_a_reader(void **state)
{
    (void)state;
    assert_int_equal(gap_of(RIG_KERNEL("add.u32 %r2,%r1,1; mov.u32 %r1,2; ret;\n"), NULL, 0, 1), 1);
}

static void an_instruction_waits_for_its_guard(void **state)
{
    (void)state;
    assert_int_equal(
        gap_of(RIG_KERNEL("setp.eq.u32 %p1,%r1,1;\n@%p1 mov.u32 %r2,1; ret;\n"), NULL, 0, 1),
        use_after(MOV, 1));
}

static void a_branch_waits_for_its_guard(void **state)
{
    (void)state;
    assert_int_equal(
        gap_of(RIG_KERNEL("setp.eq.u32 %p1,%r1,1;\n@%p1 bra L; mov.u32 %r2,1; L: ret;\n"), NULL, 0,
               1),
        use_after(MOV, 1));
}

static void a_second_result_is_waited_for_too(void **state)
{
    (void)state;
    assert_int_equal(
        gap_of(RIG_KERNEL("setp.eq.u32 %p1|%p2,%r1,1;\n@%p2 mov.u32 %r2,1; ret;\n"), NULL, 0, 1),
        use_after(MOV, 1));
}

static void other_warps_registers_do_not_matter(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("add.u32 %r2,%r1,1; add.u32 %r3,%r2,1; ret;\n"), NULL);
    sm_rig_run(r, 1, 64);
    for (uint32_t w = 0; w < 2; w++)
        assert_int_equal(rig_nth(r, w, 1, 0) - rig_nth(r, w, 0, 0), use_after(IADD, 1));
    assert_int_equal(rig_nth(r, 1, 0, 0) - rig_nth(r, 0, 0, 0), 1);
    sm_rig_free(r);
}

/* --- collectors --- */

static void n_operands_take_n_cycles(void **state)
{
    (void)state;
    const char *const k[] = {
        RIG_KERNEL("mov.u32 %r9,1; add.u32 %r10,%r9,1; ret;\n"),
        RIG_KERNEL("add.u32 %r9,%r1,1; add.u32 %r10,%r9,1; ret;\n"),
        RIG_KERNEL("add.u32 %r9,%r1,%r2; add.u32 %r10,%r9,1; ret;\n"),
    };
    for (int64_t n = 0; n < 3; n++)
        assert_int_equal(gap_of(k[n], NULL, 0, 1), use_after(IADD, n));
    assert_int_equal(
        gap_of(RIG_KERNEL("mad.lo.u32 %r9,%r1,%r2,%r3; add.u32 %r10,%r9,1; ret;\n"), NULL, 0, 1),
        use_after(5, 3));
}

/* One operand a cycle anyway: its own conflicts cost an instruction nothing. */
static void two_operands_of_one_instruction_in_one_bank(void **state)
{
    (void)state;
    assert_int_equal(
        gap_of(RIG_KERNEL("add.u32 %r9,%r1,%r17; add.u32 %r10,%r9,1; ret;\n"), NULL, 0, 1),
        use_after(IADD, 2));
}

/* Register r of warp slot s is in bank (r + s) % banks. With one bank two warps' reads take turns:
 * slot 1 issues one cycle later and its only operand waits until slot 0's three are read. */
static void operands_in_one_bank_wait_for_each_other(void **state)
{
    (void)state;
    static const char *const sets[] = {"sm.banks=1", NULL};
    struct sm_rig *r =
        sm_rig_new(RIG_KERNEL("mad.lo.u32 %r9,%r1,%r2,%r3; add.u32 %r10,%r9,1; ret;\n"), sets);
    sm_rig_run(r, 1, 64);
    assert_int_equal(rig_gap(r, 0, 1), use_after(5, 3));
    /* its operands are read at +5, +6, +7 after slot 0's issue instead of +3, +4, +5 */
    assert_int_equal(rig_nth(r, 1, 1, 0) - rig_nth(r, 1, 0, 0), use_after(5, 3) + 2);
    assert_true(r->stats.bank_conflicts > 0);
    sm_rig_free(r);
}

/* The result of instruction 0 is written at 9, in which cycle instruction 5 (issued at 7) would
 * read: from another bank it does, from that one a cycle later. */
static void a_write_goes_before_a_read(void **state)
{
    (void)state;
#define FILL "mov.u32 %r1,1; mov.u32 %r2,1; mov.u32 %r3,1; mov.u32 %r4,1; mov.u32 %r5,1;\n"
    assert_int_equal(
        gap_of(RIG_KERNEL(FILL "add.u32 %r30,%r24,1; add.u32 %r31,%r30,1; ret;\n"), NULL, 0, 6),
        7 + use_after(IADD, 1));
    assert_int_equal(
        gap_of(RIG_KERNEL(FILL "add.u32 %r30,%r17,1; add.u32 %r31,%r30,1; ret;\n"), NULL, 0, 6),
        7 + use_after(IADD, 1) + 1);
#undef FILL
}

/* With one collector the second instruction waits in the port until the first has left with its
 * three operands: 3 cycles later than with two. */
static void collectors_run_out(void **state)
{
    (void)state;
    static const char *const one[] = {"sm.sp_collectors=1", NULL};
    const char *ptx = RIG_KERNEL("mad.lo.u32 %r9,%r1,%r2,%r3; add.u32 %r10,%r4,1;\n"
                                 "add.u32 %r11,%r10,1; ret;\n");
    assert_int_equal(gap_of(ptx, NULL, 1, 2), use_after(IADD, 1));
    assert_int_equal(gap_of(ptx, one, 1, 2), use_after(IADD, 1) + 3);
}

/* One instruction in the pipe's entry, one in the collector, one in the port: with the pipe closed
 * the next warp's finds no room, and the issue slot is a compute stall. */
static void a_full_port_is_a_compute_stall(void **state)
{
    (void)state;
    static const char *const sets[] = {"sm.sfu_collectors=1", "sm.schedulers=1", NULL};
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("sin.approx.f32 %f1,%f2; ret;\n"), sets);
    sm_rig_run(r, 1, 256);
    assert_true(r->stats.issue_compute_stall > 0);
    assert_int_equal(r->stats.issue_memory_stall, 0);
    sm_rig_free(r);
}

/* --- pipes --- */

static void back_to_back_dependent_adds(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("add.u32 %r1,%r1,1; add.u32 %r1,%r1,1; add.u32 %r1,%r1,1; add.u32 %r1,%r1,1;\n"
                   "add.u32 %r1,%r1,1; ret;\n"),
        NULL);
    sm_rig_run(r, 1, 32);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(rig_gap(r, i, i + 1), use_after(IADD, 1));
    sm_rig_free(r);
}

static void latency_is_by_class(void **state)
{
    (void)state;
    static const struct {
        const char *ptx;
        int64_t latency, sources;
    } k[] = {
        {RIG_KERNEL("and.b32 %r2,%r1,1; mov.b32 %r3,%r2; ret;\n"), 4, 1},
        {RIG_KERNEL("min.s32 %r2,%r1,1; mov.b32 %r3,%r2; ret;\n"), 13, 1},
        {RIG_KERNEL("mul.lo.s32 %r2,%r1,%r4; mov.b32 %r3,%r2; ret;\n"), 4, 2},
        {RIG_KERNEL("div.s32 %r2,%r1,3; mov.b32 %r3,%r2; ret;\n"), 145, 1},
        {RIG_KERNEL("fma.rn.f32 %f2,%f1,%f1,%f1; mov.f32 %f3,%f2; ret;\n"), 5, 3},
        {RIG_KERNEL("div.rn.f32 %f2,%f1,%f4; mov.f32 %f3,%f2; ret;\n"), 39, 2},
        {RIG_KERNEL("sin.approx.f32 %f2,%f1; mov.f32 %f3,%f2; ret;\n"), 8, 1},
        {RIG_KERNEL("add.f64 %fd2,%fd1,%fd4; mov.f64 %fd3,%fd2; ret;\n"), 8, 2},
        {RIG_KERNEL("div.rn.f64 %fd2,%fd1,%fd4; mov.f64 %fd3,%fd2; ret;\n"), 330, 2},
        {RIG_KERNEL("shfl.sync.idx.b32 %r2,%r1,0,31,-1; mov.b32 %r3,%r2; ret;\n"), 32, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(k); i++)
        assert_int_equal(gap_of(k[i].ptx, NULL, 0, 1), use_after(k[i].latency, k[i].sources));
}

/* The second enters its pipe `initiation` cycles after the first. */
static void a_pipe_is_closed_for_its_initiation(void **state)
{
    (void)state;
    const char *ptx = RIG_KERNEL("sin.approx.f32 %f1,%f9; sin.approx.f32 %f2,%f9;\n"
                                 "mov.f32 %f3,%f2; ret;\n");
    assert_int_equal(gap_of(ptx, NULL, 0, 2), SFU_EVERY + use_after(SFU, 1));
    static const char *const two[] = {"sm.sfu_units=2", NULL};
    assert_int_equal(gap_of(ptx, two, 0, 2), 1 + use_after(SFU, 1));
}

static void integer_multiplies_share_two_pipes(void **state)
{
    (void)state;
    const char *ptx = RIG_KERNEL("mul.lo.u32 %r1,%r9,3; mul.lo.u32 %r2,%r9,3; mov.u32 %r3,%r2;\n"
                                 "ret;\n");
    static const char *const one[] = {"sm.sp_units=1", NULL};
    assert_int_equal(gap_of(ptx, NULL, 0, 2), 1 + use_after(4, 1));
    assert_int_equal(gap_of(ptx, one, 0, 2), 2 + use_after(4, 1));
}

/* A double is not held up by the special functions when it has a pipe of its own. */
static void doubles_can_have_their_own_pipe(void **state)
{
    (void)state;
    const char *ptx = RIG_KERNEL("sin.approx.f32 %f1,%f9; add.f64 %fd1,%fd2,%fd2;\n"
                                 "mov.f64 %fd3,%fd1; ret;\n");
    static const char *const own[] = {"sm.dp_units=1", NULL};
    assert_int_equal(gap_of(ptx, own, 1, 2), use_after(8, 2));
    /* the sine enters at 4, the double would at 6 and does at 12 */
    assert_int_equal(gap_of(ptx, NULL, 1, 2), use_after(8, 2) + 6);
}

/* --- write-back --- */

/* Results of latencies 4 + 1 and 5 + 0 meet in one cycle; with one port the second to enter
 * waits before its pipe. */
static void result_ports_run_out(void **state)
{
    (void)state;
    const char *ptx = RIG_KERNEL("mad.lo.u32 %r1,%r9,3,5; add.u32 %r2,%r9,1; mov.u32 %r3,%r2;\n"
                                 "ret;\n");
    static const char *const one[] = {"sm.writeback_ports=1", NULL};
    assert_int_equal(gap_of(ptx, NULL, 1, 2), use_after(4, 1));
    assert_int_equal(gap_of(ptx, one, 1, 2), use_after(4, 1) + 1);
}

/* A load's result waits while an arithmetic result is written to its bank; register r of slot s is
 * in bank (r + s) % banks of the slot's sub-core. */
static void two_writes_to_one_bank(void **state)
{
    (void)state;
    struct sm_cfg cfg;
    conf_defaults(sm_fields, sm_nfields, &cfg);
    cfg.subcores = 2;
    struct sm *sm = xalloc_aligned(64, sizeof *sm);
    memset(sm, 0, sizeof *sm);
    sm->cfg = &cfg;
    static const uint32_t low[] = {3}, high[] = {19, 20}, other[] = {4};
    const struct dinst a = {.regs = low, .ndst = 1}, b = {.regs = high, .ndst = 2},
                       c = {.regs = other, .ndst = 1};
    struct inflight fl[] = {{.d = &a, .slot = 2, .slot2 = NO_PARTNER},
                            {.d = &b, .slot = 2, .slot2 = NO_PARTNER},
                            {.d = &c, .slot = 4, .slot2 = NO_PARTNER},
                            {.d = &a, .slot = 1, .slot2 = NO_PARTNER}};
    sm->fl = fl;
    assert_true(sm_claim_banks(sm, 0));
    assert_false(sm_claim_banks(sm, 1)); /* bank 5 again: 19 + 2 = 21 */
    assert_true(sm_claim_banks(sm, 2));  /* bank 8 */
    assert_true(sm_claim_banks(sm, 3));  /* the other sub-core's */
    assert_int_equal(sm->stats.rf_writes, 3);
    free(sm);
}

/* Every register written and read once, by the operands of the kernel. */
static void register_accesses_are_counted(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,1; add.u32 %r2,%r1,%r1; mad.lo.u32 %r3,%r1,%r2,%r2; ret;\n"), NULL);
    sm_rig_run(r, 1, 96);
    assert_int_equal(r->stats.rf_reads, 3 * 5);
    assert_int_equal(r->stats.rf_writes, 3 * 3);
    sm_rig_free(r);
}

/* Nothing in the pipes when a block ends: its end is the write-back of its last instruction. */
static void a_block_ends_when_its_last_instruction_does(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("sin.approx.f32 %f1,%f2; ret;\n"), NULL);
    sm_rig_run(r, 1, 32);
    cycle_t first = rig_nth(r, 0, 0, 0);
    assert_int_equal(r->end, first + use_after(SFU, 1) + 1);
    assert_int_equal(r->stats.ctas, 1);
    assert_int_equal(r->stats.busy_cycles, r->end - 1);
    sm_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_waits_for_the_writer),
        cmocka_unit_test(a_writer_waits_for_the_writer_before),
        cmocka_unit_test(a_writer_does_not_wait_for_a_reader),
        cmocka_unit_test(an_instruction_waits_for_its_guard),
        cmocka_unit_test(a_branch_waits_for_its_guard),
        cmocka_unit_test(a_second_result_is_waited_for_too),
        cmocka_unit_test(other_warps_registers_do_not_matter),
        cmocka_unit_test(n_operands_take_n_cycles),
        cmocka_unit_test(two_operands_of_one_instruction_in_one_bank),
        cmocka_unit_test(operands_in_one_bank_wait_for_each_other),
        cmocka_unit_test(a_write_goes_before_a_read),
        cmocka_unit_test(collectors_run_out),
        cmocka_unit_test(a_full_port_is_a_compute_stall),
        cmocka_unit_test(back_to_back_dependent_adds),
        cmocka_unit_test(latency_is_by_class),
        cmocka_unit_test(a_pipe_is_closed_for_its_initiation),
        cmocka_unit_test(integer_multiplies_share_two_pipes),
        cmocka_unit_test(doubles_can_have_their_own_pipe),
        cmocka_unit_test(result_ports_run_out),
        cmocka_unit_test(two_writes_to_one_bank),
        cmocka_unit_test(register_accesses_are_counted),
        cmocka_unit_test(a_block_ends_when_its_last_instruction_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
