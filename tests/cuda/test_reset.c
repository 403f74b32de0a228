/* What cudaDeviceReset() has taken away stays away: handles of before are errors, also where
 * others have taken their place since. */
#include "../../include/cuda/cuda.h"
#include "cuda/texobj.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

int cudaMalloc(void **p, size_t bytes);
int cudaMemset(void *p, int value, size_t bytes);
int cudaDeviceReset(void);
int cudaDeviceSynchronize(void);
int cudaCreateTextureObject(uint64_t *t, const struct cudaResourceDesc *res,
                            const struct cudaTextureDesc *tex,
                            const struct cudaResourceViewDesc *view);
int cudaDestroyTextureObject(uint64_t t);
int cudaMallocArray(struct array **a, const struct cudaChannelFormatDesc *d, size_t width,
                    size_t height, unsigned flags);
int cudaFreeArray(struct array *a);
int cudaMemcpy2DToArray(struct array *a, size_t x, size_t y, const void *src, size_t pitch,
                        size_t width, size_t height, int kind);

int cudaStreamCreate(cudaStream_t *s);
int cudaStreamSynchronize(cudaStream_t s);
int cudaStreamDestroy(cudaStream_t s);
int cudaEventCreate(cudaEvent_t *e);
int cudaEventRecord(cudaEvent_t e, cudaStream_t s);
int cudaEventQuery(cudaEvent_t e);
int cudaEventSynchronize(cudaEvent_t e);
int cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
int cudaEventDestroy(cudaEvent_t e);
int cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags);

static const struct cudaChannelFormatDesc words = {32, 0, 0, 0, CHANNEL_UNSIGNED};
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 t, .param .u64 o) {\n"
    ".reg .b64 %d<3>; .reg .b32 %r<6>; ld.param.u64 %d1, [t]; ld.param.u64 %d2, [o]; mov.u32 %r1, "
    "1;\n"
    "tex.1d.v4.u32.s32 {%r2,%r3,%r4,%r5}, [%d1, {%r1}]; st.global.u32 [%d2], %r2; ret; }\n";

static uint64_t make_texture(void)
{
    uint64_t handle = 0;
    struct cudaResourceDesc r = {.resType = RESOURCE_LINEAR};
    const struct cudaTextureDesc t = {0};
    assert_int_equal(cudaMalloc(&r.res.linear.devPtr, 64), 0);
    assert_int_equal(cudaMemset(r.res.linear.devPtr, 0x11, 64), 0);
    r.res.linear.desc = words;
    r.res.linear.sizeInBytes = 64;
    assert_int_equal(cudaCreateTextureObject(&handle, &r, &t, NULL), 0);
    return handle;
}

/* 0, or the error of a kernel that reads the texture. */
static int read_texture(uint64_t handle, uint32_t *value)
{
    CUmodule module;
    CUfunction f;
    void *out, *args[] = {&handle, &out};
    assert_int_equal(cuModuleLoadData(&module, ptx), 0);
    assert_int_equal(cuModuleGetFunction(&f, module, "k"), 0);
    assert_int_equal(cudaMalloc(&out, 64), 0);
    assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), 0);
    const int error = cudaDeviceSynchronize();
    if (!error)
        assert_int_equal(cuMemcpyDtoH_v2(value, (CUdeviceptr)(uintptr_t)out, 4), 0);
    return error;
}

static void a_texture_object_ends_with_a_reset(void **state)
{
    (void)state;
    uint32_t value = 0;
    const uint64_t old = make_texture();
    assert_int_equal(read_texture(old, &value), 0);
    assert_int_equal(value, 0x11111111);
    assert_int_equal(cudaDeviceReset(), 0);
    assert_int_equal(cudaDestroyTextureObject(old), CUDA_INVALID_VALUE);
    assert_int_not_equal(read_texture(old, &value), 0);
    assert_int_equal(cudaDeviceReset(), 0); /* of the fault */
    const uint64_t new = make_texture();
    assert_int_not_equal(old, new);
    assert_int_equal(read_texture(new, &value), 0);
    assert_int_not_equal(read_texture(old, &value), 0);
    assert_int_equal(cudaDeviceReset(), 0);
}

static void an_array_ends_with_a_reset(void **state)
{
    (void)state;
    struct array *old = NULL;
    uint32_t row[16] = {0}, found[16] = {0};
    void *p;
    memset(row, 0xff, sizeof row);
    assert_int_equal(cudaMallocArray(&old, &words, 16, 1, 0), 0);
    assert_int_equal(cudaMemcpy2DToArray(old, 0, 0, row, sizeof row, sizeof row, 1, 1), 0);
    assert_int_equal(cudaDeviceReset(), 0);
    assert_int_equal(cudaMalloc(&p, 4096), 0); /* where the array was */
    assert_int_equal(cudaMemset(p, 0, 4096), 0);
    assert_int_not_equal(cudaMemcpy2DToArray(old, 0, 0, row, sizeof row, sizeof row, 1, 1), 0);
    assert_int_not_equal(cudaFreeArray(old), 0);
    assert_int_equal(cuMemcpyDtoH_v2(found, (CUdeviceptr)(uintptr_t)p, sizeof found), 0);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(found[i], 0);
}

/* The errors are an H200's. */
static void a_stream_ends_with_a_reset(void **state)
{
    (void)state;
    cudaStream_t old, new;
    assert_int_equal(cudaStreamCreate(&old), 0);
    assert_int_equal(cudaDeviceReset(), 0);
    assert_int_equal(cudaStreamCreate(&new), 0);
    assert_ptr_not_equal(old, new);
    assert_int_equal(cudaStreamSynchronize(old), CUDA_INVALID_HANDLE);
    assert_int_equal(cudaStreamDestroy(old), CUDA_INVALID_HANDLE);
    assert_int_equal(cudaStreamSynchronize(NULL), 0);
    assert_int_equal(cudaStreamDestroy(new), 0);
}

static void an_event_ends_with_a_reset(void **state)
{
    (void)state;
    cudaEvent_t old, new;
    float ms;
    assert_int_equal(cudaEventCreate(&old), 0);
    assert_int_equal(cudaEventRecord(old, NULL), 0);
    assert_int_equal(cudaDeviceReset(), 0);
    assert_int_equal(cudaEventQuery(old), CUDA_CONTEXT_IS_DESTROYED);
    assert_int_equal(cudaEventSynchronize(old), CUDA_CONTEXT_IS_DESTROYED);
    assert_int_equal(cudaEventCreate(&new), 0);
    assert_int_equal(cudaEventRecord(new, NULL), 0);
    assert_int_equal(cudaEventRecord(old, NULL), CUDA_INVALID_CONTEXT);
    assert_int_equal(cudaEventElapsedTime(&ms, old, new), CUDA_INVALID_CONTEXT);
    assert_int_equal(cudaStreamWaitEvent(NULL, old, 0), CUDA_INVALID_CONTEXT);
    assert_int_equal(cudaEventDestroy(old), CUDA_INVALID_CONTEXT);
    assert_int_equal(cudaEventDestroy(new), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_texture_object_ends_with_a_reset),
        cmocka_unit_test(an_array_ends_with_a_reset),
        cmocka_unit_test(a_stream_ends_with_a_reset),
        cmocka_unit_test(an_event_ends_with_a_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
