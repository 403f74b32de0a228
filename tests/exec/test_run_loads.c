/* Loads in translated runs read what the checked way reads: every width, space and pattern, by a
 * load that looks how its lanes lie and by one that is known to scatter, under guards, and with
 * lanes out of range. Where everything is translated at once, loads at even places of the code are
 * of the first kind and those at odd ones of the second (runs.c): some kernels are shifted by one.
 */
#include "exec/support_ways.h"

static const struct form {
    const char *type, *regs, *reg_type;
    unsigned size, nregs;
} forms[] = {
    {"u8", "%a", "b16", 1, 1},           {"s8", "%a", "b32", 1, 1},
    {"s16", "%a", "b64", 2, 1},          {"u32", "%a", "b32", 4, 1},
    {"u64", "%a", "b64", 8, 1},          {"v4.s16", "{%a,%b,%c,%d}", "b32", 8, 4},
    {"v2.u32", "{%a,%b}", "b32", 8, 2},  {"v4.u32", "{%a,%b,%c,%d}", "b32", 16, 4},
    {"v2.u64", "{%a,%b}", "b64", 16, 2},
};

/* %r2 = a place by %r1, the lane, of %r5, in units of the access; the last three are wrong where
 * %p2 is set, in the second warp: by then the short way knows where the lanes may be. */
static const char *const patterns[] = {
    "mov.u32 %r2,%r1;",                                                 /* side by side */
    "mov.u32 %r2,17;",                                                  /* all at one place */
    "mul.lo.u32 %r2,%r1,40503; and.b32 %r2,%r2,63;",                    /* each its own */
    "sub.u32 %r2,%r5,2;",                                               /* all near the end */
    "sub.u32 %r2,%r5,2; @%p2 add.u32 %r2,%r2,1;",                       /* behind it */
    "sub.u32 %r2,40,%r1; @%p2 add.u32 %r2,%r2,0x7000000;",              /* far away */
    "xor.b32 %r2,%r1,5; mul.lo.u32 %r2,%r2,3; @%p2 sub.u32 %r2,%r2,40;" /* before the start */
};

static const struct space {
    const char *name, *address, *at;
} spaces[] = {
    {".global", "cvt.s64.s32 %rd2,%r4; add.s64 %rd2,%rd2,%rd1;", "%rd2"},
    {".shared", "mov.u32 %r6,tile; add.u32 %r6,%r6,%r4;", "%r6"},
    {"",
     "mov.u64 %rd2,tile; cvta.shared.u64 %rd2,%rd2; cvt.s64.s32 %rd3,%r4; add.s64 "
     "%rd2,%rd2,%rd3;",
     "%rd2"},
};

/* One load for odd lanes and one for all; what they have read goes to %rd9. */
static void say_loads(struct text *t, const struct form *f, const struct space *s)
{
    static const char *const regs[] = {"%a", "%b", "%c", "%d"};
    say(t, "@%%p1 ld%s.%s %s,[%s+%u];\n", s->name, f->type, f->regs, s->at, f->size);
    for (unsigned k = 0; k < f->nregs; k++)
        say(t, "xor.%s %%e%u,%s,%u;\n", f->reg_type, k, regs[k], k);
    say(t, "ld%s.%s %s,[%s];\n", s->name, f->type, f->regs, s->at);
    for (unsigned k = 0; k < f->nregs; k++) {
        say(t, "st.global.%s [%%rd9+%u],%s;\n", f->reg_type, 8 * k, regs[k]);
        say(t, "st.global.%s [%%rd9+%u],%%e%u;\n", f->reg_type, 32 + 8 * k, k);
    }
}

static void say_kernel(struct text *t, const struct form *f, const char *pattern,
                       const struct space *s, bool is_shifted)
{
    const char *r = f->reg_type;
    t->len = 0;
    say(t,
        PTX_HEAD
        ".shared .align 16 .b8 tile[%d];\n.visible .entry k(.param .u64 p, .param .u64 q)\n"
        "{\n.reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .b64 %%rd<12>; "
        ".reg .%s %%a,%%b,%%c,%%d,%%e<4>;\n",
        WAYS_MEM_BYTES, r);
    say(t, "ld.param.u64 %%rd1,[p]; ld.param.u64 %%rd9,[q]; mov.u32 %%r1,%%tid.x;\n"
           "setp.ge.u32 %%p2,%%r1,32; and.b32 %%r1,%%r1,31; mul.wide.u32 %%rd8,%%r1,64;\n"
           "add.s64 %%rd9,%%rd9,%%rd8; mov.u32 %%r7,tile; mad.lo.u32 %%r7,%%r1,128,%%r7;\n");
    for (unsigned i = 0; i < 128; i += 4)
        say(t, "mad.lo.u32 %%r9,%%r1,77003,%u; st.shared.u32 [%%r7+%u],%%r9;\n",
            i * 40503 + 0x91827364, i);
    say(t, "bar.sync 0;\nmov.u32 %%r5,%u;\n%s\nmul.lo.u32 %%r4,%%r2,%u;\n%s\n",
        WAYS_MEM_BYTES / f->size, pattern, f->size, s->address);
    say(t, "and.b32 %%r9,%%r1,1; setp.ne.u32 %%p1,%%r9,0; cvt.u%s.u32 %%a,%%r1;\n", r + 1);
    say(t, "not.%s %%b,%%a; xor.%s %%c,%%a,21; not.%s %%d,%%c;\n", r, r, r);
    say(t, "%s", is_shifted ? "add.u32 %r8,%r1,1;\n" : "");
    say_loads(t, f, s);
    say(t, "ret;\n}\n");
}

static void loads_in_runs_are_what_the_checked_way_loads(void **state)
{
    struct ways w;
    static struct text t;
    (void)state;
    ways_open(&w, 2, 2 * WARP_LANES);
    for (unsigned f = 0; f < ARRAY_LEN(forms); f++)
        for (unsigned p = 0; p < ARRAY_LEN(patterns); p++) {
            const struct space *at = &spaces[(f + p) % ARRAY_LEN(spaces)];
            say_kernel(&t, &forms[f], patterns[p], at, (f + p) % 2);
            ways_compare(&w, &t, &t);
        }
    assert_int_equal(w.bad, 3 * ARRAY_LEN(forms)); /* the last three patterns */
    ways_close(&w);
}

/* Over so much memory that it is fetched ahead (jit/emit_ahead.c): an address from a register, one
 * that a load has made, one under a guard that is wild where it is not used, and a carry between.
 */
static void say_large(struct text *t, unsigned shift, const char *split)
{
    t->len = 0;
    say(t, PTX_HEAD ".visible .entry k(.param .u64 p, .param .u64 q)\n"
                    "{\n.reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<12>;\n"
                    "ld.param.u64 %%rd1,[p]; ld.param.u64 %%rd9,[q]; mov.u32 %%r1,%%tid.x;\n"
                    "mul.wide.u32 %%rd8,%%r1,64; add.s64 %%rd9,%%rd9,%%rd8; and.b32 %%r3,%%r1,1;\n"
                    "setp.ne.u32 %%p1,%%r3,0; mov.u32 %%r4,7; mov.u32 %%r5,7; mov.u32 %%r6,7;\n");
    say(t, "%s\n", split);
    for (unsigned i = 0; i < shift; i++)
        say(t, "add.u32 %%r12,%%r1,%u;\n", i);
    say(t,
        "mul.lo.u32 %%r2,%%r1,0x9e3779b1; @%%p1 and.b32 %%r2,%%r2,0xffffc;\n"
        "and.b32 %%r2,%%r2,0x7ffffc; cvt.u64.u32 %%rd2,%%r2; add.s64 %%rd2,%%rd2,%%rd1;\n"
        "and.b32 %%r7,%%r2,0xffc; cvt.u64.u32 %%rd4,%%r7; add.s64 %%rd4,%%rd4,%%rd1;\n"
        "ld.global.u32 %%r8,[%%rd2]; ld.global.u32 %%r9,[%%rd4];\n"
        "and.b32 %%r10,%%r9,0xffc; cvt.u64.u32 %%rd5,%%r10; add.s64 %%rd5,%%rd5,%%rd1;\n"
        "ld.global.u32 %%r4,[%%rd5]; shl.b64 %%rd6,%%rd4,%%r3; selp.b64 %%rd6,%%rd4,%%rd6,%%p1;\n"
        "add.cc.u32 %%r11,%%r9,%%r4; addc.u32 %%r13,%%r8,0; @%%p1 ld.global.u32 %%r5,[%%rd6];\n"
        "ld.global.u32 %%r6,[%%rd4+8];\nOUT:\n");
    for (unsigned i = 4; i < 14; i++)
        say(t, "st.global.u32 [%%rd9+%u],%%r%u;\n", 4 * (i - 4), i == 12 ? 3 : i);
    say(t, "ret;\n}\n");
}

static void loads_that_are_fetched_ahead_are_what_the_checked_way_loads(void **state)
{
    static const char *const splits[] = {"", "@%p1 bra OUT;", "@!%p1 bra OUT;"};
    struct ways w;
    static struct text t;
    (void)state;
    ways_open(&w, 2, 5 * WARP_LANES + 3);
    w.mem = devmem_alloc(w.dev->mem, 16 << 20, 0, MEM_DEVICE, NULL);
    for (unsigned i = 0; i < 2 * ARRAY_LEN(splits); i++) {
        say_large(&t, i % 2, splits[i / 2]);
        ways_compare(&w, &t, &t);
    }
    assert_int_equal(w.bad, 0);
    ways_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_in_runs_are_what_the_checked_way_loads),
        cmocka_unit_test(loads_that_are_fetched_ahead_are_what_the_checked_way_loads),
    };
    setenv("PARSIM_JIT", "always", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
