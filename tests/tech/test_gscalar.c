/* G-Scalar in an SM: what its metadata say of a program's registers, which instructions one lane
 * executes, special moves, cycles, banks. */
#include "tech/support_gscalar.h"

/* Values: %r1 the thread's number, %r2 one value, %r3 another for each half, %rd1 the buffer. */
#define GS_KERNEL(body)                                                       \
    RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mov.u32 %r2,21;\n" \
               "shr.u32 %r3,%r1,4; " body " ret;\n")

static struct gscalar_stats stats_of(const char *ptx, const char *design, uint32_t threads)
{
    struct gs_rig b;
    gs_rig_open(&b, ptx, NULL, design);
    b.g.verify = true;
    const struct gscalar_stats s = *gs_rig_run(&b, threads);
    if (b.r->is_breached)
        fail_msg("%s", b.r->breach.what);
    gs_rig_close(&b);
    return s;
}

/* What `more` adds behind `body`. */
static struct gscalar_stats added(const char *body, const char *more, const char *design,
                                  uint32_t threads)
{
    char text[2][4096];
    struct gscalar_stats s[2];
    for (unsigned i = 0; i < 2; i++) {
        static const char whole[] = GS_KERNEL("@");
        const size_t head = (size_t)(strrchr(whole, '@') - whole);
        snprintf(text[i], sizeof text[i], "%.*s %s %s %s", (int)head, whole, body, i ? more : "",
                 whole + head + 1);
        s[i] = stats_of(text[i], design, threads);
    }
    uint64_t *a = (uint64_t *)&s[0], *b = (uint64_t *)&s[1];
    for (size_t k = 0; k < sizeof s[0] / sizeof *a; k++)
        b[k] -= a[k];
    return s[1];
}

/* --- who is executed by one lane --- */

static void arithmetic_on_one_value(void **state)
{
    (void)state;
    const struct gscalar_stats s = added("", "add.u32 %r4,%r2,1;", "gscalar", 32);
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
    const struct gscalar_stats s = added("", "add.u32 %r4,%r1,%r2;", "gscalar", 32);
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
    const struct gscalar_stats s = added("", "add.u32 %r4,%r3,1;", "gscalar", 32);
    assert_int_equal(s.half_scalar, 1);
    assert_int_equal(s.lanes_gated, 30);
    assert_int_equal(s.read_3, 1);
    assert_int_equal(s.read_arrays, 0);
    assert_int_equal(added("", "add.u32 %r4,%r3,1;", "gscalar-nohalf", 32).half_scalar, 0);
    assert_int_equal(added("", "add.u32 %r4,%r3,1;", "gscalar-nohalf", 32).read_arrays, 2);
}

/* 5: one half of one value: 17 lanes. */
static void arithmetic_on_one_half(void **state)
{
    (void)state;
    const struct gscalar_stats s = added("setp.lt.u32 %p1,%r1,16; selp.b32 %r5,%r1,5,%p1;",
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
        added("mov.f32 %f1,0f3F800000;", "ex2.approx.f32 %f2,%f1;", "gscalar", 32);
    assert_int_equal(s.sfu_scalar, 1);
    assert_int_equal(s.lanes_gated, 31);
    assert_int_equal(s.sfu_lanes_gated, 31);
    const double left =
        32 * 50.5 + 2864 - (double)s.lanes_gated * 50.5 - (double)s.sfu_lanes_gated * 2864 / 32;
    assert_true(left > 139.9 && left < 140.1);
    assert_int_equal(
        added("mov.f32 %f1,0f3F800000;", "ex2.approx.f32 %f2,%f1;", "alu-scalar", 32).sfu_scalar,
        0);
}

/* A load by its address, a store by address and value; local memory never. */
static void memory_by_its_address(void **state)
{
    (void)state;
    assert_int_equal(added("", "ld.global.u32 %r4,[%rd1];", "gscalar", 32).mem_scalar, 1);
    assert_int_equal(added("", "st.global.u32 [%rd1],%r2;", "gscalar", 32).mem_scalar, 1);
    assert_int_equal(added("", "st.shared.u32 [sh],%r1;", "gscalar", 32).mem_scalar, 0);
    assert_int_equal(added("", "ld.param.u64 %rd2,[p];", "gscalar", 32).mem_scalar, 1);
    assert_int_equal(added("", "ld.global.u32 %r4,[%rd1];", "alu-scalar", 32).mem_scalar, 0);
}

static void local_memory_is_of_each_thread(void **state)
{
    (void)state;
    static const char ptx[] =
        PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n.local .align 4 .b8 mine[16];\n"
                 ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                 "mov.u32 %r1,%tid.x; mov.u64 %rd1,mine; cvta.local.u64 %rd2,%rd1;\n"
                 "st.local.u32 [%rd1],%r1; ld.local.u32 %r2,[%rd1]; ld.u32 %r3,[%rd2]; ret;\n}\n";
    assert_int_equal(stats_of(ptx, "gscalar", 32).mem_scalar, 0);
}

/* An atomic is executed later and elsewhere: its result is not known, nor by one lane. */
static void atomics_are_never_scalar(void **state)
{
    (void)state;
    const struct gscalar_stats s =
        added("", "atom.global.add.u32 %r4,[%rd1],1; add.u32 %r5,%r4,1;", "gscalar", 32);
    assert_int_equal(s.alu_scalar + s.mem_scalar, 0);
    assert_int_equal(s.write_arrays, 8 + 2); /* what is read in turn has three equal bytes */
}

/* What the hardware takes to differ, does; what it knows to be equal, is. */
static void special_registers_by_their_kind(void **state)
{
    (void)state;
    assert_int_equal(added("", "mov.u32 %r4,%ctaid.x;", "gscalar", 32).alu_scalar, 1);
    assert_int_equal(added("", "mov.u32 %r4,%clock;", "gscalar", 32).alu_scalar, 1);
    assert_int_equal(added("", "mov.u32 %r4,%tid.y;", "gscalar", 32).alu_scalar, 0);
    assert_int_equal(added("", "mov.u32 %r4,%lanemask_lt;", "gscalar", 32).alu_scalar, 0);
    assert_int_equal(added("", "mov.u32 %r4,%laneid;", "gscalar", 32).half_scalar, 0);
}

static void predicates_and_carries_are_sources(void **state)
{
    (void)state;
    static const char uniform[] = "setp.lt.u32 %p1,%r2,30;", mixed[] = "setp.lt.u32 %p1,%r1,9;";
    static const char select[] = "selp.b32 %r4,1,2,%p1;";
    assert_int_equal(added(uniform, select, "gscalar", 32).alu_scalar, 1);
    assert_int_equal(added(mixed, select, "gscalar", 32).alu_scalar, 0);
    assert_int_equal(added(mixed, select, "gscalar", 32).half_scalar, 1);
    assert_int_equal(added(mixed, select, "gscalar", 32).lanes_gated, 15);
    assert_int_equal(added("setp.lt.u32 %p1,%r1,20;", select, "gscalar", 32).lanes_gated, 15);
    assert_int_equal(
        added("add.cc.u32 %r4,%r2,-1;", "addc.cc.u32 %r5,%r2,0;", "gscalar", 32).alu_scalar, 1);
    assert_int_equal(
        added("add.cc.u32 %r4,%r1,-9;", "addc.cc.u32 %r5,%r2,0;", "gscalar", 32).alu_scalar, 0);
}

/* 7: 0x7f0a0000000 + 256 times the lane: 4 + 0 of 16 arrays. */
static void sixty_four_bits_are_two_registers(void **state)
{
    (void)state;
    const struct gscalar_stats s =
        added("cvt.u64.u32 %rd2,%r1; shl.b64 %rd2,%rd2,8; add.u64 %rd3,%rd2,0x7f0a0000000;",
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
    const struct gscalar_stats one = added(make, "mov.b128 q2,q1;", "gscalar", 32),
                               two = added(make, "mov.b128 q2,q1; mov.b128 q3,q1;", "gscalar", 32);
    assert_int_equal(one.read_arrays, 3);
    assert_int_equal(two.read_saved16, 32 - 3);
    assert_int_equal(two.write_saved16, 32 - 3);
}

/* 16: a warp of 20 threads is whole with 20. */
static void lanes_without_a_thread_do_not_count(void **state)
{
    (void)state;
    const struct gscalar_stats s = added("", "add.u32 %r4,%r2,1;", "gscalar", 20);
    assert_int_equal(s.divergent, 0);
    assert_int_equal(s.alu_scalar, 1);
    assert_int_equal(s.lanes_gated, 19);
    assert_int_equal(added("", "add.u32 %r4,%r3,1;", "gscalar", 20).half_scalar, 0);
}

/* --- divergence --- */

/* 9: Figure 2.9. Lanes 0 and 4 to 7 of eight write one value; the others read their own. */
#define FIGURE_2_9                                                         \
    "setp.eq.u32 %p1,%r1,0; setp.gt.u32 %p2,%r1,3; or.pred %p3,%p1,%p2;\n" \
    "add.u32 %r5,%r1,100;\n@%p3 mov.u32 %r5,2;\n"

static void a_divergent_value_is_scalar_for_its_mask(void **state)
{
    (void)state;
    const struct gscalar_stats same = added(FIGURE_2_9, "@%p3 mov.b32 %r6,%r5;", "gscalar", 8);
    assert_int_equal(same.divergent_scalar, 1);
    assert_int_equal(same.lanes_gated, 4);
    assert_int_equal(same.read_arrays, 8);
    assert_int_equal(same.mask_mismatch, 0);
    const struct gscalar_stats other = added(FIGURE_2_9, "@!%p3 mov.b32 %r6,%r5;", "gscalar", 8);
    assert_int_equal(other.divergent_scalar, 0);
    assert_int_equal(other.mask_mismatch, 1);
    assert_int_equal(added(FIGURE_2_9, "@%p3 mov.b32 %r6,%r5;", "gscalar-nodiv", 8).lanes_gated, 0);
}

/* The last write counts: what the lanes before it had is not scalar for them any more. */
static void a_second_divergent_write_replaces_the_first(void **state)
{
    (void)state;
    static const char twice[] = FIGURE_2_9 "@%p2 add.u32 %r5,%r1,7;";
    const struct gscalar_stats first = added(twice, "@%p3 mov.b32 %r6,%r5;", "gscalar", 8),
                               second = added(twice, "@%p2 mov.b32 %r6,%r5;", "gscalar", 8),
                               again = added(FIGURE_2_9 "@%p2 mov.u32 %r5,3;",
                                             "@%p2 mov.b32 %r6,%r5;", "gscalar", 8);
    assert_int_equal(first.divergent_scalar + first.mask_mismatch, 0);
    assert_int_equal(second.divergent_scalar + second.mask_mismatch, 0);
    assert_int_equal(again.divergent_scalar, 1);
}

/* A part of the mask is another mask, unless inclusion is asked for. */
static void a_part_of_the_mask_is_another(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct gs_rig b;
        gs_rig_open(&b, GS_KERNEL(FIGURE_2_9 "@%p2 mov.b32 %r6,%r5;"), NULL, "gscalar");
        b.cfg.mask = i ? GS_MASK_SUBSET : GS_MASK_EQUAL;
        b.g.verify = true;
        const struct gscalar_stats *s = gs_rig_run(&b, 8);
        assert_false(b.r->is_breached);
        assert_int_equal(s->mask_mismatch, 1 - i);
        assert_int_equal(s->divergent_scalar, 1 + i);
        gs_rig_close(&b);
    }
}

/* 11: a register of 3 equal bytes is moved before half of its lanes write it. */
#define IN_PART "mov.u32 %r5,%r1; setp.lt.u32 %p1,%r1,16;"

static void a_compressed_register_is_moved_first(void **state)
{
    (void)state;
    const struct gscalar_stats s =
        added(IN_PART, "@%p1 mov.u32 %r5,0; @%p1 mov.b32 %r6,%r5;", "gscalar-nohalf", 32);
    assert_int_equal(s.moves, 1);
    assert_int_equal(s.read_arrays, 2 + 8);
    assert_int_equal(s.write_arrays, 8 + 4 + 4);
    assert_int_equal(s.base_write_arrays, 4 + 4);
    assert_int_equal(s.write_added16, 0);
    assert_int_equal(s.divergent_scalar, 2);
    assert_int_equal(s.read_divergent, 1); /* the move's read is not the program's */
}

/* No move where nothing is lost: a second write, a whole one, one by nobody. */
static void others_are_not_moved(void **state)
{
    (void)state;
    assert_int_equal(added(IN_PART, "@%p1 mov.u32 %r5,0; @%p1 mov.u32 %r5,1;", "gscalar", 32).moves,
                     1);
    assert_int_equal(added(IN_PART, "mov.u32 %r5,0;", "gscalar", 32).moves, 0);
    assert_int_equal(
        added(IN_PART "setp.gt.u32 %p2,%r1,99;", "@%p2 mov.u32 %r5,0;", "gscalar", 32).moves, 0);
    assert_int_equal(added(IN_PART, "@%p1 mov.u32 %r7,0;", "gscalar", 32).moves, 0);
}

/* One for a register of 64 bits, one for each of several. */
static void several_registers_are_moved_one_by_one(void **state)
{
    (void)state;
    static const char vector[] = "@%p1 ld.global.v2.u32 {%r5,%r2},[%rd1];",
                      wide[] = "@%p1 add.u64 %rd1,%rd1,8;";
    assert_int_equal(added(IN_PART, vector, "gscalar", 32).moves, 2);
    assert_int_equal(added(IN_PART, wide, "gscalar", 32).moves, 1);
}

/* gscalar.moves=live: the old value of %r5 is read by the lanes that did not write it, or not. */
static void dead_values_are_not_moved(void **state)
{
    (void)state;
    static const char *const kernels[] = {
        GS_KERNEL(IN_PART "@%p1 mov.u32 %r5,0; @%p1 st.shared.u32 [sh],%r5; mov.u32 %r5,1;"
                          "st.shared.u32 [sh],%r5;"),
        GS_KERNEL(IN_PART "@%p1 mov.u32 %r5,0; st.shared.u32 [sh],%r5;"),
        GS_KERNEL(IN_PART "@%p1 bra A; add.u32 %r6,%r5,1; bra B; A: mov.u32 %r5,0; B:"),
        GS_KERNEL(IN_PART "@%p1 bra A; add.u32 %r6,%r1,1; bra B; A: mov.u32 %r5,0;"
                          "st.shared.u32 [sh],%r5; B:"),
        GS_KERNEL(IN_PART "@%p1 bra A; add.u32 %r6,%r1,1; bra B; A: atom.global.add.u32 "
                          "%r5,[%rd1],1; st.shared.u32 [sh],%r5; B:")};
    /* in the third the lanes that go second read it, in the fourth and fifth nobody does */
    static const uint64_t live[] = {1, 1, 1, 0, 0};
    for (unsigned i = 0; i < 2 * ARRAY_LEN(kernels); i++) {
        struct gs_rig b;
        gs_rig_open(&b, kernels[i / 2], NULL, "gscalar");
        b.cfg.moves = i % 2 ? GS_MOVES_LIVE : GS_MOVES_ALWAYS;
        b.g.verify = true;
        const struct gscalar_stats *s = gs_rig_run(&b, 32);
        if (b.r->is_breached)
            fail_msg("%u: %s", i, b.r->breach.what);
        assert_int_equal(s->moves, i % 2 ? live[i / 2] : 1);
        assert_int_equal(s->moves_dead, 1 - s->moves);
        gs_rig_close(&b);
    }
}

/* A call's parameter is known by its value; the callee's other registers, and a second activation,
 * begin unknown; the caller finds its own again. */
static void calls_begin_anew(void **state)
{
    (void)state;
    static const char ptx[] = PTX_HEAD
        ".func twice(.reg .b32 %in, .reg .b32 %more)\n{\n.reg .b32 %r<5>; .reg .pred %p<2>;\n"
        "add.u32 %r1,%in,1; setp.eq.u32 %p1,%more,0; @%p1 ret;\n"
        "sub.u32 %r2,%more,1; call twice, (%r1, %r2); add.u32 %r3,%in,%more; ret;\n}\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<5>;\n"
        "mov.u32 %r1,21; mov.u32 %r2,%tid.x; mov.u32 %r3,1; call twice, (%r1, %r3);\n"
        "add.u32 %r4,%r1,1; call twice, (%r2, %r3); add.u32 %r4,%r1,1; ret;\n}\n";
    const struct gscalar_stats s = stats_of(ptx, "gscalar", 32);
    /* mov r1, r3; add, setp, sub in the first activation, add and setp in the second, not the add
     * behind the return, whose registers are another's; add; setp, sub; setp; add */
    assert_int_equal(s.alu_scalar, 2 + 3 + 2 + 1 + 2 + 1 + 1);
}

/* What an activation left is not the next one's: nothing lies compressed that some of its lanes
 * would write. */
static void an_activation_begins_unknown(void **state)
{
    (void)state;
    static const char ptx[] =
        PTX_HEAD ".func some(.reg .b32 %in)\n{\n.reg .b32 %r<3>; .reg .pred %p<2>;\n"
                 "setp.lt.u32 %p1,%in,16; @%p1 mov.u32 %r1,1; mov.u32 %r1,2; ret;\n}\n"
                 ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>;\n"
                 "mov.u32 %r1,%tid.x; call some, (%r1); call some, (%r1); ret;\n}\n";
    assert_int_equal(stats_of(ptx, "gscalar", 32).moves, 0);
}

/* Half of the lanes call, and write a compressed register of their own as soon as they are back. */
static void a_register_is_moved_behind_a_return(void **state)
{
    (void)state;
    static const char ptx[] =
        PTX_HEAD ".func nothing()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1,1; ret;\n}\n"
                 ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<7>; .reg .pred %p<2>;\n"
                 "mov.u32 %r1,%tid.x; add.u32 %r5,%r1,3; setp.lt.u32 %p1,%r1,16; @!%p1 bra A;\n"
                 "call nothing, (); mov.u32 %r5,9; A: add.u32 %r6,%r5,1; ret;\n}\n";
    assert_int_equal(stats_of(ptx, "gscalar", 32).moves, 1);
}

/* So is one that the call itself will write. */
static void a_register_is_moved_before_a_call(void **state)
{
    (void)state;
    static const char ptx[] =
        PTX_HEAD ".func (.reg .b32 %o) twice(.reg .b32 %i)\n{\nadd.u32 %o,%i,%i; ret;\n}\n"
                 ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .pred %p<2>;\n"
                 "mov.u32 %r1,%tid.x; mov.u32 %r2,5; setp.ge.u32 %p1,%r1,7; @%p1 bra L;\n"
                 "call (%r2), twice, (%r1); L: add.u32 %r3,%r2,1; ret;\n}\n";
    assert_int_equal(stats_of(ptx, "gscalar", 32).moves, 1);
}

/* A recursive call that only some lanes make parts the warp before it enters: what the activation
 * knows of its registers stays known until then. */
static void a_guarded_recursive_call_forgets_nothing(void **state)
{
    (void)state;
    static const char ptx[] = PTX_HEAD
        ".func down(.reg .b32 %n)\n{\n.reg .b32 %r<5>; .reg .pred %p<3>;\n"
        "setp.eq.u32 %p1,%n,0; @%p1 ret;\n"
        "shl.b32 %r1,%n,4; mov.u32 %r2,%laneid; setp.lt.u32 %p2,%r2,%r1; sub.u32 %r3,%n,1;\n"
        "@%p2 call down, (%r3); ret;\n}\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<5>;\nmov.u32 %r1,2; call down, (%r1); "
        "ret;\n}\n";
    /* laneid in two activations; %n in the third, which half of the warp enters */
    assert_int_equal(stats_of(ptx, "gscalar", 32).read_arrays, 2 + 2 + 8);
}

/* A barrier's result comes with the last warp, behind the back of those that wait. */
static void a_reduction_is_known_by_nobody_who_waits(void **state)
{
    (void)state;
    const struct gscalar_stats s =
        added("setp.lt.u32 %p1,%r1,16; mov.u32 %r4,%r1;",
              "bar.red.popc.u32 %r4,0,%p1; add.u32 %r5,%r4,1;", "gscalar", 64);
    assert_int_equal(s.alu_scalar, 1); /* of the warp that comes last */
}

/* So do results where lanes of several ways meet. The first to come find their predicate written
 * after lanes of the other way have written theirs. */
static void results_of_a_meeting_are_not_told(void **state)
{
    (void)state;
#define COMES  "shfl.sync.up.b32 %r4|%p2,%r1,1,0,-1; selp.b32 %r6,1,2,%p2; add.u32 %r5,%r4,%r4;"
#define MEETS  "setp.gt.u32 %p2,%r2,0; shfl.sync.up.b32 %r5|%p3,%r1,1,0,-1;"
#define PARTED "setp.lt.u32 %p1,%r1,16; setp.gt.u32 %p2,%r1,99;"
    static const char *const ways[] = {
        GS_KERNEL(PARTED "@!%p1 bra B;" COMES "bra.uni M; B:" MEETS "M:"),
        GS_KERNEL(PARTED "@%p1 bra B;" MEETS "bra.uni M; B:" COMES "M:")};
    for (unsigned i = 0; i < ARRAY_LEN(ways); i++)
        assert_int_equal(stats_of(ways[i], "gscalar", 32).divergent_scalar, 1); /* setp.gt */
}

/* --- time --- */

static cycle_t end_of(const char *ptx, const char *design, enum gs_hold hold)
{
    struct gs_rig b;
    gs_rig_open(&b, ptx, NULL, design);
    b.cfg.hold = hold;
    gs_rig_run(&b, 32);
    const cycle_t gap = (cycle_t)rig_gap(b.r, 0, 8);
    gs_rig_close(&b);
    return gap;
}

/* 13, and for a chain of n: 3(n - 1) cycles more. The latency of an addition is 4. */
static void a_chain_takes_three_cycles_more_a_link(void **state)
{
    (void)state;
    static const char chain[] =
        RIG_KERNEL("add.u32 %r2,%r1,1; add.u32 %r2,%r2,1; add.u32 %r2,%r2,1; add.u32 %r2,%r2,1;\n"
                   "add.u32 %r2,%r2,1; add.u32 %r2,%r2,1; add.u32 %r2,%r2,1; add.u32 %r2,%r2,1;\n"
                   "add.u32 %r2,%r2,1; ret;\n");
    const cycle_t base = end_of(chain, "gscalar-null", GS_HOLD_PIPE);
    assert_int_equal(base, 8 * (4 + 5 + 1));
    assert_int_equal(end_of(chain, "gscalar", GS_HOLD_PIPE), base + 3 * 8);
    assert_int_equal(end_of(chain, "gscalar-rvc", GS_HOLD_COLLECTOR), base + 3 * 8);
    assert_int_equal(end_of(chain, "alu-scalar", GS_HOLD_PIPE), base + 2 * 8);
    assert_int_equal(end_of(chain, "warped-compression", GS_HOLD_PIPE), base + 3 * 8);
}

/* 14: two warps read two scalar registers each. In banks of their own that takes two cycles, in the
 * one of alu-scalar four. */
static void one_scalar_bank_makes_operands_wait(void **state)
{
    (void)state;
    static const char both[] = RIG_KERNEL("mov.u32 %r1,1; mov.u32 %r2,1; mad.lo.u32 %r5,%r2,3,1;\n"
                                          "add.u32 %r6,%r5,1; bar.sync 0;\n"
                                          "add.u32 %r3,%r1,%r2; add.u32 %r4,%r3,1; ret;\n");
    enum { READS_TWO = 5, READS_IT = 6 };
    static const char *const sets[] = {"sm.banks=16", "sm.ibuffer=4", NULL};
    static const char *const designs[] = {"gscalar", "alu-scalar"};
    for (unsigned k = 0; k < 2; k++) {
        struct gs_rig b;
        gs_rig_open(&b, both, sets, designs[k]);
        const struct gscalar_stats *s = gs_rig_run(&b, 64);
        const cycle_t at = rig_nth(b.r, 0, READS_TWO, 0), first = rig_nth(b.r, 0, READS_IT, 0) - at,
                      second = rig_nth(b.r, 1, READS_IT, 0) - at;
        assert_int_equal(rig_nth(b.r, 1, READS_TWO, 0), at);
        const cycle_t later = first < second ? second : first;
        assert_int_equal(later, 4 + 5 + 2 + (k ? 2 + 2 : 3));
        assert_int_equal(s->bank_waits > 0, k);
        gs_rig_close(&b);
    }
}

struct banks {
    struct gs_rig b;
    uint64_t scalar[16]; /* by instruction: its registers in the scalar bank, that written first */
};

static void note_banks(struct gs_rig *b, const struct rf_event *e)
{
    if (!e->is_extra)
        ((struct banks *)(void *)b)->scalar[e->d - e->d->fn->code] = b->m.in_bank;
}

/* 64 bits of which only the lower are of one value are not there, nor is what some lanes have
 * written with one value. */
static void the_scalar_bank_has_what_is_of_the_whole_warp(void **state)
{
    (void)state;
    enum { READS_LOWER = 4, READS_BOTH = 6, READS_PART = 8 };
    static const char ptx[] =
        RIG_KERNEL("mov.u32 %r1,%tid.x; setp.lt.u32 %p1,%r1,16; mov.u32 %r5,9;\n"
                   "mov.b64 %rd5,{%r5,%r1}; add.u64 %rd6,%rd5,1; mov.b64 %rd7,{%r5,%r5};\n"
                   "add.u64 %rd8,%rd7,1; @%p1 mov.u32 %r6,9; @%p1 add.u32 %r7,%r6,1; ret;\n");
    struct banks k = {0};
    gs_rig_open(&k.b, ptx, NULL, "alu-scalar");
    k.b.plant = note_banks;
    gs_rig_run(&k.b, 32);
    gs_rig_close(&k.b);
    assert_int_equal(k.scalar[READS_LOWER], 0);
    assert_int_equal(k.scalar[READS_BOTH], 3);
    assert_int_equal(k.scalar[READS_PART], 0);
}

/* gscalar.fast: the special-function unit takes a warp in eight batches, a scalar in one. */
static void a_scalar_can_free_its_pipe(void **state)
{
    (void)state;
    static const char two[] =
        RIG_KERNEL("mov.f32 %f1,0f3F800000; ex2.approx.f32 %f2,%f1; ex2.approx.f32 %f3,%f1;\n"
                   "add.f32 %f4,%f3,%f3; ret;\n");
    static const char *const sets[] = {"sm.ibuffer=4", NULL};
    int64_t gaps[2];
    for (unsigned i = 0; i < 2; i++) {
        struct gs_rig b;
        gs_rig_open(&b, two, sets, "gscalar");
        b.cfg.fast = i;
        gs_rig_run(&b, 32);
        gaps[i] = rig_gap(b.r, 1, 3);
        gs_rig_close(&b);
    }
    assert_int_equal(gaps[0] - gaps[1], 8 - 1);
}

/* gscalar.wide: two warps as one of 64 threads. One value in both is one; one in each is a value
 * for each half; what only the first executes is neither. */
static struct gscalar_stats wide_of(const char *more)
{
    char text[4096];
    struct gs_rig b;
    static const char whole[] = GS_KERNEL("shr.u32 %r4,%r1,5; setp.lt.u32 %p1,%r1,32; @");
    const size_t head = (size_t)(strrchr(whole, '@') - whole);
    snprintf(text, sizeof text, "%.*s %s %s", (int)head, whole, more, whole + head + 1);
    gs_rig_open(&b, text, NULL, "gscalar");
    b.cfg.wide = true;
    const struct gscalar_stats s = *gs_rig_run(&b, 64);
    gs_rig_close(&b);
    return s;
}

static void two_warps_can_be_taken_as_one(void **state)
{
    (void)state;
    const struct gscalar_stats none = wide_of(""), one = wide_of("add.u32 %r5,%r2,1;"),
                               each = wide_of("add.u32 %r5,%r4,1;"),
                               alone = wide_of("@!%p1 bra A; add.u32 %r5,%r2,1; A:");
    assert_int_equal(none.wide_inst, none.inst / 2);
    assert_int_equal(one.wide_inst, none.wide_inst + 1);
    assert_int_equal(one.wide_full, none.wide_full + 1);
    assert_int_equal(one.wide_part, none.wide_part);
    assert_int_equal(each.alu_scalar, none.alu_scalar + 2);
    assert_int_equal(each.wide_full, none.wide_full);
    assert_int_equal(each.wide_part, none.wide_part + 1);
    assert_int_equal(alone.wide_inst, none.wide_inst + 2);
    assert_int_equal(alone.wide_full, none.wide_full);
    assert_int_equal(alone.wide_part, none.wide_part); /* of 64 threads it is divergent */
}

/* --- registers with steps --- */

static struct gscalar_stats affine_of(const char *body, const char *more)
{
    struct gscalar_stats s[2];
    for (unsigned i = 0; i < 2; i++) {
        char text[4096];
        struct gs_rig b;
        static const char whole[] = GS_KERNEL("@");
        const size_t head = (size_t)(strrchr(whole, '@') - whole);
        snprintf(text, sizeof text, "%.*s %s %s %s", (int)head, whole, body, i ? more : "",
                 whole + head + 1);
        gs_rig_open(&b, text, NULL, "gscalar");
        b.cfg.affine = true;
        b.g.verify = true;
        s[i] = *gs_rig_run(&b, 32);
        if (b.r->is_breached)
            fail_msg("%s: %s", more, b.r->breach.what);
        gs_rig_close(&b);
    }
    uint64_t *a = (uint64_t *)&s[0], *b = (uint64_t *)&s[1];
    for (size_t k = 0; k < sizeof s[0] / sizeof *a; k++)
        b[k] -= a[k];
    return s[1];
}

/* The thread's number: no array, and its sum with one value is computed by two lanes. */
static void sums_and_products_keep_their_step(void **state)
{
    (void)state;
    const struct gscalar_stats s = affine_of("", "add.u32 %r4,%r1,%r2;");
    assert_int_equal(s.affine, 1);
    assert_int_equal(s.lanes_gated, 30);
    assert_int_equal(s.read_arrays + s.write_arrays, 0);
    assert_int_equal(s.write_affine, 1);
    assert_int_equal(s.decoded + s.encoded + s.delta_decoded + s.delta_encoded, 0);
    assert_int_equal(affine_of("", "sub.s32 %r4,%r2,%r1;").affine, 1);
    assert_int_equal(affine_of("", "mad.lo.s32 %r4,%r2,%r1,%r1;").affine, 1);
    assert_int_equal(affine_of("", "shl.b32 %r4,%r1,3;").affine, 1);
    assert_int_equal(affine_of("", "mul.wide.u32 %rd2,%r1,4;").affine, 1);
    assert_int_equal(affine_of("mul.wide.u32 %rd2,%r1,4;", "add.u64 %rd3,%rd2,%rd1;").affine, 1);
}

/* What is no sum of steps: the square, a shift by the lane, logic; two circuits put it together. */
static void others_do_not(void **state)
{
    (void)state;
    assert_int_equal(affine_of("", "mul.lo.u32 %r4,%r1,%r1;").affine, 0);
    assert_int_equal(affine_of("", "shl.b32 %r4,%r2,%r1;").affine, 0);
    assert_int_equal(affine_of("", "mul.hi.u32 %r4,%r1,%r2;").affine, 0);
    const struct gscalar_stats s = affine_of("", "xor.b32 %r4,%r1,%r2;");
    assert_int_equal(s.affine, 0);
    assert_int_equal(s.delta_decoded, 1);
    assert_int_equal(s.delta_encoded, 1);
}

/* Lanes that wrap around 32 bits are other numbers in 64. */
static void steps_that_wrap_are_not_widened(void **state)
{
    (void)state;
    static const char down[] = "sub.u32 %r4,9,%r1;";
    assert_int_equal(affine_of("", down).affine, 1);
    assert_int_equal(affine_of(down, "mul.wide.u32 %rd2,%r4,4;").affine, 0);
    assert_int_equal(affine_of(down, "mul.wide.s32 %rd2,%r4,4;").affine, 1);
    assert_int_equal(
        affine_of("sub.u32 %r4,9,%r1; mov.b64 %rd2,{%r4,%r2};", "add.u64 %rd3,%rd2,%rd1;").affine,
        0);
}

/* --- sums --- */

static void accesses_add_up(void **state)
{
    (void)state;
    static const char *const designs[] = {
        "gscalar",    "gscalar-nodiv", "gscalar-nohalf",     "gscalar-rvc",
        "alu-scalar", "scalar-rf",     "warped-compression", "gscalar-null"};
    for (unsigned i = 0; i < ARRAY_LEN(designs); i++) {
        const struct gscalar_stats s =
            stats_of(GS_KERNEL(FIGURE_2_9 "mad.lo.u32 %r6,%r1,%r3,%r5; @%p2 add.u64 %rd1,%rd1,8;"
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
        cmocka_unit_test(sixty_four_bits_are_two_registers),
        cmocka_unit_test(halves_of_sixteenths_are_not_lost),
        cmocka_unit_test(lanes_without_a_thread_do_not_count),
        cmocka_unit_test(a_divergent_value_is_scalar_for_its_mask),
        cmocka_unit_test(a_second_divergent_write_replaces_the_first),
        cmocka_unit_test(a_part_of_the_mask_is_another),
        cmocka_unit_test(a_compressed_register_is_moved_first),
        cmocka_unit_test(others_are_not_moved),
        cmocka_unit_test(several_registers_are_moved_one_by_one),
        cmocka_unit_test(dead_values_are_not_moved),
        cmocka_unit_test(calls_begin_anew),
        cmocka_unit_test(an_activation_begins_unknown),
        cmocka_unit_test(a_register_is_moved_behind_a_return),
        cmocka_unit_test(a_register_is_moved_before_a_call),
        cmocka_unit_test(a_guarded_recursive_call_forgets_nothing),
        cmocka_unit_test(a_reduction_is_known_by_nobody_who_waits),
        cmocka_unit_test(results_of_a_meeting_are_not_told),
        cmocka_unit_test(a_chain_takes_three_cycles_more_a_link),
        cmocka_unit_test(one_scalar_bank_makes_operands_wait),
        cmocka_unit_test(the_scalar_bank_has_what_is_of_the_whole_warp),
        cmocka_unit_test(a_scalar_can_free_its_pipe),
        cmocka_unit_test(two_warps_can_be_taken_as_one),
        cmocka_unit_test(sums_and_products_keep_their_step),
        cmocka_unit_test(others_do_not),
        cmocka_unit_test(steps_that_wrap_are_not_widened),
        cmocka_unit_test(accesses_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
