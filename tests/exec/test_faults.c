/* A kernel's own faults: each names kernel, PTX line, block, thread and what was wrong. */
#include "exec/fixture.h"

#define FAULT(name, body, block, code, ...)                                  \
    static void name(void **state)                                           \
    {                                                                        \
        (void)state;                                                         \
        struct fixture f;                                                    \
        fixture_open(&f, PTX_KERNEL(body), 1024);                            \
        const char *pieces[] = {"kernel k", "test.ptx:", __VA_ARGS__, NULL}; \
        fixture_expect_fault(&f, block, code, pieces);                       \
        fixture_close(&f);                                                   \
    }

FAULT(read_beyond_the_end_names_the_distance, "ld.global.u32 %r2,[%rd1+1028];\n", 1, 700,
      "test.ptx:9 (ld.global.u32)", "block (0,0,0), thread (0,0,0)", "read of 4 bytes",
      "4 bytes after the end of allocation #1 (1024 bytes")
FAULT(write_before_the_start, "st.global.u32 [%rd1+-8],%r1;\n", 1, 700, "write of 4 bytes",
      "8 bytes before allocation #1")
FAULT(access_that_straddles_the_end,
      "ld.global.u64 %rd2,[%rd1+1016]; ld.global.v2.u64 {%rd2,%rd3},[%rd1+1024];\n", 1, 700,
      "16 bytes")
FAULT(the_failing_thread_is_named,
      "mul.wide.u32 %rd2,%r1,64; add.s64 %rd3,%rd1,%rd2; st.global.u32 [%rd3],%r1;\n", 40, 700,
      "thread (16,0,0)")
FAULT(null_pointer, "mov.u64 %rd2,0; ld.global.u32 %r2,[%rd2];\n", 1, 700, "address 0x0")
FAULT(misaligned, "ld.global.u32 %r2,[%rd1+2];\n", 1, 716, "misaligned read of 4 bytes")
FAULT(misaligned_vector, "st.global.v4.u32 [%rd1+8],{%r1,%r1,%r1,%r1};\n", 1, 716,
      "write of 16 bytes")
FAULT(shared_out_of_bounds, ".shared .b8 s[64]; mov.u64 %rd2,s; ld.shared.u32 %r2,[%rd2+64];\n", 1,
      700, "shared address 0x40", "has 64 bytes")
FAULT(local_out_of_bounds,
      ".local .b8 s[64]; mov.u64 %rd2,s; add.u64 %rd2,%rd2,65536; st.local.u32 [%rd2],%r1;\n", 1,
      700, "local address")
FAULT(wild_generic_address, "mov.u64 %rd2,0xffffffffffff0000; ld.u32 %r2,[%rd2];\n", 1, 700,
      "0xffffffffffff0000")
FAULT(trap_stops, "trap;\n", 1, 719, "trap")
FAULT(barrier_of_the_cluster, "mov.u32 %r2,16; bar.sync %r2;\n", 32, 715, "barrier 16")
FAULT(barrier_number, "mov.u32 %r2,99; bar.sync %r2;\n", 32, 715, "barrier 99")
FAULT(endless_loop_is_stopped_with_its_place, "L: bra L;\n", 32, 702, "(bra)", "the limit is")
FAULT(barrier_that_nobody_completes, "bar.sync 1,64;\n", 32, 702, "deadlock",
      "barrier 1 has 32 of 64")
FAULT(barrier_of_all_bits, "mov.u32 %r2,-1; bar.sync 0,%r2;\n", 32, 702, "deadlock",
      "barrier 0 has 32 of ")
FAULT(call_of_a_number, "mov.u64 %rd2,1234; pr: .callprototype _ (); call %rd2,(),pr;\n", 1, 718,
      "not a function")

static void use_after_free_is_explained(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, PTX_KERNEL("ld.global.u32 %r2,[%rd1+12];\n"), 1024);
    assert_true(devmem_release(f.dev->mem, f.buf->base));
    const char *pieces[] = {"12 bytes into freed allocation #1", NULL};
    fixture_expect_fault(&f, 1, 700, pieces);
    fixture_close(&f);
}

static void a_variable_of_a_module_that_is_gone_is_named(void **state)
{
    (void)state;
    struct fixture f;
    const char *const text = ".version 7.0\n.target sm_75\n.global .b32 of_the_other[64];\n";
    fixture_open(&f, PTX_KERNEL("ld.global.u64 %rd2,[%rd1]; ld.global.u32 %r2,[%rd2+16];\n"), 64);
    struct ptx_module *m = ptx_parse("other.ptx", text, strlen(text), &f.err);
    struct program *other = program_load(f.dev, &m, 1, &f.err);
    assert_non_null(other);
    memcpy(f.words, &program_var(other, "of_the_other")->base, sizeof(addr_t));
    program_unload(other);
    const char *pieces[] = {"16 bytes into freed variable of_the_other (256 bytes", NULL};
    fixture_expect_fault(&f, 1, 700, pieces);
    fixture_close(&f);
}

static void constants_cannot_be_written(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_HEAD
                 ".const .u32 c = 7;\n.visible .entry k(.param .u64 p) {\n.reg .b64 %rd<3>;\n"
                 "mov.u64 %rd1, c; st.u32 [%rd1], 1; ret; }\n",
                 1024);
    const char *pieces[] = {"constant variable c", NULL};
    fixture_expect_fault(&f, 1, 700, pieces);
    fixture_close(&f);
}

static void endless_recursion_overflows_the_stack(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_HEAD ".func r(.param .b32 a) {\n.reg .b32 %r<3>;\nld.param.u32 %r1,[a];\n"
                          "{ .param .b32 q; st.param.b32 [q], %r1; call r,(q); }\nret; }\n"
                          ".visible .entry k(.param .u64 p) {\n"
                          "{ .param .b32 q; st.param.b32 [q], 1; call r,(q); }\nret; }\n",
                 1024);
    const char *pieces[] = {"stack overflow", NULL};
    fixture_expect_fault(&f, 32, 714, pieces);
    fixture_close(&f);
}

static void unsupported_instruction_is_an_error_at_launch_only(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_HEAD ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n"
                          "frobnicate.rn.f32 %r1, %r2;\nret; }\n",
                 1024);
    assert_false(fixture_launch(&f, 1, 1, 0));
    assert_non_null(strstr(f.err.msg, "test.ptx:6: frobnicate.rn.f32 is not supported"));
    fixture_close(&f);
}

static void unknown_kernel_lists_those_there_are(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, PTX_KERNEL(""), 16);
    assert_null(program_kernel(f.prog, "nope", &f.err));
    assert_string_equal(f.err.msg, "no kernel 'nope'; there are: k");
    fixture_close(&f);
}

static void too_many_threads(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f, PTX_KERNEL(""), 16);
    assert_false(fixture_launch(&f, 1, 1025, 0));
    assert_int_equal(f.err.code, 9);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_beyond_the_end_names_the_distance),
        cmocka_unit_test(write_before_the_start),
        cmocka_unit_test(access_that_straddles_the_end),
        cmocka_unit_test(the_failing_thread_is_named),
        cmocka_unit_test(null_pointer),
        cmocka_unit_test(misaligned),
        cmocka_unit_test(misaligned_vector),
        cmocka_unit_test(shared_out_of_bounds),
        cmocka_unit_test(local_out_of_bounds),
        cmocka_unit_test(wild_generic_address),
        cmocka_unit_test(trap_stops),
        cmocka_unit_test(barrier_number),
        cmocka_unit_test(barrier_of_the_cluster),
        cmocka_unit_test(endless_loop_is_stopped_with_its_place),
        cmocka_unit_test(barrier_that_nobody_completes),
        cmocka_unit_test(barrier_of_all_bits),
        cmocka_unit_test(call_of_a_number),
        cmocka_unit_test(use_after_free_is_explained),
        cmocka_unit_test(a_variable_of_a_module_that_is_gone_is_named),
        cmocka_unit_test(constants_cannot_be_written),
        cmocka_unit_test(endless_recursion_overflows_the_stack),
        cmocka_unit_test(unsupported_instruction_is_an_error_at_launch_only),
        cmocka_unit_test(unknown_kernel_lists_those_there_are),
        cmocka_unit_test(too_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
