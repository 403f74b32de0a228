/* Memoization on one SM: what is marked, what is skipped, what switches it off. Every run happens
 * asleep and awake (support_sm_rig.h). */
#include "tech/support_assist_rig.h"

#include "tech/assist/memo_regions.h"

#include <string.h>

/* Each of 60 iterations: a dear function of i & `mask`, lane by lane the same; its sum is stored.
 */
#define BODY(region, mask)                                                                        \
    RIG_KERNEL("ld.param.u64 %rd1,[p]; mov.u32 %r1,0; mov.f32 %f3,0f00000000;\n"                  \
               "mov.u32 %r5,%tid.x; mul.wide.u32 %rd2,%r5,4; add.u64 %rd1,%rd1,%rd2;\n"           \
               "L: and.b32 %r2,%r1," mask "; cvt.rn.f32.u32 %f1,%r2;\n" region "mov.u32 %r4,6;\n" \
               "C: add.f32 %f2,%f1,0f3F800000; lg2.approx.f32 %f2,%f2; sin.approx.f32 %f4,%f2;\n" \
               "ex2.approx.f32 %f4,%f4; add.f32 %f1,%f4,%f1; sub.u32 %r4,%r4,1;\n"                \
               "setp.ne.u32 %p2,%r4,0; @%p2 bra C; mov.f32 %f2,%f1;\n"                            \
               ".pragma \"memo end\";\n"                                                          \
               "add.f32 %f3,%f3,%f2; add.u32 %r1,%r1,1; setp.ne.u32 %p1,%r1,60;\n@%p1 bra L;\n"   \
               "st.global.f32 [%rd1],%f3; ret;\n")
#define MARK ".pragma \"memo begin IN=%f1 OUT=%f2\";\n"

static void run_alone(const char *kernel, cycle_t *end, uint32_t *words)
{
    struct sm_rig *r = sm_rig_new(kernel, NULL);
    sm_rig_run(r, 1, 64);
    *end = r->end;
    memcpy(words, r->f.words, 64 * 4);
    sm_rig_free(r);
}

/* Four inputs: those are computed once or, where both warps came to them at once, twice. */
static void known_inputs_are_skipped(void **state)
{
    (void)state;
    struct assist_rig b;
    cycle_t end;
    uint32_t words[64];
    assist_rig_open(&b, BODY(MARK, "3"), "memoize");
    sm_rig_run(b.r, 1, 64);
    run_alone(BODY(MARK, "3"), &end, words);
    const struct assist_stats *s = &b.c->stats;
    assert_int_equal(s->memo_regions, 120);
    assert_int_equal(s->memo_lookups, 120);
    assert_int_equal(s->memo_skips + s->memo_updates, 120);
    assert_in_range(s->memo_updates, 4, 12);
    assert_int_equal(s->triggered, s->finished + s->overflow);
    assert_int_equal(s->memo_bytes, 16384);
    assert_memory_equal(b.r->f.words, words, sizeof words);
    assert_true(b.r->end < end * 2 / 3);
    assist_rig_close(&b);
}

/* Nothing comes twice: the results are those without, and after a window it is switched off. */
static void new_inputs_switch_it_off(void **state)
{
    (void)state;
    struct assist_rig b;
    cycle_t end;
    uint32_t words[64];
    assist_rig_open(&b, BODY(MARK, "255"), "memoize");
    b.cfg.memo_window = 8;
    sm_rig_run(b.r, 1, 32);
    run_alone(BODY(MARK, "255"), &end, words);
    const uint64_t off = b.c->stats.memo_off;
    assert_in_range(off, 8 + 16, 60 - 16);
    assert_memory_equal(b.r->f.words, words, 32 * 4);
    const cycle_t throttled = b.r->end;
    b.cfg.memo_throttle = false;
    sm_rig_run(b.r, 1, 32);
    assert_int_equal(b.c->stats.memo_off, 0);
    assert_int_equal(b.c->stats.memo_updates, 60);
    assert_true(b.r->end > throttled);
    assist_rig_close(&b);
}

/* Of 60 inputs 32 apart, with 5 bits less of the mantissa than tells them apart, some are taken for
 * each other; the results are others, and near. */
static void inputs_may_be_near(void **state)
{
    (void)state;
    struct assist_rig b;
    assist_rig_open(&b, BODY(MARK, "63"), "memoize");
    b.cfg.memo_bits = 9 + 2;
    b.cfg.memo_throttle = false;
    sm_rig_run(b.r, 1, 32);
    assert_in_range(b.c->stats.memo_updates, 15, 30);
    assist_rig_close(&b);
}

/* All shared memory is the blocks': there is no table. */
static void without_room_there_is_none(void **state)
{
    (void)state;
    struct assist_rig b;
    assist_rig_open(&b, BODY(MARK, "3"), "memoize");
    b.r->shared = (uint32_t)b.r->cfg.shared_bytes;
    sm_rig_run(b.r, 1, 32);
    assert_int_equal(b.c->stats.memo_off, 60);
    assert_int_equal(b.c->stats.memo_bytes, 0);
    assist_rig_close(&b);
}

static void refuses(const char *mark, const char *message)
{
    struct assist_rig b;
    static const char text[] = BODY("#", "3");
    const char *at = strchr(text, '#');
    char *kernel = xasprintf("%.*s%s%s", (int)(at - text), text, mark, at + 1);
    assist_rig_open(&b, kernel, "memoize");
    assert_false(sm_rig_try(b.r, 1, 32));
    if (!strstr(b.r->fault.msg, message))
        fail_msg("'%s' is not in '%s'", message, b.r->fault.msg);
    assist_rig_close(&b);
    free(kernel);
}

static void errors_say_what_is_right(void **state)
{
    (void)state;
    refuses(".pragma \"memo begin IN=%f1\";\n",
            "neither \"memo begin\" nor \"memo end\" has OUT=%r");
    refuses(".pragma \"memo begin IN=%f1 OUT=%g1\";\n", "k has no register %g1");
    refuses(".pragma \"memo begin IN=%f1,%f2,%f3 OUT=%f2\";\n", "at most 2 registers");
    refuses(MARK MARK, "regions go from \"memo begin ...\" to \"memo end\"");
    refuses("", "regions go from");
    refuses(".pragma \"memo begin IN=%rd1 OUT=%f2\";\n", "32 bits");
}

/* A kernel with `region` from its line 10 on. */
static bool finds(const char *region, struct err *err, struct memo_region *first)
{
    char *text =
        xasprintf(".version 7.0\n.target sm_70\n.address_size 64\n"
                  ".visible .entry k(.param .u64 p, .param .f32 q) {\n"
                  ".reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .b64 %%rd<4>; .reg .pred %%p<4>;\n"
                  "ld.param.u64 %%rd1, [p]; ld.param.f32 %%f1, [q]; mov.u32 %%r1, %%tid.x;\n"
                  "cvt.rn.f32.u32 %%f2, %%r1; add.f32 %%f3, %%f2, 0f3F800000;\n"
                  "mul.f32 %%f1, %%f1, %%f1; mov.f32 %%f7, 0f40000000; .param .f32 c;\n"
                  "setp.eq.u32 %%p1, %%r1, 3; @%%p1 bra MIDDLE;\n%s\n"
                  "add.f32 %%f5, %%f4, %%f3; st.global.f32 [%%rd1], %%f5; OUT: ret; }\n",
                  region);
    struct ptx_module *m = ptx_parse("f.ptx", text, strlen(text), err);
    struct memo_region *regions = NULL;
    uint32_t n = 0;
    if (!m)
        fail_msg("%s", err->msg);
    const bool ok = memo_regions_find(ptx_find_func(m, "k"), &regions, &n, err);
    if (ok && n)
        *first = regions[0];
    free(regions);
    ptx_module_free(m);
    free(text);
    return ok;
}

static void is_no_region(const char *region, const char *message)
{
    struct err err;
    struct memo_region r;
    assert_false(finds(region, &err, &r));
    if (!strstr(err.msg, message))
        fail_msg("'%s' is not in '%s'", message, err.msg);
}

#define FROM ".pragma \"memo begin IN=%f2\";\n"
#define TO   "\n.pragma \"memo end OUT=%f4\";\nMIDDLE:"

/* Between marks that a compiler has placed may be only what can be left out. */
static void a_region_can_be_left_out(void **state)
{
    (void)state;
    struct err err;
    struct memo_region r;
    assert_true(finds(FROM
                      "mul.f32 %f6, %f2, %f7; ld.param.f32 %f8, [q]; sqrt.approx.f32 %f4, %f6;" TO,
                      &err, &r));
    assert_int_equal(r.end - r.begin, 3);
    assert_true(finds(FROM "C: mul.f32 %f4, %f2, 0f40000000; setp.lt.f32 %p2, %f4, 0f40000000;\n"
                           "@%p2 bra C; mul.f32 %f4, %f4, %f4;" TO,
                      &err, &r));
    is_no_region(FROM "add.f32 %f4, %f2, %f3;" TO, "f.ptx:10: memo: the region reads, beside its "
                                                   "inputs, %f3");
    is_no_region(FROM "add.f32 %f4, %f2, %f1;" TO,
                 "reads, beside its inputs, %f1"); /* written twice */
    is_no_region(FROM "mul.f32 %f3, %f2, %f2; mov.f32 %f4, %f3;" TO,
                 "leaves, beside its output, %f3");
    is_no_region(FROM "mul.f32 %f6, %f2, %f2;" TO, "does not write its output %f4");
    is_no_region(FROM "mul.f32 %f4, %f2, %f2; @%p1 mul.f32 %f4, %f4, %f4;" TO,
                 "reads, beside its inputs, %p1"); /* guards are read too */
    is_no_region(FROM "mul.f32 %f4, %f2, %f2; setp.lt.f32 %p2, %f4, %f2;" TO "@%p2 bra OUT;",
                 "leaves, beside its output, %p2");
    assert_true(finds(FROM "setp.lt.f32 %p2, %f2, 0f40000000; mov.f32 %f4, %f2;\n"
                           "@%p2 mul.f32 %f4, %f2, %f2;" TO
                           "setp.eq.u32 %p2, %r1, 1;\n@%p2 bra OUT;",
                      &err, &r));
    /* written under a guard: what was there before is needed */
    is_no_region(FROM "setp.lt.f32 %p2, %f2, 0f40000000; @%p2 mul.f32 %f6, %f2, %f2;\n"
                      "add.f32 %f4, %f6, %f6;" TO,
                 "reads, beside its inputs, %f6");
    /* the same of the output: where it is not written, the result is what was there before */
    is_no_region(FROM "setp.lt.f32 %p2, %f2, 0f40000000; @%p2 mul.f32 %f4, %f2, %f2;" TO,
                 "f.ptx:10: memo: the region does not always write its output %f4");
    is_no_region(FROM "setp.lt.f32 %p2, %f2, 0f40000000; @%p2 bra C; mul.f32 %f4, %f2, %f2;\nC:" TO,
                 "does not always write its output %f4");
    assert_true(finds(".pragma \"memo begin IN=%f2,%f4\";\n"
                      "setp.lt.f32 %p2, %f2, 0f40000000; @%p2 mul.f32 %f4, %f2, %f2;" TO,
                      &err, &r));
    assert_true(finds(FROM "setp.lt.f32 %p2, %f2, 0f40000000; @%p2 bra C; mov.f32 %f4, %f2;\n"
                           "bra D; C: mul.f32 %f4, %f2, %f2;\nD:" TO,
                      &err, &r));
    /* parameters of calls are no kernel's: each thread has its own */
    is_no_region(FROM "ld.param.f32 %f4, [c];" TO, "f.ptx:11: memo: ld.param.f32 has no place");
    is_no_region("ld.param.f32 %f8, [c];\n" FROM "add.f32 %f4, %f2, %f8;" TO,
                 "reads, beside its inputs, %f8");
    assert_true(finds("ld.param.f32 %f8, [q];\n" FROM "add.f32 %f4, %f2, %f8;" TO, &err, &r));
    is_no_region(FROM "mov.u32 %r2, %ctaid.x; cvt.rn.f32.u32 %f4, %r2;" TO,
                 "f.ptx:11: memo: mov.u32 has no place in a region");
    is_no_region(FROM "ld.global.f32 %f4, [%rd1];" TO, "ld.global.f32 has no place in a region");
    is_no_region(FROM "mul.f32 %f4, %f2, %f2; bar.sync 0;" TO, "bar.sync has no place");
    is_no_region(FROM "mul.f32 %f4, %f2, %f2; @%p1 bra OUT;" TO,
                 "bra leaves the region by another way than its end");
    is_no_region(FROM "mul.f32 %f4, %f2, %f2;\nMIDDLE: mul.f32 %f4, %f4, %f4;\n"
                      ".pragma \"memo end OUT=%f4\";",
                 "f.ptx:9: memo: bra comes into the region by another way than its begin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_can_be_left_out),   cmocka_unit_test(known_inputs_are_skipped),
        cmocka_unit_test(new_inputs_switch_it_off),   cmocka_unit_test(inputs_may_be_near),
        cmocka_unit_test(without_room_there_is_none), cmocka_unit_test(errors_say_what_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
