/* Timed runs of kernels that use every part: the same results and instruction counts as the
 * functional executor, and counters that add up. */
#include "support_cases.h"
#include "support_invariants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void compare(const struct case_run *a, const struct case_run *b, const char *machine)
{
    const char *name = a->c->name;
    const uint32_t *pa = devmem_ptr(a->buf->base), *pb = devmem_ptr(b->buf->base);
    for (size_t i = 0; i < CASE_BYTES / 4; i++)
        if (pa[i] != pb[i])
            fail_msg("%s on %s: word %zu is %x, functionally %x", name, machine, i, pb[i], pa[i]);
    if (a->result.ctas != b->result.ctas)
        fail_msg("%s on %s: %llu blocks, functionally %llu", name, machine,
                 (unsigned long long)b->result.ctas, (unsigned long long)a->result.ctas);
    if (a->c->is_cooperative) /* who spins for how long depends on time */
        return;
    if (b->m->sm.code == CODE_MACHINE) /* an instruction of PTX is none, or several */
        return;
    if (a->result.warp_inst != b->result.warp_inst ||
        a->result.thread_inst != b->result.thread_inst)
        fail_msg("%s on %s: %llu warp and %llu thread instructions, functionally %llu and %llu",
                 name, machine, (unsigned long long)b->result.warp_inst,
                 (unsigned long long)b->result.thread_inst, (unsigned long long)a->result.warp_inst,
                 (unsigned long long)a->result.thread_inst);
}

static int order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The same lines, in any order: blocks print when they come to it. */
static char *sorted_lines(const char *text)
{
    char *copy = xstrdup(text), *lines[1024], *out = xcalloc(1, strlen(text) + 2);
    size_t n = 0;
    for (char *l = strtok(copy, "\n"); l && n < ARRAY_LEN(lines); l = strtok(NULL, "\n"))
        lines[n++] = l;
    qsort(lines, n, sizeof *lines, order);
    for (size_t i = 0; i < n; i++)
        strcat(strcat(out, lines[i]), "\n");
    free(copy);
    return out;
}

static void run_on(const char *machine, const char *const *sets, size_t nsets)
{
    for (size_t i = 0; i < ngpu_cases; i++) {
        struct case_run f, t;
        case_open(&f, &gpu_cases[i], machine, sets, nsets, 0);
        case_open(&t, &gpu_cases[i], machine, sets, nsets, 1);
        for (unsigned round = 0; round < 2; round++) { /* the second on a machine that was used */
            case_run(&f);
            case_run(&t);
            compare(&f, &t, machine);
            invariants_check(t.gpu, gpu_cases[i].name);
        }
        double texels = 0;
        assert_true(stats_get(gpu_stats(t.gpu), "l1t.accesses", &texels));
        assert_int_equal(texels > 0, gpu_cases[i].has_texture);
        char *a = sorted_lines(f.printed), *b = sorted_lines(t.printed);
        assert_string_equal(a, b);
        free(a);
        free(b);
        case_close(&f);
        case_close(&t);
    }
}

static void on_the_gtx480(void **state)
{
    (void)state;
    run_on("gtx480-gpgpusim", NULL, 0);
}

static void on_the_h200(void **state)
{
    (void)state;
    run_on("h200", NULL, 0);
}

static void on_the_h200_with_the_code_as_it_is(void **state)
{
    (void)state;
    static const char *const sets[] = {"sm.code=ptx"};
    run_on("h200", sets, ARRAY_LEN(sets));
}

/* Few of everything, so that queues are full and things wait. */
static void on_a_small_machine(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "gpu.sms=3",
        "sm.sp_collectors=1",
        "sm.sfu_collectors=1",
        "sm.mem_collectors=1",
        "sm.banks=2",
        "sm.writeback_ports=1",
        "l1.mshrs=2",
        "l1.merges=1",
        "l1.miss_queue=2",
        "l1.size=1K",
        "gpu.sm_replies=1",
        "l2.queue=2",
        "l2.mshrs=2",
        "l2.merges=1",
        "l2.size=8K",
        "mc.queue=1",
        "l1i.size=512",
        "l1i.ways=1",
        "gpu.copy_fills_l2=false",
        "l1c.mshrs=1",
        "l2.reply_queue=2",
        "l2.memory_queue=2",
        "sm.scheduler=two_level",
        "sm.active_warps=3",
        "gpu.port_cycles=1",
    };
    run_on("gtx480-gpgpusim", sets, ARRAY_LEN(sets));
}

/* --- residents --- */

struct residents {
    uint64_t warp_cycles, block_cycles;
    cycle_t first_begin, last_end;
    uint64_t warps, blocks;
};

static void note(void *ctx, cycle_t now, uint32_t event, uint64_t a, uint64_t b)
{
    struct residents *r = ctx;
    (void)a;
    (void)b;
    switch ((enum sm_event)event) {
    case SM_WARP_BEGIN:
        r->warp_cycles -= now;
        r->warps++;
        break;
    case SM_WARP_END:
        r->warp_cycles += now;
        r->last_end = now;
        break;
    case SM_BLOCK_BEGIN:
        r->block_cycles -= now;
        r->blocks++;
        break;
    case SM_BLOCK_END:
        r->block_cycles += now;
        break;
    case SM_REPLY:
    case SM_ACCESSED:
    case SM_EXTRA_BEGIN:
    case SM_EXTRA_END:
        break;
    }
}

/* Blocks come while others run, several in a window: residents are summed over the very cycles that
 * the events show. */
static void residents_are_counted_to_the_cycle(void **state)
{
    (void)state;
    static const char *const sets[] = {"gpu.sms=2", "gpu.port_cycles=8"};
    struct gpu_case c = gpu_cases[0];
    struct case_run t;
    struct residents r[2] = {{0}};
    struct probe probe[2] = {{note, &r[0], NULL}, {note, &r[1], NULL}};
    c.block[0] = 64; /* 12 of 2 warps and 12 registers fit */
    c.grid[0] = 150;
    case_open(&t, &c, "gtx480-gpgpusim", sets, 2, 1);
    for (unsigned i = 0; i < 2; i++)
        sm_add_probe(t.gpu->sms[i], &probe[i]);
    case_run(&t);
    invariants_check(t.gpu, "residents");
    for (unsigned i = 0; i < 2; i++) {
        const struct sm_stats *s = sm_stats(t.gpu->sms[i]);
        assert_int_equal(s->warps, r[i].warps);
        assert_int_equal(s->ctas, r[i].blocks);
        assert_int_equal(s->warp_cycles, r[i].warp_cycles);
        assert_int_equal(s->register_cycles, r[i].block_cycles * 2 * 12 * 32);
    }
    case_close(&t);
}

/* Kernels follow each other without a gap in the machine's own time; the first-level caches are
 * emptied between them, the L2 is not. */
static void two_kernels(void **state)
{
    (void)state;
    struct case_run t;
    struct gpu_case c = gpu_cases[0];
    c.grid[0] = 4;
    case_open(&t, &c, "gtx480-gpgpusim", NULL, 0, 1);
    double l1_hits[3] = {0}, l2_misses[3] = {0}, l1i_misses[3] = {0};
    for (unsigned i = 1; i <= 2; i++) {
        case_run(&t);
        invariants_check(t.gpu, "two kernels");
        stats_get(gpu_stats(t.gpu), "l1.read_hits", &l1_hits[i]);
        stats_get(gpu_stats(t.gpu), "l1i.read_misses", &l1i_misses[i]);
        stats_get(gpu_stats(t.gpu), "l2.read_misses", &l2_misses[i]);
    }
    assert_int_equal(gpu_kernel_count(t.gpu), 2);
    const struct gpu_kernel *a = gpu_kernel(t.gpu, 0), *b = gpu_kernel(t.gpu, 1);
    assert_int_equal(a->start, 0);
    assert_int_equal(b->start, a->cycles);
    assert_int_equal(gpu_cycles(t.gpu), a->cycles + b->cycles);
    assert_true(b->began >= a->began + a->cycles);
    assert_int_equal(a->warp_inst, b->warp_inst);
    assert_true(b->cycles < a->cycles);              /* its data is in the L2 */
    assert_true(l1_hits[1] == 0 && l1_hits[2] == 0); /* each word is read once a kernel */
    assert_true(l1i_misses[2] > l1i_misses[1]);
    assert_true(l2_misses[2] == l2_misses[1]);
    case_close(&t);
}

/* --- what stops a kernel --- */

#define FAULTY(body)                                                                       \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" \
    ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd1,[p];\n"       \
    "mov.u32 %r1,%tid.x; mov.u32 %r2,%ctaid.x; mad.lo.u32 %r3,%r2,64,%r1;\n"               \
    "setp.eq.u32 %p1,%r3,777;\n" body "ret;\n}\n"

/* One thread of 1280 is wrong: the same code and words as functionally, and the machine that was
 * stopped says so from then on. */
static void faults_are_the_functional_ones(void **state)
{
    (void)state;
    static const char *const texts[] = {
        FAULTY("@%p1 ld.global.u32 %r4,[%rd1+2];\n"),
        FAULTY("@%p1 mov.u64 %rd1,64;\n@%p1 st.global.u32 [%rd1],%r1;\n"),
        FAULTY("@%p1 mov.u64 %rd1,64;\n@%p1 red.global.add.u32 [%rd1],%r1;\n"),
        FAULTY("@%p1 trap;\n"),
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        const struct gpu_case c = {.name = "faulty",
                                   .ptx = texts[i],
                                   .entry = "k",
                                   .grid = {20, 1, 1},
                                   .block = {64, 1, 1},
                                   .npointers = 1};
        struct case_run f, t;
        struct err ef, et;
        case_open(&f, &c, "gtx480-gpgpusim", NULL, 0, 0);
        assert_false(case_launch(&f, &ef));
        case_close(&f); /* so that the timed one has the same addresses */
        case_open(&t, &c, "gtx480-gpgpusim", NULL, 0, 2);
        assert_false(case_launch(&t, &et));
        assert_int_equal(et.code, ef.code);
        assert_string_equal(et.msg, ef.msg);
        assert_false(case_launch(&t, &et));
        assert_non_null(strstr(et.msg, "earlier fault"));
        case_close(&t);
    }
}

/* Warp 0 waits at a barrier for threads that never come. */
static void a_deadlock_is_reported(void **state)
{
    (void)state;
    const struct gpu_case c = {.name = "deadlock",
                               .ptx = FAULTY("bar.sync 1,96;\n"),
                               .entry = "k",
                               .grid = {2, 1, 1},
                               .block = {64, 1, 1},
                               .npointers = 1};
    struct case_run t;
    struct err err;
    case_open(&t, &c, "gtx480-gpgpusim", NULL, 0, 1);
    assert_false(case_launch(&t, &err));
    assert_non_null(strstr(err.msg, "deadlock"));
    case_close(&t);
}

/* A launch that takes its time begins then, and not before. */
static void launches_take_their_cycles(void **state)
{
    (void)state;
    static const char *const sets[] = {"gpu.port_cycles=4", "gpu.launch_cycles=1000"};
    cycle_t cycles[2];
    for (unsigned i = 0; i < 2; i++) { /* one after the other: at the same addresses */
        struct case_run r;
        case_open(&r, &gpu_cases[0], "gtx480-gpgpusim", sets, 1 + i, 1);
        case_run(&r);
        invariants_check(r.gpu, i ? "late" : "soon");
        cycles[i] = r.result.cycles;
        case_close(&r);
    }
    assert_int_equal(cycles[1], cycles[0] + 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_gtx480),
        cmocka_unit_test(on_the_h200),
        cmocka_unit_test(on_the_h200_with_the_code_as_it_is),
        cmocka_unit_test(on_a_small_machine),
        cmocka_unit_test(residents_are_counted_to_the_cycle),
        cmocka_unit_test(two_kernels),
        cmocka_unit_test(faults_are_the_functional_ones),
        cmocka_unit_test(a_deadlock_is_reported),
        cmocka_unit_test(launches_take_their_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
