/* A 22 MB module must load in under two seconds, and hostile lists must not be quadratic. Time is
 * that of the processor, so that a busy machine does not matter. */
#include "ptx/support_parse.h"

#include <time.h>

#if defined(__SANITIZE_ADDRESS__)
#define SLOWER 20
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOWER 20
#endif
#endif
#ifndef SLOWER
#define SLOWER 1
#endif

enum { MODULE_BYTES = 22 << 20, LIST = 200000 };

struct text {
    char *data;
    size_t len, cap;
};

static void append(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void append(struct text *t, const char *fmt, ...)
{
    va_list ap;
    if (t->cap - t->len < 8192) {
        t->cap = t->cap * 2 + 65536;
        t->data = xrealloc(t->data, t->cap);
    }
    va_start(ap, fmt);
    t->len += (size_t)vsnprintf(t->data + t->len, t->cap - t->len, fmt, ap);
    va_end(ap);
}

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* A kernel as compilers write it: loads of parameters, a loop with arithmetic, a call. */
static void append_kernel(struct text *t, unsigned k)
{
    append(t,
           "\t// .globl\t_Z6kernelILi%uEEvPfS0_i\n.visible .entry _Z6kernelILi%uEEvPfS0_i(\n"
           "\t.param .u64 _Z6kernelILi%uEEvPfS0_i_param_0,\n"
           "\t.param .u32 _Z6kernelILi%uEEvPfS0_i_param_1\n)\n.maxntid 256, 1, 1\n{\n"
           "\t.reg .pred \t%%p<9>;\n\t.reg .f32 \t%%f<260>;\n\t.reg .b32 \t%%r<260>;\n"
           "\t.reg .b64 \t%%rd<40>;\n\n"
           "\tld.param.u64 \t%%rd1, [_Z6kernelILi%uEEvPfS0_i_param_0];\n"
           "\tld.param.u32 \t%%r1, [_Z6kernelILi%uEEvPfS0_i_param_1];\n"
           "\tcvta.to.global.u64 \t%%rd2, %%rd1;\n\tmov.u32 \t%%r2, %%ctaid.x;\n"
           "\tmov.u32 \t%%r3, %%tid.x;\n\tmad.lo.s32 \t%%r4, %%r2, %%r1, %%r3;\n",
           k, k, k, k, k, k);
    for (unsigned i = 0; i < 8; i++) {
        append(t, "\n$L__BB%u_%u:\n\t.loc\t1 %u 3\n", k, i, i + 10);
        for (unsigned j = 0; j < 30; j++)
            append(t,
                   "\tmul.wide.s32 \t%%rd%u, %%r4, 4;\n\tadd.s64 \t%%rd%u, %%rd2, %%rd%u;\n"
                   "\tld.global.nc.f32 \t%%f%u, [%%rd%u+%u];\n"
                   "\tfma.rn.f32 \t%%f%u, %%f%u, 0f3F800000, %%f%u;\n",
                   j + 3, j + 4, j + 3, j + 8 * i, j + 4, 16 * j, j + 1, j, j + 8 * i);
        append(t, "\tsetp.lt.s32 \t%%p%u, %%r4, %u;\n\t@%%p%u bra \t$L__BB%u_%u;\n", i, i, i, k, i);
    }
    append(t,
           "\t{ // callseq %u, 0\n\t.reg .b32 temp_param_reg;\n\t.param .b32 param0;\n"
           "\tst.param.b32 \t[param0+0], %%r4;\n\t.param .b32 retval0;\n"
           "\tcall.uni (retval0), \n\t_Z1fi, \n\t(\n\tparam0\n\t);\n"
           "\tld.param.b32 \t%%r5, [retval0+0];\n\t}\n\tret;\n\n}\n",
           k);
}

static void a_large_module_loads_quickly(void **state)
{
    (void)state;
    struct text t = {0};
    append(&t, PTX_HEAD ".extern .func (.param .b32 r) _Z1fi (.param .b32 a);\n");
    for (unsigned k = 0; t.len < MODULE_BYTES; k++)
        append_kernel(&t, k);
    struct err err = {0};
    double start = seconds();
    struct ptx_module *m = ptx_parse("big.ptx", t.data, t.len, &err);
    double took = seconds() - start;
    assert_non_null(m);
    uint64_t insts = 0;
    for (uint32_t i = 0; i < m->nfuncs; i++)
        insts += m->funcs[i]->ninsts;
    print_message("%.1f MB, %u functions, %llu instructions: %.2f s, %.0f MB of memory\n",
                  (double)t.len / 1048576, m->nfuncs, (unsigned long long)insts, took,
                  (double)m->arena.total_bytes / 1048576);
    assert_true(took < 2 * SLOWER);
    start = seconds();
    for (uint32_t i = 0; i < m->nfuncs; i++)
        assert_true(ptx_regs_needed(m->funcs[i]) >= 1);
    took = seconds() - start;
    print_message("registers of all of them: %.2f s\n", took);
    assert_true(took < 5 * SLOWER);
    ptx_module_free(m);
    free(t.data);
}

/* Parses, builds the graph and counts the registers; all must be fast. */
static void expect_fast(const char *what, struct text *t)
{
    struct err err = {0};
    double start = seconds();
    struct ptx_module *m = ptx_parse("long.ptx", t->data, t->len, &err);
    if (!m)
        fail_msg("%s: %s", what, err.msg);
    for (uint32_t i = 0; i < m->nfuncs; i++)
        ptx_regs_needed(m->funcs[i]);
    double took = seconds() - start;
    print_message("%s: %.2f s\n", what, took);
    assert_true(took < 5 * SLOWER);
    ptx_module_free(m);
    t->len = 0;
}

static void long_lists_are_not_quadratic(void **state)
{
    (void)state;
    struct text t = {0};
    append(&t, PTX_HEAD ".entry k { .reg .pred p;\n");
    for (unsigned i = 0; i < LIST; i++)
        append(&t, "L%u: @p bra L%u;\n", i, LIST - 1 - i);
    append(&t, "}\n");
    expect_fast("labels and branches", &t);

    append(&t, PTX_HEAD ".entry k { .reg .pred p;\n");
    for (unsigned i = 0; i < LIST; i++)
        append(&t, "L%u: @p bra L%u;\n", i, i);
    append(&t, "L: bra L; }\n");
    expect_fast("endless loops", &t);

    append(&t, PTX_HEAD ".entry k { .reg .u32 a;\n");
    for (unsigned i = 0; i < LIST; i++)
        append(&t, "{ .reg .u32 x%u; .param .b32 y; mov.u32 x%u, a; }\n", i, i);
    append(&t, "}\n");
    expect_fast("scopes", &t);

    append(&t, PTX_HEAD ".global .u64 x[] = { z");
    for (unsigned i = 0; i < LIST; i++)
        append(&t, ", z+%u", i);
    append(&t, "};\n.global .u32 z;\n");
    expect_fast("addresses in an initialiser", &t);

    append(&t, PTX_HEAD ".entry k { .reg .u32 r<%u>; .reg .pred p;\n", LIST);
    for (unsigned i = 0; i < LIST; i++)
        append(&t, "mov.u32 r%u, 0; L%u: @p bra L%u;\n", i, i, i);
    for (unsigned i = 0; i < LIST; i++)
        append(&t, "st.global.u32 [0], r%u;\n", i);
    append(&t, "}\n");
    expect_fast("long live ranges", &t);

    append(&t, PTX_HEAD ".entry k { .reg .u32 r; t: .branchtargets L");
    for (unsigned i = 1; i < LIST; i++)
        append(&t, ", L");
    append(&t, "; L:\n");
    for (unsigned i = 0; i < LIST; i++)
        append(&t, "brx.idx r, t;\n");
    append(&t, "}\n");
    struct err err = {0};
    assert_null(ptx_parse("edges.ptx", t.data, t.len, &err));
    assert_non_null(strstr(err.msg, "have more than 16777216 targets"));
    t.len = 0;

    append(&t, PTX_HEAD);
    for (unsigned i = 0; i < LIST; i++)
        append(&t, ".func f%u { call f%u; ret; }\n", i, i + 1);
    append(&t, ".func f%u { ret; }\n", LIST);
    struct ptx_module *m = ptx_parse("chain.ptx", t.data, t.len, &err);
    assert_non_null(m);
    assert_int_equal(ptx_regs_needed(ptx_find_func(m, "f0")), 1);
    ptx_module_free(m);
    t.len = 0;

    append(&t, PTX_HEAD ".entry k { .reg .u32 a;\n");
    for (unsigned i = 0; i < LIST; i++)
        append(&t, "made.up%u.thing a, a;\n", i);
    append(&t, "}\n");
    expect_fast("unknown instructions", &t);
    free(t.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_module_loads_quickly),
        cmocka_unit_test(long_lists_are_not_quadratic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
