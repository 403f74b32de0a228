/* The kernels, as PTX, and how they are launched. */
#include "support_cases.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define REGS                                                                                  \
    ".reg .pred %p<10>; .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n"            \
    ".reg .f32 %f<20>; .reg .f64 %fd<20>;\n"                                                  \
    "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mov.u32 %r2,%ctaid.x; mov.u32 %r3,%ntid.x;\n" \
    "mad.lo.u32 %r4,%r2,%r3,%r1; mul.wide.u32 %rd2,%r4,4; add.u64 %rd3,%rd1,%rd2;\n"
/* %r1 thread, %r2 block, %r4 number, %rd3 its word */
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 p)\n{\n" REGS body "ret;\n}\n"

/* Everybody adds to one word and to one of 16, and keeps what was there. */
static const char atomics[] = KERNEL(
    "atom.global.add.u32 %r5,[%rd1+524288],1; and.b32 %r6,%r4,15; mul.wide.u32 %rd4,%r6,4;\n"
    "add.u64 %rd5,%rd1,%rd4; red.global.max.u32 [%rd5+524544],%r4;\n"
    "mul.wide.u32 %rd6,%r5,4; add.u64 %rd7,%rd1,%rd6; red.global.add.u32 [%rd7+600000],1;\n");

/* A tree in shared memory with barriers, then an atomic. */
static const char reduction[] =
    HEAD ".visible .entry k(.param .u64 p)\n{\n.shared .align 16 .b8 sh[1024];\n" REGS
         "ld.global.u32 %r5,[%rd3]; and.b32 %r5,%r5,1023; mov.u32 %r6,sh; shl.b32 %r7,%r1,2;\n"
         "add.u32 %r8,%r6,%r7; st.shared.u32 [%r8],%r5; mov.u32 %r9,128;\n"
         "LOOP: bar.sync 0; setp.ge.u32 %p1,%r1,%r9;\n@%p1 bra SKIP;\n"
         "shl.b32 %r10,%r9,2; add.u32 %r11,%r8,%r10; ld.shared.u32 %r12,[%r11];\n"
         "ld.shared.u32 %r13,[%r8]; add.u32 %r13,%r13,%r12; st.shared.u32 [%r8],%r13;\n"
         "SKIP: shr.u32 %r9,%r9,1; setp.ne.u32 %p2,%r9,0;\n@%p2 bra LOOP;\n"
         "setp.ne.u32 %p3,%r1,0;\n@%p3 bra END; ld.shared.u32 %r14,[sh];\n"
         "red.global.add.u32 [%rd1+524288],%r14; END: ret;\n}\n";

/* Lanes leave a loop at different times, and take different ways in it. */
static const char divergence[] =
    KERNEL("and.b32 %r5,%r1,31; mov.u32 %r6,0; mov.u32 %r7,0;\n"
           "LOOP: and.b32 %r8,%r6,1; setp.eq.u32 %p1,%r8,0;\n@%p1 bra EVEN;\n"
           "mad.lo.u32 %r7,%r7,3,%r5; bra.uni NEXT; EVEN: xor.b32 %r7,%r7,%r6; add.u32 %r7,%r7,7;\n"
           "NEXT: add.u32 %r6,%r6,1; setp.lt.u32 %p2,%r6,%r5;\n@%p2 bra LOOP;\n"
           "st.global.u32 [%rd3],%r7;\n");

/* An array in local memory, indexed by data. */
static const char local_memory[] =
    HEAD ".visible .entry k(.param .u64 p)\n{\n.local .align 16 .b8 mine[256];\n" REGS
         "mov.u64 %rd10,mine; mov.u32 %r5,0; ld.global.u32 %r6,[%rd3];\n"
         "FILL: mul.wide.u32 %rd11,%r5,4; add.u64 %rd12,%rd10,%rd11; mad.lo.u32 %r7,%r5,%r6,%r4;\n"
         "st.local.u32 [%rd12],%r7; add.u32 %r5,%r5,1; setp.lt.u32 %p1,%r5,64;\n@%p1 bra FILL;\n"
         "mov.u32 %r8,0; mov.u32 %r9,0;\n"
         "READ: add.u32 %r10,%r9,%r6; and.b32 %r10,%r10,63; mul.wide.u32 %rd13,%r10,4;\n"
         "add.u64 %rd14,%rd10,%rd13; ld.local.u32 %r11,[%rd14]; add.u32 %r8,%r8,%r11;\n"
         "add.u32 %r9,%r9,1; setp.lt.u32 %p2,%r9,16;\n@%p2 bra READ;\n"
         "st.global.u32 [%rd3+131072],%r8; ret;\n}\n";

/* A function that calls itself. */
static const char calls[] = HEAD
    ".func (.reg .u32 out) fib (.reg .u32 n)\n{\n.reg .pred %p; .reg .u32 %a,%b,%c;\n"
    "setp.lt.u32 %p,n,2;\n@%p bra SMALL; sub.u32 %a,n,1; call (%b), fib, (%a);\n"
    "sub.u32 %a,n,2; call (%c), fib, (%a); add.u32 out,%b,%c; ret; SMALL: mov.u32 out,n; ret;\n"
    "}\n.visible .entry k(.param .u64 p)\n{\n" REGS
    "and.b32 %r5,%r1,7; call (%r6), fib, (%r5); st.global.u32 [%rd3],%r6; ret;\n}\n";

/* Each warp gathers from all over and scatters words, bytes and vectors. */
static const char scatter[] = KERNEL(
    "ld.global.u32 %r5,[%rd3]; and.b32 %r6,%r5,16383; mul.wide.u32 %rd4,%r6,4;\n"
    "add.u64 %rd5,%rd1,%rd4; ld.global.u32 %r7,[%rd5]; ld.global.cg.u8 %r8,[%rd5+1];\n"
    "add.u32 %r9,%r7,%r8; mul.wide.u32 %rd6,%r4,148; add.u64 %rd7,%rd1,%rd6;\n"
    "st.global.u32 [%rd7+131072],%r9; mul.wide.u32 %rd8,%r4,16; add.u64 %rd9,%rd1,%rd8;\n"
    "st.global.v4.u32 [%rd9+655360],{%r5,%r6,%r7,%r8}; membar.gl; mul.wide.u32 %rd10,%r4,1;\n"
    "add.u64 %rd11,%rd1,%rd10; st.global.u8 [%rd11+917504],%r9;\n"
    "ld.global.u8 %r10,[%rd11+917504]; st.global.u32 [%rd7+131076],%r10;\n");

/* Doubles, divisions, special functions, shuffles and votes. */
static const char arithmetic[] = KERNEL(
    "cvt.rn.f64.u32 %fd1,%r4; add.f64 %fd2,%fd1,0d3FF8000000000000; div.rn.f64 %fd3,%fd2,"
    "%fd1;\nsqrt.rn.f64 %fd4,%fd2; fma.rn.f64 %fd5,%fd3,%fd4,%fd1; cvt.rn.f32.f64 %f1,%fd5;\n"
    "sin.approx.f32 %f2,%f1; ex2.approx.f32 %f3,%f2; div.rn.f32 %f4,%f3,%f1;\n"
    "rem.u32 %r5,%r4,7; shfl.sync.bfly.b32 %r6,%r5,3,31,-1; vote.sync.any.pred %p1,0,-1;\n"
    "min.s32 %r7,%r6,%r5; mov.b32 %r8,%f4; add.u32 %r9,%r8,%r7; st.global.u32 [%rd3],%r9;\n");

static const char textures[] =
    HEAD ".visible .entry k(.param .u64 p, .param .u64 t)\n{\n" REGS
         "ld.param.u64 %rd9,[t]; and.b32 %r5,%r4,63; shr.u32 %r6,%r4,6; cvt.rn.f32.u32 %f1,%r5;\n"
         "cvt.rn.f32.u32 %f2,%r6; tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6},[%rd9,{%f1,%f2}];\n"
         "st.global.f32 [%rd3+524288],%f3; ret;\n}\n";

/* Thread 0 of each block prints. */
static const char prints[] =
    HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
         ".global .align 1 .b8 fmt[8] = {98,37,100,10,0,0,0,0};\n"
         ".visible .entry k(.param .u64 p)\n{\n.local .align 8 .b8 d[8];\n" REGS
         "setp.ne.u32 %p1,%r1,0;\n@%p1 bra END; mov.u64 %rd4,d; cvta.local.u64 %rd5,%rd4;\n"
         "st.local.u32 [d],%r2; mov.u64 %rd6,fmt; cvta.global.u64 %rd7,%rd6;\n"
         "{ .param .b64 p0; .param .b64 p1; .param .b32 rv; st.param.b64 [p0],%rd7;\n"
         "st.param.b64 [p1],%rd5; call.uni (rv), vprintf, (p0, p1); ld.param.b32 %r5,[rv]; }\n"
         "END: st.global.u32 [%rd3],%r4; ret;\n}\n";

/* Each block's thread 0 launches a block of a child that adds to a counter. */
static const char children[] = HEAD
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 f, .param .align 4 "
    ".b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 a, .param .b64 s);\n"
    ".visible .entry child(.param .u64 q)\n{\n.reg .b64 %rd<3>; ld.param.u64 %rd1,[q];\n"
    "red.global.add.u32 [%rd1+524288],1; ret;\n}\n"
    ".visible .entry k(.param .u64 p)\n{\n" REGS "setp.ne.u32 %p1,%r1,0;\n@%p1 bra END;\n"
    "mov.u64 %rd8,child;\n"
    "{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;\n"
    ".param .b64 r; st.param.b64 [f],%rd8; st.param.b32 [g],2; st.param.b32 [g+4],1;\n"
    "st.param.b32 [g+8],1; st.param.b32 [b],64; st.param.b32 [b+4],1; st.param.b32 [b+8],1;\n"
    "st.param.b32 [s],0; call.uni (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);\n"
    "ld.param.b64 %rd9,[r]; }\nst.global.u64 [%rd9],%rd1;\n"
    "{ .param .b64 a; .param .b64 s; .param .b32 r; st.param.b64 [a],%rd9; st.param.b64 [s],0;\n"
    "call.uni (r), __cudaCDP2LaunchDeviceV2, (a, s); ld.param.b32 %r7,[r]; }\n"
    "END: ret;\n}\n";

/* Blocks that wait for each other: all must be resident, spinning on memory. */
static const char handshake[] =
    KERNEL("setp.ne.u32 %p1,%r1,0;\n@%p1 bra END; mov.u32 %r8,%nctaid.x;\n"
           "atom.global.add.u32 %r5,[%rd1+524288],1;\n"
           "SPIN: ld.volatile.global.u32 %r6,[%rd1+524288]; setp.lt.u32 %p2,%r6,%r8;\n"
           "@%p2 bra SPIN;\nEND: bar.sync 0; st.global.u32 [%rd3],%r4;\n");

/* Warps that end while others of their block wait; a block that is no multiple of a warp. */
static const char early_exits[] =
    KERNEL("setp.lt.u32 %p1,%r1,40;\n@%p1 ret; bar.sync 0; setp.gt.u32 %p2,%r1,60;\n"
           "@%p2 bra A; bar.arrive 1,96; bra.uni B; A: mov.u32 %r9,1;\n"
           "B: st.global.u32 [%rd3],%r4;\n");

/* Every fourth lane is a group; its lanes take different ways, go round together, and some leave.
 */
static const char groups[] =
    KERNEL("and.b32 %r5,%r1,3; mov.u32 %r6,0x11111111; shl.b32 %r6,%r6,%r5; and.b32 %r7,%r1,4;\n"
           "setp.ne.u32 %p1,%r7,0;\n@%p1 bra B; redux.sync.add.u32 %r8,%r4,%r6; bra.uni M;\n"
           "B: redux.sync.add.u32 %r8,%r1,%r6; xor.b32 %r8,%r8,%r7; M: mov.u32 %r9,0;\n"
           "LOOP: shr.u32 %r10,%r8,%r9; and.b32 %r10,%r10,1; match.any.sync.b32 %r11,%r10,%r6;\n"
           "add.u32 %r8,%r8,%r11; add.u32 %r9,%r9,1; setp.le.u32 %p2,%r9,%r5;\n@%p2 bra LOOP;\n"
           "setp.gt.u32 %p3,%r1,74;\n@%p3 ret; shfl.sync.bfly.b32 %r12,%r8,8,31,%r6;\n"
           "bar.warp.sync %r6; vote.sync.ballot.b32 %r13,%p1,%r6; add.u32 %r12,%r12,%r13;\n"
           "st.global.u32 [%rd3],%r12;\n");

static const char async_copies[] =
    HEAD ".visible .entry k(.param .u64 p)\n{\n.shared .align 16 .b8 sh[4096];\n" REGS
         "shl.b32 %r5,%r1,4; mov.u32 %r6,sh; add.u32 %r7,%r6,%r5; mul.wide.u32 %rd4,%r4,16;\n"
         "add.u64 %rd5,%rd1,%rd4; cp.async.cg.shared.global [%r7],[%rd5],16; "
         "cp.async.commit_group;\ncp.async.wait_group 0; bar.sync 0;\n"
         "xor.b32 %r8,%r5,16; add.u32 %r9,%r6,%r8; ld.shared.u32 %r10,[%r9];\n"
         "st.global.u32 [%rd3+524288],%r10; ret;\n}\n";

/* Rows of 8 KB, one after the other; it asks for rows itself, too, in the end for some behind the
 * buffer. */
static const char strides[] =
    KERNEL("mov.u32 %r5,0; mov.u32 %r6,0; mov.u64 %rd4,%rd3;\n"
           "LOOP: prefetch.global.L1 [%rd4+524288]; ld.global.u32 %r7,[%rd4];\n"
           "mad.lo.u32 %r6,%r6,5,%r7; add.u64 %rd4,%rd4,8192; add.u32 %r5,%r5,1;\n"
           "setp.lt.u32 %p1,%r5,60;\n@%p1 bra LOOP;\n"
           "prefetch.global.L1 [%rd4+16777216]; st.global.u32 [%rd3+524288],%r6;\n");

/* Few different inputs of a marked region (memoization, where a design has it). */
static const char memo[] =
    KERNEL("mov.u32 %r5,0; mov.f32 %f3,0f00000000; and.b32 %r9,%r1,3;\n"
           "LOOP: add.u32 %r6,%r5,%r9; and.b32 %r6,%r6,7; cvt.rn.f32.u32 %f1,%r6;\n"
           ".pragma \"memo begin IN=%f1,%r6 OUT=%f2\";\n"
           "lg2.approx.f32 %f4,%f1; ex2.approx.f32 %f2,%f4; sin.approx.f32 %f4,%f2;\n"
           "setp.gt.f32 %p1,%f1,0f40400000;\n@%p1 bra BIG; mul.f32 %f4,%f4,%f4;\n"
           "BIG: cos.approx.f32 %f2,%f4;\n"
           ".pragma \"memo end\";\n"
           "add.f32 %f3,%f3,%f2; add.u32 %r5,%r5,1; setp.lt.u32 %p2,%r5,40;\n@%p2 bra LOOP;\n"
           "st.global.f32 [%rd3],%f3;\n");

#define SHAPE(g, b) .grid = {g, 1, 1}, .block = {b, 1, 1}
#define OWN(text, g, b) \
    .name = #text, .ptx = text, .entry = "k", SHAPE(g, b), .npointers = 1, .pointer = {0}

/* With fewer registers than it needs. */
#define SPILLED(text, g, b)                                                           \
    .name = "spilled " #text, .ptx = text, .entry = "k", SHAPE(g, b), .npointers = 1, \
    .pointer = {0}, .registers = 4

const struct gpu_case gpu_cases[] = {
    {.name = "vecadd",
     .file = "vecadd",
     .entry = "vecadd",
     SHAPE(40, 256),
     .npointers = 3,
     .nnumbers = 1,
     .pointer = {0, 0x20000, 0x40000},
     .number = {10000},
     .registers = 12},
    {.name = "matmul",
     .file = "matmul",
     .entry = "matmul",
     .grid = {4, 4, 1},
     .block = {16, 16, 1},
     .npointers = 3,
     .nnumbers = 1,
     .pointer = {0, 0x20000, 0x40000},
     .number = {64},
     .registers = 35},
    {.name = "stencil",
     .file = "stencil",
     .entry = "stencil",
     .grid = {3, 12, 1},
     .block = {32, 8, 1},
     .npointers = 3,
     .nnumbers = 2,
     .pointer = {0, 0x20000, 0x40000},
     .number = {90, 90},
     .registers = 17},
    {.name = "sfu",
     .file = "sfu",
     .entry = "sfu",
     SHAPE(24, 256),
     .npointers = 2,
     .nnumbers = 2,
     .pointer = {0, 0x40000},
     .number = {6000, 4},
     .registers = 9},
    {OWN(atomics, 20, 128)},
    {OWN(reduction, 24, 256)},
    {OWN(divergence, 12, 128)},
    {OWN(local_memory, 20, 128)},
    {OWN(calls, 8, 96)},
    {OWN(scatter, 20, 128)},
    {OWN(arithmetic, 12, 128)},
    {OWN(textures, 16, 128), .has_texture = true},
    {OWN(prints, 20, 64)},
    {OWN(children, 10, 64)},
    {OWN(handshake, 20, 64), .is_cooperative = true},
    {OWN(groups, 6, 80)},
    {OWN(early_exits, 18, 100)},
    {OWN(async_copies, 16, 128)},
    {OWN(strides, 16, 128)},
    {OWN(memo, 16, 128)},
    {SPILLED(calls, 4, 96)},
    {SPILLED(atomics, 20, 128)},
};
const size_t ngpu_cases = ARRAY_LEN(gpu_cases);

/* --- running --- */

static char *case_text(const struct gpu_case *c, size_t *len)
{
    struct err err;
    if (c->ptx) {
        *len = strlen(c->ptx);
        return xstrdup(c->ptx);
    }
    char *path = xasprintf("%s/data/gtx480/%s.ptx", getenv("PARSIM_TESTS"), c->file);
    char *text = file_read(path, len, &err);
    if (!text)
        fail_msg("%s", err.msg);
    free(path);
    return text;
}

static bool run_timed(void *self, const struct launch *l, struct launch_result *result,
                      struct err *err)
{
    return gpu_run(self, l, result, err);
}

/* Small numbers, and floats in [1, 2) where they are read as such. */
static void fill(uint32_t *words)
{
    uint32_t x = 12345;
    for (size_t i = 0; i < CASE_BYTES / 4; i++) {
        x = x * 1664525 + 1013904223;
        words[i] = i * 4 < 0x80000 ? 0x3f800000 | x >> 9 : 0;
    }
}

const struct gpu_case *case_named(const char *name)
{
    for (size_t i = 0; i < ngpu_cases; i++)
        if (!strcmp(gpu_cases[i].name, name))
            return &gpu_cases[i];
    fail_msg("no case %s", name);
    return NULL;
}

void case_fill(struct case_run *r)
{
    uint32_t *words = devmem_ptr(r->buf->base), x = 1;
    for (size_t i = 0; i < CASE_BYTES / 4; i++) {
        x = x * 1664525 + 1013904223;
        words[i] = i / 32 % 8 == 7 ? 0x3f800000 | x >> 9 : 0x3f800000 + (uint32_t)(i & 31);
        if (i * 4 >= 0x80000)
            words[i] = 0;
    }
    gpu_copied(r->gpu, r->buf->base, CASE_BYTES);
}

void case_open(struct case_run *r, const struct gpu_case *c, const char *machine,
               const char *const *sets, size_t nsets, unsigned threads)
{
    struct err err;
    memset(r, 0, sizeof *r);
    r->c = c;
    if (!(r->m = machine_new(machine, sets, nsets, &err)) || !(r->dev = machine_device(r->m, &err)))
        fail_msg("%s", err.msg);
    r->dev->out = open_memstream(&r->printed, &r->printed_len);
    size_t len;
    char *text = case_text(c, &len);
    struct ptx_module *mod = ptx_parse(c->name, text, len, &err);
    if (!mod || !(r->prog = program_load(r->dev, &mod, 1, &err)))
        fail_msg("%s: %s", c->name, err.msg);
    free(text);
    r->buf = devmem_alloc(r->dev->mem, CASE_BYTES, 0, MEM_DEVICE, NULL);
    fill(devmem_ptr(r->buf->base));
    if (threads)
        case_start(r, threads);
}

void case_start(struct case_run *r, unsigned threads)
{
    struct err err;
    r->gpu = gpu_new(r->m, r->dev, threads, &err);
    if (!r->gpu)
        fail_msg("%s", err.msg);
    r->dev->regs.fixed = r->c->registers;
    r->runner = (struct grid_runner){run_timed, r->gpu};
}

static uint64_t texture_of(struct case_run *r)
{
    const struct tex_object o = {.is_used = true,
                                 .shape = TEX_2D,
                                 .format = TEX_FLOAT,
                                 .channel_bits = 32,
                                 .channels = 1,
                                 .address = {TEX_CLAMP, TEX_CLAMP, TEX_CLAMP},
                                 .data = r->buf->base,
                                 .pitch_bytes = 256,
                                 .width = 64,
                                 .height = 64,
                                 .depth = 1,
                                 .levels = 1};
    return tex_table_add(&r->dev->textures, &o);
}

bool case_launch(struct case_run *r, struct err *err)
{
    const struct gpu_case *c = r->c;
    struct kernel *k = program_kernel(r->prog, c->entry, err);
    if (!k)
        return false;
    uint64_t params[CASE_PARAMS] = {0};
    size_t at = 0;
    for (uint32_t i = 0; i < c->npointers; i++)
        params[at++] = r->buf->base + c->pointer[i];
    if (c->has_texture)
        params[at++] = texture_of(r);
    for (uint32_t i = 0; i < c->nnumbers; i++)
        memcpy((char *)&params[at] + (size_t)i * 4, &c->number[i], 4);
    struct launch l = {.kernel = k,
                       .dynamic_shared_bytes = c->shared,
                       .params = params,
                       .is_cooperative = c->is_cooperative,
                       .runner = r->gpu ? &r->runner : NULL};
    memcpy(l.grid, c->grid, sizeof l.grid);
    memcpy(l.block, c->block, sizeof l.block);
    bool ok = r->gpu ? gpu_run(r->gpu, &l, &r->result, err) : grid_run(r->dev, &l, &r->result, err);
    fflush(r->dev->out);
    return ok;
}

void case_run(struct case_run *r)
{
    struct err err;
    if (!case_launch(r, &err))
        fail_msg("%s: %s", r->c->name, err.msg);
}

void case_close(struct case_run *r)
{
    gpu_free(r->gpu);
    program_unload(r->prog);
    fclose(r->dev->out);
    device_free(r->dev);
    machine_free(r->m);
    free(r->printed);
}
