/* What a technique can change at an SM's seams, to the cycle. */
#include "support_sm_rig.h"

static const char dependent[] =
    RIG_KERNEL("add.u32 %r2,%r1,1; add.u32 %r3,%r2,1; mov.u32 %r4,1; ret;\n");

/* --- rf_policy --- */

static uint32_t three_more(void *self, const struct rf_event *e)
{
    uint32_t *calls = self;
    (*calls)++;
    return e->d->nsrc ? 3 : 0;
}

static uint32_t none(void *self, const struct rf_event *e)
{
    (void)self;
    (void)e;
    return 0;
}

/* Operands that take longer hold their instruction in its collector, and no other. */
static void reads_can_take_longer(void **state)
{
    (void)state;
    uint32_t calls = 0;
    const struct rf_policy slow = {three_more, none, &calls};
    struct sm_rig *r = sm_rig_new(dependent, NULL);
    r->rf = &slow;
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_gap(r, 0, 1), 4 + 5 + 1 + 3);
    assert_int_equal(calls, 2 * r->nissues); /* asked once an instruction, in both runs */
    sm_rig_free(r);
}

/* Results that take longer to write keep what depends on them waiting. */
static void writes_can_take_longer(void **state)
{
    (void)state;
    uint32_t calls = 0;
    const struct rf_policy slow = {none, three_more, &calls};
    struct sm_rig *r = sm_rig_new(dependent, NULL);
    r->rf = &slow;
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_gap(r, 0, 1), 4 + 5 + 1 + 3);
    assert_int_equal(calls, 2 * r->nissues);
    sm_rig_free(r);
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
        cmocka_unit_test(reads_can_take_longer),
        cmocka_unit_test(writes_can_take_longer),
        cmocka_unit_test(initiation_can_be_longer),
        cmocka_unit_test(extra_registers_take_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
