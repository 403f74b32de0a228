/* The interconnect: latencies to the cycle, saturation, back pressure, and that masks of any width
 * decide the same. */
#include "noc/noc_lanes.h"
#include "noc/noc_traffic.h"
#include "noc/noc_xbar.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct noc_cfg cfg_make(enum noc_topology topology)
{
    struct noc_cfg cfg;
    conf_defaults(noc_fields, noc_nfields, &cfg);
    cfg.topology = topology;
    cfg.source_packets = 0;
    return cfg;
}

/* Counts what arrives; refuses while `closed`. */
struct sink {
    uint64_t packets, flits, latency_sum, order_errors;
    cycle_t last, entered;
    bool closed;
    uint64_t hash;
};

static void sink_deliver(void *self, const struct noc_packet *p, cycle_t now)
{
    struct sink *s = self;
    s->packets++;
    s->flits += p->flits;
    s->last = now;
    s->entered = p->entered;
    s->hash = (s->hash ^ (now * 131 + p->src * 64u + p->dst)) * 0x9e3779b97f4a7c15u;
}

static bool sink_ready(void *self, uint32_t node, uint32_t class, cycle_t now)
{
    (void)node;
    (void)class;
    (void)now;
    return !((struct sink *)self)->closed;
}

static const struct noc_client_ops sink_ops = {sink_deliver, sink_ready};

static cycle_t lone_latency(const struct noc_cfg *cfg, uint32_t src, uint32_t dst, uint32_t flits)
{
    struct sink s = {0};
    struct noc *n = noc_new(cfg, &sink_ops, &s);
    noc_send(n, 10, src, dst, 0, flits, NULL);
    for (cycle_t now = 10; !s.packets && now < 1000; now++)
        noc_tick(n, now);
    noc_free(n);
    return s.last - 10;
}

static void a_lone_packet_takes_5_plus_3_a_link_plus_its_flits(void **state)
{
    (void)state;
    struct noc_cfg cfg = cfg_make(NOC_MESH);
    for (uint32_t dst = 0; dst < 64; dst++)
        for (uint32_t flits = 1; flits <= 5; flits += 4)
            assert_int_equal(lone_latency(&cfg, 9, dst, flits),
                             5 + 3 * (abs((int)dst % 8 - 1) + abs((int)dst / 8 - 1)) + flits - 1);
}

/* Requests and answers of a data cache on mesh56, by their flits. */
static void shorter_answers_arrive_earlier(void **state)
{
    (void)state;
    static const struct {
        uint32_t src, dst, flits;
        cycle_t cycles;
    } rows[] = {{0, 1, 1, 8},   {1, 0, 5, 12},  {1, 0, 2, 9},   {1, 0, 1, 8},
                {9, 62, 1, 38}, {62, 9, 5, 42}, {62, 9, 2, 39}, {62, 9, 1, 38}};
    const struct noc_cfg cfg = cfg_make(NOC_MESH);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_int_equal(lone_latency(&cfg, rows[i].src, rows[i].dst, rows[i].flits),
                         rows[i].cycles);
}

/* Answers that wait at one node for all the others enter at a flit a cycle. */
static void a_node_injects_a_flit_a_cycle(void **state)
{
    (void)state;
    struct noc_cfg cfg = cfg_make(NOC_MESH);
    cfg.vcs = 1;
    for (uint32_t flits = 1; flits <= 5; flits++) {
        struct sink s = {0};
        struct noc *n = noc_new(&cfg, &sink_ops, &s);
        cycle_t now = 0;
        for (uint32_t i = 0; i < 64; i++)
            noc_send(n, 0, 57, i, 0, flits, NULL);
        for (; noc_stats(n)->flits_in < 64 * flits && now < 1000; now++)
            noc_tick(n, now);
        assert_int_equal(now, 64 * flits);
        noc_free(n);
    }
}

static void pipeline_options_cost_one_cycle_a_router(void **state)
{
    (void)state;
    struct noc_cfg cfg = cfg_make(NOC_MESH);
    assert_int_equal(lone_latency(&cfg, 0, 63, 1), 47);
    cfg.routing_cycles = 1;
    assert_int_equal(lone_latency(&cfg, 0, 63, 1), 62);
    cfg.speculative = false;
    assert_int_equal(lone_latency(&cfg, 0, 63, 1), 77);
    cfg.routing_cycles = 0;
    assert_int_equal(lone_latency(&cfg, 0, 63, 1), 62);
    cfg.speculative = true;
    cfg.link_cycles = 2;
    assert_int_equal(lone_latency(&cfg, 0, 63, 1), 47 + 14 + 2);
}

static void four_flit_buffers_cost_a_five_flit_packet_one_cycle_once(void **state)
{
    (void)state;
    struct noc_cfg cfg = cfg_make(NOC_MESH);
    cfg.vc_flits = 4;
    assert_int_equal(lone_latency(&cfg, 0, 1, 5), 13);
    assert_int_equal(lone_latency(&cfg, 0, 63, 5), 52);
}

static void a_crossbar_takes_5_cycles(void **state)
{
    (void)state;
    struct noc_cfg cfg = cfg_make(NOC_CROSSBAR);
    assert_int_equal(lone_latency(&cfg, 0, 20, 1), 5);
    assert_int_equal(lone_latency(&cfg, 15, 3, 5), 9);
    cfg.nodes = 228; /* more input vcs than one mask word holds */
    assert_int_equal(lone_latency(&cfg, 227, 131, 5), 9);
}

static bool is_general; /* no lanes, no crossbar of its own: the general routers do the work */

/* Random traffic for a while, then silence until everything has arrived. */
static struct sink storm_among(const struct noc_cfg *cfg, uint32_t nodes, uint32_t percent,
                               cycle_t cycles, uint64_t *sent_flits)
{
    struct sink s = {0};
    struct noc *n = noc_new(cfg, &sink_ops, &s);
    if (is_general) {
        noc_lanes_free(n->lanes);
        noc_xbar_free(n->xbar);
        n->lanes = NULL;
        n->xbar = NULL;
    }
    struct rng rng = {3};
    uint64_t packets = 0;
    cycle_t now = 0;
    *sent_flits = 0;
    for (; now < cycles || (s.packets < packets && now < cycles + 100000); now++) {
        for (uint32_t i = 0; now < cycles && i < nodes; i++) {
            if (rng_below(&rng, 100) >= percent)
                continue;
            uint32_t class = rng_below(&rng, (uint32_t)cfg->classes);
            uint32_t flits = class ? 5 : 1;
            noc_send(n, now, i, rng_below(&rng, nodes), class, flits, NULL);
            packets++;
            *sent_flits += flits;
        }
        noc_tick(n, now);
    }
    const struct noc_stats *st = noc_stats(n);
    assert_true(s.packets == packets); /* no deadlock, nothing lost */
    assert_true(s.flits == *sent_flits && st->flits_in == st->flits_out);
    assert_true(noc_in_flight(n) == 0);
    for (cycle_t end = now + 16; now < end; now++)
        noc_tick(n, now);
    assert_true(noc_tick(n, now) == CYCLE_NEVER); /* an idle network sleeps */
    for (uint32_t r = 0; r < n->nrouters; r++)    /* every credit came home */
        for (uint32_t v = 0; v < n->invcs; v++)
            assert_int_equal(n->lanes  ? n->lanes->credits[r * n->invcs + v]
                             : n->xbar ? n->xbar->out[v].credits
                                       : n->routers[r].out[v].credits,
                             cfg->vc_flits);
    noc_free(n);
    return s;
}

static struct sink storm(const struct noc_cfg *cfg, uint32_t percent, cycle_t cycles,
                         uint64_t *sent_flits)
{
    return storm_among(cfg, noc_cfg_nodes(cfg), percent, cycles, sent_flits);
}

static void saturation_loses_nothing_and_does_not_deadlock(void **state)
{
    (void)state;
    uint64_t flits;
    struct noc_cfg cfg = cfg_make(NOC_MESH);
    cfg.classes = 2;
    storm(&cfg, 60, 1500, &flits);
    cfg.vcs = 1;
    cfg.vc_flits = 1;
    storm(&cfg, 60, 500, &flits);
    cfg = cfg_make(NOC_CROSSBAR);
    cfg.classes = 2;
    cfg.eject_flits = 2;
    storm(&cfg, 80, 1500, &flits);
    cfg.nodes = 100;
    storm(&cfg, 80, 300, &flits);
    cfg = cfg_make(NOC_MESH);
    cfg.routing_cycles = 1;
    cfg.speculative = false;
    cfg.islip_iterations = 3;
    storm(&cfg, 60, 500, &flits);
}

static void one_mask_word_and_many_give_the_same(void **state)
{
    (void)state;
    /* 21 talkers at a crossbar of 21, 70 and 200 ports: masks of one and of several words */
    for (int64_t vcs = 1; vcs <= 2; vcs++) {
        uint64_t flits;
        struct noc_cfg cfg = cfg_make(NOC_CROSSBAR);
        cfg.vcs = vcs;
        struct sink a = storm_among(&cfg, 21, 40, 1000, &flits);
        cfg.nodes = 70;
        struct sink b = storm_among(&cfg, 21, 40, 1000, &flits);
        cfg.nodes = 200;
        struct sink c = storm_among(&cfg, 21, 40, 1000, &flits);
        assert_true(a.hash == b.hash && b.hash == c.hash);
    }
}

static void lanes_and_routers_decide_the_same(void **state)
{
    (void)state;
    for (int64_t vcs = 1; vcs <= 2; vcs++)
        for (int64_t classes = 1; classes <= (vcs == 1 ? 2 : 1); classes++)
            for (int spec = 0; spec < 2; spec++) {
                struct noc_cfg cfg = cfg_make(NOC_MESH);
                cfg.vcs = vcs;
                cfg.classes = classes;
                cfg.speculative = spec;
                uint64_t flits;
                struct sink lanes = storm(&cfg, 40, 600, &flits);
                is_general = true;
                struct sink routers = storm(&cfg, 40, 600, &flits);
                is_general = false;
                assert_true(lanes.hash == routers.hash);
            }
}

static void a_node_that_takes_nothing_stops_only_what_is_behind_it(void **state)
{
    (void)state;
    struct noc_cfg cfg = cfg_make(NOC_MESH);
    struct sink s = {.closed = true};
    struct noc *n = noc_new(&cfg, &sink_ops, &s);
    for (int i = 0; i < 100; i++)
        noc_send(n, 0, 0, 7, 0, 5, NULL);
    for (cycle_t now = 0; now < 2000; now++)
        noc_tick(n, now);
    assert_int_equal(s.packets, 0);
    assert_true(noc_stats(n)->eject_stalls > 0);
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    noc_dump(n, out);
    fclose(out);
    assert_non_null(strstr(text, "node 7: 0 packets wait to enter"));
    free(text);
    s.closed = false;
    for (cycle_t now = 2000; now < 4000; now++)
        noc_tick(n, now);
    assert_int_equal(s.packets, 100);
    noc_free(n);
}

static void bounded_sources_push_back(void **state)
{
    (void)state;
    struct noc_cfg cfg = cfg_make(NOC_MESH);
    cfg.source_packets = 2;
    struct sink s = {0};
    struct noc *n = noc_new(&cfg, &sink_ops, &s);
    noc_send(n, 0, 0, 1, 0, 1, NULL);
    assert_true(noc_can_send(n, 0, 0));
    noc_send(n, 0, 0, 1, 0, 1, NULL);
    assert_false(noc_can_send(n, 0, 0));
    noc_tick(n, 0);
    assert_true(noc_can_send(n, 0, 0));
    noc_free(n);
}

static void packets_travel_between_ports(void **state)
{
    (void)state;
    struct noc_cfg cfg = cfg_make(NOC_MESH);
    cfg.classes = 2;
    struct noc *n = noc_new(&cfg, NULL, NULL);
    struct port *in[64][2], *out[64][2];
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t c = 0; c < 2; c++) {
            in[i][c] = port_new("in", 1, 4);
            out[i][c] = port_new("out", 1, 4);
            noc_bind(n, i, c, c == 1, in[i][c], out[i][c]);
        }
    struct mem_req req = {.src = 9, .dst = 3, .wire_bytes = 0};
    port_push(in[9][0], 0, &req);
    cycle_t now = 0;
    while (!port_peek(out[3][0], now))
        noc_component_ops.tick(n, now++);
    assert_int_equal(now, 1 + 5 + 3 * 3 + 1); /* port, network, port */
    assert_ptr_equal(port_pop(out[3][0], now), &req);
    req.wire_bytes = 128; /* with 8 bytes of header 5 flits of 32 */
    cycle_t sent = now;
    port_push(in[3][1], now, &req);
    while (!port_peek(out[9][1], now))
        noc_component_ops.tick(n, now++);
    assert_int_equal(now - sent, 1 + 5 + 3 * 3 + 4 + 1);
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t c = 0; c < 2; c++) {
            port_free(in[i][c]);
            port_free(out[i][c]);
        }
    noc_free(n);
}

static void impossible_configurations_are_errors(void **state)
{
    (void)state;
    struct err err;
    struct noc_cfg cfg = cfg_make(NOC_CROSSBAR);
    cfg.nodes = 1024;
    assert_false(noc_cfg_check(&cfg, &err));
    assert_non_null(strstr(err.msg, "1024 ports"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_packet_takes_5_plus_3_a_link_plus_its_flits),
        cmocka_unit_test(shorter_answers_arrive_earlier),
        cmocka_unit_test(a_node_injects_a_flit_a_cycle),
        cmocka_unit_test(pipeline_options_cost_one_cycle_a_router),
        cmocka_unit_test(four_flit_buffers_cost_a_five_flit_packet_one_cycle_once),
        cmocka_unit_test(a_crossbar_takes_5_cycles),
        cmocka_unit_test(saturation_loses_nothing_and_does_not_deadlock),
        cmocka_unit_test(one_mask_word_and_many_give_the_same),
        cmocka_unit_test(lanes_and_routers_decide_the_same),
        cmocka_unit_test(a_node_that_takes_nothing_stops_only_what_is_behind_it),
        cmocka_unit_test(bounded_sources_push_back),
        cmocka_unit_test(packets_travel_between_ports),
        cmocka_unit_test(impossible_configurations_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
