/* G-Scalar in an SM: what its metadata say of a program's registers, and which instructions one
 * lane executes. */
#include "tech/support_gscalar.h"

static void arithmetic_on_one_value(void **state)
{
    (void)state;
    const struct gscalar_stats s = gs_added("", "add.u32 %r4,%r2,1;", "gscalar", 32);
    assert_int_equal(s.alu_scalar, 1);
    assert_int_equal(s.lanes_gated, 31);
    assert_int_equal(s.read_scalar, 1);
    assert_int_equal(s.read_arrays, 0);
    assert_int_equal(s.write_arrays, 0);
    assert_int_equal(s.decoded + s.encoded, 0);
    assert_int_equal(s.meta_reads, 2);
    assert_int_equal(s.meta_writes, 2);
    assert_int_equal(s.read_saved16, 16);
    assert_int_equal(s.write_saved16, 16);
}

/* Not from a thread's number, though its upper bytes are equal. */
static void arithmetic_on_many_values(void **state)
{
    (void)state;
    const struct gscalar_stats s = gs_added("", "add.u32 %r4,%r1,%r2;", "gscalar", 32);
    assert_int_equal(s.alu_scalar + s.half_scalar + s.divergent_scalar, 0);
    assert_int_equal(s.read_3, 1);
    assert_int_equal(s.read_scalar, 1);
    assert_int_equal(s.read_arrays, 2);
    assert_int_equal(s.decoded, 2);
    assert_int_equal(s.encoded, 1);
    assert_int_equal(s.write_3, 1);
}

/* 4: a value for each half: two lanes, and 30 that need not. */
static void arithmetic_on_two_halves(void **state)
{
    (void)state;
    const struct gscalar_stats s = gs_added("", "add.u32 %r4,%r3,1;", "gscalar", 32);
    assert_int_equal(s.half_scalar, 1);
    assert_int_equal(s.lanes_gated, 30);
    assert_int_equal(s.read_3, 1);
    assert_int_equal(s.read_arrays, 0);
    assert_int_equal(gs_added("", "add.u32 %r4,%r3,1;", "gscalar-nohalf", 32).half_scalar, 0);
    assert_int_equal(gs_added("", "add.u32 %r4,%r3,1;", "gscalar-nohalf", 32).read_arrays, 2);
}

/* 5: one half of one value: 17 lanes. */
static void arithmetic_on_one_half(void **state)
{
    (void)state;
    const struct gscalar_stats s = gs_added("setp.lt.u32 %p1,%r1,16; selp.b32 %r5,%r1,5,%p1;",
                                            "add.u32 %r4,%r5,1;", "gscalar", 32);
    assert_int_equal(s.half_scalar, 1);
    assert_int_equal(s.lanes_gated, 15);
    assert_int_equal(s.read_arrays, 1);
}

/* 12: 50.5 + 2864 / 32 pJ of 32 x 50.5 + 2864 remain. */
static void special_functions(void **state)
{
    (void)state;
    const struct gscalar_stats s =
        gs_added("mov.f32 %f1,0f3F800000;", "ex2.approx.f32 %f2,%f1;", "gscalar", 32);
    assert_int_equal(s.sfu_scalar, 1);
    assert_int_equal(s.lanes_gated, 31);
    assert_int_equal(s.sfu_lanes_gated, 31);
    const double left =
        32 * 50.5 + 2864 - (double)s.lanes_gated * 50.5 - (double)s.sfu_lanes_gated * 2864 / 32;
    assert_true(left > 139.9 && left < 140.1);
    assert_int_equal(
        gs_added("mov.f32 %f1,0f3F800000;", "ex2.approx.f32 %f2,%f1;", "alu-scalar", 32).sfu_scalar,
        0);
}

/* A load by its address, a store by address and value; local memory never. */
static void memory_by_its_address(void **state)
{
    (void)state;
    assert_int_equal(gs_added("", "ld.global.u32 %r4,[%rd1];", "gscalar", 32).mem_scalar, 1);
    assert_int_equal(gs_added("", "st.global.u32 [%rd1],%r2;", "gscalar", 32).mem_scalar, 1);
    assert_int_equal(gs_added("", "st.shared.u32 [sh],%r1;", "gscalar", 32).mem_scalar, 0);
    assert_int_equal(gs_added("", "ld.param.u64 %rd2,[p];", "gscalar", 32).mem_scalar, 1);
    assert_int_equal(gs_added("", "ld.global.u32 %r4,[%rd1];", "alu-scalar", 32).mem_scalar, 0);
}

static void local_memory_is_of_each_thread(void **state)
{
    (void)state;
    static const char ptx[] =
        PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n.local .align 4 .b8 mine[16];\n"
                 ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                 "mov.u32 %r1,%tid.x; mov.u64 %rd1,mine; cvta.local.u64 %rd2,%rd1;\n"
                 "st.local.u32 [%rd1],%r1; ld.local.u32 %r2,[%rd1]; ld.u32 %r3,[%rd2]; ret;\n}\n";
    assert_int_equal(gs_stats_of(ptx, "gscalar", 32).mem_scalar, 0);
}

/* An atomic is executed later and elsewhere: its result is not known, nor by one lane. */
static void atomics_are_never_scalar(void **state)
{
    (void)state;
    const struct gscalar_stats s =
        gs_added("", "atom.global.add.u32 %r4,[%rd1],1; add.u32 %r5,%r4,1;", "gscalar", 32);
    assert_int_equal(s.alu_scalar + s.mem_scalar, 0);
    assert_int_equal(s.write_arrays, 8 + 2); /* what is read in turn has three equal bytes */
}

/* What the hardware takes to differ, does; what it knows to be equal, is. */
static void special_registers_by_their_kind(void **state)
{
    (void)state;
    assert_int_equal(gs_added("", "mov.u32 %r4,%ctaid.x;", "gscalar", 32).alu_scalar, 1);
    assert_int_equal(gs_added("", "mov.u32 %r4,%clock;", "gscalar", 32).alu_scalar, 1);
    assert_int_equal(gs_added("", "mov.u32 %r4,%tid.y;", "gscalar", 32).alu_scalar, 0);
    assert_int_equal(gs_added("", "mov.u32 %r4,%lanemask_lt;", "gscalar", 32).alu_scalar, 0);
    assert_int_equal(gs_added("", "mov.u32 %r4,%laneid;", "gscalar", 32).half_scalar, 0);
}

static void predicates_and_carries_are_sources(void **state)
{
    (void)state;
    static const char uniform[] = "setp.lt.u32 %p1,%r2,30;", mixed[] = "setp.lt.u32 %p1,%r1,9;";
    static const char select[] = "selp.b32 %r4,1,2,%p1;";
    assert_int_equal(gs_added(uniform, select, "gscalar", 32).alu_scalar, 1);
    assert_int_equal(gs_added(mixed, select, "gscalar", 32).alu_scalar, 0);
    assert_int_equal(gs_added(mixed, select, "gscalar", 32).half_scalar, 1);
    assert_int_equal(gs_added(mixed, select, "gscalar", 32).lanes_gated, 15);
    assert_int_equal(gs_added("setp.lt.u32 %p1,%r1,20;", select, "gscalar", 32).lanes_gated, 15);
    assert_int_equal(
        gs_added("add.cc.u32 %r4,%r2,-1;", "addc.cc.u32 %r5,%r2,0;", "gscalar", 32).alu_scalar, 1);
    assert_int_equal(
        gs_added("add.cc.u32 %r4,%r1,-9;", "addc.cc.u32 %r5,%r2,0;", "gscalar", 32).alu_scalar, 0);
}

/* 2 and 3: what a read costs, of 156 pJ and 8.1 for each array of metadata. */
static double picojoules_of(const char *body, const char *design)
{
    const struct gscalar_stats s = gs_added(body, "mov.b32 %r7,%r6;", design, 32);
    return 156 * (1 - (double)s.read_saved16 / 16) + 8.1 * (double)s.meta_reads;
}

static void a_read_costs_its_arrays_and_metadata(void **state)
{
    (void)state;
    static const char narrow[] = "mad.lo.u32 %r6,%r1,4,0xc0403900;",
                      one[] = "mov.b32 %r6,0x3f800000;";
    assert_float_equal(picojoules_of(narrow, "gscalar-nohalf"), 47.1, 1e-6);
    assert_float_equal(picojoules_of(narrow, "gscalar"), 55.2, 1e-6);
    assert_float_equal(picojoules_of(one, "gscalar-nohalf"), 8.1, 1e-6);
    assert_float_equal(picojoules_of(one, "gscalar"), 16.2, 1e-6);
}

/* 7: 0x7f0a0000000 + 256 times the lane: 4 + 0 of 16 arrays. */
static void sixty_four_bits_are_two_registers(void **state)
{
    (void)state;
    const struct gscalar_stats s =
        gs_added("cvt.u64.u32 %rd2,%r1; shl.b64 %rd2,%rd2,8; add.u64 %rd3,%rd2,0x7f0a0000000;",
                 "mov.b64 %rd4,%rd3;", "gscalar", 32);
    assert_int_equal(s.read_2, 1);
    assert_int_equal(s.read_scalar, 1);
    assert_int_equal(s.read_arrays, 4);
    assert_int_equal(s.base_read_arrays, 16);
    assert_int_equal(s.read_saved16, 12);
}

/* An array of 128 bits is half a sixteenth of its access; two odd ones are a whole one. The words
 * are a lane's number, which differs in one byte of its lower half, and zeros. */
static void halves_of_sixteenths_are_not_lost(void **state)
{
    (void)state;
    static const char make[] =
        ".reg .b128 q<4>; mov.b64 %rd2,0; and.b32 %r4,%r1,15; setp.lt.u32 %p1,%r1,16;"
        "selp.b32 %r4,%r4,0,%p1; mov.b64 %rd3,{%r4,%r4}; mov.b64 %rd4,{%r4,%r2};"
        "mov.b128 q1,{%rd3,%rd4};";
    const struct gscalar_stats one = gs_added(make, "mov.b128 q2,q1;", "gscalar", 32),
                               two =
                                   gs_added(make, "mov.b128 q2,q1; mov.b128 q3,q1;", "gscalar", 32);
    assert_int_equal(one.read_arrays, 3);
    assert_int_equal(two.read_saved16, 32 - 3);
    assert_int_equal(two.write_saved16, 32 - 3);
}

/* 16: a warp of 20 threads is whole with 20. */
static void lanes_without_a_thread_do_not_count(void **state)
{
    (void)state;
    const struct gscalar_stats s = gs_added("", "add.u32 %r4,%r2,1;", "gscalar", 20);
    assert_int_equal(s.divergent, 0);
    assert_int_equal(s.alu_scalar, 1);
    assert_int_equal(s.lanes_gated, 19);
    assert_int_equal(gs_added("", "add.u32 %r4,%r3,1;", "gscalar", 20).half_scalar, 0);
}

static void accesses_add_up(void **state)
{
    (void)state;
    static const char *const designs[] = {
        "gscalar",    "gscalar-nodiv", "gscalar-nohalf",     "gscalar-rvc",
        "alu-scalar", "scalar-rf",     "warped-compression", "gscalar-null"};
    for (unsigned i = 0; i < ARRAY_LEN(designs); i++) {
        const struct gscalar_stats s =
            gs_stats_of(GS_KERNEL(FIGURE_2_9 "mad.lo.u32 %r6,%r1,%r3,%r5; @%p2 add.u64 %rd1,%rd1,8;"
                                             "setp.ne.u32 %p4,%r6,%r3; selp.b32 %r7,%r6,%r1,%p4;"),
                        designs[i], 32);
        const uint64_t reads =
            s.read_scalar + s.read_3 + s.read_2 + s.read_1 + s.read_0 + s.read_divergent;
        /* shr 1; setp 2, add 1; mad 3; add.u64 2; setp 2, selp 2 */
        assert_int_equal(reads, 1 + 2 + 1 + 3 + 2 + 2 + 2);
        assert_int_equal(s.base_read_arrays, 8 * reads);
        assert_true(s.read_arrays <= 8 * (reads + s.moves * 2));
        assert_true(s.lanes_gated <= 32 * s.inst);
        assert_int_equal(s.inst, 4 + 5 + 5 + 1 - 1 + 1 - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_on_one_value),
        cmocka_unit_test(arithmetic_on_many_values),
        cmocka_unit_test(arithmetic_on_two_halves),
        cmocka_unit_test(arithmetic_on_one_half),
        cmocka_unit_test(special_functions),
        cmocka_unit_test(memory_by_its_address),
        cmocka_unit_test(local_memory_is_of_each_thread),
        cmocka_unit_test(atomics_are_never_scalar),
        cmocka_unit_test(special_registers_by_their_kind),
        cmocka_unit_test(predicates_and_carries_are_sources),
        cmocka_unit_test(a_read_costs_its_arrays_and_metadata),
        cmocka_unit_test(sixty_four_bits_are_two_registers),
        cmocka_unit_test(halves_of_sixteenths_are_not_lost),
        cmocka_unit_test(lanes_without_a_thread_do_not_count),
        cmocka_unit_test(accesses_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
