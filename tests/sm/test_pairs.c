/* issue_policy.partner: two warps in one issue, to the cycle, the register access and the value. */
#include "support_sm_rig.h"

#include "exec/warp.h"

struct pair {
    struct issue_policy inner;
    int with[4]; /* by slot */
    uint32_t joined;
};

static int as_told(void *self, struct sm *sm, unsigned slot)
{
    struct pair *p = self;
    const int other = slot < ARRAY_LEN(p->with) ? p->with[slot] : -1;
    return other >= 0 ? other : p->inner.partner(p->inner.self, sm, slot);
}

static uint32_t count_joined(void *self, const struct rf_event *e, uint32_t initiation)
{
    struct pair *p = self;
    p->joined += e->partner >= 0;
    return p->inner.initiation(p->inner.self, e, initiation);
}

static struct issue_policy pair_around(struct pair *p, const struct issue_policy *inner)
{
    p->inner = *inner;
    struct issue_policy policy = issue_policy_wrap(&p->inner);
    policy.partner = as_told;
    policy.initiation = count_joined;
    policy.wants |= WANT_PARTNER | WANT_INITIATION;
    return policy;
}

/* One scheduler, and the whole kernel in one fetch. */
static const char *const one[] = {"sm.schedulers=1", "sm.ibuffer=4", NULL};

static struct sm_rig *run(const char *ptx, uint32_t warps, const struct issue_policy *p)
{
    struct sm_rig *r = sm_rig_new(ptx, one);
    if (p)
        r->issue = p;
    sm_rig_run(r, 1, 32 * warps);
    return r;
}

/* --- answers that are none --- */

static int no_slot(void *self, struct sm *sm, unsigned slot)
{
    (void)sm;
    return *(int *)self == 0 ? (int)slot : *(int *)self;
}

/* Noted, and nobody follows: itself, beyond the slots, a number that is neither one nor -1. */
static void a_partner_is_another_slot_or_none(void **state)
{
    (void)state;
    static const char body[] = RIG_KERNEL("mov.u32 %r2,1; ret;\n");
    int answers[] = {0, 48, 1000000, -2};
    for (unsigned i = 0; i < ARRAY_LEN(answers); i++) {
        struct issue_policy p = issue_policy_null;
        p.partner = no_slot;
        p.wants = WANT_PARTNER;
        p.self = &answers[i];
        struct sm_rig *r = run(body, 2, &p);
        assert_int_equal(r->njoined, 0);
        assert_true(r->breach.is_noted && r->breach.seam == SEAM_issue);
        assert_non_null(strstr(r->breach.what, "partner() of slot"));
        sm_rig_free(r);
    }
}

/* --- in step --- */

/* Four instructions of two warps in four slots; each register of each warp is read and written. One
 * addition reads two registers of two warps, one a cycle: latency 4 + 5 + 4. */
static void two_warps_take_one_slot(void **state)
{
    (void)state;
    static const char body[] =
        RIG_KERNEL("mov.u32 %r2,1; add.u32 %r3,%r1,%r2; add.u32 %r4,%r3,1; ret;\n");
    struct pair pair = {.with = {1, -1, -1, -1}};
    const struct issue_policy p = pair_around(&pair, &issue_policy_null);
    struct sm_rig *alone = run(body, 2, NULL), *r = run(body, 2, &p);
    assert_int_equal(r->nissues, 8);
    assert_int_equal(r->njoined, 4);
    assert_int_equal(pair.joined, 2 * 8); /* both warps' events say so, in both runs */
    assert_int_equal(r->stats.issue_active, 4);
    assert_int_equal(r->stats.warp_inst, alone->stats.warp_inst);
    assert_int_equal(r->stats.thread_inst, alone->stats.thread_inst);
    assert_int_equal(r->stats.rf_reads, alone->stats.rf_reads);
    assert_int_equal(r->stats.rf_writes, alone->stats.rf_writes);
    assert_int_equal(rig_gap(r, 0, 1), 4 + 5);
    assert_int_equal(rig_gap(r, 1, 2), 4 + 5 + 2 * 2);
    for (uint32_t pc = 0; pc < 4; pc++)
        assert_int_equal(rig_nth(r, 0, pc, 0), rig_nth(r, 1, pc, 0));
    /* one pass of the pipe each */
    assert_int_equal(r->stats.sp_busy, alone->stats.sp_busy / 2);
    sm_rig_free(alone);
    sm_rig_free(r);
}

/* Two lines of 128 bytes each way, in one load and one store; everybody gets his own values. Only
 * the leader fetches, but for what both had asked for at the begin. */
static void memory_of_both_is_one_access_list(void **state)
{
    (void)state;
    static const char body[] =
        RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mad.wide.u32 %rd2,%r1,4,%rd1;\n"
                   "ld.global.u32 %r2,[%rd2]; add.u32 %r3,%r2,%r1; bar.sync 0;\n"
                   "st.global.u32 [%rd2+256],%r3; membar.gl; st.shared.u32 [sh],%r3; ret;\n");
    struct pair pair = {.with = {1, -1, -1, -1}};
    const struct issue_policy p = pair_around(&pair, &issue_policy_null);
    struct sm_rig *r = sm_rig_new(body, one);
    for (uint32_t l = 0; l < 64; l++)
        r->f.words[l] = 1000 * l;
    r->issue = &p;
    sm_rig_run(r, 1, 64);
    for (uint32_t l = 0; l < 64; l++)
        assert_int_equal(r->f.words[64 + l], 1001 * l);
    assert_int_equal(r->njoined, 10);
    assert_int_equal(r->stats.load_inst, 2); /* of the parameter and of the values */
    assert_int_equal(r->stats.store_inst, 1);
    assert_int_equal(r->caches[SM_CACHE_DATA].reads, 2);
    assert_int_equal(r->stats.fetches, 3 + 1);
    sm_rig_free(r);
}

/* --- apart --- */

/* The leader's side first, the follower's behind it; a warp that is elsewhere sits out, and when
 * the one that leads has come to where they meet it waits there. */
struct joint {
    struct issue_policy inner;
    unsigned leader;
};

static uint32_t pc_in(const struct sm *sm, unsigned slot)
{
    struct warp *w = sm_warp(sm, slot);
    return w && w->state != WARP_DONE && w->depth ? warp_top(w)->pc : UINT32_MAX;
}

static int who_is_behind(void *self, struct sm *sm, unsigned slot)
{
    struct joint *j = self;
    const uint32_t mine = pc_in(sm, slot), other = pc_in(sm, 1 - slot);
    if (mine > other) {
        sm_hold(sm, slot, CYCLE_NEVER);
        j->leader = 1 - slot;
        return -1;
    }
    if (mine < other)
        j->leader = slot;
    return j->leader == slot ? (int)(1 - slot) : -1;
}

static void lead_with_0(void *ctx)
{
    ((struct joint *)ctx)->leader = 0;
}

/* lnl.md 8.5, example 15: warp 1 takes the branch, warp 0 does not. Sides of 3 and 2 instructions:
 * five issues, each warp executes its own side, then both go on together. */
static void each_warp_executes_its_own_side(void **state)
{
    (void)state;
    static const char body[] = RIG_KERNEL(
        "mov.u32 %r1,%tid.x; setp.ge.u32 %p1,%r1,32; @%p1 bra B;\n"
        "mov.u32 %r2,1; mov.u32 %r3,1; bra C;\nB: mov.u32 %r4,1; mov.u32 %r5,1;\nC: mov.u32 "
        "%r6,1; ret;\n");
    static const uint32_t pcs[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const char *const who[] = {"01", "01", "01", "0", "0", "0", "1", "1", "10", "10"};
    struct joint j = {.inner = issue_policy_null};
    struct issue_policy p = issue_policy_wrap(&j.inner);
    p.partner = who_is_behind;
    p.wants |= WANT_PARTNER;
    struct sm_rig *r = sm_rig_new(body, one);
    r->issue = &p;
    r->prepare = lead_with_0;
    r->prepare_ctx = &j;
    sm_rig_run(r, 1, 64);
    uint32_t i = 0;
    for (uint32_t k = 0; k < ARRAY_LEN(pcs); k++)
        for (const char *c = who[k]; *c; c++, i++) {
            assert_int_equal(r->issues[i].pc, pcs[k]);
            assert_int_equal(r->issues[i].slot, *c - '0');
        }
    assert_int_equal(r->nissues, i);
    assert_int_equal(r->stats.issue_active, 10);
    sm_rig_free(r);
}

/* A warp that follows and is never where its leader is waits for its leader's end. */
static void a_follower_goes_on_when_its_leader_has_ended(void **state)
{
    (void)state;
    static const char body[] =
        RIG_KERNEL("mov.u32 %r1,%tid.x; setp.ge.u32 %p1,%r1,32; @%p1 bra B;\n"
                   "mov.u32 %r2,1; ret;\nB: mov.u32 %r4,1; ret;\n");
    struct pair pair = {.with = {1, -1, -1, -1}};
    const struct issue_policy p = pair_around(&pair, &issue_policy_null);
    struct sm_rig *r = run(body, 2, &p);
    assert_int_equal(r->nissues, 2 * 5);
    assert_int_equal(r->njoined, 3);
    assert_true(rig_nth(r, 1, 5, 0) > rig_nth(r, 0, 4, 0));
    sm_rig_free(r);
}

/* A leader waits at its block's barrier, to which one warp comes late; its follower is of another
 * block, and leaves a barrier of its own before. */
static void a_follower_does_not_wait_at_another_barrier(void **state)
{
    (void)state;
    struct pair pair = {.with = {-1, 3, -1, -1}};
    const struct issue_policy p = pair_around(&pair, &issue_policy_null);
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,%tid.x; shr.u32 %r1,%r1,5; mov.u32 %r2,%ctaid.x;\n"
                   "add.u32 %r3,%r1,%r2; setp.ne.u32 %p1,%r3,0; @%p1 bra B;\n"
                   "sin.approx.f32 %f1,%f1; sin.approx.f32 %f1,%f1; sin.approx.f32 %f1,%f1;\n"
                   "sin.approx.f32 %f1,%f1; B: bar.sync 0; mov.u32 %r4,1; ret;\n"),
        one);
    r->issue = &p;
    sm_rig_run(r, 2, 64);
    assert_true(r->njoined > 0);
    assert_true(rig_nth(r, 2, 11, 0) < rig_nth(r, 0, 11, 0));
    assert_true(rig_nth(r, 3, 11, 0) < rig_nth(r, 0, 11, 0));
    sm_rig_free(r);
}

/* Atomics are executed at meeting points, and by one warp each. */
static void deferred_instructions_go_alone(void **state)
{
    (void)state;
    static const char body[] = RIG_KERNEL(
        "ld.param.u64 %rd1,[p]; atom.global.add.u32 %r1,[%rd1],1; mov.u32 %r2,1; ret;\n");
    struct pair pair = {.with = {1, -1, -1, -1}};
    const struct issue_policy p = pair_around(&pair, &issue_policy_null);
    struct sm_rig *r = run(body, 2, &p);
    assert_int_equal(r->f.words[0], 64);
    assert_int_equal(r->nissues, 2 * 4);
    assert_true(r->njoined < 4);
    sm_rig_free(r);
}

/* Neither oneself, nor who is not there, nor one that follows already, nor one of another sub-core.
 */
static void not_everybody_can_follow(void **state)
{
    (void)state;
    static const char body[] = RIG_KERNEL("mov.u32 %r1,1; mov.u32 %r2,1; ret;\n");
    static const struct pair wrong[] = {{.with = {0, 1, 2, 3}}, {.with = {40, 99, 63, 1000}}};
    for (size_t k = 0; k < ARRAY_LEN(wrong); k++) {
        struct pair pair = wrong[k];
        const struct issue_policy p = pair_around(&pair, &issue_policy_null);
        struct sm_rig *r = run(body, 4, &p);
        assert_int_equal(r->njoined, 0);
        sm_rig_free(r);
    }
    struct pair three = {.with = {3, 3, 3, -1}};
    const struct issue_policy p = pair_around(&three, &issue_policy_null);
    struct sm_rig *r = run(body, 4, &p);
    assert_int_equal(r->nissues, 4 * 3);
    assert_int_equal(r->stats.issue_active, 4 * 3 - r->njoined);
    assert_int_equal(r->njoined, 3); /* 3 goes along once through the program */
    sm_rig_free(r);
    static const char *const apart[] = {"sm.subcores=2", "sm.schedulers=1", NULL};
    struct pair pair = {.with = {1, -1, -1, -1}};
    const struct issue_policy q = pair_around(&pair, &issue_policy_null);
    r = sm_rig_new(body, apart);
    r->issue = &q;
    sm_rig_run(r, 1, 64);
    assert_int_equal(r->njoined, 0);
    sm_rig_free(r);
}

/* Two techniques have a partner for warp 0: the outer one's goes. */
static void the_outer_one_pairs_first(void **state)
{
    (void)state;
    static const char body[] = RIG_KERNEL("mov.u32 %r1,1; mov.u32 %r2,1; ret;\n");
    for (unsigned outer = 0; outer < 2; outer++) {
        struct pair pairs[2] = {{.with = {1, -1, -1, -1}}, {.with = {2, -1, -1, -1}}};
        const struct issue_policy inside = pair_around(&pairs[!outer], &issue_policy_null);
        const struct issue_policy outside = pair_around(&pairs[outer], &inside);
        struct sm_rig *r = run(body, 3, &outside);
        const uint32_t with = outer ? 2 : 1, without = 3 - with;
        assert_int_equal(r->njoined, 3);
        for (uint32_t pc = 0; pc < 3; pc++) {
            assert_int_equal(rig_nth(r, 0, pc, 0), rig_nth(r, with, pc, 0));
            assert_int_not_equal(rig_nth(r, 0, pc, 0), rig_nth(r, without, pc, 0));
        }
        sm_rig_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_partner_is_another_slot_or_none),
        cmocka_unit_test(two_warps_take_one_slot),
        cmocka_unit_test(memory_of_both_is_one_access_list),
        cmocka_unit_test(each_warp_executes_its_own_side),
        cmocka_unit_test(a_follower_goes_on_when_its_leader_has_ended),
        cmocka_unit_test(a_follower_does_not_wait_at_another_barrier),
        cmocka_unit_test(deferred_instructions_go_alone),
        cmocka_unit_test(not_everybody_can_follow),
        cmocka_unit_test(the_outer_one_pairs_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
