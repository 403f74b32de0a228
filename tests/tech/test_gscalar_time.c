/* G-Scalar in time: cycles of a chain, banks, pipes that are freed; and warps of 64. */
#include "tech/support_gscalar.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_three_cycles_more_a_link),
        cmocka_unit_test(one_scalar_bank_makes_operands_wait),
        cmocka_unit_test(the_scalar_bank_has_what_is_of_the_whole_warp),
        cmocka_unit_test(a_scalar_can_free_its_pipe),
        cmocka_unit_test(two_warps_can_be_taken_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
