/* Checkers: what they find, and what they must not. */
#include "exec/check.h"
#include "exec/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    /* out[t] = in[t] */
    ".visible .entry copy(.param .u64 in, .param .u64 out)\n"
    "{ .reg .u32 %r<3>; .reg .u64 %d<6>; mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4;\n"
    "  ld.param.u64 %d2, [in]; ld.param.u64 %d3, [out]; add.u64 %d4, %d2, %d1;\n"
    "  add.u64 %d5, %d3, %d1; ld.global.u32 %r2, [%d4]; st.global.u32 [%d5], %r2; ret; }\n"
    /* s[t] = t; wait if asked; read s[(t + 32) % 64] */
    ".visible .entry pass(.param .u32 wait)\n"
    "{ .reg .u32 %r<9>; .reg .pred %p; .shared .align 4 .b8 s[256];\n"
    "  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2;\n"
    "  st.shared.u32 [%r4], %r1; ld.param.u32 %r5, [wait]; setp.ne.u32 %p, %r5, 0;\n"
    "  @%p bar.sync 0; xor.b32 %r6, %r2, 128; add.u32 %r7, %r3, %r6;\n"
    "  ld.shared.u32 %r8, [%r7]; ret; }\n"
    /* every thread adds to the same word */
    ".visible .entry add()\n"
    "{ .reg .u32 %r<2>; .shared .align 4 .u32 sum; atom.shared.add.u32 %r1, [sum], 1; ret; }\n";

struct bench {
    struct device *dev;
    struct program *prog;
    unsigned found;
    char last[1024];
};

static void note(const char *msg, void *arg)
{
    struct bench *b = arg;
    b->found++;
    strncpy(b->last, msg, sizeof b->last - 1);
}

static void bench_open(struct bench *b, bool memory, bool race)
{
    struct err err;
    memset(b, 0, sizeof *b);
    b->dev = device_new(1 << 20, &err);
    assert_non_null(b->dev);
    b->dev->block_shared_bytes = 48 << 10;
    struct ptx_module *m = ptx_parse("t.ptx", ptx, sizeof ptx - 1, &err);
    assert_non_null(m);
    b->prog = program_load(b->dev, &m, 1, &err);
    assert_non_null(b->prog);
    b->dev->check = checker_new(memory, race, note, b);
}

static void bench_close(struct bench *b)
{
    checker_free(b->dev->check);
    program_unload(b->prog);
    device_free(b->dev);
}

static void run(struct bench *b, const char *name, uint32_t threads, const void *params)
{
    struct err err = {0};
    struct launch_result r;
    struct launch l = {.kernel = program_kernel(b->prog, name, &err),
                       .grid = {2, 1, 1},
                       .block = {threads, 1, 1},
                       .params = params};
    assert_non_null(l.kernel);
    assert_true(grid_run(b->dev, &l, &r, &err));
}

static void test_unwritten(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, true, false);
    const struct mem_alloc *in = devmem_alloc(b.dev->mem, 256, 0, MEM_DEVICE, NULL);
    const struct mem_alloc *out = devmem_alloc(b.dev->mem, 256, 0, MEM_DEVICE, NULL);
    uint64_t params[] = {in->base, out->base};
    check_written(b.dev->check, b.dev->mem, in->base, 128);
    run(&b, "copy", 32, params);
    assert_int_equal(b.found, 0);
    uint64_t back[] = {out->base, in->base}; /* what a kernel stored has been written */
    run(&b, "copy", 32, back);
    assert_int_equal(b.found, 0);
    run(&b, "copy", 64, params);
    assert_int_equal(b.found, 1);
    assert_non_null(strstr(b.last, "kernel copy, t.ptx:7 (ld.global.u32)"));
    assert_non_null(strstr(b.last, "thread (32,0,0)"));
    assert_non_null(strstr(b.last, "byte 128 of allocation #"));
    run(&b, "copy", 64, params); /* once an instruction */
    assert_int_equal(b.found, 1);
    bench_close(&b);
}

static void test_copied(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, true, false);
    const struct mem_alloc *from = devmem_alloc(b.dev->mem, 256, 0, MEM_DEVICE, NULL);
    const struct mem_alloc *to = devmem_alloc(b.dev->mem, 256, 0, MEM_DEVICE, NULL);
    uint64_t params[] = {to->base, from->base};
    check_written(b.dev->check, b.dev->mem, from->base, 128);
    check_copied(b.dev->check, b.dev->mem, to->base, from->base, 256);
    run(&b, "copy", 32, params);
    assert_int_equal(b.found, 0);
    run(&b, "copy", 64, params);
    assert_int_equal(b.found, 1);
    bench_close(&b);
}

static void test_race(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, false, true);
    run(&b, "pass", 64, (uint32_t[]){1});
    assert_int_equal(b.found, 0);
    run(&b, "pass", 32, (uint32_t[]){0}); /* one warp is no race */
    assert_int_equal(b.found, 0);
    run(&b, "add", 64, NULL);
    assert_int_equal(b.found, 0);
    run(&b, "pass", 64, (uint32_t[]){0});
    assert_true(b.found > 0);
    assert_non_null(strstr(b.last, "race: warp 0 reads"));
    bench_close(&b);
}

static void test_shared_unwritten(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, true, false);
    run(&b, "pass", 64, (uint32_t[]){1});
    assert_int_equal(b.found, 0);
    run(&b, "pass", 32, (uint32_t[]){1});
    assert_int_equal(b.found, 1);
    assert_non_null(strstr(b.last, "reads byte 128 of shared memory, which nobody wrote"));
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_copied),
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_shared_unwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
