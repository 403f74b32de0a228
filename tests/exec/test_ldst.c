/* Loads, stores and atomics the short way do what the checked way does: every width, vector, space,
 * pattern of addresses and mask, once on a device without a checker and once with one, which never
 * goes the short way. Same memory, same registers, same faults in the same words. In local memory
 * the checked way is that of generic addresses. */
#include "exec/support_ways.h"

enum { LOCAL_BYTES = 2048, BLOCKS = 3 };

/* `size` bytes a lane in memory; the registers are %a, %b, %c, %d. */
static const struct form {
    const char *type, *regs, *reg_type;
    unsigned size, nregs;
} forms[] = {
    {"u8", "%a", "b16", 1, 1},
    {"s8", "%a", "b32", 1, 1},
    {"u8", "%a", "b64", 1, 1},
    {"u16", "%a", "b16", 2, 1},
    {"s16", "%a", "b32", 2, 1},
    {"s16", "%a", "b64", 2, 1},
    {"u32", "%a", "b32", 4, 1},
    {"s32", "%a", "b64", 4, 1},
    {"u64", "%a", "b64", 8, 1},
    {"v2.u8", "{%a,%b}", "b16", 2, 2},
    {"v4.s8", "{%a,%b,%c,%d}", "b32", 4, 4},
    {"v2.u16", "{%a,%b}", "b16", 4, 2},
    {"v4.s16", "{%a,%b,%c,%d}", "b32", 8, 4},
    {"v2.u32", "{%a,%b}", "b32", 8, 2},
    {"v2.s32", "{%a,%b}", "b64", 8, 2},
    {"v4.u32", "{%a,%b,%c,%d}", "b32", 16, 4},
    {"v2.u64", "{%a,%b}", "b64", 16, 2},
    {"v4.s32", "{%a,%b,%c,%d}", "b64", 16, 4},
};

/* Of atomics: the operation, whether it has a second operand. */
static const struct form atomics[] = {
    {"exch.b32", "", "b32", 4, 1},        {"cas.b32", ",%c", "b32", 4, 1},
    {"cas.b64", ",%c", "b64", 8, 1},      {"exch.b64", "", "b64", 8, 1},
    {"and.b32", "", "b32", 4, 1},         {"or.b64", "", "b64", 8, 1},
    {"xor.b32", "", "b32", 4, 1},         {"add.u32", "", "b32", 4, 1},
    {"add.u64", "", "b64", 8, 1},         {"inc.u32", "", "b32", 4, 1},
    {"dec.u32", "", "b32", 4, 1},         {"min.s32", "", "b32", 4, 1},
    {"max.u32", "", "b32", 4, 1},         {"min.u64", "", "b64", 8, 1},
    {"max.s64", "", "b64", 8, 1},         {"add.f32", "", "b32", 4, 1},
    {"add.f64", "", "b64", 8, 1},         {"min.u32", "", "b32", 4, 1},
    {"max.s32", "", "b32", 4, 1},         {"min.s64", "", "b64", 8, 1},
    {"add.noftz.f16x2", "", "b32", 4, 1},
};

enum access_kind { LOAD, STORE, ATOM, RED };

/* %r2 = a place by %r1, the thread, in units of the access, %r3; %r5 is how many there are. Some
 * are wrong in the last block, where %p3 is set: by then the short way knows where the lanes may
 * be. */
static const char *const patterns[] = {
    "mov.u32 %r2,%r1;",                                                 /* side by side */
    "mov.u32 %r2,17;",                                                  /* all at one place */
    "shl.b32 %r2,%r1,1;",                                               /* every other one */
    "sub.u32 %r2,40,%r1;",                                              /* backwards */
    "xor.b32 %r2,%r1,5;",                                               /* each its own */
    "mul.lo.u32 %r2,%r1,40503; and.b32 %r2,%r2,63;",                    /* some share one */
    "shr.u32 %r2,%r1,2;",                                               /* fours share one */
    "sub.u32 %r2,%r5,34; add.u32 %r2,%r2,%r1;",                         /* up to the end */
    "sub.u32 %r2,%r5,34; @%p3 add.u32 %r2,%r2,1; add.u32 %r2,%r2,%r1;", /* beyond the end */
    "sub.u32 %r2,%r1,2; @%p3 sub.u32 %r2,%r2,1;",                       /* from before the start */
    "setp.eq.and.u32 %p2,%r1,9,%p3; selp.u32 %r2,0x7000000,%r1,%p2;",   /* one far away */
    "mul.lo.u32 %r2,%r1,0x8421085;",                                    /* a line that goes round */
};

static const uint32_t masks[] = {UINT32_MAX, 0xffff,     0xff0000,   1,         0x80000000,
                                 0xaaaaaaaa, 0xfffffff7, 0x00010100, 0x7fffffff};

/* Registers by mask, then the 4 KB of shared memory, and a sum of the local one. */
#define OUT_OF_BLOCK ((ARRAY_LEN(masks) + 5) * 1024)
static_assert(BLOCKS * OUT_OF_BLOCK <= WAYS_OUT_BYTES, "what all blocks have seen");

struct space {
    const char *name, *address; /* %at: %r4 bytes from the start of the memory */
    const char *at;
    unsigned bytes; /* of the memory */
};

static const struct space spaces[] = {
    {"global", "cvt.s64.s32 %rd2,%r4; add.s64 %rd2,%rd2,%rd1;", "%rd2", WAYS_MEM_BYTES},
    {"shared", "mov.u32 %r6,tile; add.u32 %r6,%r6,%r4;", "%r6", WAYS_MEM_BYTES},
    {"shared", "mov.u64 %rd2,tile; cvt.s64.s32 %rd3,%r4; add.s64 %rd2,%rd2,%rd3;", "%rd2",
     WAYS_MEM_BYTES},
    {"", "cvt.s64.s32 %rd2,%r4; add.s64 %rd2,%rd2,%rd1;", "%rd2", WAYS_MEM_BYTES},
    {"",
     "mov.u64 %rd2,tile; cvta.shared.u64 %rd2,%rd2; cvt.s64.s32 %rd3,%r4; "
     "add.s64 %rd2,%rd2,%rd3;",
     "%rd2", WAYS_MEM_BYTES},
};

/* The same place by both kinds of address. */
#define LOCAL_AT "cvt.s64.s32 %rd3,%r4; add.s64 %rd2,%rd2,%rd3;"
static const struct space local[] = {
    {"local", "mov.u64 %rd2,buf;" LOCAL_AT, "%rd2", LOCAL_BYTES},
    {"", "mov.u64 %rd2,buf; cvta.local.u64 %rd2,%rd2;" LOCAL_AT, "%rd2", LOCAL_BYTES},
};

/* What the registers hold after an access goes to %rd9, 1 KB a mask and 32 bytes a thread. */
static void say_registers(struct text *t, const struct form *f, unsigned mask)
{
    static const char *const regs[] = {"%a", "%b", "%c", "%d"};
    for (unsigned k = 0; k < f->nregs; k++)
        say(t, "st.volatile.global.%s [%%rd9+%u],%s;\n", f->reg_type, mask * 1024 + 8 * k, regs[k]);
}

/* Word by word over all local memory: DO, with its offset in %r9 and its place in %rd6. */
static void say_each_local_word(struct text *t, const char *label, const char *what)
{
    say(t,
        "mov.u32 %%r9,0;\n%s: cvt.u64.u32 %%rd6,%%r9; mov.u64 %%rd5,buf; add.s64 "
        "%%rd6,%%rd6,%%rd5;\n"
        "%s\nadd.u32 %%r9,%%r9,4; setp.lt.u32 %%p2,%%r9,%d; @%%p2 bra %s;\n",
        label, what, LOCAL_BYTES, label);
}

static void say_start(struct text *t, const struct form *f)
{
    t->len = 0;
    say(t,
        PTX_HEAD ".shared .align 16 .b8 tile[4096];\n"
                 ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
                 ".reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .b64 %%rd<12>; "
                 ".reg .%s %%a,%%b,%%c,%%d;\n.local .align 16 .b8 buf[%d];\n"
                 "ld.param.u64 %%rd1,[p]; ld.param.u64 %%rd9,[q]; mov.u32 %%r1,%%tid.x;\n"
                 "mov.u32 %%r8,%%ctaid.x; mul.lo.u32 %%r8,%%r8,%zu; mad.lo.u32 %%r8,%%r1,32,%%r8;\n"
                 "cvt.u64.u32 %%rd8,%%r8; add.s64 %%rd9,%%rd9,%%rd8;\n"
                 "mov.u32 %%r8,%%ctaid.x; setp.eq.u32 %%p3,%%r8,2;\n"
                 "mov.u32 %%r7,tile; mad.lo.u32 %%r7,%%r1,128,%%r7;\n",
        f->reg_type, LOCAL_BYTES, OUT_OF_BLOCK);
    for (unsigned i = 0; i < 128; i += 4)
        say(t, "mad.lo.u32 %%r9,%%r1,77003,%u; st.volatile.shared.u32 [%%r7+%u],%%r9;\n",
            i * 40503 + 0x91827364, i);
    say_each_local_word(t, "FILL", "mad.lo.u32 %r10,%r9,1103515245,%r1; st.local.u32 [%rd6],%r10;");
    say(t, "bar.sync 0;\n");
}

static void say_access(struct text *t, const struct form *f, const struct space *s,
                       enum access_kind kind)
{
    const char *dot = *s->name ? "." : "";
    if (kind == ATOM)
        say(t, "@%%p1 atom%s%s.%s %%a,[%s+%u],%%b%s;\n", dot, s->name, f->type, s->at, 2 * f->size,
            f->regs);
    else if (kind == RED)
        say(t, "@%%p1 red%s%s.%s [%s+%u],%%b;\n", dot, s->name, f->type, s->at, 2 * f->size);
    else if (kind == LOAD)
        say(t, "@%%p1 ld%s%s.%s %s,[%s+%u];\n", dot, s->name, f->type, f->regs, s->at, 2 * f->size);
    else
        say(t, "@%%p1 st%s%s.%s [%s+%u],%s;\n", dot, s->name, f->type, s->at, 2 * f->size, f->regs);
}

static void say_kernel(struct text *t, const struct form *f, const char *pattern, int off,
                       const struct space *s, enum access_kind kind)
{
    const char *r = f->reg_type;
    say_start(t, f);
    say(t, "mov.u32 %%r3,%u; mov.u32 %%r5,%u;\n%s\nmad.lo.u32 %%r4,%%r2,%%r3,%d;\n%s\n", f->size,
        s->bytes / f->size, pattern, off, s->address);
    for (unsigned i = 0; i < ARRAY_LEN(masks); i++) {
        say(t, "shr.u32 %%r9,%u,%%r1; and.b32 %%r9,%%r9,1; setp.ne.u32 %%p1,%%r9,0;\n", masks[i]);
        say(t,
            "mad.lo.u32 %%r9,%%r1,1103515245,%u; cvt.u%s.u32 %%a,%%r9; not.%s %%b,%%a;\n"
            "xor.%s %%c,%%a,21; not.%s %%d,%%c;\n",
            i, r + 1, r, r, r);
        say_access(t, f, s, kind);
        say_registers(t, f, i);
    }
    say(t, "bar.sync 0;\n");
    for (unsigned i = 0; i < 128; i += 4)
        say(t, "ld.volatile.shared.u32 %%r9,[%%r7+%u]; st.volatile.global.u32 [%%rd9+%zu],%%r9;\n",
            i, (ARRAY_LEN(masks) + i / 32) * 1024 + i % 32);
    say(t, "mov.u32 %%r10,0;\n");
    say_each_local_word(t, "SUM", "ld.local.u32 %r11,[%rd6]; mad.lo.u32 %r10,%r10,31,%r11;");
    say(t, "st.volatile.global.u32 [%%rd9+%zu],%%r10;\nret;\n}\n", OUT_OF_BLOCK - 1024);
}

/* Every form with every pattern, in one of the spaces, so that it meets all of them; then
 * misaligned. */
static void compare_all(const struct form *f, size_t nforms, enum access_kind kind)
{
    struct ways w;
    static struct text t;
    ways_open(&w, BLOCKS, WARP_LANES);
    for (size_t i = 0; i < nforms; i++)
        for (size_t p = 0; p < ARRAY_LEN(patterns); p++) {
            say_kernel(&t, &f[i], patterns[p], 0, &spaces[(i + p) % ARRAY_LEN(spaces)], kind);
            ways_compare(&w, &t, &t);
        }
    for (size_t i = 0; i < nforms; i++) {
        say_kernel(&t, &f[i], patterns[i % 4], (int)f[i].size / 2, &spaces[i % ARRAY_LEN(spaces)],
                   kind);
        ways_compare(&w, &t, &t);
    }
    assert_true(w.good > 100 && w.bad > 50);
    ways_close(&w);
}

static void compare_local(enum access_kind kind)
{
    struct ways w;
    static struct text brief, generic;
    ways_open(&w, BLOCKS, WARP_LANES);
    for (size_t f = 0; f < ARRAY_LEN(forms); f++)
        for (size_t p = 0; p < ARRAY_LEN(patterns); p += 1 + f % 2) {
            say_kernel(&generic, &forms[f], patterns[p], 0, &local[1], kind);
            say_kernel(&brief, &forms[f], patterns[p], 0, &local[0], kind);
            ways_compare(&w, &generic, &brief);
        }
    assert_true(w.good > 90 && w.bad > 30);
    ways_close(&w);
}

static void loads_are_what_the_checked_way_loads(void **state)
{
    (void)state;
    compare_all(forms, ARRAY_LEN(forms), LOAD);
}

static void stores_are_what_the_checked_way_stores(void **state)
{
    (void)state;
    compare_all(forms, ARRAY_LEN(forms), STORE);
}

static void atomics_are_what_the_checked_way_does(void **state)
{
    (void)state;
    compare_all(atomics, ARRAY_LEN(atomics), ATOM);
}

static void reductions_are_what_the_checked_way_does(void **state)
{
    (void)state;
    compare_all(atomics + 4, ARRAY_LEN(atomics) - 4, RED);
}

static void local_loads_are_those_of_generic_addresses(void **state)
{
    (void)state;
    compare_local(LOAD);
}

static void local_stores_are_those_of_generic_addresses(void **state)
{
    (void)state;
    compare_local(STORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_what_the_checked_way_loads),
        cmocka_unit_test(stores_are_what_the_checked_way_stores),
        cmocka_unit_test(atomics_are_what_the_checked_way_does),
        cmocka_unit_test(reductions_are_what_the_checked_way_does),
        cmocka_unit_test(local_loads_are_those_of_generic_addresses),
        cmocka_unit_test(local_stores_are_those_of_generic_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
