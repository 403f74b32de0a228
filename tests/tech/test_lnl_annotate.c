/* Marks that nobody wrote: what slices between loads and stores allow, and why not; stores of two
 * runs beside each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tech/lnl/lnl_propose.h"
#include "tech/lnl/lnl_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                  \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                         \
    ".visible .entry k(.param .u64 a, .param .u64 b) {\n"                     \
    ".reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .b32 %r<9>; .reg .pred %p<4>;\n" \
    ".shared .align 4 .b8 tile[128];\n"                                       \
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n"                      \
    "ld.param.u64 %rd1, [a];\nadd.s64 %rd1, %rd1, %rd3;\n"                    \
    "ld.param.u64 %rd2, [b];\nadd.s64 %rd2, %rd2, %rd3;\n"
#define TAIL "ret;\n}\n"
#define WORK                                                          \
    "mul.f32 %f2, %f1, 0f40000000;\nfma.rn.f32 %f2, %f2, %f2, %f1;\n" \
    "sqrt.approx.f32 %f3, %f2;\nadd.f32 %f4, %f3, %f1;\n"

static struct ptx_module *module;

static struct lnl_proposal propose(const char *text)
{
    struct lnl_proposal p;
    struct err err = {0};
    module = ptx_parse("t.ptx", text, strlen(text), &err);
    if (!module)
        fail_msg("%s", err.msg);
    if (!lnl_propose(ptx_find_func(module, "k"), &p, &err))
        fail_msg("%s", err.msg);
    return p;
}

static void done(struct lnl_proposal *p)
{
    lnl_proposal_free(p);
    ptx_module_free(module);
}

static void refused(const char *text, const char *why)
{
    struct lnl_proposal p = propose(text);
    assert_int_equal(p.regions.len, 0);
    if (!strstr(p.why, why))
        fail_msg("\"%s\" is not in \"%s\"", why, p.why);
    done(&p);
}

static void region_lies_between_a_load_and_its_store(void **state)
{
    static const char text[] =
        HEAD "ld.global.f32 %f1, [%rd1];\n" WORK "st.global.f32 [%rd2], %f4;\n" TAIL;
    struct lnl_proposal p = propose(text);
    struct err err = {0};
    (void)state;
    assert_int_equal(p.regions.len, 1);
    assert_int_equal(p.regions.data[0].approximable, 4);
    char *marked = lnl_annotate(text, strlen(text), &p, 1, &err);
    assert_non_null(strstr(marked, "\t.pragma \"lnl load H=0 uses=1\";\nld.global.f32"));
    assert_non_null(strstr(marked, "\t.pragma \"lnl begin loads=0\";\nmul.f32"));
    assert_non_null(strstr(marked, "st.global.f32 [%rd2], %f4;\n\t.pragma \"lnl end\";\nret;"));
    done(&p);
    p = propose(marked); /* its own marks are what it would propose */
    assert_int_equal(p.marked, 5);
    assert_int_equal(p.covered, 5);
    char *again = lnl_annotate(marked, strlen(marked), &p, 1, &err);
    assert_string_equal(again, marked);
    free(again);
    free(marked);
    done(&p);
}

static void bytes_and_integers_get_their_formats(void **state)
{
    (void)state;
    static const char text[] = HEAD "ld.global.u32 %r2, [%rd1];\nadd.s32 %r3, %r2, 5;\nmul.lo.s32 "
                                    "%r3, %r3, %r3;\nadd.s32 %r3, %r3, %r2;\n"
                                    "shl.b32 %r4, %r3, 8;\nor.b32 %r5, %r4, %r3;\nst.global.u32 "
                                    "[%rd2], %r5;\nst.global.u32 [%rd2+4], %r3;\n"
                                    "st.global.u32 [%rd2+8], %r1;\n" TAIL;
    struct lnl_proposal p = propose(text);
    struct err err = {0};
    char *marked = lnl_annotate(text, strlen(text), &p, 1, &err);
    assert_non_null(strstr(marked, "uses=1 abs\";\nld.global.u32"));
    assert_non_null(strstr(marked, "\"lnl store u8x4\";\nst.global.u32 [%rd2], %r5"));
    assert_non_null(strstr(marked, "\"lnl store s32\";\nst.global.u32 [%rd2+4]"));
    assert_null(strstr(marked, "lnl precise")); /* the region has ended */
    free(marked);
    done(&p);
}

static void store_of_something_else_inside_is_precise(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "ld.global.f32 %f1, [%rd1];\n"
             "st.global.u32 [%rd2+256], %r1;\n" WORK "st.global.f32 [%rd2], %f4;\n" TAIL;
    struct lnl_proposal p = propose(text);
    struct err err = {0};
    char *marked = lnl_annotate(text, strlen(text), &p, 1, &err);
    assert_non_null(strstr(marked, "\t.pragma \"lnl precise\";\nst.global.u32"));
    free(marked);
    done(&p);
}

static void values_go_through_shared_memory(void **state)
{
    (void)state;
    struct lnl_proposal p = propose(HEAD "ld.global.f32 %f5, [%rd1];\nmov.u64 %rd4, tile;\nadd.s64 "
                                         "%rd4, %rd4, %rd3;\nst.shared.f32 [%rd4], %f5;\n"
                                         "bar.sync 0;\nld.shared.f32 %f1, [%rd4];\n" WORK
                                         "st.global.f32 [%rd2], %f4;\n" TAIL);
    assert_int_equal(p.regions.len, 1);
    assert_true(p.regions.data[0].approximable >= 5);
    done(&p);
}

static void load_that_is_an_address_is_refused(void **state)
{
    (void)state;
    refused(HEAD
            "ld.global.u32 %r2, [%rd1];\nmul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd1, %rd4;\n"
            "ld.global.f32 %f1, [%rd5];\n" WORK "st.global.f32 [%rd2], %f4;\n" TAIL,
            "which is an address");
    refused(HEAD
            "ld.global.u32 %r2, [%rd1];\nmul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd2, %rd4;\n"
            "cvt.rn.f32.u32 %f1, %r2;\n" WORK "st.global.f32 [%rd5], %f4;\n" TAIL,
            "which is an address");
}

static void load_that_decides_who_stores_is_refused(void **state)
{
    (void)state;
    refused(HEAD "ld.global.f32 %f1, [%rd1];\nsetp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 bra L;\n" WORK
                 "st.global.f32 [%rd2], %f4;\nL:\n" TAIL,
            "decides whether something is stored");
}

static void load_that_is_only_moved_is_refused(void **state)
{
    (void)state;
    refused(HEAD "ld.global.u32 %r2, [%rd1];\nld.global.u32 %r3, [%rd1+4];\nmin.u32 %r4, %r2, "
                 "%r3;\nmax.u32 %r5, %r2, %r3;\n"
                 "st.global.u32 [%rd2], %r4;\nst.global.u32 [%rd2+4], %r5;\n" TAIL,
            "computes nothing");
}

static void too_little_and_nothing_are_refused(void **state)
{
    (void)state;
    refused(HEAD
            "ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nst.global.f32 [%rd2], %f2;\n" TAIL,
            "only 1 instructions could be left to anchors");
    refused(HEAD "st.global.u32 [%rd2], %r1;\n" TAIL, "follows from no load");
    refused(HEAD TAIL, "it stores nothing");
    refused(HEAD "ld.global.f32 %f1, [%rd1];\n" WORK
                 "atom.global.add.f32 %f5, [%rd2+512], %f4;\nst.global.f32 [%rd2], %f4;\n" TAIL,
            "goes into an atomic");
}

static void mark_needs_a_line_of_its_own(void **state)
{
    static const char text[] = HEAD "add.s32 %r2, %r1, 1; ld.global.f32 %f1, [%rd1];\n" WORK
                                    "st.global.f32 [%rd2], %f4;\n" TAIL;
    struct lnl_proposal p = propose(text);
    struct err err = {0};
    (void)state;
    assert_null(lnl_annotate(text, strlen(text), &p, 1, &err));
    assert_string_equal(
        err.msg, "t.ptx:13: ld.global.f32 is not the first instruction of its line, where a mark "
                 "would have to stand before it");
    done(&p);
}

/* --- stores of two runs --- */

static struct lnl_stored stored(uint32_t thread, uint64_t addr, float v)
{
    struct lnl_stored s = {.thread = thread, .addr = addr, .type = PTX_F32};
    memcpy(&s.word, &v, sizeof v);
    return s;
}

static void stores_are_compared_by_who_made_them(void **state)
{
    struct lnl_watched a = {0}, b = {0};
    (void)state;
    for (uint32_t t = 0; t < 4; t++) {
        vec_push(&a.at, stored(t, 4 * t, 10));
        vec_push(&b.at, stored(t, 4 * t, t ? 10 : 12));
    }
    struct lnl_tolerance r = lnl_watched_compare(&a, &b);
    assert_int_equal(r.stores, 4);
    assert_int_equal(r.missing + r.moved, 0);
    assert_true(fabs(r.error - 0.1) < 1e-6); /* root of 4 / 4, over 10 */
    b.at.data[3].addr = 400;
    assert_int_equal(lnl_watched_compare(&a, &b).moved, 1);
    b.at.len = 3;
    assert_int_equal(lnl_watched_compare(&a, &b).missing, 1);
    b.at.data[0] = stored(0, 0, INFINITY);
    assert_true(isinf(lnl_watched_compare(&a, &b).error));
    lnl_watched_free(&a);
    lnl_watched_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(region_lies_between_a_load_and_its_store),
        cmocka_unit_test(bytes_and_integers_get_their_formats),
        cmocka_unit_test(store_of_something_else_inside_is_precise),
        cmocka_unit_test(values_go_through_shared_memory),
        cmocka_unit_test(load_that_is_an_address_is_refused),
        cmocka_unit_test(load_that_decides_who_stores_is_refused),
        cmocka_unit_test(load_that_is_only_moved_is_refused),
        cmocka_unit_test(too_little_and_nothing_are_refused),
        cmocka_unit_test(mark_needs_a_line_of_its_own),
        cmocka_unit_test(stores_are_compared_by_who_made_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
