/* What a device says that it has is what a kernel gets: on gtx480, whose SMs are smaller than its
 * compute capability allows. */
#include "../../include/cuda/cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".extern .shared .align 4 .b8 s[];\n"
                          ".visible .entry touch()\n"
                          "{ .reg .b32 %r; mov.u32 %r, 1; st.shared.u32 [s], %r; ret; }\n";

static CUcontext context;
static CUfunction touch;

static int setup(void **state)
{
    CUdevice device;
    CUmodule module;
    (void)state;
    setenv("PARSIM_GPU", "gtx480", 1);
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate_v2(&context, 0, device))
        return -1;
    return cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&touch, module, "touch");
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

static CUresult launch(unsigned threads, unsigned shared_bytes)
{
    return cuLaunchKernel(touch, 1, 1, 1, threads, 1, 1, shared_bytes, NULL, NULL, NULL);
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
    assert_int_equal(launch(32, (unsigned)all), CUDA_SUCCESS);
    assert_int_equal(launch(32, (unsigned)all + 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 32, (size_t)all / 2),
        CUDA_SUCCESS);
    assert_int_equal(blocks, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_the_machines),
        cmocka_unit_test(a_block_gets_the_shared_memory_that_is_reported),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
