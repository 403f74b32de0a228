/* An instruction whose operands are not what it asks for is refused when its kernel is lowered,
 * with line, column, operand and what would be right; what ptxas takes is lowered. */
#include "exec/fixture.h"

#include "base/vec.h"

#define HEAD                                                                          \
    ".version 8.3\n.target sm_90\n.address_size 64\n"                                 \
    ".global .align 16 .b32 gv[64]; .const .b32 cv; .shared .align 16 .b32 sv[64];\n" \
    ".global .texref tv; .global .surfref uv;\n"                                      \
    ".func (.reg .b32 o) fr(.reg .b32 i) { mov.b32 o, i; ret; }\n"                    \
    ".func (.param .b64 o) fp(.param .b64 i) { ret; }\n"
#define REGISTERS                                                                            \
    "{ .reg .pred p<4>; .reg .b8 c<4>; .reg .b16 h<8>; .reg .u16 u<4>; .reg .f16 x<4>;\n"    \
    ".reg .b32 r<12>; .reg .s32 s<4>; .reg .f32 f<12>; .reg .f16x2 y<4>; .reg .b64 d<12>;\n" \
    ".reg .f64 g<12>; .reg .b128 q<4>; .local .align 16 .b32 lv[16]; .param .b64 pa, pb;\n"  \
    ".param .b32 pc; T: .branchtargets L;\n"                                                 \
    "C: .callprototype (.param .b64 _) _ (.param .b64 _);\nL: "
/* The line that REGISTERS leaves off in, and the column. */
#define PLACE "test.ptx:14:4: "

/* One kernel a body. */
static char *kernel_text(const char *body)
{
    return xasprintf(HEAD ".visible .entry k(.param .u64 kp)\n" REGISTERS "%s\n ret; }\n", body);
}

static bool lowers(const char *body, struct err *err)
{
    char *text = kernel_text(body);
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), err);
    bool ok = m != NULL;
    if (m) {
        struct device *dev = device_new(UINT64_C(1) << 30, err);
        struct program *prog = program_load(dev, &m, 1, err);
        assert_non_null(prog);
        ok = program_kernel(prog, "k", err) != NULL;
        program_unload(prog);
        device_free(dev);
    }
    free(text);
    return ok;
}

struct bad_line {
    const char *line, *why;
};

static void expect_refused(const struct bad_line *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct err err = {0};
        if (lowers(lines[i].line, &err))
            fail_msg("lowered: %s", lines[i].line);
        if (strncmp(err.msg, PLACE, sizeof PLACE - 1) || !strstr(err.msg, lines[i].why))
            fail_msg("%s\n  says   %s\n  wanted %s", lines[i].line, err.msg, lines[i].why);
    }
}

static void widths_and_classes(void **state)
{
    (void)state;
    static const struct bad_line lines[] = {
        {"mov.u64 q1, d1;", "operand 1 is a .b128 register, .u64 needs a 64-bit integer register"},
        {"mov.u64 q1, gv;", "operand 1 is a .b128 register"},
        {"mov.u64 q1, 7;", "operand 1 is a .b128 register"},
        {"mov.u64 p1, gv;", "operand 1 is a .pred register"},
        {"mov.u64 p1, 1;", "operand 1 is a .pred register"},
        {"mov.u32 p1, %tid.x;", "operand 1 is a .pred register"},
        {"mov.u64 p1, lv;", "operand 1 is a .pred register"},
        {"mov.u64 p1, %clock64;", "operand 1 is a .pred register"},
        {"mov.pred p1, r1;",
         "operand 2 is a .b32 register, a predicate (.pred register) is needed"},
        {"mov.f32 s1, f1;", "operand 1 is a .s32 register, .f32 needs a .f32 or .b32 register"},
        {"mov.u32 r1, %clock64;", "operand 2 is the special register %clock64"},
        {"mov.b32 r1, L;", "operand 2 is a label"},
        {"mov.b64 d1, {r1,h1};", "operand 2 is a .b16 register, .b32 needs a 32-bit register"},
        {"mov.b64 {r1,p1}, d1;", "operand 1 is a .pred register"},
        {"mov.b32 r1, {h1,h2,h3};", "operand 2 is a vector of 3"},
        {"mov.b16 h1, {h2,h3,h4,h5};", "operand 2 is a vector of 4"},
        {"cvta.global.u64 p1, d1;", "operand 1 is a .pred register"},
        {"cvta.to.shared.u64 d1, r1;", "operand 2 is a .b32 register"},
        {"setp.ge.s32 d2, r1, r2;", "operand 1 is a .b64 register, a predicate"},
        {"setp.ge.s32 p1|r1, r1, r2;", "operand 1 is a .b32 register, a predicate"},
        {"setp.ge.and.s32 p1, r1, r2, r3;", "operand 4 is a .b32 register, a predicate"},
        {"set.lt.u32.f32 r1, f1, g1;", "operand 3 is a .f64 register, .f32 needs"},
        {"selp.b32 r1, r2, r3, r4;", "operand 4 is a .b32 register, a predicate"},
        {"slct.b32.f32 r1, r2, r3, s1;", "operand 4 is a .s32 register, .f32 needs"},
        {"add.s32 r1, r2, h1;", "operand 3 is a .b16 register, .s32 needs a 32-bit integer"},
        {"add.s32 r1, r2, d1;", "operand 3 is a .b64 register"},
        {"add.s32 r1, r2, f1;", "operand 3 is a .f32 register"},
        {"add.s32 r1, r2, %tid.x;", "operand 3 is the special register %tid.x"},
        {"add.s32 r1, r2, gv;", "operand 3 is the .global variable gv"},
        {"add.s32 r1, r2, 0f3F800000;", "operand 3 is a floating-point number"},
        {"add.s32 r1, r2, -r3;", "operand 3 is a negated .b32 register"},
        {"add.f32 f1, f2, 3;", "operand 3 is a whole number"},
        {"add.u16x2 r1, s1, r2;", "operand 2 is a .s32 register"},
        {"mul.wide.s32 r1, r2, r3;", "operand 1 is a .b32 register, .u64 needs a 64-bit"},
        {"mad.wide.u16 r1, h1, h2, d1;", "operand 4 is a .b64 register"},
        {"madc.lo.cc.u32 r1, r2, r3, p1;", "operand 4 is a .pred register"},
        {"shl.b64 d1, d2, d3;", "operand 3 is a .b64 register, .u32 needs a 32-bit integer"},
        {"bfe.u64 d1, d2, d3, r1;", "operand 3 is a .b64 register"},
        {"popc.b64 d1, d2;", "operand 1 is a .b64 register"},
        {"lop3.b32 r1, r2, r3, r4, r5;", "operand 5 is a .b32 register, a whole number is needed"},
        {"lop3.or.b32 r1|p1, r2, r3, r4, 1, r5;", "operand 6 is a .b32 register, a predicate"},
        {"prmt.b32 r1, r2, r3, d1;", "operand 4 is a .b64 register"},
        {"dp4a.u32.u32 d1, r2, r3, r4;", "operand 1 is a .b64 register"},
        {"vadd.u32.u32.u32.add r1, r2, r3;", "there is no such form with 3 operands"},
        {"vadd4.u32.u32.u32 r1, d2, r3, r4;", "operand 2 is a .b64 register"},
        {"min.s32 r1, r2, r3, r4;", "there is no such form with 4 operands"},
        {"cvt.u64.u32 r1, r2;", "operand 1 is a .b32 register, .u64 needs a 64-bit or wider"},
        {"cvt.u32.u64 r1, r2;", "operand 2 is a .b32 register"},
        {"cvt.rn.f32.s32 g1, r1;", "operand 1 is a .f64 register, .f32 needs"},
        {"cvt.rn.bf16.f32 r1, f1;", "operand 1 is a .b32 register"},
        {"cvt.rn.f16x2.f32 r1, f1;", "there is no such form with 2 operands"},
        {"isspacep.global p1, h1;", "operand 2 is a .b16 register"},
        {"alloca.u64 r1, 8;", "operand 1 is a .b32 register"},
    };
    expect_refused(lines, ARRAY_LEN(lines));
}

static void memory_operands(void **state)
{
    (void)state;
    static const struct bad_line lines[] = {
        {"ld.param.u64 {d1,d2,d3}, [kp];", "operand 1 is a vector of 3, one register is needed"},
        {"st.local.u64 [lv+-8], {d1,d2};", "operand 2 is a vector of 2, one register is needed"},
        {"ld.global.v4.b32 {r1,r2}, [d1];", "operand 1 is a vector of 2, a vector of 4 is needed"},
        {"ld.global.v2.b32 r1, [d1];", "operand 1 is a .b32 register, a vector of 2 is needed"},
        {"st.global.v2.b32 [d1], {r1,r2,r3,r4};", "operand 2 is a vector of 4"},
        {"st.global.v2.b32 [d1], {r1,_};", "operand 2 is _"},
        {"ld.global.v2.u32 {r1,d1}, [d2];", "operand 1 is a .b64 register, .b32 needs a 32-bit"},
        {"ld.global.v8.b64 {d1,d2,d3,d4,d5,d6,d7,d8}, [d1];", "8 x .b64 is more than 256 bits"},
        {"ld.global.b128 r1, [d1];",
         "operand 1 is a .b32 register, .b128 needs a 128-bit register"},
        {"ld.global.pred p1, [d1];", "a .pred is not a value in memory"},
        {"ld.global.b1 r1, [d1];", "a .b1 is not a value in memory"},
        {"ld.global.f32 s1, [d1];", "operand 1 is a .s32 register"},
        {"st.global.u32 [d1], f1;", "operand 2 is a .f32 register"},
        {"ld.global.b32 r1, [p1];", "the address in operand 2 is a .pred register"},
        {"ld.global.b32 r1, [g1];", "the address in operand 2 is a .f64 register"},
        {"ld.global.b32 r1, [q1];", "the address in operand 2 is a .b128 register"},
        {"ld.global.b32 r1, d1;", "operand 2 is a .b64 register, an address [a] is needed"},
        {"ld.global.b32 r1, [sv];", "sv is a .shared variable, the instruction wants .global"},
        {"ld.shared.b32 r1, [kp];", "kp is a .param variable, the instruction wants .shared"},
        {"ld.b32 r1, [cv];", "cv is a .const variable, the instruction wants .generic"},
        {"ld.global.b32 r1, [tv];", "tv is an opaque .texref, not memory"},
        {"atom.global.exch.b128 h1, [d1], h2;", "operand 1 is a .b16 register, .b128 needs"},
        {"atom.global.exch.b128 q1, [d1], h2;", "operand 3 is a .b16 register"},
        {"atom.global.cas.b128 q1, [d1], q2, d3;", "operand 4 is a .b64 register"},
        {"atom.global.add.u32 d1, [d2], r1;", "operand 1 is a .b64 register"},
        {"atom.global.add.u32 r1, [d2], d1;", "operand 3 is a .b64 register"},
        {"atom.global.cas.b32 r1, [d1], r2;", "there is no such form with 3 operands"},
        {"atom.global.v2.f32.add {f1,f2}, [d1], {f1};", "operand 3 is a vector of 1"},
        {"red.global.add.f64 [d1], d2, r1;", "operand 3 is a .b32 register"},
        {"red.global.add.u64 [d1], r1;", "operand 2 is a .b32 register"},
        {"cp.async.ca.shared.global [r1], [d1], r2;", "operand 3 is a .b32 register"},
        {"cp.async.ca.shared.global [r1], [d1], 4, d2;", "operand 4 is a .b64 register"},
        {"cp.async.ca.shared.global [gv], [d1], 4;", "the instruction wants .shared"},
        {"mbarrier.init.shared.b64 [sv], d1;", "operand 2 is a .b64 register"},
        {"mbarrier.arrive.shared.b64 r1, [sv];", "operand 1 is a .b32 register"},
        {"mbarrier.test_wait.shared.b64 r1, [sv], d1;",
         "operand 1 is a .b32 register, a predicate"},
        {"mbarrier.try_wait.parity.shared.b64 p1, [sv], d1;", "operand 3 is a .b64 register"},
        {"prefetch.global.L1 [f1];", "the address in operand 1 is a .f32 register"},
    };
    expect_refused(lines, ARRAY_LEN(lines));
}

static void textures_and_surfaces(void **state)
{
    (void)state;
    static const struct bad_line lines[] = {
        {"suld.b.2d.v4.b32.trap {r1}, [d1,{r1,r2}];", "operand 1 is a vector of 1"},
        {"suld.b.2d.v4.b32.trap r1, [d1,{r1,r2}];", "operand 1 is a .b32 register, a vector of 4"},
        {"sust.b.2d.v4.b32.trap [d1,{r1,r2}], {r1};", "operand 2 is a vector of 1"},
        {"sust.p.2d.v2.b32.trap [d1,{r1,r2}], r1;", "operand 2 is a .b32 register, a vector of 2"},
        {"suld.b.2d.b64.trap r1, [d1,{r1,r2}];", "operand 1 is a .b32 register, .b64 needs"},
        {"sured.b.add.2d.u64.trap [d1,{r1,r2}], r1;", "operand 2 is a .b32 register"},
        {"suld.b.2d.b32.trap r1, [d1,{r1,d2}];", "operand 2 is a .b64 register"},
        {"suld.b.2d.b32.trap r1, [r1,{r1,r2}];", "operand 2 is a .b32 register, .u64 needs"},
        {"suld.b.2d.b32.trap r1, [gv,{r1,r2}];", "operand 2 is the .global variable gv"},
        {"tex.2d.v4.f32.f32 {f1,f2}, [d1,{f1,f2}];", "operand 1 is a vector of 2"},
        {"tex.2d.v4.f32.f32 {f1,f2,f3,g4}, [d1,{f1,f2}];", "operand 1 is a .f64 register"},
        {"tex.2d.v4.f32.f32 {f1,f2,f3,p1}, [d1,{f1,f2}];", "operand 1 is a .pred register"},
        {"tex.2d.v4.f32.f32 {f1,f2,f3,f4}, [d1,{s1,s2}];", "operand 2 is a .s32 register"},
        {"tex.2d.v4.f32.f32 {f1,f2,f3,f4}, [h1,{f1,f2}];", "operand 2 is a .b16 register"},
        {"tex.2d.v4.f32.f32 {f1,f2,f3,f4}, [d1];", "[handle, {coordinates}] is needed"},
        {"tex.grad.2d.v4.f32.f32 {f1,f2,f3,f4}, [d1,{f1,f2}], {f1}, {f1};",
         "operand 3 is a vector of 1, a vector of 2 is needed"},
        {"tex.level.2d.v4.f32.f32 {f1,f2,f3,f4}, [d1,{f1,f2}], g1;", "operand 3 is a .f64"},
        {"tex.level.2d.v4.f32.f32 {f1,f2,f3,f4}, [d1,{f1,f2}];", "there is no such form"},
        {"txq.width.b32 d1, [d2];", "operand 1 is a .b64 register"},
        {"txq.width.b32 r1, [r2];", "operand 2 is a .b32 register"},
        {"istypep.texref r1, d1;", "operand 1 is a .b32 register, a predicate"},
    };
    expect_refused(lines, ARRAY_LEN(lines));
}

static void warps_matrices_and_calls(void **state)
{
    (void)state;
    static const struct bad_line lines[] = {
        {"shfl.sync.idx.b32 d1, r1, 0, 31, -1;", "operand 1 is a .b64 register"},
        {"shfl.sync.idx.b32 r1|r2, r1, 0, 31, -1;", "operand 1 is a .b32 register, a predicate"},
        {"shfl.sync.idx.b32 r1, d1, 0, 31, -1;", "operand 2 is a .b64 register"},
        {"vote.sync.all.pred r1, p1, -1;", "operand 1 is a .b32 register, a predicate"},
        {"vote.sync.ballot.b32 r1, r2, -1;", "operand 2 is a .b32 register, a predicate"},
        {"match.any.sync.b64 r1, r2, -1;", "operand 2 is a .b32 register"},
        {"redux.sync.add.u32 d1, r2, -1;", "operand 1 is a .b64 register"},
        {"activemask.b32 d1;", "operand 1 is a .b64 register"},
        {"elect.sync h1|p1, -1;", "operand 1 is a .b16 register"},
        {"bar.sync d1;", "operand 1 is a .b64 register"},
        {"bar.red.popc.u32 p1, 0, p2;", "operand 1 is a .pred register"},
        {"bar.red.and.pred p1, 0, r1;", "operand 3 is a .b32 register, a predicate"},
        {"bar.warp.sync d1;", "operand 1 is a .b64 register"},
        {"nanosleep.u32 d1;", "operand 1 is a .b64 register"},
        {"brx.idx d1, T;", "operand 1 is a .b64 register"},
        {"brx.idx r1, L;", "operand 2 is a label, a list of branch targets is needed"},
        {"add.b32 r1, r2, r3;", "it has no type .b32, but .u16 .s16 .f16"},
        {"clz.f16x2 r1, r2;", "it has no type .f16x2, but .b32 .b64"},
        {"bfi.s32 r1, r2, r3, r4, r5;", "it has no type .s32, but .b32 .b64"},
        {"neg.u32 r1, r2;", "it has no type .u32, but"},
        {"and.u32 r1, r2, r3;", "it has no type .u32, but .pred .b16 .b32 .b64"},
        {"add.v2.u32 r1, r2, r3;", "it has no .v2"},
        {"fma.rn.v4.f32 f1, f2, f3, f4;", "it has no .v4"},
        {"add.cc.f32 f1, f2, f3;", "only integers have .cc"},
        {"ld.global.u32 r1, [h1];", "the address in operand 2 is a .b16 register"},
        {"prefetch.global.L1 [h1];", "the address in operand 1 is a .b16 register"},
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r1}, [h1];", "operand 2 is a .b16 register"},
        {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [h1], {r1};", "operand 1 is a .b16 register"},
        {"wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {f1,f2,f3,f4,f5,f6,f7,f1}, [h1];",
         "operand 2 is a .b16 register"},
        {"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [h1], {f1,f2,f3,f4,f5,f6,f7,f1};",
         "operand 1 is a .b16 register"},
        {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r1,r2}, [r3];", "a vector of 4 is needed"},
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {d1}, [r3];", "operand 1 is a .b64 register"},
        {"stmatrix.sync.aligned.m8n8.x2.shared.b16 [r3], {r1,h1};", "operand 2 is a .b16"},
        {"movmatrix.sync.aligned.m8n8.trans.b16 r1, d1;", "operand 2 is a .b64 register"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {f1,f2,f3,f4}, {r1,r2,r3,d4}, "
         "{r1,r2}, {f1,f2,f3,f4};",
         "operand 2 is a .b64 register"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {f1,f2,f3,p1}, {r1,r2,r3,r4}, "
         "{r1,r2}, {f1,f2,f3,f4};",
         "operand 1 is a .pred register"},
        {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {g1,g2}, {g3}, {r1}, {g1,g2};",
         "operand 3 is a .b32 register"},
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {h1,h2,h3,h4,h5,h6,h7,h1}, [d1];",
         "operand 1 is a .b16 register"},
        {"call (r1), fr, (d1);", "argument 1 is a .b64 register, that of the function a .b32"},
        {"call (p1), fr, (r1);", "result 1 is a .pred register"},
        {"call (r1), fr, (r1, r2);", "2 arguments, the function has 1"},
        {"call fr, (r1);", "0 results, the function has 1"},
        {"call (r1), fr, (gv);", "argument 1 is the .global variable gv"},
        {"call (pa), fp, (pc);", "argument 1 has 4 bytes, that of the function 8"},
        {"call (pa), g1, (pb), C;", "is a .f64 register, the address of a function is needed"},
        {"call (pa), d1, (pb);", "a call by address needs a prototype"},
        {"call (pa), d1, (r1), C;", "argument 1 is a .b32 register"},
    };
    expect_refused(lines, ARRAY_LEN(lines));
}

/* What PTX allows beyond equal types. */
static void legal_forms_are_lowered(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "ld.global.u8 r1, [d1];",
        "ld.global.s8 d2, [d1];",
        "ld.global.u16 q1, [d1];",
        "ld.global.b8 c1, [d1];",
        "ld.global.b8 g1, [d1];",
        "ld.global.b32 f1, [d1];",
        "ld.global.b32 {r1}, [d1];",
        "ld.global.v2.b32 {r1,f1}, [d1];",
        "ld.global.v4.f32 {f1,_,r1,f2}, [d1];",
        "ld.global.v2.u8 {h1,h2}, [d1];",
        "ld.global.v2.u16 {d2,d3}, [d1];",
        "ld.shared.u32 r1, [r2+4];",
        "ld.global.u32 r1, [gv+4];",
        "ld.u32 r1, [sv];",
        "ld.const.u32 r1, [cv];",
        "ld.local.u32 r1, [lv+8];",
        "ld.global.b128 q1, [d1];",
        "st.global.u8 [d1], r1;",
        "st.global.b16 [d1], f1;",
        "st.global.u32 [d1], 7;",
        "st.global.f32 [d1], 1.5;",
        "st.global.b32 [d1], 0f3F800000;",
        "st.global.v2.b32 [d1], {r1,7};",
        "st.global.v4.u8 [d1], {h1,h2,h3,h4};",
        "atom.global.add.u32 _, [d1], 1;",
        "atom.global.cas.b16 h1, [d1], h2, x1;",
        "atom.global.exch.b128 q1, [d1], q2;",
        "atom.global.v2.f32.add _, [d1], {f1,f2};",
        "atom.global.add.noftz.f16x2 y1, [d1], r1;",
        "red.global.add.f64 [d1], g1;",
        "cvt.u32.u8 d1, h1;",
        "cvt.u8.u32 h1, r1;",
        "cvt.s16.s8 r1, d1;",
        "cvt.u32.u16 r1, %tid.x;",
        "cvt.rn.f32.u16 f1, r1;",
        "cvt.rzi.s8.f32 d1, r1;",
        "cvt.rn.f16x2.f32 y1, f1, f2;",
        "mov.u16 u1, %tid.x;",
        "mov.u32 r1, %gridid;",
        "add.u64 d1, d2, WARP_SZ;",
        "mov.b64 d1, {r1,f1};",
        "mov.b64 {h1,x1,u1,_}, d1;",
        "mov.b32 r1, {c1,c2,c3,c0};",
        "mov.b128 q1, {d1,g1};",
        "mov.b128 {d1,d2}, q1;",
        "mov.b32 r1, f1;",
        "mov.f32 r1, 0f3F800000;",
        "mov.pred p1, !p2;",
        "mov.pred p1, 1;",
        "mov.pred p1, WARP_SZ;",
        "mov.u64 d1, gv+8;",
        "mov.u32 r1, sv;",
        "mov.u64 d1, fp;",
        "mov.b64 d1, 1.5;",
        "add.s32 y1, r1, s1;",
        "and.b32 f1, f2, r1;",
        "selp.f32 r1, f1, 1.5, !p1;",
        "add.f32 r1, r2, f1;",
        "add.f16 x1, h1, h2;",
        "fma.rn.f64 d1, g1, d2, 1.0;",
        "setp.eq.s32 _|p1, r1, s1;",
        "setp.lt.and.f32 p1|p2, f1, r1, !p3;",
        "lop3.b32 _, r1, f1, 7, 0xE8;",
        "shl.b64 d1, g1, s1;",
        "mul.wide.u16 r1, h1, u1;",
        "slct.b16.f32 x1, h1, u1, f1;",
        "vmad.s32.s32.s32 r1, r2.b0, -s1, r3;",
        "shfl.sync.idx.b32 f1|p1, f2, 0, 31, -1;",
        "vote.sync.any.pred p1, !p2, -1;",
        "bar.red.popc.u32 r1, 0, !p1;",
        "bar.sync 1, 64;",
        "brx.idx s1, T;",
        "tex.2d.v4.u32.f32 {r1,_,r3,r4}, [d1,{f1,r2}];",
        "tex.a1d.v4.f32.f32 {f1,f2,f3,f4}, "
        "[d1,{r1,f1}];",
        "tex.1d.v4.f32.s32 {f1,f2,f3,f4}, [tv,{s1}];",
        "tex.grad.3d.v4.f32.f32 {f1,f2,f3,f4}, [d1,{f1,f2,f3,f4}], {f1,f2,f3,f4}, {f1,f2,f3,f4};",
        "suld.b.2d.b8.trap r1, [uv,{r1,7}];",
        "sust.b.1d.v2.b32.clamp [d1,{s1}], {r1,f1};",
        "sured.b.add.1d.u32.trap [d1,{s1}], d2;",
        "suld.b.2d.v2.b64.zero {d1,g1}, [d1,{r1,r2}];",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {g1,d2}, {d3}, {g1}, {g1,g2};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f1,r2,f3,f4}, {r1,f2}, {y1}, "
        "{f1,f2,f3,f4};",
        "call (r1), fr, (7);",
        "call (_), fr, (f1);",
        "call (pa), fp, (pb);",
        "call (d1), fp, (g1);",
        "call (pa), d1, (pb), C;",
    };
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct err err = {0};
        if (!lowers(lines[i], &err))
            fail_msg("%s: %s", lines[i], err.msg);
    }
}

/* Well typed, and of a width that nobody runs. */
static void widths_that_are_not_run(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"suld.b.2d.b128.trap q1, [d1,{r1,r2}];", "a surface access of this width"},
        {"sust.b.2d.b128.trap [d1,{r1,r2}], q1;", "a surface access of this width"},
        {"sured.b.add.2d.b128.trap [d1,{r1,r2}], q1;", "a surface access of this width"},
        {"atom.global.add.b128 q1, [d1], q2;", "PTX does not have for this type"},
        {"atom.global.inc.u64 d1, [d2], d3;", "PTX does not have for this type"},
        {"atom.global.and.f32 f1, [d2], f3;", "PTX does not have for this type"},
        {"atom.global.min.f32 f1, [d2], f3;", "PTX does not have for this type"},
        {"atom.global.cas.u16 h1, [d2], h3, h4;", "PTX does not have for this type"},
        {"red.global.exch.b16 [d2], h3;", "PTX does not have for this type"},
        {"atom.local.add.u32 r1, [d2], r3;", "an atomic operation in this state space"},
        {"atom.const.add.u32 r1, [d2], r3;", "an atomic operation in this state space"},
        {"red.param.add.u32 [d2], r3;", "an atomic operation in this state space"},
        {"st.const.u32 [d2], r3;", "a write to constant memory"},
        {"mov.b128 q1, gv;", "an address in a register of this width"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f1}, {r1,f2}, {r1}, {f1,f2,f3,f4};",
         "the wrong number of registers"},
        {"cvt.rs.f16x2.f32 r1, f1, f2, r2;", "is not supported"},
    };
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct err err = {0};
        assert_false(lowers(lines[i][0], &err));
        if (!strstr(err.msg, lines[i][1]) || !strstr(err.msg, "is not supported"))
            fail_msg("%s: %s", lines[i][0], err.msg);
    }
}

static void every_operand_is_checked_in_device_functions_too(void **state)
{
    (void)state;
    struct err err = {0};
    const char *text = PTX_HEAD ".func f() { .reg .b64 d; .reg .b32 r;\n  mov.u64 r, d;\n ret; }\n"
                                ".visible .entry k(.param .u64 p) { call f; ret; }\n";
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &err);
    struct device *dev = device_new(UINT64_C(1) << 30, &err);
    struct program *prog = program_load(dev, &m, 1, &err);
    assert_null(program_kernel(prog, "k", &err));
    assert_string_equal(err.msg, "test.ptx:5:3: mov.u64: operand 1 is a .b32 register, .u64 needs "
                                 "a 64-bit integer register (in f)");
    program_unload(prog);
    device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_and_classes),
        cmocka_unit_test(memory_operands),
        cmocka_unit_test(textures_and_surfaces),
        cmocka_unit_test(warps_matrices_and_calls),
        cmocka_unit_test(legal_forms_are_lowered),
        cmocka_unit_test(widths_that_are_not_run),
        cmocka_unit_test(every_operand_is_checked_in_device_functions_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
