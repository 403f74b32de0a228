/* Which warp is picked in which cycle. */
#include "support_sm_rig.h"

/* The slots that issue from the first issue on, a character a cycle, '.' for none. */
static void slots_of(const struct sm_rig *r, char *out, size_t len)
{
    cycle_t first = r->issues[0].cycle;
    memset(out, '.', len);
    for (uint32_t i = 0; i < r->nissues && r->issues[i].cycle - first < len; i++)
        out[r->issues[i].cycle - first] = (char)('0' + r->issues[i].slot);
    out[len] = 0;
}

static void expect(const char *policy, const char *ptx, uint32_t warps, const char *slots)
{
    char set[64], got[256];
    snprintf(set, sizeof set, "sm.scheduler=%s", policy);
    const char *const sets[] = {"sm.schedulers=1", "sm.ibuffer=4", "sm.active_warps=2", set, NULL};
    struct sm_rig *r = sm_rig_new(ptx, sets);
    sm_rig_run(r, 1, 32 * warps);
    slots_of(r, got, strlen(slots));
    assert_string_equal(got, slots);
    sm_rig_free(r);
}

/* Four instructions without dependences, one buffer; warp w has its buffer in cycle w. */
#define STRAIGHT RIG_KERNEL("mov.u32 %r1,1; mov.u32 %r2,1; mov.u32 %r3,1; ret;\n")
/* The second waits 9 cycles for the first; then two more buffers of independent ones. */
#define STALLS                                                                     \
    RIG_KERNEL("mov.u32 %r1,1; add.u32 %r2,%r1,1; mov.u32 %r3,1; mov.u32 %r4,1;\n" \
               "mov.u32 %r5,1; mov.u32 %r6,1; mov.u32 %r7,1; ret;\n")

static void greedy_then_oldest(void **state)
{
    (void)state;
    expect("gto", STRAIGHT, 4, "0000111122223333");
    /* All wait for their first result. Slot 0 goes on until its buffer is empty, at 11; in the
     * cycle without it slot 1 begins and stays, though the older one could issue again at 13. */
    expect("gto", STALLS, 3, "012......00011100001111222.2222");
}

static void oldest_first(void **state)
{
    (void)state;
    expect("oldest", STRAIGHT, 4, "0000111122223333");
    /* Slot 0's second buffer, there at 13, goes before the rest of slot 1's first. */
    expect("oldest", STALLS, 3, "012......00010000112111122.2222");
}

static void loose_round_robin(void **state)
{
    (void)state;
    expect("lrr", STRAIGHT, 4, "0123012301230123");
    expect("lrr", STALLS, 2, "01.......010101010101");
}

/* Two of four warps are active; a warp leaves the set when it cannot issue. */
static void two_levels(void **state)
{
    (void)state;
    expect("two_level", STRAIGHT, 4, "0101010123232323");
}

/* --- the choice alone --- */

static void gto_picks_by_age(void **state)
{
    (void)state;
    struct sm *sm = xalloc_aligned(64, sizeof *sm);
    memset(sm, 0, sizeof *sm);
    struct sched s = {.last = 5};
    for (unsigned i = 0; i < MAX_WARPS; i++)
        sm->slot[i].age = 1000 - i;
    sm->slot[7].age = 3;
    assert_int_equal(sched_gto_ops.pick(sm, &s, 0xf0), 5);
    assert_int_equal(sched_gto_ops.pick(sm, &s, 0xd0), 7);
    assert_int_equal(sched_oldest_ops.pick(sm, &s, 0xf0), 7);
    assert_int_equal(sched_oldest_ops.pick(sm, &s, UINT64_MAX & ~UINT64_C(0x80)), 63);
    free(sm);
}

static void round_robin_wraps(void **state)
{
    (void)state;
    struct sched s = {.last = 63};
    assert_int_equal(sched_lrr_ops.pick(NULL, &s, UINT64_C(1) << 63 | 2), 1);
    s.last = 1;
    assert_int_equal(sched_lrr_ops.pick(NULL, &s, UINT64_C(1) << 63 | 2), 63);
    s.last = 2;
    assert_int_equal(sched_lrr_ops.pick(NULL, &s, 6), 1);
}

/* --- sub-cores --- */

/* Slots are dealt out to sub-cores in turn; each issues one a cycle, and has pipes of its own: four
 * warps that would share a special-function unit do not wait for each other. */
static void sub_cores_do_not_share(void **state)
{
    (void)state;
    static const char *const four[] = {"sm.subcores=4", "sm.schedulers=1", "sm.sfu_ports=1",
                                       "sm.writeback_ports=8", NULL};
    struct sm_rig *r =
        sm_rig_new(RIG_KERNEL("sin.approx.f32 %f1,%f2; mov.f32 %f3,%f1; ret;\n"), four);
    sm_rig_run(r, 1, 128);
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(rig_nth(r, w, 1, 0) - rig_nth(r, w, 0, 0), 8 + 5 + 1);
    sm_rig_free(r);
}

/* Two schedulers: even and odd slots, both in one cycle. */
static void two_schedulers_issue_at_once(void **state)
{
    (void)state;
    struct sm_rig *r = sm_rig_new(
        RIG_KERNEL("mov.u32 %r1,1; bar.sync 0; mov.u32 %r2,1; mov.u32 %r3,1; ret;\n"), NULL);
    sm_rig_run(r, 1, 128);
    uint32_t both = 0;
    for (uint32_t i = 1; i < r->nissues; i++)
        if (r->issues[i].cycle == r->issues[i - 1].cycle) {
            assert_int_equal((r->issues[i].slot + r->issues[i - 1].slot) % 2, 1);
            both++;
        }
    assert_true(both >= 4);
    sm_rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_then_oldest),     cmocka_unit_test(oldest_first),
        cmocka_unit_test(loose_round_robin),      cmocka_unit_test(two_levels),
        cmocka_unit_test(gto_picks_by_age),       cmocka_unit_test(round_robin_wraps),
        cmocka_unit_test(sub_cores_do_not_share), cmocka_unit_test(two_schedulers_issue_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
