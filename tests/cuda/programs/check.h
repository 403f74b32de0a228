/* What every program here shares: checks that name their place, and one line as the verdict. */
#pragma once
#include <cuda_runtime.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char *check_name;

[[noreturn]] static void check_fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    printf("FAIL %s: ", check_name);
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
    fflush(stdout);
    _Exit(1);
}

#define CUDA(call)                                                                \
    do {                                                                          \
        cudaError_t e_ = (call);                                                  \
        if (e_ != cudaSuccess)                                                    \
            check_fail("line %d: %s: %s", __LINE__, #call, cudaGetErrorName(e_)); \
    } while (0)

#define EXPECT(code, call)                                                               \
    do {                                                                                 \
        cudaError_t e_ = (call);                                                         \
        if (e_ != (code))                                                                \
            check_fail("line %d: %s: %s, not %s", __LINE__, #call, cudaGetErrorName(e_), \
                       cudaGetErrorName(code));                                          \
    } while (0)

#define CHECK(cond)                                     \
    do {                                                \
        if (!(cond))                                    \
            check_fail("line %d: %s", __LINE__, #cond); \
    } while (0)

#define CHECK_EQ(a, b)                                                         \
    do {                                                                       \
        long long a_ = (long long)(a), b_ = (long long)(b);                    \
        if (a_ != b_)                                                          \
            check_fail("line %d: %s is %lld, not %lld", __LINE__, #a, a_, b_); \
    } while (0)

static inline int check_pass()
{
    CUDA(cudaGetLastError());
    printf("PASS %s\n", check_name);
    return 0;
}
