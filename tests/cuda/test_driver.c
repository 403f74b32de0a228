/* The driver API from a C host that knows only include/cuda/cuda.h. */
#include "../../include/cuda/cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <sys/mman.h>

static const char scale_ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                                ".visible .global .align 4 .u32 factor = 3;\n"
                                ".visible .entry scale(.param .u64 data, .param .u32 n)\n"
                                "{ .reg .u32 %r<6>; .reg .u64 %d<4>; .reg .pred %p;\n"
                                "  mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n];\n"
                                "  setp.ge.u32 %p, %r1, %r2; @%p ret;\n"
                                "  ld.param.u64 %d1, [data]; mul.wide.u32 %d2, %r1, 4;\n"
                                "  add.u64 %d3, %d1, %d2; ld.global.u32 %r3, [%d3];\n"
                                "  ld.global.u32 %r4, [factor]; mul.lo.u32 %r5, %r3, %r4;\n"
                                "  st.global.u32 [%d3], %r5; ret; }\n";

static const char half_ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                               ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                               ".visible .entry go(.param .u64 out)\n"
                               "{ .reg .u32 %r<3>; .reg .u64 %d1; .param .b32 a, b;\n"
                               "  mov.u32 %r1, 21; st.param.b32 [a], %r1;\n"
                               "  call (b), twice, (a); ld.param.b32 %r2, [b];\n"
                               "  ld.param.u64 %d1, [out]; st.global.u32 [%d1], %r2; ret; }\n";

static const char other_half_ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                                     ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                                     "{ .reg .u32 %r<3>; ld.param.b32 %r1, [x];\n"
                                     "  add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }\n";

/* A fatbin of one plain entry at the very end of a page after which nothing is mapped. */
static uint8_t *fatbin_at_the_end(uint64_t body, uint64_t payload)
{
    static const uint32_t head[] = {0xBA55ED50u, 16u << 16 | 1};
    const size_t page = 4096, bytes = 16 + 64 + sizeof scale_ptx;
    uint8_t *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint32_t entry[] = {1u << 16 | 1, 64};
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(munmap(p + page, page), 0);
    p += page - bytes;
    memcpy(p, head, sizeof head);
    memcpy(p + 8, &body, 8);
    memcpy(p + 16, entry, sizeof entry);
    memcpy(p + 24, &payload, 8);
    memcpy(p + 80, scale_ptx, sizeof scale_ptx);
    return p;
}

static CUcontext context;

static int setup(void **state)
{
    CUdevice device;
    (void)state;
    if (cuInit(0) || cuDeviceGet(&device, 0))
        return -1;
    return cuCtxCreate_v2(&context, 0, device) ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    return cuCtxDestroy(context) ? -1 : 0;
}

static void sizes_of_a_fatbin_are_not_believed(void **state)
{
    const uint64_t right = sizeof scale_ptx;
    const struct {
        uint64_t body, payload;
        int error; /* 200: the image is invalid */
    } cases[] = {{64 + right, right, 0},
                 {65 + right, right, 200}, /* a byte more than there is */
                 {64 + right, right + 1, 200},
                 {UINT64_MAX - 16, right, 200},
                 {1 << 20, 1 << 19, 200},
                 {64 + right, UINT64_MAX, 200},
                 {40, right, 200}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CUmodule module = NULL;
        uint8_t *image = fatbin_at_the_end(cases[i].body, cases[i].payload);
        assert_int_equal(cuModuleLoadData(&module, image), cases[i].error);
        if (module)
            assert_int_equal(cuModuleUnload(module), 0);
        munmap((void *)((uintptr_t)image & ~(uintptr_t)4095), 4096);
    }
}

static void test_launch(void **state)
{
    CUmodule module;
    CUfunction f;
    CUdeviceptr data, factor;
    size_t bytes;
    unsigned host[64], n = 64;
    (void)state;
    for (unsigned i = 0; i < n; i++)
        host[i] = i;
    assert_int_equal(cuModuleLoadData(&module, scale_ptx), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetFunction(&f, module, "none"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetFunction(&f, module, "scale"), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetGlobal(&factor, &bytes, module, "factor"), CUDA_SUCCESS);
    assert_int_equal(bytes, 4);
    assert_int_equal(cuMemsetD32(factor, 5, 1), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc(&data, sizeof host), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD(data, host, sizeof host), CUDA_SUCCESS);
    void *args[] = {&data, &n};
    assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL), CUDA_SUCCESS);
    struct {
        CUdeviceptr data;
        unsigned n;
    } block = {data, 32};
    size_t block_bytes = sizeof block;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &block_bytes, CU_LAUNCH_PARAM_END};
    assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(host, data, sizeof host), CUDA_SUCCESS);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(host[i], i * (i < 32 ? 25 : 5));
    assert_int_equal(cuMemFree(data), CUDA_SUCCESS);
    assert_int_equal(cuMemFree(data), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleUnload(module), CUDA_SUCCESS);
    assert_int_equal(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

/* Many zeros take no memory of the host that was not taken: pages are filled or stay away, and the
 * parts of pages at both ends are filled.
 */
static void zeros_in_bulk_leave_their_neighbours(void **state)
{
    enum { BYTES = 20 << 20, FROM = 4097, FILLED = 9 << 20 };
    unsigned char *host = malloc(BYTES);
    CUdeviceptr data;
    (void)state;
    assert_int_equal(cuMemAlloc(&data, BYTES), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD8(data, 7, BYTES), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD8(data + FROM, 0, FILLED), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(host, data, BYTES), CUDA_SUCCESS);
    for (unsigned i = 0; i < BYTES; i++)
        if (host[i] != (i - FROM < FILLED ? 0 : 7))
            fail_msg("byte %u is %u", i, host[i]);
    assert_int_equal(cuMemFree(data), CUDA_SUCCESS);
    free(host);
}

/* Pages that nobody has written are copied as what they are, whatever was at the other end, and
 * beside them those that have been, also after zeros in bulk. */
static void untouched_pages_are_copied_as_zeros(void **state)
{
    enum { BYTES = 20 << 20, ODD = 1234, STEP = 3 * 4096 + 5 };
    unsigned char *host = malloc(BYTES);
    CUdeviceptr data;
    (void)state;
    assert_int_equal(cuMemAlloc(&data, BYTES), CUDA_SUCCESS);
    for (unsigned round = 0; round < 4; round++) {
        assert_int_equal(cuMemsetD8(data, 0, BYTES), CUDA_SUCCESS);
        for (size_t i = ODD; i < BYTES / 2; i += STEP)
            assert_int_equal(cuMemsetD8(data + i, 5, 1), CUDA_SUCCESS);
        if (round % 2) /* a byte here and there in zeros, at the ends of pages too */
            for (size_t i = 0; i < BYTES; i++)
                host[i] = i % 4095 ? 0 : 9;
        else
            memset(host, 9, BYTES);
        host[BYTES - ODD] = 9;
        assert_int_equal(cuMemcpyDtoH(host, data + ODD, BYTES - ODD), CUDA_SUCCESS);
        for (size_t i = 0; i < BYTES - ODD; i++)
            if (host[i] != (i % STEP || i + ODD >= BYTES / 2 ? 0 : 5))
                fail_msg("byte %zu is %u", i, host[i]);
        assert_int_equal(host[BYTES - ODD], 9);
    }
    assert_int_equal(cuMemFree(data), CUDA_SUCCESS);
    free(host);
}

/* Copies of several pieces, to memory that nobody has written, between odd addresses; back over a
 * part of themselves; and a tail. */
static void long_copies_are_exact(void **state)
{
    enum { BYTES = (3 << 20) + 12345, ODD = 77 };
    CUdeviceptr data;
    (void)state;
    uint8_t *host = malloc(BYTES), *back = malloc(BYTES);
    for (size_t i = 0; i < BYTES; i++)
        host[i] = (uint8_t)(i * 2654435761u >> 13);
    assert_int_equal(cuMemAlloc(&data, BYTES + ODD), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD(data + ODD, host, BYTES), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(back, data + ODD, BYTES), CUDA_SUCCESS);
    assert_memory_equal(back, host, BYTES);
    assert_int_equal(cuMemcpyDtoD(data, data + ODD, BYTES), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(back, data, BYTES), CUDA_SUCCESS);
    assert_memory_equal(back, host, BYTES);
    assert_int_equal(cuMemcpyDtoD(data + ODD, data, BYTES), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(back, data + ODD, BYTES), CUDA_SUCCESS);
    assert_memory_equal(back, host, BYTES);
    assert_int_equal(cuMemFree(data), CUDA_SUCCESS);
    free(host);
    free(back);
}

static void test_link(void **state)
{
    CUlinkState link;
    CUmodule module;
    CUfunction f;
    CUdeviceptr out;
    void *image;
    unsigned value = 0;
    (void)state;
    assert_int_equal(cuLinkCreate(0, NULL, NULL, &link), CUDA_SUCCESS);
    assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)half_ptx,
                                   sizeof half_ptx, "a", 0, NULL, NULL),
                     CUDA_SUCCESS);
    assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)other_half_ptx,
                                   sizeof other_half_ptx, "b", 0, NULL, NULL),
                     CUDA_SUCCESS);
    assert_int_equal(cuLinkComplete(link, &image, NULL), CUDA_SUCCESS);
    assert_int_equal(cuModuleLoadData(&module, image), CUDA_SUCCESS);
    assert_int_equal(cuLinkDestroy(link), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetFunction(&f, module, "go"), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc(&out, 4), CUDA_SUCCESS);
    void *args[] = {&out};
    assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyDtoH(&value, out, 4), CUDA_SUCCESS);
    assert_int_equal(value, 42);
    assert_int_equal(cuMemFree(out), CUDA_SUCCESS);
    assert_int_equal(cuModuleUnload(module), CUDA_SUCCESS);
}

static void test_errors(void **state)
{
    CUmodule module;
    CUdeviceptr p;
    const char *name;
    (void)state;
    assert_int_equal(cuModuleLoadData(&module, "this is no PTX"), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(cuModuleLoad(&module, "/nonexistent"), CUDA_ERROR_FILE_NOT_FOUND);
    assert_int_equal(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAlloc(&p, (size_t)1 << 50), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &name), CUDA_SUCCESS);
    assert_string_equal(name, "CUDA_ERROR_INVALID_PTX");
    assert_int_equal(cuGetErrorName((CUresult)12345, &name), CUDA_ERROR_INVALID_VALUE);
}

static void test_contexts(void **state)
{
    CUcontext primary, current;
    CUdeviceptr p;
    (void)state;
    assert_int_equal(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
    assert_int_equal(cuCtxPushCurrent(primary), CUDA_SUCCESS);
    assert_int_equal(cuCtxGetCurrent(&current), CUDA_SUCCESS);
    assert_ptr_equal(current, primary);
    assert_int_equal(cuCtxPopCurrent(&current), CUDA_SUCCESS);
    assert_int_equal(cuCtxGetCurrent(&current), CUDA_SUCCESS);
    assert_ptr_equal(current, context);
    assert_int_equal(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    assert_int_equal(cuCtxPopCurrent(&current), CUDA_SUCCESS);
    assert_int_equal(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxPushCurrent(context), CUDA_SUCCESS);
}

static void test_proc_address(void **state)
{
    void *fn;
    int found;
    (void)state;
    assert_int_equal(cuGetProcAddress("cuMemAlloc", &fn, CUDA_VERSION, 0, &found), CUDA_SUCCESS);
    assert_true(fn == (void *)cuMemAlloc_v2);
    assert_int_equal(cuGetProcAddress("cuNothing", &fn, CUDA_VERSION, 0, &found),
                     CUDA_ERROR_NOT_FOUND);
}

static const char read_ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                               ".visible .entry go(.param .u64 from)\n"
                               "{ .reg .u32 %r1; .reg .u64 %d1; ld.param.u64 %d1, [from];\n"
                               "  ld.global.u32 %r1, [%d1]; st.global.u32 [%d1], %r1; ret; }\n";
static const char big_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry go(.param .u64 out)\n"
    "{ .reg .u32 %r1; .local .b8 a[1000000];\n"
    "  ld.local.u32 %r1, [a+900000]; st.local.u32 [a+900000], %r1; ret; }\n";

static void test_local_memory_is_limited(void **state)
{
    CUmodule module;
    CUfunction f;
    CUdeviceptr p = 0;
    void *args[] = {&p};
    (void)state;
    assert_int_equal(cuCtxSetLimit(0 /* stack */, (size_t)-1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuCtxSetLimit(0, 512 << 10), CUDA_SUCCESS);
    assert_int_equal(cuModuleLoadData(&module, big_ptx), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetFunction(&f, module, "go"), CUDA_SUCCESS);
    assert_int_not_equal(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL), CUDA_SUCCESS);
    assert_int_equal(cuModuleUnload(module), CUDA_SUCCESS);
}

/* Its kernel faults, which ends the context. */
static void test_registered_memory(void **state)
{
    CUmodule module;
    CUfunction f;
    const size_t bytes = 8192;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *args[] = {&p};
    (void)state;
    assert_int_equal(cuModuleLoadData(&module, read_ptx), CUDA_SUCCESS);
    assert_int_equal(cuModuleGetFunction(&f, module, "go"), CUDA_SUCCESS);
    assert_int_equal(cuMemHostRegister((void *)0x10000, 4096, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemHostRegister(p, SIZE_MAX - (uintptr_t)p, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemHostRegister(p, SIZE_MAX, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mprotect(p + 4096, 4096, PROT_READ), 0);
    assert_int_equal(cuMemHostRegister(p, bytes, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(mprotect(p + 4096, 4096, PROT_READ | PROT_WRITE), 0);
    assert_int_equal(cuMemHostRegister(p, bytes, 0), CUDA_SUCCESS);
    assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL), CUDA_SUCCESS);
    assert_int_equal(cuCtxSynchronize(), CUDA_SUCCESS);
    munmap(p, bytes);
    CUdeviceptr device;
    assert_int_equal(cuMemAlloc(&device, bytes), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD(device, p, bytes), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL), CUDA_SUCCESS);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_a_fatbin_are_not_believed),
        cmocka_unit_test(test_launch),
        cmocka_unit_test(zeros_in_bulk_leave_their_neighbours),
        cmocka_unit_test(untouched_pages_are_copied_as_zeros),
        cmocka_unit_test(long_copies_are_exact),
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_proc_address),
        cmocka_unit_test(test_local_memory_is_limited),
    };
    const struct CMUnitTest faults[] = {cmocka_unit_test(test_registered_memory)};
    return cmocka_run_group_tests(tests, setup, teardown) +
           cmocka_run_group_tests(faults, setup, NULL);
}
