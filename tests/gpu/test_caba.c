/* CABA's memory side on whole machines, with an engine of fixed latency in place of assist warps:
 * without encoded lines nothing changes; without latency it is ideal compression where stores are
 * whole lines; outputs are those of the machine without; every packet and burst is accounted for;
 * results depend on no host thread. */
#include "gpu/support_outcome.h"
#include "support_invariants.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_SETS = 16 };

struct how {
    const char *machine, *with;
    const char *sets[4]; /* beyond a small L2, so that dirty lines are evicted */
    unsigned threads;
    uint64_t shuffle;
};

/* What the controllers moved is what the forms said. */
static void check_bursts(const struct outcome *o)
{
    const double data =
        outcome_stat(o, "mc", "burst_reads") + outcome_stat(o, "mc", "burst_writes");
    const double form = outcome_stat(o, "cmem", "read_bursts") +
                        outcome_stat(o, "cmem", "write_bursts") +
                        outcome_stat(o, "cmem", "raw_bursts");
    assert_true(data <= form);
    assert_true(outcome_stat(o, "mc", "extra_reads") <= outcome_stat(o, "cmem", "md_misses"));
    if (outcome_stat(o, "mc", "reads") + outcome_stat(o, "mc", "writes") ==
        outcome_stat(o, "mc", "answers"))
        assert_true(data == form &&
                    outcome_stat(o, "mc", "extra_reads") == outcome_stat(o, "cmem", "md_misses"));
    assert_true(outcome_stat(o, "cmem", "rmw") == 0); /* nobody there could change a part */
    assert_true(outcome_stat(o, "cmem", "encoded") + outcome_stat(o, "cmem", "decoded") == 0);
    assert_true(outcome_stat(o, "caba_form", "stored_encoded") ==
                outcome_stat(o, "l1", "coded_stores"));
    const double raw =
        outcome_stat(o, "l1", "stores_raw") + outcome_stat(o, "l1", "stores_overflow") +
        outcome_stat(o, "l1", "stores_yielded") + outcome_stat(o, "l1", "refused_atomics");
    assert_true(outcome_stat(o, "caba_form", "stored_raw") >= raw);
    /* what was refused has come again, by itself or in another one's line */
    assert_true(outcome_stat(o, "caba_form", "stored_raw") +
                    outcome_stat(o, "caba_form", "stored_encoded") +
                    outcome_stat(o, "caba_store", "joined") >=
                outcome_stat(o, "l1", "refused_writes") + outcome_stat(o, "l1", "refused_atomics"));
}

static struct outcome run(const struct gpu_case *c, const struct how *h)
{
    struct case_run t;
    char with[64];
    const char *sets[MAX_SETS] = {with, "gpu.verify=true", "l2.size=8K", "caba.md_size=256",
                                  "caba.md_ways=2"};
    size_t n = 5;
    snprintf(with, sizeof with, "gpu.with=%s", h->with);
    for (size_t i = 0; i < ARRAY_LEN(h->sets) && h->sets[i]; i++)
        sets[n++] = h->sets[i];
    case_open(&t, c, h->machine, sets, n, h->threads ? h->threads : 1);
    if (h->shuffle)
        gpu_shuffle(t.gpu, h->shuffle);
    case_fill(&t);
    case_run(&t);
    case_run(&t);
    invariants_check(t.gpu, h->with);
    struct outcome out = outcome_take(&t, true);
    if (!strncmp(h->with, "caba-", 5) && strcmp(h->with, "caba-raw"))
        check_bursts(&out);
    return out;
}

static void remove_groups(struct outcome *o, const char *const *names, size_t n)
{
    struct json_object *groups = json_object_object_get(o->stats, "groups");
    for (size_t k = 0; k < n; k++)
        json_object_object_del(groups, names[k]);
}

static void without_encoded_lines_nothing_changes(void **state)
{
    (void)state;
    static const char *const own[] = {"cmem", "wire_sm", "wire_l2", "caba_form", "caba_store"};
    static const char *const names[] = {"vecadd",       "stencil", "atomics",
                                        "local_memory", "scatter", "textures"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct gpu_case *c = case_named(names[i]);
        struct outcome base = run(c, &(struct how){.machine = "gtx480", .with = "base"});
        struct outcome raw = run(c, &(struct how){.machine = "gtx480",
                                                  .with = "caba-raw",
                                                  .sets = {"caba.engine_latency=99"}});
        remove_groups(&raw, own, ARRAY_LEN(own));
        outcome_assert_same(c, "caba-raw", &base, &raw);
        outcome_free(&base);
        outcome_free(&raw);
    }
}

/* 39 blocks of 256 threads that store 4 bytes each: whole lines. */
static void without_latency_it_is_ideal_where_stores_are_whole_lines(void **state)
{
    (void)state;
    struct gpu_case whole = *case_named("vecadd");
    whole.grid[0] = 39;
    whole.number[0] = 39 * 256;
    struct outcome ideal = run(&whole, &(struct how){.machine = "gtx480", .with = "ideal-bdi"});
    struct outcome caba =
        run(&whole, &(struct how){.machine = "gtx480",
                                  .with = "caba-bdi",
                                  .sets = {"caba.free_metadata=true", "caba.engine_latency=0"}});
    assert_int_equal(ideal.cycles, caba.cycles);
    static const char *const bursts[] = {"reads", "read_bursts", "writes", "write_bursts",
                                         "raw_bursts"};
    for (size_t i = 0; i < ARRAY_LEN(bursts); i++)
        assert_true(outcome_stat(&ideal, "cmem", bursts[i]) ==
                    outcome_stat(&caba, "cmem", bursts[i]));
    /* the padding of lines that suit lanes costs bytes, but no burst and no cycle */
    static const char *const wires[] = {"wire_sm", "wire_l2"};
    for (size_t i = 0; i < ARRAY_LEN(wires); i++) {
        assert_true(outcome_stat(&ideal, wires[i], "encoded_packets") ==
                    outcome_stat(&caba, wires[i], "encoded_packets"));
        assert_true(outcome_stat(&ideal, wires[i], "wire_bytes") <
                    outcome_stat(&caba, wires[i], "wire_bytes"));
    }
    assert_true(outcome_stat(&caba, "l1", "coded_stores") > 0);
    assert_true(outcome_stat(&caba, "l1", "coded_fills") > 0);
    outcome_free(&ideal);
    outcome_free(&caba);
}

static const char *const designs[] = {
    "caba-bdi",       "caba-fpc",       "caba-cpack",     "caba-bestofall", "caba-bdi-l1-2x",
    "caba-bdi-l1-4x", "caba-bdi-l2-2x", "caba-bdi-l2-4x", "caba-bdi-rawl2", "caba-bdi-direct"};

static void outputs_are_those_of_the_machine_without(void **state)
{
    (void)state;
    static const char *const names[] = {"vecadd", "scatter", "local_memory", "textures"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct gpu_case *c = case_named(names[i]);
        struct outcome base = run(c, &(struct how){.machine = "gtx480", .with = "base"});
        for (size_t k = 0; k < ARRAY_LEN(designs); k++) {
            struct outcome o = run(c, &(struct how){.machine = "gtx480",
                                                    .with = designs[k],
                                                    .sets = {"caba.engine_latency=30"}});
            assert_memory_equal(o.data, base.data, CASE_BYTES);
            outcome_free(&o);
        }
        outcome_free(&base);
    }
}

/* Parts of encoded lines and atomics on them take the long way, and only once. */
static void refused_requests_come_again(void **state)
{
    (void)state;
    const struct how h = {
        .machine = "gtx480", .with = "caba-bdi", .sets = {"caba.engine_latency=30"}};
    struct outcome parts = run(case_named("scatter"), &h);
    assert_true(outcome_stat(&parts, "l1", "refused_writes") > 0);
    assert_true(outcome_stat(&parts, "caba_form", "stored_encoded") > 0);
    outcome_free(&parts);
    const struct how raw = {
        .machine = "gtx480",
        .with = "caba-bdi",
        .sets = {"caba.engine_latency=30", "caba.encode_refused=false", "caba.encode_hits=false"}};
    struct outcome opened = run(case_named("scatter"), &raw);
    assert_true(outcome_stat(&opened, "caba_form", "opened") > 0);
    assert_true(outcome_stat(&opened, "caba_form", "stored_raw") >=
                outcome_stat(&opened, "l1", "refused_writes"));
    outcome_free(&opened);
    struct outcome atomics = run(case_named("atomics"), &h);
    assert_true(outcome_stat(&atomics, "l1", "refused_atomics") > 0);
    outcome_free(&atomics);
}

/* Whose decoding takes longer does not finish earlier. */
static void latency_is_paid(void **state)
{
    (void)state;
    static const char *const latency[] = {"caba.engine_latency=0", "caba.engine_latency=400",
                                          "caba.engine_latency=4000"};
    cycle_t before = 0;
    for (size_t i = 0; i < ARRAY_LEN(latency); i++) {
        struct outcome o =
            run(case_named("vecadd"),
                &(struct how){.machine = "gtx480", .with = "caba-bdi", .sets = {latency[i]}});
        assert_true(o.cycles > before);
        assert_true((outcome_stat(&o, "l1", "codec_waits") > 0) == (i > 0));
        before = o.cycles;
        outcome_free(&o);
    }
}

static void results_depend_on_no_thread(void **state)
{
    (void)state;
    static const char *const with[] = {"caba-bestofall", "caba-bdi-l1-2x", "caba-bdi-rawl2"};
    static const char *const names[] = {"scatter", "atomics", "vecadd"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct gpu_case *c = case_named(names[i]);
        struct how h = {.machine = "gtx480",
                        .with = with[i],
                        .sets = {"caba.engine_latency=25", "caba.store_buffer_lines=2"}};
        struct outcome one = run(c, &h);
        const struct {
            unsigned threads;
            uint64_t shuffle;
        } ways[] = {{2, 0}, {4, 5}};
        for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
            h.threads = ways[w].threads;
            h.shuffle = ways[w].shuffle;
            struct outcome o = run(c, &h);
            outcome_assert_same(c, h.with, &one, &o);
            outcome_free(&o);
        }
        outcome_free(&one);
    }
}

/* Lines of 4 bursts and of 2; sectored L1s and whole lines; one network and two. */
static void on_every_machine(void **state)
{
    (void)state;
    static const char *const machines[] = {"gtx480-gpgpusim", "gtx580", "mesh56", "h200"};
    for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
        struct outcome base =
            run(case_named("vecadd"), &(struct how){.machine = machines[i], .with = "base"});
        struct outcome o =
            run(case_named("vecadd"), &(struct how){.machine = machines[i],
                                                    .with = "caba-bdi",
                                                    .sets = {"caba.engine_latency=30"}});
        assert_memory_equal(o.data, base.data, CASE_BYTES);
        assert_true(outcome_stat(&o, "l1", "coded_fills") > 0);
        outcome_free(&o);
        outcome_free(&base);
    }
}

static void fails(const char *with, const char *set, const char *message)
{
    struct err err = {0};
    char name[64];
    const char *const sets[] = {name, set};
    snprintf(name, sizeof name, "gpu.with=%s", with);
    struct machine *m = machine_new("gtx480", sets, set ? 2 : 1, &err);
    if (m) {
        struct device *dev = machine_device(m, &err);
        assert_null(gpu_new(m, dev, 1, &err));
        device_free(dev);
    }
    if (!strstr(err.msg, message))
        fail_msg("%s", err.msg);
    machine_free(m);
}

static void what_cannot_be_is_named(void **state)
{
    (void)state;
    fails("caba-bdi,hw-bdi", NULL, "hw-bdi cannot be combined with caba-bdi");
    fails("caba-bdi-l1-2x,cc-l1-bdi-2x", NULL, "cannot be combined with caba-bdi-l1-2x");
    fails("caba-bdi", "caba.segment_bytes=12", "caba.segment_bytes: 12 is not a power of two");
    fails("caba-bdi-l1-2x", "l1.write_global=back", "l1.write_global must be through");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_encoded_lines_nothing_changes),
        cmocka_unit_test(without_latency_it_is_ideal_where_stores_are_whole_lines),
        cmocka_unit_test(outputs_are_those_of_the_machine_without),
        cmocka_unit_test(refused_requests_come_again),
        cmocka_unit_test(latency_is_paid),
        cmocka_unit_test(results_depend_on_no_thread),
        cmocka_unit_test(on_every_machine),
        cmocka_unit_test(what_cannot_be_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
