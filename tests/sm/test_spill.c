/* Registers that a kernel has no room for: loads and stores of local memory around instructions. */
#include "support_sm_rig.h"

/* Two registers; %r1 waits in memory while %r2 and %r3 are used. Instructions 0 to 6. */
#define THREE_VALUES                                                                  \
    PTX_HEAD ".visible .entry k(.param .u64 p) .maxnreg 2\n{\n"                       \
             ".reg .pred %p<4>; .reg .b32 %r<8>; .shared .align 16 .b8 sh[64];\n"     \
             "mov.u32 %r1,1; mov.u32 %r2,2; mov.u32 %r3,3; st.shared.u32 [sh],%r2;\n" \
             "st.shared.u32 [sh+4],%r3; st.shared.u32 [sh+8],%r1; ret;\n}\n"
/* The same without a limit. */
#define ENOUGH                                                                        \
    PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n"                                  \
             ".reg .pred %p<4>; .reg .b32 %r<8>; .shared .align 16 .b8 sh[64];\n"     \
             "mov.u32 %r1,1; mov.u32 %r2,2; mov.u32 %r3,3; st.shared.u32 [sh],%r2;\n" \
             "st.shared.u32 [sh+4],%r3; st.shared.u32 [sh+8],%r1; ret;\n}\n"

static void a_spilled_value_is_stored_once_and_loaded_where_it_is_read(void **state)
{
    struct sm_rig *r = sm_rig_new(THREE_VALUES, NULL), *enough = sm_rig_new(ENOUGH, NULL);
    (void)state;
    sm_rig_run(r, 1, 64);
    sm_rig_run(enough, 1, 64);
    assert_int_equal(r->kernel->regs, 2);
    assert_int_equal(r->kernel->regs_needed, 3);
    assert_int_equal(r->stats.spill_stores, 2); /* one a warp */
    assert_int_equal(r->stats.spill_loads, 2);
    assert_int_equal(r->stats.spill_thread_inst, 4 * 32);
    assert_int_equal(r->stats.warp_inst, enough->stats.warp_inst + 4);
    assert_int_equal(r->stats.load_inst, enough->stats.load_inst + 2);
    assert_int_equal(r->stats.store_inst, enough->stats.store_inst + 2);
    assert_int_equal(r->stats.rf_writes, enough->stats.rf_writes + 2);
    assert_int_equal(r->caches[SM_CACHE_DATA].accesses, 4);
    assert_int_equal(enough->stats.spill_loads + enough->stats.spill_stores, 0);
    sm_rig_free(r);
    sm_rig_free(enough);
}

static void an_instruction_waits_for_its_spilled_operand(void **state)
{
    static const char *const near[] = {"l1.latency=10", NULL}, *const far[] = {"l1.latency=60",
                                                                               NULL};
    struct sm_rig *a = sm_rig_new(THREE_VALUES, near), *b = sm_rig_new(THREE_VALUES, far);
    (void)state;
    a->memory = b->memory = 100;
    sm_rig_run(a, 1, 32);
    sm_rig_run(b, 1, 32);
    assert_int_equal(rig_gap(b, 4, 5), rig_gap(a, 4, 5) + 50);
    assert_int_equal(rig_gap(b, 3, 4), rig_gap(a, 3, 4));
    sm_rig_free(a);
    sm_rig_free(b);
}

/* Lanes that did not execute the instruction keep what memory holds. */
static void only_lanes_that_wrote_are_stored(void **state)
{
    struct sm_rig *r = sm_rig_new(
        PTX_HEAD ".visible .entry k(.param .u64 p) .maxnreg 2\n{\n"
                 ".reg .pred %p<4>; .reg .b32 %r<8>; .shared .align 16 .b8 sh[64];\n"
                 "mov.u32 %r4,%tid.x; setp.lt.u32 %p1,%r4,8; mov.u32 %r1,0; @%p1 mov.u32 %r1,1;\n"
                 "mov.u32 %r2,2; mov.u32 %r3,3; st.shared.u32 [sh],%r2;\n"
                 "st.shared.u32 [sh+4],%r3; st.shared.u32 [sh+8],%r1; ret;\n}\n",
        NULL);
    (void)state;
    sm_rig_run(r, 1, 32);
    assert_int_equal(r->stats.spill_stores, 2);
    assert_int_equal(r->stats.spill_loads, 1);
    assert_int_equal(r->stats.spill_thread_inst, 32 + 8 + 32);
    sm_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spilled_value_is_stored_once_and_loaded_where_it_is_read),
        cmocka_unit_test(an_instruction_waits_for_its_spilled_operand),
        cmocka_unit_test(only_lanes_that_wrote_are_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
