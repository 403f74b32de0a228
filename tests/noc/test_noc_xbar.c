/* A crossbar of one virtual channel does, cycle by cycle, what the general router does. */
#include "noc/noc_xbar.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct sink {
    uint64_t hash;
    uint32_t refuses; /* percent */
};

static void deliver(void *self, const struct noc_packet *p, cycle_t now)
{
    struct sink *s = self;
    const uint64_t what = now * 131 + p->entered * 17 + p->created + p->src * 4096u + p->dst;
    s->hash = (s->hash ^ what) * 0x9e3779b97f4a7c15u;
}

static bool is_ready(void *self, uint32_t node, uint32_t class, cycle_t now)
{
    (void)class;
    const uint64_t mixed = (now * 2654435761u + node * 40503u) >> 7;
    return mixed % 100 >= ((const struct sink *)self)->refuses;
}

static const struct noc_client_ops ops = {deliver, is_ready};

static void count_hops(void *ctx, cycle_t now, uint32_t event, uint64_t a, uint64_t b)
{
    uint64_t *hash = ctx;
    (void)event;
    *hash += (now + 1) * (a * 31 + b + 7) * 0x9e3779b97f4a7c15u;
}

/* One of the two networks that are compared. */
struct side {
    struct noc *n;
    struct sink sink;
    uint64_t hops;
    struct probe probe;
};

static void side_make(struct side *s, const struct noc_cfg *cfg, uint32_t refuses, bool is_general)
{
    *s = (struct side){.sink = {.refuses = refuses}};
    s->n = noc_new(cfg, &ops, &s->sink);
    assert_non_null(s->n->xbar);
    if (is_general) {
        noc_xbar_free(s->n->xbar);
        s->n->xbar = NULL;
    }
    s->probe = (struct probe){.fire = count_hops, .ctx = &s->hops};
    noc_add_probe(s->n, &s->probe);
}

static void compare(const struct side *a, const struct side *b)
{
    assert_memory_equal(noc_stats(a->n), noc_stats(b->n), sizeof(struct noc_stats));
    assert_true(a->sink.hash == b->sink.hash && a->hops == b->hops);
    assert_true(noc_in_flight(a->n) == noc_in_flight(b->n));
    for (uint32_t i = 0; i < a->n->nnodes; i++)
        assert_memory_equal(noc_port_flits(a->n, i), noc_port_flits(b->n, i),
                            sizeof(struct noc_port_flits));
}

static void run(const struct noc_cfg *cfg, uint32_t percent, uint32_t refuses)
{
    struct side a, b;
    struct rng rng = {7};
    side_make(&a, cfg, refuses, false);
    side_make(&b, cfg, refuses, true);
    cycle_t next = 0;
    for (cycle_t now = 0; now < 600 || next != CYCLE_NEVER; now++) {
        for (uint32_t i = 0; now < 400 && i < a.n->nnodes; i++) {
            const uint32_t dst = rng_below(&rng, a.n->nnodes), flits = 1 + rng_below(&rng, 6);
            if (rng_below(&rng, 100) >= percent || !noc_can_send(a.n, i, 0))
                continue;
            noc_send(a.n, now, i, dst, 0, flits, NULL);
            noc_send(b.n, now, i, dst, 0, flits, NULL);
        }
        assert_true(now < 20000);
        next = noc_tick(a.n, now);
        assert_true(next == noc_tick(b.n, now));
        compare(&a, &b);
    }
    assert_true(noc_stats(a.n)->packets_out == noc_stats(a.n)->packets_in);
    for (uint32_t i = 0; i < a.n->ports; i++) /* every credit came home */
        assert_true(a.n->xbar->out[i].credits == cfg->vc_flits &&
                    a.n->xbar->in[i].credits == cfg->vc_flits);
    noc_free(a.n);
    noc_free(b.n);
}

static void it_decides_as_the_general_router(void **state)
{
    static const struct {
        int64_t nodes, vc_flits, eject_flits, link_cycles, speculative, source_packets;
    } cases[] = {
        {8, 64, 1, 1, 1, 8},  {8, 1, 1, 1, 1, 8},  {8, 3, 2, 3, 0, 4},
        {21, 8, 3, 2, 1, 16}, {70, 5, 1, 1, 1, 8}, {2, 8, 1, 16, 0, 1},
    };
    (void)state;
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        struct noc_cfg cfg;
        conf_defaults(noc_fields, noc_nfields, &cfg);
        cfg.topology = NOC_CROSSBAR;
        cfg.vcs = cfg.classes = 1;
        cfg.nodes = cases[k].nodes;
        cfg.vc_flits = cases[k].vc_flits;
        cfg.eject_flits = cases[k].eject_flits;
        cfg.link_cycles = cases[k].link_cycles;
        cfg.speculative = cases[k].speculative;
        cfg.source_packets = cases[k].source_packets;
        run(&cfg, 3, 0);
        run(&cfg, 40, 20);
    }
}

static void others_have_the_general_router(void **state)
{
    struct noc_cfg cfg;
    (void)state;
    conf_defaults(noc_fields, noc_nfields, &cfg);
    cfg.topology = NOC_CROSSBAR;
    cfg.vcs = cfg.classes = cfg.routing_cycles = 1;
    struct noc *slow = noc_new(&cfg, &ops, NULL);
    cfg.routing_cycles = 0;
    cfg.vcs = 2;
    struct noc *two = noc_new(&cfg, &ops, NULL);
    assert_true(!slow->xbar && !two->xbar);
    noc_free(slow);
    noc_free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_decides_as_the_general_router),
        cmocka_unit_test(others_have_the_general_router),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
