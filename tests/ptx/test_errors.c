/* Bad text is refused with the place and what would be right; hostile text too. */
#include "ptx/support_parse.h"

static void places_and_expectations(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"add.s32 %r1, %r2 %r3;", "1:18: expected ',' or ';' after the operand, found '%r3'"},
        {"add.s32 %r1, %r2, %r99;", "1:19: register '%r99' is not declared; '%r<10>' ends at 9"},
        {"\n mov.u32 %q1, 5;",
         "2:10: register '%q1' is not declared; the nearest known name is '%r1'"},
        {"mov.u32 %r1, %tid.q;",
         "1:14: register '%tid' is not declared; the nearest known name is '%tid.x'"},
        {"bra LOPO;\nLOOP: ret;",
         "1:5: label 'LOPO' is not defined in this function; the nearest known name is 'LOOP'"},
        {"bra sh;", "1:5: label 'sh' is not defined in this function"},
        {"ld.global.u32 %r1, [gll];", "1:21: 'gll' is not defined; the nearest known name is 'gl'"},
        {"ld.param.u64 %rd1, [pb];", "1:21: 'pb' is not defined; the nearest known name is 'pa'"},
        {"L: ret; L: ret;", "1:9: 'L' is already defined in this scope, in line 7"},
        {"@%r1 bra L; L:", "1:2: the guard '%r1' must be a predicate (.pred) register"},
        {"@5 ret;", "1:2: expected a predicate register, found '5'"},
        {"@%p1 ;", "1:6: expected an instruction, found ';'"},
        {"mov.u32 %r1, 0x;", "1:14: the number has no digits"},
        {"mov.u32 %r1, 18446744073709551616;", "1:14: the number does not fit into 64 bits"},
        {"mov.u32 %r1, 12q;", "1:14: the number is malformed"},
        {"mov.f32 %f1, 0f3F80;", "1:14: 0f must be followed by 8 hexadecimal digits"},
        {"mov.u32 %r1, 5 / (3 - 3);", "1:16: division by zero"},
        {"mov.u32 %r1, 1.5 & 1;", "1:18: this operator takes integers"},
        {"ld.global.u32 %r1, [%rd1 4];",
         "1:26: expected '+', ',' or ']' in the address, found '4'"},
        {"ld.global.v2.u32 {%r1, %r2, [%rd1];", "1:35: expected ',' or '}', found ';'"},
        {"mov.u32 %r1.x, 5;", "1:12: a register has no '.x'"},
        {".reg .b32 %r<3>;", "1:11: '%r<>' is already declared in this scope"},
        {".reg .b32 %z<4000000000>;", "1:14: expected the number of registers, found '4000000000'"},
        {".reg .b32 %z<1000000000>;",
         "1:11: 1000000000 registers are more than this module could use"},
        {".shared .u32 x[2] = {1, 2, 3};", "1:29: 'x' holds 2 values, the initialiser has more"},
        {".reg .v8 .u16 x;", "1:6: vector variables have 2 or 4 elements"},
        {".shared x;", "1:9: expected a type such as .u32, found 'x'"},
        {".local .align 3 .u32 x;", "1:15: the alignment must be a power of two"},
        {"?", "1:1: expected an instruction, a label, a directive or '}', found '?'"},
        {"mov.u32 %r1, \x80;", "1:14: this character has no place in PTX"},
        {"nosuch.op (((;", "1:11: this '(' is not closed"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        expect_body_error(cases[i][0], cases[i][1]);
}

static void module_errors(void **state)
{
    (void)state;
    expect_error("", "t.ptx:1:1: this is not PTX: there is no .version directive");
    expect_error("hello", "t.ptx:1:1: expected a directive such as .entry, .func or .global, found "
                          "'hello'");
    expect_error(".version x", "t.ptx:1:10: expected a version such as 8.0, found 'x'");
    expect_error(".version 8.0\n.target 5",
                 "t.ptx:2:9: expected a target such as sm_80, found '5'");
    expect_error(PTX_HEAD ".entry k(.reg .u64 p) { ret; }",
                 "t.ptx:4:10: parameter 'p' must be in .param, as all of a kernel");
    expect_error(PTX_HEAD ".func f(.shared .u32 p) { ret; }",
                 "t.ptx:4:9: parameter 'p' must be in .param or .reg");
    expect_error(PTX_HEAD ".entry k() {\nret;", "t.ptx:5:5: the body of 'k' (line 4) has no '}'");
    expect_error(PTX_HEAD ".entry k() ret;",
                 "t.ptx:4:12: expected '{' or ';' after the function's header, found 'ret'");
    expect_error(PTX_HEAD ".entry k(u32 x) {}",
                 "t.ptx:4:10: expected '.param' or '.reg', found 'u32'");
    expect_error(PTX_HEAD ".func f {}\n.func g;\n.alias g, f;\n.func g {}",
                 "t.ptx:7:7: 'g' is an alias of 'f' and cannot have a body");
    expect_error(PTX_HEAD ".weak .func f {}\n.func g;\n.alias g, f;",
                 "t.ptx:6:11: 'f' is .weak: only a function that cannot be replaced has an alias");
    expect_error(PTX_HEAD ".func f {}\n.alias g, f;",
                 "t.ptx:5:8: 'g' is not declared: an alias needs its '.func g' before it");
    expect_error(PTX_HEAD ".visble .entry k() { ret; }",
                 "t.ptx:4:1: '.visble' is not a directive; the nearest known name is 'visible'");
    expect_error(PTX_HEAD ".entry k() .maxntd 3 { ret; }",
                 "t.ptx:4:12: '.maxntd' is not a directive; the nearest known name is 'maxntid'");
    expect_error(PTX_HEAD ".entry k() { .alias a, b; ret; }",
                 "t.ptx:4:14: '.alias' cannot stand here");
    expect_error(PTX_HEAD ".func f {}\n.func f {}", "t.ptx:5:7: 'f' is already defined, in line 4");
    expect_error(PTX_HEAD ".global .u32 f;\n.func f {}",
                 "t.ptx:5:7: 'f' is already defined, in line 4");
    expect_error(PTX_HEAD ".global .u64 p = nosuch;", "t.ptx:4:18: 'nosuch' is not defined");
    expect_error(PTX_HEAD ".global .b8 p = p;",
                 "t.ptx:4:17: a byte of an address is written 0xFF(p)");
    expect_error(PTX_HEAD ".global .u32 a[2][2] = {{{1}}};",
                 "t.ptx:4:26: more braces than 'a' has dimensions");
    expect_error(PTX_HEAD ".global .u32 a[2][2] = {{1,2,3}};",
                 "t.ptx:4:32: this row of 'a' holds 2 values");
    expect_error(PTX_HEAD ".visible .u32 x;",
                 "t.ptx:4:10: expected '.func', '.entry' or a state space, found '.u32'");
    expect_error(PTX_HEAD ".global .u32 x[4294967296][4294967296];",
                 "t.ptx:4:14: 'x' is larger than 17592186044416 bytes");
    expect_error(PTX_HEAD ".global .u8 x[2000000000] = {1};",
                 "t.ptx:4:29: the initialised data is larger than 1 GiB");
    expect_error(PTX_HEAD "/* open", "t.ptx:4:8: the comment is not closed");
}

/* Repeats `unit` n times between head and tail. */
static char *repeat(const char *head, const char *unit, size_t n, const char *tail)
{
    size_t h = strlen(head), u = strlen(unit), t = strlen(tail);
    char *s = xmalloc(h + u * n + t + 1), *p = s;
    memcpy(p, head, h);
    p += h;
    for (size_t i = 0; i < n; i++, p += u)
        memcpy(p, unit, u);
    memcpy(p, tail, t + 1);
    return s;
}

static void deep_nesting_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *head, *unit;
    } cases[] = {
        {PTX_HEAD ".entry k() ", "{"},
        {PTX_HEAD ".entry k() { mov.u32 %r1, ", "("},
        {PTX_HEAD ".entry k() { .reg .u32 r; mov.u32 r, ", "-"},
        {PTX_HEAD ".entry k() { .reg .u32 r; mov.u32 r, ", "1 ? "},
        {PTX_HEAD ".entry k() { .reg .u32 r; mov.u32 r, ", "{"},
        {PTX_HEAD ".entry k() { .reg .u32 r; mov.u32 r, ", "[r, "},
        {PTX_HEAD ".entry k() { call ", "("},
        {PTX_HEAD ".global .u32 x = ", "{"},
        {PTX_HEAD ".global .u64 x = ", "generic("},
        {PTX_HEAD ".section .debug ", "{"},
        {PTX_HEAD ".global .u32 x", "[1]"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char *text = repeat(cases[i].head, cases[i].unit, 100000, "");
        struct err err = {0};
        assert_null(ptx_parse("deep.ptx", text, strlen(text), &err));
        assert_non_null(strstr(err.msg, "deep.ptx:4:"));
        free(text);
    }
}

/* Every prefix of a module, and every module with one byte changed, gives a result or an error. */
static void truncated_and_corrupted_text(void **state)
{
    (void)state;
    static const char text[] =
        PTX_HEAD ".global .u64 t[2] = {f, generic(x)+4};\n.global .u32 x;\n"
                 ".func (.param .b32 r) f (.param .b32 a) { ret; }\n"
                 ".visible .entry k(.param .u64 p, .param .align 8 .b8 q[16]) .maxntid 32, 1, 1\n"
                 "{ .reg .b32 %r<3>; .reg .b64 %d<2>; .reg .pred %p<2>; .loc 1 2 3\n"
                 "ld.param.u64 %d1, [p+0]; setp.lt.s32 %p1|%p0, %r1, -5; @!%p1 bra $L1;\n"
                 "{ .param .b32 a0; .param .b32 r0; st.param.b32 [a0], %r1; call (r0), f, (a0); }\n"
                 "$L1: ts: .branchtargets $L1; brx.idx %r1, ts; }\n";
    static const char swaps[] = {0, ';', '{', '}', '%', '[', '9', '.', '"', '\n', '\xff'};
    char copy[sizeof text];
    for (size_t n = 0; n < sizeof text; n++)
        ptx_module_free(ptx_parse("t", text, n, NULL));
    for (size_t n = 0; n + 1 < sizeof text; n++)
        for (size_t k = 0; k < sizeof swaps; k++) {
            memcpy(copy, text, sizeof text);
            copy[n] = swaps[k];
            ptx_module_free(ptx_parse("t", copy, sizeof text - 1, NULL));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_expectations),
        cmocka_unit_test(module_errors),
        cmocka_unit_test(deep_nesting_is_an_error),
        cmocka_unit_test(truncated_and_corrupted_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
