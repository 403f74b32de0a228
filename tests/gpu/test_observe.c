/* Observers: what they count on known kernels and events, what adds up on all kernels, and that
 * observing changes nothing. */
#include "support_cases.h"

#include "gpu/observe.h"
#include "gpu/observe_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double get(struct gpu *g, const char *key)
{
    double v = -1;
    if (!stats_get(gpu_stats(g), key, &v))
        fail_msg("no statistic %s", key);
    return v;
}

/* --- scalar --- */

static const char scalar_ptx[] = ".version 3.2\n"
                                 ".target sm_20\n"
                                 ".address_size 64\n"
                                 ".visible .entry k(.param .u64 out)\n{\n"
                                 ".reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .f32 %f<3>;\n"
                                 ".reg .b64 %rd<4>;\n"
                                 "ld.param.u64 %rd1, [out];\n"  /* memory, scalar */
                                 "mov.u32 %r1, %tid.x;\n"       /* no */
                                 "mov.u32 %r2, %ctaid.x;\n"     /* scalar */
                                 "add.u32 %r3, %r2, 5;\n"       /* scalar */
                                 "shr.u32 %r4, %r1, 4;\n"       /* no */
                                 "add.u32 %r5, %r4, 1;\n"       /* half */
                                 "mov.u32 %r6, %r1;\n"          /* no */
                                 "and.b32 %r6, %r6, 0;\n"       /* no: as it was before */
                                 "cvt.rn.f32.u32 %f1, %r3;\n"   /* scalar */
                                 "sin.approx.f32 %f2, %f1;\n"   /* special, scalar */
                                 "setp.lt.u32 %p1, %r4, 1;\n"   /* half */
                                 "mul.wide.u32 %rd2, %r1, 4;\n" /* no */
                                 "add.u64 %rd2, %rd1, %rd2;\n"  /* no */
                                 "@%p1 bra LOW;\n"              /* parts the lanes */
                                 "add.u32 %r7, %r4, 2;\n"       /* divergent, scalar */
                                 "bra JOIN;\n"                  /* divergent */
                                 "LOW:\n"
                                 "add.u32 %r7, %r1, 2;\n" /* divergent */
                                 "JOIN:\n"
                                 "@%p1 st.global.u32 [%rd1], %r3;\n" /* divergent, scalar */
                                 "st.global.u32 [%rd2], %r7;\n"      /* no */
                                 "st.global.u32 [%rd1+128], %r3;\n"  /* memory, scalar */
                                 "ret;\n}\n";

static void scalar_kernel(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned n;
    } expected[] = {{"inst", 21},       {"moves", 7},           {"integer", 6},
                    {"single", 0},      {"special", 1},         {"memory", 4},
                    {"control", 3},     {"parameters", 1},      {"branches", 1},
                    {"divergent", 4},   {"empty", 0},           {"divergent_branches", 1},
                    {"alu_scalar", 3},  {"sfu_scalar", 1},      {"mem_scalar", 2},
                    {"half_scalar", 2}, {"divergent_scalar", 2}};
    const struct gpu_case c = {.name = "scalar",
                               .ptx = scalar_ptx,
                               .entry = "k",
                               .grid = {3, 1, 1},
                               .block = {32, 1, 1},
                               .npointers = 1};
    struct case_run t;
    case_open(&t, &c, "gtx480-gpgpusim", NULL, 0, 1);
    struct observe *o = observe_new(t.gpu, "scalar");
    case_run(&t);
    for (unsigned i = 0; i < ARRAY_LEN(expected); i++) {
        char key[64];
        snprintf(key, sizeof key, "scalar.%s", expected[i].name);
        if (get(t.gpu, key) != 3 * expected[i].n)
            fail_msg("%s is %g, not %u", key, get(t.gpu, key), 3 * expected[i].n);
    }
    case_close(&t);
    observe_free(o);
}

/* A warp of 20 threads is not divergent as long as all 20 execute. */
static void short_warp(void **state)
{
    (void)state;
    const struct gpu_case c = {.name = "short warp",
                               .ptx = scalar_ptx,
                               .entry = "k",
                               .grid = {1, 1, 1},
                               .block = {20, 1, 1},
                               .npointers = 1};
    struct case_run t;
    case_open(&t, &c, "gtx480-gpgpusim", NULL, 0, 1);
    struct observe *o = observe_new(t.gpu, "scalar");
    case_run(&t);
    assert_int_equal(get(t.gpu, "scalar.divergent"), 4);
    assert_int_equal(get(t.gpu, "scalar.alu_scalar"), 3);
    assert_int_equal(get(t.gpu, "scalar.half_scalar"), 0);
    case_close(&t);
    observe_free(o);
}

/* --- L1 usage --- */

static void fire(struct l1_usage *u, enum l1_event event, uint64_t words)
{
    u->probe.fire(u->probe.ctx, 0, event, 7, words);
}

static void patterns_of_lines(void **state)
{
    (void)state;
    struct l1_usage u;
    l1_usage_init(&u, 8, 128);
    fire(&u, L1_READ, 0x1); /* one word, twice others of the same 32 bytes: CA 32 */
    fire(&u, L1_READ, 0x6);
    fire(&u, L1_REPLACED, 0);
    fire(&u, L1_READ, 0x0101); /* two sectors, then one of them: CA 64 */
    fire(&u, L1_READ, 0x0100);
    fire(&u, L1_FLUSHED, 0);
    fire(&u, L1_READ, 0x0100); /* one, then another too: ICA 64 */
    fire(&u, L1_READ, 0x0101);
    fire(&u, L1_WRITE_EVICTED, 0);
    fire(&u, L1_READ, 0xffffffff);
    fire(&u, L1_REPLACED, 0);
    fire(&u, L1_READ, 0xffff);
    fire(&u, L1_READ, 0xffff0000);
    fire(&u, L1_REPLACED, 0);
    fire(&u, L1_READ, 0x01010100);
    fire(&u, L1_REPLACED, 0);
    fire(&u, L1_READ, 0x1);
    fire(&u, L1_READ, 0x00010100);
    fire(&u, L1_REPLACED, 0);
    fire(&u, L1_REPLACED, 0); /* never read */
    const struct l1_usage_stats *s = &u.stats;
    const struct l1_usage_stats expected = {.blocks = 7,
                                            .unread = 1,
                                            .replaced = 5,
                                            .written = 1,
                                            .flushed = 1,
                                            .reads = 12,
                                            .words_used = 3 + 2 + 2 + 32 + 32 + 3 + 3,
                                            .words = 7 * 32,
                                            .sub_blocks_used = 1 + 2 + 2 + 4 + 4 + 3 + 3,
                                            .sub_blocks = 7 * 4,
                                            .ca_32 = 1,
                                            .ca_64 = 1,
                                            .ca_96 = 1,
                                            .ca_128 = 1,
                                            .ica_64 = 1,
                                            .ica_96 = 1,
                                            .ica_128 = 1};
    assert_memory_equal(s, &expected, sizeof expected);
    assert_int_equal(u.evicted.blocks, 6); /* but the flushed one */
    assert_int_equal(u.evicted.ca_64, 0);
    assert_int_equal(u.evicted.words_used, s->words_used - 2);
    free(u.lines);
}

static void lines_of_local_memory_are_told_apart(void **state)
{
    (void)state;
    struct l1_usage u;
    l1_usage_init(&u, 8, 128);
    fire(&u, L1_READ_LOCAL, 0xffffffff);
    fire(&u, L1_REPLACED, 0);
    fire(&u, L1_READ, 0x1); /* the place has a line of global memory now */
    fire(&u, L1_REPLACED, 0);
    assert_int_equal(u.stats.local, 1);
    assert_int_equal(u.stats.blocks, 1);
    assert_int_equal(u.stats.reads, 1);
    assert_int_equal(u.stats.words_used, 1);
    free(u.lines);
}

/* --- what accesses need --- */

/* Thread i reads the word at `from` + i * `stride`; then `more`. */
struct pattern {
    uint32_t threads, from, stride;
    const char *more;
    uint32_t reads, lines, words; /* accesses, lines, words of all lines */
    const char *kind;             /* of every line */
};

static void check_pattern(const struct pattern *p)
{
    char ptx[1024];
    snprintf(ptx, sizeof ptx,
             ".version 3.2\n.target sm_20\n.address_size 64\n"
             ".visible .entry k(.param .u64 in)\n{\n"
             ".reg .b32 %%r<4>;\n.reg .b64 %%rd<4>;\n"
             "ld.param.u64 %%rd1, [in];\nmov.u32 %%r1, %%tid.x;\n"
             "mul.wide.u32 %%rd2, %%r1, %u;\nadd.u64 %%rd2, %%rd1, %%rd2;\n"
             "ld.global.u32 %%r2, [%%rd2+%u];\n%sret;\n}\n",
             p->stride, p->from, p->more);
    const struct gpu_case c = {.name = "pattern",
                               .ptx = ptx,
                               .entry = "k",
                               .grid = {1, 1, 1},
                               .block = {p->threads, 1, 1},
                               .npointers = 1};
    struct case_run t;
    char key[32];
    case_open(&t, &c, "mesh56", NULL, 0, 1);
    struct observe *o = observe_new(t.gpu, "l1-usage");
    case_run(&t);
    assert_int_equal(get(t.gpu, "l1_usage.reads"), p->reads);
    assert_int_equal(get(t.gpu, "l1_usage.blocks"), p->lines);
    assert_int_equal(get(t.gpu, "l1_usage.flushed"), p->lines);
    assert_int_equal(get(t.gpu, "l1_evicted.blocks"), 0);
    assert_int_equal(get(t.gpu, "l1_usage.words_used"), p->words);
    snprintf(key, sizeof key, "l1_usage.%s", p->kind);
    assert_int_equal(get(t.gpu, key), p->lines);
    case_close(&t);
    observe_free(o);
}

static void what_an_access_needs_is_what_its_lanes_touch(void **state)
{
    (void)state;
    static const struct pattern patterns[] = {
        {32, 0, 4, "", 1, 1, 32, "ca_128"},
        {32, 0, 32, "", 8, 8, 32, "ca_128"}, /* an eighth of the words, of every sub-block */
        {32, 0, 64, "", 16, 16, 32, "ca_64"},
        {32, 0, 128, "", 32, 32, 32, "ca_32"},
        {8, 96, 4, "", 1, 1, 8, "ca_32"},
        {1, 0, 4, "ld.global.u32 %r3, [%rd2+36];\n", 2, 1, 2, "ica_64"},
    };
    for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
        check_pattern(&patterns[i]);
}

/* --- ports --- */

/* What enters at SMs leaves at slices, and the other way round; on one network and on two. */
static void flits_are_counted_where_they_enter_and_leave(void **state)
{
    (void)state;
    static const char *const machines[] = {"mesh56", "gtx480"};
    for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
        struct case_run t;
        double one = 0, two = 0;
        case_open(&t, case_named("vecadd"), machines[i], NULL, 0, 1);
        struct observe *o = observe_new(t.gpu, "ports");
        case_run(&t);
        const char *requests = i ? "noc_request.flits_in" : "noc.flits_in";
        stats_get(gpu_stats(t.gpu), requests, &one);
        stats_get(gpu_stats(t.gpu), "noc_reply.flits_in", &two);
        assert_true(get(t.gpu, "noc_sms.in") > 0 && get(t.gpu, "noc_slices.in") > 0);
        assert_true(get(t.gpu, "noc_sms.in") == get(t.gpu, "noc_slices.out"));
        assert_true(get(t.gpu, "noc_slices.in") == get(t.gpu, "noc_sms.out"));
        assert_true(get(t.gpu, "noc_sms.in") + get(t.gpu, "noc_slices.in") == one + two);
        assert_true(!i || get(t.gpu, "noc_slices.in") == two);
        case_close(&t);
        observe_free(o);
    }
}

/* --- on all kernels --- */

static double sum(struct gpu *g, const char *group, const char *const *names, size_t n)
{
    double all = 0;
    for (size_t i = 0; i < n; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s.%s", group, names[i]);
        all += get(g, key);
    }
    return all;
}

static void check_sums(struct gpu *g, const char *what)
{
    static const char *const kinds[] = {"moves",  "integer",  "single", "special", "dbl",
                                        "matrix", "exchange", "memory", "control"};
    static const char *const eligible[] = {"alu_scalar", "sfu_scalar", "mem_scalar", "half_scalar"};
    static const char *const patterns[] = {"ca_32",  "ca_64",  "ca_96",  "ca_128",
                                           "ica_64", "ica_96", "ica_128"};
    static const char *const ways[] = {"replaced", "written", "flushed"};
    static const char *const left[] = {"evictions", "write_evictions", "flushed"};
    const double inst = get(g, "scalar.inst"), blocks = get(g, "l1_usage.blocks");
    const double spills = get(g, "sm.spill_loads") + get(g, "sm.spill_stores");
    if (inst != get(g, "sm.warp_inst") - spills ||
        inst != sum(g, "scalar", kinds, ARRAY_LEN(kinds)))
        fail_msg("%s: kinds do not add up", what);
    if (sum(g, "scalar", eligible, 4) > inst - get(g, "scalar.divergent") ||
        get(g, "scalar.divergent_scalar") > get(g, "scalar.divergent"))
        fail_msg("%s: more scalar instructions than there are", what);
    if (blocks != sum(g, "l1_usage", patterns, 7) || blocks != sum(g, "l1_usage", ways, 3) ||
        blocks + get(g, "l1_usage.unread") + get(g, "l1_usage.local") != sum(g, "l1", left, 3) ||
        blocks - get(g, "l1_usage.flushed") != get(g, "l1_evicted.blocks"))
        fail_msg("%s: blocks do not add up", what);
    if (get(g, "l1_usage.reads") > get(g, "l1.reads") ||
        (!get(g, "l1_usage.local") && get(g, "l1_usage.reads") != get(g, "l1.reads")))
        fail_msg("%s: reads that were not seen", what);
}

static char *text_of(struct gpu *g)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    stats_write_csv(gpu_stats(g), f);
    fclose(f);
    return text;
}

/* One case on a machine of its own: addresses are then the same each time. */
static char *run_case(const struct gpu_case *c, unsigned threads, bool is_observed, cycle_t *cycles)
{
    struct case_run r;
    struct observe *o = NULL;
    case_open(&r, c, c->needs_hopper ? "h200" : "gtx480", NULL, 0, threads);
    if (is_observed)
        o = observe_new(r.gpu, "scalar,l1-usage,ports");
    case_run(&r);
    if (is_observed)
        check_sums(r.gpu, c->name);
    *cycles = gpu_cycles(r.gpu);
    char *text = text_of(r.gpu);
    case_close(&r);
    observe_free(o);
    return text;
}

static void adds_up_and_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < ngpu_cases; i++) {
        cycle_t one, three, alone;
        char *a = run_case(&gpu_cases[i], 1, true, &one);
        char *b = run_case(&gpu_cases[i], 3, true, &three);
        char *c = run_case(&gpu_cases[i], 1, false, &alone);
        assert_string_equal(a, b);
        assert_int_equal(one, alone);
        free(a);
        free(b);
        free(c);
    }
}

static void names(void **state)
{
    (void)state;
    struct err err = {0};
    assert_true(observe_check("scalar", &err));
    assert_true(observe_check("l1-usage,scalar+ports", &err));
    static const char *const bad[] = {"", "scalar,", ",scalar", "scala", "l1-usage scalar"};
    for (unsigned i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(observe_check(bad[i], &err));
    assert_non_null(strstr(err.msg, "'l1-usage scalar' is not known"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_kernel),
        cmocka_unit_test(short_warp),
        cmocka_unit_test(patterns_of_lines),
        cmocka_unit_test(lines_of_local_memory_are_told_apart),
        cmocka_unit_test(what_an_access_needs_is_what_its_lanes_touch),
        cmocka_unit_test(flits_are_counted_where_they_enter_and_leave),
        cmocka_unit_test(adds_up_and_changes_nothing),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
