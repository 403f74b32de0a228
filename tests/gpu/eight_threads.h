/* Kernels `k` of eight threads that touch a sector of the line at their only parameter. */
#ifndef TESTS_GPU_EIGHT_THREADS_H
#define TESTS_GPU_EIGHT_THREADS_H

#include "support_cases.h"

#define KERNEL(body)                                   \
    ".version 3.2\n.target sm_20\n.address_size 64\n"  \
    ".visible .entry k(.param .u64 in)\n{\n"           \
    ".reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n"            \
    "ld.param.u64 %rd1, [in];\nmov.u32 %r1, %tid.x;\n" \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n" body "ret;\n}\n"
#define LOAD  "ld.global.u32 %r2, [%rd2];\n"
#define OTHER "ld.global.u32 %r3, [%rd2+96];\n"
#define STORE "st.global.u32 [%rd2+4096], %r1;\n"

static inline struct gpu_case eight_threads(const char *ptx)
{
    return (struct gpu_case){.name = "eight threads",
                             .ptx = ptx,
                             .entry = "k",
                             .grid = {1, 1, 1},
                             .block = {8, 1, 1},
                             .npointers = 1};
}

#endif
