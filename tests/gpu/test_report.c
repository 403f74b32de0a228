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
    struct limit_stats limits;
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
    stats_add(c->st, "limits", limit_stat_rows, limit_nstat_rows, &c->limits);
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

static void test_the_longest_limit_is_named(void **state)
{
    struct counters *c = *state;
    c->mc.bytes_moved = (uint64_t)(0.9 * 177.408e9 * CYCLES / 700e6);
    c->limits.cycles[LIMIT_dram_bus] = 800;
    c->limits.saved[LIMIT_dram_bus] = 375;
    c->limits.used[LIMIT_dram_bus] = 910;
    c->limits.cycles[LIMIT_sfu] = 150;
    expect(c,
           "memory bandwidth: 160 of 177 GB/s; the fullest channel's bus 91% used, and full for "
           "80% of the time; with twice of it (dram.bandwidth_scale=2) about 1.60 times as fast");
    struct report_facts f = facts_of(c);
    assert_string_equal(f.limit.key, "dram_bus");
    assert_float_equal(f.limit.gain, 1.6, 1e-9);
    assert_int_equal(f.limit.ndoubled, 1);
    assert_string_equal(f.limit.doubled[0], "dram.bandwidth_scale=2");
    c->limits.cycles[LIMIT_sfu] = 900;
    c->limits.saved[LIMIT_sfu] = 10;
    expect(c, "special-function units: 0% used, and full for 90% of the time; with twice of it "
              "(sm.sfu_units=2) alone hardly faster");
}

static void test_atomics_name_what_they_fill(void **state)
{
    struct counters *c = *state;
    c->l2.atomics = 500;
    c->limits.cycles[LIMIT_atomics] = 900;
    c->limits.saved[LIMIT_atomics] = 200;
    c->limits.used[LIMIT_atomics] = 400;
    c->limits.used[LIMIT_noc_reply] = 930;
    expect(c, "atomics: 0.5 a cycle in the L2; interconnect, replies 93% used, and full for 90% of "
              "the time; with twice of it (gpu.noc_mhz=1400) about 1.25 times as fast");
}

static void test_latency_counts_what_can_be_set(void **state)
{
    struct counters *c = *state;
    c->limits.cycles[LIMIT_latency] = 1000;
    hist_add(&c->sm.load_latency, 1000);
    hist_add(&c->stages.total, 1000);
    struct err err = {0};
    struct machine *m = machine_new("gtx480-gpgpusim", NULL, 0, &err);
    struct report_facts f = facts_of(c); /* no DRAM: half of the L1's and the L2's latency */
    const double l1 = (double)m->l1.latency, l2 = (double)m->l2.latency;
    const double set = 0.5 * (l1 + l2) / (l1 + 1000);
    machine_free(m);
    assert_string_equal(f.limit.key, "latency");
    assert_float_equal(f.limit.gain, 1 / (1 - set), 1e-3);
    expect(c, "memory latency: a load takes 1000 cycles and 24.0 of 48 warps cannot hide it");
}

static void test_divergence_goes_before_what_it_fills(void **state)
{
    struct counters *c = *state;
    c->limits.cycles[LIMIT_sp] = 700;
    c->sm.divergences = 10;
    c->sm.thread_inst = 8 * c->sm.warp_inst;
    expect(c, "divergence: 8.0 of 32 lanes execute, lanes parted at 10 branches; so integer and "
              "float pipes held it back for 70% of the time");
    c->sm.thread_inst = 30 * c->sm.warp_inst;
    expect(c, "integer and float pipes:");
}

static void test_little_work(void **state)
{
    struct counters *c = *state;
    c->sm.busy_cycles = 3 * CYCLES;
    c->limits.cycles[LIMIT_work] = 800;
    expect(c, "too little parallel work: SMs have blocks 20% of the time");
    struct report_facts f = facts_of(c);
    assert_true(f.limit.gain == 0 && f.limit.ndoubled == 0);
}

/* What a report says to set can be set, on every machine. */
static void test_settings_are_valid(void **state)
{
    (void)state;
    static const char *const machines[] = {"gtx480", "gtx480-gpgpusim", "gtx580", "mesh56", "h200"};
    for (unsigned i = 0; i < ARRAY_LEN(machines); i++)
        for (enum limit k = 0; k < LIMITS; k++) {
            struct err err = {0};
            report_setting to[DOUBLED_MAX];
            const char *sets[DOUBLED_MAX];
            struct machine *m = machine_new(machines[i], NULL, 0, &err);
            size_t n = report_double(m, k, to, DOUBLED_MAX);
            for (size_t s = 0; s < n; s++)
                sets[s] = to[s];
            machine_free(m);
            m = machine_new(machines[i], sets, n, &err);
            if (!m)
                fail_msg("%s, %s: %s", machines[i], limit_keys[k], err.msg);
            machine_free(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shares, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_longest_limit_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(test_atomics_name_what_they_fill, setup, teardown),
        cmocka_unit_test_setup_teardown(test_latency_counts_what_can_be_set, setup, teardown),
        cmocka_unit_test_setup_teardown(test_divergence_goes_before_what_it_fills, setup, teardown),
        cmocka_unit_test_setup_teardown(test_little_work, setup, teardown),
        cmocka_unit_test(test_settings_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
