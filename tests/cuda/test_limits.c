/* What a device says that it has is what a kernel gets: on gtx480, whose SMs are smaller than its
 * compute capability allows. */
#include "../../include/cuda/cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".extern .shared .align 4 .b8 s[];\n"
                          ".visible .entry touch()\n"
                          "{ .reg .b32 %r; mov.u32 %r, 1; st.shared.u32 [s], %r; ret; }\n";

/* More values than a thread of a Fermi can have registers. */
enum { VALUES = 80, FERMI_REGISTERS = 63 };

static CUcontext context;
static CUfunction touch, crowd, bounded;

/* Loads VALUES words of shared memory, then stores them all. */
static size_t write_crowd(char *to, size_t room, const char *name, const char *directives)
{
    size_t n = (size_t)snprintf(to, room, ".visible .entry %s() %s\n{ .reg .b32 %%r<%d>;\n", name,
                                directives, VALUES);
    for (unsigned i = 0; i < 2 * VALUES; i++)
        n += (size_t)(i < VALUES
                          ? snprintf(to + n, room - n, "ld.shared.u32 %%r%u, [s+%u];\n", i, i * 4)
                          : snprintf(to + n, room - n, "st.shared.u32 [s+%u], %%r%u;\n",
                                     (i - VALUES) * 4, i - VALUES));
    return n + (size_t)snprintf(to + n, room - n, "ret; }\n");
}

static int setup(void **state)
{
    static char text[32768];
    CUdevice device;
    CUmodule module;
    size_t n = (size_t)snprintf(text, sizeof text, "%s", ptx);
    (void)state;
    n += write_crowd(text + n, sizeof text - n, "crowd", "");
    write_crowd(text + n, sizeof text - n, "bounded", ".maxntid 1024, 1, 1");
    setenv("PARSIM_GPU", "gtx480", 1);
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate_v2(&context, 0, device))
        return -1;
    return cuModuleLoadData(&module, text) || cuModuleGetFunction(&touch, module, "touch") ||
           cuModuleGetFunction(&crowd, module, "crowd") ||
           cuModuleGetFunction(&bounded, module, "bounded");
}

static int teardown(void **state)
{
    (void)state;
    return cuCtxDestroy(context) ? -1 : 0;
}

static int attribute(int number)
{
    int value = -1;
    assert_int_equal(cuDeviceGetAttribute(&value, number, 0), CUDA_SUCCESS);
    return value;
}

static CUresult launch(CUfunction f, unsigned threads, unsigned shared_bytes)
{
    return cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, shared_bytes, NULL, NULL, NULL);
}

static void limits_are_the_machines(void **state)
{
    enum { BLOCK_SHARED = 8, BLOCK_REGS = 12, SM_THREADS = 39, SM_SHARED = 81, SM_REGS = 82 };
    enum { OPTIN = 97, SM_BLOCKS = 106 };
    (void)state;
    assert_int_equal(attribute(BLOCK_SHARED), 32 << 10);
    assert_int_equal(attribute(OPTIN), 32 << 10);
    assert_int_equal(attribute(SM_SHARED), 32 << 10);
    assert_int_equal(attribute(BLOCK_REGS), 32768);
    assert_int_equal(attribute(SM_REGS), 32768);
    assert_int_equal(attribute(SM_THREADS), 1536);
    assert_int_equal(attribute(SM_BLOCKS), 8);
}

static void a_block_gets_the_shared_memory_that_is_reported(void **state)
{
    int blocks;
    const int all = attribute(8);
    (void)state;
    assert_int_equal(launch(touch, 32, (unsigned)all), CUDA_SUCCESS);
    assert_int_equal(launch(touch, 32, (unsigned)all + 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 32, (size_t)all / 2),
        CUDA_SUCCESS);
    assert_int_equal(blocks, 2);
}

static int function_attribute(CUfunction f, int number)
{
    int value = -1;
    assert_int_equal(cuFuncGetAttribute(&value, number, f), CUDA_SUCCESS);
    return value;
}

static void registers_beyond_the_gpus_are_spilled(void **state)
{
    int blocks;
    (void)state;
    assert_int_equal(function_attribute(crowd, CU_FUNC_ATTRIBUTE_NUM_REGS), FERMI_REGISTERS);
    assert_int_equal(function_attribute(crowd, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
                     (4 * (VALUES - FERMI_REGISTERS) + 15) / 16 * 16);
    assert_int_equal(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, crowd, 128, 0),
                     CUDA_SUCCESS);
    assert_int_equal(blocks, 32768 / (64 * 128));
    assert_int_equal(launch(crowd, 512, 4 * VALUES), CUDA_SUCCESS);
    assert_int_equal(cuCtxSynchronize(), CUDA_SUCCESS);
    assert_int_equal(launch(crowd, 544, 4 * VALUES), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

static void declared_blocks_fit(void **state)
{
    (void)state;
    assert_int_equal(function_attribute(bounded, CU_FUNC_ATTRIBUTE_NUM_REGS), 32768 / 1024);
    assert_int_equal(launch(bounded, 1024, 4 * VALUES), CUDA_SUCCESS);
    assert_int_equal(cuCtxSynchronize(), CUDA_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_the_machines),
        cmocka_unit_test(a_block_gets_the_shared_memory_that_is_reported),
        cmocka_unit_test(registers_beyond_the_gpus_are_spilled),
        cmocka_unit_test(declared_blocks_fit),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
