/* Marks: pragmas that some machines understand. Those of others are none of ours; ours are right,
 * or an error with the place. */
#include "ptx/support_parse.h"

#include "ptx/marks.h"

#include <string.h>

static struct ptx_mark good(const char *text)
{
    struct ptx_mark m;
    struct ptx_mark_error e = {0};
    if (ptx_mark_read(text, &m, &e) != PTX_MARK_GOOD)
        fail_msg("'%s' is refused: %s", text, e.msg);
    return m;
}

static void bad(const char *text, size_t at, const char *message)
{
    struct ptx_mark m;
    struct ptx_mark_error e;
    assert_int_equal(ptx_mark_read(text, &m, &e), PTX_MARK_BAD);
    if (!strstr(e.msg, message))
        fail_msg("'%s' gives '%s', not '%s'", text, e.msg, message);
    assert_int_equal(e.at, at);
}

static void they_say_what_they_say(void **state)
{
    (void)state;
    struct ptx_mark m = good("lnl load H=2 uses=4 abs");
    assert_true(ptx_mark_is(&m, "lnl", "load"));
    assert_false(ptx_mark_is(&m, "lnl", "begin"));
    assert_int_equal(m.items[0].value, 2);
    assert_int_equal(m.items[1].value, 4);
    assert_true(m.items[2].is_given);
    m = good("lnl  load uses=1 \tH=0 ");
    assert_int_equal(m.items[0].value, 0);
    assert_int_equal(m.items[1].value, 1);
    assert_false(m.items[2].is_given);
    assert_int_equal(good("lnl begin loads=0,3,1").items[0].value, 1 | 8 | 2);
    assert_int_equal(good("lnl store f32").items[0].value, 0);
    assert_int_equal(good("lnl store u8").items[0].value, 1);
    assert_int_equal(good("lnl store u8x4").items[0].value, 4);
    good("lnl end");
    good("lnl precise");
}

static void they_name_registers(void **state)
{
    (void)state;
    struct ptx_mark m = good("memo begin IN=%f1,%f2");
    assert_int_equal(m.items[0].len, 7);
    assert_memory_equal(m.items[0].text, "%f1,%f2", 7);
    assert_false(m.items[1].is_given);
    m = good("memo begin IN=%x OUT=y");
    assert_memory_equal(m.items[1].text, "y", 1);
    assert_true(good("memo end OUT=%r").items[0].is_given);
    assert_false(good("memo end").items[0].is_given);
}

static void others_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "nounroll", "",         " ",     "used_bytes_mask 0xff", "lnly load", "assist on=load",
        "LNL load", "lnl,load", "memory"};
    struct ptx_mark m;
    struct ptx_mark_error e;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_int_equal(ptx_mark_read(texts[i], &m, &e), PTX_MARK_NONE);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    bad("lnl", 3,
        "there is no mark \"lnl \"; of \"lnl\" there are: load, begin, end, precise, store");
    bad("lnl lod H=0", 4, "there is no mark \"lnl lod\"");
    bad("lnl load H=4 uses=1", 11, "not 'H=4'; it should be \"lnl load H=0..3 uses=1..4 [abs]\"");
    bad("lnl load H=0 uses=0", 18, "not 'uses=0'");
    bad("lnl load H=0 uses=", 18, "not 'uses='");
    bad("lnl load H=0 uses=1x", 18, "not 'uses=1x'");
    bad("lnl load H=-1 uses=1", 11, "not 'H=-1'");
    bad("lnl load H=99999999999999999999 uses=1", 11, "not 'H=");
    bad("lnl load H=0,1 uses=1", 11, "not 'H=0,1'");
    bad("lnl load H=0", 12, "without 'uses=1..4'");
    bad("lnl load H=0 H=1 uses=1", 13, "a second 'H=1'");
    bad("lnl load H=0 uses=1 abs abs", 24, "a second 'abs'");
    bad("lnl load H=0 uses=1 rel", 20, "there is no 'rel'");
    bad("lnl begin", 9, "without 'loads=0..3,...'");
    bad("lnl begin loads=0,", 16, "not 'loads=0,'");
    bad("lnl begin loads=0,,1", 16, "not");
    bad("lnl begin loads=1,1", 16, "not 'loads=1,1'");
    bad("lnl begin loads=4", 16, "not");
    bad("lnl end now", 8, "there is no 'now'; it should be \"lnl end\"");
    bad("lnl store f64", 10, "there is no 'f64'; it should be \"lnl store f32|u8|s32|u32|u8x4\"");
    bad("lnl store u", 10, "there is no 'u'");
    bad("lnl store f32|u8", 10, "there is no");
    bad("memo begin OUT=%r", 17, "without 'IN=%a,...'");
    bad("memo begin IN=%a,,%b", 14, "not");
    bad("memo begin IN=", 14, "not 'IN='");
    bad("memo end OUT=%a,%b", 13, "not 'OUT=%a,%b'");
    bad("parsim load", 7, "there is no mark \"parsim load\"; of \"parsim\" there are: none");
}

static void the_parser_keeps_their_places(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body_text(".pragma \"lnl load H=0 uses=1\";\n"
                                           "add.s32 %r1, %r1, 1; .pragma \"lnl begin loads=0\";\n"
                                           "L: .pragma \"nounroll\", \"lnl precise\";\n"
                                           "add.s32 %r1, %r1, 1; ret;\n.pragma \"lnl end\";");
    const struct ptx_func *f = first_func(m);
    static const uint32_t pcs[] = {0, 1, 1, 1, 3}, lines[] = {1, 2, 3, 3, 5};
    assert_int_equal(f->ninsts, 3);
    assert_int_equal(f->npragmas, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(f->pragmas[i].pc, pcs[i]);
        assert_int_equal(f->pragmas[i].line - f->pragmas[0].line + 1, lines[i]);
    }
    assert_int_equal(f->pragmas[1].col, 30);
    ptx_module_free(m);
}

static void errors_have_line_and_column(void **state)
{
    (void)state;
    expect_body_error("ret;\n .pragma \"lnl load H=7 uses=1\";",
                      "2:22: not 'H=7'; it should be \"lnl load H=0..3 uses=1..4 [abs]\"");
    expect_body_error(".pragma \"nounroll\", \"memo start\";",
                      "1:27: there is no mark \"memo start\"; of \"memo\" there are: begin, end");
    expect_error(PTX_HEAD ".pragma \"lnl end\";\n.entry k() { ret; }",
                 "t.ptx:4:9: the mark \"lnl end\" has its place in a function's body");
    expect_error(PTX_HEAD ".entry k()\n.pragma \"lnl end\";\n{ ret; }",
                 "t.ptx:5:9: the mark \"lnl end\" has its place in a function's body");
}

/* As ptxas has it: else a mark that lacks its quotes would be lost. */
static void a_pragma_is_strings_with_commas(void **state)
{
    (void)state;
    expect_body_error(".pragma lnl end; ret;", "1:9: expected a string, found 'lnl'");
    expect_body_error(".pragma ; ret;", "1:9: expected a string, found ';'");
    expect_body_error(".pragma \"a\", ; ret;", "1:14: expected a string, found ';'");
    expect_body_error(".pragma \"a\", 3; ret;", "1:14: expected a string, found '3'");
    expect_body_error(".pragma \"a\" \"b\"; ret;", "1:13: expected ';', found '\"b\"'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_say_what_they_say),
        cmocka_unit_test(they_name_registers),
        cmocka_unit_test(others_are_none),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(the_parser_keeps_their_places),
        cmocka_unit_test(a_pragma_is_strings_with_commas),
        cmocka_unit_test(errors_have_line_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
