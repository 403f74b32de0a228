/* Blocks, reconvergence, register need. */
#include "ptx/support_parse.h"

#include "base/rng.h"

/* Checks reconv of instruction `pc` of the body. */
static void expect_reconv(const char *body, uint32_t pc, uint32_t reconv)
{
    struct ptx_module *m = parse_body_text(body);
    struct ptx_cfg *c = ptx_cfg_build(first_func(m));
    if (c->reconv[pc] != reconv)
        fail_msg("reconv[%u] is %u, not %u:\n%s", pc, c->reconv[pc], reconv, body);
    ptx_cfg_free(c);
    ptx_module_free(m);
}

static void reconvergence_points(void **state)
{
    (void)state;
    /* if-else meets at M */
    expect_reconv("@%p1 bra E; mov.u32 %r1,1; bra M; E: mov.u32 %r1,2; M: ret;", 0, 4);
    /* if without else: the fall-through skips the store */
    expect_reconv("@%p1 bra M; mov.u32 %r1,1; M: ret;", 0, 2);
    /* loop: the exit of the loop */
    expect_reconv("L: mov.u32 %r1,1; @%p1 bra L; mov.u32 %r2,1; ret;", 1, 2);
    /* one side leaves: nothing to meet before the return */
    expect_reconv("@%p1 bra E; mov.u32 %r1,1; ret; E: mov.u32 %r1,2; ret;", 0, PTX_NO_PC);
    /* an early end on one way: those who are left meet all the same */
    expect_reconv("@%p1 bra E; @%p2 exit; E: mov.u32 %r1,2; ret;", 0, 2);
    expect_reconv("@%p1 bra M; @%p2 bra END; mov.u32 %r1,1; M: mov.u32 %r1,2; END: ret;", 0, 3);
    expect_reconv("@%p1 bra M; @%p2 bra END; mov.u32 %r1,1; M: mov.u32 %r1,2; END: ret;", 1, 2);
    expect_reconv("@%p1 bra M; @%p2 bra X; mov.u32 %r1,1; M: mov.u32 %r1,2; ret; X: bra END;"
                  "END: ret;",
                  0, 3);
    /* leaving or going on, and nothing else: strict, they meet at the common end */
    expect_reconv("@%p1 bra END; mov.u32 %r1,1; END: ret;", 0, 2);
    /* an early end out of a loop */
    expect_reconv("L: @%p1 bra M; @%p2 bra END; M: mov.u32 %r1,1; @%p3 bra L; mov.u32 %r1,2;"
                  "END: ret;",
                  0, 2);
    expect_reconv("L: @%p1 bra M; @%p2 bra END; M: mov.u32 %r1,1; @%p3 bra L; mov.u32 %r1,2;"
                  "END: ret;",
                  3, 4);
    /* uniform branches and ordinary instructions cannot split */
    expect_reconv("bra E; E: ret;", 0, PTX_NO_PC);
    expect_reconv("@%p1 mov.u32 %r1,1; ret;", 0, PTX_NO_PC);
    /* short-circuit: both branches meet at M */
    expect_reconv("@%p1 bra A; @%p2 bra A; mov.u32 %r1,1; bra M; A: mov.u32 %r1,2; M: ret;", 0, 5);
    expect_reconv("@%p1 bra A; @%p2 bra A; mov.u32 %r1,1; bra M; A: mov.u32 %r1,2; M: ret;", 1, 5);
    /* irreducible: two entries into the circle A-B */
    expect_reconv("@%p1 bra B; A: mov.u32 %r1,1; B: mov.u32 %r2,1; @%p2 bra A; ret;", 0, 2);
    expect_reconv("@%p1 bra B; A: mov.u32 %r1,1; B: mov.u32 %r2,1; @%p2 bra A; ret;", 3, 4);
    /* brx: all targets meet at M */
    expect_reconv("t: .branchtargets A, B, M; brx.idx %r1, t; A: mov.u32 %r1,1; bra M;"
                  "B: mov.u32 %r1,2; M: ret;",
                  0, 4);
    /* an endless loop still has a place where its inner paths meet */
    expect_reconv("L: @%p1 bra E; mov.u32 %r1,1; bra M; E: mov.u32 %r1,2; M: bra L;", 0, 4);
    /* a branch into an endless loop or out of the function */
    expect_reconv("@%p1 bra L; ret; L: bra L;", 0, PTX_NO_PC);
}

static void unreachable_blocks_are_harmless(void **state)
{
    (void)state;
    struct ptx_module *m = parse_body_text("ret; X: @%p1 bra Y; bra X; Y: bra X;");
    struct ptx_cfg *c = ptx_cfg_build(first_func(m));
    assert_int_equal(c->nblocks, 4);
    assert_int_equal(c->blocks[0].ipdom, 4);
    assert_int_equal(c->blocks[0].nsucc, 1);
    assert_int_equal(c->blocks[1].npred, 2);
    assert_int_equal(c->blocks[1].nsucc, 2);
    ptx_cfg_free(c);
    ptx_module_free(m);
}

/* Is there a path from `from` to the exit that avoids `without`? */
static bool reaches_exit(const struct ptx_cfg *c, uint32_t from, uint32_t without)
{
    uint32_t stack[64], sp = 0;
    bool seen[64] = {0};
    if (from == without)
        return false;
    stack[sp++] = from;
    seen[from] = true;
    while (sp) {
        const struct ptx_block *b = &c->blocks[stack[--sp]];
        for (uint32_t i = 0; i < b->nsucc; i++) {
            uint32_t s = b->succ[i];
            if (s == c->nblocks)
                return true;
            if (s != without && !seen[s]) {
                seen[s] = true;
                stack[sp++] = s;
            }
        }
    }
    return false;
}

/* Against the definition, on random graphs in which everything reaches the exit. */
static void post_dominators_match_their_definition(void **state)
{
    (void)state;
    struct rng rng = {7};
    for (unsigned round = 0; round < 400; round++) {
        char body[4096], *p = body;
        unsigned n = 2 + rng_below(&rng, 14);
        for (unsigned i = 0; i < n; i++)
            p += sprintf(p, "L%u: @%%p1 bra L%u;\n%s", i, rng_below(&rng, n),
                         rng_below(&rng, 4) ? "" : "@%p2 exit;\n");
        struct ptx_module *m = parse_body_text(body);
        struct ptx_cfg *c = ptx_cfg_build(first_func(m));
        for (uint32_t a = 0; a < c->nblocks; a++) {
            /* the immediate one: post-dominates a, and every other post-dominator of a does so
             * for it as well */
            uint32_t ip = c->blocks[a].ipdom;
            if (ip < c->nblocks)
                assert_false(reaches_exit(c, a, ip));
            for (uint32_t d = 0; d < c->nblocks; d++)
                if (d != a && d != ip && !reaches_exit(c, a, d))
                    assert_true(ip < c->nblocks && !reaches_exit(c, ip, d));
        }
        ptx_cfg_free(c);
        ptx_module_free(m);
    }
}

static uint32_t regs_of(const char *body)
{
    struct ptx_module *m = parse_body_text(body);
    uint32_t n = ptx_regs_needed(first_func(m));
    ptx_module_free(m);
    return n;
}

static void register_need(void **state)
{
    (void)state;
    assert_int_equal(regs_of("ret;"), 1);
    assert_int_equal(regs_of("mov.u32 %r1, 1; ret;"), 1); /* a dead result needs a place */
    assert_int_equal(regs_of("mov.u32 %r1, 1; mov.u32 %r2, 2; add.s32 %r3, %r1, %r2;"
                             "st.shared.u32 [sh], %r3; ret;"),
                     2);
    assert_int_equal(regs_of("mov.u64 %rd1, 1; mov.u64 %rd2, 2; st.global.u64 [%rd1], %rd2;"), 4);
    assert_int_equal(regs_of("setp.eq.s32 %p1, 1, 2; setp.eq.s32 %p2, 1, 2;"), 1);
    assert_int_equal(regs_of("mov.b16 %rs1, 1; mov.b16 %rs2, 1; st.shared.b16 [sh], %rs1;"
                             "st.shared.b16 [sh], %rs2;"),
                     2);
    /* %r1 lives around the loop though the loop does not touch it */
    assert_int_equal(regs_of("mov.u32 %r1, 1; mov.u32 %r2, 9; L: sub.s32 %r2, %r2, 1;"
                             "mov.u32 %r3, %r2; st.shared.u32 [sh], %r3; @%p1 bra L;"
                             "st.shared.u32 [sh], %r1; ret;"),
                     3);
    /* values of the two sides of a branch share their place */
    assert_int_equal(regs_of("@%p1 bra E; mov.u32 %r1, 1; st.shared.u32 [sh], %r1; bra M;"
                             "E: mov.u32 %r2, 1; st.shared.u32 [sh], %r2; M: ret;"),
                     1);
    /* all elements of a vector load are live at once */
    assert_int_equal(regs_of("ld.shared.v4.u32 {%r1,%r2,%r3,%r4}, [sh];"
                             "st.shared.v4.u32 [sh], {%r1,%r2,%r3,%r4};"),
                     4);
    assert_int_equal(regs_of("ld.shared.v2.u32 {%r1,%r1}, [sh];"), 1);
}

/* Plain data flow over instructions, for bodies of "add %rD, %rA, %rB", guarded ones included, and
 * "@%p1 bra": the largest number of registers live before or after an instruction. */
static uint32_t reference_need(const struct ptx_func *f)
{
    uint32_t in[64] = {0}, most = 0;
    assert_true(f->ninsts <= 64); /* and %r0 to %r9 are registers 0 to 9 */
    for (bool changed = true; changed;) {
        changed = false;
        most = 1;
        for (uint32_t pc = f->ninsts; pc-- > 0;) {
            const struct ptx_inst *i = &f->insts[pc];
            bool ends = i->op == PTX_OP_RET;
            uint32_t out = ends || pc + 1 == f->ninsts ? 0 : in[pc + 1], live = out, def = 0;
            if (i->op == PTX_OP_BRA)
                live = out |= in[i->ops[0].pc];
            if (i->op == PTX_OP_ADD) {
                def = 1u << i->ops[0].reg;
                if (i->guard == PTX_NO_REG)
                    live &= ~def;
                live |= 1u << i->ops[1].reg | 1u << i->ops[2].reg;
            }
            changed |= in[pc] != live;
            in[pc] = live;
            uint32_t before = (uint32_t)__builtin_popcount(live);
            uint32_t after = (uint32_t)__builtin_popcount(out | def);
            most = before > most ? before : most;
            most = after > most ? after : most;
        }
    }
    return most;
}

static void register_need_matches_plain_data_flow(void **state)
{
    (void)state;
    struct rng rng = {11};
    for (unsigned round = 0; round < 1000; round++) {
        char body[4096], *p = body;
        unsigned n = 3 + rng_below(&rng, 40);
        for (unsigned i = 0; i < n; i++) {
            p += sprintf(p, "L%u: ", i);
            if (!rng_below(&rng, 4))
                p += sprintf(p, "@%%p1 bra L%u;\n", rng_below(&rng, n));
            else
                p += sprintf(p, "%s add.s32 %%r%u, %%r%u, %%r%u;\n",
                             rng_below(&rng, 5) ? "" : "@%p1", rng_below(&rng, 10),
                             rng_below(&rng, 10), rng_below(&rng, 10));
        }
        struct ptx_module *m = parse_body_text(body);
        const struct ptx_func *f = first_func(m);
        assert_int_equal(ptx_regs_needed(f), reference_need(f));
        ptx_module_free(m);
    }
}

static void callees_count_with_their_callers(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text(
        PTX_HEAD
        ".func b; .shared .u32 s;\n"
        ".func a { .reg .u64 %r<3>; mov.u64 %r1, 1; mov.u64 %r2, 2; call b;\n"
        "st.shared.u64 [s], %r1; st.shared.u64 [s], %r2; ret; }\n"
        ".func b { .reg .u32 %r<2>; mov.u32 %r1, 1; call a; st.shared.u32 [s], %r1; ret; }\n"
        ".entry k { .reg .u32 %r<2>; mov.u32 %r1, 1; call a; st.shared.u32 [s], %r1; }\n");
    assert_int_equal(ptx_regs_needed(ptx_find_func(m, "k")), 1 + 4 + 1);
    ptx_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reconvergence_points),
        cmocka_unit_test(unreachable_blocks_are_harmless),
        cmocka_unit_test(post_dominators_match_their_definition),
        cmocka_unit_test(register_need),
        cmocka_unit_test(register_need_matches_plain_data_flow),
        cmocka_unit_test(callees_count_with_their_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
