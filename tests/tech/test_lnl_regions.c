/* Lock and Load's marks: which loads, which regions, what is an error, and which instructions of a
 * region are precise: by hand, and in the programs that are marked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "ptx/isa.h"
#include "tech/lnl/lnl_regions.h"

#define HEAD                                                                                       \
    ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out) {\n" \
    ".reg .b32 %r<9>; .reg .f32 %f<19>; .reg .b64 %rd<9>; .reg .pred %p<9>; .shared .b32 "         \
    "sh[64];\n"                                                                                    \
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;\n"                    \
    ".pragma \"lnl load H=0 uses=2 abs\";\nld.global.f32 %f1, [%rd1];\n"
#define BEGIN ".pragma \"lnl begin loads=0\";\n"
#define END   ".pragma \"lnl end\";\nOUT: ret; }\n"

struct read {
    struct ptx_module *module;
    struct lnl_marks m;
    struct err err;
    bool ok;
};

static struct read *read_text(const char *file, const char *text, size_t len, const char *kernel)
{
    struct read *r = xcalloc(1, sizeof *r);
    r->module = ptx_parse(file, text, len, &r->err);
    if (!r->module)
        fail_msg("%s", r->err.msg);
    r->ok = lnl_marks_read(ptx_find_func(r->module, kernel), &r->m, &r->err);
    return r;
}

static void read_free(struct read *r)
{
    lnl_marks_free(&r->m);
    ptx_module_free(r->module);
    free(r);
}

/* The region's lane instructions: P precise, a approximated, s a store, - control and barriers. */
static void expect_set(const char *body, const char *set)
{
    char got[64] = "";
    struct read *r = read_text("k.ptx", body, strlen(body), "k");
    if (!r->ok)
        fail_msg("%s", r->err.msg);
    const struct lnl_region *g = &r->m.regions[0];
    for (uint32_t pc = g->begin; pc < g->end; pc++) {
        const struct ptx_inst *i = &r->m.f->insts[pc];
        const bool is_control = i->op == PTX_OP_BRA || i->op == PTX_OP_BAR;
        got[pc - g->begin] = r->m.is_precise[pc]  ? 'P'
                             : is_control         ? '-'
                             : i->op == PTX_OP_ST ? 's'
                                                  : 'a';
    }
    assert_string_equal(got, set);
    read_free(r);
}

static void refuses(const char *body, const char *message)
{
    struct read *r = read_text("k.ptx", body, strlen(body), "k");
    assert_false(r->ok);
    if (!strstr(r->err.msg, message))
        fail_msg("'%s' is not in '%s'", message, r->err.msg);
    read_free(r);
}

static void marks_are_read(void **state)
{
    (void)state;
    static const char text[] = HEAD
        ".pragma \"lnl load H=3 uses=1\";\nld.param.u64 %rd3, [in];\nld.const.f32 %f2, [%rd1];\n"
        ".pragma \"lnl begin loads=0,3\";\nst.global.f32 [%rd2], %f1;\n"
        ".pragma \"lnl store u8x4\";\nadd.s32 %r2, %r1, 1;\nst.global.u32 [%rd2], %r2;\n"
        "st.global.s32 [%rd2], %r2; st.global.u8 [%rd2], %r2; st.global.b32 [%rd2], %r2;\n" END;
    struct read *r = read_text("k.ptx", text, sizeof text - 1, "k");
    static const uint8_t formats[] = {LNL_F32, UINT8_MAX, LNL_U8X4, LNL_S32, LNL_U8, LNL_U32};
    assert_true(r->ok);
    assert_int_equal(r->m.nloads, 2);
    assert_int_equal(r->m.loads[0].pc, 3);
    assert_int_equal(r->m.loads[0].uses, 2);
    assert_true(r->m.loads[0].is_absolute);
    assert_int_equal(r->m.loads[1].pc, 5); /* not the parameter */
    assert_int_equal(r->m.loads[1].entry, 3);
    assert_int_equal(r->m.nregions, 1);
    assert_int_equal(r->m.regions[0].begin, 6);
    assert_int_equal(r->m.regions[0].end, 12);
    assert_int_equal(r->m.regions[0].loads, 1 | 8);
    assert_memory_equal(r->m.formats + 6, formats, sizeof formats);
    read_free(r);
}

static void errors_name_file_and_line(void **state)
{
    (void)state;
    refuses(HEAD BEGIN "mov.u32 %r2, 1;\nOUT: ret; }\n",
            "k.ptx:9: lnl: the region has no \"lnl end\"");
    refuses(HEAD END, "k.ptx:9: lnl: \"lnl end\" without \"lnl begin\"");
    refuses(HEAD BEGIN END, "k.ptx:9: lnl: the region is empty");
    refuses(HEAD BEGIN "mov.u32 %r2, 1;\n" BEGIN END,
            "k.ptx:11: lnl: a region begins inside another");
    refuses(HEAD ".pragma \"lnl begin loads=0,2\";\nmov.u32 %r2, 1;\n" END,
            "k.ptx:9: lnl: no \"lnl load\" of the function fills");
    refuses(HEAD ".pragma \"lnl load H=1 uses=1\";\nbra OUT;\nld.global.f32 %f2, [%rd1];\n" BEGIN
                 "mov.u32 %r2, 1;\n" END,
            "k.ptx:9: lnl: no load of global or constant memory or texture follows");
    refuses(HEAD ".pragma \"lnl precise\";\nmov.u32 %r2, 1;\n" BEGIN "mov.u32 %r2, 1;\n" END,
            "k.ptx:9: lnl: only an instruction of a region can be precise");
    refuses(HEAD BEGIN ".pragma \"lnl store u8\";\nst.global.f32 [%rd2], %f1;\n" END,
            "k.ptx:10: lnl: the store has not the width of this format");
    refuses(HEAD BEGIN "mov.u32 %r2, 1;\nst.global.u64 [%rd2], %rd1;\n" END,
            "k.ptx:11: lnl: st.global.u64 in the region of line 9: only data of 8 and 32 bits");
    refuses(HEAD ".pragma \"lnl load H=1 uses=1\";\nld.global.u32 %r2, [%rd1];\n" BEGIN
                 "mov.u32 %r2, 1;\n" END,
            "k.ptx:10: lnl: a relative difference is of f32 values");
    refuses(HEAD ".pragma \"lnl load H=1 uses=1 abs\";\nld.global.f64 %rd3, [%rd1];\n" BEGIN
                 "mov.u32 %r2, 1;\n" END,
            "k.ptx:10: lnl: only f32 and integers of up to 32 bits can be compared");
    static const char *const none[] = {"atom.global.add.u32 %r2, [%rd1], 1;",
                                       "membar.gl;",
                                       "ret;",
                                       "exit;",
                                       "vote.ballot.b32 %r2, %p1;",
                                       "shfl.down.b32 %r2, %r1, 1, 31;",
                                       "red.global.add.u32 [%rd1], 1;"};
    for (size_t i = 0; i < ARRAY_LEN(none); i++) {
        char *text = xasprintf("%s%s%s\n%s", HEAD, BEGIN, none[i], END);
        refuses(text, "k.ptx:10: lnl: ");
        free(text);
    }
    refuses(HEAD "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra IN;\n" BEGIN
                 "mov.u32 %r2, 1;\nIN: mov.u32 %r3, 1;\n" END,
            "k.ptx:10: lnl: bra enters the region of line 11 by another way than its begin");
    refuses(HEAD "AGAIN: mov.u32 %r4, 1;\n" BEGIN "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra AGAIN;\n" END,
            "k.ptx:12: lnl: bra leaves the region of line 10 by another way than its end");
}

/* Straight code: only what makes the store's address. */
static void addresses_and_guards_are_precise(void **state)
{
    (void)state;
    expect_set(HEAD BEGIN "mul.f32 %f2, %f1, %f1; mul.wide.u32 %rd3, %r1, 4;\n"
                          "add.u64 %rd4, %rd2, %rd3; sqrt.approx.f32 %f3, %f2;\n"
                          "st.global.f32 [%rd4], %f3;\n" END,
               "aPPas");
    expect_set(HEAD BEGIN "setp.lt.f32 %p1, %f1, 0f3F800000; mul.f32 %f2, %f1, %f1;\n"
                          "@%p1 st.global.f32 [%rd2], %f2;\n" END,
               "Pas");
    /* an address from data, by way of a load: rule 5 */
    expect_set(HEAD BEGIN "ld.global.u32 %r2, [%rd1]; mul.wide.u32 %rd3, %r2, 4;\n"
                          "add.u64 %rd4, %rd2, %rd3; st.global.f32 [%rd4], %f1;\n" END,
               "PPPs");
    expect_set(HEAD BEGIN
               ".pragma \"lnl precise\";\nmul.f32 %f2, %f1, %f1; mul.f32 %f3, %f2, %f2;\n" END,
               "Pa");
    expect_set(HEAD BEGIN
               "add.f32 %f2, %f1, %f1;\n.pragma \"lnl precise\";\nmul.f32 %f3, %f2, %f2;\n" END,
               "PP");
    /* whether an address is computed is every lane's own, too: its branch is precise */
    expect_set(HEAD BEGIN "mov.u64 %rd3, %rd2; setp.lt.f32 %p1, %f1, 0f3F800000;\n@%p1 bra L;\n"
                          "add.u64 %rd3, %rd2, 4;\nL: mul.f32 %f2, %f1, %f1;\n"
                          "st.global.f32 [%rd3], %f2;\n" END,
               "PPPPas");
    /* so is whether a barrier is reached */
    expect_set(HEAD BEGIN "setp.lt.f32 %p1, %f1, 0f3F800000;\n@%p1 bar.sync 0;\n" END, "P-");
}

/* What is read behind a region: floats and words are interpolated at its end, the rest is precise.
 */
static void what_leaves_a_region_is_known(void **state)
{
    (void)state;
    static const char text[] =
        HEAD BEGIN "add.f32 %f2, %f1, %f1; cvt.rzi.s32.f32 %r3, %f2; add.u64 %rd3, %rd1, 4;\n"
                   "setp.lt.u32 %p1, %r1, 9; mul.f32 %f3, %f2, %f2;\n.pragma \"lnl end\";\n"
                   "@%p1 st.global.f32 [%rd3], %f2; st.global.u32 [%rd3], %r3; ret; }\n";
    struct read *r = read_text("k.ptx", text, sizeof text - 1, "k");
    static const uint8_t precise[] = {0, 0, 1, 1, 0};
    assert_true(r->ok);
    const struct lnl_region *g = &r->m.regions[0];
    assert_memory_equal(r->m.is_precise + g->begin, precise, sizeof precise);
    assert_int_equal(g->nouts, 2);
    assert_int_equal(g->outs[0].format + g->outs[1].format, LNL_F32 + LNL_U32);
    read_free(r);
}

static void branches_over_stores_and_barriers_are_precise(void **state)
{
    (void)state;
    /* no store depends on it: each group goes where its anchor goes */
    expect_set(HEAD BEGIN "setp.lt.f32 %p1, %f1, 0f3F800000; mov.f32 %f2, %f1;\n@%p1 bra L;\n"
                          "mul.f32 %f2, %f2, %f2;\nL: st.global.f32 [%rd2], %f2;\n" END,
               "aa-as");
    /* a store depends on it; what is made before and used inside is precise, what is made inside
     * not */
    expect_set(HEAD BEGIN "setp.lt.u32 %p1, %r1, 9; mul.f32 %f2, %f1, %f1; mul.f32 %f5, %f1, %f1;\n"
                          "@%p1 bra L; mul.f32 %f3, %f2, %f2; st.global.f32 [%rd2], %f3;\n"
                          "L: add.f32 %f4, %f5, %f5;\n" END,
               "PPaPasa");
    /* a barrier, nested: the outer branch too */
    expect_set(HEAD BEGIN "setp.lt.u32 %p1, %r1, 9; setp.lt.u32 %p2, %r1, 5;\n@%p1 bra L;\n"
                          "@%p2 bra L; bar.sync 0;\nL: mul.f32 %f2, %f1, %f1;\n" END,
               "PPPP-a");
    /* a loop around a store */
    expect_set(HEAD BEGIN "mov.u32 %r2, 4;\nC: mul.f32 %f2, %f1, %f1; st.shared.f32 [sh], %f2;\n"
                          "sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0;\n@%p1 bra C;\n" END,
               "PasPPP");
    /* a loop before a store */
    expect_set(HEAD BEGIN "mov.u32 %r2, 4; mov.f32 %f2, %f1;\nC: mul.f32 %f2, %f2, %f2;\n"
                          "sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0;\n@%p1 bra C;\n"
                          "st.shared.f32 [sh], %f2;\n" END,
               "aaaaa-s");
}

/* How many lane instructions of a marked program's regions are approximated, and how many precise.
 */
static void expect_program(const char *name, const char *kernel, unsigned approximated,
                           unsigned precise)
{
    const char *tests = getenv("PARSIM_TESTS");
    char *path = xasprintf("%s/../workloads/%s/%s.ptx", tests ? tests : "tests", name, name);
    size_t len;
    struct err err;
    char *text = file_read(path, &len, &err);
    if (!text)
        fail_msg("%s", err.msg);
    struct read *r = read_text(path, text, len, kernel);
    if (!r->ok)
        fail_msg("%s", r->err.msg);
    unsigned n[2] = {0};
    assert_int_equal(r->m.nregions, 1);
    for (uint32_t pc = r->m.regions[0].begin; pc < r->m.regions[0].end; pc++) {
        const struct ptx_inst *i = &r->m.f->insts[pc];
        if (ptx_inst_unit(i) != PTX_UNIT_CTRL && ptx_inst_unit(i) != PTX_UNIT_BAR &&
            i->op != PTX_OP_ST)
            n[r->m.is_precise[pc]]++;
    }
    if (n[0] != approximated || n[1] != precise)
        fail_msg("%s %s: %u approximated, %u precise", name, kernel, n[0], n[1]);
    read_free(r);
    free(text);
    free(path);
}

static void the_marked_programs(void **state)
{
    (void)state;
    expect_program("rodinia-hs", "hotspot", 18, 46);
    expect_program("sdk-bf", "bilateral", 83, 3);
    expect_program("sdk-cons", "convolve_rows", 53, 3);
    expect_program("sdk-cons", "convolve_columns", 55, 18);
    expect_program("sdk-ct", "convolve_rows", 66, 3);
    expect_program("sdk-ct", "convolve_columns", 66, 3);
    expect_program("sdk-sf", "sobel", 35, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_are_read),
        cmocka_unit_test(errors_name_file_and_line),
        cmocka_unit_test(addresses_and_guards_are_precise),
        cmocka_unit_test(what_leaves_a_region_is_known),
        cmocka_unit_test(branches_over_stores_and_barriers_are_precise),
        cmocka_unit_test(the_marked_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
