/* What single instructions cost functionally: nanoseconds of CPU time a warp instruction, a loop of
 * each form minus the empty loop. The forms are those that programs were slow with. */
#include "exec/device.h"
#include "exec/grid.h"
#include "exec/texture.h"
#include "gpu/machine.h"
#include "support_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 20000, COPIES = 8, SIDE = 64, WORDS = 1 << 16 };

/* %rd1: 256 KB of memory, %rd2: %rd1 + 4 * lane, %rd3: a place in it by lane, %rd4 and %rd5:
 * textures (point, linear), %f1 and %f2: coordinates, %r1..%r9: numbers. */
static const struct {
    const char *name, *text;
} forms[] = {
    {"add.u32", "add.u32 %r2,%r3,%r4;"},
    {"shf.l.wrap.b32", "shf.l.wrap.b32 %r2,%r3,%r4,7;"},
    {"mov.b64 {a, b}", "mov.b64 %rd6,{%r2,%r3};"},
    {"shfl.sync.bfly", "shfl.sync.bfly.b32 %r2,%r3,1,31,-1;"},
    {"shfl.sync.idx, by register", "shfl.sync.idx.b32 %r2,%r3,%r1,31,-1;"},
    {"vote.sync.ballot", "vote.sync.ballot.b32 %r2,%q,-1;"},
    {"match.any.sync, alike", "match.any.sync.b32 %r2,%r3,-1;"},
    {"add.rz.f64", "add.rz.f64 %rd9,%rd7,%rd9;"},
    {"fma.rz.f32", "fma.rz.f32 %f3,%f1,%f2,%f3;"},
    {"ld.global, neighbours", "ld.global.u32 %r2,[%rd2];"},
    {"ld.global, one word", "ld.global.u32 %r2,[%rd1];"},
    {"ld.global, scattered", "ld.global.u32 %r2,[%rd3];"},
    {"ld.global, some lanes", "@%p ld.global.u32 %r2,[%rd2];"},
    {"ld.global, scattered, used", "ld.global.u32 %r2,[%rd3]; add.u32 %r2,%r2,%r4;"},
    {"ld.global.u8, neighbours", "ld.global.u8 %r2,[%rd8];"},
    {"ld.global.v4, neighbours", "ld.global.v4.u32 {%r2,%r3,%r4,%r5},[%rd9];"},
    {"ld.shared, neighbours", "ld.shared.u32 %r2,[%r11];"},
    {"ld.shared, scattered", "ld.shared.u32 %r2,[%r12];"},
    {"st.shared, neighbours", "st.shared.u32 [%r11],%r2;"},
    {"st.global, neighbours", "st.global.u32 [%rd2],%r2;"},
    {"st.global, some lanes", "@%p st.global.u32 [%rd2],%r2;"},
    {"st.global, scattered", "st.global.u32 [%rd3],%r2;"},
    {"st.global.v4, neighbours", "st.global.v4.u32 [%rd9],{%r2,%r3,%r4,%r5};"},
    {"red.global, scattered", "red.global.add.u32 [%rd3],%r2;"},
    {"atom.shared, one word", "atom.shared.add.u32 %r2,[tile],%r3;"},
    {"ld.local, by lane", "ld.local.u32 %r2,[%rd10];"},
    {"ld.local.u8, one place", "ld.local.u8 %r2,[buf+5];"},
    {"st.local.u8, by lane", "st.local.u8 [%rd7],%r2;"},
    {"tex.2d, point", "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6},[%rd4,{%f1,%f2}];"},
    {"tex.2d, linear", "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6},[%rd5,{%f1,%f2}];"},
    {"mma.m16n8k16, f16",
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f3,%f4,%f5,%f6},{%r2,%r3,%r4,%r5},"
     "{%r6,%r7},{%f3,%f4,%f5,%f6};"},
    {"mma.m16n8k32, s8",
     "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r6,%r7,%r8,%r9},{%r2,%r3,%r4,%r5},"
     "{%r2,%r3},{%r6,%r7,%r8,%r9};"},
};

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 p, .param .u64 t, .param .u64 u) {\n"
    ".reg .pred %q,%p;\n.reg .b32 %r<14>;\n.reg .b64 %rd<12>;\n.reg .f32 %f<8>;\n"
    ".local .align 8 .b8 buf[256];\n.shared .align 16 .b8 tile[4096];\n"
    "ld.param.u64 %rd1,[p];\nld.param.u64 %rd4,[t];\nld.param.u64 %rd5,[u];\n"
    "mov.u32 %r1,%tid.x;\nmul.wide.u32 %rd2,%r1,4;\nadd.s64 %rd2,%rd1,%rd2;\n"
    "mul.lo.u32 %r2,%r1,40503;\nand.b32 %r2,%r2,16383;\nmul.wide.u32 %rd3,%r2,4;\n"
    "add.s64 %rd3,%rd1,%rd3;\nmov.u64 %rd7,buf;\ncvt.u64.u32 %rd8,%r1;\nadd.s64 %rd7,%rd7,%rd8;\n"
    "cvt.rn.f32.u32 %f1,%r1;\nadd.f32 %f2,%f1,0f3E99999A;\nmov.f32 %f3,0f00000000;\n"
    "mov.f32 %f4,%f3;\nmov.f32 %f5,%f3;\nmov.f32 %f6,%f3;\n"
    "mov.u32 %r3,0x3c003800;\nmov.u32 %r4,%r3;\nmov.u32 %r5,%r3;\nmov.u32 %r6,%r3;\nmov.u32 "
    "%r7,%r3;\n"
    "mul.wide.u32 %rd9,%r1,16;\nadd.s64 %rd9,%rd1,%rd9;\ncvt.u64.u32 %rd8,%r1;\n"
    "shl.b64 %rd10,%rd8,2;\nadd.s64 %rd10,%rd10,%rd7;\nsub.s64 %rd10,%rd10,%rd8;\n"
    "and.b64 %rd10,%rd10,-4;\nadd.s64 %rd8,%rd1,%rd8;\nmov.u32 %r12,tile;\n"
    "shl.b32 %r11,%r1,2;\nadd.u32 %r11,%r11,%r12;\nmul.lo.u32 %r13,%r1,40503;\n"
    "and.b32 %r13,%r13,1020;\nadd.u32 %r12,%r12,%r13;\nsetp.ne.u32 %p,%r1,7;\n"
    "mov.u32 %r8,0;\nmov.u32 %r9,0;\nmov.u32 %r10,0;\nL:\n";

static void die(const struct err *err)
{
    fprintf(stderr, "bench_forms: %s\n", err->msg);
    exit(1);
}

static uint64_t texture(struct device *d, addr_t data, enum tex_filter filter)
{
    return tex_table_add(&d->textures, &(struct tex_object){.shape = TEX_2D,
                                                            .format = TEX_FLOAT,
                                                            .channel_bits = 32,
                                                            .channels = 1,
                                                            .filter = (uint8_t)filter,
                                                            .address = {TEX_CLAMP, TEX_CLAMP},
                                                            .data = data,
                                                            .pitch_bytes = 4 * SIDE,
                                                            .width = SIDE,
                                                            .height = SIDE,
                                                            .levels = 1});
}

static char *kernel_text(const char *form)
{
    char *body = xasprintf("%s", "");
    for (int i = 0; i < COPIES; i++) {
        char *longer = xasprintf("%s%s\n", body, form);
        free(body);
        body = longer;
    }
    char *text = xasprintf("%s%sadd.u32 %%r10,%%r10,1;\nsetp.lt.u32 %%q,%%r10,%d;\n@%%q bra L;\n"
                           "st.global.u32 [%%rd2],%%r2;\nret;\n}\n",
                           head, body, ROUNDS);
    free(body);
    return text;
}

static double run(const char *form)
{
    struct err err;
    char *text = kernel_text(form);
    struct ptx_module *m = ptx_parse("form", text, strlen(text), &err);
    struct device *d = m ? machine_default_device(&err) : NULL;
    struct program *p = d ? program_load(d, &m, 1, &err) : NULL;
    struct kernel *k = p ? program_kernel(p, "k", &err) : NULL;
    if (!k)
        die(&err);
    const addr_t data = devmem_alloc(d->mem, 4 * WORDS, 0, MEM_DEVICE, NULL)->base;
    memset(devmem_ptr(data), 0, 4 * WORDS);
    uint64_t params[3] = {data, texture(d, data, TEX_POINT), texture(d, data, TEX_LINEAR)};
    struct launch l = {.kernel = k, .params = params, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    double best;
    struct launch_result r;
    if (!bench_best(d, &l, 3, &best, &r, &err))
        die(&err);
    program_unload(p);
    device_free(d);
    free(text);
    return best;
}

/* bench_forms [PART]: only forms with PART in their names. */
int main(int argc, char **argv)
{
    const double empty = run("");
    printf("%-26s %8s\n", "instruction", "ns");
    for (size_t i = 0; i < ARRAY_LEN(forms); i++)
        if (argc < 2 || strstr(forms[i].name, argv[1]))
            printf("%-26s %8.1f\n", forms[i].name,
                   (run(forms[i].text) - empty) / ((double)ROUNDS * COPIES) * 1e9);
    return 0;
}
