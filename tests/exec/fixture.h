/* A device with one PTX module from text, for tests: one kernel `k` with a pointer parameter. */
#ifndef TESTS_EXEC_FIXTURE_H
#define TESTS_EXEC_FIXTURE_H

#include "exec/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PTX_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* A kernel whose registers suffice for small bodies; %rd1 holds the pointer, %r1 the thread. */
#define PTX_KERNEL(body) PTX_HEAD PTX_KERNEL_BODY(body)
#define PTX_KERNEL_BODY(body)                                                      \
    ".visible .entry k(.param .u64 p)\n{\n"                                        \
    ".reg .pred %p<10>; .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n" \
    ".reg .f32 %f<20>; .reg .f64 %fd<20>;\n"                                       \
    "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x;\n" body "ret;\n}\n"

struct fixture {
    struct device *dev;
    struct program *prog;
    struct mem_alloc *buf;
    uint32_t *words; /* the buffer */
    struct launch_result result;
    struct err err;
    uint64_t max_inst;
    bool is_cooperative;
};

static inline void fixture_open(struct fixture *f, const char *ptx, size_t bytes)
{
    memset(f, 0, sizeof *f);
    f->dev = device_new(UINT64_C(1) << 30, &f->err);
    assert_non_null(f->dev);
    struct ptx_module *m = ptx_parse("test.ptx", ptx, strlen(ptx), &f->err);
    if (!m)
        fail_msg("%s", f->err.msg);
    f->prog = program_load(f->dev, &m, 1, &f->err);
    if (!f->prog)
        fail_msg("%s", f->err.msg);
    f->buf = devmem_alloc(f->dev->mem, bytes, 0, MEM_DEVICE, NULL);
    f->words = devmem_ptr(f->buf->base);
    memset(f->words, 0, bytes);
}

static inline void fixture_close(struct fixture *f)
{
    program_unload(f->prog);
    device_free(f->dev);
}

static inline bool fixture_launch(struct fixture *f, uint32_t grid, uint32_t block, uint32_t shared)
{
    struct kernel *k = program_kernel(f->prog, "k", &f->err);
    if (!k)
        return false;
    uint64_t params[4] = {f->buf->base};
    struct launch l = {.kernel = k,
                       .grid = {grid, 1, 1},
                       .block = {block, 1, 1},
                       .dynamic_shared_bytes = shared,
                       .params = params,
                       .is_cooperative = f->is_cooperative,
                       .max_inst = f->max_inst ? f->max_inst : 10000000};
    return grid_run(f->dev, &l, &f->result, &f->err);
}

static inline void fixture_run(struct fixture *f, uint32_t grid, uint32_t block, uint32_t shared)
{
    if (!fixture_launch(f, grid, block, shared))
        fail_msg("%s", f->err.msg);
}

/* The launch fails with CUDA's `code`, and the message contains every one of the given pieces. */
static inline void fixture_expect_fault(struct fixture *f, uint32_t block, int code,
                                        const char *const *pieces)
{
    assert_false(fixture_launch(f, 1, block, 0));
    for (; *pieces; pieces++)
        if (!strstr(f->err.msg, *pieces))
            fail_msg("'%s' is not in: %s", *pieces, f->err.msg);
    assert_int_equal(f->err.code, code);
}

#endif
