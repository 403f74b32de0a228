/* rf_policy to the cycle: costs, banks, warps; and policies around policies. */
#include "support_sm_rig.h"

/* An instruction that reads n registers: what depends on it issues latency + 5 + n cycles behind.
 * The latency of an addition is 4. */
enum { ONE_READ = 4 + 5 + 1, TWO_READS = 4 + 5 + 2 };

/* --- costs --- */

struct costly {
    struct rf_policy inner;
    struct rf_cost more;
    uint16_t flags; /* of these instructions alone; 0: of all */
    uint32_t extra, calls;
};

static void cost(void *self, const struct rf_event *e, struct rf_cost *sum)
{
    struct costly *c = self;
    c->inner.cost(c->inner.self, e, sum);
    c->calls++;
    c->extra += e->is_extra;
    if (c->flags && !(e->d->flags & c->flags))
        return;
    sum->hold += c->more.hold;
    sum->enter += c->more.enter;
    sum->write += c->more.write;
}

static struct rf_policy around(struct costly *c, const struct rf_policy *inner)
{
    c->inner = *inner;
    struct rf_policy p = rf_policy_wrap(&c->inner);
    p.cost = cost;
    p.wants |= WANT_COST;
    return p;
}

/* Cycles from instruction a to b of one warp. */
static int64_t gap_with(const char *ptx, const char *const *sets, struct costly *c, uint32_t a,
                        uint32_t b)
{
    const struct rf_policy p = around(c, &rf_policy_null);
    struct sm_rig *r = sm_rig_new(ptx, sets);
    r->rf = &p;
    sm_rig_run(r, 1, 32);
    const int64_t gap = rig_gap(r, a, b);
    sm_rig_free(r);
    return gap;
}

/* Two additions share one collector; another one depends on the second. */
static void a_delay_line_holds_nobody_up(void **state)
{
    (void)state;
    static const char two[] =
        RIG_KERNEL("add.u32 %r2,%r1,1; add.u32 %r3,%r1,1; add.u32 %r4,%r3,1; ret;\n");
    static const char *const one[] = {"sm.sp_collectors=1", "sm.ibuffer=4", NULL};
    struct costly nothing = {0}, enter = {.more.enter = 3}, hold = {.more.hold = 3};
    const int64_t base = gap_with(two, one, &nothing, 0, 2);
    /* the second waits for itself alone ... */
    assert_int_equal(gap_with(two, one, &enter, 0, 2), base + 3);
    /* ... and here for the first to leave the collector too */
    assert_int_equal(gap_with(two, one, &hold, 0, 2), base + 3 + 3);
}

/* A line of one stage, one port wide: an instruction a cycle goes in, and one comes out. Six movs
 * in a row, the last one's reader: as far behind the first as without, and one cycle. */
static void a_delay_line_takes_one_a_cycle(void **state)
{
    (void)state;
    static const char row[] =
        RIG_KERNEL("mov.u32 %r1,1; mov.u32 %r2,1; mov.u32 %r3,1; mov.u32 %r4,1;\n"
                   "mov.u32 %r5,1; mov.u32 %r6,1; add.u32 %r7,%r6,1; ret;\n");
    static const char *const one[] = {"sm.sp_ports=1", "sm.sp_collectors=4", "sm.schedulers=1",
                                      "sm.ibuffer=4", NULL};
    struct costly nothing = {0}, enter = {.more.enter = 1};
    const int64_t base = gap_with(row, one, &nothing, 0, 6);
    assert_int_equal(gap_with(row, one, &enter, 0, 6), base + 1);
}

static const char from_shared[] =
    RIG_KERNEL("ld.shared.u32 %r2,[sh]; ld.shared.u32 %r3,[sh+4]; add.u32 %r4,%r2,%r3; ret;\n");
static const char from_global[] =
    RIG_KERNEL("ld.param.u64 %rd1,[p]; ld.global.u32 %r2,[%rd1]; add.u32 %r3,%r2,1; ret;\n");

/* Results of loads are written later, one a cycle as before. */
static void loads_can_be_written_later(void **state)
{
    (void)state;
    struct costly nothing = {0}, write = {.more.write = 3, .flags = DINST_LOAD};
    assert_int_equal(gap_with(from_shared, NULL, &write, 0, 2),
                     gap_with(from_shared, NULL, &nothing, 0, 2) + 3);
    assert_int_equal(gap_with(from_global, NULL, &write, 1, 2),
                     gap_with(from_global, NULL, &nothing, 1, 2) + 3);
    /* the address too comes from a load, of the parameter */
    assert_int_equal(gap_with(from_global, NULL, &write, 0, 2),
                     gap_with(from_global, NULL, &nothing, 0, 2) + 3 + 3);
}

/* A calendar holds results for 2048 cycles: what would be beyond is noted, and cut to 1000. */
static void no_cost_is_beyond_the_calendar(void **state)
{
    (void)state;
    static const char two[] = RIG_KERNEL("add.u32 %r2,%r1,1; add.u32 %r3,%r2,1; ret;\n");
    struct costly most = {.more.write = 1000}, more = {.more.write = 1001};
    assert_int_equal(gap_with(two, NULL, &most, 0, 1), ONE_READ + 1000);
    const struct rf_policy p = around(&more, &rf_policy_null);
    struct sm_rig *r = sm_rig_new(two, NULL);
    r->rf = &p;
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_gap(r, 0, 1), ONE_READ + 1000);
    assert_true(r->is_breached && r->breach.seam == SEAM_registers);
    assert_string_equal(r->breach.what,
                        "rf_cost.write asks for more cycles than RF_COST_MAX (1000): 1001");
    sm_rig_free(r);
}

static void count_waits(void *self, unsigned bank, uint32_t operands)
{
    (void)bank;
    *(uint64_t *)self += operands;
}

/* What waits for banks is told, all of it, in both runs. */
static void waits_for_banks_are_told(void **state)
{
    (void)state;
    static const char body[] =
        RIG_KERNEL("mad.lo.u32 %r2,%r1,%r1,%r1; mad.lo.u32 %r3,%r1,%r1,%r1;\n"
                   "mad.lo.u32 %r4,%r1,%r1,%r1; ret;\n");
    uint64_t waits = 0;
    struct rf_policy p = rf_policy_null;
    p.wants = WANT_WAITED;
    p.waited = count_waits;
    p.self = &waits;
    struct sm_rig *r = sm_rig_new(body, NULL);
    r->rf = &p;
    sm_rig_run(r, 1, 128);
    assert_true(r->stats.bank_conflicts > 0);
    assert_int_equal(waits, 2 * r->stats.bank_conflicts);
    sm_rig_free(r);
}

/* Costs of two add up, whichever is outside. */
static void costs_add_up(void **state)
{
    (void)state;
    static const char two[] = RIG_KERNEL("add.u32 %r2,%r1,1; add.u32 %r3,%r2,1; ret;\n");
    for (unsigned k = 0; k < 2; k++) {
        struct costly a = {.more = {1, 2, 0}}, b = {.more = {0, 4, 8}};
        const struct rf_policy inside = around(k ? &a : &b, &rf_policy_null);
        const struct rf_policy outside = around(k ? &b : &a, &inside);
        struct sm_rig *r = sm_rig_new(two, NULL);
        r->rf = &outside;
        sm_rig_run(r, 1, 32);
        assert_int_equal(rig_gap(r, 0, 1), ONE_READ + 1 + 2 + 4 + 8);
        assert_int_equal(a.calls, 2 * r->nissues); /* in both runs */
        assert_int_equal(b.calls, 2 * r->nissues);
        sm_rig_free(r);
    }
}

/* Loads and stores of spilled registers are not the program's. */
static void spills_are_extra(void **state)
{
    (void)state;
    struct costly c = {0};
    const struct rf_policy p = around(&c, &rf_policy_null);
    struct sm_rig *r =
        sm_rig_new(PTX_HEAD ".visible .entry k(.param .u64 p) .maxnreg 2\n{\n"
                            ".reg .b32 %r<8>; .shared .align 16 .b8 sh[64];\n"
                            "mov.u32 %r1,1; mov.u32 %r2,2; mov.u32 %r3,3; st.shared.u32 [sh],%r2;\n"
                            "st.shared.u32 [sh+4],%r3; st.shared.u32 [sh+8],%r1; ret;\n}\n",
                   NULL);
    r->rf = &p;
    sm_rig_run(r, 1, 32);
    assert_int_equal(r->stats.spill_loads + r->stats.spill_stores, 2);
    assert_int_equal(c.extra, 2 * 2);
    assert_int_equal(c.calls, 2 * (7 + 2));
    sm_rig_free(r);
}

/* --- banks --- */

static uint32_t apart(void *self, const struct rf_event *e, unsigned k, uint32_t bank)
{
    (void)self, (void)bank;
    return (2 * e->slot + k) % 16;
}

/* The one beside those of the machine. */
static uint32_t together(void *self, const struct rf_event *e, unsigned k, uint32_t bank)
{
    (void)self, (void)e, (void)k;
    assert_true(bank < 16);
    return 16;
}

/* Two warps issue an addition in the same cycle; each reads two registers, one a collector and
 * cycle. In four banks that takes two cycles; in one it takes four, and the second warp's are the
 * last. */
static void banks_can_be_chosen(void **state)
{
    (void)state;
    static const char both[] =
        RIG_KERNEL("mov.u32 %r5,1; bar.sync 0; add.u32 %r3,%r1,%r2; add.u32 %r4,%r3,1; ret;\n");
    static const char *const sets[] = {"sm.banks=16", "sm.ibuffer=4", NULL};
    struct rf_policy p = rf_policy_null;
    p.wants = WANT_BANK;
    for (unsigned k = 0; k < 2; k++) {
        p.bank = k ? together : apart;
        struct sm_rig *r = sm_rig_new(both, sets);
        r->rf = &p;
        sm_rig_run(r, 1, 64);
        assert_int_equal(rig_nth(r, 0, 2, 0), rig_nth(r, 1, 2, 0));
        const cycle_t a = rig_nth(r, 0, 3, 0) - rig_nth(r, 0, 2, 0),
                      b = rig_nth(r, 1, 3, 0) - rig_nth(r, 1, 2, 0);
        assert_int_equal(a < b ? a : b, TWO_READS);
        assert_int_equal(a < b ? b : a, TWO_READS + 2 * k);
        sm_rig_free(r);
    }
}

/* --- warps --- */

struct residents {
    uint64_t there;
    uint32_t starts, ends, registers;
};

static void start(void *self, unsigned slot, const struct warp *w, uint32_t registers)
{
    struct residents *s = self;
    assert_false(s->there >> slot & 1);
    assert_int_equal(w->live, w->all);
    s->there |= UINT64_C(1) << slot;
    s->starts++;
    s->registers += registers;
}

static void end(void *self, unsigned slot)
{
    struct residents *s = self;
    assert_true(s->there >> slot & 1);
    s->there &= ~(UINT64_C(1) << slot);
    s->ends++;
}

/* 20 registers a thread, in units of 64 for a warp: 640 for each of three warps of two blocks. */
static void warps_begin_and_end(void **state)
{
    (void)state;
    struct residents s = {0};
    struct rf_policy p = rf_policy_null;
    p.wants = WANT_WARPS;
    p.start = start;
    p.end = end;
    p.self = &s;
    struct sm_rig *r = sm_rig_new(RIG_KERNEL("mov.u32 %r1,1; ret;\n"), NULL);
    r->rf = &p;
    r->registers = 20;
    sm_rig_run(r, 2, 80);
    assert_int_equal(s.there, 0);
    assert_int_equal(s.starts, 2 * 6); /* in both runs */
    assert_int_equal(s.ends, 2 * 6);
    assert_int_equal(s.registers, 2 * 6 * 20);
    sm_rig_free(r);
}

/* --- values --- */

struct frames {
    uint32_t calls, in_callee;
};

/* A call's event is seen in the caller's frame, though the callee's is on top by now. */
static void look_at_frames(void *self, const struct rf_event *e, struct rf_cost *sum)
{
    struct frames *f = self;
    uint64_t values[WARP_LANES];
    (void)sum;
    assert_int_equal(e->all, 0xfffff);
    if (!e->d->x->src || e->d->x->src->op != PTX_OP_CALL) {
        if (e->d->ndst && sm_register_read(e->w, e->d, 0, values) == 32)
            f->in_callee += values[19] == 42;
        return;
    }
    f->calls++;
    assert_int_equal(sm_register_read(e->w, e->d, e->d->ndst, values), 32);
    assert_int_equal(values[0], 21);
    assert_int_equal(values[19], 21);
}

static void events_have_the_frame_they_ran_in(void **state)
{
    (void)state;
    struct frames f = {0};
    struct rf_policy p = rf_policy_null;
    p.wants = WANT_COST;
    p.cost = look_at_frames;
    p.self = &f;
    struct sm_rig *r = sm_rig_new(
        PTX_HEAD ".func (.reg .b32 %out) twice(.reg .b32 %in)\n{\n"
                 ".reg .b32 %r<2000>;\nadd.u32 %r1999,%in,%in; mov.u32 %out,%r1999; ret;\n}\n"
                 ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<5>; .reg .b64 %rd<3>;\n"
                 "mov.u32 %r1,21; call (%r2), twice, (%r1); ret;\n}\n",
        NULL);
    r->rf = &p;
    sm_rig_run(r, 1, 20);
    assert_int_equal(f.calls, 2);
    assert_int_equal(f.in_callee, 2 * 2); /* its addition and its move */
    sm_rig_free(r);
}

struct folds {
    unsigned calls, values; /* values: those that were there when it was told */
};

static void look_at_folded(void *self, const struct rf_event *e)
{
    struct folds *f = self;
    uint64_t values[WARP_LANES];
    f->calls++;
    f->values += sm_register_read(e->w, e->d, 0, values) == 32 && values[3] == 7;
}

/* Machine code has no instruction for a move, whose readers name what was moved; its value is told
 * all the same, and costs nothing. */
static void what_takes_no_time_is_told(void **state)
{
    (void)state;
    static const char *const machine[] = {"sm.code=machine", NULL};
    struct folds f = {0};
    struct costly c = {0};
    struct rf_policy inside = rf_policy_null;
    inside.wants = WANT_FOLDED;
    inside.folded = look_at_folded;
    inside.self = &f;
    const struct rf_policy p = around(&c, &inside);
    for (unsigned k = 0; k < 2; k++) {
        struct sm_rig *r =
            sm_rig_new(RIG_KERNEL("add.u32 %r3,%r3,1; mov.u32 %r1,7; add.u32 %r2,%r1,%r3;\n"
                                  "st.shared.u32 [sh],%r2; ret;\n"),
                       k ? machine : NULL);
        r->rf = &p;
        sm_rig_run(r, 1, 32);
        assert_int_equal(f.calls, k ? 2 : 0); /* in both runs */
        assert_int_equal(f.values, f.calls);
        assert_int_equal(c.calls, 2 * (5 + (k ? 4 : 0)));
        sm_rig_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delay_line_holds_nobody_up),
        cmocka_unit_test(a_delay_line_takes_one_a_cycle),
        cmocka_unit_test(loads_can_be_written_later),
        cmocka_unit_test(waits_for_banks_are_told),
        cmocka_unit_test(no_cost_is_beyond_the_calendar),
        cmocka_unit_test(costs_add_up),
        cmocka_unit_test(spills_are_extra),
        cmocka_unit_test(banks_can_be_chosen),
        cmocka_unit_test(warps_begin_and_end),
        cmocka_unit_test(events_have_the_frame_they_ran_in),
        cmocka_unit_test(what_takes_no_time_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
