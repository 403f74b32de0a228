/* The same run to the last statistic of every instance: on any number of host threads, with parts
 * ticked in any order, asleep or awake, and again in the same process. */
#include "support_cases.h"
#include "support_invariants.h"

#include "sim/sim_int.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Components that are ticked in every cycle, whatever they asked for. */
struct restless {
    const struct component_ops *ops;
    void *self;
};

static cycle_t restless_tick(void *self, cycle_t now)
{
    const struct restless *r = self;
    r->ops->tick(r->self, now);
    return now + 1;
}

static const struct component_ops restless_ops = {restless_tick, NULL};

static struct restless *keep_awake(struct gpu *g)
{
    const size_t n = g->sim->comps.len;
    struct restless *r = xcalloc(n, sizeof *r);
    for (size_t i = 0; i < n; i++) {
        struct component *c = g->sim->comps.data[i];
        r[i] = (struct restless){c->ops, c->self};
        c->ops = &restless_ops;
        c->self = &r[i];
    }
    return r;
}

struct way {
    const char *const *sets;
    size_t nsets;
    unsigned threads;
    uint64_t shuffle;
    bool is_awake;
};

/* All statistics after two runs of the kernel, and what it wrote. */
struct outcome {
    char *stats;
    void *data;
    cycle_t cycles;
    char *printed;
};

static struct outcome run(const struct gpu_case *c, const char *machine, struct way way)
{
    struct case_run t;
    struct restless *awake = NULL;
    case_open(&t, c, machine, way.sets, way.nsets, way.threads);
    if (way.shuffle)
        gpu_shuffle(t.gpu, way.shuffle);
    if (way.is_awake)
        awake = keep_awake(t.gpu);
    case_run(&t);
    case_run(&t);
    invariants_check(t.gpu, c->name);
    struct json_object *o = stats_to_json(gpu_stats(t.gpu), true);
    struct outcome out = {.stats =
                              xstrdup(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY)),
                          .data = xcalloc(1, CASE_BYTES),
                          .cycles = gpu_cycles(t.gpu),
                          .printed = xstrdup(t.printed)};
    memcpy(out.data, devmem_ptr(t.buf->base), CASE_BYTES);
    json_object_put(o);
    case_close(&t);
    free(awake);
    return out;
}

static void outcome_free(struct outcome *o)
{
    free(o->stats);
    free(o->data);
    free(o->printed);
}

/* The first line that differs, with the line before, which may name it. */
static void explain(const char *name, const char *how, const char *a, const char *b)
{
    size_t i = 0, line = 0;
    for (; a[i] && a[i] == b[i]; i++)
        if (a[i] == '\n')
            line = i;
    fail_msg("%s, %s: %.120s\n  differs: %.120s", name, how, a + line, b + line);
}

/* A part that is ticked counts the cycle; only that may differ when all are awake. */
static void drop_clocks(char *text)
{
    static const char *const ends[] = {"\"cycles\":", "_a_cycle\":", "_fraction\":"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        for (char *at = text; (at = strstr(at, ends[i]));) {
            at += strlen(ends[i]);
            char *rest = at + strcspn(at, "\n");
            memmove(at, rest, strlen(rest) + 1);
        }
}

/* Where windows end depends on who is awake (gpu.look_cycles, at the next meeting point). */
static void drop_limits(char *text)
{
    char *at = strstr(text, "\"limits\""), *end = at ? strchr(at, '}') : NULL;
    if (end)
        memmove(at, end, strlen(end) + 1);
}

static void compare(const struct gpu_case *c, const char *machine, struct way way, const char *how,
                    const struct outcome *base)
{
    struct outcome o = run(c, machine, way);
    char *a = xstrdup(base->stats);
    if (way.is_awake) {
        drop_clocks(a);
        drop_clocks(o.stats);
        drop_limits(a);
        drop_limits(o.stats);
    }
    if (strcmp(a, o.stats) != 0)
        explain(c->name, how, a, o.stats);
    assert_int_equal(o.cycles, base->cycles);
    assert_memory_equal(o.data, base->data, CASE_BYTES);
    assert_string_equal(o.printed, base->printed);
    outcome_free(&o);
    free(a);
}

static void on_the_gtx480(void **state)
{
    (void)state;
    for (size_t i = 0; i < ngpu_cases; i++) {
        const struct gpu_case *c = &gpu_cases[i];
        const char *m = "gtx480-gpgpusim";
        struct outcome base = run(c, m, (struct way){.threads = 1});
        compare(c, m, (struct way){.threads = 1}, "again", &base);
        compare(c, m, (struct way){.threads = 2}, "2 threads", &base);
        compare(c, m, (struct way){.threads = 4}, "4 threads", &base);
        for (uint64_t seed = 1; seed <= 3; seed++)
            compare(c, m, (struct way){.threads = 1, .shuffle = seed}, "shuffled", &base);
        compare(c, m, (struct way){.threads = 1, .is_awake = true}, "awake", &base);
        outcome_free(&base);
    }
}

static void on_the_h200(void **state)
{
    (void)state;
    static const char *const names[] = {"vecadd", "atomics", "local_memory", "handshake"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct gpu_case *c = case_named(names[i]);
        struct outcome base = run(c, "h200", (struct way){.threads = 1});
        compare(c, "h200", (struct way){.threads = 2}, "2 threads", &base);
        compare(c, "h200", (struct way){.threads = 4}, "4 threads", &base);
        compare(c, "h200", (struct way){.threads = 1, .shuffle = 7}, "shuffled", &base);
        outcome_free(&base);
    }
}

/* Few of everything, so that things wait for each other all the time. */
static void on_a_small_machine(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "gpu.sms=3",         "sm.sp_collectors=1", "sm.sfu_collectors=1", "sm.mem_collectors=1",
        "sm.banks=2",        "l1.mshrs=2",         "l1.merges=1",         "l1.miss_queue=2",
        "l1.size=1K",        "gpu.sm_replies=1",   "l2.queue=2",          "l2.mshrs=2",
        "l2.merges=1",       "l2.size=8K",         "mc.queue=1",          "l1i.size=512",
        "l1i.ways=1",        "l1c.mshrs=1",        "l2.reply_queue=2",    "l2.memory_queue=2",
        "sm.scheduler=lrr",  "sm.schedulers=1",    "sm.subcores=2",       "sm.writeback_ports=1",
        "gpu.port_cycles=3",
    };
    const struct way base_way = {.sets = sets, .nsets = ARRAY_LEN(sets), .threads = 1};
    for (size_t i = 0; i < ngpu_cases; i++) {
        const struct gpu_case *c = &gpu_cases[i];
        const char *m = "gtx480-gpgpusim";
        struct way way = base_way;
        struct outcome base = run(c, m, way);
        way.threads = 3;
        compare(c, m, way, "small, 3 threads", &base);
        way.threads = 1;
        way.shuffle = 11 + i;
        compare(c, m, way, "small, shuffled", &base);
        way.shuffle = 0;
        way.is_awake = true;
        compare(c, m, way, "small, awake", &base);
        outcome_free(&base);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_gtx480),
        cmocka_unit_test(on_the_h200),
        cmocka_unit_test(on_a_small_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
