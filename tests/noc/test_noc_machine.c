/* A machine of 56 askers and 8 answerers on a mesh, on several host threads and in any order. */
#include "noc/noc.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 64, DEPTH = 16, CLASSES = 2, REQUEST = 0, REPLY = 1 };

struct agent {
    uint32_t node;
    bool memory;
    struct port *in[CLASSES], *out[CLASSES];
    struct rng rng;
    struct mem_req pool[DEPTH];
    struct mem_req *free_list;
    uint64_t sent, back, hash;
};

static const uint16_t memory_nodes[] = {1, 3, 4, 6, 57, 59, 60, 62};

static cycle_t memory_tick(struct agent *a, cycle_t now)
{
    struct mem_req *r;
    while (port_can_push(a->out[REPLY], now) && (r = port_pop(a->in[REQUEST], now))) {
        r->wire_bytes = 128;
        port_push(a->out[REPLY], now, r);
        a->sent++;
    }
    return port_next(a->in[REQUEST]) == CYCLE_NEVER ? CYCLE_NEVER : now + 1;
}

static cycle_t asker_tick(struct agent *a, cycle_t now)
{
    struct mem_req *r;
    while ((r = port_pop(a->in[REPLY], now))) {
        a->back++;
        a->hash = (a->hash ^ (now * 31 + r->dst)) * 0x9e3779b97f4a7c15u;
        r->next = a->free_list;
        a->free_list = r;
    }
    if (a->free_list && rng_below(&a->rng, 4) == 0 && port_can_push(a->out[REQUEST], now)) {
        r = a->free_list;
        a->free_list = r->next;
        *r = (struct mem_req){.src = (uint16_t)a->node, .dst = memory_nodes[rng_below(&a->rng, 8)]};
        port_push(a->out[REQUEST], now, r);
        a->sent++;
    }
    return now + 1;
}

static cycle_t agent_tick(void *self, cycle_t now)
{
    struct agent *a = self;
    return a->memory ? memory_tick(a, now) : asker_tick(a, now);
}

static const struct component_ops agent_ops = {agent_tick, NULL};

static uint64_t machine_hash(unsigned threads, uint64_t shuffle, struct noc_stats *stats,
                             uint64_t *back)
{
    static struct agent agents[NODES];
    struct noc_cfg cfg;
    conf_defaults(noc_fields, noc_nfields, &cfg);
    cfg.classes = CLASSES;
    memset(agents, 0, sizeof agents);
    struct sim *s = sim_new();
    struct sim_clock *core = sim_add_clock(s, "core", 1400), *icnt = sim_add_clock(s, "noc", 700);
    struct noc *n = noc_new(&cfg, NULL, NULL);
    struct component *net = sim_add(s, icnt, 0, "noc", &noc_component_ops, n);
    for (uint32_t i = 0; i < NODES; i++) {
        struct agent *a = &agents[i];
        a->node = i;
        a->rng.state = i;
        for (size_t k = 0; k < ARRAY_LEN(memory_nodes); k++)
            a->memory |= memory_nodes[k] == i;
        for (int k = 0; k < DEPTH; k++) {
            a->pool[k].next = a->free_list;
            a->free_list = &a->pool[k];
        }
        struct component *c = sim_add(s, core, 1 + i % 5, "agent", &agent_ops, a);
        for (uint32_t cl = 0; cl < CLASSES; cl++) {
            a->out[cl] = sim_add_port(s, "to noc", c, net, 4, 2, 4);
            a->in[cl] = sim_add_port(s, "from noc", net, c, 2, 4, 4);
            noc_bind(n, i, cl, cl == REPLY, a->out[cl], a->in[cl]);
        }
    }
    if (shuffle)
        sim_shuffle(s, shuffle);
    sim_run(s, core, 6000, threads);
    uint64_t hash = 0, sent = 0;
    *back = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        hash = (hash ^ agents[i].hash) * 1099511628211u;
        sent += agents[i].memory ? 0 : agents[i].sent;
        *back += agents[i].back;
    }
    assert_true(*back <= sent &&
                sent - *back <= 56 * DEPTH); /* requests = replies, but for those under way */
    *stats = *noc_stats(n);
    noc_free(n);
    sim_free(s);
    return hash;
}

static void threads_and_order_change_no_bit(void **state)
{
    (void)state;
    static struct noc_stats a, b;
    uint64_t back, again;
    uint64_t hash = machine_hash(1, 0, &a, &back);
    assert_true(back > 3000); /* 8 memories send at most 0.2 packets a network cycle each */
    for (unsigned threads = 2; threads <= 4; threads += 2) {
        assert_true(machine_hash(threads, 0, &b, &again) == hash);
        assert_memory_equal(&a, &b, sizeof a);
    }
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_true(machine_hash(1, seed, &b, &again) == hash);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_order_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
