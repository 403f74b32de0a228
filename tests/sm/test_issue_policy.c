/* issue_policy, value_policy and sched_policy to the cycle and to the value. */
#include "support_sm_rig.h"

enum {
    ONE_READ = 4 + 5 + 1
}; /* cycles to what depends on an addition or move (test_rf_policy.c) */

static struct issue_policy issue_with(uint32_t wants, void *self)
{
    struct issue_policy p = issue_policy_null;
    p.wants = wants;
    p.self = self;
    return p;
}

static uint32_t pc_of(const struct dinst *d)
{
    return (uint32_t)(d - d->fn->code);
}

/* --- precede --- */

/* Before instruction `pc`, once a run: a move of its register `k`. */
struct mover {
    struct issue_policy inner;
    uint32_t pc;
    unsigned k;
    bool is_done;
    const struct dinst *move;
    uint32_t *order, number; /* who has moved, a digit each */
};

static const struct dinst *move_first(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                      const struct dinst *d)
{
    struct mover *m = self;
    if (pc_of(d) != m->pc || m->is_done)
        return m->inner.precede(m->inner.self, sm, slot, w, d);
    m->move = sm_move(sm, d, m->k, m);
    return m->move;
}

static uint32_t see_move(void *self, const struct rf_event *e, uint32_t initiation)
{
    struct mover *m = self;
    if (e->d == m->move && !m->is_done) {
        assert_true(e->is_extra);
        assert_int_equal(e->mask, e->all);
        m->is_done = true;
        *m->order = 10 * *m->order + m->number;
    }
    return m->inner.initiation(m->inner.self, e, initiation);
}

static struct issue_policy mover_around(struct mover *m, const struct issue_policy *inner)
{
    m->inner = *inner;
    struct issue_policy p = issue_policy_wrap(&m->inner);
    p.precede = move_first;
    p.initiation = see_move;
    p.wants |= WANT_PRECEDE | WANT_INITIATION;
    return p;
}

static void begin_again(void *ctx)
{
    struct mover *m = ctx;
    for (unsigned i = 0; i < 2; i++)
        m[i].is_done = false;
    *m->order = 0;
}

static const char dependent[] =
    RIG_KERNEL("add.u32 %r2,%r1,1; @%p1 add.u32 %r3,%r2,1; mov.u32 %r4,1; ret;\n");

/* The move goes in the cycle behind the first addition, of which it is independent; it reads one
 * register and is a move, so the second addition waits one cycle longer. It ignores the guard. */
static void a_move_can_go_before(void **state)
{
    (void)state;
    uint32_t order = 0;
    struct mover m[2] = {{.pc = 1, .k = 0, .order = &order, .number = 1}};
    struct issue_policy p = mover_around(&m[0], &issue_policy_null);
    struct sm_rig *r = sm_rig_new(dependent, NULL);
    r->issue = &p;
    r->prepare = begin_again;
    r->prepare_ctx = m;
    sm_rig_run(r, 1, 20);
    assert_int_equal(rig_count(r, 0, RIG_MOVE), 1);
    assert_int_equal(rig_gap(r, 0, RIG_MOVE), 1);
    assert_int_equal(rig_gap(r, 0, 1), 1 + ONE_READ);
    assert_int_equal(r->issues[1].mask, 0xfffff);
    assert_int_equal(r->stats.extra_inst, 1);
    assert_int_equal(r->stats.extra_thread_inst, 20);
    assert_int_equal(r->stats.warp_inst, 4 + 1);
    assert_int_equal(r->stats.rf_writes, 3 + 1);
    sm_rig_free(r);
}

/* One that has no registers takes its slot and nothing else. */
static void a_slot_can_be_taken(void **state)
{
    (void)state;
    uint32_t order = 0;
    struct mover m[2] = {{.pc = 2, .k = 99, .order = &order, .number = 1}};
    struct issue_policy p = mover_around(&m[0], &issue_policy_null);
    static const char *const sets[] = {"sm.ibuffer=4", NULL};
    struct sm_rig *r = sm_rig_new(dependent, sets);
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_gap(r, 1, 2), 1);
    r->issue = &p;
    r->prepare = begin_again;
    r->prepare_ctx = m;
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_gap(r, 1, 2), 2);
    assert_int_equal(rig_gap(r, 0, 1), ONE_READ);
    sm_rig_free(r);
}

/* Two techniques want a move before the same instruction: the outer one's goes first. */
static void the_outer_one_precedes_first(void **state)
{
    (void)state;
    for (unsigned outer = 0; outer < 2; outer++) {
        uint32_t order = 0;
        struct mover m[2] = {{.pc = 1, .k = 0, .order = &order, .number = 1},
                             {.pc = 1, .k = 0, .order = &order, .number = 2}};
        struct issue_policy inside = mover_around(&m[!outer], &issue_policy_null);
        struct issue_policy outside = mover_around(&m[outer], &inside);
        struct sm_rig *r = sm_rig_new(dependent, NULL);
        r->issue = &outside;
        r->prepare = begin_again;
        r->prepare_ctx = m;
        sm_rig_run(r, 1, 32);
        assert_int_equal(order, outer ? 21 : 12);
        assert_int_equal(r->stats.extra_inst, 2);
        sm_rig_free(r);
    }
}

/* --- before, lanes --- */

static void one_of_four(void *self, struct sm *sm, unsigned slot, struct warp *w,
                        const struct dinst *d)
{
    (void)self, (void)sm, (void)slot;
    w->lanes = pc_of(d) == 3 ? 0x11111111 : UINT32_MAX;
}

/* Instruction 3 is executed by every fourth lane; the others keep what their registers hold. */
static void lanes_can_be_left_out(void **state)
{
    (void)state;
    struct issue_policy p = issue_with(WANT_BEFORE, NULL);
    p.before = one_of_four;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mov.u32 %r2,7;\n"
                   "add.u32 %r2,%r1,100; mad.wide.u32 %rd2,%r1,4,%rd1; st.global.u32 [%rd2],%r2;\n"
                   "ret;\n"),
        NULL);
    sm_rig_run(r, 1, 32);
    const uint64_t all = r->stats.thread_inst;
    r->issue = &p;
    sm_rig_run(r, 1, 32);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(r->f.words[l], l % 4 ? 7 : 100 + l);
    assert_int_equal(r->stats.thread_inst, all - 24);
    sm_rig_free(r);
}

static void only_lane_3(void *self, struct sm *sm, unsigned slot, struct warp *w,
                        const struct dinst *d)
{
    (void)self, (void)sm, (void)slot, (void)d;
    w->lanes = 8;
}

/* Branches, barriers and exits are all lanes' business: everybody gets to the end, both ways. */
static void control_is_not_left_out(void **state)
{
    (void)state;
    struct issue_policy p = issue_with(WANT_BEFORE, NULL);
    p.before = only_lane_3;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r3,%laneid; setp.eq.u32 %p1,%r3,3; @%p1 bra A; mov.u32 %r1,1;\n"
                   "A: bar.sync 0; mov.u32 %r2,1; ret;\n"),
        NULL);
    r->issue = &p;
    sm_rig_run(r, 1, 64);
    assert_int_equal(r->stats.divergences, 2); /* the predicate holds in lane 3 */
    assert_int_equal(r->issues[r->nissues - 1].mask, UINT32_MAX);
    sm_rig_free(r);
}

static void hold_for_a_while(void *self, struct sm *sm, unsigned slot, struct warp *w,
                             const struct dinst *d)
{
    (void)self, (void)w;
    if (pc_of(d) == 0)
        sm_hold(sm, slot, sm_now(sm) + 50);
}

static void count_held(void *self, struct sm *sm, unsigned sched, uint64_t cycles)
{
    (void)sm, (void)sched;
    *(uint64_t *)self += cycles;
}

/* Its second instruction could have gone ONE_READ behind the first; what is between is told, in
 * both runs, whether the SM sleeps or not. */
static void a_warp_can_be_held(void **state)
{
    (void)state;
    uint64_t held = 0;
    struct issue_policy p = issue_with(WANT_BEFORE | WANT_HELD, &held);
    p.before = hold_for_a_while;
    p.held = count_held;
    struct sm_rig *r = sm_rig_new(dependent, NULL);
    r->issue = &p;
    sm_rig_run(r, 1, 32);
    assert_int_equal(rig_gap(r, 0, 1), 50);
    assert_int_equal(held, 2 * (50 - ONE_READ));
    sm_rig_free(r);
}

/* --- value_policy --- */

struct adder {
    struct value_policy inner;
    uint64_t factor, more;
};

static void change(void *self, struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d,
                   uint32_t mask)
{
    struct adder *a = self;
    uint64_t values[WARP_LANES];
    a->inner.loaded(a->inner.self, sm, slot, w, d, mask);
    if (sm_register_read(w, d, 0, values) != 32)
        return;
    for (unsigned l = 0; l < WARP_LANES; l++)
        values[l] = values[l] * a->factor + a->more;
    assert_int_equal(sm_register_write(w, d, 0, mask, values), 32);
}

/* Two change what loads bring: the outer one sees what the inner one has left. Lanes that did not
 * load keep what they had; other instructions are not asked about. */
static void loads_can_bring_other_values(void **state)
{
    (void)state;
    for (unsigned outer = 0; outer < 2; outer++) {
        struct adder a[2] = {{.factor = 1, .more = 5}, {.factor = 3, .more = 0}};
        a[!outer].inner = value_policy_null;
        struct value_policy inside = value_policy_wrap(&a[!outer].inner);
        inside.loaded = change;
        a[outer].inner = inside;
        struct value_policy outside = value_policy_wrap(&a[outer].inner);
        outside.loaded = change;
        outside.wants |= WANT_LOADED;
        struct sm_rig *r = sm_rig_new(
            RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mad.wide.u32 %rd2,%r1,4,%rd1;\n"
                       "mov.u32 %r2,1000; setp.lt.u32 %p1,%r1,8; @%p1 ld.global.u32 %r2,[%rd2];\n"
                       "st.global.u32 [%rd2+128],%r2; ret;\n"),
            NULL);
        for (uint32_t l = 0; l < 32; l++)
            r->f.words[l] = l;
        r->values = &outside;
        sm_rig_run(r, 1, 32);
        for (uint32_t l = 0; l < 32; l++)
            assert_int_equal(r->f.words[32 + l], l >= 8 ? 1000 : outer ? (l + 5) * 3 : l * 3 + 5);
        sm_rig_free(r);
    }
}

/* What an atomic of global memory brings is there when SMs meet, not when its cost is asked. */
struct watcher {
    uint64_t at_cost, at_meeting;
    uint32_t mask;
};

static void see_cost(void *self, const struct rf_event *e, struct rf_cost *cost)
{
    struct watcher *w = self;
    uint64_t values[WARP_LANES];
    (void)cost;
    assert_true(e->is_deferred == !!(e->d->flags & DINST_ATOMIC));
    if (e->is_deferred && sm_register_read(e->w, e->d, 0, values))
        w->at_cost = values[3];
}

static void see_result(void *self, struct sm *sm, unsigned slot, struct warp *warp,
                       const struct dinst *d, uint32_t mask)
{
    struct watcher *w = self;
    uint64_t values[WARP_LANES];
    (void)sm, (void)slot;
    assert_int_equal(sm_register_read(warp, d, 0, values), 32);
    w->at_meeting = values[3];
    w->mask = mask;
}

static void atomics_tell_when_they_are_done(void **state)
{
    (void)state;
    struct watcher w = {0};
    struct rf_policy rf = rf_policy_null;
    struct value_policy values = value_policy_null;
    rf.cost = see_cost;
    rf.wants = WANT_COST;
    values.resumed = see_result;
    values.wants = WANT_RESUMED;
    rf.self = values.self = &w;
    struct sm_rig *r =
        sm_rig_new(RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; setp.lt.u32 %p1,%r1,4;\n"
                              "mov.u32 %r2,77; @%p1 atom.global.add.u32 %r2,[%rd1],1; ret;\n"),
                   NULL);
    r->rf = &rf;
    r->values = &values;
    sm_rig_run(r, 1, 32);
    assert_int_equal(w.at_cost, 77);
    assert_in_range(w.at_meeting, 3, 7); /* the fourth lane's, in the first run or the second */
    assert_int_equal(w.mask, 0xf);
    sm_rig_free(r);
}

/* --- sched_policy --- */

static int last_slot(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    (void)self, (void)sm;
    assert_int_equal(sched, 0);
    return 63 - __builtin_clzll(can);
}

static uint64_t not_the_last(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    (void)self, (void)sm, (void)sched;
    return can & (can - 1) ? can & ~(UINT64_C(1) << (63 - __builtin_clzll(can))) : can;
}

/* Slots in the order in which they issue, a character each, four warps of four instructions; warp w
 * has its buffer in cycle w. */
static void expect_slots(const struct sched_policy *p, const char *scheduler, const char *slots)
{
    char got[17] = "";
    const char *const sets[] = {"sm.schedulers=1", "sm.ibuffer=4", scheduler, NULL};
    struct sm_rig *r =
        sm_rig_new(RIG_KERNEL("mov.u32 %r1,1; mov.u32 %r2,1; mov.u32 %r3,1; ret;\n"), sets);
    r->schedulers = p;
    sm_rig_run(r, 1, 128);
    for (uint32_t i = 0; i < 16; i++)
        got[i] = (char)('0' + r->issues[i].slot);
    assert_string_equal(got, slots);
    sm_rig_free(r);
}

static void a_technique_can_schedule(void **state)
{
    (void)state;
    struct sched_policy p = sched_policy_null;
    expect_slots(&p, "sm.scheduler=lrr", "0123012301230123");
    p.wants = WANT_PICK;
    expect_slots(&p, "sm.scheduler=lrr", "0123012301230123");
    p.pick = last_slot;
    expect_slots(&p, "sm.scheduler=lrr", "0123333222111000");
    expect_slots(&p, "sm.scheduler=gto", "0123333222111000");
    p = sched_policy_null; /* all but the youngest, of whom the machine's scheduler picks */
    p.wants = WANT_PICK;
    p.narrow = not_the_last;
    expect_slots(&p, "sm.scheduler=gto", "0000111122223333");
    /* 0, 0 of two, 1 of 0 and 1, then 0, 1, 2 in turn; 3 when nobody else is left */
    expect_slots(&p, "sm.scheduler=lrr", "0012012012123333");
}

/* --- what may not be done where nothing changes --- */

static const struct dinst *look_first(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                      const struct dinst *d)
{
    (void)self, (void)w, (void)d;
    sm_look(sm, slot);
    return NULL;
}

static int hold_and_let_go(void *self, struct sm *sm, unsigned slot)
{
    (void)self;
    sm_hold(sm, slot, sm_now(sm) + 9);
    sm_let_go(sm, slot);
    return -1;
}

/* Each would be asked again by what it does, without end. */
static void precede_and_partner_do_not_look(void **state)
{
    (void)state;
    static const char body[] = RIG_KERNEL("mov.u32 %r2,1; ret;\n");
    for (unsigned i = 0; i < 2; i++) {
        struct issue_policy p = issue_with(i ? WANT_PARTNER : WANT_PRECEDE, NULL);
        p.precede = look_first;
        p.partner = hold_and_let_go;
        struct sm_rig *r = sm_rig_new(body, NULL);
        r->issue = &p;
        sm_rig_run(r, 1, 32);
        assert_int_equal(r->nissues, 2);
        assert_true(r->breach.is_noted && r->breach.seam == SEAM_issue);
        assert_string_equal(r->breach.what,
                            "look() or let_go() from within precede() or partner(), "
                            "which change nothing");
        sm_rig_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_can_go_before),
        cmocka_unit_test(a_slot_can_be_taken),
        cmocka_unit_test(the_outer_one_precedes_first),
        cmocka_unit_test(lanes_can_be_left_out),
        cmocka_unit_test(control_is_not_left_out),
        cmocka_unit_test(a_warp_can_be_held),
        cmocka_unit_test(loads_can_bring_other_values),
        cmocka_unit_test(atomics_tell_when_they_are_done),
        cmocka_unit_test(a_technique_can_schedule),
        cmocka_unit_test(precede_and_partner_do_not_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
