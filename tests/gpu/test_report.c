/* What a report says follows from the counters: shares, and the one line with the bottleneck. */
#include "gpu/report_int.h"
#include "sm/load_stages.h"
#include "sm/sm_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Counters of a machine of 15 SMs, 12 slices, 6 channels over 1000 cycles at 700 MHz. */
struct counters {
    struct stats *st;
    struct sm_stats sm;
    struct load_stages stages;
    struct l1_stats l1;
    struct l2_stats l2;
    struct mem_ctrl_stats mc;
    struct dram_stats dram;
    struct noc_stats request, reply;
};

enum { CYCLES = 1000 };

static int setup(void **state)
{
    struct counters *c = xcalloc(1, sizeof *c);
    c->st = stats_new();
    stats_add(c->st, "sm", sm_stat_rows, sm_nstat_rows, &c->sm);
    stats_add(c->st, "load_stages", load_stage_rows, load_nstage_rows, &c->stages);
    stats_add(c->st, "l1", l1_stat_rows, l1_nstat_rows, &c->l1);
    stats_add(c->st, "l2", l2_stat_rows, l2_nstat_rows, &c->l2);
    stats_add(c->st, "mc", mem_ctrl_stat_rows, mem_ctrl_nstat_rows, &c->mc);
    stats_add(c->st, "dram", dram_stat_rows, dram_nstat_rows, &c->dram);
    stats_add(c->st, "noc_request", noc_stat_rows, noc_nstat_rows, &c->request);
    stats_add(c->st, "noc_reply", noc_stat_rows, noc_nstat_rows, &c->reply);
    c->sm.busy_cycles = 15 * CYCLES;
    c->sm.warp_cycles = UINT64_C(15) * CYCLES * 24;
    c->sm.register_cycles = UINT64_C(15) * CYCLES * 8192;
    c->sm.warp_inst = 3 * CYCLES;
    c->sm.thread_inst = 90 * CYCLES;
    c->sm.issue_active = 3 * CYCLES;
    c->sm.issue_data_stall = 27 * CYCLES;
    *state = c;
    return 0;
}

static int teardown(void **state)
{
    struct counters *c = *state;
    stats_free(c->st);
    free(c);
    return 0;
}

static struct report_facts facts_of(const struct counters *c)
{
    struct err err = {0};
    struct report_facts f;
    struct machine *m = machine_new("gtx480-gpgpusim", NULL, 0, &err);
    assert_non_null(m);
    report_facts(&f, m, c->st, CYCLES);
    machine_free(m);
    return f;
}

static void expect(const struct counters *c, const char *start)
{
    struct report_facts f = facts_of(c);
    if (strncmp(f.bottleneck, start, strlen(start)))
        fail_msg("not %s, but %s", start, f.bottleneck);
}

static void test_shares(void **state)
{
    struct counters *c = *state;
    c->mc.bytes_moved = 64000;
    c->l1.reads = 10;
    c->l1.read_hits = 4;
    struct report_facts f = facts_of(c);
    assert_float_equal(f.warp_ipc, 3, 1e-9);
    assert_float_equal(f.thread_ipc, 90, 1e-9);
    assert_float_equal(f.slots[0], 0.1, 1e-9);
    assert_float_equal(f.slots[3], 0.9, 1e-9);
    assert_float_equal(f.occupancy_warps, 24, 1e-9);
    assert_float_equal(f.unallocated, 0.75, 1e-9); /* 8192 of 32768 are allocated */
    assert_float_equal(f.busy, 1, 1e-9);
    assert_float_equal(f.l1.hit, 0.4, 1e-9);
    assert_float_equal(f.dram_rate, 64000 * 700e3, 1); /* bytes in 1000 / 700 MHz */
    assert_float_equal(f.dram_peak, 177.408e9, 1e3);
}

static void test_resources(void **state)
{
    struct counters *c = *state;
    c->mc.bytes_moved = (uint64_t)(0.9 * 177.408e9 * CYCLES / 700e6);
    expect(c, "memory bandwidth: 160 of 177 GB/s (90%)");
    c->sm.sfu_busy = 15 * CYCLES * 95 / 100;
    expect(c, "special-function units: 14.2 of 15 units busy (95%)");
    c->sm.warp_inst = 29 * CYCLES;
    expect(c, "issue slots: 29 of 30");
    c->reply.flits_out = 12 * CYCLES * 99 / 100;
    expect(c, "interconnect, replies: 11.9 of 12");
}

static void test_other_resources(void **state)
{
    struct counters *c = *state;
    c->request.flits_out = 10 * CYCLES;
    expect(c, "interconnect, requests");
    c->l2.data_busy = 11 * CYCLES;
    expect(c, "L2 data ports");
    c->sm.shared_inst = 7 * CYCLES;
    c->sm.shared_conflicts = 7 * CYCLES;
    expect(c, "load/store units");
    c->sm.sp_busy = 29 * CYCLES;
    expect(c, "integer and float pipes");
}

static void test_latency(void **state)
{
    struct counters *c = *state;
    expect(c, "dependences: 90%");
    hist_add(&c->sm.load_latency, 400);
    hist_add(&c->stages.total, 380);
    hist_add(&c->stages.dram, 300);
    hist_add(&c->stages.noc_reply, 80);
    expect(c, "memory latency: a load takes 400 cycles and 24.0 of 48 warps");
    hist_add(&c->stages.total, 1000);
    hist_add(&c->stages.dram, 0);
    hist_add(&c->stages.noc_reply, 1000);
    expect(c, "interconnect: an L1 miss spends 540 of its 690 cycles in it");
}

static void test_l2_queues(void **state)
{
    struct counters *c = *state;
    hist_add(&c->sm.load_latency, 900);
    hist_add(&c->stages.total, 1000);
    hist_add(&c->stages.l2, 800);
    hist_add(&c->stages.dram, 200);
    expect(c, "L2 queues: an L1 miss spends 800 of its 1000 cycles in the L2");
}

static void test_little_work(void **state)
{
    struct counters *c = *state;
    c->sm.busy_cycles = 3 * CYCLES;
    expect(c, "too little parallel work: an SM has blocks only 20%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shares, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resources, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_resources, setup, teardown),
        cmocka_unit_test_setup_teardown(test_latency, setup, teardown),
        cmocka_unit_test_setup_teardown(test_l2_queues, setup, teardown),
        cmocka_unit_test_setup_teardown(test_little_work, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
