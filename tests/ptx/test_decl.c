/* Variables, initialisers, functions, calls, symbols. */
#include "ptx/support_parse.h"

static void initialisers(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_text(PTX_HEAD ".global .u32 a[2][3] = {{1, 2}, {4, 5, 6}};\n"
                            ".global .u16 b[] = {1, -1, 0x7fff};\n"
                            ".const .f32 c[3] = {0f3F800000, 2.5, 3};\n"
                            ".global .v4 .f32 d = {1.0, 2.0, 3.0, 4.0};\n"
                            ".global .f64 e = 0d3FF0000000000000;\n"
                            ".global .b32 f = 0f40490FDB;\n"
                            ".global .b8 g[8] = {1, 2, 1 << 3};\n"
                            ".global .v2 .s32 h[] = {{1, 2}, {3, 4}, 5};\n"
                            ".extern .shared .align 16 .b8 dyn[];\n"
                            ".global .attribute(.managed) .align 4 .u32 mg = (1 ? 7 : 8), mg2;\n"
                            ".const[3] .u8 bank;\n");
    const uint32_t *a = (const uint32_t *)ptx_find_var(m, "a")->init;
    static const uint32_t expect_a[] = {1, 2, 0, 4, 5, 6};
    assert_memory_equal(a, expect_a, sizeof expect_a);
    const struct ptx_var *b = ptx_find_var(m, "b");
    assert_int_equal(b->bytes, 6);
    assert_int_equal(((const uint16_t *)b->init)[1], 0xffff);
    const float *c = (const float *)ptx_find_var(m, "c")->init;
    assert_true(c[0] == 1 && c[1] == 2.5f && c[2] == 3);
    const struct ptx_var *d = ptx_find_var(m, "d");
    assert_int_equal(d->vec, 4);
    assert_int_equal(d->align, 16);
    assert_true(((const float *)d->init)[3] == 4);
    assert_true(*(const double *)ptx_find_var(m, "e")->init == 1);
    assert_int_equal(*(const uint32_t *)ptx_find_var(m, "f")->init, 0x40490fdb);
    assert_int_equal(ptx_find_var(m, "g")->init[2], 8);
    const struct ptx_var *h = ptx_find_var(m, "h");
    assert_int_equal(h->bytes, 24);
    assert_int_equal(((const int32_t *)h->init)[4], 5);
    assert_true(ptx_find_var(m, "dyn")->is_unsized);
    assert_true(ptx_find_var(m, "mg")->is_managed);
    assert_int_equal(*ptx_find_var(m, "mg")->init, 7);
    assert_null(ptx_find_var(m, "mg2")->init);
    assert_int_equal(ptx_find_var(m, "bank")->space, PTX_SPACE_CONST);
    ptx_module_free(m);
}

static void addresses_in_initialisers(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_text(PTX_HEAD ".global .u64 p[4] = {x, x+4, generic(x)+8, f};\n"
                            ".global .b8 q[16] = {0xFF(x), 0xFF00(generic(x+2)), 3, "
                            "0xFF00000000000000(x)};\n"
                            ".global .u32 x[9];\n.func f;\n.func f { ret; }\n");
    const struct ptx_var *x = ptx_find_var(m, "x"), *p = ptx_find_var(m, "p");
    assert_int_equal(p->nrelocs, 4);
    assert_ptr_equal(p->relocs[0].var, x);
    assert_int_equal(p->relocs[1].offset, 8);
    assert_int_equal(p->relocs[1].addend, 4);
    assert_true(p->relocs[2].generic);
    assert_int_equal(p->relocs[2].addend, 8);
    assert_int_equal(p->relocs[0].bytes, 8);
    assert_ptr_equal(p->relocs[3].func, ptx_find_func(m, "f"));
    assert_false(p->relocs[3].func->is_decl);
    const struct ptx_var *q = ptx_find_var(m, "q");
    assert_int_equal(q->nrelocs, 3);
    assert_int_equal(q->relocs[1].shift, 8);
    assert_int_equal(q->relocs[1].addend, 2);
    assert_true(q->relocs[1].generic);
    assert_int_equal(q->relocs[2].shift, 56);
    assert_int_equal(q->relocs[2].offset, 3);
    assert_int_equal(q->relocs[2].bytes, 1);
    ptx_module_free(m);
}

static void parameter_blocks(void **state)
{
    (void)state;
    struct ptx_module *m =
        parse_text(PTX_HEAD ".entry k(.param .u8 a, .param .u64 b, .param .u16 c,"
                            ".param .align 16 .b8 d[20], .param .v2 .f32 e)\n"
                            "{ ret; }");
    const struct ptx_func *f = first_func(m);
    static const uint64_t offsets[] = {0, 8, 16, 32, 56};
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(f->params[i]->offset, offsets[i]);
    assert_int_equal(f->param_bytes, 64);
    ptx_module_free(m);
}

static void calls(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text(
        PTX_HEAD
        ".func (.reg .u32 %rv) old (.reg .u32 %a, .reg .f64 %b) { mov.u32 %rv, %a; ret; }\n"
        ".extern .func (.param .b32 r) later (.param .b64 x) .noreturn;\n"
        ".entry k() { .reg .u32 %r<4>; .reg .u64 %rd<4>; .reg .f64 %fd<2>;\n"
        "call (%r1), old, (%r2, %fd1);\n"
        "{ .param .b32 ret0; .param .b64 p0; st.param.b64 [p0+0], %rd1;\n"
        "call.uni (ret0), later, (p0); ld.param.b32 %r1, [ret0+0]; }\n"
        "call last; call last, ();\n"
        "proto : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 4 .b8 _[12]);\n"
        "call (%r1), %rd1, (%rd2), proto;\n"
        "ts: .calltargets old, later;\n call (%r1), %rd1, (%r2, 0d0000000000000000), ts;\n"
        "mov.u64 %rd1, last; }\n"
        ".func last { ret; }\n.func (.param .b32 r) later (.param .b64 x) { ret; }\n");
    const struct ptx_func *k = ptx_find_func(m, "k"), *old = ptx_find_func(m, "old");
    const struct ptx_inst *i = k->insts;
    assert_int_equal(old->params[1]->space, PTX_SPACE_REG);
    assert_int_equal(old->regs[old->param_regs[1]].type, PTX_F64);
    assert_int_equal(old->ret_regs[0], 0);
    assert_int_equal(i[0].nops, 3);
    assert_int_equal(i[0].ops[0].kind, PTX_OPND_ARGS);
    assert_ptr_equal(i[0].ops[1].func, old);
    assert_int_equal(i[0].ops[2].nelems, 2);
    assert_int_equal(ptx_inst_ndst(&i[0]), 1);
    assert_int_equal(i[2].ops[0].elems[0].kind, PTX_OPND_VAR);
    assert_string_equal(i[2].ops[1].func->name, "later");
    assert_false(i[2].ops[1].func->is_decl); /* users see the definition */
    assert_int_equal(i[4].nops, 1);
    assert_ptr_equal(i[4].ops[0].func, ptx_find_func(m, "last"));
    assert_int_equal(i[5].nops, 2);
    assert_int_equal(i[5].ops[1].nelems, 0);
    assert_int_equal(i[6].ops[3].kind, PTX_OPND_PROTO);
    assert_int_equal(i[6].ops[3].proto->nparams, 2);
    assert_int_equal(i[6].ops[3].proto->params[1]->bytes, 12);
    assert_int_equal(i[7].ops[3].kind, PTX_OPND_PROTO);
    assert_int_equal(i[7].ops[3].proto->nparams, 2);
    assert_int_equal(i[8].ops[1].kind, PTX_OPND_FUNC);
    for (unsigned n = 0; n < k->ninsts; n++)
        assert_false(i[n].bad);
    assert_non_null(m->funcs[1]->def);
    assert_true(m->funcs[1]->is_noreturn);
    ptx_module_free(m);
}

static void old_declarations(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text(
        ".version 1.4\n.target sm_10\n.reg .u32 %ra<3>;\n.reg .pred %rp;\n"
        ".visible .func (.param .s32 r) f (.param .s32 a)\n\n.func g ()\n.extern .shared .b8 s[];\n"
        ".func g () { ret; }\n"
        ".entry k { .reg .u32 x; pr: .callprototype (.reg .f64) _ (.reg .s64, .reg .u32);\n"
        "mov.u32 x, 1; mov.u32 x, %ra2; @%rp ret; add.u32 x, x+1, 2; }\n");
    const struct ptx_func *k = ptx_find_func(m, "k");
    assert_true(ptx_find_func(m, "f")->is_decl);
    assert_false(ptx_find_func(m, "g")->is_decl);
    assert_int_equal(k->nregs, 5);
    assert_false(k->insts[0].bad);
    assert_true(k->insts[1].bad); /* registers of the module: kept, not understood */
    assert_true(k->insts[2].bad);
    assert_true(k->insts[3].bad);
    ptx_module_free(m);
}

static void branch_lists(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body_text("ts: .branchtargets A, B, A;\n@%p1 brx.idx %r1, ts;\n"
                                           "A: ret; B: exit;\n brx.idx %r1, later;\n"
                                           "later: .branchtargets B;");
    const struct ptx_inst *i = first_func(m)->insts;
    assert_int_equal(i[0].ops[1].kind, PTX_OPND_LIST);
    assert_int_equal(i[0].ops[1].npcs, 3);
    assert_int_equal(i[0].ops[1].pcs[0], 1);
    assert_int_equal(i[0].ops[1].pcs[1], 2);
    assert_int_equal(i[3].ops[1].kind, PTX_OPND_LIST);
    assert_int_equal(i[3].ops[1].pcs[0], 2);
    ptx_module_free(m);
}

static void pragmas_are_kept(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text(PTX_HEAD ".pragma \"module\";\n"
                                               ".entry a() {\n.pragma \"one\";\n ret;\n"
                                               ".pragma \"two, three\", \"four\";\n}\n"
                                               ".entry b() { ret; }\n");
    const struct ptx_func *a = ptx_find_func(m, "a"), *b = ptx_find_func(m, "b");
    assert_int_equal(a->npragmas, 3);
    assert_string_equal(a->pragmas[0].text, "one");
    assert_int_equal(a->pragmas[0].line, 6);
    assert_string_equal(a->pragmas[1].text, "two, three");
    assert_string_equal(a->pragmas[2].text, "four");
    assert_int_equal(b->npragmas, 0);
    ptx_module_free(m);
}

static void symbols_merge(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text(
        PTX_HEAD ".extern .global .u32 x[];\n.func g { .reg .u64 a; mov.u64 a, x; ret; }\n"
                 ".visible .global .u32 x[4] = {1};\n.extern .global .u32 x[];\n"
                 ".weak .func w { ret; }\n.weak .func w { exit; }\n.func w { trap; }\n"
                 ".weak .global .u32 v = 1;\n.weak .global .u32 v = 2;\n"
                 ".common .global .u32 c;\n.func g2;\n.alias g2, g;\n");
    assert_ptr_equal(ptx_find_func(m, "g")->insts[0].ops[1].var, ptx_find_var(m, "x"));
    assert_int_equal(ptx_find_var(m, "x")->bytes, 16);
    assert_int_equal(ptx_find_var(m, "x")->linkage, PTX_LINK_VISIBLE);
    assert_int_equal(ptx_find_func(m, "w")->insts[0].op, PTX_OP_TRAP);
    assert_int_equal(*ptx_find_var(m, "v")->init, 1);
    assert_ptr_equal(ptx_find_func(m, "g2"), ptx_find_func(m, "g"));
    assert_int_equal(m->nvars, 3);
    assert_null(ptx_find_func(m, "x"));
    assert_null(ptx_find_var(m, "nosuch"));
    ptx_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pragmas_are_kept),
        cmocka_unit_test(initialisers),
        cmocka_unit_test(addresses_in_initialisers),
        cmocka_unit_test(parameter_blocks),
        cmocka_unit_test(calls),
        cmocka_unit_test(branch_lists),
        cmocka_unit_test(old_declarations),
        cmocka_unit_test(symbols_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
