/* A kernel stays inside what it was given: sizes, offsets, depths and handles beyond their limits
 * are refused when it is lowered or launched, or are its own faults. */
#include "exec/fixture.h"

/* A kernel that is stopped or refused: `code` is CUDA's number, 0 where it was not lowered. */
struct refusal {
    const char *what;
    const char *ptx;
    int code;
    const char *says;
};

#define MODULE(decls, body)                                                                \
    PTX_HEAD decls "\n.visible .entry k(.param .u64 p, .param .u64 q)\n{\n" REGISTERS body \
                   "ret;\n}\n"
#define REGISTERS                                                                \
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f64 %fd<4>;\n" \
    "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x;\n"
#define VPRINTF ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
/* Calls printf with the format `fmt` and arguments at %rd1. */
#define PRINT                                                                           \
    "{ .param .b64 a0; .param .b64 a1; .param .b32 rr; mov.u64 %rd5,fmt; st.param.b64 " \
    "[a0],%rd5; st.param.b64 [a1],%rd1; call (rr), vprintf, (a0,a1); }\n"

static const struct refusal refusals[] = {
    {"local variables over the limit", MODULE("", ".local .b8 a[524304]; st.local.u32 [a],%r1;\n"),
     0, "test.ptx:5: k needs 524304 bytes of local memory a thread; the limit is 524288"},
    {"module-scope local variables over the limit",
     MODULE(".local .b8 a[524304];", "st.local.u32 [a+524300],%r1;\n"), 0, "needs 524304 bytes"},
    {"local variables whose sizes wrap 32 bits",
     MODULE("", ".local .b8 a[4294967296]; .local .b8 b[16]; st.local.u32 [b],%r1;\n"), 0,
     "needs 4294967312 bytes of local memory"},
    {"call parameters whose sizes wrap 32 bits",
     MODULE(".func f(.param .b8 x[2147483600]) { .param .b8 y[2147483700]; ret; }",
            "{ .param .b8 a[2147483600]; call f,(a); }\n"),
     0, "f needs 4294967312 bytes of local memory"},
    {"many variables whose sizes wrap 64 bits",
     MODULE("", ".local .b64 a[1099511627776][1], b[1099511627776], c[1099511627776];\n"), 0,
     "the limit is 524288"},
    {"shared variables whose sizes wrap 32 bits",
     MODULE(".shared .b8 a[4294967296]; .shared .b32 b;", "st.shared.u32 [a],%r1;\n"
                                                          "st.shared.u32 [b],%r1;\n"),
     0, "kernel k needs 4294967312 bytes of shared memory; the limit is 16777216"},
    {"more shared memory than the GPU has",
     MODULE(".shared .b8 a[300000];", "st.shared.u32 [a],%r1;\n"), 1,
     "kernel k needs 300000 bytes of shared memory, the GPU gives a block 232448"},
    {"kernel parameters over the limit",
     PTX_HEAD ".visible .entry k(.param .b8 big[40000]) { ret; }\n", 0,
     "k needs 40000 bytes of parameters; the limit is 32764"},
    {"an offset before a local variable",
     MODULE("", ".local .b8 a[16], b[16]; st.local.u32 [b+-4],%r1;\n"), 0,
     "st.local.u32 is not supported: an access outside the variable"},
    {"an offset behind a local variable, in its neighbour",
     MODULE("", ".local .b8 a[16], b[16]; st.local.u32 [a+16],%r1;\n"), 0, "outside the variable"},
    {"an offset that wraps 64 bits",
     MODULE("", ".local .b8 a[16]; ld.local.u32 %r2,[a+0x7fffffffffffffff];\n"), 0,
     "outside the variable"},
    {"a vector that begins inside and ends outside",
     MODULE("", ".local .align 16 .b8 a[24]; ld.local.v4.u32 {%r2,%r3,%r4,%r5},[a+16];\n"), 0,
     "outside the variable"},
    {"an offset before the parameters", MODULE("", "ld.param.u32 %r2,[p+-4];\n"), 0,
     "ld.param.u32 is not supported: a read outside the kernel's parameters"},
    {"an offset behind the parameters", MODULE("", "ld.param.u32 %r2,[q+8];\n"), 0,
     "outside the kernel's parameters"},
    {"a function that reads parameters at a number: its own are larger than the kernel's",
     MODULE(".func f(.param .b8 x[30000]) { .reg .b32 %r; ld.param.u32 %r,[20000]; ret; }",
            "{ .param .b8 a[30000]; call f,(a); }\n"),
     0, "outside the kernel's parameters"},
    {"a call argument's offset",
     MODULE(".func f(.param .b32 x) { ret; }",
            "{ .param .b32 a; st.param.b32 [a+-8],%r1; call f,(a); }\n"),
     0, "outside the variable"},
    {"a write to a parameter by its generic address",
     MODULE("", "mov.u64 %rd2,q; cvta.param.u64 %rd2,%rd2; st.u32 [%rd2],%r1;\n"), 700,
     "write of 4 bytes to the kernel's parameters, at offset 0x8"},
    {"an atomic on a parameter",
     MODULE("", "mov.u64 %rd2,q; cvta.param.u64 %rd2,%rd2; atom.add.u32 %r2,[%rd2],1;\n"), 700,
     "to the kernel's parameters"},
    {"a read behind the parameters by a generic address",
     MODULE("", "mov.u64 %rd2,q; cvta.param.u64 %rd2,%rd2; ld.u32 %r2,[%rd2+8];\n"), 700,
     "the parameter block has 16 bytes"},
    {"a write to a constant by its generic address",
     MODULE(".const .u32 c = 1;", "cvta.const.u64 %rd2,c; st.u32 [%rd2],%r1;\n"), 700,
     "write to constant variable c"},
    {"a texture handle in a parameter that is none",
     MODULE("", "tex.1d.v4.u32.s32 {%r2,%r3,%r4,%r5},[p,{%r1}];\n"), 0,
     "operand 2 is the .param variable p, a 64-bit handle"},
    {"a texture handle in a register that is none",
     MODULE("", "mov.u64 %rd2,1234; tex.1d.v4.u32.s32 {%r2,%r3,%r4,%r5},[%rd2,{%r1}];\n"), 700,
     "texture handle 0x4d2 is not that of a live object"},
    {"a texture reference to which nothing is bound",
     MODULE(".global .texref t;", "tex.1d.v4.u32.s32 {%r2,%r3,%r4,%r5},[t,{%r1}];\n"), 700,
     "texture handle 0x0 is 0: nothing is bound"},
    {"a texture handle in shared memory",
     MODULE(".shared .b8 s[64];", "tex.1d.v4.u32.s32 {%r2,%r3,%r4,%r5},[s,{%r1}];\n"), 0,
     "operand 2 is the .shared variable s, a 64-bit handle"},
    {"a texture handle that does not fit its variable",
     MODULE(".global .u32 g;", "tex.1d.v4.u32.s32 {%r2,%r3,%r4,%r5},[g,{%r1}];\n"), 0,
     "operand 2 is the .global variable g, a 64-bit handle"},
    {"a texture handle behind its variable",
     MODULE(".global .texref t;", "txq.width.b32 %r2,[t+8];\n"), 0, "is not supported"},
    {"a surface handle in a register that is none",
     MODULE("", "mov.u64 %rd2,77; suld.b.1d.b32.trap %r2,[%rd2,{%r1}];\n"), 700,
     "surface handle 0x4d"},
    {"endless recursion without locals", MODULE(".func f() { call f; ret; }", "call f;\n"), 714,
     "nested more than 16384 deep"},
    {"endless recursion with many registers",
     MODULE(".func f() { .reg .b64 %x<9999>; call f; ret; }", "call f;\n"), 714,
     "need more than 67108864 bytes of registers"},
    {"recursion of a kernel", PTX_HEAD ".visible .entry k() { call k; ret; }\n", 0,
     "a kernel is launched, not called"},
    {"a kernel called by its address",
     MODULE(".visible .entry other(.param .b8 x[4096]) { .reg .u32 %r; ld.param.u32 %r,[x+4000]; "
            "ret; }",
            "mov.u64 %rd2,other; pr: .callprototype _ (); call %rd2,(),pr;\n"),
     718, "which is not a function"},
    {"alloca over the limit", MODULE("", "mov.u64 %rd2,600000; alloca.u64 %rd3,%rd2;\n"), 714,
     "needs 600000 bytes of local memory; the limit is 524288"},
    {"alloca whose size wraps", MODULE("", "mov.u64 %rd2,-8; alloca.u64 %rd3,%rd2;\n"), 714,
     "alloca of 18446744073709551608 bytes"},
    {"a printf precision that fills the host's memory",
     MODULE(VPRINTF ".global .b8 fmt[8] = {37,46,57,57,57,57,102,0};", PRINT), 719,
     "a width or precision of 9999; the limit is 4096"},
    {"a printf width of more digits than a number has",
     MODULE(VPRINTF ".global .b8 fmt[16] = {37,50,49,52,55,52,56,51,54,52,55,100,0};", PRINT), 719,
     "a width or precision of 2147483647"},
    {"a printf width in an argument",
     MODULE(VPRINTF ".global .b8 fmt[8] = {37,42,100,0};",
            "mov.u32 %r2,-2147483648; st.global.u32 [%rd1],%r2;\n" PRINT),
     719, "a width or precision of 2147483648"},
    {"ldmatrix without the lanes that have its addresses",
     MODULE(".shared .align 16 .b8 s[1024];",
            "setp.ge.u32 %p1,%r1,8; mov.u32 %r9,s;\n"
            "@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2},[%r9];\n"),
     715, "thread (0,0,0): the address of a row is in a lane that does not execute"},
    {"an mbarrier without an address", MODULE("", "mbarrier.init.shared.b64 %rd2,%r1;\n"), 0,
     "an address [a] is needed"},
};

static void are_refused(void **state)
{
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        struct fixture f;
        fixture_open(&f, r->ptx, 1024);
        if (fixture_launch(&f, 1, 32, 0) || !strstr(f.err.msg, r->says) || f.err.code != r->code) {
            print_error("%s: %d, %s\n", r->what, f.err.code, f.err.msg);
            wrong++;
        }
        fixture_close(&f);
    }
    assert_int_equal(wrong, 0);
}

/* Up to its limit a kernel runs. */
static void what_fits_runs(void **state)
{
    (void)state;
    static const char *const ptx[] = {
        MODULE("",
               ".local .b8 a[524288]; st.local.u32 [a+524284],%r1; ld.local.u32 %r2,[a+524284];\n"
               "st.global.u32 [%rd1],%r2;\n"),
        MODULE("", "ld.param.v2.u64 {%rd2,%rd3},[p]; st.global.u32 [%rd2],%r1;\n"),
        MODULE("", "mov.u64 %rd2,p; cvta.param.u64 %rd2,%rd2; ld.u64 %rd3,[%rd2];\n"
                   "st.global.u32 [%rd3],%r1;\n"),
        MODULE(".func f(.param .b32 n) { .reg .b32 %r<3>; .reg .pred %p; ld.param.b32 %r1,[n];\n"
               "setp.eq.u32 %p,%r1,0; @%p ret; sub.u32 %r1,%r1,1;\n"
               "{ .param .b32 m; st.param.b32 [m],%r1; call f,(m); } ret; }",
               "{ .param .b32 m; mov.u32 %r2,16000; st.param.b32 [m],%r2; call f,(m); }\n"
               "st.global.u32 [%rd1],%r1;\n"),
        MODULE(VPRINTF ".global .b8 fmt[8] = {37,45,48,53,46,50,100,0};", PRINT "st.global.u32 "
                                                                                "[%rd1],%r1;\n"),
    };
    for (size_t i = 0; i < sizeof ptx / sizeof *ptx; i++) {
        struct fixture f;
        fixture_open(&f, ptx[i], 1024);
        f.dev->out = fopen("/dev/null", "w");
        f.words[0] = 7;
        if (!fixture_launch(&f, 1, 32, 0))
            fail_msg("%s", f.err.msg);
        assert_int_equal(f.words[0], 31);
        fclose(f.dev->out);
        fixture_close(&f);
    }
}

/* Every thread asks for single bytes until there are no more. */
static void the_heap_counts_what_an_allocation_takes(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(
        &f,
        MODULE(".extern .func (.param .b64 r) malloc(.param .b64 n);",
               "L: { .param .b64 n; .param .b64 r; mov.u64 %rd2,1; st.param.b64 [n],%rd2;\n"
               "call (r), malloc, (n); ld.param.b64 %rd3,[r]; }\n"
               "setp.eq.u64 %p1,%rd3,0; @%p1 bra E; atom.global.add.u32 %r2,[%rd1],1;\n"
               "bra L; E:\n"),
        1024);
    f.dev->heap_limit_bytes = 65536;
    fixture_run(&f, 1, 32, 0);
    assert_in_range(f.words[0], 512, 65536 / 64);
    assert_in_range(f.dev->heap_used_bytes, 65536 - 128, 65536);
    fixture_close(&f);
}

static void host_memory_that_wraps_is_not_registered(void **state)
{
    (void)state;
    struct err err;
    struct devmem *m = devmem_new(1 << 20, &err);
    char *p = malloc(64);
    assert_null(devmem_register_host(m, p, UINT64_MAX - (uintptr_t)p + 2));
    assert_null(devmem_register_host(m, p, 0));
    assert_non_null(devmem_register_host(m, p, 64));
    devmem_free(m);
    free(p);
}

/* Loads one or two files; what is said if they are refused, else "". */
static void load(const char *first, const char *second, struct err *err)
{
    const char *const texts[] = {first, second};
    struct ptx_module *mods[2];
    struct device *d = device_new(UINT64_C(1) << 30, err);
    unsigned n = 0;
    for (; n < 2 && texts[n]; n++) {
        mods[n] = ptx_parse(n ? "b.ptx" : "a.ptx", texts[n], strlen(texts[n]), err);
        assert_non_null(mods[n]);
    }
    struct program *p = program_load(d, mods, n, err);
    assert_int_equal(p != NULL, !err->msg[0]);
    program_unload(p);
    device_free(d);
}

/* ptxas: "File uses too much global constant data (0x10004 bytes, 0x10000 max)". */
static void constants_beyond_64_kb_are_refused(void **state)
{
#define CONST(align, name, bytes) ".const .align " align " .b8 " name "[" bytes "];\n"
    static const struct {
        const char *first, *second, *says;
    } cases[] = {
        {PTX_HEAD CONST("4", "a", "65536"), NULL, ""},
        {PTX_HEAD CONST("4", "a", "65537"), NULL,
         "a.ptx:4: constants take 65537 bytes with a; the limit is 65536"},
        {PTX_HEAD CONST("4", "a", "65532") CONST("4", "b", "8"), NULL,
         "a.ptx:5: constants take 65540 bytes with b; the limit is 65536"},
        {PTX_HEAD CONST("4", "a", "4") CONST("256", "b", "65280"), NULL, ""},
        {PTX_HEAD CONST("4", "a", "252") CONST("256", "b", "65280") CONST("4", "c", "4"), NULL,
         "a.ptx:6: constants take 65540 bytes with c; the limit is 65536"},
        {PTX_HEAD CONST("1", "a", "1099511627776") CONST("1", "b", "1099511627776"), NULL,
         "a.ptx:4: constants take 1099511627776 bytes with a"},
        {PTX_HEAD ".global .b8 a[65537];\n" CONST("4", "b", "65536"), NULL, ""},
        {PTX_HEAD CONST("4", "a", "40000"), PTX_HEAD CONST("4", "b", "25536"), ""},
        {PTX_HEAD CONST("4", "a", "40000"), PTX_HEAD CONST("4", "b", "25537"),
         "b.ptx:4: constants take 65537 bytes with b; the limit is 65536"},
        {PTX_HEAD ".weak " CONST("4", "a", "40000"), PTX_HEAD ".weak " CONST("4", "a", "40000"),
         ""},
    };
#undef CONST
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        load(cases[i].first, cases[i].second, &err);
        if (!*cases[i].says != !err.msg[0] || !strstr(err.msg, cases[i].says))
            fail_msg("case %zu: '%s', not '%s'", i, err.msg, cases[i].says);
    }
}

/* What a program gave back is not what it needs at one time. */
static void the_peak_is_the_most_at_one_time(void **state)
{
    (void)state;
    struct err err;
    struct devmem *m = devmem_new(1 << 20, &err);
    assert_int_equal(devmem_peak(m), 0);
    addr_t first = devmem_alloc(m, 100, 0, MEM_DEVICE, NULL)->base;
    devmem_alloc(m, 30, 0, MEM_VARIABLE, "v");
    assert_true(devmem_release(m, first));
    devmem_alloc(m, 60, 0, MEM_DEVICE, NULL);
    assert_int_equal(devmem_used(m), 90);
    assert_int_equal(devmem_peak(m), 130);
    devmem_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_refused),
        cmocka_unit_test(what_fits_runs),
        cmocka_unit_test(the_heap_counts_what_an_allocation_takes),
        cmocka_unit_test(host_memory_that_wraps_is_not_registered),
        cmocka_unit_test(constants_beyond_64_kb_are_refused),
        cmocka_unit_test(the_peak_is_the_most_at_one_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
