/* Clock domains, dead time, stop, the watchdog, probes; threads and order change nothing. */
#include "base/rng.h"
#include "sim/port.h"
#include "sim/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Counts its ticks; asks for every `stride`-th cycle. */
struct counter {
    uint64_t ticks;
    cycle_t stride, last;
    struct sim *stop;
    cycle_t stop_at;
};

static cycle_t counter_tick(void *self, cycle_t now)
{
    struct counter *c = self;
    c->ticks++;
    c->last = now;
    if (c->stop && now == c->stop_at)
        sim_stop(c->stop);
    return c->stride ? now + c->stride : CYCLE_NEVER;
}

static const struct component_ops counter_ops = {counter_tick, NULL};

static void clocks_keep_exact_ratios(void **state)
{
    (void)state;
    struct sim *s = sim_new();
    struct sim_clock *core = sim_add_clock(s, "core", 1400000000);
    struct sim_clock *dram = sim_add_clock(s, "dram", 924000000);
    struct counter a = {.stride = 1}, b = {.stride = 1};
    sim_add(s, core, 0, "a", &counter_ops, &a);
    sim_add(s, dram, 0, "b", &counter_ops, &b);
    assert_int_equal(sim_run(s, core, 1400000, 1), SIM_LIMIT);
    assert_int_equal(a.ticks, 1400000);
    assert_int_equal(b.ticks, 924000);
    assert_true(sim_now(s, dram) == 924000);
    assert_int_equal(sim_run(s, core, 1400001, 1), SIM_LIMIT);
    assert_int_equal(b.ticks, 924001);
    sim_free(s);
}

static void awkward_clocks_are_an_error(void **state)
{
    (void)state;
    struct err err;
    struct sim *s = sim_new();
    sim_add_clock(s, "core", 1400000000);
    sim_add_clock(s, "odd", 924000001);
    assert_false(sim_prepare(s, &err));
    assert_non_null(strstr(err.msg, "round it"));
    sim_free(s);
}

static void dead_time_is_skipped(void **state)
{
    (void)state;
    struct sim *s = sim_new();
    struct sim_clock *clk = sim_add_clock(s, "clk", 1);
    struct counter idle = {.stride = 0}, rare = {.stride = 1000000000};
    sim_add(s, clk, 0, "idle", &counter_ops, &idle);
    sim_add(s, clk, 0, "rare", &counter_ops, &rare);
    assert_int_equal(sim_run(s, clk, 10000000001, 1), SIM_LIMIT);
    assert_int_equal(idle.ticks, 1);
    assert_int_equal(rare.ticks, 11);
    sim_free(s);
}

/* Takes every second cycle; those before anything else is due, without leaving its tick. */
struct walker {
    struct sim *sim;
    struct component *self;
    uint64_t ticks, steps;
    cycle_t last;
};

static cycle_t walker_tick(void *self, cycle_t now)
{
    struct walker *w = self;
    w->ticks++;
    for (; now + 2 < component_alone_until(w->sim, w->self); now += 2)
        w->steps++;
    component_went_on(w->sim, w->self, w->last = now);
    w->steps++;
    return now + 2;
}

static const struct component_ops walker_ops = {walker_tick, NULL};

static void a_component_that_is_alone_goes_on_in_its_tick(void **state)
{
    (void)state;
    struct sim *s = sim_new();
    struct sim_clock *core = sim_add_clock(s, "core", 1000000000);
    struct sim_clock *slow = sim_add_clock(s, "slow", 300000000);
    struct counter beside = {.stride = 40}, apart = {.stride = 30}; /* every 40 and 100 cycles */
    struct walker w = {.sim = s};
    w.self = sim_add(s, core, 0, "walker", &walker_ops, &w);
    sim_add(s, core, 0, "beside", &counter_ops, &beside);
    sim_add(s, slow, 0, "apart", &counter_ops, &apart);
    assert_int_equal(sim_run(s, core, 199, 1), SIM_LIMIT);
    assert_int_equal(w.steps, 100);
    assert_int_equal(w.last, 198);
    /* it leaves for cycles 0, 40, 80, 100, 120, 160 and at the end, and comes back behind each */
    assert_in_range(w.ticks, 7, 14);
    assert_int_equal(beside.ticks, 5);
    assert_int_equal(apart.ticks, 2);
    sim_free(s);
}

static void a_machine_with_nothing_left_to_do_is_idle(void **state)
{
    (void)state;
    struct sim *s = sim_new();
    struct sim_clock *clk = sim_add_clock(s, "clk", 1);
    struct counter idle = {.stride = 0};
    sim_add(s, clk, 0, "idle", &counter_ops, &idle);
    assert_int_equal(sim_run(s, clk, CYCLE_NEVER, 1), SIM_IDLE);
    sim_free(s);
}

static void stop_ends_the_run_at_that_cycle(void **state)
{
    (void)state;
    struct sim *s = sim_new();
    struct sim_clock *clk = sim_add_clock(s, "clk", 7);
    struct counter a = {.stride = 1, .stop = s, .stop_at = 41};
    sim_add(s, clk, 0, "a", &counter_ops, &a);
    assert_int_equal(sim_run(s, clk, 1000, 1), SIM_STOPPED);
    assert_int_equal(a.ticks, 42);
    assert_true(sim_now(s, clk) == 42);
    assert_int_equal(sim_run(s, clk, 50, 1), SIM_LIMIT);
    assert_int_equal(a.ticks, 50);
    sim_free(s);
}

/* A node of a random-traffic machine: takes tokens, hashes what it sees when, sends them on. */
struct node {
    struct port *in[2], *out[2];
    uint64_t hash, moved;
    struct rng rng;
    uintptr_t held;
};

static cycle_t node_tick(void *self, cycle_t now)
{
    struct node *n = self;
    cycle_t next = CYCLE_NEVER;
    for (int i = 0; i < 2; i++) {
        if (!n->held)
            n->held = (uintptr_t)port_pop(n->in[i], now);
        if (port_next(n->in[i]) != CYCLE_NEVER)
            next = now + 1;
    }
    if (!n->held)
        return next;
    struct port *out = n->out[n->held & 1];
    if (!port_can_push(out, now))
        return CYCLE_NEVER; /* the pop that makes room wakes us */
    n->hash = (n->hash ^ (now * 31 + n->held)) * 0x9e3779b97f4a7c15u;
    n->moved++;
    port_push(out, now, (void *)(uintptr_t)(n->held + rng_below(&n->rng, 5)));
    n->held = 0;
    return next;
}

static const struct component_ops node_ops = {node_tick, NULL};

enum { NODES = 12 };

static uint64_t machine_hash(unsigned threads, uint64_t shuffle_seed, uint64_t *moved)
{
    struct sim *s = sim_new();
    struct sim_clock *fast = sim_add_clock(s, "fast", 1400), *slow = sim_add_clock(s, "slow", 924);
    struct node nodes[NODES] = {0};
    struct component *comps[NODES];
    for (unsigned i = 0; i < NODES; i++) {
        nodes[i].rng.state = i;
        nodes[i].held = i < 8 ? i + 1 : 0;
        comps[i] = sim_add(s, i % 3 ? fast : slow, i / 3, "node", &node_ops, &nodes[i]);
    }
    for (unsigned i = 0; i < NODES; i++)
        for (unsigned k = 0; k < 2; k++) {
            unsigned to = (i + (k ? 5 : 1)) % NODES;
            nodes[i].out[k] = nodes[to].in[k] =
                sim_add_port(s, "p", comps[i], comps[to], 4 + i % 2, 3, 2);
        }
    if (shuffle_seed)
        sim_shuffle(s, shuffle_seed);
    sim_run(s, fast, 5000, threads);
    uint64_t hash = 0;
    *moved = 0;
    for (unsigned i = 0; i < NODES; i++) {
        hash = hash * 1099511628211u + nodes[i].hash;
        *moved += nodes[i].moved;
    }
    sim_free(s);
    return hash;
}

static void order_and_threads_do_not_change_results(void **state)
{
    (void)state;
    uint64_t moved, again;
    uint64_t hash = machine_hash(1, 0, &moved);
    assert_true(moved > 2500);
    for (uint64_t seed = 1; seed <= 5; seed++)
        assert_true(machine_hash(1, seed, &again) == hash);
    for (unsigned threads = 2; threads <= 4; threads++) {
        assert_true(machine_hash(threads, 0, &again) == hash);
        assert_true(again == moved);
    }
}

/* Takes one item, then never again. */
struct stone {
    struct port *in;
    bool full;
};

static cycle_t stone_tick(void *self, cycle_t now)
{
    struct stone *st = self;
    if (!st->full && port_pop(st->in, now))
        st->full = true;
    return now + 1;
}

static void stone_dump(const void *self, FILE *out)
{
    fprintf(out, "  holds %d\n", ((const struct stone *)self)->full);
}

static const struct component_ops stone_ops = {stone_tick, stone_dump};

struct pusher {
    struct port *out;
};

static cycle_t pusher_tick(void *self, cycle_t now)
{
    static int item;
    struct pusher *p = self;
    if (port_can_push(p->out, now))
        port_push(p->out, now, &item);
    return now + 1;
}

static const struct component_ops pusher_ops = {pusher_tick, NULL};

static void the_watchdog_names_what_is_blocked(void **state)
{
    (void)state;
    struct sim *s = sim_new();
    struct sim_clock *clk = sim_add_clock(s, "clk", 1);
    struct pusher push;
    struct stone stone = {0};
    struct component *a = sim_add(s, clk, 0, "pusher", &pusher_ops, &push);
    struct component *b = sim_add(s, clk, 0, "stone", &stone_ops, &stone);
    push.out = stone.in = sim_add_port(s, "pipe", a, b, 1, 1, 2);
    sim_set_watchdog(s, clk, 1000);
    assert_int_equal(sim_run(s, clk, 1000000, 1), SIM_STUCK);
    assert_true(sim_now(s, clk) < 2000);
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    sim_report_blocked(s, out);
    fclose(out);
    assert_string_equal(text, "port pipe: 2 of 2 wait; pusher (blocked) -> stone\n"
                              "stone:\n  holds 1\n");
    free(text);
    sim_free(s);
}

static void probe_seen(void *ctx, cycle_t now, uint32_t event, uint64_t x, uint64_t y)
{
    *(uint64_t *)ctx += now + event + x + y;
}

static void the_null_probe_does_nothing(void **state)
{
    (void)state;
    uint64_t sum = 0;
    struct probe p = {probe_seen, &sum, NULL};
    probe_fire(&probe_null, 1, 2, 3, 4);
    probe_fire(&p, 1, 2, 3, 4);
    assert_true(sum == 10);
}

static void several_probes_see_the_same_and_leave_in_any_order(void **state)
{
    (void)state;
    uint64_t sums[3] = {0};
    struct probe p[3];
    const struct probe *at = &probe_null;
    for (unsigned i = 0; i < 3; i++) {
        p[i] = (struct probe){probe_seen, &sums[i], NULL};
        probe_add(&at, &p[i]);
    }
    probe_fire(at, 1, 2, 3, 4);
    probe_drop(&at, &p[1]);
    probe_drop(&at, &p[1]); /* nothing to do */
    probe_fire(at, 1, 2, 3, 4);
    probe_drop(&at, &p[2]);
    probe_fire(at, 1, 2, 3, 4);
    probe_drop(&at, &p[0]);
    assert_ptr_equal(at, &probe_null);
    assert_true(sums[0] == 30 && sums[1] == 10 && sums[2] == 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_keep_exact_ratios),
        cmocka_unit_test(awkward_clocks_are_an_error),
        cmocka_unit_test(dead_time_is_skipped),
        cmocka_unit_test(a_component_that_is_alone_goes_on_in_its_tick),
        cmocka_unit_test(a_machine_with_nothing_left_to_do_is_idle),
        cmocka_unit_test(stop_ends_the_run_at_that_cycle),
        cmocka_unit_test(order_and_threads_do_not_change_results),
        cmocka_unit_test(the_watchdog_names_what_is_blocked),
        cmocka_unit_test(the_null_probe_does_nothing),
        cmocka_unit_test(several_probes_see_the_same_and_leave_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
