/* What a technique can change at an SM's seams, to the cycle. */
#include "support_sm_rig.h"

static const char dependent[] =
    RIG_KERNEL("add.u32 %r2,%r1,1; add.u32 %r3,%r2,1; mov.u32 %r4,1; ret;\n");

/* --- rf_policy --- */

struct slow {
    struct rf_cost more; /* of what reads registers */
    uint32_t calls;
};

static void slow_cost(void *self, const struct rf_event *e, struct rf_cost *cost)
{
    struct slow *s = self;
    s->calls++;
    if (!e->d->nsrc)
        return;
    cost->hold += s->more.hold;
    cost->enter += s->more.enter;
    cost->write += s->more.write;
}

static struct rf_policy slow_policy(struct slow *s)
{
    struct rf_policy p = rf_policy_null;
    p.wants = WANT_COST;
    p.cost = slow_cost;
    p.self = s;
    return p;
}

/* Operands that take longer hold their instruction in its collector; a delay line lets others into
 * the collector; results that take longer keep what depends on them waiting: for one that depends,
 * all the same. The latency of an addition is 4; 5 cycles are those of port, collector, entry and
 * write-back. */
static void each_cost_delays_what_depends(void **state)
{
    (void)state;
    struct slow slow[] = {{{.hold = 3}, 0}, {{.enter = 3}, 0}, {{.write = 3}, 0}};
    for (size_t k = 0; k < ARRAY_LEN(slow); k++) {
        const struct rf_policy p = slow_policy(&slow[k]);
        struct sm_rig *r = sm_rig_new(dependent, NULL);
        r->rf = &p;
        sm_rig_run(r, 1, 32);
        assert_int_equal(rig_gap(r, 0, 1), 4 + 5 + 1 + 3);
        assert_int_equal(slow[k].calls, 2 * r->nissues); /* once an instruction, in both runs */
        sm_rig_free(r);
    }
}

/* --- issue_policy --- */

static void initiation_can_be_longer(void **state)
{
    (void)state;
    static const char *const one[] = {"sm.sp_units=1", NULL};
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("add.u32 %r2,%r1,1; add.u32 %r3,%r1,1; add.u32 %r4,%r3,1; ret;\n"), one);
    r->more_initiation = 6;
    sm_rig_run(r, 1, 32);
    /* the second enters 7 cycles after the first */
    assert_int_equal(rig_gap(r, 0, 2), 7 + 4 + 5 + 1);
    assert_int_equal(r->stats.sp_busy, 7 * 4);
    sm_rig_free(r);
}

/* --- warp_source --- */

struct source {
    unsigned idle_slots, first_slots;
    unsigned left;
};

static bool first(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    struct source *s = self;
    (void)sm;
    (void)sched;
    (void)now;
    s->first_slots++;
    return false;
}

static bool idle(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    struct source *s = self;
    (void)sm;
    (void)sched;
    (void)now;
    s->idle_slots++;
    if (!s->left)
        return false;
    s->left--;
    return true;
}

static bool pending(const void *self)
{
    return ((const struct source *)self)->left > 0;
}

static uint32_t registers(const void *self, const struct kernel *k)
{
    (void)self;
    (void)k;
    return 16;
}

/* Its registers count for every thread: 16 + 16 for 1024 threads are the whole file. */
static void extra_registers_take_room(void **state)
{
    (void)state;
    struct source s = {0};
    struct warp_source source = warp_source_null;
    source.issue_first = first;
    source.issue_idle = idle;
    source.is_pending = pending;
    source.extra_registers = registers;
    source.self = &s;
    struct sm_rig *r = sm_rig_new(dependent, NULL);
    sm_rig_run(r, 6, 256);
    assert_int_equal(r->most_ctas, 6);
    r->warps = &source;
    sm_rig_run(r, 6, 256);
    assert_int_equal(r->most_ctas, 4);
    sm_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cost_delays_what_depends),
        cmocka_unit_test(initiation_can_be_longer),
        cmocka_unit_test(extra_registers_take_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
