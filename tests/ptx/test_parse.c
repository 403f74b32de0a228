/* What the parser makes of each construct. */
#include "ptx/support_parse.h"

static void types_and_modifiers_keep_their_order(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_body_text("cvt.rn.f32.s32 %f1, %r1;\n"
                        "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;\n"
                        "@!%p1 ld.global.nc.v4.f32 {%f1,%f2,%f3,_}, [%rd1+-16];\n"
                        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                        "{%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},{%r5,%r6},"
                        "{%f5,%f6,%f7,%f8};");
    const struct ptx_inst *i = first_func(m)->insts;
    assert_int_equal(i[0].op, PTX_OP_CVT);
    assert_int_equal(i[0].ntypes, 2);
    assert_int_equal(i[0].types[0], PTX_F32);
    assert_int_equal(i[0].types[1], PTX_S32);
    assert_int_equal(i[0].mods[0], PTX_M_RN);
    assert_int_equal(i[0].guard, PTX_NO_REG);
    assert_int_equal(i[1].mods[0], PTX_M_LT);
    assert_int_equal(i[1].mods[1], PTX_M_AND);
    assert_int_equal(i[1].ops[0].kind, PTX_OPND_PAIR);
    assert_true(i[1].ops[3].neg);
    assert_true(i[2].guard_neg);
    assert_int_equal(ptx_inst_vec(&i[2]), 4);
    assert_int_equal(ptx_inst_space(&i[2]), PTX_SPACE_GLOBAL);
    assert_int_equal(i[2].ops[0].elems[3].kind, PTX_OPND_SINK);
    assert_int_equal(i[2].ops[1].imm, -16);
    assert_int_equal(i[2].ops[1].elems[0].kind, PTX_OPND_REG);
    assert_int_equal(i[3].ops[3].nelems, 4);
    assert_int_equal(i[3].types[1], PTX_TF32);
    assert_int_equal(ptx_inst_unit(&i[3]), PTX_UNIT_TENSOR);
    assert_int_equal(i[2].line, 9);
    assert_int_equal(i[2].col, 1);
    char buf[64];
    assert_string_equal(ptx_inst_text(&i[2], buf, sizeof buf), "ld.global.nc.v4.f32");
    assert_string_equal(ptx_reg_text(first_func(m), i[2].ops[1].elems[0].reg, buf, sizeof buf),
                        "%rd1");
    ptx_module_free(m);
}

static int64_t imm_of(const char *literal, bool *is_float, bool *is_f32)
{
    char *body = xasprintf("mov.b64 %%rd1, %s;", literal);
    struct ptx_module *m = parse_body_text(body);
    const struct ptx_operand *o = &first_func(m)->insts[0].ops[1];
    assert_int_equal(o->kind, PTX_OPND_IMM);
    int64_t v = o->imm;
    *is_float = o->is_float;
    *is_f32 = o->is_f32;
    ptx_module_free(m);
    free(body);
    return v;
}

static int64_t double_bits(double d)
{
    int64_t v;
    memcpy(&v, &d, sizeof v);
    return v;
}

static void literals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } ints[] = {
        {"0", 0},
        {"17", 17},
        {"-2073254261", -2073254261},
        {"0x7fU", 127},
        {"0XFFFFFFFFFFFFFFFF", -1},
        {"18446744073709551615", -1},
        {"-9223372036854775808", INT64_MIN},
        {"017", 15},
        {"0b1011U", 11},
        {"(1 << 4) | 3", 19},
        {"7 - 2 - 1", 4},
        {"2 + 3 * 4", 14},
        {"7 %4", 3},
        {"-7 / 2", -3},
        {"-1 >> 1", -1},
        {"0xFFFFFFFFFFFFFFFFU >> 60", 15},
        {"!5 + ~0", -1},
        {"1 ? 2 : 3", 2},
        {"3 < 2 ? 10 : 4 == 4 ? 20 : 30", 20},
        {"(.u64) -1 > 0 && 0 || 1", 1},
        {"(.s64) 3.9", 3},
        {"0x8000000000000000U / -1", 0},
        {"-9223372036854775807-1", INT64_MIN},
        {"(-9223372036854775807 - 1) / -1", INT64_MIN},
    };
    bool f, f32;
    for (size_t i = 0; i < ARRAY_LEN(ints); i++) {
        assert_int_equal(imm_of(ints[i].text, &f, &f32), ints[i].value);
        assert_false(f);
    }
    assert_int_equal(imm_of("0f3F800000", &f, &f32), 0x3f800000);
    assert_true(f && f32);
    assert_int_equal(imm_of("-0f7FC00001", &f, &f32), 0xffc00001); /* a NaN keeps its bits */
    assert_int_equal(imm_of("0d400921FB54442D18", &f, &f32), 0x400921FB54442D18);
    assert_true(f && !f32);
    assert_int_equal(imm_of("1.5", &f, &f32), double_bits(1.5));
    assert_int_equal(imm_of("-2.5e-3", &f, &f32), double_bits(-2.5e-3));
    assert_int_equal(imm_of("1.0 / 4", &f, &f32), double_bits(0.25));
}

static void addresses(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body_text("ld.global.u32 %r1, [%rd1];\n"
                                           "ld.global.u32 %r1, [%rd1-4];\n"
                                           "ld.global.u32 %r1, [gl+8];\n"
                                           "ld.shared.u32 %r1, [16];\n"
                                           "ld.param.u64 %rd1, pa;\n"
                                           "ld.global.u32 %r1, gl[3];\n"
                                           "mov.u64 %rd1, gl+12;\n"
                                           "mov.u64 %rd1, gl[2];\n"
                                           "st.shared.u32 [sh+(2*4)], 7;\n"
                                           "st.param.u64 pa, %rd1;\n"
                                           "ld.global.u32 %r1, [gl+%r2];");
    const struct ptx_inst *i = first_func(m)->insts;
    static const struct {
        uint8_t base;
        int64_t imm;
    } expect[] = {{PTX_OPND_REG, 0}, {PTX_OPND_REG, -4}, {PTX_OPND_VAR, 8},
                  {PTX_OPND_IMM, 0}, {PTX_OPND_VAR, 0},  {PTX_OPND_VAR, 12}};
    for (size_t k = 0; k < ARRAY_LEN(expect); k++) {
        assert_false(i[k].bad);
        assert_int_equal(i[k].ops[1].kind, PTX_OPND_ADDR);
        assert_int_equal(i[k].ops[1].nelems, 1);
        assert_int_equal(i[k].ops[1].elems[0].kind, expect[k].base);
        assert_int_equal(i[k].ops[1].imm, expect[k].imm);
    }
    assert_int_equal(i[3].ops[1].elems[0].imm, 16);
    assert_int_equal(i[6].ops[1].kind, PTX_OPND_VAR);
    assert_int_equal(i[6].ops[1].imm, 12);
    assert_int_equal(i[7].ops[1].kind, PTX_OPND_VAR);
    assert_int_equal(i[7].ops[1].imm, 8);
    assert_int_equal(i[8].ops[0].imm, 8);
    assert_int_equal(i[9].ops[0].kind, PTX_OPND_ADDR);
    assert_true(i[10].bad); /* a register as an offset: kept, not understood */
    ptx_module_free(m);
}

static void textures(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text(
        PTX_HEAD
        ".global .texref t;\n.global .samplerref s = { addr_mode_0 = wrap };\n"
        ".tex .u32 old;\n.entry k() { .reg .f32 %f<9>; .reg .b32 %r<9>; .reg .pred %p<2>;"
        ".reg .b64 %rd<2>;\n"
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5,%f6}];\n"
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, s, {%f5,%f6}];\n"
        "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [old, {%r1}];\n"
        "tex.level.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [%rd1, {%f5,%f6}], %f7, {%r1,%r2};\n"
        "sust.b.2d.v4.b8.trap [%rd1, {%r1,%r2}], {%r1,%r2,%r3,%r4}; }");
    const struct ptx_inst *i = first_func(m)->insts;
    for (unsigned k = 0; k < 5; k++)
        assert_false(i[k].bad);
    assert_int_equal(i[0].ops[1].nelems, 2);
    assert_int_equal(i[0].ops[1].elems[0].var->type, PTX_TEXREF);
    assert_int_equal(i[0].ops[1].elems[1].kind, PTX_OPND_VEC);
    assert_int_equal(i[1].ops[1].nelems, 3);
    assert_int_equal(i[1].ops[1].elems[1].var->type, PTX_SAMPLERREF);
    assert_int_equal(i[2].ops[1].elems[0].var->type, PTX_TEXREF);
    assert_int_equal(i[3].ops[0].kind, PTX_OPND_PAIR);
    assert_int_equal(i[3].nops, 4);
    assert_int_equal(ptx_inst_ndst(&i[4]), 0);
    ptx_module_free(m);
}

static void scopes_shadow_and_labels_are_local(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body_text("mov.u32 %r1, 1;\n" /* pc 0 */
                                           "bra L;\n"
                                           "{ .reg .f64 %r<3>; .reg .b32 x; bra L;\n"
                                           "mov.f64 %r1, 0d0000000000000000;\n"
                                           "L: mov.u32 x, 5; bra OUT; }\n"
                                           "{ .reg .b64 x; mov.u64 x, 5; { bra L; } }\n"
                                           "L: ret;\nOUT: exit;");
    const struct ptx_func *f = first_func(m);
    const struct ptx_inst *i = f->insts;
    assert_int_equal(i[1].ops[0].pc, 8);
    assert_int_equal(i[2].ops[0].pc, 4); /* the inner L, though it comes later */
    assert_int_equal(f->regs[i[3].ops[0].reg].type, PTX_F64);
    assert_int_equal(f->regs[i[0].ops[0].reg].type, PTX_B32);
    assert_int_equal(f->regs[i[4].ops[0].reg].type, PTX_B32);
    assert_int_equal(i[5].ops[0].pc, 9);
    assert_int_equal(f->regs[i[6].ops[0].reg].type, PTX_B64);
    assert_int_equal(i[7].ops[0].pc, 8);
    ptx_module_free(m);
}

static void register_names_with_digits(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text(PTX_HEAD ".entry k { .reg .b32 %a<3>, %a1<4>, b7, %a15;\n"
                                               "mov.u32 %a2, %a13; mov.u32 b7, %a15; }");
    const struct ptx_func *f = first_func(m);
    char buf[32];
    assert_int_equal(f->insts[0].ops[1].reg, 3 + 3); /* %a1<4> follows %a<3> */
    assert_string_equal(ptx_reg_text(f, f->insts[0].ops[1].reg, buf, sizeof buf), "%a13");
    assert_string_equal(ptx_reg_text(f, f->insts[1].ops[0].reg, buf, sizeof buf), "b7");
    assert_string_equal(ptx_reg_text(f, f->insts[1].ops[1].reg, buf, sizeof buf), "%a15");
    assert_int_equal(f->nparams, 0);
    ptx_module_free(m);
}

static void special_registers(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body_text("mov.u32 %r1, %tid.x; mov.u32 %r1, %envreg12;\n"
                                           "mov.u64 %rd1, %pm3_64; mov.u32 %r1, WARP_SZ;\n"
                                           "mov.v4.u32 {%r1,%r2,%r3,%r4}, %ctaid;\n"
                                           "mov.u32 %r1, %lanemask_lt; mov.u64 %rd1, %clock64;");
    const struct ptx_inst *i = first_func(m)->insts;
    assert_int_equal(i[0].ops[1].sreg, PTX_SREG_TID_X);
    assert_int_equal(i[1].ops[1].sreg, PTX_SREG_ENVREG);
    assert_int_equal(i[1].ops[1].reg, 12);
    assert_int_equal(i[2].ops[1].sreg, PTX_SREG_PM64);
    assert_int_equal(i[2].ops[1].reg, 3);
    assert_int_equal(i[3].ops[1].sreg, PTX_SREG_WARP_SZ);
    assert_int_equal(i[4].ops[1].elems[2].sreg, PTX_SREG_CTAID_Z);
    assert_int_equal(i[5].ops[1].sreg, PTX_SREG_LANEMASK_LT);
    assert_int_equal(i[6].ops[1].sreg, PTX_SREG_CLOCK64);
    ptx_module_free(m);
}

static void old_vector_registers(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text(
        ".version 1.4\n.target sm_10, map_f64_to_f32\n"
        ".entry k (.param .u32 __cudaparm_x) { .reg .v4 .f32 %v<2>; .reg .v2 .u32 w; .reg .u32 a;\n"
        "ld.param.u32 a, [__cudaparm_x]; ld.global.v4.f32 %v1, [a];\n"
        "mov.f32 %v0.x, %v1.w; mov.f32 %v0.g, %v1.b; mov.u32 w.y, a;\n"
        "vadd.u32.u32.u32 a, w.x, a.b2; }");
    const struct ptx_func *f = first_func(m);
    const struct ptx_inst *i = f->insts;
    char buf[32];
    assert_int_equal(m->version_major, 1);
    assert_int_equal(m->address_bytes, 4);
    assert_int_equal(f->nregs, 8 + 2 + 1);
    assert_int_equal(i[1].ops[0].kind, PTX_OPND_VEC);
    assert_int_equal(i[1].ops[0].nelems, 4);
    assert_string_equal(ptx_reg_text(f, i[2].ops[0].reg, buf, sizeof buf), "%v0.x");
    assert_string_equal(ptx_reg_text(f, i[2].ops[1].reg, buf, sizeof buf), "%v1.w");
    assert_string_equal(ptx_reg_text(f, i[3].ops[0].reg, buf, sizeof buf), "%v0.y");
    assert_string_equal(ptx_reg_text(f, i[4].ops[0].reg, buf, sizeof buf), "w.y");
    assert_int_equal(i[5].ops[2].selector, PTX_M_B2);
    ptx_module_free(m);
}

static void unknown_instructions_are_kept(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text(
        PTX_HEAD ".section .debug_str { $L: .b8 1, 2\n.b32 L+4 }\n"
                 ".visible .entry k(.param .u64 .ptr .global .align 16 a) .maxntid 128, 2\n"
                 ".minnctapersm 3 .maxnreg 40 .explicitcluster .reqnctapercluster 2, 1, 1\n"
                 ".abi_preserve 4 .pragma \"nounroll\";\n{ .reg .b32 %r<4>; .reg .pred p;\n"
                 ".loc 1 2 3, function_name $L__s0, inlined_at 1 4 5\n"
                 "@p wgmma.mma_async.sync {%r1, %nosuch}, 5 ;\nadd.newmod.s32 %r1, 1, 2;\n"
                 "add.s32 %r1, %r2;\nmov.u32 5, %r1;\nret; }");
    const struct ptx_func *f = first_func(m);
    assert_int_equal(f->ninsts, 5);
    assert_int_equal(f->insts[0].op, PTX_OP_UNKNOWN);
    assert_string_equal(f->insts[0].text, "wgmma.mma_async.sync");
    assert_int_equal(f->insts[1].op, PTX_OP_ADD);
    for (unsigned i = 0; i < 4; i++)
        assert_true(f->insts[i].bad);
    assert_int_equal(f->maxntid[0], 128);
    assert_int_equal(f->maxntid[1], 2);
    assert_int_equal(f->maxntid[2], 1);
    assert_int_equal(f->minnctapersm, 3);
    assert_int_equal(f->maxnreg, 40);
    assert_int_equal(f->params[0]->align, 8); /* .align belongs to what the pointer points to */
    ptx_module_free(m);
}

static void odd_white_space_is_fine(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_text("// c\r\n.version 9.0 .target sm_90a,debug .address_size 64 /* x\n*/ .entry "
                   "k(){.reg .b32 a;L:mov.u32 a,1;bra L;}");
    assert_string_equal(m->target, "sm_90a");
    assert_int_equal(first_func(m)->ninsts, 2);
    ptx_module_free(m);
    static const char text[] = ".version 1.4\n.target sm_10\n";
    m = ptx_parse("x", text, sizeof text, NULL); /* with the NUL */
    assert_non_null(m);
    ptx_module_free(m);
}

static void a_body_that_runs_off_its_end_returns(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body_text("@%p1 bra END; mov.u32 %r1, 1; END:");
    const struct ptx_func *f = first_func(m);
    assert_int_equal(f->ninsts, 3);
    assert_int_equal(f->insts[2].op, PTX_OP_RET);
    assert_int_equal(f->insts[0].ops[0].pc, 2);
    ptx_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_and_modifiers_keep_their_order),
        cmocka_unit_test(literals),
        cmocka_unit_test(addresses),
        cmocka_unit_test(textures),
        cmocka_unit_test(scopes_shadow_and_labels_are_local),
        cmocka_unit_test(register_names_with_digits),
        cmocka_unit_test(special_registers),
        cmocka_unit_test(old_vector_registers),
        cmocka_unit_test(unknown_instructions_are_kept),
        cmocka_unit_test(odd_white_space_is_fine),
        cmocka_unit_test(a_body_that_runs_off_its_end_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
