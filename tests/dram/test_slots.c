/* A place for one request in each bank, to the command, by hand: GPGPU-Sim's channel of a GTX 480
 * in accesses of 32 bytes, two of which a command moves. A bank's row has 4 KB, its number is bits
 * 12 to 15 of an address, bit 15 that of its group. A request that is given at t is in its bank,
 * and has its first command, at t + 1 at the earliest. */
#include "dram/dram_traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SLOTS "dram.queues=slots", "dram.unified=true", "dram.read_queue=16"
#define CHANNEL                                                                      \
    SLOTS, "dram.access_bytes=32", "dram.burst_cycles=1", "dram.command_accesses=2", \
        "dram.bank_groups=2", "dram.map=row:group:bank:col", "dram.row_bytes=4096",  \
        "dram.t_rcd_wr=7", "dram.t_rtp_l=2", "dram.t_ppd=0"

enum { BANK = 1 << 12, GROUP = 1 << 15, ROW = 1 << 16, STEPS = 8, COMMANDS = 64 };

struct rig {
    struct conf *conf;
    struct dram_cfg cfg;
    struct {
        addr_t addr;
        uint32_t bytes;
        cycle_t at;
        bool write;
    } steps[STEPS];
    unsigned n, next, answered;
    struct mem_req reqs[STEPS];
    cycle_t done[STEPS];
    struct {
        cycle_t at;
        enum dram_cmd cmd;
        uint32_t bank;
    } sent[COMMANDS];
    unsigned nsent;
    struct dram_stats stats;
};

static struct mem_req *give(void *self, cycle_t now)
{
    struct rig *r = self;
    if (r->next == r->n || r->steps[r->next].at > now)
        return NULL;
    struct mem_req *q = &r->reqs[r->next];
    q->addr = r->steps[r->next].addr;
    q->bytes = r->steps[r->next].bytes;
    q->kind = r->steps[r->next].write ? MEM_WRITE : MEM_READ;
    return q;
}

static void given(void *self, cycle_t now)
{
    (void)now;
    ((struct rig *)self)->next++;
}

static void answered(void *self, struct mem_req *req, cycle_t now)
{
    struct rig *r = self;
    r->done[req - r->reqs] = now;
    r->answered++;
}

static const struct dram_client_ops ops = {give, given, answered, NULL};

static void note(void *ctx, cycle_t now, uint32_t cmd, uint64_t bank, uint64_t row)
{
    (void)row;
    struct rig *r = ctx;
    assert_true(r->nsent < COMMANDS);
    r->sent[r->nsent].at = now;
    r->sent[r->nsent].cmd = (enum dram_cmd)cmd;
    r->sent[r->nsent++].bank = (uint32_t)bank;
}

static bool configure(struct rig *r, const char *const *sets, struct err *err)
{
    r->conf = conf_new();
    conf_add(r->conf, "dram", dram_fields, dram_nfields, &r->cfg);
    bool ok = true;
    for (; ok && *sets; sets++)
        ok = conf_set(r->conf, *sets, err);
    return ok && dram_cfg_resolve(&r->cfg, err);
}

static void run(struct rig *r, const char *more)
{
    const char *const sets[] = {CHANNEL, more, NULL};
    struct err err;
    if (!configure(r, sets, &err))
        fail_msg("%s", err.msg);
    struct dram *d = dram_new(&r->cfg, &ops, r);
    struct probe probe = {note, r, NULL};
    dram_add_probe(d, &probe);
    while (r->n < STEPS && r->steps[r->n].bytes)
        r->n++;
    for (cycle_t now = 0; now < 400; now++)
        dram_tick(d, now);
    assert_int_equal(r->answered, r->n);
    r->stats = *dram_stats(d);
    dram_free(d);
    conf_free(r->conf);
}

static void check_sent(const struct rig *r, unsigned i, cycle_t at, enum dram_cmd cmd,
                       uint32_t bank)
{
    assert_true(i < r->nsent);
    assert_int_equal(r->sent[i].at, at);
    assert_int_equal(r->sent[i].cmd, cmd);
    assert_int_equal(r->sent[i].bank, bank);
}

static void a_line_is_read_by_two_commands_of_its_bank(void **state)
{
    (void)state;
    struct rig r = {.steps = {{0, 128, 0, false}}};
    run(&r, NULL);
    check_sent(&r, 0, 1, DRAM_ACT, 0);
    check_sent(&r, 1, 13, DRAM_RD, 0);
    check_sent(&r, 2, 16, DRAM_RD, 0); /* tCCDL */
    assert_int_equal(r.nsent, 3);
    assert_int_equal(r.done[0], 16 + 12 + 2);
    assert_int_equal(r.stats.rd, 4);
    assert_int_equal(r.stats.rd_row_hits, 3);
    assert_int_equal(r.stats.bus_busy, 4);
}

static void what_is_shorter_keeps_the_bus_for_less(void **state)
{
    (void)state;
    struct rig r = {.steps = {{0, 96, 0, false}, {64, 32, 100, false}}};
    run(&r, NULL);
    check_sent(&r, 2, 16, DRAM_RD, 0);
    assert_int_equal(r.done[0], 16 + 12 + 1);
    assert_int_equal(r.done[1], 101 + 12 + 1);
    assert_int_equal(r.stats.bus_busy, 4);
    assert_int_equal(r.stats.rd, 4);
}

/* Rows of banks 0, 1 and 8 are open; then each is read. */
static struct rig three_banks(uint32_t bytes)
{
    return (struct rig){.steps = {{0, 32, 0, false},
                                  {BANK, 32, 0, false},
                                  {GROUP, 32, 0, false},
                                  {0, bytes, 100, false},
                                  {GROUP, bytes, 101, false},
                                  {BANK, bytes, 102, false}}};
}

static void columns_are_ccd_apart_and_more_within_a_group(void **state)
{
    (void)state;
    struct rig r = three_banks(64);
    run(&r, NULL);
    check_sent(&r, 6, 101, DRAM_RD, 0);
    check_sent(&r, 7, 103, DRAM_RD, 8);
    check_sent(&r, 8, 105, DRAM_RD, 1);
    struct rig same = {
        .steps = {
            {0, 32, 0, false}, {BANK, 32, 0, false}, {0, 64, 100, false}, {BANK, 64, 101, false}}};
    run(&same, NULL);
    check_sent(&same, 4, 101, DRAM_RD, 0);
    check_sent(&same, 5, 104, DRAM_RD, 1);
}

static void half_a_command_closes_half_as_long(void **state)
{
    (void)state;
    struct rig r = three_banks(32);
    run(&r, NULL);
    check_sent(&r, 6, 101, DRAM_RD, 0);
    check_sent(&r, 7, 102, DRAM_RD, 8);
    check_sent(&r, 8, 103, DRAM_RD, 1);
}

/* The bank's request of the other row is older, and waits. */
static void a_bank_serves_its_open_row_first(void **state)
{
    (void)state;
    struct rig r = {.steps = {{0, 128, 0, false}, {ROW, 128, 1, false}, {128, 128, 2, false}}};
    run(&r, NULL);
    check_sent(&r, 2, 16, DRAM_RD, 0);
    check_sent(&r, 3, 19, DRAM_RD, 0);
    check_sent(&r, 4, 22, DRAM_RD, 0);
    check_sent(&r, 5, 29, DRAM_PRE, 0); /* tRAS behind the activate at 1 */
    check_sent(&r, 6, 41, DRAM_ACT, 0); /* tRP, and tRC */
    check_sent(&r, 7, 53, DRAM_RD, 0);
    assert_int_equal(r.done[1], 56 + 12 + 2);
}

static void a_read_holds_back_precharges_of_its_group(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        struct rig r = {.steps = {{0, 32, 0, false},
                                  {other ? GROUP : BANK, 32, 0, false},
                                  {0, 64, 100, false},
                                  {(other ? GROUP : BANK) + ROW, 64, 101, false}}};
        run(&r, "dram.t_rtp_l=9");
        check_sent(&r, 4, 101, DRAM_RD, 0);
        check_sent(&r, 5, other ? 102 : 110, DRAM_PRE, other ? 8 : 1);
    }
}

static void a_write_comes_sooner_behind_its_activate(void **state)
{
    (void)state;
    struct rig r = {.steps = {{0, 128, 0, true}}};
    run(&r, NULL);
    check_sent(&r, 1, 8, DRAM_WR, 0);
    check_sent(&r, 2, 11, DRAM_WR, 0);
    assert_int_equal(r.done[0], 1); /* posted */
    assert_int_equal(r.stats.wr, 4);
}

/* Banks are asked in turn, and a row command does not wait for columns of others: bank 1, whose
 * turn it is when bank 0 has had its activate, gets its own before bank 0 is read on. */
static void rows_and_columns_take_turns_by_bank(void **state)
{
    (void)state;
    struct rig r = {.steps = {{0, 128, 0, false}, {BANK, 128, 11, false}}};
    run(&r, NULL);
    check_sent(&r, 0, 1, DRAM_ACT, 0);
    check_sent(&r, 1, 12, DRAM_ACT, 1);
    check_sent(&r, 2, 13, DRAM_RD, 0);
    check_sent(&r, 3, 16, DRAM_RD, 0);
    check_sent(&r, 4, 24, DRAM_RD, 1);
}

/* The cycles that the dram_t of GPGPU-Sim 3.2.1 takes (tests/data/reference/gpgpusim_dram.csv has
 * more), and one for the end of the last burst. */
static void streams_take_the_cycles_of_gpgpusim(void **state)
{
    (void)state;
    const struct {
        struct dram_streams streams;
        cycle_t cycles;
    } rows[] = {{{1, 1, 5, 0, false}, 580906},
                {{8, 8, 8, 0, false}, 505365},
                {{3, 8, 5, 4, false}, 553144},
                {{4, 8, 8, 8, true}, 650071}};
    const char *const sets[] = {CHANNEL, NULL};
    struct rig r = {0};
    struct err err;
    assert_true(configure(&r, sets, &err));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct dram_traffic t = {.pattern = DRAM_PATTERN_f_streams,
                                 .load = DRAM_LOAD_high,
                                 .requests = 100000,
                                 .request_bytes = 128,
                                 .streams = rows[i].streams};
        struct dram_stats st;
        assert_int_equal(dram_traffic_run(&r.cfg, &t, &st), rows[i].cycles + 1);
    }
    conf_free(r.conf);
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    (void)state;
    const struct {
        const char *sets[4], *key;
    } bad[] = {{{"dram.command_accesses=2"}, "dram.command_accesses"},
               {{"dram.queues=slots"}, "dram.unified"},
               {{SLOTS, "dram.page=closed"}, "dram.page"}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        const char *const sets[] = {bad[i].sets[0], bad[i].sets[1], bad[i].sets[2], bad[i].sets[3],
                                    NULL};
        struct rig r = {0};
        struct err err;
        assert_false(configure(&r, sets, &err));
        assert_non_null(strstr(err.msg, bad[i].key));
        conf_free(r.conf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_read_by_two_commands_of_its_bank),
        cmocka_unit_test(what_is_shorter_keeps_the_bus_for_less),
        cmocka_unit_test(columns_are_ccd_apart_and_more_within_a_group),
        cmocka_unit_test(half_a_command_closes_half_as_long),
        cmocka_unit_test(a_bank_serves_its_open_row_first),
        cmocka_unit_test(a_read_holds_back_precharges_of_its_group),
        cmocka_unit_test(a_write_comes_sooner_behind_its_activate),
        cmocka_unit_test(rows_and_columns_take_turns_by_bank),
        cmocka_unit_test(streams_take_the_cycles_of_gpgpusim),
        cmocka_unit_test(what_does_not_fit_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
