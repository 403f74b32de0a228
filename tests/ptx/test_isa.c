/* The vocabulary: every instruction that the surveyed programs use decodes, tables are sound. */
#include "ptx/support_parse.h"

#include "base/file.h"
#include "ptx/operands.h"

/* Operands for an instruction, by operation: enough to be parsed as well-formed. */
static const char *operands_of(const char *op)
{
    static const struct {
        const char *op, *operands;
    } table[] = {
        {"ret", ""},
        {"exit", ""},
        {"trap", ""},
        {"membar", ""},
        {"fence", ""},
        {"bra", "L"},
        {"call", "f"},
        {"activemask", "r1"},
        {"ld", "r1, [d1]"},
        {"st", "[d1], r1"},
        {"red", "[d1], r1"},
        {"atom", "r1, [d1], r2"},
        {"bar", "0"},
        {"barrier", "0"},
        {"nanosleep", "r1"},
        {"prefetch", "[d1]"},
        {"tex", "{r1,r2,r3,r4}, [d1, {r1,r2}]"},
        {"sust", "[d1, {r1,r2}], {r1}"},
        {"wmma", "{r1}, [d1]"},
        {"lop3", "r1, r2, r3, r4, 0xEA"},
        {"bfi", "r1, r2, r3, r4, r5"},
        {"shfl", "r1, r2, 1, 31, -1"},
    };
    static const char *const two[] = {"abs",  "bfind", "brev", "clz",  "cnot", "cos",  "cvt",
                                      "cvta", "ex2",   "lg2",  "mov",  "neg",  "not",  "popc",
                                      "rcp",  "rsqrt", "sin",  "sqrt", "tanh", "testp"};
    static const char *const four[] = {"bfe",  "dp2a", "dp4a", "fma", "mad",  "madc",
                                       "prmt", "sad",  "selp", "shf", "slct", "vabsdiff4"};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (!strcmp(op, table[i].op))
            return table[i].operands;
    for (size_t i = 0; i < ARRAY_LEN(two); i++)
        if (!strcmp(op, two[i]))
            return "r1, r2";
    for (size_t i = 0; i < ARRAY_LEN(four); i++)
        if (!strcmp(op, four[i]))
            return "r1, r2, r3, r4";
    return "r1, r2, r3";
}

static void check_mnemonic(const char *mnemonic)
{
    char op[32] = {0};
    memcpy(op, mnemonic, strcspn(mnemonic, "."));
    const char *operands = operands_of(op);
    if (!strncmp(mnemonic, "wmma.mma", 8))
        operands = "{r1}, {r2}, {r3}, {r4}";
    else if (!strncmp(mnemonic, "wmma.store", 10))
        operands = "[d1], {r1}";
    else if (strstr(mnemonic, "bar.red"))
        operands = "r1, 0, r2";
    char *text = xasprintf(PTX_HEAD ".func f;\n.entry k { .reg .b32 r<6>; .reg .b64 d<2>;\n"
                                    "L: %s %s; }",
                           mnemonic, operands);
    struct ptx_module *m = parse_text(text);
    const struct ptx_inst *i = &first_func(m)->insts[0];
    if (i->op == PTX_OP_UNKNOWN || i->bad)
        fail_msg("not decoded: %s %s", mnemonic, operands);
    unsigned dots = 0;
    for (const char *s = mnemonic; *s; s++)
        dots += *s == '.';
    assert_int_equal(i->nmods + i->ntypes, dots);
    assert_string_equal(i->text, mnemonic);
    ptx_module_free(m);
    free(text);
}

static void surveyed_instructions_decode(void **state)
{
    (void)state;
    struct err err = {0};
    size_t len;
    char *path = xasprintf("%s/ptx/opcodes.txt", getenv("PARSIM_TESTS"));
    char *list = file_read(path, &len, &err);
    if (!list)
        fail_msg("%s", err.msg);
    unsigned n = 0;
    for (char *word = strtok(list, "\n"); word; word = strtok(NULL, "\n"), n++)
        check_mnemonic(word);
    assert_int_equal(n, 580);
    free(list);
    free(path);
}

static void newer_instructions_decode(void **state)
{
    (void)state;
    static const char *const insts[] = {
        "cp.async.ca.shared.global.L2::128B [d1], [d2], 16, r1;",
        "cp.async.cg.shared::cta.global [d1], [d2], 16;",
        "cp.async.commit_group;",
        "cp.async.wait_group 2;",
        "cp.async.wait_all;",
        "redux.sync.add.s32 r1, r2, r3;",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r1,r2,r3,r4}, [d1];",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {r1,r2,r3,r4},{r1,r2,r3,r4},{r1,r2},"
        "{r1,r2,r3,r4};",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {r1,r2,r3,r4},{r1,r2,r3,r4},"
        "{r1,r2},{r1,r2,r3,r4};",
        "mbarrier.init.shared.b64 [d1], 5;",
        "mbarrier.arrive.shared.b64 d2, [d1];",
        "mbarrier.try_wait.parity.shared::cta.b64 p1, [d1], r1;",
        "ld.global.L1::no_allocate.L2::256B.v2.b64 {d1, d2}, [d1];",
        "atom.global.sys.acq_rel.cas.b64 d1, [d2], d1, d2;",
        "st.release.sys.global.u32 [d1], r1;",
        "fence.acq_rel.gpu;",
        "fence.proxy.async;",
        "barrier.cluster.arrive.release.aligned;",
        "elect.sync r1|p1, r2;",
        "cvt.rn.satfinite.relu.e4m3x2.f32 r1, r2, r3;",
        "cvt.pack.sat.u8.s32.b32 r1, r2, r3, r4;",
        "vote.sync.ballot.b32 r1, !p1, 0xffffffff;",
        "match.all.sync.b32 r1|p1, r2, r3;",
        "shfl.sync.idx.b32 r1|p1, r2, r3, 0x1f, -1;",
        "lop3.or.b32 r1|p1, r2, r3, r4, 0x96, p2;",
        "setp.eq.u32 _|p1, r1, r2;",
        "vmad.s32.s32.s32.shr7 r1, r2.b0, -r3.h1, r4;",
        "discard.global.L2 [d1], 128;",
        "createpolicy.fractional.L2::evict_last.b64 d1, 1.0;",
        "isspacep.shared::cluster p1, d1;",
        "txq.width.b32 r1, [d1];",
        "suq.height.b32 r1, [d1];",
        "sured.b.add.2d.u32.trap [d1, {r1, r2}], r3;",
        "tld4.a.2d.v4.f32.f32 {r1,r2,r3,r4}, [d1, {r1, r2}];",
        "mov.b128 q1, {d1, d2};",
        "ld.const[2].u32 r1, [4];",
    };
    for (size_t i = 0; i < ARRAY_LEN(insts); i++) {
        char *text =
            xasprintf(PTX_HEAD ".entry k { .reg .b32 r<6>; .reg .b64 d<3>; .reg .pred p<3>;"
                               ".reg .b128 q1;\n%s }",
                      insts[i]);
        struct ptx_module *m = parse_text(text);
        const struct ptx_inst *in = &first_func(m)->insts[0];
        if (in->op == PTX_OP_UNKNOWN || in->bad)
            fail_msg("not decoded: %s", insts[i]);
        ptx_module_free(m);
        free(text);
    }
}

/* Every opcode has a form (one without a row would not compile), and none takes what is no value.
 */
static void every_opcode_checks_its_operands(void **state)
{
    (void)state;
    struct ptx_operand labels[8];
    for (unsigned k = 0; k < ARRAY_LEN(labels); k++)
        labels[k] = (struct ptx_operand){.kind = PTX_OPND_LABEL};
    for (unsigned op = 1; op < PTX_OP_COUNT; op++)
        for (unsigned n = 1; n <= ARRAY_LEN(labels); n++) {
            const struct ptx_func f = {0};
            const struct ptx_inst i = {.op = (uint16_t)op, .nops = (uint8_t)n, .ops = labels};
            struct err err = {0};
            const bool is_branch = op == PTX_OP_BRA && n == 1;
            if (ptx_operands_check(&f, &i, &err) != is_branch || (!is_branch && !err.msg[0]))
                fail_msg("%s with %u labels", ptx_op_name((enum ptx_op)op), n);
        }
}

static void tables_are_sound(void **state)
{
    (void)state;
    for (unsigned i = 1; i < PTX_OP_COUNT; i++) {
        const char *s = ptx_op_name((enum ptx_op)i);
        assert_int_equal(ptx_op_find(s, strlen(s)), i);
    }
    for (unsigned i = 1; i < PTX_TYPE_COUNT; i++) {
        const char *s = ptx_type_name((enum ptx_type)i);
        assert_int_equal(ptx_type_find(s, strlen(s)), i);
        assert_int_equal(ptx_mod_find(s, strlen(s)), 0); /* a word is a type or a modifier */
    }
    for (unsigned i = 1; i < PTX_MOD_COUNT; i++) {
        const char *s = ptx_mod_name((enum ptx_mod)i);
        assert_int_equal(ptx_mod_find(s, strlen(s)), i);
    }
    assert_int_equal(ptx_op_find("add", 2), PTX_OP_UNKNOWN);
    assert_int_equal(ptx_type_bytes(PTX_F16X2), 4);
    assert_true(ptx_type_is_float(PTX_F64));
    assert_true(ptx_type_is_signed(PTX_S8));
    assert_int_equal(ptx_sreg_type(PTX_SREG_CLOCK64), PTX_U64);
    assert_string_equal(ptx_space_name(PTX_SPACE_SHARED), "shared");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surveyed_instructions_decode),
        cmocka_unit_test(newer_instructions_decode),
        cmocka_unit_test(every_opcode_checks_its_operands),
        cmocka_unit_test(tables_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
