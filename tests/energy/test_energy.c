/* Known counters in, known joules out. */
#include "energy/energy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Every counter that energy.def names, as statistics of this test. */
/* clang-format off */
#define SM_ROWS(X)                                            \
    X(busy_cycles) X(fetches) X(warp_inst) X(rf_reads)        \
    X(rf_writes) X(thread_inst) X(sfu_inst) X(dp_inst)        \
    X(tensor_inst) X(shared_inst) X(shared_conflicts)
#define CACHE_ROWS(X) X(accesses) X(read_hits) X(write_hits) X(replies)
#define L2_ROWS(X)    X(requests) X(data_busy) X(fill_busy)
#define MC_ROWS(X)    X(reads) X(writes)
#define DRAM_ROWS(X)  X(act) X(rd) X(wr) X(ref)
#define NOC_ROWS(X)   X(hops)
#define TRICK_ROWS(X) X(done) X(undone)
/* clang-format on */

#define GROUP(name, ROWS)          \
    struct name##_events {         \
        uint64_t ROWS(MEMBER) end; \
    };                             \
    static const struct stat_row name##_rows[] = {ROWS(name##_ROW)};
#define MEMBER(m) m,
#define ROW_OF(group, m) \
    {#m, STAT_COUNTER, (uint32_t)offsetof(struct group##_events, m), "", "", NULL},
#define sm_ROW(m)    ROW_OF(sm, m)
#define l1_ROW(m)    ROW_OF(l1, m)
#define l2_ROW(m)    ROW_OF(l2, m)
#define mc_ROW(m)    ROW_OF(mc, m)
#define dram_ROW(m)  ROW_OF(dram, m)
#define noc_ROW(m)   ROW_OF(noc, m)
#define trick_ROW(m) ROW_OF(trick, m)
GROUP(sm, SM_ROWS)
GROUP(l1, CACHE_ROWS)
GROUP(l2, L2_ROWS)
GROUP(mc, MC_ROWS)
GROUP(dram, DRAM_ROWS)
GROUP(noc, NOC_ROWS)
GROUP(trick, TRICK_ROWS)

struct rig {
    struct conf *conf;
    struct energy_cfg cfg;
    struct energy_machine m;
    struct energy_table table;
    struct energy_extra extras[4];
    size_t nextras;
    struct stats *st;
    struct sm_events sm;
    struct l1_events l1, l1c, l1t, l1i;
    struct l2_events l2;
    struct mc_events mc;
    struct dram_events dram;
    struct noc_events request, reply;
    struct trick_events trick;
    struct energy_stats out;
};

static int setup(void **state)
{
    struct rig *r = xcalloc(1, sizeof *r);
    r->conf = conf_new();
    conf_add(r->conf, "energy", energy_fields, energy_nfields, &r->cfg);
    r->m = (struct energy_machine){.channels = 6,
                                   .core_hz = 1e9,
                                   .flit_bytes = 32,
                                   .l2_port_bytes = 64,
                                   .dram_access_bytes = 32,
                                   .dram_row_bytes = 4096,
                                   .bandwidth_scale = 1};
    energy_table_init(&r->table);
    r->st = stats_new();
    stats_add(r->st, "sm", sm_rows, ARRAY_LEN(sm_rows), &r->sm);
    stats_add(r->st, "l1", l1_rows, ARRAY_LEN(l1_rows), &r->l1);
    stats_add(r->st, "l1c", l1_rows, ARRAY_LEN(l1_rows), &r->l1c);
    stats_add(r->st, "l1t", l1_rows, ARRAY_LEN(l1_rows), &r->l1t);
    stats_add(r->st, "l1i", l1_rows, ARRAY_LEN(l1_rows), &r->l1i);
    stats_add(r->st, "l2", l2_rows, ARRAY_LEN(l2_rows), &r->l2);
    stats_add(r->st, "mc", mc_rows, ARRAY_LEN(mc_rows), &r->mc);
    stats_add(r->st, "dram", dram_rows, ARRAY_LEN(dram_rows), &r->dram);
    stats_add(r->st, "noc_request", noc_rows, ARRAY_LEN(noc_rows), &r->request);
    stats_add(r->st, "noc_reply", noc_rows, ARRAY_LEN(noc_rows), &r->reply);
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;
    stats_free(r->st);
    conf_free(r->conf);
    free(r);
    return 0;
}

static void count(struct rig *r, double cycles)
{
    const struct energy_model model = {&r->cfg, &r->table, r->m, r->extras, r->nextras};
    energy_count(&model, r->st, cycles, &r->out);
}

static uint64_t sum(const struct energy_stats *e)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < ENERGY_MOST; i++)
        all += e->pj[i];
    return all;
}

/* 1000 cycles of 1 ns: 41.9 W static are 41.9 uJ; 6 channels of 0.832 W are 4.992 uJ. */
static void test_time_alone(void **state)
{
    struct rig *r = *state;
    count(r, 1000);
    assert_int_equal(r->out.pj[ENERGY_leakage], 41900000);
    assert_int_equal(r->out.pj[ENERGY_dram], 4992000);
    assert_int_equal(sum(&r->out), 41900000 + 4992000);
}

static void test_nothing(void **state)
{
    struct rig *r = *state;
    count(r, 0);
    assert_int_equal(sum(&r->out), 0);
}

/* By hand, from the numbers of energy.def. */
static void test_core(void **state)
{
    struct rig *r = *state;
    r->sm = (struct sm_events){.busy_cycles = 500, /* 1 W an SM: 1000 pJ/ns */
                               .fetches = 3,
                               .warp_inst = 10,
                               .rf_reads = 7,
                               .rf_writes = 5,
                               .thread_inst = 100,
                               .sfu_inst = 2,
                               .dp_inst = 1,
                               .tensor_inst = 1,
                               .shared_inst = 4,
                               .shared_conflicts = 6};
    count(r, 0);
    assert_int_equal(r->out.pj[ENERGY_sm_clock], 500000);
    assert_int_equal(r->out.pj[ENERGY_front_end], 3 * 28 + 10 * 70);
    assert_int_equal(r->out.pj[ENERGY_register_file], 7 * 156 + 5 * 186);
    assert_int_equal(r->out.pj[ENERGY_alu], 5050);
    assert_int_equal(r->out.pj[ENERGY_sfu], 2 * 2864);
    assert_int_equal(r->out.pj[ENERGY_dp], 3184);
    assert_int_equal(r->out.pj[ENERGY_tensor], 3072);
    assert_int_equal(r->out.pj[ENERGY_shared], 4 * 347 + 600);
}

static void test_memory(void **state)
{
    struct rig *r = *state;
    r->l1 = (struct l1_events){.accesses = 9, .read_hits = 4, .write_hits = 1, .replies = 3};
    r->l1c.accesses = 2;
    r->l1t.accesses = 3;
    r->l1i.accesses = 5;
    r->request.hops = 10;
    r->reply.hops = 30;
    r->l2 = (struct l2_events){.requests = 8, .data_busy = 6, .fill_busy = 4};
    r->mc = (struct mc_events){.reads = 3, .writes = 2};
    r->dram = (struct dram_events){.act = 2, .rd = 5, .wr = 3, .ref = 1};
    count(r, 0);
    assert_int_equal(r->out.pj[ENERGY_l1], 9 * 14 + 5 * 347 + 3 * 224);
    assert_int_equal(r->out.pj[ENERGY_small_caches], 2 * 70 + 3 * 361 + 5 * 42);
    assert_int_equal(r->out.pj[ENERGY_noc], 40 * (140 + 10 * 31));
    assert_int_equal(r->out.pj[ENERGY_l2], 8 * 28 + 20 * 208); /* 10 cycles of 2 sectors */
    assert_int_equal(r->out.pj[ENERGY_mc], 5 * 56 + 8 * 768);
    /* a row of 4 KB is open in two devices */
    assert_int_equal(r->out.pj[ENERGY_dram], 2 * 12000 + 5 * 2038 + 3 * 2199 + 20000);
}

static void test_rows_of_techniques(void **state)
{
    struct rig *r = *state;
    static const struct energy_row rows[] = {
        {"engines", NULL, "trick_do", 61, "trick.done", "here"},
        {"tricks", "what tricks take", "trick_all", 2, "trick.done + trick.undone", "here"},
        {"tricks", NULL, "trick_less", 3, "trick.done - trick.undone", "here"},
        {"tricks", NULL, "trick_part", 8, "trick.done / 5 - trick.undone / 4", "here"},
    };
    struct err err = {0};
    assert_true(energy_table_add(&r->table, rows, ARRAY_LEN(rows), &err));
    assert_int_equal(r->table.n, ENERGY_COMPONENTS + 1);
    assert_string_equal(r->table.names[ENERGY_COMPONENTS], "tricks");
    assert_string_equal(r->table.stats[ENERGY_COMPONENTS + 1].name, "total");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        r->extras[r->nextras++] = (struct energy_extra){&rows[i], rows[i].pj};
    r->trick = (struct trick_events){.done = 10, .undone = 4};
    count(r, 0);
    assert_int_equal(r->out.pj[ENERGY_engines], 0); /* no such counters on the machine */
    stats_add(r->st, "trick", trick_rows, ARRAY_LEN(trick_rows), &r->trick);
    count(r, 0);
    assert_int_equal(r->out.pj[ENERGY_engines], 10 * 61);
    assert_int_equal(r->out.pj[ENERGY_COMPONENTS], 14 * 2 + 6 * 3 + 8 * (2 - 1));
    r->cfg.scale = 0.5;
    count(r, 0);
    assert_int_equal(r->out.pj[ENERGY_engines], 305);
    r->trick.undone = 1000; /* energy is not less than none */
    r->extras[1].pj = r->extras[3].pj = 0;
    count(r, 0);
    assert_int_equal(r->out.pj[ENERGY_COMPONENTS], 0);
}

static void test_rows_that_are_refused(void **state)
{
    struct rig *r = *state;
    const struct energy_row nobody = {"magic", NULL, "x", 1, "a.b", "here"},
                            formula = {"engines", NULL, "x", 1, "2 * a.b", "here"},
                            empty = {"engines", NULL, "x", 1, "", "here"};
    struct err err = {0};
    assert_false(energy_table_add(&r->table, &nobody, 1, &err));
    assert_string_equal(err.msg, "energy.x: nobody says what component 'magic' is");
    assert_false(energy_table_add(&r->table, &formula, 1, &err));
    assert_string_equal(err.msg,
                        "energy.x: '2 * a.b' is no sum of counters (group.name + group.name / 16)");
    assert_false(energy_table_add(&r->table, &empty, 1, &err));
    static const char *const wrong[] = {"a.b +", "a.b c.d", "a.", ".b", "a.b / 0", "a.b / x"};
    for (unsigned i = 0; i < ARRAY_LEN(wrong); i++) {
        const struct energy_row row = {"engines", NULL, "x", 1, wrong[i], "here"};
        assert_false(energy_table_add(&r->table, &row, 1, &err));
    }
}

/* The comments of energy.def say how the numbers come about. */
static void test_dram_arithmetic(void **state)
{
    struct rig *r = *state;
    double tck = 0.667, ras = 42 * tck, rp = 18 * tck; /* ns */
    double activate = 1.5 * (490 * (ras + rp) - 450 * ras - 250 * rp);
    double bit_read = 1.5 * (1080 - 450) / 192, bit_write = 1.5 * (1160 - 450) / 192;
    double termination = 1.5 / 100 * 1.5 * 1e3 / 2 / (0.924 * 4);
    double background = 2 * 1.5 * 450 * 924 / 1500;
    assert_true(activate > 0.99 * r->cfg.dram_activate && activate < 1.01 * r->cfg.dram_activate);
    assert_true(256 * (bit_read + termination) > 0.99 * r->cfg.dram_read);
    assert_true(256 * (bit_read + termination) < 1.01 * r->cfg.dram_read);
    assert_true(256 * (bit_write + termination) > 0.99 * r->cfg.dram_write);
    assert_true(256 * (bit_write + termination) < 1.01 * r->cfg.dram_write);
    assert_true(background > 0.99 * r->cfg.dram_background_ns);
    assert_true(background < 1.01 * r->cfg.dram_background_ns);
}

/* Logic of another process, a wider flit, a faster DRAM, a mesh's short wires. */
static void test_scales(void **state)
{
    struct rig *r = *state;
    struct err err = {0};
    r->sm.warp_inst = 100;
    r->reply.hops = 10;
    r->dram.rd = 4;
    assert_true(conf_set(r->conf, "energy.scale=0.5", &err));
    assert_true(conf_set(r->conf, "energy.noc_link_mm=2", &err));
    assert_true(conf_set(r->conf, "energy.issue=80", &err));
    r->m.flit_bytes = 64;
    r->m.dram_access_bytes = 64;
    r->m.bandwidth_scale = 2;
    count(r, 10);
    assert_int_equal(r->out.pj[ENERGY_front_end], 100 * 80 / 2);
    assert_int_equal(r->out.pj[ENERGY_noc], 20 * (140 + 2 * 31) / 2);
    assert_int_equal(r->out.pj[ENERGY_dram], 4 * 2 * 2038 + 6 * 10 * 832 * 2);
    assert_int_equal(r->out.pj[ENERGY_mc], 8 * 768); /* the bus is not on the chip */
}

/* One more of any event is more energy, in one component at least; twice everything is twice. */
static void test_grows(void **state)
{
    struct rig *r = *state;
    uint64_t *const first[] = {(uint64_t *)&r->sm,   (uint64_t *)&r->l1, (uint64_t *)&r->l1c,
                               (uint64_t *)&r->l2,   (uint64_t *)&r->mc, (uint64_t *)&r->dram,
                               (uint64_t *)&r->reply};
    const size_t members[] = {ARRAY_LEN(sm_rows), ARRAY_LEN(l1_rows), 1,
                              ARRAY_LEN(l2_rows), ARRAY_LEN(mc_rows), ARRAY_LEN(dram_rows),
                              ARRAY_LEN(noc_rows)};
    uint64_t before = 0, once;
    for (unsigned g = 0; g < ARRAY_LEN(first); g++)
        for (size_t i = 0; i < members[g]; i++) {
            first[g][i] = 10;
            count(r, 100);
            if (sum(&r->out) <= before)
                fail_msg("counter %zu of group %u adds nothing", i, g);
            before = sum(&r->out);
        }
    once = before;
    for (unsigned g = 0; g < ARRAY_LEN(first); g++)
        for (size_t i = 0; i < members[g]; i++)
            first[g][i] = 20;
    count(r, 200);
    assert_int_equal(sum(&r->out), 2 * once);
}

/* Joules, watts, joule seconds; the parts are the whole. */
static void test_summary(void **state)
{
    struct rig *r = *state;
    struct energy_summary s;
    double parts = 0, total;
    stats_add(r->st, "energy", r->table.stats, r->table.n + 1, &r->out);
    r->dram.rd = 1000;
    r->sm.thread_inst = 5000;
    count(r, 1000);
    energy_summarize(&r->table, r->st, 1e-6, &s);
    for (unsigned i = 0; i < ENERGY_MOST; i++)
        parts += s.joules[i];
    assert_true(s.total_j == parts);
    assert_true(stats_get(r->st, "energy.total", &total));
    assert_int_equal((uint64_t)total, sum(&r->out));
    /* 41.9 uJ static, 4.992 + 2.038 uJ DRAM, 0.768 uJ bus, 0.2525 uJ lanes */
    double want = 41.9e-6 + 4.992e-6 + 2.038e-6 + 0.768e-6 + 0.2525e-6;
    assert_true(s.total_j > want * (1 - 1e-12) && s.total_j < want * (1 + 1e-12));
    assert_true(s.average_w > want * 1e6 * (1 - 1e-9) && s.average_w < want * 1e6 * (1 + 1e-9));
    assert_true(s.edp_js > want * 1e-6 * (1 - 1e-9) && s.edp_js < want * 1e-6 * (1 + 1e-9));
}

/* Every row has a field of its name with its default, and says where it is from. */
static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < energy_nrows; i++) {
        size_t f = 0;
        while (f < energy_nfields && strcmp(energy_fields[f].name, energy_rows[i].name))
            f++;
        assert_true(f < energy_nfields);
        assert_true(strtod(energy_fields[f].dflt, NULL) == energy_rows[i].pj);
        assert_true(energy_rows[i].pj > 0 && *energy_rows[i].source && *energy_rows[i].events);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        T(test_time_alone),
        T(test_nothing),
        T(test_core),
        T(test_memory),
        T(test_dram_arithmetic),
        T(test_scales),
        T(test_grows),
        T(test_summary),
        T(test_rows),
        T(test_rows_of_techniques),
        T(test_rows_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
