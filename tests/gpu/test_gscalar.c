/* G-Scalar on whole machines, under --verify: the kernels that together use every part of a machine
 * compute what they do without it, and textures are read by one lane where their place is one. */
#include "gpu/support_outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_SETS = 6 };

static struct outcome run(const struct gpu_case *c, const char *with, const char *set)
{
    struct case_run t;
    char name[64];
    const char *sets[MAX_SETS] = {name, "gpu.verify=true", set};
    snprintf(name, sizeof name, "gpu.with=%s", with);
    case_open(&t, c, "gtx480-gscalar", sets, set ? 3 : 2, 1);
    case_run(&t);
    return outcome_take(&t, false);
}

/* Whose results do not depend on the order in which blocks reach their atomics. */
static const char *const cases[] = {"divergence", "local_memory",  "calls",     "textures",
                                    "groups",     "spilled calls", "reduction", "early_exits"};

static void outputs_are_those_of_the_machine_without(void **state)
{
    (void)state;
    static const struct {
        const char *with, *set;
    } ways[] = {
        {"gscalar", NULL}, {"gscalar", "gscalar.affine=true"}, {"warped-compression", NULL}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct gpu_case *c = case_named(cases[i]);
        struct outcome base = run(c, "base", NULL);
        for (size_t k = 0; k < ARRAY_LEN(ways); k++) {
            struct outcome o = run(c, ways[k].with, ways[k].set);
            if (memcmp(o.data, base.data, CASE_BYTES))
                fail_msg("%s: %s changes what it computes", c->name, ways[k].with);
            outcome_free(&o);
        }
        outcome_free(&base);
    }
}

/* Many blocks after each other in an SM's slots. None has a compressed register that some of its
 * lanes write, unless it finds that of another block. */
static void a_block_finds_nothing_of_the_one_before(void **state)
{
    (void)state;
    static const char ptx[] =
        ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<9>; .reg .pred %p<3>;\nmov.u32 %r1,%tid.x; setp.lt.u32 %p1,%r1,7;\n"
        "@%p1 mov.u32 %r2,1; mov.u32 %r2,2; ret;\n}\n";
    const struct gpu_case c = {.name = "blocks",
                               .ptx = ptx,
                               .entry = "k",
                               .grid = {1000, 1, 1},
                               .block = {32, 1, 1},
                               .npointers = 1};
    struct outcome o = run(&c, "gscalar", NULL);
    assert_int_equal(outcome_stat(&o, "gscalar", "inst"), 1000 * 5);
    assert_int_equal(outcome_stat(&o, "gscalar", "moves"), 0);
    outcome_free(&o);
}

/* --- textures --- */

/* One warp; %f1 is one value, %f2 another in each half, %f3 another in each lane. */
#define TEXTURE_KERNEL(body)                                                                       \
    ".version 6.0\n.target sm_30\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 p, .param .u64 t)\n{\n"                                         \
    ".reg .b32 %r<9>; .reg .f32 %f<20>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"                     \
    "ld.param.u64 %rd1,[p]; ld.param.u64 %rd2,[t]; mov.u32 %r1,%tid.x; mul.wide.u32 %rd3,%r1,4;\n" \
    "add.u64 %rd4,%rd1,%rd3; mov.f32 %f1,0f40400000; shr.u32 %r2,%r1,4; cvt.rn.f32.u32 %f2,%r2;\n" \
    "cvt.rn.f32.u32 %f3,%r1; setp.lt.u32 %p1,%r1,7; mov.f32 %f4,%f1; mov.f32 %f5,%f1;\n"           \
    "mov.f32 %f6,%f1; mov.f32 %f7,%f3;\n" body                                                     \
    " add.f32 %f8,%f4,%f5; add.f32 %f9,%f6,%f7; add.f32 %f10,%f8,%f9;\n"                           \
    "st.global.f32 [%rd4+524288],%f10; ret;\n}\n"

struct texture_use {
    uint64_t mem_scalar, half_scalar, divergent_scalar, moves;
};

static struct texture_use use_of(const char *ptx)
{
    const struct gpu_case c = {.name = "texture",
                               .ptx = ptx,
                               .entry = "k",
                               .grid = {1, 1, 1},
                               .block = {32, 1, 1},
                               .npointers = 1,
                               .has_texture = true};
    struct outcome base = run(&c, "base", NULL), o = run(&c, "gscalar", NULL);
    assert_memory_equal(o.data, base.data, CASE_BYTES);
    const struct texture_use u = {
        .mem_scalar = (uint64_t)outcome_stat(&o, "gscalar", "mem_scalar"),
        .half_scalar = (uint64_t)outcome_stat(&o, "gscalar", "half_scalar"),
        .divergent_scalar = (uint64_t)outcome_stat(&o, "gscalar", "divergent_scalar"),
        .moves = (uint64_t)outcome_stat(&o, "gscalar", "moves")};
    outcome_free(&base);
    outcome_free(&o);
    return u;
}

static void expect(const char *ptx, struct texture_use more)
{
    const struct texture_use none = use_of(TEXTURE_KERNEL("")), with = use_of(ptx);
    assert_int_equal(with.mem_scalar - none.mem_scalar, more.mem_scalar);
    assert_int_equal(with.half_scalar - none.half_scalar, more.half_scalar);
    assert_int_equal(with.divergent_scalar - none.divergent_scalar, more.divergent_scalar);
    assert_int_equal(with.moves - none.moves, more.moves);
}

#define TEX "tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7},"

static void a_texel_that_all_lanes_read_is_read_by_one(void **state)
{
    (void)state;
    /* the last sum is of one value then */
    expect(TEXTURE_KERNEL(TEX "[%rd2,{%f1,%f1}];"), (struct texture_use){.mem_scalar = 1});
    expect(TEXTURE_KERNEL("tex.level.2d.v4.f32.f32 {%f4,%f5,%f6,%f7},[%rd2,{%f1,%f1}],%f1;"),
           (struct texture_use){.mem_scalar = 1});
    expect(TEXTURE_KERNEL("tld4.r.2d.v4.f32.f32 {%f4,%f5,%f6,%f7},[%rd2,{%f1,%f1}];"),
           (struct texture_use){.mem_scalar = 1});
    expect(TEXTURE_KERNEL("txq.width.b32 %r3,[%rd2]; cvt.rn.f32.u32 %f4,%r3;"),
           (struct texture_use){.mem_scalar = 1});
}

static void others_are_not(void **state)
{
    (void)state;
    expect(TEXTURE_KERNEL(TEX "[%rd2,{%f1,%f3}];"), (struct texture_use){0});
    expect(TEXTURE_KERNEL("tex.level.2d.v4.f32.f32 {%f4,%f5,%f6,%f7},[%rd2,{%f1,%f1}],%f3;"),
           (struct texture_use){0});
}

/* A texel in each half: so are the sums of what it has. */
static void a_texel_of_each_half_is_read_by_two(void **state)
{
    (void)state;
    const struct texture_use u = use_of(TEXTURE_KERNEL(TEX "[%rd2,{%f1,%f2}];")),
                             none = use_of(TEXTURE_KERNEL(""));
    assert_int_equal(u.mem_scalar, none.mem_scalar);
    assert_true(u.half_scalar >= none.half_scalar + 1);
}

/* Some lanes read one texel into registers that lie compressed: each is moved first. */
static void a_texel_that_some_lanes_read(void **state)
{
    (void)state;
    expect(TEXTURE_KERNEL("@%p1 " TEX "[%rd2,{%f1,%f1}];"),
           (struct texture_use){.divergent_scalar = 1, .moves = 4});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_those_of_the_machine_without),
        cmocka_unit_test(a_block_finds_nothing_of_the_one_before),
        cmocka_unit_test(a_texel_that_all_lanes_read_is_read_by_one),
        cmocka_unit_test(others_are_not),
        cmocka_unit_test(a_texel_of_each_half_is_read_by_two),
        cmocka_unit_test(a_texel_that_some_lanes_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
