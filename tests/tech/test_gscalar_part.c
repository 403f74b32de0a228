/* G-Scalar where only some lanes execute: values scalar for a mask, special moves, calls, lanes
 * that wait for others. */
#include "tech/support_gscalar.h"

static void a_divergent_value_is_scalar_for_its_mask(void **state)
{
    (void)state;
    const struct gscalar_stats same = gs_added(FIGURE_2_9, "@%p3 mov.b32 %r6,%r5;", "gscalar", 8);
    assert_int_equal(same.divergent_scalar, 1);
    assert_int_equal(same.lanes_gated, 4);
    assert_int_equal(same.read_arrays, 8);
    assert_int_equal(same.mask_mismatch, 0);
    const struct gscalar_stats other = gs_added(FIGURE_2_9, "@!%p3 mov.b32 %r6,%r5;", "gscalar", 8);
    assert_int_equal(other.divergent_scalar, 0);
    assert_int_equal(other.mask_mismatch, 1);
    assert_int_equal(gs_added(FIGURE_2_9, "@%p3 mov.b32 %r6,%r5;", "gscalar-nodiv", 8).lanes_gated,
                     0);
}

/* The last write counts: what the lanes before it had is not scalar for them any more. */
static void a_second_divergent_write_replaces_the_first(void **state)
{
    (void)state;
    static const char twice[] = FIGURE_2_9 "@%p2 add.u32 %r5,%r1,7;";
    const struct gscalar_stats first = gs_added(twice, "@%p3 mov.b32 %r6,%r5;", "gscalar", 8),
                               second = gs_added(twice, "@%p2 mov.b32 %r6,%r5;", "gscalar", 8),
                               again = gs_added(FIGURE_2_9 "@%p2 mov.u32 %r5,3;",
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
        gs_added(IN_PART, "@%p1 mov.u32 %r5,0; @%p1 mov.b32 %r6,%r5;", "gscalar-nohalf", 32);
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
    assert_int_equal(
        gs_added(IN_PART, "@%p1 mov.u32 %r5,0; @%p1 mov.u32 %r5,1;", "gscalar", 32).moves, 1);
    assert_int_equal(gs_added(IN_PART, "mov.u32 %r5,0;", "gscalar", 32).moves, 0);
    assert_int_equal(
        gs_added(IN_PART "setp.gt.u32 %p2,%r1,99;", "@%p2 mov.u32 %r5,0;", "gscalar", 32).moves, 0);
    assert_int_equal(gs_added(IN_PART, "@%p1 mov.u32 %r7,0;", "gscalar", 32).moves, 0);
}

/* One for a register of 64 bits, one for each of several. */
static void several_registers_are_moved_one_by_one(void **state)
{
    (void)state;
    static const char vector[] = "@%p1 ld.global.v2.u32 {%r5,%r2},[%rd1];",
                      wide[] = "@%p1 add.u64 %rd1,%rd1,8;";
    assert_int_equal(gs_added(IN_PART, vector, "gscalar", 32).moves, 2);
    assert_int_equal(gs_added(IN_PART, wide, "gscalar", 32).moves, 1);
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
    const struct gscalar_stats s = gs_stats_of(ptx, "gscalar", 32);
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
    assert_int_equal(gs_stats_of(ptx, "gscalar", 32).moves, 0);
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
    assert_int_equal(gs_stats_of(ptx, "gscalar", 32).moves, 1);
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
    assert_int_equal(gs_stats_of(ptx, "gscalar", 32).moves, 1);
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
    assert_int_equal(gs_stats_of(ptx, "gscalar", 32).read_arrays, 2 + 2 + 8);
}

/* A barrier's result comes with the last warp, behind the back of those that wait. */
static void a_reduction_is_known_by_nobody_who_waits(void **state)
{
    (void)state;
    const struct gscalar_stats s =
        gs_added("setp.lt.u32 %p1,%r1,16; mov.u32 %r4,%r1;",
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
        assert_int_equal(gs_stats_of(ways[i], "gscalar", 32).divergent_scalar, 1); /* setp.gt */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
