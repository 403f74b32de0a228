/* One channel, to the cycle: latencies by hand, what shares a command, refresh, buses, pages; and
 * that sleeping through dead time changes nothing. */
#include "dram/dram_traffic.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct conf *conf;
static struct dram_cfg cfg;

/* The default GDDR5 channel with `sets` (NULL-terminated) changed. */
static void cfg_make(const char *const *sets)
{
    struct err err;
    conf_free(conf);
    conf = conf_new();
    conf_add(conf, "dram", dram_fields, dram_nfields, &cfg);
    for (; sets && *sets; sets++)
        if (!conf_set(conf, *sets, &err))
            fail_msg("%s", err.msg);
    if (!dram_cfg_resolve(&cfg, &err))
        fail_msg("%s", err.msg);
}

/* Gives requests at the cycles asked for and notes when each comes back. */
struct script {
    struct {
        addr_t addr;
        bool write;
        cycle_t at;
    } steps[64];
    unsigned n, next;
    struct mem_req reqs[64];
    cycle_t done[64];
    uint64_t answered;
};

static struct mem_req *script_peek(void *self, cycle_t now)
{
    struct script *s = self;
    if (s->next == s->n || s->steps[s->next].at > now)
        return NULL;
    struct mem_req *r = &s->reqs[s->next];
    r->addr = s->steps[s->next].addr;
    r->kind = s->steps[s->next].write ? MEM_WRITE : MEM_READ;
    return r;
}

static void script_pop(void *self, cycle_t now)
{
    (void)now;
    ((struct script *)self)->next++;
}

static void script_done(void *self, struct mem_req *req, cycle_t now)
{
    struct script *s = self;
    s->done[req - s->reqs] = now;
    s->answered++;
}

static const struct dram_client_ops script_ops = {script_peek, script_pop, script_done, NULL};

static void script_run(struct script *s)
{
    struct dram *d = dram_new(&cfg, &script_ops, s);
    for (cycle_t now = 0; s->answered < s->n && now < 100000; now++)
        dram_tick(d, now);
    assert_int_equal(s->answered, s->n);
    dram_free(d);
}

static const char *const direct[] = {"dram.queues=direct", "dram.drain=watermark",
                                     "dram.write_high=25", "dram.write_low=6", NULL};

static void idle_latencies_are_27_15_and_39(void **state)
{
    (void)state;
    const char *const *const orgs[] = {NULL, direct};
    for (int i = 0; i < 2; i++) {
        cfg_make(orgs[i]);
        /* closed bank; then a row hit; then another row of the bank (16 rows on) */
        struct script s = {.steps = {{0, false, 0}, {64, false, 100}, {32768, false, 200}}, .n = 3};
        script_run(&s);
        assert_int_equal(s.done[0] - 0, 27);
        assert_int_equal(s.done[1] - 100, 15);
        assert_int_equal(s.done[2] - 200, 39);
    }
}

static void a_write_is_answered_in_the_next_cycle(void **state)
{
    (void)state;
    cfg_make(NULL);
    struct script s = {.steps = {{0, true, 5}}, .n = 1};
    script_run(&s);
    assert_int_equal(s.done[0], 6);
}

static void a_read_of_a_waiting_write_is_answered_from_it(void **state)
{
    (void)state;
    cfg_make(NULL);
    struct script s = {.steps = {{128, true, 0}, {128, false, 3}}, .n = 2};
    script_run(&s);
    assert_int_equal(s.done[1], 4);
}

static void reads_of_one_address_share_a_command(void **state)
{
    (void)state;
    cfg_make(NULL);
    struct script s = {.steps = {{0, false, 0}, {0, false, 1}, {32, false, 2}}, .n = 3};
    script_run(&s);
    assert_int_equal(s.done[0], 27);
    assert_int_equal(s.done[1], 27);
    assert_int_equal(s.done[2], 27);
}

static void refresh_closes_the_banks_and_blocks_them(void **state)
{
    (void)state;
    const char *const sets[] = {"dram.t_refi=3900", "dram.t_rfc=160", NULL};
    cfg_make(sets);
    struct script s = {.steps = {{0, false, 0}, {64, false, 3899}}, .n = 2};
    script_run(&s);
    /* due at 3900: precharge, tRP later the refresh, tRFC later the activate, then a read */
    assert_int_equal(s.done[1], 3900 + 12 + 160 + 12 + 12 + 2);
}

struct tally {
    uint64_t cmds[DRAM_CMDS];
    cycle_t last[DRAM_CMDS];
    cycle_t last_any;
    bool same_cycle_row_and_column, two_of_a_class;
};

static void tally_fire(void *ctx, cycle_t now, uint32_t cmd, uint64_t bank, uint64_t row)
{
    (void)bank;
    (void)row;
    struct tally *t = ctx;
    if (t->cmds[0] + t->cmds[2] && now == t->last_any)
        t->same_cycle_row_and_column = true;
    if (t->cmds[cmd] && t->last[cmd] == now)
        t->two_of_a_class = true;
    t->cmds[cmd]++;
    t->last[cmd] = t->last_any = now;
}

static double bus_fraction(enum dram_pattern p, uint64_t requests, struct tally *tally)
{
    struct probe probe = {tally_fire, tally, NULL};
    struct dram_traffic t = {.pattern = p,
                             .load = DRAM_LOAD_high,
                             .requests = requests,
                             .seed = 1,
                             .probe = tally ? &probe : NULL,
                             .streams = {.arrays = 3, .run = 8, .apart = 5, .written = 4}};
    struct dram_stats st;
    cycle_t cycles = dram_traffic_run(&cfg, &t, &st);
    if (tally) {
        assert_true(st.rd == tally->cmds[DRAM_RD] + tally->cmds[DRAM_RDA]);
        assert_true(st.act == tally->cmds[DRAM_ACT]);
    }
    assert_true(st.reads_done == st.reads); /* conservation */
    assert_true(st.rd + st.merged_reads + st.forwarded_reads == st.reads);
    assert_true(st.read_latency.count == st.reads);
    return (double)((st.rd + st.wr) * (uint64_t)cfg.burst_cycles) / (double)cycles;
}

static void two_command_buses_send_a_row_and_a_column_command_together(void **state)
{
    (void)state;
    struct tally one = {0}, two = {0};
    cfg_make(NULL);
    double f = bus_fraction(DRAM_PATTERN_e1_stride_1row, 20000, &one);
    assert_true(f > 0.307 && f < 0.308); /* 2 / 6.5 */
    assert_false(one.same_cycle_row_and_column);
    const char *const sets[] = {"dram.command_buses=2", NULL};
    cfg_make(sets);
    f = bus_fraction(DRAM_PATTERN_e1_stride_1row, 20000, &two);
    assert_true(f > 0.333 && f < 0.334); /* 2 / 6 */
    assert_true(two.same_cycle_row_and_column);
    assert_false(two.two_of_a_class);
}

static void the_two_readings_of_first_ready_differ_by_half(void **state)
{
    (void)state;
    cfg_make(direct);
    cfg.merge = false;
    cfg.row_hit_cap = 16;
    double age = bus_fraction(DRAM_PATTERN_c1_pingpong2rows_1bank, 20000, NULL);
    cfg.scheduler = DRAM_ROW_HIT_FIRST;
    double hits = bus_fraction(DRAM_PATTERN_c1_pingpong2rows_1bank, 20000, NULL);
    assert_true(age > 0.29 && age < 0.295);
    assert_true(hits > 0.58 && hits < 0.6);
    const char *const shared[] = {"dram.queues=shared", "dram.command_queue=32", "dram.merge=false",
                                  "dram.scheduler=row_hit_first", NULL};
    cfg_make(shared);
    assert_true(bus_fraction(DRAM_PATTERN_c1_pingpong2rows_1bank, 20000, NULL) > 0.55);
}

static void a_closed_page_pays_for_every_access_and_hits_nothing(void **state)
{
    (void)state;
    const char *const sets[] = {"dram.page=closed", NULL};
    cfg_make(sets);
    struct tally t = {0};
    bus_fraction(DRAM_PATTERN_a_seq_read, 5000, &t);
    assert_int_equal(t.cmds[DRAM_ACT], 5000);
    assert_int_equal(t.cmds[DRAM_RDA], 5000);
    assert_int_equal(t.cmds[DRAM_PRE], 0);
}

static void pseudo_channels_double_the_bandwidth(void **state)
{
    (void)state;
    const char *const sets[] = {"dram.device=hbm2", "dram.map=row:bank:col:group:pc",
                                "dram.command_buses=2", "dram.t_refi=0", NULL};
    cfg_make(sets);
    assert_true(bus_fraction(DRAM_PATTERN_a_seq_read, 20000, NULL) > 0.97);
    struct dram_traffic t = {
        .pattern = DRAM_PATTERN_a_seq_read, .load = DRAM_LOAD_high, .requests = 20000, .seed = 1};
    struct dram_stats st;
    cycle_t cycles = dram_traffic_run(&cfg, &t, &st);
    /* one column command a cycle feeds two halves of 2 cycles each */
    assert_true((double)cycles < 20000 * 1.06);
}

static void every_organisation_conserves_requests(void **state)
{
    (void)state;
    const char *const orgs[][8] = {
        {NULL},
        {"dram.queues=shared", "dram.command_queue=32"},
        {"dram.unified=true"},
        {"dram.unified=true", "dram.queues=shared", "dram.read_queue=2"},
        {"dram.queues=direct", "dram.drain=watermark", "dram.write_high=25"},
        {"dram.queues=direct", "dram.scheduler=row_hit_first", "dram.merge=false"},
        {"dram.page=closed", "dram.t_refi=1000"},
        {"dram.device=hbm2", "dram.map=row:bank:col:group:pc"},
        {"dram.device=hbm3", "dram.map=row:bank:col:group:pc", "dram.bank_xor=true"},
        {"dram.queues=slots", "dram.unified=true", "dram.read_queue=16", "dram.t_refi=1000"},
        {"dram.queues=slots", "dram.unified=true", "dram.device=hbm2", "dram.command_buses=2"},
    };
    for (size_t i = 0; i < ARRAY_LEN(orgs); i++) {
        cfg_make(orgs[i]);
        for (int p = 0; p < DRAM_PATTERN_COUNT; p++)
            bus_fraction((enum dram_pattern)p, 2000, NULL);
    }
}

static void skipping_dead_time_changes_nothing(void **state)
{
    (void)state;
    const char *const staged[] = {"dram.t_refi=3900", NULL};
    const char *const slots[] = {"dram.t_refi=3900", "dram.queues=slots", "dram.unified=true",
                                 "dram.read_queue=16", NULL};
    for (int run = 0; run < 4; run++) {
        const bool skip = run & 1;
        cfg_make(run < 2 ? staged : slots);
        struct script s = {.n = 40};
        struct rng rng = {7};
        for (unsigned i = 0; i < s.n; i++) {
            s.steps[i].addr = rng_below(&rng, 1 << 20) & ~63u;
            s.steps[i].write = rng_below(&rng, 3) == 0;
            s.steps[i].at = i * 97;
        }
        static cycle_t first[64];
        struct dram *d = dram_new(&cfg, &script_ops, &s);
        cycle_t now = 0;
        uint64_t ticks = 0;
        while (s.answered < s.n) {
            cycle_t next = dram_tick(d, now);
            ticks++;
            cycle_t arrival = s.next < s.n ? s.steps[s.next].at : CYCLE_NEVER;
            next = next < arrival ? next : arrival;
            now = skip && next > now ? next : now + 1;
        }
        for (unsigned i = 0; i < s.n; i++) {
            if (skip)
                assert_int_equal(first[i], s.done[i]);
            first[i] = s.done[i];
        }
        if (skip)
            assert_true(ticks < 600); /* of about 3900 cycles */
        dram_free(d);
    }
}

static void maps_place_and_find_addresses(void **state)
{
    (void)state;
    const char *const maps[] = {"row:bank:group:col", "row:col:bank:group", "bank:row:col:group",
                                "row:group:bank:col:bank1:col2"};
    for (size_t m = 0; m < ARRAY_LEN(maps); m++) {
        cfg_make(NULL);
        cfg.map = maps[m];
        struct dram *d = dram_new(&cfg, &script_ops, NULL);
        for (addr_t a = 0; a < 128u << 20; a += 64 * 977) {
            struct dram_addr at = dram_locate(d, a);
            assert_true(at.index == at.group * 4 + at.bank && at.row < 4096 && at.col < 32);
            assert_true(dram_address(d, &at) == (a & ~63ull));
        }
        dram_free(d);
    }
    struct err err;
    const char *const bad[] = {
        "row:bank:col",           "row:row:bank:group:col",        "row:bank:group:column",
        "row:bank:group:col:row", "row:bank:group:col:bank3",      "row1:bank:group:col",
        "row:bank:group:7",       "row:bank:group:col:bank123456", "row:bank:group:col0:col"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        cfg.map = bad[i];
        assert_false(dram_cfg_resolve(&cfg, &err));
        assert_non_null(strstr(err.msg, "dram.map"));
    }
}

static void between_ports_it_is_a_component(void **state)
{
    (void)state;
    cfg_make(NULL);
    struct dram *d = dram_new(&cfg, NULL, NULL);
    struct port *in = port_new("in", 1, 4), *out = port_new("out", 1, 1);
    dram_bind(d, in, out);
    struct mem_req reqs[2] = {{.addr = 0}, {.addr = 64}};
    port_push(in, 0, &reqs[0]);
    port_push(in, 0, &reqs[1]);
    cycle_t now = 0;
    while (!port_peek(out, now) && now < 200) /* taken at 1, done at 28, seen at 29 */
        dram_component_ops.tick(d, now++);
    assert_int_equal(now, 29);
    /* the reply port is full: the second answer waits until there is room */
    for (; now < 60; now++)
        dram_component_ops.tick(d, now);
    assert_ptr_equal(port_pop(out, now), &reqs[0]);
    while (!port_peek(out, now))
        dram_component_ops.tick(d, now++);
    assert_ptr_equal(port_pop(out, now), &reqs[1]);
    assert_int_equal(now, 62);
    port_free(in);
    port_free(out);
    dram_free(d);
}

static int conf_end(void **state)
{
    (void)state;
    conf_free(conf);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_latencies_are_27_15_and_39),
        cmocka_unit_test(a_write_is_answered_in_the_next_cycle),
        cmocka_unit_test(a_read_of_a_waiting_write_is_answered_from_it),
        cmocka_unit_test(reads_of_one_address_share_a_command),
        cmocka_unit_test(refresh_closes_the_banks_and_blocks_them),
        cmocka_unit_test(two_command_buses_send_a_row_and_a_column_command_together),
        cmocka_unit_test(the_two_readings_of_first_ready_differ_by_half),
        cmocka_unit_test(a_closed_page_pays_for_every_access_and_hits_nothing),
        cmocka_unit_test(pseudo_channels_double_the_bandwidth),
        cmocka_unit_test(every_organisation_conserves_requests),
        cmocka_unit_test(skipping_dead_time_changes_nothing),
        cmocka_unit_test(maps_place_and_find_addresses),
        cmocka_unit_test(between_ports_it_is_a_component),
    };
    return cmocka_run_group_tests(tests, NULL, conf_end);
}
